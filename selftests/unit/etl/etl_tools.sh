#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What "etw merge" and "etw split" write of Windows' own files obeys every rule of the
# format, and has the same records, byte for byte, by a reader that shares no code
# with them.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"

build=${ETW_BUILD:-$BUILD}
corpus=${ETW_CORPUS:-$TOP/../shared/corpus}/etl
if [[ ! -d $corpus ]]; then
	echo "1..0 # SKIP no real log files in $corpus"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# records FILE...: print CPU, type, size, time, origin, id and digest of all records
# except the headers
records() {
	local file

	for file; do
		"$build/etl/walk" -r "$file" | grep -v '^#' | sed 1d | cut -f3-
	done | sort
}

# same SOURCE FILE...: print the error in the files, or any difference from SOURCE's
# records
same() {
	local source=$1
	shift

	"$build/etl/check" "$@" | grep -F ': rule ' || true
	diff <(records "$source") <(records "$@") | head -n5 || true
}

# etw COMMAND...: print the command's output if it fails
etw() {
	"$build/etw" "$@" -q >"$work/said" 2>&1 || cat "$work/said"
}

for file in "$corpus"/*.etl; do
	name=$(basename "$file" .etl)
	tap_result "$(etw merge "$file" -o "$work/$name.etl"; same "$file" "$work/$name.etl")" \
		"merge: $name"
done

large=$work/microsoft__Tx__HTTP_Server.etl
tap_result "$(etw merge "$large" -o "$work/small.etl" --compress; same "$large" "$work/small.etl"
	(($(stat -c %s "$work/small.etl") < $(stat -c %s "$large") / 2)) || echo 'it is not half as large')" \
	"merge --compress"

# Split and merge; the merged file has the clock of the first part.
source=$corpus/microsoft__Tx__HTTP_Server.etl
for by in size=256K time=10s events=100 cpu provider; do
	rm -f "$work"/part_*.etl
	tap_result "$(etw split --by "$by" -o "$work/part_%d.etl" "$source"; same "$source" "$work"/part_*.etl
		[[ $by == provider || -e $work/part_2.etl ]] || echo "there is one file only")" "split --by $by"
done
tap_result "$(etw merge "$work"/part_*.etl -o "$work/whole.etl"; same "$source" "$work/whole.etl")" \
	"merge what was split"

tap_result "$(etw merge "$corpus"/*.etl -o "$work/all.etl"; "$build/etl/check" "$work/all.etl" | grep -F ': rule ' || true
	[[ $(records "$work/all.etl" | wc -l) -eq $(records "$corpus"/*.etl | wc -l) ]] || echo "records are missing")" \
	"all of them in one, with eight clocks"
echo "1..$tap_number"
exit "$tap_status"
