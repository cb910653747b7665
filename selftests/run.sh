#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/run.sh [NAME...]: runs the programs of build/selftests, all or
# those named, in the test VM. For each one it
#   - loads etw.ko and writes a marker to the kernel log,
#   - runs the program as root with ETW_BUILD set, for at most 300 s or what a
#     line "TIMEOUT: N" in its source says,
#   - removes the module, which must succeed,
#   - looks for warnings in the kernel log after the marker.
# A line "passed failed skipped name" per program goes to $ETW_RESULTS, and
# each program's whole output into a file beside that. Where the kernel has
# kmemleak, an entry of that name tells what was leaked, and by which program.
# The last entry, kernel_log, tells what the kernel had to say of a program
# when that was over: until the next one began, or until the end.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=scripts/tap.sh
. "$here/../scripts/tap.sh"

build=${ETW_BUILD:-$here/../build}
export ETW_BUILD=$build
module=$build/modules/$(uname -r)/etw.ko
[[ -e $module ]] || {
	echo "run.sh: no etw.ko for $(uname -r); make modules KERNEL=debug builds it for the kernel debug" >&2
	exit 2
}
work=$(mktemp -d)
results=${ETW_RESULTS:-$work/results}
kmemleak=/sys/kernel/debug/kmemleak
# The program that was judged last, and its end in the kernel log.
ended='' end_marker='' late_number=0
PATH=$PATH:/sbin:/usr/sbin

# shellcheck source=selftests/lib/kernel_log.sh
. "$here/lib/kernel_log.sh"

loaded() { grep -q "^$1 " /proc/modules; }

# bad_after MARKER [NEXT]: the kernel log from the one marker on, up to the
# other, if there is a report in it; else nothing.
bad_after() {
	local log

	log=$(dmesg | awk -v marker="$1" -v next_marker="${2-}" '
		next_marker != "" && index($0, next_marker) { exit }
		found { print }
		index($0, marker) { found = 1 }
		END { if (!found) print "BUG: the marker of this test is no longer in the kernel log" }' |
		grep -vE "$harmless" || true)
	! grep -qE "$bad_log" <<<"$log" || printf '%s\n' "$log"
}

# look_back [NEXT]: what has been said since the last program was judged.
look_back() {
	local found tap_number=$late_number

	[[ -n $ended ]] || return 0
	found=$(bad_after "$end_marker" "${1-}")
	tap_result "$found" "the kernel finds nothing when $ended is over" >>"$work/late"
	late_number=$tap_number
}

# remove_modules: etw.ko must go, at most a moment after its last user.
remove_modules() {
	local err='' until=$((SECONDS + 5))

	loaded etw || return 0
	while ! err=$(rmmod etw 2>&1); do
		((SECONDS < until)) || break
		sleep 0.1
	done
	loaded etw || return 0
	printf '%s\n' "$err" "still loaded:"
	grep -E '^etw|[, ]etw,' /proc/modules || true
	return 1
}

# recover: after a program that left things behind, clear the way for the
# next. Its processes are known by the variable that run_one gave them.
recover() {
	local file name

	for file in /proc/[0-9]*/environ; do
		if grep -qzs '^ETW_SELFTEST=' "$file"; then
			file=${file#/proc/}
			kill -9 "${file%/environ}" 2>/dev/null || true
		fi
	done
	sleep 0.5
	for name in "$build/modules/$(uname -r)"/*.ko; do
		name=$(basename "$name" .ko)
		[[ $name == etw ]] || ! loaded "$name" || rmmod "$name" 2>/dev/null || true
	done
	! loaded etw || rmmod etw 2>/dev/null || true
}

# run_one NAME: one program from loading to removing the module.
run_one() {
	local name=$1 limit status=0 started log more='' out=${results%/*}/$1.out
	local marker="selftest $name begins ($RANDOM$RANDOM)"

	limit=$(sed -nE 's/.*TIMEOUT: ([0-9]+).*/\1/p' "$here"/vm/*/"$name.c" | head -n1)
	started=$SECONDS
	echo "$marker" >/dev/kmsg
	look_back "$marker"
	loaded etw || insmod "$module" ${ETW_MODULE_ARGS:+"$ETW_MODULE_ARGS"} || more="cannot load etw.ko"
	ETW_SELFTEST=$name timeout -k 5 "${limit:-300}" "$build/selftests/$name" >"$out" 2>&1 </dev/null || status=$?
	tap_judge "$out" "$status"
	if ! log=$(remove_modules); then
		more+="${more:+$'\n'}etw.ko cannot be removed: $log"
		recover
	fi
	ended=$name end_marker=${marker/ begins / ends }
	echo "$end_marker" >/dev/kmsg
	log=$(bad_after "$marker")
	[[ -z $log ]] || more+="${more:+$'\n'}the kernel log has:"$'\n'"$log"
	# Lockdep says nothing more after its first report, or for want of room.
	if grep -qs 'debug_locks: *0' /proc/lockdep_stats; then
		more+="${more:+$'\n'}lockdep is off"
	fi
	[[ -z $more ]] || tap_failed=$((tap_failed + 1))
	tap_report "$name on $(uname -r)" "$out" $((SECONDS - started)) "$more"
	echo "$tap_passed $tap_failed $tap_skipped $name" >>"$results"
	[[ ! -w $kmemleak ]] || echo "$(jiffies) $name" >>"$work/ends"
}

# jiffies: the kernel's clock, by which kmemleak tells when memory was allocated.
jiffies() { sed -n 's/^jiffies: //p;T;q' /proc/timer_list; }

# leaks: what kmemleak found, each entry headed by the program that ran when
# it was allocated.
leaks() {
	awk '
		NR == FNR { end[++n] = $1; name[n] = $2; next }
		/^unreferenced object/ { head = $0; next }
		head != "" {
			who = "nobody knows whom"
			if (match($0, /jiffies [0-9]+/)) {
				born = substr($0, RSTART + 8, RLENGTH - 8) + 0
				for (i = n; i && end[i] >= born; i--)
					who = name[i]
			}
			print "leaked by " who ":"
			print head
			head = ""
		}
		{ print }' "$work/ends" "$kmemleak"
}

# end_with NAME: an entry for what is no program; its TAP lies in NAME.out.
end_with() {
	local out=${results%/*}/$1.out

	tap_judge "$out" 0
	tap_report "$1 on $(uname -r)" "$out" 0
	echo "$tap_passed $tap_failed $tap_skipped $1" >>"$results"
}

# check_leaks: only what is older than five seconds is reported, and only what
# no scan finds a pointer to; the second scan drops what the first one saw in
# a register or on a stack.
check_leaks() {
	local tap_number=0 found

	sleep 6
	echo scan >"$kmemleak"
	echo scan >"$kmemleak"
	found=$(leaks)
	tap_result "$found" "nothing is leaked" >"${results%/*}/kmemleak.out"
	end_with kmemleak
}

# check_late: kernel_log. What the last program left to be freed has its time.
check_late() {
	# That there are leaks has been told.
	local harmless="$harmless|kmemleak: [0-9]+ new suspected memory leaks"

	sleep 2
	look_back
	mv "$work/late" "${results%/*}/kernel_log.out"
	end_with kernel_log
}

main() {
	local -a names=("$@")
	local source name failed=0

	if [[ $# -eq 0 ]]; then
		for source in "$here"/vm/*/*.c; do
			[[ ! -e $source ]] || names+=("$(basename "$source" .c)")
		done
	fi
	: >"$work/ends"
	: >"$work/late"
	# What the kernel leaked while it booted is not ours.
	[[ ! -w $kmemleak ]] || echo clear >"$kmemleak"
	for name in "${names[@]}"; do
		compgen -G "$here/vm/*/$name.c" >/dev/null || { echo "no such test: $name" >&2; exit 2; }
	done
	for name in "${names[@]}"; do
		run_one "$name"
		failed=$((failed + tap_failed))
	done
	if [[ -w $kmemleak ]]; then
		check_leaks
		failed=$((failed + tap_failed))
	fi
	check_late
	failed=$((failed + tap_failed))
	[[ $failed -eq 0 ]]
}

main "$@"
