#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw top as far as it goes without a device.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

check_top() {
	local guid=01234567-89ab-cdef-0001-020304050607 by sort

	wrong 'give the name of a session, or providers: -p' top
	wrong 'give the name of a session, or providers: -p' top --level info
	wrong 'SESSION "s" runs already: not with -p' top s -p "$guid"
	wrong 'go with -p only' top s --buffer-size 64
	wrong 'go with -p only' top s --session t
	wrong 'go with -p only' top s --no-processes
	wrong 'go with -p only' top s --level info
	wrong 'SESSION: the name is empty' top ''
	wrong '--by: the name of the field is empty' top s --by ''
	wrong '--by: the name of the field is too long' top s --by "$(printf '%0256d' 0)"
	wrong '--sort: "size" is none of rate, events,' top s --sort size
	wrong '--show: column 4' top s --show 'a >> '
	wrong '--show: given twice' top s --show 'a == 1' --show 'b == 2'
	wrong '--interval: "0"' top s --interval 0
	wrong '--interval: "0.05"' top s --interval 0.05
	wrong '--count: "0"' top s -n 0
	wrong '--rows: "0"' top s --rows 0
	wrong '--rows: "1025"' top s --rows 1025
	wrong 'filter it with --show' top -p "$guid" --filter 'process == dd'
	wrong 'unknown option "--file"' top s --file x
	for by in provider event process thread cpu level Size Request.Path '"level"'; do
		right top s --by "$by"
	done
	for sort in rate events lost bytes operations p50 p90 p99 p99.9 max name; do
		right top s --sort "$sort"
	done
	right top -p "$guid:info:0xFF" --level 3 --flush 10ms --session s --show 'duration > 1ms'
	right top s --once --json --rows 10 --interval 100ms --reverse --pair thread
	prints 'the busiest' top --help
}

check_top
finish
