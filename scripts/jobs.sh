# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Jobs of scripts/check: side by side, one for each CPU; what each counted, the time of
# each stage, and the result of the run. Sourced by the checks.
#
# A virtual machine has two CPUs. When the host runs only one of them and it waits for the other, it
# burns the host's CPU time. So at most one machine runs for each two CPUs of the host, and the jobs
# beside it have a lower priority.

work=$BUILD/check
# The results of the run; in a job, those of the job.
passed=0 failed=0 skipped=0
job_number=0

count() {
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# seconds_left: until ETW_DEADLINE; a week where there is none.
seconds_left() {
	if [[ -n ${ETW_DEADLINE-} ]]; then
		echo $((ETW_DEADLINE - EPOCHSECONDS))
	else
		echo 604800
	fi
}

# cpu_ticks: the CPU time, in hundredths of a second, of the children that this shell,
# or this job, has waited for.
cpu_ticks() {
	local -a stat

	read -ra stat <"/proc/${job_pid-$$}/stat"
	echo $((stat[15] + stat[16]))
}

# note_stage NAME WALL TICKS [START]: one piece of a stage, for print_stages.
note_stage() {
	printf '%s\t%d\t%d\t%d\n' "$1" "${4:-$((SECONDS - $2))}" "$2" "$3" >>"$work/stages"
}

begin_jobs() {
	rm -rf "$work/jobs"
	mkdir -p "$work/jobs"
	: >"$work/stages"
	: >"$work/failures"
}

# print_block TEXT: all of it at once, not mixed with the lines of other jobs.
print_block() {
	(
		flock 9
		printf '%s\n' "$1"
		printf '%s\n' "$1" | failures_in >>"$work/failures"
	) 9>"$work/.print"
}

# failures_in: of blocks on stdin the line of each failure, and the first lines that say
# what was expected.
failures_in() {
	awk '
		/^(PASS|SKIP) / { bad = 0 }
		/^FAIL / { bad = 1; left = 12; print; next }
		bad && left > 0 && /not ok|Expected|Assert|ERROR|error:|did not end/ {
			left--
			print substr($0, 1, 160)
		}'
}

# run_job STAGE NUMBER NICENESS COMMAND...: in a shell of its own; leaves what it counted.
run_job() {
	local stage=$1 number=$2 started=$SECONDS

	job_pid=$BASHPID
	[[ $3 -eq 0 ]] || renice -n "$3" -p "$job_pid" >/dev/null
	shift 3
	passed=0 failed=0 skipped=0
	"$@"
	echo "$passed $failed $skipped" >"$work/jobs/$number"
	note_stage "$stage" $((SECONDS - started)) "$(cpu_ticks)" "$started"
}

# Jobs that have not begun: stage and command, quoted, one string each.
waiting=() waiting_vm=()
# The processes of jobs that are machines.
vm_jobs=' '

# launch STAGE COMMAND...: as a job, when wait_jobs finds a free CPU; those that come first begin
# first.
launch() {
	waiting+=("$(printf '%q ' "$@")")
}

# launch_vm STAGE COMMAND...: the same for a command that boots one virtual machine after another.
# These begin before the others.
launch_vm() {
	waiting_vm+=("$(printf '%q ' "$@")")
}

# begin_job NICENESS WORDS: as launch has quoted them.
begin_job() {
	local -a words

	eval "words=($2)"
	job_number=$((job_number + 1))
	echo "${words[*]:1}" >"$work/jobs/$job_number.command"
	run_job "${words[0]}" "$job_number" "$1" "${words[@]:1}" </dev/null &
}

# vms_running: how many jobs are machines.
vms_running() {
	local pid n=0

	for pid in $(jobs -rp); do
		[[ $vm_jobs != *" $pid "* ]] || n=$((n + 1))
	done
	echo "$n"
}

# wait_jobs: runs all that were launched; adds what they counted.
wait_jobs() {
	local file p f s cpus vms

	cpus=$(nproc)
	vms=$((cpus > 1 ? cpus / 2 : 1))
	while ((${#waiting[@]} + ${#waiting_vm[@]} > 0)); do
		if (($(jobs -rp | wc -l) >= cpus)); then
			wait -n || true
		elif ((${#waiting_vm[@]} > 0 && $(vms_running) < vms)); then
			begin_job 0 "${waiting_vm[0]}"
			vm_jobs+="$! "
			waiting_vm=("${waiting_vm[@]:1}")
		elif ((${#waiting[@]} > 0)); then
			begin_job 10 "${waiting[0]}"
			waiting=("${waiting[@]:1}")
		else
			wait -n || true
		fi
	done
	wait
	vm_jobs=' '
	for file in "$work"/jobs/*.command; do
		[[ -e $file ]] || continue
		if [[ -s ${file%.command} ]]; then
			read -r p f s <"${file%.command}"
			count "$p" "$f" "$s"
		else
			print_block "FAIL $(<"$file"): ended without a result"
			count 0 1 0
		fi
		rm -f "$file" "${file%.command}"
	done
}

# print_stages: from the first start to the last end, and CPU time.
print_stages() {
	awk -F '\t' '
		function minutes(s) { return sprintf("%d:%02d", s / 60, s % 60) }
		!($1 in from) { order[++n] = $1; from[$1] = $2 }
		{
			if ($2 < from[$1])
				from[$1] = $2
			if ($2 + $3 > to[$1])
				to[$1] = $2 + $3
			if ($2 + $3 > last)
				last = $2 + $3
			cpu[$1] += $4 / 100
			all += $4 / 100
		}
		END {
			printf "== %-32s %8s %8s\n", "stage", "wall", "CPU"
			for (i = 1; i <= n; i++)
				printf "== %-32s %8s %8s\n", order[i], minutes(to[order[i]] - from[order[i]]), minutes(cpu[order[i]])
			printf "== %-32s %8s %8s\n", "together", minutes(last), minutes(all)
		}' "$work/stages"
}

# finish NAME: prints once more what failed, and the result of the run; leaves them in
# failures-NAME and summary-NAME, and ends the script.
finish() {
	mv "$work/failures" "$work/failures-$1"
	if [[ -s $work/failures-$1 ]]; then
		echo "== failed:"
		cat "$work/failures-$1"
	fi
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped" | tee "$work/summary-$1"
	[[ $failed -eq 0 ]] || exit 1
	exit 0
}
