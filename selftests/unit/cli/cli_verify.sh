#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw verify of real files, whole, damaged and merged: exit status, text and JSON; dump
# --strict. What is judged is tested by etl_verify.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

corpus=${ETW_CORPUS:-../shared/corpus}/etl

# says STATUS TEXT ARG...: that exit status, and a line on stdout that matches TEXT.
says() {
	local want=$1 text=$2 good=no
	shift 2

	run "$@"
	[[ $code -ne $want ]] || ! grep -q -- "$text" "$work/out" || good=yes
	report "$good" "$want, '$text': etw $*"
}

check_files() {
	local http=$work/http.etl small=$work/small.etl

	cp --no-preserve=mode "$corpus/microsoft__Tx__HTTP_Server.etl" "$http"
	cp --no-preserve=mode "$corpus/microsoft__perfview__SelfDescribingSingleEvent.etl" "$small"
	says 0 ': complete: 2041 events in 35 buffers$' verify "$http"
	says 0 'another system wrote it' verify "$http"
	says 0 ': complete: ' verify "$http" "$small"
	says 0 '"verdict":"complete",.*"gaps":\[\],' verify --json "$small"
	says 3 '3 events lost when written; written from ' verify "$corpus/airbus-cert__etl-parser__AMSITrace.etl"
	says 0 '' dump --strict "$http"
	# Without buffer number 5
	head -c 24576 "$http" >"$work/gap.etl"
	tail -c +32769 "$http" >>"$work/gap.etl"
	says 3 '1 buffer missing between two buffers, number 5,' verify "$work/gap.etl"
	says 3 '"cause":"numbers","buffers":1,.*"first_buffer":5' verify -j "$work/gap.etl"
	says 3 ': complete' verify "$small" "$work/gap.etl"
	says 3 '' dump --strict "$work/gap.etl"
	head -c 100000 "$http" >"$work/cut.etl"
	says 3 'cannot be read' verify "$work/cut.etl"
	check_merged
	fails 'No such file' verify "$work/nowhere.etl"
	fails 'not a log file' verify ./build/etw
}

# What a file does not have, another one made from it does not hide.
check_merged() {
	local part

	cp "$work/http.etl" "$work/open.etl"
	# EndTime
	printf '\0\0\0\0\0\0\0\0' | dd of="$work/open.etl" bs=1 seek=120 conv=notrunc status=none
	says 3 'was not closed' verify "$work/open.etl"
	run merge -o "$work/m-http.etl" "$work/http.etl"
	says 0 'a program wrote it' verify "$work/m-http.etl"
	run merge -o "$work/m-gap.etl" "$work/gap.etl" "$work/small.etl"
	says 3 '  1 buffer missing at an unknown place' verify "$work/m-gap.etl"
	run merge -o "$work/m-open.etl" "$work/open.etl"
	says 3 '  buffers were lost before this one' verify "$work/m-open.etl"
	run split --by events=500 -o "$work/s_%d.etl" "$work/gap.etl"
	says 3 'incomplete' verify "$work"/s_*.etl
	# The gap, or what the open file lacks, may be in any part.
	check_each "$work"/s_*.etl
	run split --by time=1s -o "$work/o_%d.etl" "$work/open.etl"
	check_each "$work"/o_*.etl
	run split --by events=500 -o "$work/w_%d.etl" "$work/http.etl"
	for part in "$work"/w_*.etl; do
		says 0 ': complete: ' verify "$part"
	done
}

# check_each PART...: each of several parts may lack something.
check_each() {
	local part

	report "$([[ $# -gt 1 ]] && echo yes)" "several parts"
	for part; do
		says 3 'a file that this one was made of was not whole' verify "$part"
	done
}

if [[ -d $corpus ]]; then
	check_files
else
	skip "no corpus at $corpus"
fi
finish
