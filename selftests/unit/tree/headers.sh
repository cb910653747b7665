#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# headers.sh - the public headers compile wherever a user includes them
#
# Each header is compiled alone, once as C and once as C++; all of them, in both
# orders, as C by gcc and as C++ by clang, with and without 16-bit wchar_t, UNICODE and
# include/win32 on the path, without a warning.  Then a program that uses include/win32 is
# run.  With ETW_WHOLE=1 (make check-matrix) each header is compiled alone in all these ways,
# by every compiler, also with GNU extensions.  Prints TAP.
#
# CC and CXX name the compilers; clang is used as well where it is installed.
#
# shellcheck disable=SC2086 # words in variables: flags, headers, compilers, patterns

set -u

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd) || exit 1
inc=$top/include
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

warn='-Wall -Wextra -Wpedantic -Werror'
public='TraceLoggingProvider.h TraceLoggingActivity.h
	wmistr.h evntprov.h evntrace.h evntcons.h tdh.h etw/wintypes.h etw/winerror.h
	etw/mc/user.h etw/abi.h etw/abi_access.h etw/abi_filter.h etw/format.h etw/filter.h etw/decode.h
	relogger.h unknwn.h'
"$top/scripts/spellings" "$tmp/include" || exit 1
other=$tmp/include/win32
own=$(cd "$inc/win32" && ls -- *.h) || exit 1
win32="$own $(cd "$other" && ls -- *.h)" || exit 1
whole=${ETW_WHOLE:-}

count=0
failed=0

# result NAME STATUS: print one TAP line; the compiler's messages are in $tmp/log
result() {
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$tmp/log"
	fi
}

# try NAME LANGUAGE COMMAND...: compile the sources $tmp/src/*.LANGUAGE
try() {
	name=$1 lang=$2
	shift 2
	"$@" $warn -fsyntax-only "$tmp"/src/*."$lang" >"$tmp/log" 2>&1
	result "$name" $?
}

# sources LANGUAGE HEADERS...: a file for each order of all headers, in $tmp/src
sources() {
	lang=$1
	shift
	rm -rf "$tmp/src"
	mkdir "$tmp/src"
	printf '#include <%s>\n' "$@" >"$tmp/src/forth.$lang"
	tac "$tmp/src/forth.$lang" >"$tmp/src/back.$lang"
	for src in "$tmp"/src/*; do
		echo 'extern int not_empty;' >>"$src"
	done
}

# each LANGUAGE HEADERS...: such a file for each header by itself, twice for its guard
each() {
	lang=$1
	shift
	number=0
	for h; do
		number=$((number + 1))
		printf '#include <%s>\n#include <%s>\nextern int not_empty;\n' "$h" "$h" \
			>"$tmp/src/alone$number.$lang"
	done
}

# program: print a source, C and C++, that uses the additions of include/win32
program() {
	cat <<'END'
#define UNICODE
#include <initguid.h>
#include <Windows.h>
#include <EvntProv.h>
#include <Evntrace.h>
#include <evntcons.h>
#include <strsafe.h>
#include <WinMeta.h>

DEFINE_GUID(Sample, 0x01234567, 0x89ab, 0xcdef,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef);

#ifdef __cplusplus
#define REF(guid) guid
#else
#define REF(guid) &guid
#endif

static int bad;

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			printf("line %d: %s\n", __LINE__, #cond);	\
			bad = 1;					\
		}							\
	} while (0)

static void check_strsafe(void)
{
	CHAR a[4];
	WCHAR w[4];
	WCHAR hello[] = { 'h', 'e', 'l', 'l', 'o', 0 };
	size_t n = 9;

	CHECK(StringCchCopyA(a, 4, "abc") == S_OK && !strcmp(a, "abc"));
	CHECK(StringCchCopyA(a, 4, "abcd") == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(!strcmp(a, "abc"));
	CHECK(StringCchCopyA(a, 0, "a") == STRSAFE_E_INVALID_PARAMETER);
	CHECK(StringCchCopyNA(a, 4, "abcd", 2) == S_OK && !strcmp(a, "ab"));
	CHECK(StringCchCatA(a, 4, "c") == S_OK && !strcmp(a, "abc"));
	CHECK(StringCchCatA(a, 4, "d") == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(StringCchCatA(a, 3, "d") == STRSAFE_E_INVALID_PARAMETER);
	CHECK(StringCchLengthA(a, 4, &n) == S_OK && n == 3);
	CHECK(StringCchLengthA(a, 3, &n) == STRSAFE_E_INVALID_PARAMETER && n == 0);
	CHECK(StringCchPrintfA(a, 4, "%d", 123) == S_OK && !strcmp(a, "123"));
	CHECK(StringCbPrintfA(a, 4, "%d", 1234) == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(!strcmp(a, "123"));

	CHECK(StringCchCopy(w, 4, hello) == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(w[2] == 'l' && w[3] == 0);
	CHECK(StringCbCopyW(w, 7, hello) == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(w[1] == 'e' && w[2] == 0);
	CHECK(StringCbLengthW(w, sizeof(w), &n) == S_OK && n == 4);
	CHECK(StringCchCatW(w, 4, hello + 4) == S_OK && w[2] == 'o' && w[3] == 0);
}

static void check_wide(void)
{
	WCHAR abc[] = { 'a', 'b', 'c', 0 }, Abd[] = { 'A', 'b', 'd', 0 };
	WCHAR bc[] = { 'b', 'c', 0 }, none[] = { 0 };
	WCHAR buf[8];
	WCHAR *copy;

	CHECK(sizeof(WCHAR) == 2);
	CHECK(etw_wcslen(abc) == 3 && etw_wcsnlen(abc, 2) == 2);
	CHECK(etw_wcscmp(abc, abc) == 0 && etw_wcscmp(abc, Abd) > 0);
	CHECK(etw_wcscmp(bc, none) > 0 && etw_wcscmp(none, bc) < 0);
	CHECK(etw_wcsicmp(abc, Abd) < 0 && etw_wcsnicmp(abc, Abd, 2) == 0);
	CHECK(etw_wcscpy(buf, abc) == buf && etw_wcscmp(buf, abc) == 0);
	CHECK(etw_wcslen(etw_wcscat(buf, bc)) == 5 && buf[4] == 'c' && buf[5] == 0);
	CHECK(etw_wcschr(buf, 'c') == buf + 2 && etw_wcsrchr(buf, 'c') == buf + 4);
	CHECK(!etw_wcschr(buf, 'x') && !etw_wcsrchr(buf, 'x'));
	CHECK(etw_wcschr(buf, 0) == buf + 5 && etw_wcsrchr(buf, 0) == buf + 5);
	CHECK(etw_wcsstr(buf, bc) == buf + 1 && !etw_wcsstr(buf, Abd));
	CHECK(etw_wcsstr(buf, none) == buf);
	CHECK(etw_wcsncat(buf, abc, 1)[5] == 'a' && buf[6] == 0);
	CHECK(etw_wcsncpy(buf, bc, 4)[1] == 'c' && buf[2] == 0 && buf[3] == 0);
	copy = etw_wcsdup(abc);
	CHECK(copy && etw_wcscmp(copy, abc) == 0);
	free(copy);
#if __SIZEOF_WCHAR_T__ == 2
	CHECK(wcslen(L"four") == 4 && _wcsicmp(L"Four", L"fOUR") == 0);
	CHECK(wcscmp(wcscpy(buf, L"four"), L"four") == 0);
	CHECK(!wcscmp(KERNEL_LOGGER_NAME, L"NT Kernel Logger"));
#endif
}

static void check_windows(void)
{
	static const char zeroes[3900] = "";
	BYTE bytes[3] = { 1, 2, 3 };
	GUID guid = Sample;
	char *p;

	CHECK(IsEqualGUID(REF(guid), REF(Sample)));
	guid.Data4[7] ^= 1;
	CHECK(!IsEqualGUID(REF(guid), REF(Sample)));
	CHECK(!IsEqualGUID(REF(EventTraceGuid), REF(SystemTraceControlGuid)));
	ZeroMemory(bytes, sizeof(bytes));
	CHECK(bytes[0] == 0 && bytes[2] == 0 && _countof(bytes) == 3);
	CHECK(HRESULT_FROM_WIN32(ERROR_ACCESS_DENIED) == E_ACCESSDENIED);
	CHECK(HRESULT_FROM_WIN32(ERROR_SUCCESS) == S_OK && SUCCEEDED(S_FALSE));
	CHECK(HRESULT_FROM_WIN32(E_FAIL) == E_FAIL && FAILED(E_FAIL));
	CHECK(GetCurrentProcessId() == (DWORD)getpid() && GetCurrentThreadId());
	CHECK(_stricmp("AbC", "aBc") == 0);
	p = (char *)HeapAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, 16);
	CHECK(p && p[0] == 0 && p[15] == 0);
	memset(p, 1, 16);
	p = (char *)HeapReAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, p, 100);
	CHECK(p && p[15] == 1 && !memcmp(p + 16, zeroes, 84));
	memset(p, 2, 100);
	CHECK(!HeapReAlloc(GetProcessHeap(), HEAP_REALLOC_IN_PLACE_ONLY, p, 1 << 30));
	p = (char *)HeapReAlloc(GetProcessHeap(), HEAP_ZERO_MEMORY, p, 4000);
	CHECK(p && p[99] == 2 && !memcmp(p + 100, zeroes, 3900));
	CHECK(HeapFree(GetProcessHeap(), 0, p));
	CHECK(!HeapReAlloc(GetProcessHeap(), 0, NULL, 1));
	CHECK(INVALID_PROCESSTRACE_HANDLE == (TRACEHANDLE)(ULONG_PTR)INVALID_HANDLE_VALUE);
	CHECK(FIELD_OFFSET(EVENT_RECORD, UserData) == 96);
	CHECK(WINEVENT_KEYWORD_RESERVED_63 == 1ULL << 63);
	Sleep(0);
	Sleep(1);
}

int main(void)
{
	check_strsafe();
	check_wide();
	check_windows();
	return bad;
}
END
}

# run NAME LANGUAGE COMMAND...: build and run the program above
run() {
	name=$1 lang=$2
	shift 2
	program >"$tmp/prog.$lang"
	"$@" $warn -I"$inc" -I"$inc/win32" -I"$other" -o "$tmp/prog" "$tmp/prog.$lang" \
		>"$tmp/log" 2>&1 && "$tmp/prog" >"$tmp/log" 2>&1
	result "$name" $?
}

# alone COMMAND LANGUAGE STANDARD: compile each header by itself, in one way; other
# spellings of a name only include it
alone() {
	sources "$2" $public
	each "$2" $public
	try "$1 -std=$3, each public header" "$2" $1 -std="$3" -I"$inc"
	sources "$2" $own
	each "$2" $own
	try "$1 -std=$3, each win32 header" "$2" $1 -std="$3" -I"$inc" -I"$inc/win32" -I"$other"
}

# compiler COMMAND LANGUAGE STANDARD...: compile the headers in all ways
compiler() {
	cmd=$1 lang=$2
	shift 2
	for std; do
		for wide in '' -fshort-wchar; do
			label="$cmd -std=$std${wide:+ $wide}"

			sources "$lang" $public
			[ -z "$whole" ] || each "$lang" $public
			try "$label, public headers" "$lang" \
				$cmd -std="$std" $wide -I"$inc"
			try "$label, public headers, UNICODE" "$lang" \
				$cmd -std="$std" $wide -DUNICODE -I"$inc"
			try "$label, public headers, win32 on the path" "$lang" \
				$cmd -std="$std" $wide -I"$inc" -I"$inc/win32" -I"$other"
			sources "$lang" $win32 $public
			[ -z "$whole" ] || each "$lang" $win32 $public
			try "$label, win32 headers" "$lang" \
				$cmd -std="$std" $wide -I"$inc" -I"$inc/win32" -I"$other"
			try "$label, win32 headers, UNICODE" "$lang" \
				$cmd -std="$std" $wide -DUNICODE -I"$inc" -I"$inc/win32" -I"$other"
			run "$label, program" "$lang" $cmd -std="$std" $wide
		done
	done
}

# c_linkage COMPILER: all headers inside extern "C" { }, where Microsoft's samples have <windows.h>
c_linkage() {
	sources cc $own $public
	includes=$(cat "$tmp/src/forth.cc")
	rm "$tmp/src/back.cc"
	printf 'extern "C" {\n%s\n}\n' "$includes" >"$tmp/src/forth.cc"
	for wide in '' -fshort-wchar; do
		try "$1 $wide, extern \"C\" { }" cc $1 -std=c++17 $wide -DUNICODE \
			-I"$inc" -I"$inc/win32" -I"$other"
	done
}

# loader COMPILER: the loader of a BPF program; libbpf's header needs GNU's C
loader() {
	rm -f "$tmp"/src/*
	cp "$top/user/samples/sample_bpf/sample_bpf.c" "$tmp/src/"
	try "$1 -std=gnu11, loader of a BPF program" c $1 -std=gnu11 -I"$inc" \
		-I"$top/user/samples/sample_bpf"
}

c=${CC:-gcc} cxx=${CXX:-g++} clang='' clangxx=''
if [ "$c" != clang ] && command -v clang >/dev/null 2>&1; then
	clang=clang
fi
if [ "$cxx" != clang++ ] && command -v clang++ >/dev/null 2>&1; then
	clangxx='clang++'
fi
if [ -n "$whole" ]; then
	compiler "$c" c c11 gnu11
	compiler "$cxx" cc c++17 gnu++17
	[ -z "$clang" ] || compiler "$clang" c c11 gnu11
	[ -z "$clangxx" ] || compiler "$clangxx" cc c++17 gnu++17
else
	alone "$c" c c11
	alone "$cxx" cc c++17
	compiler "$c" c c11
	compiler "${clangxx:-$cxx}" cc c++17
fi

loader "$c"
c_linkage "$cxx"
[ -z "$clangxx" ] || c_linkage "$clangxx"

echo "1..$count"
[ $failed -eq 0 ]
