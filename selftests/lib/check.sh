# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Tests of a shell script: a folder for its files, and results in TAP. Sourced by scripts
# of selftests/unit; the shell is at the top of the tree.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0 status=0

# check NAME COMMAND...: one test; what the command prints goes to $work/log, and is shown if
# it fails.
check() {
	local name=$1
	shift

	number=$((number + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $number - $name"
		return
	fi
	echo "not ok $number - $name"
	head -n 60 "$work/log" | sed 's/^/# /'
	status=1
}

# skip WHY: one test that cannot run here.
skip() {
	number=$((number + 1))
	echo "ok $number # SKIP $1"
}

finish() {
	echo "1..$number"
	exit "$status"
}
