#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lib_private_tsan.sh - writers, signal handlers and sessions that come and go, under the
# thread sanitizer of the compiler

set -u

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=selftests/lib/tsan.sh
. selftests/lib/tsan.sh

# Writers load these words one by one, each at once (ETW_LOAD), which is all that they need.
printf 'race:etw_filter_narrow\nrace:etw_filter_widen\n' >"$dir/suppressed"

set -- user/base/*.c user/etl/*.c user/etl/*/*.c user/device/*.c user/lib/*.c user/lib/*/*.c module/core/*.c
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
echo "1..1"
tsan_judge 1 lib_private_events "$status"
