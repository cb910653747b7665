#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_program.sh - docs/program.md, as a reader follows it up to the device: the manifest that it shows is good, and
# the line that compiles a program with the header made of it works.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh
top=$PWD
page=$top/docs/program.md

# The lines of the code block that has the text in it
block() {
	awk -v text="$1" '/^```/ { if (inside && index(all, text)) { printf "%s", all; exit }
			inside = !inside; all = ""; next } inside { all = all $0 "\n" }' "$page"
}

# passes NAME COMMAND...
passes() {
	local name=$1 good=no
	shift
	code=0
	"$@" >"$work/out" 2>"$work/err" || code=$?
	[[ $code -ne 0 ]] || good=yes
	report "$good" "$name"
}

build_program() {
	local line

	line=$(block 'etw manifest install' | sed -n 's/.*in this tree: \(cc .*\)/\1/p')
	[[ -n $line ]] || return 1
	ln -s "$top/include" "$top/build" .
	eval "$line"
}

block '<instrumentationManifest' >"$work/my_app.man"
{
	block '#include "my_app.h"' | sed '/^#include/!d'
	echo 'int main(void) {'
	block '#include "my_app.h"' | sed '/^#include/d'
	echo 'return 0; }'
} >"$work/my_app.c"
passes 'the manifest is good' "$etw" manifest check "$work/my_app.man"
etw=$top/$etw
cd "$work"
passes 'etw mc takes it' "$etw" mc -um my_app.man
passes 'the program is built by the line of the page' build_program
passes 'and runs without a device' ./my_app
good=no
[[ $(block 'etw manifest install') != *'etw watch -p My-App -- ./my_app'* ]] || good=yes
report "$good" 'its manifest is installed, its events are watched'
finish
