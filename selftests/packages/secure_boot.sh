#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/packages/secure_boot.sh MODULE SIGN_FILE: runs as root in a virtual machine that has
# booted with Secure Boot (scripts/vm --secure-boot), and prints TAP. MODULE is etw.ko, SIGN_FILE
# the kernel's program that signs modules. The module is tried without a signature, with one by
# a key that nobody has enrolled, as DKMS makes it, and with one by a key that the firmware trusts.
# It is compressed if the kernel's own are, which is what DKMS does.
set -euo pipefail

[[ $# -eq 2 && -r $1 && -x $2 ]] || { echo "usage: $0 MODULE SIGN_FILE" >&2; exit 2; }
built=$(realpath "$1") sign_file=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd -P)
top=$here/../..
# shellcheck source=scripts/tap.sh
. "$top/scripts/tap.sh"
[[ $(stat -f -c %T /) == overlayfs ]] || { echo "1..0 # SKIP not in the virtual machine"; exit 0; }

kernel=$(uname -r)
module=/lib/modules/$kernel/updates/dkms/etw.ko
provider=b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13
sample=$ETW_BUILD/samples/sample_app
compressed=$(find "/lib/modules/$kernel/kernel" -name '*.ko.xz' -print -quit)
work=$(mktemp -d)
PATH=$ETW_BUILD:$PATH

# step NAME COMMAND...: a test; it shows the output of a command that fails.
step() { tap_step "$work/out" "$@"; }

# doctor_says TEXT: about the signature
doctor_says() {
	etw doctor >"$work/doctor" || true
	cat "$work/doctor"
	grep -qE "^$1" "$work/doctor"
}

is_locked_down() {
	mount -t securityfs securityfs /sys/kernel/security
	mount -t efivarfs efivarfs /sys/firmware/efi/efivars
	cat /sys/kernel/security/lockdown
	mokutil --sb-state | grep -x 'SecureBoot enabled' &&
		grep -qF '[integrity]' /sys/kernel/security/lockdown
}

# install_module [KEY CERTIFICATE]
install_module() {
	cp "$built" "$module"
	[[ $# -eq 0 ]] || "$sign_file" sha256 "$1" "$2" "$module"
	[[ -z $compressed ]] || xz -f --check=crc32 "$module"
	depmod
}

# make_key: as DKMS does, of its own and enrolled nowhere
make_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -subj '/CN=DKMS module signing key' \
		-keyout "$work/mok.key" -outform DER -out "$work/mok.pub"
}

refused() { ! modprobe etw 2>"$work/why" && cat "$work/why" && grep -qi "$1" "$work/why"; }

program_goes_on() { "$sample" -n 3; }

# record_says_why: the command cannot trace, and names who knows more.
record_says_why() {
	! etw record -p "$provider" -o "$work/no.etl" -- "$sample" -n 1 2>"$work/why" &&
		cat "$work/why" && grep -qF 'run "etw doctor"' "$work/why" && [[ ! -e $work/no.etl ]]
}

records() {
	etw record -p "$provider" -o "$work/trace.etl" -- "$sample" -w -n 5 &&
		[[ $(etw dump "$work/trace.etl" | grep -c 'Sample-App Step ') -eq 5 ]] &&
		etw verify "$work/trace.etl"
}

watches_kernel() {
	etw watch -p tracepoint:syscalls:sys_enter_openat -- true >"$work/watched"
	grep -q sys_enter_openat "$work/watched"
}

probes_kernel() {
	etw watch -p kprobe:do_sys_openat2 -- true >"$work/watched"
	grep -q do_sys_openat2 "$work/watched"
}

echo "1..16"
step "the kernel is locked down by Secure Boot" is_locked_down
# In memory: etw.ko is the only module from here on.
mount -t tmpfs tmpfs "/lib/modules/$kernel"
mkdir -p "${module%/*}"
step "a module without a signature is installed" install_module
step "the kernel refuses it" refused 'key was rejected\|not permitted\|required key'
step "etw doctor says that it is not signed" doctor_says \
	'wrong +signature +not signed, and this kernel loads only signed modules \(Secure Boot on, lockdown integrity'
step "DKMS's own key is made" make_key
step "a module with its signature is installed" install_module "$work/mok.key" "$work/mok.pub"
step "the kernel refuses it, too" refused 'key was rejected\|not permitted\|required key'
step "etw doctor says that the key has to be enrolled" doctor_says \
	'(warning|wrong) +signature +signed.* only if its key is enrolled'
step "a program runs without tracing" program_goes_on
step "etw record says why it cannot trace" record_says_why
"$top/scripts/guest/secure-boot" key "$work/key"
step "a module signed by a trusted key is installed" install_module "$work/key" \
	"$("$top/scripts/guest/secure-boot" certificate)"
step "the kernel loads it" modprobe etw
step "etw doctor says that the kernel trusts the key" doctor_says \
	'ok +signature +signed by a key that the kernel trusts'
step "a program is recorded" records
step "a tracepoint is watched" watches_kernel
step "a function of the kernel is probed" probes_kernel
exit "$tap_status"
