#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_ages.sh - headers that mc.exe made compile unmodified, link, run and can be enabled
#
# The headers of selftests/mc/ages are written in the styles of mc.exe from 2008 to today.
# Each is used by two files of a program, in C11 and C++17, by gcc and clang, optimized or not,
# under the sanitizers; see selftests/mc/ages/ages.c. Without ETW_WHOLE=1 (make check-matrix) the
# compilers take turns: each age is compiled as C by one of them and as C++ by the other.
# Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/spellings "$work/include"
paths="-Iinclude -Iinclude/win32 -I$work/include/win32 -Iselftests/mc/ages"
# What mc.exe's code does, and what a C++ compiler says of #pragma warning
warn="-Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-missing-field-initializers"
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
lib=build/libetw.a

[[ -f $lib ]] || { echo "1..0 # SKIP not built"; exit 4; }

# age YEAR COMPILER FLAG...: print errors of the program on the header of that year
# shellcheck disable=SC2086 # words in variables
age() {
	local year=$1 compiler=$2 part
	shift 2

	for part in "" -DOTHER; do
		$compiler $warn -fshort-wchar $paths $san "$@" $part -DAGE="$year" \
			-DHEADER="\"age$year.h\"" -c -o "$work/part$part.o" \
			selftests/mc/ages/ages.c 2>&1 || true
	done
	${compiler%% *} $san -pthread -o "$work/program" "$work/part.o" "$work/part-DOTHER.o" \
		-Wl,--allow-multiple-definition $lib 2>&1 && "$work/program" 2>&1 || echo "status $?"
}

# check_objects COMPILER...: print errors of words that headers of mc.exe do not contain
check_objects() {
	local compiler

	cat >"$work/objects.c" <<-'END'
	#include <windows.h>
	EXTERN_C __declspec(selectany) DECLSPEC_CACHEALIGN ULONG Bits[3];
	__declspec(selectany) REGHANDLE Handle = (REGHANDLE)0;
	EXTERN_C const GUID DECLSPEC_SELECTANY Id = {1, 2, 3, {4}};
	static __inline int one(void) { return 1; }
	static FORCEINLINE int two(void) { return 2; }
	__declspec(noinline) __declspec(align(64)) int three(void);
	int three(void) { return 3; }
	int main(void)
	{
		int (*const f)(void) = two;
		ULONG *volatile bits = Bits;

		return !(bits && !((ULONG_PTR)bits & 63) && !Handle && Id.Data4[0] == 4 &&
			 one() + f() == three() && ULONG_MAX == 0xFFFFFFFF);
	}
	END
	for compiler in "$@"; do
		# shellcheck disable=SC2086
		{ $compiler $paths -w -c -o "$work/objects.o" "$work/objects.c" &&
			${compiler%% *} -o "$work/objects" "$work/objects.o" "$lib" -pthread &&
			"$work/objects"; } 2>&1 || echo "$compiler"
	done
}

compilers=("${CC:-gcc} -std=c11 -x c" "${CXX:-g++} -std=c++17 -x c++")
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	compilers+=("clang -std=c11 -x c" "clang++ -std=c++17 -x c++")
fi
turn=0
for year in 2008 2014 2018 2022; do
	some=("${compilers[@]}")
	if [[ -z ${ETW_WHOLE-} && ${#compilers[@]} -eq 4 ]]; then
		some=("${compilers[turn]}" "${compilers[3 - turn]}")
	fi
	turn=$((2 - turn))
	for compiler in "${some[@]}"; do
		tap_result "$(age "$year" "$compiler" -O0)" "$year: $compiler"
	done
	[[ -z ${ETW_WHOLE-} && $turn -eq 0 ]] ||
		tap_result "$(age "$year" "${compilers[0]}" -O2)" "$year: optimized"
done
tap_result "$(check_objects "${compilers[@]}")" "objects and functions"
echo "1..$tap_number"
exit "$tap_status"
