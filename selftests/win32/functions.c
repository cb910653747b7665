// SPDX-License-Identifier: GPL-2.0-only
/*
 * functions.c - the functions of include/win32 that print, convert and name things
 *
 * C and C++, with and without -fshort-wchar; compiled and run by unit/tree/win32.sh.
 * W("text") is a WCHAR string.  The argument is a directory for files.
 */
#include <windows.h>
#include <conio.h>
#include <io.h>
#include <objbase.h>
#include <sddl.h>
#include <strsafe.h>
#include <tchar.h>
#include <winsock2.h>
#include "check.h"

#define W(s)	ETW_WIDE(s)

/* Does this format give this text, in a wide and in a narrow format? */
#define BOTH(text, format, ...)						\
	do {								\
		WCHAR wide[200];					\
		char narrow[200];					\
		int n = etw_swprintf(wide, 200, W(format), __VA_ARGS__);	\
		int m = etw_snprintf(narrow, 200, format, __VA_ARGS__);	\
		CHECK(n == (int)etw_wcslen(W(text)));			\
		CHECK(m == (int)strlen(text));				\
		CHECK(!etw_wcscmp(wide, W(text)));			\
		CHECK(!strcmp(narrow, text));				\
	} while (0)

static void check_numbers(void)
{
	DWORD error = 0xC0000005;
	LONG negative = -3;

	BOTH("-3 4294967293", "%ld %lu", negative, negative);
	BOTH("c0000005 0XC0000005", "%lx %#lX", error, error);
	BOTH("1311768467463790320", "%I64d", 0x123456789ABCDEF0ll);
	BOTH("123456789abcdef0", "%I64x", 0x123456789ABCDEF0ll);
	BOTH("123456789abcdef0 5", "%llx %I32u", 0x123456789ABCDEF0ll, 5);
	BOTH("18446744073709551615", "%zu", (size_t)-1);
	BOTH("-1 ffffffffffffffff", "%Id %Ix", (ptrdiff_t)-1, (size_t)-1);
	BOTH("-1 65535 -1 255", "%hd %hu %hhd %hhu", -1, -1, -1, -1);
	BOTH("   42|42   |00042|+42", "%5d|%-5d|%05d|%+d", 42, 42, 42, 42);
	BOTH("  042|42   ", "%5.3d|%*d", 42, -5, 42);
	BOTH("00000000DEADBEEF", "%p", (void *)(ULONG_PTR)0xDEADBEEF);
	BOTH("2.50 2.5 1e+10", "%.2f %lg %g", 2.5, 2.5, 1e10);
	BOTH("777 0X1F %", "%o %#X %%", 511, 31);
#if __SIZEOF_WCHAR_T__ == 2
	BOTH("12345678901234567890", "%" PRIu64, (UINT64)12345678901234567890ull);
#endif
}

static void check_text(void)
{
	static const char unterminated[3] = { 'a', 'b', 'c' };
	static const WCHAR wide3[3] = { 'x', 'y', 'z' };
	WCHAR w[40];
	char a[40];

	BOTH("narrow wide", "%hs %ls", "narrow", W("wide"));
	BOTH("wide n W", "%ws %hc %lc", W("wide"), 'n', 'W');
	BOTH("   ab|ab   ", "%5.2hs|%-5.2hs", "abc", "abc");
	BOTH("(null)(nu", "%hs%.3ls", (char *)NULL, (WCHAR *)NULL);
	BOTH("ab xy", "%.*hs %.*ls", 2, unterminated, 2, wide3);
	BOTH("abc xyz", "%.3hs %.3ls", unterminated, wide3);
	CHECK(etw_swprintf(w, 40, W("%s %S %c%C"), W("w"), "n", 'c', 'C') == 6);
	CHECK(!etw_wcscmp(w, W("w n cC")));
	CHECK(etw_snprintf(a, 40, "%s %S %c%C", "n", W("w"), 'c', 'C') == 6);
	CHECK(!strcmp(a, "n w cC"));
	/* Beyond ASCII: units in wide text, bytes in narrow text */
	CHECK(etw_swprintf(w, 40, W("%hs"), "\xE2\x82\xAC\xF0\x9F\x9A\x9A") == 3);
	CHECK(w[0] == 0x20AC && w[1] == 0xD83D && w[2] == 0xDE9A && !w[3]);
	CHECK(etw_snprintf(a, 40, "%ls", w) == 7 && !strcmp(a, "\xE2\x82\xAC\xF0\x9F\x9A\x9A"));
	w[1] = 0xDE9A;
	CHECK(etw_snprintf(a, 40, "%ls", w) == 9 && !strncmp(a + 3, "\xEF\xBF\xBD", 3));
	CHECK(etw_swprintf(w, 40, W("%.2hs"), "\xE2\x82\xAC") == 2 && w[0] == 0xFFFD);
	/* Refused, without a trace */
	CHECK(etw_swprintf(w, 40, W("a%n"), (int *)NULL) == -1 && !w[0] && errno == EINVAL);
	CHECK(etw_swprintf(w, 40, W("a%")) == -1 && etw_swprintf(w, 40, W("%y"), 1) == -1);
}

static void check_sizes(void)
{
	TCHAR t[4];
	WCHAR w[4];
	char a[4];

	CHECK(etw_swprintf(w, 4, W("%d"), 1234) == -1 && !etw_wcscmp(w, W("123")));
	CHECK(etw_snprintf(a, 4, "%d", 1234) == 4 && !strcmp(a, "123"));
	CHECK(_snwprintf(w, 4, W("abc")) == 3 && _snprintf(a, 4, "abcd") == -1 && !a[3]);
	CHECK(_swprintf(w, W("%d"), 123) == 3 && !etw_wcscmp(w, W("123")));
	CHECK(_stprintf(t, _T("%d%s"), 1, _T("x")) == 2 && _tcslen(t) == 2);
	CHECK(swprintf_s(w, 4, W("%d"), 1234) == -1 && !w[0] && errno == ERANGE);
	CHECK(sprintf_s(a, 4, "%d", 123) == 3 && !strcmp(a, "123"));
	CHECK(_snwprintf_s(w, 4, _TRUNCATE, W("abcdef")) == -1 && !etw_wcscmp(w, W("abc")));
	CHECK(_snprintf_s(a, 4, 2, "abcdef") == -1 && !strcmp(a, "ab"));
	CHECK(!wcscpy_s(w, 4, W("abc")) && wcscpy_s(w, 4, W("abcd")) == ERANGE && !w[0]);
	CHECK(!wcsncpy_s(w, 4, W("abcdef"), 2) && !etw_wcscmp(w, W("ab")));
	CHECK(!wcscat_s(w, 4, W("c")) && wcscat_s(w, 4, W("d")) == ERANGE && !w[0]);
	CHECK(!wcsncpy_s(w, 4, W("abcdef"), _TRUNCATE) && !etw_wcscmp(w, W("abc")));
	CHECK(strcpy_s(a, 4, "abcd") == ERANGE && !a[0] && strcpy_s(a, 4, NULL) == EINVAL);
	CHECK(!strcpy_s(a, 4, "ab") && !strcat_s(a, 4, "c") && strcat_s(a, 4, "d") == ERANGE);
	CHECK(StringCchPrintfW(w, 4, W("%s"), W("abcd")) == STRSAFE_E_INSUFFICIENT_BUFFER);
	CHECK(!etw_wcscmp(w, W("abc")));
	CHECK(StringCbPrintfW(w, 7, W("%d"), 12) == S_OK && !etw_wcscmp(w, W("12")));
	CHECK(StringCbPrintfW(w, 1, W("x")) == STRSAFE_E_INVALID_PARAMETER);
	CHECK(StringCchPrintfW(w, 4, W("%n"), (int *)NULL) == STRSAFE_E_INVALID_PARAMETER);
	CHECK(StringCchCopyW(w, 4, W("a")) == S_OK &&
	      StringCchCatNW(w, 4, W("bcde"), 2) == S_OK && !etw_wcscmp(w, W("abc")));
	CHECK(StringCchPrintfA(a, 4, "%d", 77) == S_OK && !strcmp(a, "77"));
}

static void check_strings(void)
{
	WCHAR text[] = { 'a', ' ', 'B', 'b', ',', 'c', 0 }, *next, *end;
	WCHAR many[3] = { 'q', 'r', 's' };

	CHECK(!etw_wcscmp(etw_wcstok(text, W(" ,"), &next), W("a")));
	CHECK(!etw_wcscmp(_wcslwr(etw_wcstok(NULL, W(" ,"), &next)), W("bb")));
	CHECK(!etw_wcscmp(etw_wcstok(NULL, W(" ,"), &next), W("c")));
	CHECK(!etw_wcstok(NULL, W(" ,"), &next));
	CHECK(etw_wcsspn(W("aab"), W("a")) == 2 && etw_wcscspn(W("aab"), W("b")) == 2);
	CHECK(*etw_wcspbrk(W("aab"), W("xb")) == 'b' && !etw_wcspbrk(W("aab"), W("x")));
	CHECK(etw_wmemchr(many, 's', 3) == many + 2 && !etw_wmemchr(many, 't', 3));
	CHECK(!etw_wmemcmp(many, etw_wmemset(many, 'z', 3), 3) && many[2] == 'z');
	CHECK(_wtoi(W(" -12x")) == -12 && _wtoi64(W("99999999999")) == 99999999999ll);
	CHECK(etw_wcstoul(W("0xFFFFFFFF"), &end, 0) == 0xFFFFFFFF && !*end);
	CHECK(etw_wcstoul(W("-1"), NULL, 10) == 0xFFFFFFFF);
	errno = 0;
	CHECK(etw_wcstol(W("3000000000"), NULL, 10) == 0x7FFFFFFF && errno == ERANGE);
	CHECK(etw_wcstod(W("2.5e1z"), &end) == 25 && *end == 'z');
	CHECK(_byteswap_ushort(0x1234) == 0x3412 && lstrlenW(W("abc")) == 3);
}

static void check_stream(const char *directory)
{
	char path[300], got[100];
	FILE *file;
	size_t n;

	etw_snprintf(path, sizeof(path), "%s/stream", directory);
	CHECK(!fopen_s(&file, path, "w+") && file);
	CHECK(etw_fwprintf(file, W("%s|%5.1f|"), W("\x00E4"), 2.25) == 8);
	CHECK(etw_fprintf(file, "%ls|%lu", W("\x20AC"), (DWORD)7) == 5);
	CHECK(!etw_fputws(W("%d\n"), file) && etw_putwc('!', file) == '!');
	CHECK(etw_fwprintf(file, W("lost%n"), (int *)NULL) == -1);
	rewind(file);
	n = fread(got, 1, sizeof(got) - 1, file);
	got[n] = 0;
	CHECK(!strcmp(got, "\xC3\xA4|  2.2|\xE2\x82\xAC|7%d\n!"));
	CHECK(_fileno(file) >= 0 && _setmode(_fileno(file), _O_U16TEXT) != -1);
	fclose(file);
	CHECK(fopen_s(&file, "/nonexistent/file", "r") == ENOENT && !file);
}

static void check_conversion(void)
{
	WCHAR w[8];
	char a[8];
	BOOL used;

	CHECK(MultiByteToWideChar(CP_UTF8, 0, "\xE2\x82\xAC" "a", -1, NULL, 0) == 3);
	CHECK(MultiByteToWideChar(CP_UTF8, 0, "\xE2\x82\xAC" "a", -1, w, 8) == 3 && w[0] == 0x20AC);
	CHECK(!MultiByteToWideChar(CP_ACP, 0, "abc", 3, w, 2) &&
	      GetLastError() == ERROR_INSUFFICIENT_BUFFER);
	CHECK(MultiByteToWideChar(CP_ACP, 0, "a\xFF", 2, w, 8) == 2 && w[1] == 0xFFFD);
	CHECK(!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, "\xFF", 1, w, 8) &&
	      GetLastError() == ERROR_NO_UNICODE_TRANSLATION);
	CHECK(MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, "\xEF\xBF\xBD", 3, w, 8) == 1);
	CHECK(!MultiByteToWideChar(CP_UTF8, 0, "a", 0, w, 8) &&
	      GetLastError() == ERROR_INVALID_PARAMETER);
	CHECK(WideCharToMultiByte(CP_UTF8, 0, W("\x20AC"), -1, a, 8, NULL, &used) == 4 && !used);
	CHECK(!WideCharToMultiByte(CP_UTF8, 0, W("\x20AC"), 1, a, 2, NULL, NULL));
	w[0] = 0xD800;
	CHECK(WideCharToMultiByte(CP_UTF8, 0, w, 1, NULL, 0, NULL, &used) == 3 && used);
	CHECK(!WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, w, 1, a, 8, NULL, NULL));
}

static DWORD format_list(LPWSTR to, LPCWSTR format, ...)
{
	va_list list;
	DWORD n;

	va_start(list, format);
	n = FormatMessageW(FORMAT_MESSAGE_FROM_STRING, format, 0, 0, to, 60, &list);
	va_end(list);
	return n;
}

static void check_messages(void)
{
	DWORD_PTR wide[] = { (DWORD_PTR)W("one"), 42, (DWORD_PTR)"narrow" };
	DWORD_PTR narrow[] = { (DWORD_PTR)"one", 42 };
	DWORD flags = FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_ARGUMENT_ARRAY;
	WCHAR w[60];
	LPSTR text = NULL;
	char a[60];

	CHECK(FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM, NULL, ERROR_ACCESS_DENIED, 0, w, 60, NULL) == 19);
	CHECK(!etw_wcscmp(w, W("Access is denied.\r\n")));
	CHECK(FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | 0xFF, NULL, (DWORD)E_ACCESSDENIED, 0, a, 60, NULL) &&
	      !strcmp(a, "Access is denied. "));
	CHECK(FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_ALLOCATE_BUFFER, NULL,
			     ERROR_WMI_INSTANCE_NOT_FOUND, 0, (LPSTR)&text, 0, NULL) && text &&
	      !strcmp(text, "The session was not found.\r\n"));
	LocalFree(text);
	CHECK(!FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM, NULL, 0x12345, 0, w, 60, NULL) &&
	      GetLastError() == ERROR_MR_MID_NOT_FOUND);
	CHECK(!FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM, NULL, 5, 0, w, 19, NULL) &&
	      GetLastError() == ERROR_INSUFFICIENT_BUFFER);
	CHECK(FormatMessageW(flags, W("%1 %2!05d! %3!hs!%n%%%!%0x"), 0, 0, w, 60, (va_list *)wide));
	CHECK(!etw_wcscmp(w, W("one 00042 narrow\r\n%!")));
	CHECK(FormatMessageA(flags, "%2!u!:%1", 0, 0, a, 60, (va_list *)narrow) == 6 &&
	      !strcmp(a, "42:one"));
	CHECK(format_list(w, W("%3!d! %1!d! %2!I64x!"), 1, 2ll, 3) == 5 && !etw_wcscmp(w, W("3 1 2")));
	CHECK(FormatMessageW(FORMAT_MESSAGE_FROM_STRING | FORMAT_MESSAGE_IGNORE_INSERTS, W("%1 %2!d! x"),
			     0, 0, w, 60, NULL) && !etw_wcscmp(w, W("%1 %2!d! x")));
	/* No arguments, two of them, or a number that is not there as an integer */
	CHECK(!FormatMessageW(FORMAT_MESSAGE_FROM_STRING, W("%1"), 0, 0, w, 60, NULL));
	CHECK(!FormatMessageW(flags, W("%1!*d!"), 0, 0, w, 60, (va_list *)wide) &&
	      GetLastError() == ERROR_INVALID_PARAMETER);
	CHECK(!FormatMessageW(flags, W("%1!f!"), 0, 0, w, 60, (va_list *)wide));
	CHECK(!FormatMessageW(flags, W("%1!s%s!"), 0, 0, w, 60, (va_list *)wide));
}

static void store(BYTE *at, DWORD value)
{
	memcpy(at, &value, sizeof(value));
}

/* A module with one section, of the resource RT_MESSAGETABLE: messages 0x100 and 0x101 */
static void make_module(BYTE module[1024])
{
	static const WCHAR hello[] = { 'H', 'i', ' ', '%', '1', 0 };
	BYTE *resource = module + 512, *table = resource + 88;

	memset(module, 0, 1024);
	memcpy(module, "MZ", 2);
	store(module + 60, 64);
	memcpy(module + 64, "PE", 2);
	store(module + 68, 0x18664);		/* x86-64, one section */
	store(module + 84, 240);		/* size of the optional header */
	store(module + 88, 0x20b);
	store(module + 216, 0x1000);		/* address of the resources */
	store(module + 340, 0x1000);
	store(module + 344, 0x200);
	store(module + 348, 512);
	store(resource + 12, 1u << 16);		/* by type, name, language */
	store(resource + 16, 11);
	store(resource + 20, 0x80000018);
	store(resource + 36, 1u << 16);
	store(resource + 40, 1);
	store(resource + 44, 0x80000030);
	store(resource + 60, 1u << 16);
	store(resource + 64, 0x409);
	store(resource + 68, 72);
	store(resource + 72, 0x1000 + 88);
	store(resource + 76, 40);
	store(table, 1);
	store(table + 4, 0x100);
	store(table + 8, 0x101);
	store(table + 12, 16);
	store(table + 16, 16 | 1u << 16);
	memcpy(table + 20, hello, sizeof(hello));
	store(table + 32, 8);
	memcpy(table + 36, "abc", 4);
}

static DWORD module_message(HMODULE module, DWORD id, LPSTR text)
{
	DWORD_PTR values[] = { (DWORD_PTR)"you" };

	return FormatMessageA(FORMAT_MESSAGE_FROM_HMODULE | FORMAT_MESSAGE_ARGUMENT_ARRAY, module, id,
			      0, text, 60, (va_list *)values);
}

/* Any byte of the resource may be wrong: the message is then another one or none. */
static void check_module(const char *directory)
{
	BYTE module[1024];
	char path[300], text[60];
	size_t i;

	etw_snprintf(path, sizeof(path), "%s/module", directory);
	for (i = 511; i < 640; i++) {
		FILE *file = fopen(path, "w");
		HMODULE opened;

		make_module(module);
		if (i > 511)
			module[i] ^= 0xFF;
		CHECK(file && fwrite(module, sizeof(module), 1, file) == 1 && !fclose(file));
		opened = LoadLibraryExA(path, NULL, LOAD_LIBRARY_AS_DATAFILE);
		CHECK(opened);
		if (i > 511) {
			module_message(opened, 0x101, text);
		} else {
			CHECK(module_message(opened, 0x100, text) == 6 && !strcmp(text, "Hi you"));
			CHECK(module_message(opened, 0x101, text) == 3 && !strcmp(text, "abc"));
			CHECK(!module_message(opened, 0x102, text) &&
			      GetLastError() == ERROR_MR_MID_NOT_FOUND);
		}
		FreeLibrary(opened);
	}
}

static void check_addresses(void)
{
	static const BYTE bytes[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
	SOCKADDR_IN6 six;
	SOCKADDR_IN four;
	IN6_ADDR a6;
	WCHAR w[66];
	char a[66];
	ULONG size = 66;
	PWSTR (*by_name)(const IN6_ADDR *, PWSTR);

	memcpy(&a6, bytes, 16);
	CHECK(sizeof(SOCKADDR_STORAGE) == 128 && sizeof(six) == 28 && sizeof(four) == 16);
	CHECK(a6.u.Word[0] == htons(0x2001) && a6.s6_addr[15] == 1);
	CHECK(RtlIpv6AddressToStringW(&a6, w) == w + 11 && !etw_wcscmp(w, W("2001:db8::1")));
	CHECK(!RtlIpv6AddressToStringExW(&a6, 5, htons(80), w, &size) && size == 19);
	CHECK(!etw_wcscmp(w, W("[2001:db8::1%5]:80")));
	size = 3;
	CHECK(RtlIpv6AddressToStringExA(&a6, 0, 0, a, &size) == STATUS_INVALID_PARAMETER && size == 12);
	four.sin_family = AF_INET;
	four.sin_port = htons(53);
	four.sin_addr.S_un.S_addr = htonl(INADDR_LOOPBACK);
	CHECK(RtlIpv4AddressToStringA(&four.sin_addr, a) == a + 9 && !strcmp(a, "127.0.0.1"));
	CHECK(!strcmp(inet_ntoa(four.sin_addr), "127.0.0.1"));
	size = 66;
	CHECK(!WSAAddressToStringW((LPSOCKADDR)&four, sizeof(four), NULL, w, (LPDWORD)&size) &&
	      !etw_wcscmp(w, W("127.0.0.1:53")));
	CHECK(WSAAddressToStringW((LPSOCKADDR)&four, 4, NULL, w, (LPDWORD)&size) == -1 &&
	      WSAGetLastError() == WSAEINVAL);
	CHECK(InetNtopW(AF_INET6, &a6, w, 66) == w && !etw_wcscmp(w, W("2001:db8::1")));
	CHECK(!InetNtopW(AF_INET6, &a6, w, 11) && !InetNtopA(99, &a6, a, 66));
	*(FARPROC *)&by_name = GetProcAddress(GetModuleHandleA("ntdll"), "RtlIpv6AddressToStringW");
	CHECK(by_name && by_name(&a6, w) == w + 11);
}

static void check_guids(void)
{
	GUID guid = { 0x01234567, 0x89ab, 0xcdef, { 1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef } };
	GUID back, other;
	WCHAR w[39];
	LPWSTR text;

#ifdef __cplusplus
	CHECK(StringFromGUID2(guid, w, 39) == 39 && !StringFromGUID2(guid, w, 38));
	CHECK(StringFromCLSID(guid, &text) == S_OK && !etw_wcscmp(text, w));
#else
	CHECK(StringFromGUID2(&guid, w, 39) == 39 && !StringFromGUID2(&guid, w, 38));
	CHECK(StringFromCLSID(&guid, &text) == S_OK && !etw_wcscmp(text, w));
#endif
	CoTaskMemFree(text);
	CHECK(!etw_wcscmp(w, W("{01234567-89AB-CDEF-0123-456789ABCDEF}")));
	CHECK(CLSIDFromString(w, &back) == S_OK && !memcmp(&back, &guid, sizeof(guid)));
	w[3] = 'g';
	CHECK(CLSIDFromString(w, &back) == CO_E_CLASSSTRING && !back.Data1);
	w[1] = ' ';
	w[3] = '2';
	CHECK(CLSIDFromString(w, &back) == CO_E_CLASSSTRING);
	CHECK(CLSIDFromString(W("{}"), &back) == CO_E_CLASSSTRING);
	CHECK(!CoCreateGuid(&guid) && !CoCreateGuid(&other) && memcmp(&guid, &other, sizeof(guid)));
	CHECK(guid.Data3 >> 12 == 4 && guid.Data4[0] >> 6 == 2);
}

static void check_files(const char *directory)
{
	char path[300], got[8];
	DWORD n = 99;
	HANDLE file;

	etw_snprintf(path, sizeof(path), "%s/file", directory);
	file = CreateFileA(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
	CHECK(file != INVALID_HANDLE_VALUE && WriteFile(file, "abc", 3, &n, NULL) && n == 3);
	CHECK(!DeviceIoControl(file, 1, NULL, 0, NULL, 0, &n, NULL) &&
	      GetLastError() == ERROR_INVALID_FUNCTION);
	CHECK(CloseHandle(file) && !CloseHandle(file) && GetLastError() == ERROR_INVALID_HANDLE);
	CHECK(CreateFileA(path, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL) ==
	      INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS);
	file = CreateFileA(path, GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
	CHECK(ReadFile(file, got, 8, &n, NULL) && n == 3 && !memcmp(got, "abc", 3));
	CHECK(!WriteFile(file, "x", 1, &n, NULL) && n == 0 && GetLastError() == ERROR_ACCESS_DENIED);
	CHECK(CloseHandle(file) && DeleteFileA(path) && !DeleteFileA(path));
	CHECK(CreateFileW(W("\\\\.\\etw no such device"), GENERIC_READ, 0, NULL, OPEN_EXISTING, 0,
			  NULL) == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_NOT_FOUND);
}

static HANDLE open_as(const char *name, DWORD access, DWORD disposition)
{
	return CreateFileA(name, access, 0, NULL, disposition, 0, NULL);
}

/* A device is found in any case and never made; a handle without access reads and writes nothing. */
static void check_devices(const char *directory)
{
	char path[300], c = 'x';
	DWORD n = 99;
	HANDLE file;

	file = open_as("\\\\.\\NuLL", GENERIC_WRITE, CREATE_ALWAYS);
	CHECK(file != INVALID_HANDLE_VALUE && WriteFile(file, &c, 1, &n, NULL) && n == 1);
	CHECK(CloseHandle(file));
	CHECK(open_as("\\\\.\\etw none", GENERIC_WRITE, CREATE_ALWAYS) == INVALID_HANDLE_VALUE &&
	      GetLastError() == ERROR_FILE_NOT_FOUND);
	CHECK(access("/dev/etw none", F_OK));
	CHECK(open_as("\\\\.\\n*", GENERIC_READ, OPEN_EXISTING) == INVALID_HANDLE_VALUE);
	CHECK(open_as("\\\\.\\../etc/passwd", GENERIC_READ, OPEN_EXISTING) == INVALID_HANDLE_VALUE);
	CHECK(open_as("\\\\.\\fd", GENERIC_READ, OPEN_EXISTING) == INVALID_HANDLE_VALUE &&
	      GetLastError() == ERROR_FILE_NOT_FOUND);

	file = open_as("\\\\.\\null", 0, OPEN_EXISTING);
	CHECK(!ReadFile(file, &c, 1, &n, NULL) && GetLastError() == ERROR_ACCESS_DENIED);
	CHECK(!WriteFile(file, &c, 1, &n, NULL) && GetLastError() == ERROR_ACCESS_DENIED);
	CHECK(!DeviceIoControl(file, 1, NULL, 0, NULL, 0, &n, NULL) &&
	      GetLastError() == ERROR_INVALID_FUNCTION);
	CHECK(CloseHandle(file));

	etw_snprintf(path, sizeof(path), "%s/query", directory);
	CHECK(open_as(path, 0, OPEN_EXISTING) == INVALID_HANDLE_VALUE);
	file = open_as(path, FILE_READ_ATTRIBUTES, CREATE_NEW);
	CHECK(file != INVALID_HANDLE_VALUE && CloseHandle(file));
	CHECK(open_as(path, GENERIC_READ, TRUNCATE_EXISTING) == INVALID_HANDLE_VALUE &&
	      GetLastError() == ERROR_INVALID_PARAMETER);
	file = open_as(path, 0, OPEN_EXISTING);
	CHECK(!ReadFile(file, &c, 1, &n, NULL) && GetLastError() == ERROR_ACCESS_DENIED);
	CHECK(CloseHandle(file));
	file = open_as(path, GENERIC_ALL, OPEN_EXISTING);
	CHECK(WriteFile(file, &c, 1, &n, NULL) && ReadFile(file, &c, 1, &n, NULL) && !n);
	CHECK(CloseHandle(file) && DeleteFileA(path));
}

/* Numbers have Microsoft's sizes: what is behind the variable stays. */
static void check_scan(void)
{
	ULONG value[2] = { 0, 0x5555 };
	long long wide = 0;
	char a[8];

	CHECK(etw_sscanf("fedc", "%lx", &value[0]) == 1 && value[0] == 0xFEDC && value[1] == 0x5555);
	CHECK(etw_sscanf("-5 6", "%I64d%lu", &wide, &value[0]) == 2 && wide == -5 && value[0] == 6);
	CHECK(etw_sscanf("7%ab]c9", "%*lld%%%7[]ab]%hS", a, a + 4) == 2 && !strcmp(a, "ab]") &&
	      !strcmp(a + 4, "c9"));
	CHECK(etw_sscanf("x", "%ls", a) == -1 && etw_sscanf("x", "%S", a) == -1 && errno == EINVAL);
	CHECK(etw_sscanf("x", "%l[x]", a) == -1 && etw_sscanf("x", "%[x", a) == -1);
	CHECK(etw_sscanf("x", "%") == -1 && etw_sscanf("x", "x") == 0);
#if __SIZEOF_WCHAR_T__ == 2
	{
		double real = 0;
		uintmax_t most = 0;
		int_fast16_t fast = 0;

		CHECK(sscanf("1.5 18446744073709551615 -3", "%lf%" SCNuMAX "%" SCNdFAST16, &real, &most,
			     &fast) == 3 && real == 1.5 && most == UINTMAX_MAX && fast == -3);
	}
#endif
}

#if __SIZEOF_WCHAR_T__ == 2
#define CHECK_64(format)						\
	do {								\
		sprintf(a, "%" format, UINT64_C(0x123456789));		\
		CHECK(strlen(a) > 8);					\
	} while (0)

static void check_inttypes(void)
{
	char a[40];

	CHECK_64(PRIu64); CHECK_64(PRIiMAX); CHECK_64(PRIoMAX); CHECK_64(PRIXMAX);
	CHECK_64(PRIoPTR); CHECK_64(PRIXPTR); CHECK_64(PRIdLEAST64); CHECK_64(PRIxFAST64);
	CHECK_64(PRIuFAST32); CHECK_64(PRIiFAST16);
}
#endif

static int handled[2];

static BOOL WINAPI first_handler(DWORD type)
{
	char c = (char)type;

	CHECK(write(handled[1], &c, 1) == 1);
	return TRUE;
}

static BOOL WINAPI second_handler(DWORD type)
{
	return type != CTRL_C_EVENT;
}

/* The handler that was set last comes first. */
static void check_console(void)
{
	char c = 99;

	CHECK(!pipe(handled) && !SetConsoleCtrlHandler(first_handler, FALSE));
	CHECK(SetConsoleCtrlHandler(first_handler, TRUE));
	CHECK(SetConsoleCtrlHandler(second_handler, TRUE));
	for (int i = 0; i < 2; i++) {
		raise(SIGINT);
		CHECK(read(handled[0], &c, 1) == 1 && c == CTRL_C_EVENT);
	}
	CHECK(SetConsoleCtrlHandler(second_handler, FALSE));
	raise(SIGHUP);
	CHECK(read(handled[0], &c, 1) == 1 && c == CTRL_CLOSE_EVENT);
	/* Both keys came in one write. */
	CHECK(_getch() == 'k' && _kbhit() && _getche() == 'e' && _getch() == -1);
}

int main(int argc, char **argv)
{
	const char *directory = argc > 1 ? argv[1] : ".";

	check_numbers();
	check_text();
	check_sizes();
	check_strings();
	check_stream(directory);
	check_conversion();
	check_messages();
	check_module(directory);
	check_addresses();
	check_guids();
	check_files(directory);
	check_devices(directory);
	check_scan();
#if __SIZEOF_WCHAR_T__ == 2
	check_inttypes();
#endif
	check_console();
	return check_failed;
}
