// SPDX-License-Identifier: GPL-2.0-only
/*
 * samples.c - what programs that use ETW call beside it, and <windows.h> alone declares
 *
 * Compiled and run like functions.c, by unit/tree/win32.sh.
 */
#include <windows.h>
#include <intsafe.h>
#include <strsafe.h>
#include <tchar.h>
#include "check.h"

#define W(s)	ETW_WIDE(s)
#ifdef __cplusplus
#define REF(guid)	(guid)
#else
#define REF(guid)	(&(guid))
#endif

static BOOL same(LPCWSTR one, LPCWSTR other)
{
	return one && other && !etw_wcscmp(one, other);
}

/* <windows.h> without WIN32_LEAN_AND_MEAN has COM, the shell and the byte order. */
static void check_whole(void)
{
	WCHAR text[39];
	LPWSTR more = NULL;
	GUID id = GUID_NULL;
	BYTE *zeroed;

	CHECK(StringFromGUID2(REF(GUID_NULL), text, 39) == 39);
	CHECK(same(text, W("{00000000-0000-0000-0000-000000000000}")));
	CHECK(CoCreateGuid(&id) == S_OK && memcmp(&id, &GUID_NULL, sizeof(id)));
	CHECK(StringFromCLSID(REF(id), &more) == S_OK);
	CHECK(etw_wcslen(more) == 38);
	CoTaskMemFree(more);
	CHECK(ntohs(0x1234) == 0x3412 && htonl(0x12345678) == 0x78563412);
	OutputDebugString(TEXT("no debugger"));
	CHECK(!IsDebuggerPresent());
	CHECK(!GlobalFree(GlobalAlloc(0, 10)) && UNICODE_NULL == 0);
	zeroed = (BYTE *)LocalAlloc(LPTR, 100);
	CHECK(zeroed && !zeroed[0] && !memcmp(zeroed, zeroed + 1, 99));
	LocalFree(zeroed);
	CHECK(LPTR == 0x40 && GPTR == 0x40 && GMEM_FIXED == 0);
	CHECK(HeapSetInformation(NULL, HeapEnableTerminationOnCorruption, NULL, 0));
}

static void check_types(void)
{
	BYTE data[8] = { 0, 0, 0, 0, 0, 0, 0x80, 0x3F };
	PFLOAT f = (PFLOAT)(PVOID)(data + 4);
	PSZ text = (PSZ)data;
	LPWORD word = (LPWORD)(PVOID)data;
	PINT8 small = (PINT8)data;
	PDWORD64 large = (PDWORD64)(PVOID)data;
	LPOLESTR ole = NULL;
	PCZZWSTR list = W("a\0b\0");

	CHECK(*f == 1.0f && !*text && !*word && !*small && *large == 0x3F80000000000000ull);
	CHECK(!ole && list[2] == 'b');
	CHECK(sizeof(WPARAM) == 8 && sizeof(LRESULT) == 8 && sizeof(HFILE) == 4);
}

/* As ETW's samples do: the same va_list measures and prints. */
static void print_list(WCHAR *to, char *narrow, const WCHAR *format, const char *narrow_format, ...)
{
	va_list list;

	va_start(list, narrow_format);
	CHECK(_vscwprintf(format, list) == 12);
	CHECK(vswprintf_s(to, 13, format, list) == 12);
	CHECK(_vscprintf(narrow_format, list) == 12);
	CHECK(vsprintf_s(narrow, 13, narrow_format, list) == 12);
	va_end(list);
}

/* What the flags of the Ex functions leave when the text does not fit, or nothing is there */
static void check_print_flags(void)
{
	char narrow[8], *end;
	WCHAR wide[4], *wide_end;
	size_t rest;

	memset(narrow, '#', sizeof(narrow));
	CHECK(StringCchPrintfExA(narrow, 4, &end, &rest, STRSAFE_FILL_ON_FAILURE | 'f', "%s",
				 "abcd") == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(!memcmp(narrow, "fff\0#", 5) && end == narrow + 3 && rest == 1);
	CHECK(FAILED(StringCchPrintfExA(narrow, 4, &end, &rest, STRSAFE_FILL_ON_FAILURE, "%s",
					"abcd")));
	CHECK(!memcmp(narrow, "\0\0\0\0#", 5) && end == narrow && rest == 4);
	CHECK(FAILED(StringCchPrintfExA(narrow, 4, &end, &rest, STRSAFE_FILL_ON_FAILURE |
					STRSAFE_NULL_ON_FAILURE | 'f', "%s", "abcd")));
	CHECK(!memcmp(narrow, "\0ff\0#", 5) && end == narrow && rest == 4);
	CHECK(FAILED(StringCbPrintfExW(wide, sizeof(wide), &wide_end, &rest,
				       STRSAFE_FILL_ON_FAILURE | 1, W("abcd"))));
	CHECK(wide[0] == 0x101 && wide[2] == 0x101 && !wide[3] && wide_end == wide + 3);
	CHECK(rest == sizeof(WCHAR));

	CHECK(StringCchPrintfExA(NULL, 0, &end, &rest, STRSAFE_IGNORE_NULLS, "") == S_OK);
	CHECK(!end && !rest);
	CHECK(FAILED(StringCchPrintfExA(NULL, 0, NULL, NULL, STRSAFE_IGNORE_NULLS, "a")));
	CHECK(FAILED(StringCchPrintfExA(NULL, 1, NULL, NULL, STRSAFE_IGNORE_NULLS, "%s", "")));
	CHECK(FAILED(StringCbPrintfExW(NULL, 8, NULL, &rest, 0, W("a"))));
}

static void check_print(void)
{
	WCHAR wide[16], *end;
	char narrow[16];
	size_t rest;

	print_list(wide, narrow, W("%u %I64X"), "%u %I64X", 1234u, 0xABCDEF0ull);
	CHECK(same(wide, W("1234 ABCDEF0")) && !strcmp(narrow, "1234 ABCDEF0"));
	CHECK(_scwprintf(W("%d"), 100) == 3 && _scprintf("%d%s", 10, "0") == 3);
	CHECK(_sctprintf(TEXT("%d"), 7) == 1);

	memset(wide, 1, sizeof(wide));
	CHECK(StringCbPrintfExW(wide, sizeof(wide), &end, NULL, 0, W("0x%I32X"), 99) == S_OK);
	CHECK(same(wide, W("0x63")) && end == wide + 4 && wide[5] == 0x101);
	CHECK(StringCbPrintfExW(wide, sizeof(wide) - 1, NULL, &rest, 0, W("abc")) == S_OK);
	CHECK(rest == 12 * sizeof(WCHAR) + 1);
	CHECK(StringCchPrintfExW(wide, 3, &end, &rest, 0, W("abc")) ==
	      STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(same(wide, W("ab")) && end == wide + 2 && rest == 1);
	CHECK(StringCchPrintfExA(narrow, 16, NULL, &rest, STRSAFE_IGNORE_NULLS |
				 STRSAFE_FILL_BEHIND_NULL | 7, NULL) == S_OK);
	CHECK(!narrow[0] && narrow[1] == 7 && narrow[15] == 7 && rest == 16);
	CHECK(StringCchPrintfExA(narrow, 3, NULL, NULL, STRSAFE_NULL_ON_FAILURE, "%s", "abc") ==
	      STRSAFE_E_INSUFFICIENT_BUFFER && !narrow[0] && narrow[1] == 'b');
	CHECK(StringCchPrintfExA(NULL, 0, NULL, NULL, 0, "x") == STRSAFE_E_INVALID_PARAMETER);

	CHECK(!memcpy_s(narrow, 16, "abc", 4) && !strcmp(narrow, "abc"));
	CHECK(memmove_s(narrow, 2, "xyz", 4) == ERANGE && narrow[0] == 'a');
	CHECK(memcpy_s(narrow, 2, "xyz", 4) == ERANGE && !narrow[0] && narrow[2] == 'c');
	CHECK(memcpy_s(NULL, 2, "x", 1) == EINVAL);
}

static void check_time(void)
{
	SYSTEMTIME time = { 2024, 2, 5, 9, 13, 5, 7, 0 }, wrong = { 2024, 2, 4, 31, 0, 0, 0, 0 };
	SYSTEMTIME midnight = { 2024, 2, 5, 9, 0, 5, 7, 0 };
	SYSTEMTIME odd = { 2024, 2, 0, 9, 24, 60, 60, 1000 }, of_no_day = { 0, 0, 9, 0, 1, 2, 3, 4 };
	WCHAR text[64];
	char narrow[64];

	CHECK(GetDateFormatW(LOCALE_USER_DEFAULT, 0, &time, W("yyyy'-'MM'-'dd"), text, 64) == 11);
	CHECK(same(text, W("2024-02-09")));
	CHECK(GetTimeFormatW(LOCALE_USER_DEFAULT, 0, &time, W("HH':'mm':'ss"), text, 64) == 9);
	CHECK(same(text, W("13:05:07")));
	CHECK(GetDateFormatW(0, 0, &time, W("dddd ddd d MMMM MMM M yy y 'o''clock'"), text, 64));
	CHECK(same(text, W("Friday Fri 9 February Feb 2 24 24 o'clock")));
	CHECK(GetTimeFormatW(0, 0, &time, W("h hh H m s t tt"), text, 64));
	CHECK(same(text, W("1 01 13 5 7 P PM")));
	CHECK(GetTimeFormatW(0, 0, &midnight, NULL, text, 64) && same(text, W("12:05:07 AM")));
	CHECK(GetTimeFormatW(0, TIME_FORCE24HOURFORMAT, &midnight, NULL, text, 64) &&
	      same(text, W("00:05:07")));
	CHECK(GetDateFormatW(0, 0, &time, NULL, text, 64) && same(text, W("2/9/2024")));
	CHECK(GetDateFormatW(0, DATE_LONGDATE, &time, NULL, NULL, 0) == 25);
	CHECK(!GetDateFormatW(0, 0, &time, NULL, text, 8));
	CHECK(GetLastError() == ERROR_INSUFFICIENT_BUFFER);
	CHECK(!GetDateFormatW(0, 0, &wrong, NULL, text, 64));
	CHECK(GetLastError() == ERROR_INVALID_PARAMETER);
	CHECK(!GetTimeFormatW(0, 0, &odd, NULL, text, 64));
	CHECK(GetLastError() == ERROR_INVALID_PARAMETER);
	CHECK(GetDateFormatW(0, 0, &odd, W("ddd, yyyyyyyyyyyyyyyyyyyyyyyy"), text, 64) == 10);
	CHECK(same(text, W("Fri, 2024")));
	CHECK(GetTimeFormatW(0, 0, &of_no_day, NULL, text, 64) && same(text, W("1:02:03 AM")));
	CHECK(GetTimeFormatW(0, TIME_NOTIMEMARKER, &time, NULL, text, 64) &&
	      same(text, W("1:05:07")));
	CHECK(GetTimeFormatW(0, TIME_NOMINUTESORSECONDS, &time, NULL, text, 64) &&
	      same(text, W("1 PM")));
	CHECK(GetTimeFormatW(0, TIME_NOSECONDS | TIME_FORCE24HOURFORMAT, &time, NULL, text, 64) &&
	      same(text, W("13:05")));
	CHECK(GetDateFormatA(0, 0, &time, "d.M.", narrow, 64) == 5 && !strcmp(narrow, "9.2."));
	CHECK(GetTimeFormatA(0, 0, NULL, "'\303\244'", narrow, 64) == 3);
}

static void check_sids(void)
{
	BYTE sid[SECURITY_MAX_SID_SIZE];
	DWORD size = sizeof(sid), names = 64, domains = 64;
	WCHAR name[64], domain[64];
	char narrow[64], narrow_domain[64];
	SID_IDENTIFIER_AUTHORITY authority = { { 0, 0, 0, 0, 0, 22 } };
	SID_NAME_USE use;

	CHECK(CreateWellKnownSid(WinWorldSid, NULL, sid, &size) && size == 12);
	CHECK(IsWellKnownSid(sid, WinWorldSid) && !IsWellKnownSid(sid, WinLocalSystemSid));
	size = 4;
	CHECK(!CreateWellKnownSid(WinBuiltinUsersSid, NULL, sid, &size) && size == 16);
	CHECK(GetLastError() == ERROR_INSUFFICIENT_BUFFER);
	CHECK(!CreateWellKnownSid((WELL_KNOWN_SID_TYPE)5, NULL, sid, &size));
	size = sizeof(sid);
	CHECK(CreateWellKnownSid(WinLocalSystemSid, NULL, sid, &size));
	CHECK(LookupAccountSidW(NULL, sid, name, &names, domain, &domains, &use));
	CHECK(same(name, W("SYSTEM")) && same(domain, W("NT AUTHORITY")));
	CHECK(names == 6 && domains == 12 && use == SidTypeWellKnownGroup);

	/* root, of which every machine has one */
	InitializeSid(sid, &authority, 2);
	*GetSidSubAuthority(sid, 0) = 1;
	names = domains = 64;
	CHECK(LookupAccountSidA(NULL, sid, narrow, &names, narrow_domain, &domains, &use));
	CHECK(!strcmp(narrow, "root") && !strcmp(narrow_domain, "Unix User") && use == SidTypeUser);
	names = 4;
	domains = 64;
	CHECK(!LookupAccountSidA(NULL, sid, narrow, &names, narrow_domain, &domains, &use));
	CHECK(GetLastError() == ERROR_INSUFFICIENT_BUFFER && names == 5 && domains == 10);
	*GetSidSubAuthority(sid, 1) = 4294967294u;
	names = domains = 64;
	CHECK(!LookupAccountSidW(NULL, sid, name, &names, domain, &domains, &use));
	CHECK(GetLastError() == ERROR_NONE_MAPPED);
}

static void check_interlocked(void)
{
	LONG volatile n = 5;
	LONG64 volatile large = 1ll << 40;
	PVOID volatile pointer = NULL;
	int here;

	CHECK(InterlockedIncrement(&n) == 6 && InterlockedDecrement(&n) == 5);
	CHECK(InterlockedExchange(&n, 9) == 5 && InterlockedExchangeAdd(&n, -1) == 9 && n == 8);
	CHECK(InterlockedCompareExchange(&n, 1, 7) == 8 && n == 8);
	CHECK(InterlockedCompareExchange(&n, 1, 8) == 8 && n == 1);
	CHECK(InterlockedOr(&n, 6) == 1 && InterlockedAnd(&n, 3) == 7 && InterlockedXor(&n, 1) == 3);
	CHECK(n == 2 && InterlockedIncrement64(&large) == (1ll << 40) + 1);
	CHECK(!InterlockedCompareExchangePointer(&pointer, &here, NULL));
	CHECK(InterlockedExchangePointer(&pointer, NULL) == &here && !pointer);
}

static void check_sums(void)
{
	ULONG sum = 1;
	USHORT small;
	SIZE_T size;
	LONG number;

	CHECK(ULongAdd(4000000000u, 1, &sum) == S_OK && sum == 4000000001u);
	CHECK(ULongAdd(4000000000u, 4000000000u, &sum) == INTSAFE_E_ARITHMETIC_OVERFLOW);
	CHECK(sum == DWORD_MAX && ULongSub(1, 2, &sum) != S_OK);
	CHECK(SizeTMult((SIZE_T)1 << 40, 1 << 30, &size) != S_OK && size == SIZE_T_MAX);
	CHECK(SizeTToUShort(65535, &small) == S_OK && small == USHORT_MAX);
	CHECK(SizeTToUShort(65536, &small) != S_OK && LongToULong(-1, &sum) != S_OK);
	CHECK(LongMult(-5, 3, &number) == S_OK && number == -15);
	CHECK(IntAdd(INT_MAX, 1, &number) != S_OK && number == -1);
	CHECK(WordSub(1, 2, &small) != S_OK && small == WORD_MAX && MAXWORD == WORD_MAX);
	CHECK(Int32x32To64(-2, 0x7FFFFFFF) == -0xFFFFFFFEll);
	CHECK(UInt32x32To64(-1, -1) == 0xFFFFFFFE00000001ull && MAXBYTE == BYTE_MAX);
	CHECK(__max(1, 2) == 2 && __min(1, 2) == 1);
	CHECK(2 * (USHORT_MAX + 1) == 131072);
}

static void check_path(const TCHAR *relative, const TCHAR *end)
{
	TCHAR path[4096];
	size_t n;

	CHECK(_tfullpath(path, relative, 4096) && path[0] == '/');
	n = _tcslen(path);
	CHECK(n >= _tcslen(end) && !_tcscmp(path + n - _tcslen(end), end));
	CHECK(!_tfullpath(path, relative, n));
}

static void check_paths(void)
{
	char narrow[16], here[4096], empty[4096];
	WCHAR *made = _wfullpath(NULL, W("/a/\x00E4"), 0);

	check_path(TEXT("no-such/file.etl"), TEXT("/no-such/file.etl"));
	check_path(TEXT("one/./two/..//three/"), TEXT("/one/three"));
	CHECK(_fullpath(narrow, "/../..", 16) && !strcmp(narrow, "/"));
	CHECK(_fullpath(narrow, "/.a/..b/.../", 16) && !strcmp(narrow, "/.a/..b/..."));
	CHECK(same(made, W("/a/\x00E4")));
	free(made);
	made = _wfullpath(NULL, NULL, 0);
	CHECK(made && made[0] == '/' && etw_wcslen(made) > 1);
	CHECK(_fullpath(here, NULL, sizeof(here)) && _fullpath(empty, "", sizeof(empty)));
	CHECK(!strcmp(here, empty) && here[0] == '/');
	free(made);
}

/* Functions of TDH and of consumers, although this program is linked with libetw.a only */
static void check_library(void)
{
	ULONG (*size)(PVOID, ULONG, PVOID, ULONG, PVOID, PULONG);
	HMODULE tdh = LoadLibrary(TEXT("tdh.dll"));

	*(FARPROC *)&size = GetProcAddress(tdh, "TdhGetPropertySize");
	CHECK(size && size(NULL, 0, NULL, 0, NULL, NULL) == ERROR_INVALID_PARAMETER);
	CHECK(GetProcAddress(GetModuleHandle(TEXT("advapi32")), "OpenTraceW"));
	CHECK(!GetProcAddress(tdh, "TdhNoSuchFunction") && GetLastError() == ERROR_PROC_NOT_FOUND);
	CHECK(FreeLibrary(tdh));
}

/* The rules that Microsoft documents for arguments, and our own line read back */
static void check_line(int argc, char **argv)
{
	static const WCHAR rules[] =
		W("\"a \\b\"c\\ 1 \"\" \"x y\"z  \\\\\"q r\\\\\" \\\"s\\\\\\\"t \"u\"\"v\" w\\\\");
	static const WCHAR *const found[] = { W("a \\bc\\"), W("1"), W(""), W("x yz"), W("\\q r\\"),
					      W("\"s\\\"t"), W("u\"v"), W("w\\\\") };
	int count = 0, i;
	LPWSTR *list = CommandLineToArgvW(rules, &count);

	CHECK(count == 8);
	for (i = 0; list && i < count && i < 8; i++)
		CHECK(same(list[i], found[i]));
	CHECK(!list || !list[count]);
	LocalFree(list);

	list = CommandLineToArgvW(GetCommandLineW(), &count);
	CHECK(count == argc && GetCommandLineA() == GetCommandLineA());
	for (i = 0; list && i < count && i < argc; i++) {
		WCHAR *wide = etw_widen(argv[i]);

		CHECK(same(list[i], wide));
		free(wide);
	}
	GlobalFree(list);
	list = CommandLineToArgvW(W(""), &count);
	CHECK(list && count == 1 && list[0][0] == '/' && !list[1]);
	for (i = 0; list && list[0][i]; i++)
		CHECK(list[0][i] != '"');
	LocalFree(list);
	CHECK(!CommandLineToArgvW(NULL, &count) && GetLastError() == ERROR_INVALID_PARAMETER);
}

int main(int argc, char **argv)
{
	check_whole();
	check_types();
	check_print();
	check_print_flags();
	check_time();
	check_sids();
	check_interlocked();
	check_sums();
	check_paths();
	check_library();
	check_line(argc, argv);
	return check_failed;
}
