#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw doctor, as far as it goes without a device: what it makes of the files of a system, which
# here are those of a folder.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

release=6.1.0-99-amd64
root=$work/root
modules=/lib/modules/$release
export ETW_DOCTOR_ROOT=$root ETW_MANIFEST_PATH=$work/manifests ETW_AUTOLOGGER_DIR=$work/autologger

# put PATH [TEXT]: a file of the system.
put() {
	mkdir -p "$root$(dirname "$1")"
	printf '%s\n' "${2-}" >"$root$1"
}

# A kernel module is an ELF file with these sections; the signature comes behind.
put_module() {
	local path=$root$1 id=${3:-0123456789abcdef0123}

	mkdir -p "$(dirname "$path")"
	printf 'license=GPL\0srcversion=ABC\0vermagic=%s SMP preempt mod_unload \0' "$2" >"$work/modinfo"
	printf '\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0%s' "$id" >"$work/note"
	: >"$work/empty.c"
	cc -c -o "$path" "$work/empty.c"
	objcopy --add-section .modinfo="$work/modinfo" --add-section .note.gnu.build-id="$work/note" "$path"
}

# A system where nothing is wrong, but the device is not there.
healthy() {
	rm -rf "${root:?}"
	put /proc/sys/kernel/osrelease "$release"
	put /proc/modules
	put /proc/self/status $'Name: etw\nCapEff:\t000001ffffffffff'
	put /proc/self/uid_map '         0          0 4294967295'
	put /proc/cpuinfo $'processor\t: 0\nflags\t\t: fpu tsc msr constant_tsc nonstop_tsc'
	put /proc/mounts 'tracefs /sys/kernel/tracing tracefs rw,relatime 0 0'
	put /proc/kallsyms 'ffffffff81000000 T _stext'
	put /proc/sys/kernel/perf_event_paranoid 2
	put /sys/kernel/tracing/events/enable
	put /sys/kernel/tracing/events/header_page
	put /sys/kernel/btf/vmlinux
	put /sys/kernel/btf/etw
	put /sys/devices/system/clocksource/clocksource0/available_clocksource 'tsc hpet acpi_pm'
	put /sys/devices/system/clocksource/clocksource0/current_clocksource tsc
	put /sys/kernel/security/lockdown '[none] integrity confidentiality'
	put /sys/module/module/parameters/sig_enforce N
	put_module "$modules/extra/etw.ko" "$release"
	put "$modules/modules.dep" "extra/etw_blk.ko: extra/etw.ko
extra/etw.ko:
kernel/fs/ext4.ko: kernel/lib/crc16.ko"
	put "$modules/build/Makefile"
	put /sys/module/etw/initstate live
	put /sys/module/etw/taint OE
	mkdir -p "$root/sys/module/etw/notes"
	cp "$work/note" "$root/sys/module/etw/notes/.note.gnu.build-id"
	put /sys/module/etw/parameters/trust_tsc N
	put /sys/module/etw/parameters/bpf tracing
	put /sys/module/etw/parameters/memory_kb 1024
	put /sys/module/etw/parameters/max_memory_mb 256
}

# says STATUS CHECK TEXT [FIX]: a line of the last run, and the line below it
says() {
	local good=no line fix

	line=$(grep -A1 -- "^$(printf '%-8s %-10s ' "$1" "$2")" "$work/out" | grep -F -A1 -- "$3" | head -2) || true
	[[ -z $line ]] || good=yes
	fix=${4-}
	[[ $EUID -ne 0 ]] || fix=${fix//sudo /}
	[[ -z $fix || $line == *"fix: $fix" ]] || good=no
	report "$good" "$1: $2: $3"
}

# doctor STATUS: runs it
doctor() {
	run doctor
	local good=no

	[[ $code -ne $1 ]] || good=yes
	report "$good" "exit status $1"
}

check_module() {
	healthy
	rm -r "$root/sys/module/etw"
	doctor 1
	says ok module "$modules/extra/etw.ko, for this kernel"
	says ok signature 'not signed, and this kernel asks for none'
	says wrong loaded 'the module is not loaded' 'sudo modprobe etw'
	says unknown clock 'not known without the module'
	put_module "$modules/extra/etw.ko" 6.1.0-98-amd64
	doctor 1
	says wrong module "$modules/extra/etw.ko is built for kernel 6.1.0-98-amd64, and $release runs" \
		"make modules KERNEL=$release && sudo make install"
	rm "$root$modules/modules.dep"
	put_module "$modules/extra/etw.ko" "$release"
	doctor 1
	says wrong module 'is not in modules.dep' "sudo depmod $release"
	printf 'no module' >"$root$modules/extra/etw.ko"
	doctor 1
	says wrong module "$modules/extra/etw.ko is not a kernel module"
	rm -r "${root:?}/lib"
	doctor 1
	says wrong module "there is no etw.ko in $modules" \
		"sudo apt-get install linux-headers-$release && make modules KERNEL=$release && sudo make install"
	rm "$root/proc/modules"
	doctor 1
	says wrong module "kernel $release cannot load modules"
	put /.dockerenv
	doctor 1
	says wrong module "for the container's host to do"
}

check_loaded() {
	healthy
	doctor 1
	says ok loaded "yes; it taints the kernel: O (out of the kernel's tree) E (not signed)"
	says wrong device "the module is loaded, but has no device"
	put_module "$modules/extra/etw.ko" "$release" 3210fedcba9876543210
	doctor 1
	says warning loaded "another build of the module is loaded than $modules/extra/etw.ko" \
		'sudo modprobe -r etw && sudo modprobe etw'
	put /etc/modprobe.d/mine.conf $'# no tracing\nblacklist etw_blk\n blacklist  etw'
	doctor 1
	says warning loaded '/etc/modprobe.d/mine.conf keeps the module from being loaded at boot'
	put /etc/modprobe.d/mine.conf $'# blacklist etw\nblacklist etw_blk'
	doctor 1
	prints_not 'keeps the module from'
	put /sys/module/etw/initstate going
	doctor 1
	says wrong loaded 'it is going'
	rm -r "$root/lib/modules"
	put /sys/module/etw/initstate live
	doctor 1
	says warning module "is loaded, but not installed in $modules"
}

# prints_not TEXT: the last run did not print it.
prints_not() {
	local good=no

	grep -qF -- "$1" "$work/out" || good=yes
	report "$good" "not printed: $1"
}

check_signature() {
	healthy
	rm -r "$root/sys/module/etw"
	put /sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c $'\x06\x01\x01\x01\x01'
	put /sys/kernel/security/lockdown 'none [integrity] confidentiality'
	doctor 1
	says wrong signature 'not signed, and this kernel loads only signed modules (Secure Boot on, lockdown integrity, module.sig_enforce off)' \
		"sudo /lib/modules/$release/build/scripts/sign-file sha256 /var/lib/dkms/mok.key /var/lib/dkms/mok.pub $modules/extra/etw.ko"
	printf '~Module signature appended~\n' >>"$root$modules/extra/etw.ko"
	doctor 1
	says warning signature 'signed; the kernel loads it only if its key is enrolled' \
		'sudo mokutil --import /var/lib/dkms/mok.pub'
	put /sys/module/etw/initstate live
	doctor 1
	says ok signature 'signed by a key that the kernel trusts'
}

# Kernels may have their modules compressed, and then DKMS compresses those that it builds.
check_compressed() {
	local file=$modules/extra/etw.ko.xz

	healthy
	put /sys/kernel/security/lockdown 'none [integrity] confidentiality'
	xz --check=crc32 "$root$modules/extra/etw.ko"
	put "$modules/modules.dep" "extra/etw.ko.xz:"
	mv "$root/sys/module/etw" "$work/loaded"
	doctor 1
	says ok module "$file, for this kernel"
	says wrong signature 'not signed, and this kernel loads only signed modules' \
		"make modules KERNEL=$release && sudo make install"
	put_module "$modules/extra/etw.ko" 6.1.0-98-amd64
	printf '~Module signature appended~\n' >>"$root$modules/extra/etw.ko"
	xz -f "$root$modules/extra/etw.ko"
	doctor 1
	says wrong module "$file is built for kernel 6.1.0-98-amd64, and $release runs"
	says warning signature 'signed; the kernel loads it only if its key is enrolled'
	put_module "$modules/extra/etw.ko" "$release" 3210fedcba9876543210
	xz -f "$root$modules/extra/etw.ko"
	mv "$work/loaded" "$root/sys/module/etw"
	doctor 1
	says warning loaded "another build of the module is loaded than $file"
	put "$file" 'not compressed'
	doctor 1
	says unknown module "$file cannot be decompressed here"
	says unknown signature "$file cannot be decompressed here"
}

check_dkms() {
	local tree=/var/lib/dkms/etw/0.1.0 arch reason

	arch=$(uname -m)
	healthy
	prints_not dkms
	put "$tree/6.1.0-98-amd64/$arch/module/etw.ko"
	put "/var/lib/dkms/etw/kernel-6.1.0-98-amd64-$arch"
	doctor 1
	says wrong dkms "etw/0.1.0 is not built for $release, but for 6.1.0-98-amd64" \
		"sudo dkms autoinstall -k $release"
	put "$tree/unserved-$release.log" $'it does not compile: main.c:1:1: error: no such thing\nmake: *** Error 2'
	rm "$root$modules/build/Makefile"
	doctor 1
	says wrong dkms "it does not compile: main.c:1:1: error: no such thing; see $tree/unserved-$release.log" \
		"sudo apt-get install linux-headers-$release && sudo dkms autoinstall -k $release"
	for reason in 'it needs Linux 6.1 or later' 'it needs CONFIG_TRACEPOINTS'; do
		put "$tree/unserved-$release.log" "$reason"
		mv "$root/lib" "$work/lib"
		doctor 1
		says wrong dkms "etw/0.1.0 was not built for $release: $reason"
		says warning module "is loaded, but not installed in $modules"
		prints_not 'dkms autoinstall'
		prints_not "linux-headers-$release"
		mv "$work/lib" "$root/lib"
	done
	put "$tree/$release/$arch/module/etw.ko"
	doctor 1
	says ok dkms "etw/0.1.0 is built for 6.1.0-98-amd64 $release"
	put_module "$modules/extra/etw.ko" 6.1.0-98-amd64
	doctor 1
	says wrong module "is built for kernel 6.1.0-98-amd64, and $release runs" \
		"sudo apt-get install linux-headers-$release && sudo dkms build --force etw/0.1.0 -k $release && sudo dkms install --force etw/0.1.0 -k $release"
	rm -r "${root:?}/lib" "${root:?}/var/lib/dkms"
	put /usr/share/doc/etw-tools/copyright
	doctor 1
	says warning module "is loaded, but not installed in $modules" \
		"make deb && sudo apt-get install linux-headers-$release ./build/deb/*.deb"
}

check_clock() {
	local source=/sys/devices/system/clocksource/clocksource0

	healthy
	doctor 1
	says ok clock 'the TSC, which the CPU declares invariant'
	put /proc/cpuinfo $'processor\t: 0\nflags\t\t: fpu tsc msr constant_tsc'
	doctor 1
	says warning clock '(nonstop_tsc)' 'sudo modprobe -r etw && sudo modprobe etw trust_tsc=1'
	put /sys/module/etw/parameters/trust_tsc Y
	doctor 1
	says ok clock 'trust_tsc=1 replaces the flag nonstop_tsc'
	put $source/available_clocksource 'hpet acpi_pm'
	put $source/current_clocksource hpet
	doctor 1
	says warning clock 'the kernel found the TSC unstable and uses hpet' 'sudo dmesg | grep -i tsc'
	put /proc/cpuinfo $'processor\t: 0\nflags\t\t: fpu msr'
	doctor 1
	says warning clock 'this CPU has no TSC'
}

check_limits() {
	healthy
	doctor 1
	says ok memory 'sessions take 1024 KB of the 256 MB'
	put /sys/module/etw/parameters/memory_kb 250000
	doctor 1
	says warning memory 'sessions take 250000 KB of the 256 MB' \
		'echo 512 | sudo tee /sys/module/etw/parameters/max_memory_mb'
	says ok memlock 'no limit'
	put /proc/self/status $'Name: etw\nCapEff:\t0000000000000000'
	ulimit -S -l 64
	doctor 1
	says warning memlock 'your sessions may take 64 KB together'
}

check_kernel_events() {
	healthy
	doctor 1
	says ok btf 'BPF programs that can write events: tracing; others go by a ring buffer'
	says ok tracefs '/sys/kernel/tracing, readable'
	says ok perf 'you may use tracepoints, samples and probes'
	says ok symbols 'stacks show the names'
	put /sys/module/etw/parameters/bpf 'none: the module has no BTF'
	put /proc/mounts 'proc /proc proc rw 0 0'
	# CAP_PERFMON only
	put /proc/self/status $'Name: etw\nCapEff:\t0000004000000000'
	put /proc/sys/kernel/perf_event_paranoid 3
	put /proc/sys/kernel/kptr_restrict 2
	put /proc/kallsyms '0000000000000000 T _stext'
	doctor 1
	says warning btf 'BPF programs cannot write events themselves, only through the slower ring buffer: none: the module has no BTF'
	says warning tracefs 'not mounted' 'sudo mount -t tracefs tracefs /sys/kernel/tracing'
	says warning perf 'kernel.perf_event_paranoid is 3' 'sudo sysctl kernel.perf_event_paranoid=2'
	says warning symbols '(kernel.kptr_restrict is 2)' \
		'sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1'
	put /proc/self/status $'Name: etw\nCapEff:\t000001ffffffffff'
	doctor 1
	says warning symbols '(kernel.kptr_restrict is 2)' 'sudo sysctl kernel.kptr_restrict=1'
	put /sys/module/etw/parameters/bpf ''
	doctor 1
	says warning btf 'only through the slower ring buffer: the module does not say which'
	# Capabilities of a user namespace are none.
	put /proc/self/status $'Name: etw\nCapEff:\t000001ffffffffff'
	put /proc/self/uid_map '         0       1000          1'
	put /proc/mounts 'tracefs /sys/kernel/tracing tracefs rw,relatime 0 0'
	doctor 1
	says ok tracefs 'for CAP_PERFMON, which you do not have'
	prints_not perf_event
	rm "$root/sys/kernel/btf/vmlinux"
	doctor 1
	says warning btf "kernel $release has no BTF: BPF programs write events only through the slower ring buffer"
}

check_manifests() {
	healthy
	mkdir "$work/manifests"
	doctor 1
	says ok manifests 'none installed'
	cp user/samples/etw_blk/etw_blk.man "$work/manifests/it's good.man"
	doctor 1
	says warning manifests "$work/manifests/it's good.man is in the folder, but not installed" \
		"sudo etw manifest install '$work/manifests/it'\''s good.man'"
	run manifest install "$work/manifests/it's good.man"
	doctor 1
	says ok manifests '1 manifest can be read'
	prints_not 'not installed'
	echo '<instrumentationManifest>' >"$work/manifests/it's bad.man"
	ln -s "it's bad.man" "$work/manifests/01234567-89ab-cdef-0001-020304050607.man"
	doctor 1
	says wrong manifests "$work/manifests/it's bad.man:" \
		"etw manifest check '$work/manifests/it'\''s bad.man'"
	says ok manifests '1 manifest can be read'
	chmod 777 "$work/manifests"
	doctor 1
	says wrong manifests "$work/manifests is not read: others could have written what is in it"
}

# What a failed start left is in /run, which is not this test's to write.
check_autologger() {
	healthy
	mkdir "$work/autologger"
	: >"$work/autologger/boot.conf"
	doctor 1
	says ok autologger '1 session configured, 0 started since boot'
}

check_json() {
	local good=no

	healthy
	run doctor --json
	[[ $code -ne 1 ]] || grep -vqE '^\{"check":"[a-z]+","status":"(ok|warning|wrong|unknown)","text":".*","fix":(null|".*")\}$' \
		"$work/out" || good=yes
	report "$good" "a JSON object per line"
	good=no
	grep -qE '^etw: doctor: [0-9]+ things? (is|are) wrong$' "$work/err" && [[ $(wc -l <"$work/err") -eq 1 ]] && good=yes
	report "$good" "the number of what is wrong on standard error"
}

# This machine, whatever it is: it is only looked at.
check_here() {
	local good=no

	unset ETW_DOCTOR_ROOT
	run doctor
	[[ $code -gt 1 || ! -s $work/out ]] || good=yes
	report "$good" "this machine can be examined"
	[[ -e /sys/module/etw ]] || says unknown device 'comes with the module'
}

check_module
check_loaded
check_signature
check_compressed
check_dkms
check_clock
check_limits
check_kernel_events
check_manifests
check_autologger
check_json
check_here
wrong 'unexpected argument "now"' doctor now
finish
