#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reports of real files, whole and damaged: sums of bars are counts, and losses those of etw verify.
set -euo pipefail

cd "$(dirname "$0")/../../.."
corpus=${ETW_CORPUS:-../shared/corpus}/etl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shopt -s nullglob
files=("$corpus"/*.etl)
if [[ ${#files[@]} -eq 0 ]]; then
	echo "1..0 # SKIP no log files in $corpus"
	exit 0
fi
# Cut off; with a hole of zeros; and with a part of it twice
for file in "${files[@]}"; do
	name=$(basename "$file" .etl)
	size=$(stat -c %s "$file")
	for damage in cut hole twice; do
		cp --no-preserve=mode "$file" "$work/$name-$damage.etl"
	done
	truncate -s $((size * 2 / 3)) "$work/$name-cut.etl"
	dd if=/dev/zero of="$work/$name-hole.etl" bs=1 seek=$((size / 2)) count=3000 conv=notrunc status=none
	tail -c $((size / 4)) "$file" >>"$work/$name-twice.etl"
done
PYTHONDONTWRITEBYTECODE=1 python3 selftests/unit/report/corpus.py build/etw "${files[@]}" "$work"/*.etl
