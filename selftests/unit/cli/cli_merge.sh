#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw merge and split of real files: all records come out again; of damaged ones what is
# left, in bounded memory; a signal leaves nothing behind; options.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

build=${ETW_BUILD:-build}/etl
corpus=${ETW_CORPUS:-../shared/corpus}/etl

# events FILE...: print the records as JSON, without the files' headers.
events() {
	local file

	for file; do
		"$etw" dump --json "$file" 2>/dev/null | tail -n +2
	done
}

# Remove the times, which another clock rounds, and the names of processes, whose ids
# several machines use
no_times() {
	sed 's/"time":"[^"]*",//; s/"timestamp":-\?[0-9]*,//; s/"process_name":"[^"]*",//' |
		LC_ALL=C sort
}

# Print times as seconds of one day each, sorted.
times() {
	sed 's/^{"time":"\([^"]*\)T\([0-9]*\):\([0-9]*\):\([0-9.]*\)Z".*/\1 \2 \3 \4/' |
		awk '{ printf "%s %.7f\n", $1, $2 * 3600 + $3 * 60 + $4 }' | LC_ALL=C sort -k1,1 -k2,2n
}

same() {
	cmp -s "$work/a" "$work/b" && echo yes || echo no
}

# check_rules WHAT FILE...: the written files obey the rules of log files.
check_rules() {
	local what=$1 good=yes file
	shift

	for file; do
		"$build/check" "$file" >"$work/out" 2>"$work/err" || { good=no; break; }
	done
	report "$good" "$what: no rule is violated in $# files"
}

# Merging a single file does not change it, nor does splitting it in any way and merging
# the parts. Of losses without a record each part says that they may be its own.
check_file() {
	local file=$1 name=${1##*/} by

	events "$file" >"$work/a"
	run merge -q -o "$work/one.etl" "$file"
	events "$work/one.etl" >"$work/b"
	report "$(same)" "$name: merged by itself"
	for by in cpu provider events=20 time=700ms size=256K "time=3s --compress"; do
		rm -f "$work"/part_*
		# shellcheck disable=SC2086
		run split -q --by $by -o "$work/part_%d.etl" "$file"
		run merge -q -o "$work/all.etl" --replace "$work"/part_*
		events "$work/all.etl" | sed '/"unrecorded"/d' | LC_ALL=C sort >"$work/b"
		LC_ALL=C sort "$work/a" >"$work/c"
		mv "$work/c" "$work/a"
		report "$(same)" "$name: split by $by, and merged again"
		check_rules "$name, $by" "$work/all.etl" "$work"/part_*
	done
	rm -f "$work"/part_* "$work"/*.etl
}

check_all() {
	local files=("$corpus"/*.etl) good=no

	events "${files[@]}" >"$work/in"
	run merge -q -o "$work/all.etl" "${files[@]}"
	events "$work/all.etl" >"$work/out.json"
	no_times <"$work/in" >"$work/a"
	no_times <"$work/out.json" >"$work/b"
	[[ $(wc -l <"$work/a") -lt 2000 ]] || good=$(same)
	report "$good" "${#files[@]} files merged: all records, $(wc -l <"$work/b") of them"
	times <"$work/in" >"$work/a"
	times <"$work/out.json" >"$work/b"
	# Two sessions of one machine record their start in steps of up to 15.6 ms. They
	# share one clock, and its times count.
	good=$(paste -d' ' "$work/a" "$work/b" | awk '
		{ off = $2 - $4; if (off < 0) off = -off }
		$1 != $3 || off > 0.0157 { bad = 1 }
		off > 1.5e-7 { few++ }
		END { print (bad || few > 20) ? "no" : "yes" }')
	report "$good" "at the times at which they were"
	sed 's/.*"time":"\([^"]*\)".*/\1/' "$work/out.json" >"$work/a"
	LC_ALL=C sort "$work/a" >"$work/b"
	report "$(same)" "in their order"
	run merge -q -o "$work/some.etl" --level warning "${files[@]}"
	events "$work/some.etl" | grep -v PartitionInfo | no_times >"$work/b"
	grep -E '"level":[0-3],' "$work/in" | grep -v PartitionInfo | no_times >"$work/a"
	report "$(same)" "chosen by level: $(wc -l <"$work/b")"
	run merge -q -o "$work/some.etl" --replace --filter 'pid in 1000..9999 and not level > 4' "$work/all.etl"
	events "$work/some.etl" | grep -v PartitionInfo >"$work/b"
	grep -E '"pid":[1-9][0-9]{3},' "$work/out.json" | grep -E '"level":[0-4],' | grep -v PartitionInfo >"$work/a"
	report "$(same)" "chosen by an expression: $(wc -l <"$work/b")"
	[[ -s $work/a ]] || report no "there is something to choose"
	check_rules "together" "$work/all.etl" "$work/some.etl"
}

# Damage is reported and the rest is written, without a crash.
check_damaged() {
	local file=$corpus/microsoft__krabsetw__powershell.etl size good=yes i

	size=$(stat -c %s "$file")
	for i in 1 2 3 4 5 6 7 8; do
		cp --no-preserve=mode "$file" "$work/bad.etl"
		printf '%*s' 300 x | dd of="$work/bad.etl" bs=1 seek=$((size * i / 9)) conv=notrunc 2>"$work/dd"
		truncate -s $((size - size * i / 40)) "$work/bad.etl"
		run merge -o "$work/x.etl" --replace "$work/bad.etl" "$file"
		[[ $code -eq 0 ]] && grep -q 'at offset' "$work/err" || good=no
		run split --by cpu -o "$work/x_%d.etl" --replace "$work/bad.etl"
		[[ $code -eq 0 ]] || good=no
		[[ $(events "$work/x.etl" | wc -l) -ge 113 ]] || good=no
	done
	report "$good" "damaged files: what is left of them"
}

# Merge many files at once in little memory; then interrupt the merge.
check_many() {
	local file=$corpus/microsoft__Tx__HTTP_Server.etl many=() good=no i pid

	for ((i = 0; i < 200; i++)); do many+=("$file"); done
	run merge -q -o "$work/many.etl" "${many[@]}"
	[[ $(events "$work/many.etl" | wc -l) -ne $((200 * $(events "$file" | wc -l))) ]] || good=yes
	report "$good" "200 files: $(stat -c %s "$work/many.etl") bytes"
	good=no
	# Limit the address space, of which the libraries take half: the file does not fit
	# in.
	(ulimit -v 90000 && "$etw" merge -q -o "$work/again.etl" "$work/many.etl") >"$work/out" 2>"$work/err" &&
		good=yes
	report "$good" "a long file takes no more memory"
	# If it ended before the signal, try again.
	for ((i = 0; i < 20; i++)); do
		good=no
		rm -f "$work/again.etl"
		"$etw" merge -q -o "$work/again.etl" "${many[@]}" >"$work/out" 2>"$work/err" &
		pid=$!
		while ! compgen -G "$work/again.etl.part-*" >"$work/parts" && kill -0 "$pid" 2>/dev/null; do :; done
		kill -TERM "$pid" 2>/dev/null || true
		code=0
		wait "$pid" 2>/dev/null || code=$?
		[[ $code -eq 0 ]] || break
	done
	[[ $code -ne 143 ]] || compgen -G "$work/again.etl*" >"$work/parts" || good=yes
	report "$good" "SIGTERM ends it, and nothing stays"
}

check_usage() {
	wrong 'missing --output' merge a.etl
	wrong 'missing FILE...' merge -o b.etl
	wrong 'missing --by' split -o b_%d.etl a.etl
	wrong 'missing --output' split --by cpu a.etl
	wrong 'none of size=N' split --by weight -o b_%d.etl a.etl
	wrong 'none of size=N' split --by cpus -o b_%d.etl a.etl
	wrong 'is not a size' split --by size=x -o b_%d.etl a.etl
	wrong 'is less than 256K' split --by size=255K -o b_%d.etl a.etl
	wrong 'is not a size like 64M' split --by size=99999999999T -o b_%d.etl a.etl
	wrong 'is not a time' split --by time=12:30 -o b_%d.etl a.etl
	wrong '--by events: "0"' split --by events=0 -o b_%d.etl a.etl
	wrong 'one %d is needed' split --by cpu -o b.etl a.etl
	wrong 'one %d is needed' split --by cpu -o b_%d%d.etl a.etl
	wrong 'one %d is needed' split --by cpu -o b_%s_%d.etl a.etl
	wrong '--filter: column 5' merge -o b.etl --filter 'pid ~ 3' a.etl
	fails 'No such file' merge -o "$work/b.etl" "$work/nowhere.etl"
	fails 'not a log file' merge -o "$work/b.etl" "$etw"
	fails 'is one of the input files' merge -o "$work/link.etl" --replace "$work/file.etl"
}

if [[ -d $corpus ]]; then
	for file in "$corpus"/*.etl; do check_file "$file"; done
	check_all
	check_damaged
	check_many
	cp --no-preserve=mode "$corpus/microsoft__perfview__primitive-types.etl" "$work/file.etl"
	ln -s file.etl "$work/link.etl"
	check_usage
else
	skip "no corpus at $corpus"
fi
finish
