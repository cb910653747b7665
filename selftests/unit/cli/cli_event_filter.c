/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_event_filter.c - etw enable expressions on events described with --fields: their
 * meaning, and error positions
 */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "core/payload.h"
#include "tdh/expr/kernel_filter.h"

#include "cli/request/fields.c"

#define FOUR "id=7 version=2: u8 A, u8 B, u8 C, u8 D"

/* The error message and its column */
struct wrong {
	size_t column;
	char text[256];
};

static void wrong_set(struct wrong *w, size_t column, const char *text)
{
	w->column = column;
	snprintf(w->text, sizeof(w->text), "%s", text);
}

/* Compile this expression for these fields; NULL: *w has the error. */
static void *program_of(struct wrong *w, const char *text, const char *expression)
{
	static const GUID guid;
	struct fields *fields = malloc(sizeof(*fields));
	struct etw_kernel_source source = { .text = expression };
	struct etw_kernel_schema schema = { .guid = &guid, .event_count = 1 };
	struct etw_kernel_filter filter = { .program = NULL };
	struct etw_kernel_error refused;
	const char *error = "";
	struct scan s;
	size_t column = 0;

	wrong_set(w, 0, "");
	if (!fields_parse(text, fields, &s)) {
		wrong_set(w, s.column, s.error);
		free(fields);
		return NULL;
	}
	schema.events = &fields->event;
	source.expr = etw_expr_parse(expression, &error, &column);
	if (!source.expr)
		wrong_set(w, column, error);
	else if (!etw_kernel_filter_make(&source, 1, &schema, &filter, &refused))
		wrong_set(w, refused.column, refused.text);
	else if (!filter.program || etw_payload_load(filter.program, filter.size))
		wrong_set(w, 0, "the program is wrong");
	etw_expr_free(source.expr);
	free(fields);
	if (!w->text[0])
		return filter.program;
	free(filter.program);
	return NULL;
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

/* Bit i of want: the expression passes if A to D are the bits of i. */
static void means(const char *expression, unsigned int want)
{
	unsigned int i, mask = 0;
	struct wrong w;
	void *program = program_of(&w, FOUR, expression);

	if (!program) {
		ok(false, "%s: column %zu: %s", expression, w.column, w.text);
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
	struct wrong w;
	void *program = program_of(&w, DATA, expression);

	if (!program) {
		ok(false, "%s: column %zu: %s", expression, w.column, w.text);
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
	is_value("Port in (1, 1337)", true);
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

/* The column and the text of the error */
static void wrong(const char *fields, const char *expression, size_t column, const char *error)
{
	struct wrong w;
	void *program = program_of(&w, fields, expression ? expression : "id == 7");

	ok(!program && w.column == column && strstr(w.text, error), "%s %s",
	   expression ? expression : fields, error);
	if (program || w.column != column || !strstr(w.text, error))
		printf("# column %zu: %s\n", w.column, w.text);
	free(program);
}

static void test_wrong(void)
{
	wrong("", NULL, 1, "id=NUMBER");
	wrong("id=65536: u8 A", NULL, 4, "an id from 0 to 65535");
	wrong("id=1 version=256: u8 A", NULL, 14, "a version");
	wrong("id=1 u8 A", NULL, 6, ": is missing");
	wrong("id=1:", NULL, 6, "a type is missing");
	wrong("id=1: u24 A", NULL, 7, "u24 is not a type");
	wrong("id=1: u8", NULL, 9, "the name of a field");
	wrong("id=1: u8 A,", NULL, 12, "a type is missing");
	wrong("id=1: u8 A u8 B", NULL, 12, ", or the end");
	wrong("id=1: u8 A, u8 A", NULL, 16, "a second field A");
	wrong("id=1: bin A", NULL, 11, "bin needs its length");
	wrong("id=1: bin[X] A", NULL, 11, "no field X");
	wrong("id=1: bin[0] A", NULL, 11, "0 is not a length");
	wrong("id=1: bin[65536] A", NULL, 11, "a number to 65535");
	wrong("id=1: u8[*] A", NULL, 10, "take the rest");
	wrong("id=1: str[7 A", NULL, 13, "] is missing");
	wrong(FOUR, "E == 1", 1, "no event has a field E");
	wrong(FOUR, "A == 1)", 7, "&&, || or the end");
	wrong(FOUR, "B == 1 && A == 256", 16, "256 is out of range, which is 0 to 255");
	wrong(FOUR, "A contains \"x\"", 1, "this is a number");
	wrong(FOUR, "A in 2..1", 6, "the range is upside down");
	wrong(FOUR, "opcode == 1", 1, "no manifest describes");
	wrong("id=7: u8 N, u8[N] A, u8 B", "B == 1 && A == 1", 11, "arrays");
	wrong("id=7: u8 N, f32 A", "A == 1", 1, "no such type");
}

#define ALL_TYPES "id=7: u32 Number, i8 B, u64 Big, i64 Deep, bool Flag, guid G, str Message, str16 Wide"

/* A bad value is reported at its position. */
static void test_wrong_values(void)
{
	char text[600];

	wrong(ALL_TYPES, "B in 1..-1", 6, "the range is upside down");
	wrong(ALL_TYPES, "B not in 1..1000", 13, "1000 is out of range, which is -128 to 127");
	wrong(ALL_TYPES, "B in -129..1", 6, "-129 is out of range");
	wrong(ALL_TYPES, "Number in 1..y", 14, "y is not a number");
	wrong(ALL_TYPES, "Number % 0", 10, "a positive whole number");
	wrong(ALL_TYPES, "Number > -1", 10, "-1 is out of range, which is 0 to 4294967295");
	wrong(ALL_TYPES, "Number > 4294967296", 10, "4294967296 is out of range");
	wrong(ALL_TYPES, "Number > 0x100000000", 10, "0x100000000 is out of range");
	wrong(ALL_TYPES, "Number > 5x", 10, "5x is not a number");
	wrong(ALL_TYPES, "Number is \"5\"", 11, "\"5\" is not a number");
	wrong(ALL_TYPES, "B > 200", 5, "200 is out of range, which is -128 to 127");
	wrong(ALL_TYPES, "Deep > 9223372036854775808", 8,
	      "which is -9223372036854775808 to 9223372036854775807");
	wrong(ALL_TYPES, "Flag > true", 8, "true has no order");
	wrong(ALL_TYPES, "Flag == yes", 9, "yes is not a number");
	wrong(ALL_TYPES, "G is \"xyz\"", 6, "\"xyz\" is not a GUID");
	wrong(ALL_TYPES, "G contains \"xyz\"", 1, "for GUIDs it has");
	wrong(ALL_TYPES, "Wide is \"\\xff\"", 9, "texts of 1 to 255");
	snprintf(text, sizeof(text), "Message is \"%0256d\"", 0);
	wrong(ALL_TYPES, text, 12, "texts of 1 to 255 characters");
	snprintf(text, sizeof(text), "Number == 1 && Wide is \"%0256d\"", 0);
	wrong(ALL_TYPES, text, 24, "texts of 1 to 255 characters");
}

int main(void)
{
	test_meaning();
	test_values();
	test_wrong();
	test_wrong_values();
	return done_testing();
}
