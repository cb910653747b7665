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
	fails 'No such file' verify "$work/nowhere.etl"
	fails 'not a log file' verify ./build/etw
}

if [[ -d $corpus ]]; then
	check_files
else
	number=$((number + 1))
	echo "ok $number # SKIP no corpus at $corpus"
fi
finish
