#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_corpus.sh - manifests to headers to events and back
#
# Every manifest of selftests/mc, and of the corpus of real ones where there is one
# (../shared/corpus or $ETW_CORPUS): it is compiled for user mode; a program that
# writes each event with made-up values is made (selftests/mc/values.c) and compiled
# with all warnings as errors, as C and C++, with and without 16-bit wchar_t, also
# with <windows.h> before; run, it decodes each event and compares each value.  No
# manifest of the corpus is refused.
set -euo pipefail
cd "$(dirname "$0")/../../.."

corpus=${ETW_CORPUS:-../shared/corpus}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

warn='-Wall -Wextra -Wpedantic -Werror'
paths="-Iinclude -Iselftests"
compilers=("${CC:-gcc} -x c -std=c11" "${CXX:-g++} -x c++ -std=c++17")
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	compilers+=("clang -x c -std=c11" "clang++ -x c++ -std=c++17")
fi

# fail WHAT FILE: end the test of one manifest
fail() {
	echo "$1"
	head -n 20 "$2"
	exit 1
}

# syntax NAME NUMBER FLAG...: the compilers accept the program with these flags; without
# ETW_WHOLE=1 (make check-matrix) only one of them does, each way another.
# shellcheck disable=SC2086 # words in variables
syntax() {
	local name=$1 compiler
	local -a some=("${compilers[@]}")

	[[ -n ${ETW_WHOLE-} ]] || some=("${compilers[$2 % ${#compilers[@]}]}")
	shift 2
	for compiler in "${some[@]}"; do
		$compiler $warn $paths -I"$dir" "$@" -fsyntax-only "$dir/round.c" >"$dir/log" 2>&1 ||
			fail "$compiler $name" "$dir/log"
	done
}

# round_trip MANIFEST: prints the errors, or "N events, 0 wrong".
# shellcheck disable=SC2086
round_trip() {
	dir=$work/$(basename "$1").d
	mkdir "$dir"
	build/mc -um -z head -h "$dir" -r "$dir" "$1" >"$dir/log" 2>&1 || fail "mc" "$dir/log"
	for file in head.h head.rc headTEMP.BIN; do
		[[ -s $dir/$file ]] || fail "mc made no $file" "$dir/log"
	done
	build/mc-test/values "$1" head.h >"$dir/round.c" 2>"$dir/log" || fail "values" "$dir/log"
	syntax "unchanged" 1
	syntax "-fshort-wchar" 2 -fshort-wchar
	syntax "windows.h" 3 -Iinclude/win32 -include windows.h -fshort-wchar
	${CC:-gcc} -std=c11 -O0 $paths -I"$dir" -fsanitize=address,undefined -pthread \
		-o "$dir/round" "$dir/round.c" build/san/selftests/mc/runtime.o \
		build/san/libtdh.a build/san/libetw.a -lxml2 -lm >"$dir/log" 2>&1 || fail "link" "$dir/log"
	"$dir/round" "$1" >"$dir/log" 2>&1 || fail "run" "$dir/log"
	cat "$dir/log"
}

# one MANIFEST: leave its result in $work, to be printed later
one() {
	local name

	name=$(basename "$1")
	if (round_trip "$1") >"$work/$name.out" 2>&1; then
		echo "ok" >"$work/$name.status"
	else
		echo "not ok" >"$work/$name.status"
	fi
	rm -rf "$work/$name.d"
}

manifests=(selftests/mc/*.man user/samples/*/*.man)
have_corpus=no
if [[ -d $corpus/manifests ]]; then
	have_corpus=yes
	manifests+=("$corpus"/manifests/*)
fi

[[ -x build/mc && -x build/mc-test/values ]] || { echo "1..0 # SKIP not built"; exit 4; }
echo "1..$((${#manifests[@]} + 1))"
number=0 status=0
for manifest in "${manifests[@]}"; do
	while (($(jobs -rp | wc -l) >= 2)); do
		wait -n || true
	done
	one "$manifest" &
done
wait
for manifest in "${manifests[@]}"; do
	name=$(basename "$manifest")
	number=$((number + 1))
	echo "$(cat "$work/$name.status") $number - $name: $(tail -n 1 "$work/$name.out")"
	if ! grep -q '^ok' "$work/$name.status"; then
		status=1
		sed 's/^/# /' "$work/$name.out"
	fi
done
number=$((number + 1))
if [[ $have_corpus == yes ]]; then
	echo "ok $number - the corpus is there"
else
	echo "ok $number - the corpus of real manifests # SKIP no $corpus"
fi
exit "$status"
