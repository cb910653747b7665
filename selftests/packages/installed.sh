#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/packages/installed.sh DIR: installs the packages in DIR, uses them and purges
# them. scripts/check-packages runs it as root in a virtual machine, without network and
# systemd: it changes the system that it runs on.
#
# The machine has no headers, and compiling there would take long: DIR/dkms has the modules that
# DKMS built of the package's source, as it leaves them in /var/lib/dkms.
set -euo pipefail

[[ $# -eq 1 && -d $1 ]] || { echo "usage: $0 DIR" >&2; exit 2; }
dir=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=scripts/tap.sh
. "$here/../../scripts/tap.sh"
[[ $(stat -f -c %T /) == overlayfs ]] || { echo "1..0 # SKIP not in the virtual machine"; exit 0; }

kernel=$(uname -r)
packages=(etw-dkms etw-tools libetw-dev libetw0 libtdh0 python3-etw)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive
files=()
for package in "${packages[@]}"; do
	files+=("$dir/$package"_*.deb)
done
version=$(dpkg-deb -c "${files[0]}" | sed -n 's,.* \./usr/src/etw-\([^/]*\)/dkms.conf$,\1,p')

# step NAME COMMAND...: a test; it shows the output of a command that fails.
step() { tap_step "$work/out" "$@"; }

# said TEXT: prints nothing if the last step printed that.
said() {
	grep -qF -- "$1" "$work/out" || { printf 'not said: %s\n' "$1"; cat "$work/out"; }
}

# state: what maintainer scripts, DKMS and the command may write outside the packages' files.
state() {
	find /etc /var /run /lib/modules -xdev \( -path "/lib/modules/$kernel/kernel" -o -path /var/cache \
		-o -path /var/log -o -path /var/lib/dpkg/info -o -path /var/lib/dpkg/triggers \) -prune -o -print |
		grep -vE '^/var/lib/dpkg/[a-z]+-old$|^/var/lib/systemd$|^/lib/modules/[^/]+/modules\.|^/etc/systemd/system(/[a-z-]+\.wants)?$' |
		sort
	find /var/lib/dpkg/info /var/log /var/cache -xdev \( -name '*etw*' -o -name '*tdh*' \) | sort
}

# make_kernels: a kernel that is too old, and one for which nothing can be compiled
make_kernels() {
	mkdir -p /lib/modules/{5.10.0-9,6.99.0-9}-amd64/build/include
	printf 'modules:\n\t@echo "etw.h:1:1: error: no such kernel"; exit 1\n' \
		>/lib/modules/6.99.0-9-amd64/build/Makefile
}

# skips TEXT KERNEL: apt's hooks for kernels and headers succeed, and so does DKMS itself.
skips() {
	local status

	/etc/kernel/postinst.d/dkms "$2" && /etc/kernel/header_postinst.d/dkms "$2" &&
		dkms autoinstall -k "$2" && grep -cF "etw: no module for kernel $2: $1" "$work/out" >"$work/count" &&
		[[ $(<"$work/count") -eq 3 ]] || return
	status=$(dkms status -k "$2")
	[[ -z $(find "/lib/modules/$2" -name 'etw.ko*') && $status != *"$2"* ]]
}

install_packages() {
	make_kernels
	echo autoinstall_all_kernels=yes >>/etc/dkms/framework.conf
	dpkg --force-unsafe-io -i "${files[@]}"
}

module_installed() {
	cp -a "$dir/dkms/etw/$version/$kernel" "/var/lib/dkms/etw/$version/" &&
		dkms install "etw/$version" -k "$kernel" &&
		[[ $(dkms status "etw/$version" -k "$kernel") == *installed* ]]
}

loaded() { modprobe etw && [[ -c /dev/etw ]] && [[ $(modinfo -n etw) == /lib/modules/$kernel/updates/dkms/* ]]; }

# program_builds: with nothing but the packages
program_builds() (
	read -ra flags <<<"$(pkg-config --cflags --libs libetw libtdh)"
	cp "$here/../../user/samples/sample_app.c" "$work/" && cd "$work" &&
		gcc -O1 -o sample_app sample_app.c -Wl,--as-needed "${flags[@]}" &&
		[[ $(ldd sample_app) == *libetw.so.0* ]]
)

records() ( cd "$work" && /usr/bin/etw record -p b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13 -o trace.etl -- ./sample_app -w -n 5; )

decodes() {
	/usr/bin/etw dump "$work/trace.etl" >"$work/dump"
	cat "$work/dump"
	[[ $(grep -c 'Sample-App Step ' "$work/dump") -eq 5 ]]
}

python_reads() ( cd "$work" && [[ $(/usr/bin/python3 -c '
import etw
print(sum(event.name == "Step" for event in etw.open("trace.etl")))') == 5 ]]; )

watches_kernel() {
	timeout 120 /usr/bin/etw watch -p tracepoint:syscalls:sys_enter_openat -- true >"$work/watched"
	grep -q 'sys_enter_openat' "$work/watched"
}

reader_starts() {
	mkdir "$work/empty"
	/usr/bin/etw convert --from ctf "$work/empty" -o "$work/x.etl" >"$work/reader" 2>&1 || true
	cat "$work/reader"
	grep -q 'no CTF trace' "$work/reader"
}

nothing_left() {
	local left=''

	while read -r path; do
		# Folders that other packages have too stay.
		[[ -d $path && $path != *etw* ]] || [[ ! -e $path && ! -L $path ]] || left+="$path"$'\n'
	done <"$work/files"
	rm -rf /lib/modules/{5.10.0-9,6.99.0-9}-amd64
	state >"$work/after"
	left+=$(comm -13 "$work/before" "$work/after")
	[[ ! -e /sys/module/etw ]] || left+="module etw"
	[[ -z $left ]] || { printf '%s\n' "$left"; return 1; }
}

# Indexing the manual pages of the whole system takes minutes here, and is not in question.
rm -f /var/lib/man-db/auto-update
echo "1..17"
state >"$work/before"
step "the packages install" install_packages
tap_result "$(said '5.10.0-9-amd64: it needs Linux 6.1 or later')" "a kernel that is too old is skipped"
tap_result "$(said '6.99.0-9-amd64: it does not compile: etw.h:1:1: error')" "so is one that it does not compile for"
tap_result "$(said 'etw-dkms: etw.ko is not loaded')" "a module that is missing is reported"
step "the hooks skip a kernel that is too old" skips 'it needs Linux 6.1 or later' 5.10.0-9-amd64
step "the hooks skip one that it does not compile for" skips 'it does not compile' 6.99.0-9-amd64
dpkg -L "${packages[@]}" | sort -u >"$work/files"
step "dpkg finds all files as they were packed" dpkg --verify "${packages[@]}"
step "DKMS installs the module" module_installed
step "the module loads" loaded
step "a program builds with libetw-dev" program_builds
step "its events are recorded" records
step "the record has them" decodes
step "Python reads them" python_reads
step "a tracepoint is watched" watches_kernel
step "the reader of CTF traces starts" reader_starts
# What an administrator's use leaves
mkdir -p /etc/etw/manifests /var/lib/etw/autologger /var/log/etw
step "the packages are purged" dpkg --force-unsafe-io -P "${packages[@]}"
step "nothing is left" nothing_left
exit "$tap_status"
