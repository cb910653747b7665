#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/fuzz/guest.sh [ARG...]: the part of scripts/fuzz inside the test VM.
# Loads the modules, runs etw_fuzz with these arguments, removes the modules,
# which must succeed, and looks for leaks and for warnings in the kernel log.
# Says what it found in lines "FINDING: ..."; exit status 1 then.
set -uo pipefail

build=${ETW_BUILD:?}
modules=$build/modules/$(uname -r)
debug=/sys/kernel/debug
PATH=$PATH:/sbin:/usr/sbin
bad=0

# shellcheck source=selftests/lib/kernel_log.sh
. "$(dirname "$0")/../lib/kernel_log.sh"
# An injected allocation failure shows its call trace; that is expected.
bad_log=${bad_log//|Call Trace/}
bad_log=${bad_log//|page allocation failure/}
# An emulated machine is slow.
harmless+='|NMI handler .* took too long'

found() {
	printf 'FINDING: %s\n' "$1"
	bad=1
}

# Make allocations of programs fail: without a message, and also allocations that may
# sleep.
set_faults() {
	local dir

	for dir in "$debug"/failslab "$debug"/fail_page_alloc "$debug"/fail_usercopy; do
		[[ -d $dir ]] || continue
		echo 0 >"$dir/verbose"
		echo N 2>/dev/null >"$dir/ignore-gfp-wait"
		echo N 2>/dev/null >"$dir/ignore-gfp-highmem"
		echo 0 2>/dev/null >"$dir/min-order"
	done
}

load() {
	local name

	insmod "$modules/etw.ko" trust_tsc=1 || return 1
	for name in etw_test etw_stress; do
		insmod "$modules/$name.ko" || return 1
	done
	for name in etw etw_test etw_stress; do
		[[ -e /dev/$name ]] || sleep 1
	done
}

# A file or a work item may still be finishing.
unload() {
	local name err until=$((SECONDS + 30))

	for name in etw_stress etw_test etw; do
		until err=$(rmmod "$name" 2>&1); do
			if ((SECONDS > until)); then
				found "$name cannot be removed: $err"
				return
			fi
			sleep 0.2
		done
	done
}

leaks() {
	local report

	[[ -w $debug/kmemleak ]] || return 0
	# kmemleak counts objects older than five seconds that two scans found.
	sleep 6
	echo scan >"$debug/kmemleak"
	echo scan >"$debug/kmemleak"
	report=$(head -c 20000 "$debug/kmemleak")
	[[ -z $report ]] || found "leaked: $report"
}

echo 60 2>/dev/null >/proc/sys/kernel/hung_task_timeout_secs
echo 1 2>/dev/null >/proc/sys/kernel/hung_task_panic
set_faults
# Ignore memory that the kernel leaked during boot.
[[ ! -w $debug/kmemleak ]] || echo clear >"$debug/kmemleak"
dmesg -n 7 2>/dev/null
echo "etw_fuzz begins" >/dev/kmsg
load || { echo "cannot load the modules" >&2; exit 2; }
"$build/fuzz/etw_fuzz" --bad-log "$bad_log" --harmless-log "$harmless" "$@"
status=$?
[[ $status -eq 0 || $status -eq 1 ]] || found "etw_fuzz ended with status $status"
unload
leaks
log=$(dmesg | awk '/etw_fuzz begins/ { on = 1 } on
	END { if (!on) print "BUG: the log does not reach back to its begin" }' | grep -vE "$harmless" | grep -E -A40 "$bad_log" | head -n 200)
[[ -z $log ]] || found "the kernel's log:"$'\n'"$log"
((status == 0 && bad == 0)) || exit 1
