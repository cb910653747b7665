#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lib_private_tsan.sh - writers, signal handlers and sessions that come and go, under the
# thread sanitizer of the compiler

set -u

cd "$(dirname "$0")/../../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# Some versions of the sanitizer do not work with randomised addresses.
run="setarch -R"
command -v setarch >/dev/null 2>&1 || run=

echo 'int main(void) { return 0; }' >"$dir/empty.c"
cc=${CC:-gcc}
if ! $cc -fsanitize=thread -o "$dir/empty" "$dir/empty.c" 2>/dev/null || ! $run "$dir/empty" 2>/dev/null; then
	echo "1..0 # SKIP no compiler with a working thread sanitizer"
	exit 0
fi
# Writers load these words one by one, each at once (ETW_LOAD), which is all that they need.
printf 'race:etw_filter_narrow\nrace:etw_filter_widen\n' >"$dir/suppressed"

set -- user/base/*.c user/etl/*.c user/device/*.c user/lib/*.c user/lib/*/*.c module/core/*.c
for file in user/bridge/*.c; do
	case ${file##*/} in
	probe* | usdt* | elf_*) ;;
	*) set -- "$@" "$file" ;;
	esac
done
$cc -std=gnu11 -w -g -O1 -fsanitize=thread -Iinclude -Imodule -Iuser -Iselftests -D_GNU_SOURCE \
	-isystem /usr/include/tracefs -isystem /usr/include/traceevent -pthread \
	-o "$dir/test" selftests/unit/lib/lib_private_events.c "$@" >"$dir/out" 2>&1 &&
	TSAN_OPTIONS="suppressions=$dir/suppressed report_signal_unsafe=0 handle_segv=0" \
		ETW_BUILD=${ETW_BUILD:-build} $run "$dir/test" >"$dir/out" 2>&1
status=$?
if [ "$status" -eq 0 ] && ! grep -q 'ThreadSanitizer' "$dir/out"; then
	echo "ok 1 - no data race in lib_private_events"
else
	echo "not ok 1 - no data race in lib_private_events"
	sed 's/^/# /' "$dir/out"
	status=1
fi
echo "1..1"
exit "$status"
