// SPDX-License-Identifier: MIT
/* GUIDs, UTF-16 and error codes */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <etw/winerror.h>
#include "base/guid.h"
#include "device/kdev.h"
#include "base/utf.h"
#include "lib/tap.h"

static void test_guid(void)
{
	static const char *const bad[] = {
		"", "{", "}", "{}", "0", "01234567", "01234567-89ab-cdef-0123-456789abcde",
		"01234567-89ab-cdef-0123-456789abcdeg", "{01234567-89ab-cdef-0123-456789abcdef",
		"01234567-89ab-cdef-0123-456789abcdef}", "01234567-89ab-cdef-0123-456789abcdef0",
		"0123456789abcdef0123456789abcdef", "01234567-89ab-cdef-0123456789abcdef",
		" 01234567-89ab-cdef-0123-456789abcdef", "+1234567-89ab-cdef-0123-456789abcdef",
		"01234567_89ab-cdef-0123-456789abcdef", "{01234567-89ab-cdef-0123-456789abcdef} ",
	};
	static const struct etw_guid want = ETW_GUID(0x01234567, 0x89ab, 0xcdef, 0x01,
		0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef);
	struct etw_guid guid, before;
	char text[ETW_GUID_TEXT];
	size_t i;

	ok(!etw_guid_parse("01234567-89ab-cdef-0123-456789abcdef", &guid) &&
	   !memcmp(&guid, &want, 16), "plain GUID");
	memset(&guid, 0, sizeof(guid));
	ok(!etw_guid_parse("{01234567-89AB-CDEF-0123-456789ABCDEF}", &guid) &&
	   !memcmp(&guid, &want, 16), "braces and upper case");
	etw_guid_format(&want, text);
	ok(!strcmp(text, "{01234567-89ab-cdef-0123-456789abcdef}"), "format: %s", text);
	before = guid;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(etw_guid_parse(bad[i], &guid) == -EINVAL && !memcmp(&guid, &before, 16),
		   "bad GUID '%s'", bad[i]);
	ok(etw_guid_parse(NULL, &guid) == -EINVAL, "NULL GUID");
	memset(&guid, 0, sizeof(guid));
	ok(etw_guid_is_zero(&guid) && !etw_guid_is_zero(&want), "zero GUID");
}

/* Every code point in both directions; everything else is refused. */
static void test_utf_all(void)
{
	uint32_t code, bad = 0;

	for (code = 1; code <= 0x110000; code++) {
		WCHAR wide[4], back[4];
		char utf8[8];
		ssize_t units = 1, bytes, n;

		if (code < 0x10000) {
			wide[0] = code;
		} else {
			wide[0] = 0xD800 | (code - 0x10000) >> 10;
			wide[1] = 0xDC00 | (code & 0x3FF);
			units = 2;
		}
		bytes = etw_utf16_to_utf8(wide, units, utf8, sizeof(utf8));
		if ((code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
			bad += code < 0x10000 && bytes != -EINVAL;
			continue;
		}
		n = bytes > 0 ? etw_utf8_to_utf16(utf8, bytes, back, 4) : 0;
		bad += n != units || memcmp(wide, back, units * sizeof(WCHAR));
	}
	is(bad, 0, "every code point survives the way there and back");
}

static void test_utf(void)
{
	static const char *const bad8[] = {
		"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "\xE0\x80\xAF", "\xE0\xA0",
		"\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80",
		"\xF8\x88\x80\x80\x80", "\xFF", "a\xC3(", "\xE2\x82",
	};
	static const WCHAR bad16[][3] = {
		{ 0xD800 }, { 0xDC00 }, { 0xD800, 'x' }, { 0xD800, 0xD800 },
		{ 0xDFFF, 0xD800 }, { 'a', 0xDBFF },
	};
	WCHAR wide[8];
	char utf8[8];
	size_t i;

	for (i = 0; i < sizeof(bad8) / sizeof(bad8[0]); i++)
		is(etw_utf8_to_utf16(bad8[i], strlen(bad8[i]), wide, 8), -EINVAL,
		   "bad UTF-8 is refused");
	for (i = 0; i < sizeof(bad16) / sizeof(bad16[0]); i++)
		is(etw_utf16_to_utf8(bad16[i], etw_utf16_len(bad16[i], 3), utf8, 8), -EINVAL,
		   "bad UTF-16 is refused");
	is(etw_utf16_to_utf8(u"\u20AC\u20AC", 2, utf8, 4), 6, "length beyond room");
	is(etw_utf8_to_utf16("\xF0\x9F\x98\x80", 4, wide, 0), 2, "length without room");
	is(etw_utf16_len(u"abc", 2), 2, "length stops at its limit");
	is(etw_utf16_len(u"abc", 9), 3, "length stops at the NUL");
	test_utf_all();
}

static void test_errors(void)
{
	is(etw_win32_from_errno(0), ERROR_SUCCESS, "0");
	is(etw_win32_from_errno(-EINVAL), ERROR_INVALID_PARAMETER, "EINVAL");
	is(etw_win32_from_errno(-EFAULT), ERROR_NOACCESS, "EFAULT");
	is(etw_win32_from_errno(ENOENT), ERROR_WMI_INSTANCE_NOT_FOUND, "ENOENT");
	is(etw_win32_from_errno(-ESRCH), ERROR_WMI_GUID_NOT_FOUND, "ESRCH");
	is(etw_win32_from_errno(-EEXIST), ERROR_ALREADY_EXISTS, "EEXIST");
	is(etw_win32_from_errno(-ENOSPC), ERROR_NO_SYSTEM_RESOURCES, "ENOSPC");
	is(etw_win32_from_errno(-ENOMEM), ERROR_NOT_ENOUGH_MEMORY, "ENOMEM");
	is(etw_win32_from_errno(-ENOBUFS), ERROR_NOT_ENOUGH_MEMORY, "ENOBUFS");
	is(etw_win32_from_errno(-EMSGSIZE), ERROR_MORE_DATA, "EMSGSIZE");
	is(etw_win32_from_errno(-EOVERFLOW), ERROR_ARITHMETIC_OVERFLOW, "EOVERFLOW");
	is(etw_win32_from_errno(-EPERM), ERROR_ACCESS_DENIED, "EPERM");
	is(etw_win32_from_errno(-EBADF), ERROR_INVALID_HANDLE, "EBADF");
	is(etw_win32_from_errno(-ETIMEDOUT), ERROR_TIMEOUT, "ETIMEDOUT");
	is(etw_win32_from_errno(-ESHUTDOWN), ERROR_ACTIVE_CONNECTIONS, "ESHUTDOWN");
	is(etw_win32_from_errno(-ENAMETOOLONG), ERROR_INVALID_PARAMETER, "ENAMETOOLONG");
	is(etw_win32_from_errno(-EDQUOT), ERROR_DISK_FULL, "EDQUOT");
	is(etw_win32_from_errno(-EIO), ERROR_IO_DEVICE, "EIO");
	is(etw_win32_from_errno(-EFBIG), ERROR_FILE_TOO_LARGE, "EFBIG");
	is(etw_win32_from_errno(-EROFS), ERROR_ACCESS_DENIED, "EROFS");
	is(etw_win32_from_errno(-ETXTBSY), ERROR_SHARING_VIOLATION, "ETXTBSY");
	is(etw_win32_from_errno(-EISDIR), ERROR_BAD_PATHNAME, "EISDIR");
	is(etw_win32_from_errno(-EAGAIN), ERROR_NO_SYSTEM_RESOURCES, "EAGAIN");
	is(etw_win32_from_errno(-E2BIG), ERROR_NOT_SUPPORTED, "E2BIG");
	is(etw_win32_from_open(-ENOENT), ERROR_WMI_SERVER_UNAVAILABLE, "no device");
	is(etw_win32_from_open(-EACCES), ERROR_ACCESS_DENIED, "device not allowed");

	SetLastError(ERROR_BUSY);
	is(GetLastError(), ERROR_BUSY, "last error");
}

/* The real calls: /dev/null is not an etw device. */
static void test_device(void)
{
	struct etw_session session = { 0 };
	struct etw_kdev_id id;
	int fd;

	setenv(ETW_DEVICE_ENV, "/dev/null", 1);
	errno = 4711;
	fd = etw_kdev_open();
	ok(fd > 2, "the environment names the device");
	is(etw_kdev_session_query(fd, &session), -ENOTTY, "and it does not know our commands");
	ok(!etw_kdev_identify(fd, &id) && etw_kdev_is(fd, &id), "it can be identified");
	ok(!etw_kdev_is(0x7FFFFFFF, &id) && !etw_kdev_is(-1, &id), "a bad descriptor is not it");
	etw_kdev_close(fd);
	setenv(ETW_DEVICE_ENV, "/nonexistent/etw", 1);
	is(etw_kdev_open(), -ENOENT, "no device");
	is(errno, 4711, "errno is left alone");
}

int main(void)
{
	test_guid();
	test_utf();
	test_errors();
	test_device();
	return done_testing();
}
