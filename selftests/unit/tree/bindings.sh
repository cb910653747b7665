#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The structures have the layout that bindings of other languages have for them.
set -euo pipefail

cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 status=0

# A test for each binding and structure
while read -r binding type size fields; do
	[[ $binding != '#'* ]] || continue
	number=$((number + 1))
	{
		printf '#include <%s>\n' assert.h stddef.h evntrace.h evntcons.h tdh.h
		[[ $size == - ]] || echo "static_assert(sizeof($type) == $size, \"size\");"
		for field in $fields; do
			name=${field%%=*} at=${field#*=}
			echo "static_assert(offsetof($type, $name) == ${at%:*}, \"offset of $name\");"
			[[ $at != *:* ]] ||
				echo "static_assert(sizeof((($type *)0)->$name) == ${at#*:}, \"size of $name\");"
		done
	} >"$work/layout.c"
	if gcc -std=c11 -fsyntax-only -Iinclude "$work/layout.c" 2>"$work/log"; then
		echo "ok $number - $type as in $binding"
	else
		echo "not ok $number - $type as in $binding"
		sed 's/^/# /' "$work/log"
		status=1
	fi
done <selftests/unit/tree/bindings.txt
[[ $number -gt 0 ]] || status=1
echo "1..$number"
exit "$status"
