#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/run.sh [--until TIME] [NAME...]: runs the programs of
# build/selftests, all or those named, in the test VM. For each program it
#   - loads etw.ko and writes a marker to the kernel log,
#   - runs the program as root with ETW_BUILD set, for at most 300 s or the
#     seconds of a line "TIMEOUT: N" in its source,
#   - removes the module, which must succeed,
#   - looks for warnings in the kernel log after the marker.
# With --until no program begins after TIME, in seconds since 1970; a line "NOT RUN"
# names the rest, and so does the file not-run beside the results.
# A line "passed failed skipped name" per program goes to $ETW_RESULTS, and
# each program's whole output into a file beside that; the file limit holds the
# seconds that the current program may take (scripts/vm --idle). Where the kernel
# has kmemleak, an entry of that name reports leaks, and the program that ran when
# the memory was allocated. The last entry, kernel_log, reports what the kernel
# logged about a program after its end.
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
marked=()
PATH=$PATH:/sbin:/usr/sbin

# shellcheck source=selftests/lib/kernel_log.sh
. "$here/lib/kernel_log.sh"

loaded() { [[ -e /sys/module/$1/initstate ]]; }

# bad_after MARKER [NEXT]: the kernel log from MARKER to NEXT, if it contains a
# report; else nothing. Fault injection may begin while the thread that makes kernel threads
# allocates a stack, whose failure the kernel reports with a trace of calls.
bad_after() {
	local log

	log=$(dmesg | awk -v marker="$1" -v next_marker="${2-}" '
		next_marker != "" && index($0, next_marker) { exit }
		/ kthreadd: vmalloc error: / { injected = 1 }
		found && !injected { print }
		/ Mem-Info:/ { injected = 0 }
		index($0, marker) { found = 1 }
		END { if (!found) print "BUG: the marker of this test is no longer in the kernel log" }' |
		grep -vE "$harmless" || true)
	! grep -qE "$bad_log" <<<"$log" || printf '%s\n' "$log"
}

# read_log: of the kernel log the markers, and the lines that may be reports, as markers.
# In emulation starting a program is dear, so this does it once for all that asks quiet().
read_log() {
	mapfile -t marked < <(dmesg | grep -E "selftest [a-z0-9_]+ (begins|ends) \([0-9]+\)|$bad_log")
}

# quiet MARKER [NEXT]: does read_log's excerpt have MARKER, and no report from there to NEXT?
quiet() {
	local line found=''

	for line in "${marked[@]}"; do
		if [[ -z $found ]]; then
			[[ $line != *"$1"* ]] || found=yes
		elif [[ -n ${2-} && $line == *"$2"* ]]; then
			return 0
		elif [[ ! $line =~ $harmless && $line != *"$end_marker"* ]]; then
			return 1
		fi
	done
	[[ -n $found ]]
}

# look_back NAME MARKER [NEXT]: what the kernel logged since the end of the program NAME.
look_back() {
	local found='' tap_number=$late_number

	quiet "$2" "${3-}" || found=$(bad_after "$2" "${3-}")
	tap_result "$found" "the kernel finds nothing when $1 is over" >>"$work/late"
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

# recover: cleans up after a program that left processes or modules behind. Its
# processes have the variable that run_one gave them.
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

# fetch FILE: copies a program's output, so that a look at it cannot fail; prints the copy's
# name. It lies on the host, which may refuse to open it once (seen: EINVAL by 9p).
fetch() {
	local copy=$work/output

	cat "$1" >"$copy" || { sleep 2; cat "$1" >"$copy"; } || : >"$copy"
	echo "$copy"
}

# run_one NAME: one program from loading to removing the module.
run_one() {
	local name=$1 limit status=0 started log='' more='' out=${results%/*}/$1.out
	local marker="selftest $name begins ($RANDOM$RANDOM)" before=$ended before_marker=$end_marker

	limit=${limits[$name]:-300}
	started=$SECONDS
	echo "$limit" >"${results%/*}/limit"
	echo "$marker" >/dev/kmsg
	loaded etw || insmod "$module" ${ETW_MODULE_ARGS:+"$ETW_MODULE_ARGS"} || more="cannot load etw.ko"
	ETW_SELFTEST=$name timeout -k 5 "$limit" "$build/selftests/$name" >"$out" 2>&1 </dev/null || status=$?
	out=$(fetch "$out")
	tap_judge "$out" "$status"
	if ! log=$(remove_modules); then
		more+="${more:+$'\n'}etw.ko cannot be removed: $log"
		recover
	fi
	ended=$name end_marker=${marker/ begins / ends }
	echo "$end_marker" >/dev/kmsg
	read_log
	[[ -z $before ]] || look_back "$before" "$before_marker" "$marker"
	log=''
	quiet "$marker" || log=$(bad_after "$marker")
	[[ -z $log ]] || more+="${more:+$'\n'}the kernel log has:"$'\n'"$log"
	# Lockdep says nothing more after its first report, or for want of room.
	if [[ -e /proc/lockdep_stats ]] && grep -qs 'debug_locks: *0' /proc/lockdep_stats; then
		more+="${more:+$'\n'}lockdep is off"
	fi
	[[ -z $more ]] || tap_failed=$((tap_failed + 1))
	tap_report "$name on $(uname -r)" "$out" $((SECONDS - started)) "$more"
	echo "$tap_passed $tap_failed $tap_skipped $name" >>"$results"
	[[ ! -w $kmemleak ]] || echo "$(jiffies) $name" >>"$work/ends"
}

# jiffies: the kernel's clock, in which kmemleak gives the time of an allocation.
jiffies() {
	local name value

	while read -r name value; do
		[[ $name != jiffies: ]] || { echo "$value"; return; }
	done </proc/timer_list
}

# leaks: what kmemleak found, each entry with the program that ran at the time of
# the allocation.
leaks() {
	awk '
		NR == FNR { end[++n] = $1; name[n] = $2; next }
		/^unreferenced object/ { head = $0; next }
		head != "" {
			who = "an unknown program"
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

# end_with NAME: an entry for a check that is no program; its TAP is in NAME.out.
end_with() {
	local out=${results%/*}/$1.out

	tap_judge "$out" 0
	tap_report "$1 on $(uname -r)" "$out" 0
	echo "$tap_passed $tap_failed $tap_skipped $1" >>"$results"
}

# check_leaks: kmemleak reports memory that is older than five seconds and that no
# scan finds a pointer to; the second scan drops blocks that the first one saw in a
# register or on a stack.
check_leaks() {
	local tap_number=0 found

	sleep 6
	if echo scan 2>/dev/null >"$kmemleak"; then
		echo scan >"$kmemleak"
		found=$(leaks)
		tap_result "$found" "nothing is leaked" >"${results%/*}/kmemleak.out"
	else
		echo "ok 1 - nothing is leaked # SKIP a program has locked the kernel down" \
			>"${results%/*}/kmemleak.out"
	fi
	end_with kmemleak
}

# check_late: kernel_log. Waits for memory that the last program left to be freed.
check_late() {
	# The entry kmemleak has reported the leaks.
	local harmless="$harmless|kmemleak: [0-9]+ new suspected memory leaks"

	sleep 2
	read_log
	look_back "$ended" "$end_marker"
	mv "$work/late" "${results%/*}/kernel_log.out"
	end_with kernel_log
}

# read_limits: the time limit in seconds of each program whose source has one.
declare -A limits=()
read_limits() {
	local file seconds

	while IFS=: read -r file seconds; do
		file=${file##*/}
		limits[${file%.c}]=$seconds
	done < <(sed -nsE '/TIMEOUT: [0-9]+/{F;s/.*TIMEOUT: ([0-9]+).*/\1/p}' "$here"/vm/*/*.c | paste -d: - -)
}

# run_all NAME...: the programs, until the budget is used up.
run_all() {
	while [[ $# -gt 0 ]]; do
		if ((SECONDS >= budget)); then
			echo "NOT RUN on $(uname -r), the time is used up: $*"
			printf '%s\n' "$@" >"${results%/*}/not-run"
			return
		fi
		run_one "$1"
		failed=$((failed + tap_failed))
		shift
	done
}

main() {
	local budget=1000000 source name failed=0
	local -a names

	if [[ ${1-} == --until ]]; then
		# Programs set the clock: only its first reading counts.
		budget=$((SECONDS + $2 - EPOCHSECONDS))
		shift 2
	fi
	names=("$@")
	read_limits
	if [[ $# -eq 0 ]]; then
		for source in "$here"/vm/*/*.c; do
			[[ ! -e $source ]] || names+=("$(basename "$source" .c)")
		done
	fi
	: >"$work/ends"
	: >"$work/late"
	# Leaks of the boot are not ours.
	[[ ! -w $kmemleak ]] || echo clear >"$kmemleak"
	for name in "${names[@]}"; do
		compgen -G "$here/vm/*/$name.c" >/dev/null || { echo "no such test: $name" >&2; exit 2; }
	done
	run_all "${names[@]}"
	echo 300 >"${results%/*}/limit"
	[[ -n $ended ]] || exit 0
	if [[ -w $kmemleak ]]; then
		check_leaks
		failed=$((failed + tap_failed))
	fi
	check_late
	failed=$((failed + tap_failed))
	[[ $failed -eq 0 ]]
}

main "$@"
