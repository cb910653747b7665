#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Real files, compressed: another reader finds the same records in the same order, and no
# rule of log files is violated; compressing what is compressed changes nothing.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

build=${ETW_BUILD:-build}/etl
corpus=${ETW_CORPUS:-../shared/corpus}/etl

# records FILE: print CPU, type, size, raw time and contents of all records except the
# header's, for each CPU in the order of the file.
records() {
	"$build/walk" "$1" | sed -n '/^[0-9]/p' | tail -n +2 | cut -f 3- | LC_ALL=C sort -s -n -k 1,1
}

check_file() {
	local file=$1 name=${1##*/} out good=no

	run merge -q --compress -o "$work/packed.etl" --replace "$file"
	records "$file" >"$work/a"
	records "$work/packed.etl" >"$work/b"
	[[ $code -eq 0 && -s $work/a ]] && cmp -s "$work/a" "$work/b" && good=yes
	report "$good" "$name: the same records when compressed"
	good=no
	"$build/check" "$work/packed.etl" >"$work/out" 2>"$work/err" && good=yes
	report "$good" "$name: and no rule is violated"
	good=no
	[[ $(stat -c %s "$work/packed.etl") -le $(stat -c %s "$file") ]] && good=yes
	report "$good" "$name: it is no larger"
	run merge -q --compress -o "$work/again.etl" --replace "$work/packed.etl"
	records "$work/again.etl" >"$work/b"
	out=no
	[[ $code -eq 0 ]] && cmp -s "$work/a" "$work/b" && out=yes
	report "$out" "$name: nor does it change when it is compressed again"
}

if [[ ! -d $corpus ]]; then
	echo "ok 1 # SKIP no corpus: $corpus"
	echo "1..1"
	exit 0
fi
for file in "$corpus"/*.etl; do
	check_file "$file"
done
finish
