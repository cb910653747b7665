#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The manual pages: every subcommand has one with all of its options, every JSON
# member stands in one, and mandoc finds no fault.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

# Each subcommand has a manual page that has all of its options.
check_pages() {
	local command option page good

	while read -r command; do
		page=user/man/etw-$command.1
		good=no
		run "$command" --help
		! grep -qx "\.Nm etw-$command" "$page" || ! grep -q "^\.Xr etw-$command 1" user/man/etw.8 || good=yes
		report "$good" "etw-$command(1) is there, and etw(8) names it"
		# Both without the first hyphen: "-level", "um"
		sed -nE 's/^ +(-[A-Za-z], +)?-(-?[A-Za-z][a-z0-9-]*).*/\2/p' "$work/out" | sed '/^-help$/d' >"$work/options"
		sed -nE 's/^ +-([A-Za-z]), .*/\1/p' "$work/out" | sed '/^h$/d' >>"$work/options"
		sed -nE '/^\.([A-Z][a-z] )*Fl /{s/\\-/-/g;p}' "$page" | tr -s ' ,' '\n' >"$work/documented"
		while read -r option; do
			good=no
			! grep -qx -e "$option" "$work/documented" || good=yes
			report "$good" "etw-$command(1) has -$option"
		done <"$work/options"
	done <"$work/commands"
}

check_lint() {
	local good=no

	command -v mandoc >/dev/null || return 0
	code=0
	mandoc -T lint -W warning user/man/*.[0-9] >"$work/out" 2>"$work/err" || code=$?
	[[ $code -ne 0 || -s $work/out ]] || good=yes
	report "$good" "mandoc finds no fault with the man pages"
}

# A man page describes each member that the command prints as JSON.
check_members() {
	local name good

	{
		grep -ohE '(json_[a-z]+|json_writer_[a-z]+|put_[a-z]+)\(&?[a-z>-]+, "[a-z_0-9]+"' user/cli/*.c user/cli/*/*.c \
			user/report/json*.c user/convert/items*.c user/base/json_writer.c
		grep -ohE 'KIND\([0-9]+, [A-Z0-9_]+, "[a-z-]+", "[a-z_]+"' user/convert/items.c
		grep -ohE '\\"[a-z_]+\\":' user/cli/print/json.c | tr -d '\\:'
	} | sed 's/.*"\(.*\)"/\1/' | sort -u >"$work/members"
	sed -n 's/^\.\(It \)\?\(Li\|Va\) //p' user/man/etw.8 user/man/etw-*.1 |
		tr -s ' ,;' '\n' >"$work/documented"
	code=0
	cp "$work/members" "$work/out"
	: >"$work/err"
	good=no
	[[ $(wc -l <"$work/members") -lt 60 ]] || good=yes
	report "$good" "the members of JSON objects are found"
	while read -r name; do
		good=no
		! grep -qx "$name" "$work/documented" || good=yes
		report "$good" "the man pages have the JSON member $name"
	done <"$work/members"
}

run help
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out" >"$work/commands"
check_pages
check_lint
check_members
finish
