// SPDX-License-Identifier: MIT
/* Payload filters built from fields and predicates, for one event and for many */
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "lib/controller/payload.h"
#include "lib/tap.h"

/* Each length or count field precedes the field that uses it; all types in between. */
static const struct etw_payload_field fields[] = {
	{ "Size", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
	{ "Delta", TDH_INTYPE_INT16, 1, 0, -1, -1 },
	{ "File", TDH_INTYPE_UNICODESTRING, 1, 0, -1, -1 },
	{ "Command", TDH_INTYPE_ANSISTRING, 1, 0, -1, -1 },
	{ "Count", TDH_INTYPE_UINT8, 1, 0, -1, -1 },
	{ "Data", TDH_INTYPE_BINARY, 1, 0, -1, 4 },
	{ "Numbers", TDH_INTYPE_UINT16, 1, 0, 4, -1 },
	{ "Names", TDH_INTYPE_ANSISTRING, 2, 0, -1, -1 },
	{ "Who", TDH_INTYPE_SID, 1, 0, -1, -1 },
	{ "Where", TDH_INTYPE_POINTER, 1, 0, -1, -1 },
	{ "Ratio", TDH_INTYPE_DOUBLE, 1, 0, -1, -1 },
	{ "Part", TDH_INTYPE_FLOAT, 1, 0, -1, -1 },
	{ "Since", TDH_INTYPE_SYSTEMTIME, 1, 0, -1, -1 },
	{ "Blob", TDH_INTYPE_MANIFEST_COUNTEDBINARY, 1, 0, -1, -1 },
	{ "Pair", TDH_INTYPE_BINARY, 1, 2, -1, -1 },
	{ "Address", TDH_INTYPE_BINARY, 1, 16, -1, -1 },
	{ "Length", TDH_INTYPE_SIZET, 1, 0, -1, -1 },
	{ "Id", TDH_INTYPE_GUID, 1, 0, -1, -1 },
	{ "Title", TDH_INTYPE_MANIFEST_COUNTEDSTRING, 1, 0, -1, -1 },
	{ "Fixed", TDH_INTYPE_ANSISTRING, 1, 6, -1, -1 },
	{ "Wide", TDH_INTYPE_UNICODESTRING, 1, 0, -1, 4 },
	{ "Reverse", TDH_INTYPE_REVERSEDCOUNTEDANSISTRING, 1, 0, -1, -1 },
	{ "Dump", TDH_INTYPE_HEXDUMP, 1, 0, -1, -1 },
	{ "When", TDH_INTYPE_FILETIME, 1, 0, -1, -1 },
	{ "Sure", TDH_INTYPE_BOOLEAN, 1, 0, -1, -1 },
	{ "Wide64", TDH_INTYPE_INT64, 1, 0, -1, -1 },
	{ "Big", TDH_INTYPE_UINT64, 1, 0, -1, -1 },
	{ "Tail", TDH_INTYPE_NONNULLTERMINATEDANSISTRING, 1, 0, -1, -1 },
};

#define FIELDS	(sizeof(fields) / sizeof(fields[0]))

static const struct etw_payload_layout layout = { 7, 2, FIELDS, fields };

/* The payload of such an event, from a 64-bit process. */
static const char payload[] =
	"\x00\x20\x00\x00"			/* 8192 */
	"\xfe\xff"				/* -2 */
	"L\0o\0g\0-\0F\0i\0l\0e\0\xe4\0\0\0"	/* Log-Fileä */
	"make check\0"
	"\x03" "xyz" "\1\0\2\0\3\0"
	"one\0two\0"
	"\1\2\0\0\0\0\0\5\1\1\1\1\2\2\2\2"
	"\1\2\3\4\5\6\7\x08"
	"\0\0\0\0\0\0\xf0\x3f"
	"\0\0\x80\x3f"
	"\xea\7\1\0\4\0\1\0\0\0\0\0\0\0\0\0"	/* 2026, January */
	"\2\0" "\1\0"
	"\1\0"
	"\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\1\0\0\0\0\0\0\0"
	"\x67\x45\x23\x01\xab\x89\xef\xcd\x01\x23\x45\x67\x89\xab\xcd\xef"
	"\x08\0t\0E\0s\0T\0"
	"abc\0\0\0"
	"w\0w\0w\0"
	"\0\3rev"
	"\2\0\0\0\xff\xff"
	"\0\x80\x3e\xd5\xde\xb1\x9d\1"		/* 116444736000000000 */
	"\1\0\0\0"
	"\0\0\0\0\0\0\0\x80"			/* the lowest */
	"\xff\xff\xff\xff\xff\xff\xff\xff"
	"to the end";

static bool passes(const void *program, uint16_t id, uint8_t version, const void *data,
		   uint32_t size, uint16_t type)
{
	const struct etw_event_descriptor desc = { .id = id, .version = version };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = size };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = type };
	uint64_t copy[ETW_PAYLOAD_SIZE_MAX / 8];
	uint32_t len = ((const struct etw_payload_header *)program)->size;

	memcpy(copy, program, len);
	if (etw_payload_load(copy, len)) {
		ok(false, "the program is refused");
		return false;
	}
	etw_record_measure(&source);
	return etw_payload_pass(copy, &source, false);
}

/* Result for the event with one predicate: 1 or 0, or minus the error. */
static int one(const char *field, uint16_t op, const char *value)
{
	const struct etw_payload_predicate p = { field, op, value };
	void *filter = NULL, *whole = NULL;
	const void *list[1];
	ULONG size, ret = etw_payload_create(&layout, false, &p, 1, &filter, NULL);
	bool alone, joined;

	if (ret)
		return -(int)ret;
	alone = passes(filter, 7, 2, payload, sizeof(payload) - 1, ETW_TYPE_EVENT64);
	list[0] = filter;
	ret = etw_payload_aggregate(list, NULL, 1, &whole, &size);
	joined = !ret && passes(whole, 7, 2, payload, sizeof(payload) - 1, ETW_TYPE_EVENT64);
	ok(!ret && joined == alone, "aggregating one filter does not change it");
	free(filter);
	free(whole);
	return alone;
}

#define IS(name, field, op, value, want)				\
	is(one(field, ETW_PAYLOAD_##op, value), want, name ": " field " " #op " " value)

/* B70, B71: operators of numbers. */
static void test_numbers(void)
{
	IS("B71", "Size", EQ, "8192", 1);
	IS("B71", "Size", EQ, "0x2000", 1);
	IS("B71", "Size", NE, "8192", 0);
	IS("B71", "Size", LE, "8192", 1);
	IS("B71", "Size", LE, "8191", 0);
	IS("B71", "Size", LT, "8192", 0);
	IS("B71", "Size", GT, "8191", 1);
	IS("B71", "Size", GE, "8193", 0);
	IS("B70", "Size", BETWEEN, "8192,9000", 1);
	IS("B70", "Size", BETWEEN, "1, 8192", 1);
	IS("B70", "Size", BETWEEN, "8193,9000", 0);
	IS("B70", "Size", NOTBETWEEN, "8192,8192", 0);
	IS("B70", "Size", NOTBETWEEN, "1,2", 1);
	IS("B70", "Size", MODULO, "4096", 1);
	IS("B70", "Size", MODULO, "4095", 0);
	IS("signed", "Delta", EQ, "-2", 1);
	IS("signed", "Delta", LT, "0", 1);
	IS("signed", "Delta", BETWEEN, "-3,-1", 1);
	IS("signed", "Delta", MODULO, "-1", 1);
	IS("signed", "Delta", MODULO, "3", 0);
	IS("lowest", "Wide64", EQ, "-9223372036854775808", 1);
	IS("lowest", "Wide64", MODULO, "-1", 1);
	IS("lowest", "Wide64", LT, "-9223372036854775807", 1);
	IS("highest", "Big", EQ, "18446744073709551615", 1);
	IS("highest", "Big", GT, "9223372036854775808", 1);
	IS("B71", "When", EQ, "116444736000000000", 1);
	IS("boolean", "Sure", EQ, "true", 1);
	IS("boolean", "Sure", NE, "false", 1);
	IS("boolean", "Sure", EQ, "0", 0);
	IS("count", "Count", EQ, "3", 1);
}

/* B71, B73: texts, ignoring the case of ASCII letters. */
static void test_texts(void)
{
	IS("B73", "File", CONTAINS, "log", 1);
	IS("B73", "File", CONTAINS, "G-fi", 1);
	IS("B73", "File", DOESNTCONTAIN, "LOG", 0);
	IS("B71", "File", CONTAINS, "logs", 0);
	IS("B73", "File", IS, "lOG-fILE\xc3\xa4", 1);
	IS("B73: only ASCII's", "File", IS, "Log-File\xc3\x84", 0);
	IS("B71", "File", IS, "Log-File", 0);
	IS("B71", "File", ISNOT, "Log-File", 1);
	IS("B71", "Command", IS, "Make Check", 1);
	IS("B71", "Command", CONTAINS, "e c", 1);
	IS("B71", "Command", CONTAINS, "checks", 0);
	IS("B71", "Command", IS, "", 0);
	IS("counted", "Title", IS, "test", 1);
	IS("counted", "Title", CONTAINS, "st", 1);
	IS("of a length", "Fixed", IS, "abc", 1);
	IS("length of a field", "Wide", IS, "www", 1);
	IS("reversed", "Reverse", IS, "rev", 1);
	IS("the rest", "Tail", CONTAINS, "the end", 1);
	IS("the rest", "Tail", IS, "to the", 0);
}

/* B71: a GUID only IS or IS NOT, with braces. B72: fields that cannot be tested. */
static void test_types(void)
{
	static const char *const untestable[] = { "Data", "Ratio", "Part", "Since", "Where",
						  "Length", "Who", "Dump", "Blob", "Pair",
						  "Address", "Numbers", "Names" };
	static const char *const values[] = { "1", "0x1", "1.0", "2026",
					      "{00000001-0000-0000-0000-000000000000}" };
	unsigned int i, op, v, wrong;

	IS("B71", "Id", IS, "{01234567-89ab-cdef-0123-456789abcdef}", 1);
	IS("B71", "Id", ISNOT, "{01234567-89AB-cdef-0123-456789abcdef}", 0);
	IS("B71", "Id", IS, "{01234567-89ab-cdef-0123-456789abcdee}", 0);
	IS("B71", "Id", IS, "01234567-89ab-cdef-0123-456789abcdef", -ERROR_INVALID_PARAMETER);
	IS("B71", "Id", EQ, "{01234567-89ab-cdef-0123-456789abcdef}", -ERROR_INVALID_PARAMETER);
	for (i = 0; i < sizeof(untestable) / sizeof(untestable[0]); i++) {
		for (op = 0, wrong = 0; op < 33; op++)
			for (v = 0; v < sizeof(values) / sizeof(values[0]); v++)
				wrong += one(untestable[i], op, values[v]) !=
					 -ERROR_INVALID_PARAMETER;
		ok(!wrong, "B72: %s is not filterable", untestable[i]);
	}
}

/* B71, B74: refused predicates and their errors. */
static void test_refused(void)
{
	struct etw_payload_predicate p[9];
	char longest[257];
	unsigned int i, wrong;
	void *filter = &filter;

	IS("B74", "size", EQ, "1", -ERROR_NOT_FOUND);
	IS("B71", "Size", CONTAINS, "1", -ERROR_INVALID_PARAMETER);
	IS("B71", "Size", IS, "1", -ERROR_INVALID_PARAMETER);
	IS("B71", "File", EQ, "a", -ERROR_INVALID_PARAMETER);
	IS("B71", "File", BETWEEN, "a,b", -ERROR_INVALID_PARAMETER);
	is(one("Size", 32, "1"), -ERROR_INVALID_PARAMETER, "no such operator");
	IS("B70", "Size", EQ, "", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", EQ, "1x", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", EQ, "-1", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", EQ, "4294967296", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", EQ, "99999999999999999999", -ERROR_INVALID_PARAMETER);
	IS("B70", "Delta", EQ, "32768", -ERROR_INVALID_PARAMETER);
	IS("B70", "Delta", EQ, "-32769", -ERROR_INVALID_PARAMETER);
	IS("B70", "Delta", EQ, "-32768", 0);
	IS("B70", "Size", BETWEEN, "2", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", BETWEEN, "2,1", -ERROR_INVALID_PARAMETER);
	IS("B70", "Size", MODULO, "0", -ERROR_INVALID_PARAMETER);
	IS("B70", "Sure", GT, "true", -ERROR_INVALID_PARAMETER);
	IS("B70", "File", CONTAINS, "", -ERROR_INVALID_PARAMETER);
	IS("no UTF-8", "File", IS, "\xff", -ERROR_INVALID_PARAMETER);
	memset(longest, 'x', 256);
	longest[256] = '\0';
	is(one("File", ETW_PAYLOAD_IS, longest), -ERROR_INVALID_PARAMETER, "256 characters");
	longest[255] = '\0';
	is(one("File", ETW_PAYLOAD_CONTAINS, longest), 0, "255 characters");

	for (i = 0; i < 9; i++)
		p[i] = (struct etw_payload_predicate){ "Size", ETW_PAYLOAD_GT, "1" };
	is(etw_payload_create(&layout, false, p, 9, &filter, NULL), ERROR_INVALID_PARAMETER,
	   "B74: nine predicates");
	is(etw_payload_create(&layout, false, p, 0, &filter, NULL), ERROR_INVALID_PARAMETER,
	   "B74: none");
	p[5].field = "Sizes";
	is(etw_payload_create(&layout, false, p, 8, &filter, &wrong), ERROR_NOT_FOUND,
	   "B74: the sixth has no field");
	is(wrong, 5, "whose index is returned");
	ok(filter == &filter, "and nothing is made");
	for (i = 0; i < 8; i++)
		p[i] = (struct etw_payload_predicate){ "File", ETW_PAYLOAD_CONTAINS, longest };
	is(etw_payload_create(&layout, false, p, 8, &filter, NULL), ERROR_INSUFFICIENT_BUFFER,
	   "B44: over 4096 bytes");
}

/* Fields after one of unknown size are out of reach. */
static void test_reach(void)
{
	static const struct etw_payload_field strange[] = {
		{ "Before", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
		{ "Token", 310, 1, 0, -1, -1 },
		{ "Behind", TDH_INTYPE_UINT32, 1, 0, -1, -1 },
	};
	static const struct etw_payload_layout l = { 1, 0, 3, strange };
	struct etw_payload_predicate p = { "Before", ETW_PAYLOAD_EQ, "1" };
	void *filter = NULL;

	is(etw_payload_create(&l, false, &p, 1, &filter, NULL), ERROR_SUCCESS, "a field before it");
	free(filter);
	p.field = "Behind";
	is(etw_payload_create(&l, false, &p, 1, &filter, NULL), ERROR_NOT_SUPPORTED,
	   "a field after it");
}

/* A 32-bit process has pointers of 4 bytes. */
static void test_pointers(void)
{
	static const struct etw_payload_field list[] = {
		{ "P", TDH_INTYPE_POINTER, 1, 0, -1, -1 }, { "N", TDH_INTYPE_UINT32, 1, 0, -1, -1 } };
	static const struct etw_payload_layout l = { 1, 0, 2, list };
	const struct etw_payload_predicate p = { "N", ETW_PAYLOAD_EQ, "2" };
	const uint32_t data[3] = { 1, 2, 3 };
	void *filter = NULL;

	is(etw_payload_create(&l, false, &p, 1, &filter, NULL), ERROR_SUCCESS, "after a pointer");
	ok(passes(filter, 1, 0, data, 12, ETW_TYPE_EVENT32), "of 4 bytes");
	ok(!passes(filter, 1, 0, data, 12, ETW_TYPE_EVENT64), "of 8 bytes");
	free(filter);
}

/* ------------------------------------------------------------------ combining */

static const struct etw_payload_field two[] = {
	{ "A", TDH_INTYPE_UINT32, 1, 0, -1, -1 }, { "B", TDH_INTYPE_UINT32, 1, 0, -1, -1 } };

/* A filter of two predicates: A is a, B is b. */
static void *pair(uint16_t id, bool any, const char *a, const char *b)
{
	const struct etw_payload_layout l = { id, 0, 2, two };
	const struct etw_payload_predicate p[] = { { "B", ETW_PAYLOAD_EQ, b },
						   { "A", ETW_PAYLOAD_EQ, a } };
	void *filter = NULL;

	/* Pass the predicates in another order than the fields. */
	if (etw_payload_create(&l, any, b ? p : p + 1, b ? 2 : 1, &filter, NULL))
		return NULL;
	return filter;
}

/* Bit i: the event passes with A = i & 1 and B = i >> 1. */
static unsigned int table(const void *program, uint16_t id)
{
	unsigned int i, mask = 0;

	for (i = 0; i < 4; i++) {
		const uint32_t data[2] = { i & 1, i >> 1 };

		mask |= passes(program, id, 0, data, sizeof(data), ETW_TYPE_EVENT64) << i;
	}
	return mask;
}

/* B67: EventMatchANY is OR, else AND. */
static void test_any(void)
{
	void *all = pair(1, false, "1", "1"), *any = pair(1, true, "1", "1");

	is(table(all, 1), 0x8, "B67: FALSE is AND");
	is(table(any, 1), 0xe, "B67: TRUE is OR");
	free(all);
	free(any);
}

/* B66, B68, B69: the filters of several events in one. */
static void test_aggregate(void)
{
	void *filters[4] = { pair(9, false, "1", NULL), pair(3, false, "0", "1"),
			     pair(3, false, "1", "0"), pair(3, true, "1", "1") };
	const void *const list[4] = { filters[0], filters[1], filters[2], filters[3] };
	const BOOLEAN flags[4] = { 0, 0, 0, 1 }, both[4] = { 0, 1, 1, 0 };
	void *whole = NULL;
	ULONG size = 0;
	int i;

	is(etw_payload_aggregate(list, NULL, 3, &whole, &size), ERROR_SUCCESS, "B66: aggregate");
	is(size, ((struct etw_payload_header *)whole)->size, "its size is returned");
	is(table(whole, 3), 0x6, "B68: without flags one of an event's filters is enough");
	is(table(whole, 9), 0xa, "B66: the other event has its own");
	is(table(whole, 4), 0xf, "B69: events without a filter pass");
	free(whole);
	is(etw_payload_aggregate(list, both, 3, &whole, &size), ERROR_SUCCESS, "both flagged");
	is(table(whole, 3), 0, "B68: with flags all of them must hold");
	is(table(whole, 9), 0xa, "B68: an event with one filter does not care");
	free(whole);
	is(etw_payload_aggregate(list, flags, 4, &whole, &size), ERROR_SUCCESS, "some flagged");
	is(table(whole, 3), 0x6, "B68: all of these and one of those");
	free(whole);
	for (i = 0; i < 4; i++)
		free(filters[i]);
}

static void test_bad_aggregates(void)
{
	static const struct etw_payload_field other[] = { { "A", TDH_INTYPE_UINT64, 1, 0, -1, -1 } };
	const struct etw_payload_layout l = { 3, 0, 1, other };
	const struct etw_payload_predicate p = { "A", ETW_PAYLOAD_EQ, "1" };
	void *a = pair(3, false, "1", "1"), *b = NULL, *whole = &whole, *many[400];
	const void *list[400];
	ULONG size;
	int i;

	list[0] = list[1] = a;
	etw_payload_create(&l, false, &p, 1, &b, NULL);
	list[2] = b;
	is(etw_payload_aggregate(list, NULL, 3, &whole, &size), ERROR_INVALID_PARAMETER,
	   "two layouts of one event");
	is(etw_payload_aggregate(list, NULL, 0, &whole, &size), ERROR_INVALID_PARAMETER, "none");
	list[1] = NULL;
	is(etw_payload_aggregate(list, NULL, 2, &whole, &size), ERROR_INVALID_PARAMETER, "NULL");
	((struct etw_payload_header *)b)->format = 2;
	list[1] = b;
	is(etw_payload_aggregate(list, NULL, 2, &whole, &size), ERROR_INVALID_PARAMETER,
	   "something else");
	for (i = 0; i < 9; i++)
		list[i] = a;
	is(etw_payload_aggregate(list, NULL, 9, &whole, &size), ERROR_INVALID_PARAMETER,
	   "nine filters of an event");
	for (i = 0; i < 400; i++)
		list[i] = many[i] = pair(i, false, "1", NULL);
	is(etw_payload_aggregate(list, NULL, 200, &whole, &size), ERROR_INSUFFICIENT_BUFFER,
	   "B44: over 4096 bytes");
	is(etw_payload_aggregate(list, NULL, 400, &whole, &size), ERROR_INSUFFICIENT_BUFFER,
	   "B44: far over");
	ok(whole == &whole, "nothing was made");
	is(etw_payload_aggregate(list, NULL, 85, &whole, &size), ERROR_SUCCESS, "85 events");
	is(table(whole, 84), 0xa, "the last one of them");
	free(whole);
	for (i = 0; i < 400; i++)
		free(many[i]);
	free(a);
	free(b);
}

int main(void)
{
	test_numbers();
	test_texts();
	test_types();
	test_refused();
	test_reach();
	test_pointers();
	test_any();
	test_aggregate();
	test_bad_aggregates();
	return done_testing();
}
