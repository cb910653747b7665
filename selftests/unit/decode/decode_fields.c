/* SPDX-License-Identifier: MIT */
/*
 * decode_fields - arrays, structures, lengths and maps of a manifest's events
 */
#include "decode_event.h"

#define U8(what)	FIELD(what, UINT8, UNSIGNEDBYTE)
#define U16(what)	FIELD(what, UINT16, UNSIGNEDSHORT)
#define U32(what)	FIELD(what, UINT32, UNSIGNEDINT)

/*
 * B203: a field with a count is an array, even with a count of one; without a count it is
 * a plain field.
 */
static void test_counts(void)
{
	struct etw_mf_field f = U8("a");

	f.flags = ETW_MF_COUNT_FIXED;
	load(&f, 1, 1, NULL);
	decode_hex("07", 0);
	is_text(text(), "a=[7]", "count 1 that was given is an array of one");
	is_text(json(), "{\"a\":[7]}", "and in JSON");
	f.count = 3;
	load(&f, 1, 1, NULL);
	decode_hex("070809", 0);
	is_text(text(), "a=[7, 8, 9]", "three");
	f.flags = 0;
	load(&f, 1, 1, NULL);
	decode_hex("070809", 0);
	is_text(text(), "a=[7, 8, 9]", "a count above 1 says it, too");
	f.count = 0;
	f.flags = ETW_MF_COUNT_FIXED;
	load(&f, 1, 1, NULL);
	decode_hex("", 0);
	is_text(text(), "a=[]", "none");
}

/* B204: counts and lengths may come from earlier integers. */
static void test_references(void)
{
	struct etw_mf_field f[] = {
		U8("n"), U16("len"), U16("a"), FIELD("b", BINARY, HEXBINARY),
		FIELD("w", UNICODESTRING, STRING),
	};

	f[2].flags = ETW_MF_COUNT_FIELD;
	f[2].count = 0;
	f[3].flags = ETW_MF_LENGTH_FIELD;
	f[3].length = 1;
	f[4].flags = ETW_MF_LENGTH_FIELD;
	f[4].length = 0;
	load(f, 5, 5, NULL);
	decode_hex("02 0300 0100 0200 aabbcc 41004200", 0);
	is_text(text(), "n=2 len=3 a=[1, 2] b=aabbcc w=\"AB\"", "a count, bytes and characters");
	decode_hex("00 0000", 0);
	is_text(text(), "n=0 len=0 a=[] b= w=\"\"", "nothing of each");
	decode_hex("ff 0000 0100", 0);
	is_text(text(), "n=255 len=0 a=[1, <truncated>]", "more than there is");
	is_text(json(), "{\"n\":255,\"len\":0,\"a\":[1]}", "whole ones are there");
	is(json_ret, -EBADMSG, "and it is reported");
	f[2].count = 4;
	load(f, 5, 5, NULL);
	decode_hex("02 0300 0100", 0);
	is_text(text(), "n=2 len=3 a=<truncated> rest=0100", "a count after its field is ignored");
	f[2].count = 1;
	f[1].in_type = TDH_INTYPE_INT16;
	load(f, 5, 5, NULL);
	decode_hex("02 ffff 0100", 0);
	is(text_ret, -EBADMSG, "a negative count is no count");
}

/* B205: a length, a NUL or, for the last string, the end of the event ends a string. */
static void test_strings(void)
{
	struct etw_mf_field f[] = { FIELD("a", ANSISTRING, STRING), FIELD("w", UNICODESTRING, STRING) };

	load(f, 2, 2, NULL);
	decode_hex("414200 430044000000", 0);
	is_text(text(), "a=\"AB\" w=\"CD\"", "by their NULs");
	decode_hex("414200 43004400", 0);
	is_text(text(), "a=\"AB\" w=\"CD\"", "the last needs none");
	decode_hex("414200", 0);
	is_text(text(), "a=\"AB\" w=\"\"", "nor any other byte");
	decode_hex("4142", 0);
	is_text(text(), "a=\"AB\" w=\"\"", "and the one before ends with the event, too");
	decode_hex("", 0);
	is_text(text(), "a=<truncated>", "but has to begin in it");
	f[0].flags = ETW_MF_LENGTH_FIXED;
	f[0].length = 4;
	f[1].flags = ETW_MF_LENGTH_FIXED;
	f[1].length = 3;
	load(f, 2, 2, NULL);
	decode_hex("41420043 44004500 4600", 0);
	is_text(text(), "a=\"AB\" w=\"DEF\"", "given lengths, filled up with NULs");
	decode_hex("41420043 4400", 0);
	is_text(text(), "a=\"AB\" w=<truncated> rest=4400", "which must be there");
}

/* A count, then an array of structures, each with a string and an array */
static void test_structs(void)
{
	struct etw_mf_field f[] = {
		U8("n"), { .name = "s", .flags = ETW_MF_STRUCT | ETW_MF_COUNT_FIELD, .first = 3, .members = 3 },
		U8("end"), U8("m"), FIELD("name", ANSISTRING, STRING), U8("v"),
	};
	struct etw_field field;
	int ret, values = 0;

	f[5].flags = ETW_MF_COUNT_FIELD;
	f[5].count = 3;
	load(f, 6, 3, NULL);
	decode_hex("02 01 4100 05 02 4200 0607 ff", 0);
	is_text(text(), "n=2 s=[{m=1 name=\"A\" v=[5]}, {m=2 name=\"B\" v=[6, 7]}] end=255",
		"structures and their members");
	is_text(json(), "{\"n\":2,\"s\":[{\"m\":1,\"name\":\"A\",\"v\":[5]},"
		"{\"m\":2,\"name\":\"B\",\"v\":[6,7]}],\"end\":255}", "in JSON");
	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) == 1) {
		if (field.kind == ETW_FIELD_VALUE && !strcmp(field.name, "v")) {
			values++;
			is(field.depth, 3, "as deep as it is nested");
			is(field.index, field.value.u == 7, "its place in the array");
			is(field.position, 5, "its place in the template");
		}
		if (field.kind == ETW_FIELD_ARRAY_END && !strcmp(field.name, "s"))
			ok(field.offset == 1 && field.length == 9, "all of the array's bytes");
	}
	ok(!ret && values == 3, "each value once");
	decode_hex("02 01 4100 05 02 4200 06", 0);
	is_text(text(), "n=2 s=[{m=1 name=\"A\" v=[5]}, {m=2 name=\"B\" v=[6, <truncated>]}]",
		"cut off within");
	is_text(json(), "{\"n\":2,\"s\":[{\"m\":1,\"name\":\"A\",\"v\":[5]},"
		"{\"m\":2,\"name\":\"B\",\"v\":[6]}]}", "JSON is whole nevertheless");
	is_text(paths(0), "n s( s[0]{ s[0].m s[0].name s[0].v( s[0].v[0] s[0].v) s[0]} "
		"s[1]{ s[1].m s[1].name s[1].v( s[1].v[0] s[1].v[1]!", "each field's path");
	decode_hex("00 ff", 0);
	is_text(paths(0), "n s( s) end", "after an empty array, too");
}

/* B204: a structure cannot refer to fields after it, wherever they are in the template. */
static void test_later(void)
{
	struct etw_mf_field f[] = {
		{ .name = "s", .flags = ETW_MF_STRUCT, .count = 1, .first = 3, .members = 1 },
		U8("n"), { .name = "t", .flags = ETW_MF_STRUCT, .count = 1, .first = 4, .members = 2 },
		U8("v"), U8("m"), U8("w"),
	};

	f[3].flags = ETW_MF_COUNT_FIELD;
	f[3].count = 1;
	load(f, 6, 3, NULL);
	decode_hex("02 0102", 0);
	is_text(text(), "s={v=<truncated>} rest=020102", "a count after the structure is ignored");
	is(text_ret, -EBADMSG, "and that is reported");
	f[3] = (struct etw_mf_field)U8("v");
	f[5].flags = ETW_MF_COUNT_FIELD;
	f[5].count = 1;
	load(f, 6, 3, NULL);
	decode_hex("01 02 03 0405", 0);
	is_text(text(), "s={v=1} n=2 t={m=3 w=[4, 5]}", "a count before it is used");
	f[5].count = 4;
	load(f, 6, 3, NULL);
	decode_hex("01 02 01 04", 0);
	is_text(text(), "s={v=1} n=2 t={m=1 w=[4]}", "as is a member of its own");
	f[5].count = 3;
	load(f, 6, 3, NULL);
	decode_hex("01 02 01 04", 0);
	is_text(text(), "s={v=1} n=2 t={m=1 w=<truncated>} rest=04", "but not another structure's");
}

static const struct etw_mf_map *make_map(enum etw_mf_map_kind kind)
{
	static const char *const names[] = { "One", "Four", "Zero" };
	static const uint32_t values[] = { 1, 4, 0 };
	static struct etw_mf_message messages[3];
	static struct etw_mf_map_entry entries[3];
	static uint32_t by_value[] = { 2, 0, 1 };
	static struct etw_mf_map map;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		messages[i].text = &names[i];
		entries[i] = (struct etw_mf_map_entry){ .value = values[i], .message = &messages[i] };
	}
	map = (struct etw_mf_map){
		.name = "M", .kind = kind, .entries = entries, .count = 3,
		.by_value = by_value, .by_value_count = 3,
	};
	return &map;
}

/* B209: value maps name a whole value, bit maps each bit; values without a name are numbers. */
static void test_maps(void)
{
	struct etw_mf_field f = FIELD("m", UINT32, UNSIGNEDINT);

	f.map = make_map(ETW_MAP_VALUE);
	load(&f, 1, 1, NULL);
	decode_hex("04000000", 0);
	is_text(text(), "m=Four", "a value's name");
	is_text(json(), "{\"m\":\"Four\"}", "in JSON");
	decode_hex("05000000", 0);
	is_text(text(), "m=5", "a value without one");
	is_text(json(), "{\"m\":5}", "in JSON");
	f.map = make_map(ETW_MAP_BITS);
	load(&f, 1, 1, NULL);
	decode_hex("05000000", 0);
	is_text(text(), "m=One|Four", "bits' names");
	decode_hex("0d000000", 0);
	is_text(text(), "m=One|Four|0x8", "and a bit without a name");
	decode_hex("00000000", 0);
	is_text(text(), "m=Zero", "no bit at all can have a name");
	is_text(json(), "{\"m\":\"Zero\"}", "in JSON");
}

/* Pattern maps are not used: a string with one stays unchanged. */
static void test_patterns(void)
{
	static const struct etw_mf_map_entry entries[] = { { .name = "x", .text = "y" } };
	static const struct etw_mf_map map = {
		.name = "P", .kind = ETW_MAP_PATTERN, .format = "winrxv1", .entries = entries,
		.count = 1,
	};
	struct etw_mf_field f[] = { FIELD("a", ANSISTRING, STRING), FIELD("w", UNICODESTRING, STRING) };

	f[0].map = f[1].map = &map;
	load(f, 2, 2, NULL);
	decode_hex("7800 78000000", 0);
	is_text(text(), "a=\"x\" w=\"x\"", "strings with a pattern map");
	is_text(json(), "{\"a\":\"x\",\"w\":\"x\"}", "in JSON");
}

/* Names without text in the output; duplicate names; tags. */
static void test_names(void)
{
	struct etw_mf_field f[] = {
		U8("a"), U8("a"), U8("a_2"), U8("a"), U8("\n\"é"), FIELD("x", UINT8, NOPRINT),
	};
	struct etw_field field;

	f[0].tags = 0xabcdef1;
	load(f, 6, 6, NULL);
	decode_hex("010203040506", 0);
	is_text(json(), "{\"a\":1,\"a_3\":2,\"a_2\":3,\"a_4\":4,\"\\n\\\"é\":5,\"x\":6}",
		"no name twice in JSON");
	is_text(text(), "a=1 a=2 a_2=3 a=4 \\n\\\"é=5", "as they are in text, without NOPRINT");
	etw_decode_rewind(decoder);
	/* B215: a field has tags of 28 bits. */
	ok(etw_decode_next(decoder, &field) == 1 && field.tags == 0xabcdef1, "a field's tags");
}

/* Flags that make no sense for a type are ignored. */
static void test_senseless(void)
{
	struct etw_mf_field f = FIELD("a", UINT64, UNSIGNEDLONG);

	f.flags = ETW_MF_LENGTH_INLINE | ETW_MF_LENGTH_FIXED;
	f.length = 1;
	load(&f, 1, 1, NULL);
	decode_hex("0100", 0);
	is(text_ret, -EBADMSG, "a number has its own length");
	decode_hex("0100000000000000", 0);
	is_text(text(), "a=1", "and no other");
}

/* The number of steps is limited, whatever the counts say. */
static void test_work(void)
{
	static struct etw_mf_field f[12];
	unsigned int i;

	for (i = 0; i < 12; i++)
		f[i] = (struct etw_mf_field){
			.name = "s", .flags = ETW_MF_STRUCT | ETW_MF_COUNT_FIXED,
			.count = 65535, .first = (uint16_t)(i + 1), .members = i < 11,
		};
	load(f, 12, 1, NULL);
	decode_hex("01", 0);
	is(text_ret, -EBADMSG, "structures of nothing, 65535 to the 12th of them");
	ok(out_text.len < 1 << 20, "are little text");
	f[1].first = 0;
	load(f, 12, 1, NULL);
	decode_hex("01", 0);
	is(text_ret, -EBADMSG, "a structure in itself");
	f[0].first = 11;
	f[0].members = 2;
	load(f, 12, 1, NULL);
	decode_hex("01", 0);
	is(text_ret, -EBADMSG, "members that are not there");
}

/* An event of a manifest without a schema, and an event of an unknown provider */
static void test_unknown(void)
{
	struct etw_mf_field f = U8("a");
	const struct etw_decoded *event;

	load(&f, 1, 1, NULL);
	event = decode_hex("07", 0);
	is(decode_ret, 0, "a known event");
	ok(event->source == ETW_DECODE_MANIFEST && !strcmp(event->provider, "Test") &&
	   event->field_count == 1, "its provider");
	is_text(event->level, "Information", "its level's name");
	unload();
	event = decode_hex("07", 0);
	is(decode_ret, -ENOENT, "its manifest is unloaded");
	is_text(text(), "data=07", "all of it is left over");
	is_text(json(), "{}", "and nothing in JSON");
	is_text(event->level, "Information", "standard names stay");
	ok(!event->provider && event->source == ETW_DECODE_NONE, "others do not");
	load(&f, 1, 1, NULL);
	decode_hex("07", 0);
	is_text(text(), "a=7", "it is loaded again");
	load(NULL, 0, 0, "hello");
	decode_hex("07", 0);
	is(decode_ret, 0, "an event without fields is known");
	is_text(text(), "rest=07", "its payload is no field's");
}

int main(void)
{
	test_counts();
	test_references();
	test_strings();
	test_structs();
	test_later();
	test_maps();
	test_patterns();
	test_names();
	test_senseless();
	test_work();
	test_unknown();
	clean_up();
	return done_testing();
}
