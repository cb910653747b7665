#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What runs that take turns choose: nothing of nothing, each program once in as many turns as there
# are parts, and at every turn what tests the files that have changed.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
# shellcheck disable=SC2034 # turns.sh reads it
TOP=$PWD
# shellcheck source=scripts/turns.sh
. scripts/turns.sh

changed=''
turn=0
changed_files() { printf '%s\n' "$changed"; }
turn_number() { echo "$turn"; }

# turns PARTS NAME...: what as many turns choose of these programs, each turn on a line.
turns() {
	local parts=$1
	shift

	for ((turn = 0; turn < parts; turn++)); do
		printf '%s\n' "$@" | of_turn "$parts" | paste -sd ' '
	done
}

# chooses EXPECTED PARTS NAME...: EXPECTED is what turns() prints.
chooses() {
	diff -u <(printf '%b' "$1") <(turns "${@:2}")
}

nothing_of_nothing() {
	for ((turn = 0; turn < 3; turn++)); do
		[[ $(of_turn 3 </dev/null | wc -l) -eq 0 ]] || return 1
	done
}

check "of no program no turn chooses anything" nothing_of_nothing
check "each program has one of the turns" chooses 'write stress\nfilter\nscope\n' 3 write filter scope stress
changed=module/write/write.c
check "what tests a changed file has them all, in its place" \
	chooses 'filter write scope\nwrite stress\n' 2 filter write stress scope
changed=selftests/vm/filter/scope.c
check "and so has a program that has changed itself" \
	chooses 'filter scope\nstress scope\n' 2 filter stress scope
finish
