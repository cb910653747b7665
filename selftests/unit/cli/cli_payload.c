/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_payload.c - the fields and expressions of etw enable: what they mean, and
 * where they are wrong
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "core/payload.h"

#include "cli/payload/layout.c"
#include "cli/scan.c"
#include "cli/payload/payload.c"
#define find_type find_test
#define types test_types
#define type test_type
#include "cli/payload/error.c"
#undef find_type
#undef types
#undef type
#include "cli/payload/map.c"

#define FOUR "id=7 version=2: u8 A, u8 B, u8 C, u8 D"

/* The program of these fields and this expression; NULL: s tells. */
static void *program_of(struct scan *s, const char *fields, const char *expression)
{
	static struct payload p;
	void *program;

	payload_free(&p);
	memset(&p, 0, sizeof(p));
	scan_begin(s, fields);
	if (!payload_fields(&p, s)) {
		ok(false, "%s: column %zu: %s", fields, s->column, s->error);
		return NULL;
	}
	scan_begin(s, expression);
	if (!payload_expression(&p, s))
		return NULL;
	if (payload_finish(&p)) {
		ok(false, "%s: %s", expression, payload_finish(&p));
		return NULL;
	}
	if (etw_payload_load(p.program, p.size)) {
		ok(false, "%s: the program is wrong", expression);
		return NULL;
	}
	program = p.program;
	p.program = NULL;
	return program;
}

static bool passes(const void *program, const void *data, uint32_t size)
{
	const struct etw_event_descriptor desc = { .id = 7, .version = 2 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = size };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = ETW_TYPE_EVENT64 };

	etw_record_measure(&source);
	return etw_payload_pass(program, &source, false);
}

/* Bit i: passes with A to D the bits of i. */
static void means(const char *expression, unsigned int want)
{
	unsigned int i, mask = 0;
	struct scan s;
	void *program = program_of(&s, FOUR, expression);

	if (!program) {
		ok(false, "%s: column %zu: %s", expression, s.column, s.error);
		return;
	}
	for (i = 0; i < 16; i++) {
		const uint8_t data[4] = { i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 };

		mask |= passes(program, data, 4) << i;
	}
	ok(mask == want, "%s: %#x", expression, mask);
	free(program);
}

#define A 0xaaaa
#define B 0xcccc
#define C 0xf0f0
#define D 0xff00

static void test_meaning(void)
{
	means("A==1", A);
	means("A != 1", (uint16_t)~A);
	means(" A == 1 && B == 1 ", A & B);
	means("A == 1 || B == 1", A | B);
	means("A==1&&B==1&&C==1&&D==1", A & B & C & D);
	means("A==1||B==1||C==1||D==1", A | B | C | D);
	means("A == 1 && B == 1 || C == 1 && D == 1", (A & B) | (C & D));
	means("A == 1 || B == 1 && C == 1", A | (B & C));
	means("A == 1 && B == 1 || C == 1", (A & B) | C);
	means("(A == 1 || B == 1) && C == 1", (A | B) & C);
	means("A == 1 && (B == 1 || C == 1) && D == 1", A & (B | C) & D);
	means("(A == 1 || B == 1) && (C == 1 || D == 1)", (A | B) & (C | D));
	means("((A == 1) && ((B == 1 && C == 1)))", A & B & C);
	means("A == 1 || (B == 1 || (C == 1 || D == 1))", A | B | C | D);
	means("A in 0..0 && B not in 0..0", (uint16_t)~A & B);
	means("A%2 && B % 2 || A >= 1 && B > 0", ((uint16_t)~A & (uint16_t)~B) | (A & B));
	means("A<1 || A<=0 || D < 1", (uint16_t)~A | (uint16_t)~D);
	means("A==1 && A==1 && A==1 && A==1 && A==1 && A==1 && A==1 && A==1 && B==1", A & B);
	means("A==1 || A==1 || A==1 || A==1 || A==1 || A==1 || A==1 || A==1 || B==1", A | B);
}

static const char data[] = "\x39\5" "L\0o\0g\0\0\0" "\2" "ab" "\3\0xyz" "abc\0" "rest";
#define DATA "id=7 version=2: u16 Port, str16 File, u8 Count, bin[Count] Data, cstr Title, "	\
	     "str[4] Fixed, str[*] Rest"

static void is_value(const char *expression, bool want)
{
	struct scan s;
	void *program = program_of(&s, DATA, expression);

	if (!program) {
		ok(false, "%s: column %zu: %s", expression, s.column, s.error);
		return;
	}
	ok(passes(program, data, sizeof(data) - 1) == want, "%s: %s", expression,
	   want ? "yes" : "no");
	free(program);
}

static void test_values(void)
{
	is_value("Port == 1337", true);
	is_value("Port == 0x539", true);
	is_value("Port in 1024..2000", true);
	is_value("Port not in 1024..2000", false);
	is_value("Port % 7", true);
	is_value("File contains \"LOG\"", true);
	is_value("File not contains \"og\"", false);
	is_value("File == \"log\"", true);
	is_value("File != \"log\"", false);
	is_value("File is \"lo\"", false);
	is_value("File is not \"lo\"", true);
	is_value("Title == \"XYZ\"", true);
	is_value("Fixed is \"abc\"", true);
	is_value("Rest contains \"st\"", true);
	is_value("Rest contains \"a \\\"quoted\\\" \\\\ one\"", false);
}

/* Where it is wrong, and what is said. */
static void wrong(const char *fields, const char *expression, size_t column, const char *error)
{
	struct payload *p = calloc(1, sizeof(*p));
	struct scan s;
	bool good;

	scan_begin(&s, fields);
	good = payload_fields(p, &s);
	if (expression && good) {
		scan_begin(&s, expression);
		good = payload_expression(p, &s);
	}
	ok(!good && s.column == column && strstr(s.error, error), "%s %s",
	   expression ? expression : fields, error);
	if (good || s.column != column || !strstr(s.error, error))
		printf("# column %zu: %s\n", s.column, s.error);
	payload_free(p);
	free(p);
}

static void test_wrong(void)
{
	wrong("", NULL, 1, "id=NUMBER");
	wrong("id=65536: u8 A", NULL, 4, "an id from 0 to 65535");
	wrong("id=1 version=256: u8 A", NULL, 14, "a version");
	wrong("id=1 u8 A", NULL, 6, ": is missing");
	wrong("id=1:", NULL, 6, "a type is missing");
	wrong("id=1: u24 A", NULL, 7, "u24 is no type");
	wrong("id=1: u8", NULL, 9, "the name of a field");
	wrong("id=1: u8 A,", NULL, 12, "a type is missing");
	wrong("id=1: u8 A u8 B", NULL, 12, ", or the end");
	wrong("id=1: u8 A, u8 A", NULL, 16, "a second field A");
	wrong("id=1: bin A", NULL, 11, "bin needs its length");
	wrong("id=1: bin[X] A", NULL, 11, "no field X");
	wrong("id=1: bin[0] A", NULL, 11, "0 is no length");
	wrong("id=1: bin[65536] A", NULL, 11, "a number to 65535");
	wrong("id=1: u8[*] A", NULL, 10, "take the rest");
	wrong("id=1: str[7 A", NULL, 13, "] is missing");
	wrong(FOUR, "", 1, "a field is missing");
	wrong(FOUR, "E == 1", 1, "--fields has no E");
	wrong(FOUR, "A = 1", 3, "an operator is missing");
	wrong(FOUR, "A == ", 6, "a value is missing");
	wrong(FOUR, "A == 1 B", 8, "&& or ||");
	wrong(FOUR, "A == 1 &&", 10, "a field is missing");
	wrong(FOUR, "A == 1 || && B == 1", 11, "a field is missing");
	wrong(FOUR, "(A == 1", 8, ") is missing");
	wrong(FOUR, "A == 1)", 7, "&& or ||");
	wrong(FOUR, "B == 1 && A == 256", 16, "256 is out of range, which is 0 to 255");
	wrong(FOUR, "A contains \"x\"", 1, "A is a number");
	wrong(FOUR, "A contains x", 12, "a string in double quotes");
	wrong(FOUR, "A contains \"x", 12, "the string does not end");
	wrong(FOUR, "A in 1", 7, ".. is missing");
	wrong(FOUR, "A in 2..1", 6, "the range is upside down");
	wrong(FOUR, "A == 1 && (B == 1 || C == 1 && D == 1)", 22, "no deeper");
	wrong("id=7: u8 N, u8[N] A, u8 B", "B == 1 && A == 1", 11, "A is an array");
	wrong("id=7: u8 N, f32 A", "A == 1", 1, "A has a type that cannot be tested");
	wrong(FOUR, "((((((((((((((((((A == 1))))))))))))))))))", 17, "too many parentheses");
}

/* One event, one expression; all of them together within the kernel's limits. */
static void test_several(void)
{
	struct payload *p = calloc(1, sizeof(*p));
	char fields[64];
	struct scan s;
	int i;

	scan_begin(&s, "A == 1");
	ok(!payload_expression(p, &s), "an expression without fields");
	scan_begin(&s, FOUR);
	ok(payload_fields(p, &s), "fields");
	ok(payload_finish(p) != NULL, "fields without an expression");
	scan_begin(&s, FOUR);
	ok(!payload_fields(p, &s), "fields twice");
	p->given = false;
	scan_begin(&s, FOUR);
	payload_fields(p, &s);
	scan_begin(&s, "A == 1");
	ok(payload_expression(p, &s), "and their expression");
	scan_begin(&s, "A == 1");
	ok(!payload_expression(p, &s), "but not two");
	scan_begin(&s, FOUR);
	ok(!payload_fields(p, &s), "nor the event once more");
	for (i = 0; i < 63; i++) {
		sprintf(fields, "id=%d: u8 A", 100 + i);
		scan_begin(&s, fields);
		p->used = true;
		if (!payload_fields(p, &s))
			break;
		scan_begin(&s, "A == 1");
		if (!payload_expression(p, &s))
			break;
	}
	is(i, 63, "64 events");
	ok(!payload_finish(p) && p->size > 64 * 40, "in one filter");
	payload_free(p);
	free(p);
}

#define ALL_TYPES "id=7: u32 Number, i8 B, u64 Big, i64 Deep, bool Flag, guid G, str Message, str16 Wide"

/* The value's own fault, and where it stands. */
static void test_wrong_values(void)
{
	char text[600];

	wrong(ALL_TYPES, "Number in 5..3", 11, "the range is upside down");
	wrong(ALL_TYPES, "B in 1..-1", 6, "the range is upside down");
	wrong(ALL_TYPES, "B not in 1..1000", 13, "1000 is out of range, which is -128 to 127");
	wrong(ALL_TYPES, "B in -129..1", 6, "-129 is out of range");
	wrong(ALL_TYPES, "Number in 1..y", 14, "y is not a number");
	wrong(ALL_TYPES, "Number % 0", 10, "nothing is a multiple of 0");
	wrong(ALL_TYPES, "Number > -1", 10, "-1 is out of range, which is 0 to 4294967295");
	wrong(ALL_TYPES, "Number > 4294967296", 10, "4294967296 is out of range");
	wrong(ALL_TYPES, "Number > 0x100000000", 10, "0x100000000 is out of range");
	wrong(ALL_TYPES, "Number > x", 10, "x is not a number");
	wrong(ALL_TYPES, "Number > 5x", 10, "5x is not a number");
	wrong(ALL_TYPES, "Number > -", 10, "- is not a number");
	wrong(ALL_TYPES, "Number is \"5\"", 1, "Number is a number, for ==");
	wrong(ALL_TYPES, "B > 200", 5, "200 is out of range, which is -128 to 127");
	wrong(ALL_TYPES, "Big == 18446744073709551616", 8, "which is 0 to 18446744073709551615");
	wrong(ALL_TYPES, "Deep == -9223372036854775809", 9,
	      "which is -9223372036854775808 to 9223372036854775807");
	wrong(ALL_TYPES, "Big == 00000000000000000000000000000000001", 8, "too long");
	wrong(ALL_TYPES, "Flag > true", 8, "true goes with == and !=");
	wrong(ALL_TYPES, "Flag == yes", 9, "yes is not a number");
	wrong(ALL_TYPES, "G is \"xyz\"", 6, "xyz is not a GUID in braces");
	wrong(ALL_TYPES, "G == xyz", 1, "G is a GUID, for is");
	wrong(ALL_TYPES, "G contains \"xyz\"", 1, "G is a GUID, for is");
	wrong(ALL_TYPES, "Message contains \"\"", 18, "the text is empty");
	wrong(ALL_TYPES, "Message == 5", 1, "Message is text, for contains");
	wrong(ALL_TYPES, "Wide is \"\xff\"", 9, "the text is not UTF-8");
	snprintf(text, sizeof(text), "Message is \"%0256d\"", 0);
	wrong(ALL_TYPES, text, 12, "the text has more than 255 bytes");
	snprintf(text, sizeof(text), "Number == 1 && Wide is \"%0256d\"", 0);
	wrong(ALL_TYPES, text, 24, "the text has more than 255 characters");
}

int main(void)
{
	test_meaning();
	test_values();
	test_wrong();
	test_wrong_values();
	test_several();
	return done_testing();
}
