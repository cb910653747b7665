# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Judges the TAP output of a test program. Sourced by scripts/check on the
# host and by selftests/run.sh in the VM; also by the checks among the scripts,
# which print TAP themselves.

KSFT_SKIP=4

# tap_judge OUTPUT STATUS: counts the tests in a program's output into
# tap_passed, tap_failed, tap_skipped and says in tap_problem what was wrong
# with the program as a whole, if anything. A program that prints no test,
# ends before its plan is done, or fails without saying which test failed,
# counts as one failure more.
tap_judge() {
	local plan skip_all

	read -r tap_passed tap_failed tap_skipped plan skip_all < <(awk '
		/^ok([ \t]|$)/ { if (tolower($0) ~ /#[ \t]*skip/) skip++; else pass++ }
		/^not ok([ \t]|$)/ { fail++ }
		/^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; has_plan = 1; if (plan == 0) all = 1 }
		END { print pass + 0, fail + 0, skip + 0, has_plan ? plan : -1, all + 0 }' "$1")
	tap_problem=''
	if [[ $2 -eq 124 || $2 -eq 137 ]]; then
		tap_problem="did not end in time and was killed"
	elif ((tap_passed + tap_failed + tap_skipped == 0)); then
		if ((skip_all || $2 == KSFT_SKIP)); then
			tap_skipped=1
		else
			tap_problem="printed no test (exit status $2)"
		fi
	elif ((plan >= 0 && tap_passed + tap_failed + tap_skipped != plan)); then
		tap_problem="ran $((tap_passed + tap_failed + tap_skipped)) of $plan planned tests (exit status $2)"
	elif (($2 != 0 && $2 != KSFT_SKIP && tap_failed == 0)); then
		tap_problem="exit status $2 though no test failed"
	fi
	[[ -z $tap_problem ]] || tap_failed=$((tap_failed + 1))
}

# tap_report NAME OUTPUT SECONDS [MORE]: one line for a good program; for a
# bad one MORE and what it printed, but for the tests that passed.
tap_report() {
	local skipped=''

	((tap_skipped == 0)) || skipped=", $tap_skipped skipped"
	if ((tap_failed == 0)); then
		printf 'PASS %s: %d passed%s (%d s)\n' "$1" "$tap_passed" "$skipped" "$3"
		((tap_skipped == 0)) ||
			grep -iE '^(ok|1\.\.0).*#[[:space:]]*skip' "$2" | sed 's/^/  | /' || true
		return
	fi
	printf 'FAIL %s: %d passed, %d failed%s (%d s)\n' "$1" "$tap_passed" "$tap_failed" "$skipped" "$3"
	[[ -z $tap_problem ]] || printf '  %s\n' "$tap_problem"
	[[ -z ${4-} ]] || printf '%s\n' "$4" | sed 's/^/  /'
	grep -vE '^ok([[:space:]]|$)|^#[[:space:]]+(RUN|OK)[[:space:]]' "$2" | sed 's/^/  | /' || true
}

tap_number=0 tap_status=0
# tap_result TEXT NAME: one result; any TEXT is what is wrong.
tap_result() {
	tap_number=$((tap_number + 1))
	if [[ -z $1 ]]; then
		echo "ok $tap_number - $2"
		return
	fi
	echo "not ok $tap_number - $2"
	printf '%s\n' "$1" | sed 's/^/# /'
	# shellcheck disable=SC2034
	tap_status=1
}

# tap_step OUT NAME COMMAND...: a test; OUT gets what the command prints, whose end is shown if
# it fails.
tap_step() {
	local out=$1 name=$2 problem='' started=$SECONDS
	shift 2

	"$@" >"$out" 2>&1 </dev/null || problem=$(printf 'exit status %d\n' $?; tail -n 60 "$out")
	tap_result "$problem" "$name ($((SECONDS - started)) s)"
}
