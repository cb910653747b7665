#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Command lines of etw in the comments of samples, in the documents and in the manual pages: the
# commands exist, and have all options that stand there.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

# Each line becomes "FILE COMMAND OPTION...": text in quotes, and all behind "--", is not etw's.
command_lines() {
	grep -rn -oE '(^|[^-a-z/.])etw [a-z]+ [^`|;&#]*' README.md docs user/samples user/man --include='*.[chm1-8]*' |
		grep -v '\.Nm\|\.Xr\|\.Nd' |
		sed -E "s/\\\\-/-/g; s/'[^']*'?//g; s/\"[^\"]*\"?//g; s/ -- .*//" |
		sed -nE 's/^([^:]*:[0-9]+):.?etw ([a-z]+) (.*)/\1 \2 \3/p'
}

check_lines() {
	local file command rest word good count=0

	while read -r file command rest; do
		[[ $command != mc && $rest == *-* ]] || continue
		grep -qx "$command" "$work/commands" || continue
		"$etw" "$command" --help >"$work/help"
		for word in $rest; do
			[[ $word =~ ^(--[a-z][a-z0-9-]*|-[a-z])(=.*)?[.,:\)]*$ ]] || continue
			word=${BASH_REMATCH[1]}
			good=no
			! grep -qE -- "^ +(-[A-Za-z], +)?$word( |$)|^ +$word, " "$work/help" || good=yes
			report "$good" "$file: etw $command has $word"
			count=$((count + 1))
		done
	done <"$work/lines"
	good=no
	[[ $count -lt 40 ]] || good=yes
	report "$good" "the command lines are found"
}

run help
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out" >"$work/commands"
command_lines >"$work/lines"
check_lines
finish
