#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_fixture.sh - headers have the names and values of those that mc.exe made
#
# Of the manifests in the corpus (../shared/corpus or $ETW_CORPUS) whose header by
# mc.exe is known; see selftests/mc/fixture.c.
set -euo pipefail
cd "$(dirname "$0")/../../.."

corpus=${ETW_CORPUS:-../shared/corpus}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ -d $corpus/mc ]] || { echo "1..0 # SKIP no $corpus/mc"; exit 4; }
[[ -x build/mc-test/fixture ]] || { echo "1..0 # SKIP build/mc-test/fixture is not built"; exit 4; }

# compare NAME: succeeds if nothing is missing; missing items go to $work/log
compare() {
	build/mc -um -z head -h "$work" -r "$work" "$corpus/manifests/$1.man" &&
		build/mc-test/fixture "$corpus/mc/$1.h.json" "$work/head.h" \
			"$corpus/mc/$1.h.descriptors.tsv" >"$work/program.c" &&
		"${CC:-gcc}" -std=c11 -Wall -Wextra -Werror -Iinclude -o "$work/program" \
			"$work/program.c" build/libetw.a -pthread &&
		"$work/program"
}

facts=("$corpus"/mc/*.h.json)
echo "1..${#facts[@]}"
number=0 status=0
for file in "${facts[@]}"; do
	name=$(basename "$file" .h.json)
	number=$((number + 1))
	if compare "$name" >"$work/log" 2>&1; then
		echo "ok $number - $name: $(tail -n 1 "$work/log")"
	else
		echo "not ok $number - $name"
		head -n 50 "$work/log" | sed 's/^/# /'
		status=1
	fi
done
exit "$status"
