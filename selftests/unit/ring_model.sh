#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ring_model.sh - check the model of the ring with Spin
#
# The model as it stands must pass its whole state space, in two worlds small
# enough for that; each broken variant must fail.  TAP on standard output.

set -u

model=$(cd "$(dirname "$0")/../../module/core" && pwd)/ring.pml
cc=${CC:-cc}
count=0
failed=0

for tool in spin "$cc"; do
	if ! command -v "$tool" >/dev/null 2>&1; then
		echo "1..0 # SKIP $tool is not installed"
		exit 0
	fi
done

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# result STATUS NAME: one line; what pan said, if it failed
result()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		sed 's/^/# /' "$dir/out"
		failed=1
	fi
}

# search OPTION...: run the checker, its output to $dir/out
search()
{
	rm -f "$dir"/pan*
	(
		cd "$dir" &&
		spin -a "$@" "$model" &&
		"$cc" -w -O2 -DSAFETY -DCOLLAPSE -DMEMLIM=2000 -o pan pan.c &&
		./pan -m20000
	) >"$dir/out" 2>&1
}

# The whole space was searched and no assertion failed.
passed()
{
	grep -q 'errors: 0$' "$dir/out" &&
	! grep -Eq 'not completed|too small|out of memory|violated' "$dir/out"
}

# An assertion failed, rather than the build or the search.
refuted()
{
	grep -q 'assertion violated' "$dir/out" &&
	grep -q 'errors: 1$' "$dir/out"
}

# Every statement of both process types was reached.
covered()
{
	[ "$(grep -A1 'unreached in proctype' "$dir/out" | grep -c '(0 of ')" -eq 2 ]
}

# must_pass NAME OPTION...
must_pass()
{
	name=$1
	shift
	search "$@"
	passed
	result $? "$name: $(awk '/states, stored/ { print $1 }' "$dir/out") states"
}

# must_fail NAME VARIANT
must_fail()
{
	search "-D$2=1"
	refuted
	result $? "broken as it should be: $1"
}

must_pass "two CPUs, an interrupt"
covered
result $? "no statement of the model is unreachable"
must_pass "one CPU, an interrupt and an NMI" -DNMI_ACTIONS=1 -DOTHER_ACTIONS=0

must_fail "no generation in cur" NO_GENERATION
must_fail "offset kept in the buffer" OFFSET_IN_BUFFER
must_fail "commit without bias" NO_BIAS
must_fail "pool head without tag" NO_TAG
must_fail "buffers read in the order of delivery" NO_ORDER
must_fail "clock read before cur" CLOCK_FIRST

echo "1..$count"
exit $failed
