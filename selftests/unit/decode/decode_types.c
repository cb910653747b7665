/* SPDX-License-Identifier: MIT */
/*
 * decode_types - each in-type with each of its out-types, as text and as JSON
 */
#include "decode_event.h"

struct type_case {
	uint16_t in, out;
	const char *hex;
	const char *text, *json;	/* json NULL: the same as text */
};

#define T(i, o, ...)	{ TDH_INTYPE_##i, TDH_OUTTYPE_##o, __VA_ARGS__ }

static const struct type_case integers[] = {
	T(INT8, BYTE, "ff", "-1", NULL),
	T(INT8, STRING, "41", "\"A\"", NULL),
	T(INT8, NULL, "80", "-128", NULL),
	T(UINT8, UNSIGNEDBYTE, "ff", "255", NULL),
	T(UINT8, HEXINT8, "0f", "0xf", "\"0xf\""),
	T(UINT8, STRING, "e9", "\"\xc3\xa9\"", NULL),
	T(UINT8, BOOLEAN, "01", "true", NULL),
	T(UINT8, BOOLEAN, "00", "false", NULL),
	T(INT16, SHORT, "feff", "-2", NULL),
	T(UINT16, UNSIGNEDSHORT, "feff", "65534", NULL),
	T(UINT16, PORT, "1f90", "8080", NULL),
	T(UINT16, HEXINT16, "cdab", "0xabcd", "\"0xabcd\""),
	T(UINT16, STRING, "ac20", "\"\xe2\x82\xac\"", NULL),
	T(INT32, INT, "00000080", "-2147483648", NULL),
	T(INT32, HRESULT, "05000780", "0x80070005(E_ACCESSDENIED)", "\"0x80070005\""),
	T(INT32, HRESULT, "02000780", "0x80070002(ERROR_FILE_NOT_FOUND)", "\"0x80070002\""),
	T(UINT32, UNSIGNEDINT, "ffffffff", "4294967295", NULL),
	T(UINT32, PID, "e8030000", "1000", NULL),
	T(UINT32, TID, "e9030000", "1001", NULL),
	T(UINT32, IPV4, "7f000001", "127.0.0.1", "\"127.0.0.1\""),
	T(UINT32, ETWTIME, "05000000", "5", NULL),
	T(UINT32, ERRORCODE, "05000000", "5(ERROR_ACCESS_DENIED)", "5"),
	T(UINT32, WIN32ERROR, "57000000", "87(ERROR_INVALID_PARAMETER)", "87"),
	T(UINT32, WIN32ERROR, "efbe0000", "48879", "48879"),
	T(UINT32, NTSTATUS, "220000c0", "0xc0000022(STATUS_ACCESS_DENIED)", "\"0xc0000022\""),
	T(UINT32, HEXINT32, "efbeadde", "0xdeadbeef", "\"0xdeadbeef\""),
	T(UINT32, CODE_POINTER, "00100000", "0x1000", "\"0x1000\""),
	T(INT64, LONG, "0000000000000080", "-9223372036854775808", NULL),
	T(INT64, DATETIME, "0000000000000000", "1601-01-01T00:00:00.0000000Z",
	  "\"1601-01-01T00:00:00.0000000Z\""),
	T(UINT64, UNSIGNEDLONG, "ffffffffffffffff", "18446744073709551615", NULL),
	T(UINT64, ETWTIME, "0a00000000000000", "10", NULL),
	T(UINT64, HEXINT64, "0000000000000080", "0x8000000000000000",
	  "\"0x8000000000000000\""),
	T(UINT64, CODE_POINTER, "78563412ffffffff", "0xffffffff12345678",
	  "\"0xffffffff12345678\""),
	T(HEXINT32, HEXINT32, "00000000", "0x0", "\"0x0\""),
	T(HEXINT32, WIN32ERROR, "02000000", "2(ERROR_FILE_NOT_FOUND)", "2"),
	T(HEXINT32, NTSTATUS, "00000000", "0x0(STATUS_SUCCESS)", "\"0x0\""),
	T(HEXINT32, ERRORCODE, "00000000", "0(ERROR_SUCCESS)", "0"),
	T(HEXINT32, CODE_POINTER, "01000000", "0x1", "\"0x1\""),
	T(HEXINT64, HEXINT64, "0100000000000000", "0x1", "\"0x1\""),
	T(HEXINT64, CODE_POINTER, "0100000000000000", "0x1", "\"0x1\""),
	T(BOOLEAN, BOOLEAN, "00000001", "true", NULL),
	T(BOOLEAN, BOOLEAN, "00000000", "false", NULL),
	T(POINTER, HEXINT64, "0010000000000080", "0x8000000000001000",
	  "\"0x8000000000001000\""),
	T(POINTER, CODE_POINTER, "0010000000000000", "0x1000", "\"0x1000\""),
	T(POINTER, LONG, "ffffffffffffffff", "-1", NULL),
	T(POINTER, UNSIGNEDLONG, "ffffffffffffffff", "18446744073709551615", NULL),
};

static const struct type_case others[] = {
	T(FLOAT, FLOAT, "cdcccc3d", "0.1", NULL),
	T(FLOAT, FLOAT, "0000c07f", "NaN", "\"NaN\""),
	T(FLOAT, FLOAT, "000080ff", "-Infinity", "\"-Infinity\""),
	T(DOUBLE, DOUBLE, "9a9999999999b93f", "0.1", NULL),
	T(DOUBLE, DOUBLE, "555555555555d53f", "0.3333333333333333", NULL),
	T(DOUBLE, DOUBLE, "000000000000f07f", "Infinity", "\"Infinity\""),
	T(GUID, GUID, "00d9fd68 3e4a d111 84f4 0000f80464e3",
	  "68fdd900-4a3e-11d1-84f4-0000f80464e3", "\"68fdd900-4a3e-11d1-84f4-0000f80464e3\""),
	T(FILETIME, DATETIME, "00803ed5deb19d01", "1970-01-01T00:00:00.0000000Z",
	  "\"1970-01-01T00:00:00.0000000Z\""),
	T(FILETIME, DATETIME_UTC, "01c0a8d9e9c1b101", "1987-11-24T00:58:23.8969857Z",
	  "\"1987-11-24T00:58:23.8969857Z\""),
	T(FILETIME, CULTURE_INSENSITIVE_DATETIME, "00803ed5deb19d01",
	  "1970-01-01T00:00:00.0000000Z", "\"1970-01-01T00:00:00.0000000Z\""),
	T(SYSTEMTIME, DATETIME, "ea070100 0600 1f00 0c00 2200 3800 7b00",
	  "2026-01-31T12:34:56.123", "\"2026-01-31T12:34:56.123\""),
	T(SYSTEMTIME, DATETIME_UTC, "ea070100 0600 1f00 0c00 2200 3800 0700",
	  "2026-01-31T12:34:56.007Z", "\"2026-01-31T12:34:56.007Z\""),
	T(SYSTEMTIME, CULTURE_INSENSITIVE_DATETIME, "ea070100 0600 1f00 0c00 2200 3800 7b00",
	  "2026-01-31T12:34:56.123", "\"2026-01-31T12:34:56.123\""),
	T(SID, STRING, "0102 000000000005 20000000 20020000", "S-1-5-32-544",
	  "\"S-1-5-32-544\""),
	T(SID, STRING, "0100 010000000000", "S-1-0x10000000000", "\"S-1-0x10000000000\""),
	T(UNICODESTRING, STRING, "41002200e90000000000", "\"A\\\"\xc3\xa9\" rest=0000",
	  "\"A\\\"\xc3\xa9\""),
	T(UNICODESTRING, XML, "3c0061003e000000", "\"<a>\"", NULL),
	T(UNICODESTRING, JSON, "7b007d000000", "\"{}\"", NULL),
	T(UNICODESTRING, STRING, "3dd800de00d80000", "\"\xf0\x9f\x98\x80\xef\xbf\xbd\"", NULL),
	T(ANSISTRING, STRING, "410a1b4200", "\"A\\n\\u001bB\"", NULL),
	T(ANSISTRING, STRING, "80e900", "\"\xe2\x82\xac\xc3\xa9\"", NULL),
	T(ANSISTRING, STRING, "c3a9e900", "\"\xc3\xa9\\xe9\"", "\"\xc3\xa9\xef\xbf\xbd\""),
	T(ANSISTRING, UTF8, "c3a9e900", "\"\xc3\xa9\\xe9\"", "\"\xc3\xa9\xef\xbf\xbd\""),
	T(ANSISTRING, XML, "3c612f3e00", "\"<a/>\"", NULL),
	T(ANSISTRING, JSON, "5b5d00", "\"[]\"", NULL),
	T(MANIFEST_COUNTEDSTRING, STRING, "04004100 4200", "\"AB\"", NULL),
	T(MANIFEST_COUNTEDANSISTRING, STRING, "0300414243", "\"ABC\"", NULL),
	T(MANIFEST_COUNTEDANSISTRING, UTF8, "0000", "\"\"", NULL),
	T(MANIFEST_COUNTEDBINARY, HEXBINARY, "0300010203", "010203", "\"010203\""),
	T(MANIFEST_COUNTEDBINARY, IPV6, "1000 20010db8000000000000000000000001",
	  "2001:db8::1", "\"2001:db8::1\""),
	T(MANIFEST_COUNTEDBINARY, IPV6, "0400 7f000001", "127.0.0.1", "\"127.0.0.1\""),
	T(MANIFEST_COUNTEDBINARY, IPV6, "0200 7f00", "7f00", "\"7f00\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "1000 0200 1f90 0a000001 0000000000000000",
	  "10.0.0.1:8080", "\"10.0.0.1:8080\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS,
	  "1c00 1700 0050 00000000 fe800000000000000000000000000001 03000000",
	  "[fe80::1%3]:80", "\"[fe80::1%3]:80\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0900 0100 2f7c222f736f00", "unix:/|\\\"/so",
	  "\"unix:/|\\\\\\\"/so\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0a00 0100 0061225c00620000", "unix:@a\\\"\\\\@b@@",
	  "\"unix:@a\\\\\\\"\\\\\\\\@b@@\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0200 0100", "unix:", "\"unix:\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0500 0100 2f6100", "unix:/a", "\"unix:/a\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0000", "", "\"\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS,
	  "1c00 0a00 0050 00000000 00000000000000000000000000000001 00000000", "[::1]:80",
	  "\"[::1]:80\""),
	T(MANIFEST_COUNTEDBINARY, SOCKETADDRESS, "0300 020000", "020000", "\"020000\""),
	T(MANIFEST_COUNTEDBINARY, PKCS7_WITH_TYPE_INFO, "0200abcd", "abcd", "\"abcd\""),
};

/* In-types of classic events: their numbers start at 300. */
static const struct type_case classic[] = {
	T(COUNTEDSTRING, STRING, "04004100 4200", "\"AB\"", NULL),
	T(COUNTEDANSISTRING, STRING, "02004142", "\"AB\"", NULL),
	T(REVERSEDCOUNTEDSTRING, STRING, "0004 4100 4200", "\"AB\"", NULL),
	T(REVERSEDCOUNTEDANSISTRING, STRING, "0002 4142", "\"AB\"", NULL),
	T(NONNULLTERMINATEDSTRING, STRING, "4100420043", "\"AB\" rest=43", "\"AB\""),
	T(NONNULLTERMINATEDANSISTRING, REDUCEDSTRING, "414243", "\"ABC\"", NULL),
	T(UNICODECHAR, STRING, "ac20", "\"\xe2\x82\xac\"", NULL),
	T(ANSICHAR, STRING, "41", "\"A\"", NULL),
	T(SIZET, HEXINT64, "0010000000000000", "0x1000", "\"0x1000\""),
	T(HEXDUMP, HEXBINARY, "020000000102", "0102", "\"0102\""),
	T(WBEMSID, STRING, "01000000000000000000000000000000 0101 000000000005 12000000",
	  "S-1-5-18", "\"S-1-5-18\""),
	T(WBEMSID, STRING, "00000000", "", "\"\""),
};

static void check(const struct type_case *cases, size_t count, const char *what)
{
	struct etw_mf_field field = { .name = "f", .count = 1 };
	char want_text[512], want_json[512], name[64];
	size_t i, json_len;

	for (i = 0; i < count; i++) {
		const struct type_case *c = &cases[i];

		field.in_type = c->in;
		field.out_type = c->out;
		load(&field, 1, 1, NULL);
		decode_hex(c->hex, 0);
		snprintf(want_text, sizeof(want_text), "f=%s", c->text);
		json_len = strlen(c->json ? c->json : c->text);
		snprintf(want_json, sizeof(want_json), "{\"f\":%.*s}", (int)json_len,
			 c->json ? c->json : c->text);
		snprintf(name, sizeof(name), "%s %u: in-type %u, out-type %u", what,
			 (unsigned int)i, c->in, c->out);
		is_text(text(), want_text, name);
		is_text(json(), want_json, name);
	}
}

static struct etw_mf_field binary(uint16_t out, uint16_t flags, uint16_t length)
{
	return (struct etw_mf_field){
		.name = "b", .in_type = TDH_INTYPE_BINARY, .out_type = out, .count = 1,
		.flags = flags, .length = length,
	};
}

/* B206: without a length an IPv6 address is 16 bytes, and other binary data has no end. */
static void test_binary(void)
{
	struct etw_mf_field f = binary(TDH_OUTTYPE_IPV6, 0, 0);

	load(&f, 1, 1, NULL);
	decode_hex("20010db800000000000000000000000142", 0);
	is_text(text(), "b=2001:db8::1 rest=42", "an IPv6 address without a length");
	f = binary(TDH_OUTTYPE_HEXBINARY, 0, 0);
	load(&f, 1, 1, NULL);
	decode_hex("0102", 0);
	is_text(text(), "b=0102", "bytes without a length are the rest of the event");
	is_text(json(), "{\"b\":\"0102\"}", "in JSON, too");
	f = binary(TDH_OUTTYPE_HEXBINARY, ETW_MF_LENGTH_FIXED, 3);
	load(&f, 1, 1, NULL);
	decode_hex("010203", 0);
	is_text(text(), "b=010203", "bytes of a given length");
}

/* B207: the record's header, not the reader, determines the size of a pointer. */
static void test_pointer(void)
{
	static const struct etw_mf_field fields[] = {
		FIELD("p", POINTER, HEXINT64), FIELD("s", SIZET, HEXINT64),
		FIELD("u", UINT32, UNSIGNEDINT),
	};

	load(fields, 3, 3, NULL);
	decode_hex("01000080 02000000 03000000", EVENT_HEADER_FLAG_32_BIT_HEADER);
	is_text(text(), "p=0x80000001 s=0x2 u=3", "a 32-bit writer");
	decode_hex("0100000000000080 0200000000000000 03000000",
		   EVENT_HEADER_FLAG_64_BIT_HEADER);
	is_text(text(), "p=0x8000000000000001 s=0x2 u=3", "a 64-bit writer");
}

int main(void)
{
	check(integers, COUNT(integers), "integer");
	check(others, COUNT(others), "other");
	check(classic, COUNT(classic), "classic");
	test_binary();
	test_pointer();
	clean_up();
	return done_testing();
}
