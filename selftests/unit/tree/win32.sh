#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# win32.sh - include/win32 works, and sources as on Windows build by include paths alone
#
# The programs of selftests/win32, with and without 16-bit wchar_t, under the sanitizers; the
# sources of selftests/ported with the flags that docs/porting.md gives; every kind of
# wmain(); all by gcc and clang, C and C++. Each compiler takes the programs in one of the two
# ways, with ETW_WHOLE=1 (make check-matrix) in both. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/spellings "$work/include"
paths="-Iinclude -Iinclude/win32 -I$work/include/win32"
windows="-fshort-wchar -DUNICODE -D_UNICODE $paths"
warn="-Wall -Wextra -Wpedantic -Werror"
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"

[[ -f build/libetw-win32.a && -f build/libtdh.a && -f build/libtdh.so && -x build/etw ]] || { echo "1..0 # SKIP not built"; exit 4; }
build/etw mc -um -h "$work" -r "$work" -z courier selftests/ported/courier.man

# program COMPILER SOURCE FLAG...: print what is wrong with a program of selftests/win32
# shellcheck disable=SC2086 # words in variables
program() {
	local compiler=$1 source=$2
	shift 2

	rm -rf "$work/files" && mkdir "$work/files"
	{ $compiler $warn $san $paths "$@" -o "$work/program.o" -c "$source" &&
		${compiler%% *} $san -pthread -o "$work/program" "$work/program.o" \
			build/libetw-win32.a build/libetw.a &&
		printf ke | LD_LIBRARY_PATH=build "$work/program" "$work/files" 'a b' '' 'q"\e' 'ä€'; } 2>&1 || echo "status $?"
}

# ported COMPILER FILE: print what is wrong when it compiles and links
# shellcheck disable=SC2086 # words in variables
ported() {
	local compiler=$1 file=$2

	{ $compiler $warn -Wno-unknown-pragmas $windows -I"$work" -Iselftests/kmod/etw_ported \
		-c -o "$work/ported.o" "$file" &&
		${compiler%% *} -pthread -o "$work/ported" "$work/ported.o" build/libetw-win32.a \
			build/libtdh.a build/libetw.a -lxml2 -lm; } 2>&1 || echo "$file: status $?"
}

# wmain COMPILER PARAMETERS BODY: print what is wrong with a program that has only this
# shellcheck disable=SC2086 # words in variables
wmain() {
	local compiler=$1

	printf '#include <windows.h>\nint wmain(%s)\n{\n%s\n}\n' "$2" "$3" >"$work/wmain.c"
	{ $compiler $windows -c -o "$work/wmain.o" "$work/wmain.c" &&
		${compiler%% *} -o "$work/wmain" "$work/wmain.o" build/libetw-win32.a build/libetw.a -pthread &&
		{ MARK=gr$'\303\274'n "$work/wmain" 'ä€🚚' || [[ $? -eq 7 ]]; }; } 2>&1 || echo "wmain($2)"
}

# check_wmain COMPILER: print what is wrong with programs of any kind of wmain()
# shellcheck disable=SC2016 # not this script's variables
check_wmain() {
	local text='return !wcscmp(argv[1], L"\x00E4\x20AC\xD83D\xDE9A") && !argv[2] && argc == 2 ? 7 : 1;'
	local find='while (*e && wcscmp(*e, L"MARK=gr\x00FCn")) e++; return *e ? 7 : 1;'

	wmain "$1" "void" "return 7;"
	wmain "$1" "int argc, WCHAR **argv" "$text"
	wmain "$1" "int argc, const wchar_t *argv[]" "$text"
	wmain "$1" "int argc, wchar_t *const argv[]" "$text"
	wmain "$1" "int argc, const wchar_t *const *argv" "$text"
	wmain "$1" "int argc, wchar_t **argv, wchar_t **e" "(void)argv; (void)argc; $find"
	wmain "$1" "int argc, const wchar_t **argv, const wchar_t **e" "(void)argv; (void)argc; $find"
}

# check_refused COMPILER: print which function of 32-bit units compiles with 16 bits
# shellcheck disable=SC2086 # words in variables
check_refused() {
	local name

	for name in fgetws mbstowcs wcstombs wcsftime swscanf wscanf getwchar wcscoll; do
		printf '#include <windows.h>\nvoid f(void);\nvoid f(void)\n{\n%s(1, 2);\n}\n' "$name" \
			>"$work/refused.c"
		{ $1 $windows -fsyntax-only "$work/refused.c" 2>&1 || :; } >"$work/refused"
		grep -q 'not with -fshort-wchar: this function takes 32-bit' "$work/refused" || echo "$name"
	done
}

# The sources of selftests/ported are as on Windows: CR LF in one of them.
check_line_ends() {
	grep -qc $'\r$' selftests/ported/provider.c || echo "provider.c has no CR LF"
}

c=("${CC:-gcc} -std=c11 -x c") cxx=("${CXX:-g++} -std=c++17 -x c++")
if command -v clang >/dev/null && command -v clang++ >/dev/null; then
	c+=("clang -std=c11 -x c") cxx+=("clang++ -std=c++17 -x c++")
fi
# C and C++, gcc and clang, 16 and 32 bits: each two of them meet.
short=("${c[0]}" "${cxx[-1]}") long=("${c[-1]}" "${cxx[0]}")
if [[ -n ${ETW_WHOLE-} ]]; then
	short=("${c[@]}" "${cxx[@]}") long=("${c[@]}" "${cxx[@]}")
fi
for file in selftests/win32/*.c; do
	for compiler in "${short[@]}"; do
		tap_result "$(program "$compiler" "$file" -fshort-wchar -DUNICODE -D_UNICODE)" \
			"$file: $compiler -fshort-wchar"
	done
	for compiler in "${long[@]}"; do
		tap_result "$(program "$compiler" "$file")" "$file: $compiler"
	done
done
for compiler in "${c[@]}" "${cxx[@]}"; do
	tap_result "$(check_wmain "$compiler")" "wmain: $compiler"
	tap_result "$(check_refused "$compiler")" "functions of 32-bit units: $compiler"
	for file in selftests/ported/*.c; do
		tap_result "$(ported "$compiler" "$file")" "$file: $compiler"
	done
done
for compiler in "${cxx[@]}"; do
	for file in selftests/ported/*.cpp; do
		tap_result "$(ported "$compiler" "$file")" "$file: $compiler"
	done
done
tap_result "$(check_line_ends)" "line ends"
echo "1..$tap_number"
exit "$tap_status"
