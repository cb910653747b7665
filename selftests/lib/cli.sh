# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The etw command as far as it goes without a device: what tests of its usage share.
# The shell is at the top of the tree.
export ETW_DEVICE=/nonexistent/etw
etw=build/etw
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh

# report GOOD NAME: one test; shows what the command last run printed.
report() {
	number=$((number + 1))
	if [[ $1 == yes ]]; then
		echo "ok $number - $2"
		return
	fi
	echo "not ok $number - $2"
	printf '# exit status %s\n' "$code"
	sed 's/^/# stdout: /' "$work/out"
	sed 's/^/# stderr: /' "$work/err"
	status=1
}

# run ARG...: runs etw; its exit status into code, its output into files.
run() {
	code=0
	timeout 10 "$etw" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

one_error_line() {
	[[ ! -s $work/out && $(wc -l <"$work/err") -eq 1 && $(head -c 5 "$work/err") == 'etw: ' ]]
}

# wrong TEXT ARG...: wrong usage; the message has TEXT in it, and the hint.
wrong() {
	local text=$1 good=no hint='(try '
	shift

	run "$@"
	[[ $code -ne 2 ]] || ! one_error_line || ! grep -qF -- "$text" "$work/err" ||
		! grep -qF -- "$hint" "$work/err" || good=yes
	report "$good" "refused: etw $(printf '%q ' "$@")"
}

# fails TEXT ARG...: something fails with that text, before there is a device.
fails() {
	local text=$1 good=no
	shift

	run "$@"
	[[ $code -ne 1 ]] || ! one_error_line || ! grep -qF -- "$text" "$work/err" || good=yes
	report "$good" "fails: etw $(printf '%q ' "$@")"
}

# right ARG...: parsed well, then there is no device.
right() {
	local good=no
	local text="etw: $1: $ETW_DEVICE: no such device: run \"etw doctor\""

	run "$@"
	[[ $code -ne 1 ]] || ! one_error_line || [[ $(cat "$work/err") != "$text" ]] || good=yes
	report "$good" "taken: etw $(printf '%q ' "$@")"
}

# prints TEXT ARG...: exit 0, TEXT on stdout, nothing on stderr.
prints() {
	local text=$1 good=no
	shift

	run "$@"
	[[ $code -ne 0 || -s $work/err ]] || ! grep -qF -- "$text" "$work/out" || good=yes
	report "$good" "prints '$text': etw $*"
}
