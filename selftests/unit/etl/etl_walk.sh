#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The second reader of log files, selftests/etl: it stands alone; what it lists of
# Windows' own files is what an independent parser says, line for line; its checker
# finds nothing in them; and "etw dump" has the same events, providers and losses.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"

build=${ETW_BUILD:-$BUILD}/etl
corpus=${ETW_CORPUS:-$TOP/../shared/corpus}/etl

# strange_includes: print includes other than the C library's
strange_includes() {
	grep -nE '^[[:space:]]*#[[:space:]]*include' "$TOP"/selftests/etl/*.[ch] |
		grep -vE '<(errno|inttypes|stdarg|stddef|stdint|stdio|stdlib|string)\.h>|"(read|rules)\.h"' || true
}

# strange_symbols: print undefined symbols of the project's libraries, which have prefixes
strange_symbols() {
	nm -u "$build/libetlcheck.a" "$build/walk" "$build/check" | grep -E ' (etw_|Etw|Event|Tdh|Trace)' || true
}

# summary FILE NAME: print a number of the walk's summary
summary() { "$build/walk" -s "$1" | sed -n "s/^# $2 //p"; }

# dump_differs FILE: print the differences between "etw dump" and the walk
dump_differs() {
	local events providers lost

	"$build/../etw" dump --raw --json --no-names "$1" >"$work/dump" 2>"$work/said"
	events=$(wc -l <"$work/dump")
	[[ $events -eq $(summary "$1" records) ]] || echo "$events events, not $(summary "$1" records)"
	# The kernel logger's records have no provider; the walk does not count their
	# classes as providers.
	providers=$(grep -v '"provider":"68fdd900-4a3e-11d1-84f4-0000f80464e3"' "$work/dump" |
		sed -n 's/.*"provider":"\([-0-9a-f]*\)".*/\1/p' | sort -u | wc -l)
	[[ $providers -eq $(summary "$1" providers) ]] || echo "$providers providers, not $(summary "$1" providers)"
	lost=$(summary "$1" 'events lost')
	if ((lost)); then
		grep -qF "$lost events lost" "$work/said" || echo "$lost events were lost"
	else
		! grep -F ' lost' "$work/said" || echo "nothing was lost"
	fi
	! grep -F ' missing' "$work/said" || echo "nothing was cut off"
}

tap_result "$(strange_includes)" "it includes the C library alone"
tap_result "$(strange_symbols)" "it calls nothing of the project"
if [[ ! -d $corpus ]]; then
	echo "ok 3 # SKIP no real log files in $corpus"
	echo "1..3"
	exit "$tap_status"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$corpus"/*.etl; do
	name=$(basename "$file" .etl)
	tap_result "$("$build/walk" -t "$file" 2>&1 | diff - "$file.events.tsv" | head -n5)" \
		"$name: the parser's list, line for line"
	what=$("$build/check" "$file" 2>&1) && what=''
	tap_result "$what" "$name: no rule is violated"
	tap_result "$(dump_differs "$file")" "$name: etw dump has the same events, providers and losses"
done
echo "1..$tap_number"
exit "$tap_status"
