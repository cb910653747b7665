# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Selftests in virtual machines. Sourced by scripts/check and scripts/check-turn,
# after scripts/jobs.sh.
# shellcheck disable=SC2154 # work, soak_times and adversary_runs are theirs

# A machine in which no program has begun, ended or printed for this long after the
# limit of the program that runs is stuck, and is ended.
vm_idle=${ETW_VM_IDLE:-300}
# Programs that this run may leave out when its time is used up: only turns.
may_stop=''
# Programs, as a pattern, that may not skip: the machine is made for those that run.
no_skips=''

# not_instrumented KERNEL: the calls that the compiler did not put into etw.ko, so
# that this kernel would find nothing in it.
not_instrumented() {
	local symbol symbols
	local -a want

	case $1 in
	debug) want=(__asan_load __asan_store __sanitizer_cov_trace_pc) ;;
	kcsan) want=(__tsan_read __tsan_write) ;;
	*) return 0 ;;
	esac
	symbols=$(nm "$BUILD/modules/$(kernel_version "$1")/etw.ko")
	for symbol in "${want[@]}"; do
		grep -q " U $symbol" <<<"$symbols" || echo "$symbol"
	done
}

# vm_fails KERNEL WHAT: not one of its programs, but the run as a whole.
vm_fails() {
	print_block "FAIL VM $1: $2"
	count 0 1 0
}

# programs KERNEL [every [FOLDERS]]: the selftests that run on this kernel; "every": only
# the ones that depend on the kernel, marked "KERNEL: every" in their source; FOLDERS: only
# those of folders with names of this pattern. Only the debug kernel can fail on demand, as
# the fault tests want; check_special and, for the debug kernel, check_acpi run those that need
# a machine of their own. The debug kernels look for errors in the module and
# are many times slower: they skip the tests of the library, the command and what it is made
# of, but that of a program's children, which the module serves in its own way; and the one
# that looks for races also skips the tests without concurrency, and those that need kprobes.
programs() {
	local file name

	# shellcheck disable=SC2231
	for file in selftests/vm/${3-*}/*.c; do
		name=$(basename "$file" .c)
		# shellcheck disable=SC2221,SC2222
		case $1:$name in
		debug:lib_fork | debug:fault*) ;;
		debug:suspend) continue ;;
		*:@(fault*|isolated|nodes|clock_wrong|lockdown)) continue ;;
		@(debug|kcsan):@(cli|lib|mc_um|kernel_logger|bpf_events|trace_tools)* | kcsan:@(abi|logfile_crash|trace_missing|writer_death)*) continue ;;
		esac
		[[ ${2-} != every ]] || grep -q 'KERNEL: every' "$file" || continue
		echo "$name"
	done
}

# judge_vm KERNEL DIR STATUS NAME...: counts what selftests/run.sh left in DIR of
# these programs.
judge_vm() {
	local kernel=$1 dir=$2 status=$3
	local p f s name bad=0 parts=' ' seen=' ' lost='' stopped='' must='bad_driver|hotplug*|pressure|soak'
	shift 3

	# All kernels here have what the first ones need, and the kernels of distributions all that
	# any needs. Only those and next have what tracepoints need, only kcsan has no disk and no
	# kprobes, and only the kernel debug can fail on demand. next has neither BTF nor permission
	# events of fanotify, nor a kprobe for each function.
	[[ " ${KERNEL_SERIES[*]} " != *" $kernel "* ]] ||
		must+='|suspend|cli_podman|cli_probe|bpf_@(ring|end|order)'
	[[ $kernel == @(debug|kcsan) ]] || must+='|trace_*|kernel_logger|cli_trace*'
	[[ $kernel == kcsan ]] ||
		must+='|logfile_@(crash|disk|sync|fail)|module_left|control_wait|memory|writer_death'
	[[ $kernel == @(kcsan|next) ]] || must+='|abi_perm|logfile_switch'
	# Before 6.12 only some types of BPF programs may call a module's functions.
	[[ " ${KERNEL_SERIES[*]} " != *" $kernel "* || $kernel == 6.1 ]] || must+='|bpf_events'
	# Before 6.11 perf drops all records of a CPU on which a writer died; from 7.0 on, who takes a
	# probe away waits for that writer.
	[[ $kernel == @(6.1|debug|kcsan|next) ]] || must+='|perf_death'
	[[ $kernel != debug ]] || must+='|fault*|recursion'
	must="@($must)"
	[[ -z $no_skips ]] || must=$no_skips
	while read -r p f s name; do
		count "$p" "$f" "$s"
		bad=$((bad + f))
		if [[ $name == kmemleak || $name == kernel_log ]]; then
			parts+="$name "
			continue
		fi
		seen+="$name "
		# shellcheck disable=SC2053
		[[ $name != $must || $s -eq 0 ]] || vm_fails "$kernel" "$name skipped $s"
	done <"$dir/results"
	for name; do
		if [[ $seen == *" $name "* ]]; then
			continue
		elif grep -qsx "$name" "$dir/not-run"; then
			stopped+=" $name"
		else
			lost+=" $name"
		fi
	done
	if [[ -n $stopped && -z $may_stop ]]; then
		vm_fails "$kernel" "the time was used up; not run:$stopped"
	fi
	if [[ -n $lost && -n $may_stop && $status -eq 124 ]] &&
	   ((EPOCHSECONDS + 10 >= ETW_DEADLINE + ETW_GRACE)); then
		print_block "SKIP VM $kernel: the end of the time came during:$lost"
		count 0 0 1
		return
	fi
	[[ -z $lost ]] || vm_fails "$kernel" "ended early (status $status); without result:$lost
$(tail -n 20 "$dir/log" | sed 's/^/  | /')"
	[[ -n $lost || $bad -ne 0 || $status -eq 0 ]] || vm_fails "$kernel" "exit status $status"
	[[ -z $lost && $seen != ' ' ]] || return 0
	[[ $parts == *' kernel_log '* ]] || vm_fails "$kernel" "the kernel log was not read at the end"
	[[ $kernel != debug || $parts == *' kmemleak '* ]] || vm_fails "$kernel" "kmemleak was not read at the end"
}

# show_progress: of the output of run.sh the lines that programs ended with, as they come.
show_progress() {
	grep --line-buffered -E '^(PASS|FAIL|NOT RUN) ' || true
}

# show_failures FILE: of the same output all that belongs to programs that failed.
show_failures() {
	awk '
		/^(PASS|FAIL|NOT RUN) / { bad = /^FAIL/ }
		/^vm: / { bad = 1 }
		bad { print }' "$1"
}

# Nobody but root may enter the checkout: a test must not need that others can.
# shellcheck disable=SC2016 # the shell in the machine expands it
closed='chmod go= . && exec "$0" "$@"'

# boot_vm OUT KERNEL OPTION... -- [NAME...]: runs selftests in one VM; it leaves their
# results, its output and its exit status in OUT.
boot_vm() {
	local out=$1 kernel=$2 status=0 left text
	local -a options=() budget=()
	shift 2

	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	rm -rf "$out"
	mkdir -p "$out"
	: >"$out/results"
	left=$(seconds_left)
	if ((left <= 0)); then
		printf '%s\n' "$@" >"$out/not-run"
		echo 0 >"$out/status"
		return
	fi
	# Programs begin until the time is used up; the one that runs then, and what
	# is looked at in the end, have some more.
	[[ -z ${ETW_DEADLINE-} ]] || budget=(--until "$ETW_DEADLINE")
	{
		"$TOP/scripts/vm" --kernel "$kernel" --no-module --idle "$vm_idle" \
			--timeout $((left + ${ETW_GRACE:-300})) --out "$out" \
			"${options[@]}" --env ETW_RESULTS=/out/results -- sh -c "$closed" \
			selftests/run.sh "${budget[@]}" "$@" 2>&1 || status=$?
		echo "$status" >"$out/status"
	} | tee "$out/log" | show_progress
	text=$(show_failures "$out/log")
	[[ -z $text ]] || print_block "$text"
}

# run_vm OUT KERNEL OPTION... -- NAME...: boots and judges.
run_vm() {
	local out=$1 kernel=$2
	local -a rest=("${@:3}")

	boot_vm "$@"
	while [[ ${rest[0]} != -- ]]; do rest=("${rest[@]:1}"); done
	judge_vm "$kernel" "$out" "$(<"$out/status")" "${rest[@]:1}"
}

# kernel_options KERNEL: of scripts/vm, one a line; smp: how many CPUs, if the caller has set it.
kernel_options() {
	[[ -z ${smp-} ]] || printf '%s\n' --smp "$smp"
	# The oldest kernel uses the clock that replaces the TSC, all others the TSC:
	# QEMU's TCG does not offer the CPU flag by which the module would know.
	[[ $1 == "${KERNEL_SERIES[0]}" ]] || printf '%s\n' --env ETW_MODULE_ARGS=trust_tsc=1
	# Freed pages hold a pattern, and checks need memory of their own.
	[[ $1 != debug ]] || printf '%s\n' --mem 2G --append page_poison=1
	# A machine whose host is busy starves its threads longer than the usual 21 seconds; a
	# stall that is a fault does not end.
	[[ $1 != @(debug|kcsan) ]] || printf '%s\n' --append rcupdate.rcu_cpu_stall_timeout=120
	# In emulation each change between the user's and the kernel's page tables is dear: of
	# three programs a sixth.
	printf '%s\n' --append pti=off
	[[ -z ${ETW_WHOLE-} ]] || printf '%s\n' --env ETW_WHOLE=1
}

# check_programs KERNEL NAME...: these selftests in one VM.
check_programs() {
	local kernel=$1 missing
	local -a options
	shift

	mapfile -t options < <(kernel_options "$kernel")
	missing=$(not_instrumented "$kernel")
	[[ -z $missing ]] || vm_fails "$kernel" "etw.ko does not call ${missing//$'\n'/, }"
	run_vm "$work/vm-$kernel${part-}" "$kernel" "${options[@]}" -- "$@"
}

# check_vm KERNEL all|every: run all selftests, or only the ones that depend on the kernel.
check_vm() {
	check_folders "$1" "$2" '*'
}

# check_group KERNEL first|second|cli [PARTS]: cli: the selftests of the command, on one CPU; first
# and second: about half of the others each, by time. With PARTS, of those marked "RUN: in turn" only
# the ones that the changes concern, and one of so many parts of the others.
check_group() {
	local first='logfile|session|stress|system' part=-$2 smp='' folders

	case $2 in
	first) folders="@($first)" ;;
	second) folders="!($first|cli)" ;;
	cli) folders=cli smp=1 ;;
	esac
	check_folders "$1" all "$folders" "${3-}"
}

# marked yes|no: of the programs on stdin those marked "RUN: in turn", or the others.
marked() {
	local name is

	while read -r name; do
		[[ -n $name ]] || continue
		is=no
		! grep -q '^ \* RUN: in turn$' "$TOP"/selftests/vm/*/"$name.c" || is=yes
		[[ $is != "$1" ]] || echo "$name"
	done
}

# check_folders KERNEL all|every FOLDERS [PARTS]: these selftests of folders with names of this
# pattern; PARTS: as for check_group.
check_folders() {
	local -a all names

	mapfile -t all < <(programs "$@")
	names=("${all[@]}")
	[[ -z ${4-} ]] || mapfile -t names < <(
		printf '%s\n' "${all[@]}" | marked no
		printf '%s\n' "${all[@]}" | marked yes | of_turn "$4"
	)
	[[ ${#names[@]} -eq ${#all[@]} ]] ||
		print_block "# $1: ${#names[@]} of ${#all[@]} selftests; make check-matrix runs all of them"
	if [[ ${#names[@]} -eq 0 ]]; then
		vm_fails "$1" "no selftest is chosen for this kernel"
		return
	fi
	check_programs "$1" "${names[@]}"
}

# check_part KERNEL PARTS: of the selftests that depend on the kernel those whose turn it is.
check_part() {
	local -a all names

	mapfile -t all < <(programs "$1" every)
	mapfile -t names < <(printf '%s\n' "${all[@]}" | of_turn "$2")
	if [[ ${#names[@]} -eq 0 ]]; then
		vm_fails "$1" "no selftest is chosen for this kernel"
		return
	fi
	print_block "# $1: ${#names[@]} of ${#all[@]} selftests; make check-matrix runs all of them"
	check_programs "$1" "${names[@]}"
}

# check_special KERNEL [PARTS]: what needs a machine of its own: events on a CPU that the kernel
# leaves alone, buffers on two memory nodes, and selftests after which a machine is of no use; PARTS:
# only those that the changes concern, and one of so many parts of the others.
check_special() {
	local no_skips='*'
	local -a names=(isolated nodes clock_wrong lockdown)

	[[ -z ${2-} ]] || mapfile -t names < <(printf '%s\n' "${names[@]}" | of_turn "$2")
	run_vm "$work/vm-special-$1" "$1" --nodes \
		--append "nohz_full=1 isolcpus=domain,managed_irq,1 rcu_nocbs=1" --append pti=off \
		--env ETW_CLOCK_WRONG=1 --env ETW_LOCKDOWN=1 -- "${names[@]}"
}

# check_acpi KERNEL: on a kernel of our own, what needs ACPI, with which it boots slowly. In
# the end the machine is of no use.
check_acpi() {
	local no_skips='*'

	run_vm "$work/vm-acpi-$1" "$1" --acpi --nodes --mem 2G --env ETW_CLOCK_WRONG=1 \
		--env ETW_LOCKDOWN=1 -- nodes suspend clock_wrong lockdown
}

# check_soak KERNEL: what may grow, at length.
check_soak() {
	run_vm "$work/soak-$1" "$1" --env "ETW_SOAK=$soak_times" -- soak
}

# check_crash KERNEL: power cuts, at length: 1,000 images.
check_crash() {
	run_vm "$work/crash-$1" "$1" --env ETW_CRASH_IMAGES=170 -- logfile_crash
}

# check_adversary KERNEL SEED: verdicts on sessions that are disturbed, at length.
check_adversary() {
	run_vm "$work/adversary-$1" "$1" --env "ETW_ADVERSARY_RUNS=$adversary_runs" \
		--env "ETW_ADVERSARY_SEED=$2" -- adversary
}
