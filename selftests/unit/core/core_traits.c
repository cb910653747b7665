/* SPDX-License-Identifier: MIT */
/*
 * core_traits - provider traits, event schemas, and the data descriptors that are not
 * payload
 */
#include <stdlib.h>
#include <string.h>

#include "lib/pick.h"
#include "lib/tap.h"
#include "core/traits.h"

#define GUID_BYTES	"\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"
#define OTHER_BYTES	"\20\17\16\15\14\13\12\11\10\7\6\5\4\3\2\1"
#define GROUP		"\x13\0\1" GUID_BYTES
#define DECODE		"\x13\0\2" OTHER_BYTES

/* An allocation of its own, so that the sanitizer sees reads beyond it. */
static void *block(const void *from, size_t len)
{
	void *copy = malloc(len ? len : 1);

	memcpy(copy, from, len);
	return copy;
}

/* Traits with this body after their size, which is set to fit. */
static u8 *traits_of(const char *body, size_t len)
{
	u8 *to = malloc(len + 2);

	to[0] = len + 2;
	to[1] = (len + 2) >> 8;
	memcpy(to + 2, body, len);
	return to;
}

static int parse(const char *body, size_t len, struct etw_traits_view *view)
{
	u8 *traits = traits_of(body, len);
	struct etw_traits_view v;
	int ret = etw_traits_parse(traits, len + 2, &v);

	/* The view points into the block, which is freed: keep copies. */
	if (view && !ret) {
		static struct etw_guid kept[2];

		*view = v;
		if (v.group)
			view->group = memcpy(&kept[0], v.group, 16);
		if (v.decode)
			view->decode = memcpy(&kept[1], v.decode, 16);
	}
	free(traits);
	return ret;
}

#define PARSE(body, view)	parse(body, sizeof(body) - 1, view)

static void test_good(void)
{
	struct etw_traits_view v;

	is(PARSE("Name\0", &v), 0, "only a name");
	ok(v.name_len == 4 && !v.group && !v.decode, "and nothing else");
	is(PARSE("\0", &v), 0, "an empty name");
	is(v.name_len, 0, "of no bytes");
	is(PARSE("N\0" GROUP, &v), 0, "a group");
	ok(v.group && !memcmp(v.group, GUID_BYTES, 16) && !v.decode, "and which");
	is(PARSE("N\0" DECODE GROUP, &v), 0, "a decode GUID and a group");
	ok(v.group && !memcmp(v.group, GUID_BYTES, 16) && v.decode &&
	   !memcmp(v.decode, OTHER_BYTES, 16), "in any order");
	is(PARSE("N\0\3\0\x80\7\0\xffuser\4\0\3x" GROUP, &v), 0, "other types are ignored");
	ok(v.group, "and chunks after them are found");
}

/* B78: the size equals the blob's, the name ends, the chunks fill the rest. */
static void test_bad(void)
{
	static const char whole[] = "N\0" DECODE GROUP "\5\0\x80xy";
	u8 *traits = traits_of(whole, sizeof(whole) - 1);
	struct etw_traits_view v;
	u32 len, wrong = 0;
	u8 *copy;

	is(PARSE("Name", NULL), -EINVAL, "a name without its NUL");
	is(PARSE("", NULL), -EINVAL, "no name at all");
	is(PARSE("N\0\1", NULL), -EINVAL, "a byte left over");
	is(PARSE("N\0\1\0", NULL), -EINVAL, "two bytes left over");
	is(PARSE("N\0\0\0\1", NULL), -EINVAL, "a chunk of size 0");
	is(PARSE("N\0\2\0\1", NULL), -EINVAL, "a chunk smaller than its head");
	is(PARSE("N\0\4\0\x80", NULL), -EINVAL, "a chunk beyond the end");
	is(PARSE("N\0\3\0\0", NULL), -EINVAL, "a chunk of type 0");
	is(PARSE("N\0\3\0\1", NULL), -EINVAL, "a group that is not a GUID");
	is(PARSE("N\0\x12\0\2" "123456789012345", NULL), -EINVAL, "nor is this one");
	is(PARSE("N\0\x14\0\1" "12345678901234567", NULL), -EINVAL, "nor this");
	is(PARSE("N\0\x13\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", NULL), -EINVAL, "a zero GUID");
	is(PARSE("N\0" GROUP GROUP, NULL), -EINVAL, "two groups");
	is(PARSE("N\0" DECODE DECODE, NULL), -EINVAL, "two decode GUIDs");
	for (len = 0; len < sizeof(whole) + 1; len++) {
		copy = block(traits, len);
		wrong += etw_traits_parse(copy, len, &v) != -EINVAL;
		free(copy);
	}
	is(wrong, 0, "a size that is larger than the blob");
	copy = malloc(sizeof(whole) + 2);
	memcpy(copy, traits, sizeof(whole) + 1);
	is(etw_traits_parse(copy, sizeof(whole) + 1, &v), 0, "the whole");
	is(etw_traits_parse(copy, sizeof(whole) + 2, &v), -EINVAL, "or smaller");
	free(copy);
	free(traits);
}

/* Random bytes after a valid start are refused or accepted, and read within bounds. */
static void test_random(void)
{
	u32 round, taken = 0, i, len;
	struct etw_traits_view v;
	u8 bytes[64], *copy;

	for (round = 0; round < 200000; round++) {
		len = pick(sizeof(bytes));
		for (i = 0; i < len; i++)
			bytes[i] = pick(3) ? pick(5) : pick(256);
		if (len > 1 && pick(4)) {
			bytes[0] = len;
			bytes[1] = 0;
		}
		copy = block(bytes, len);
		taken += !etw_traits_parse(copy, len, &v);
		etw_schema_name(copy, len, &i);
		free(copy);
	}
	ok(taken > 100, "%u of 200000 random blobs are traits", taken);
}

/* Is this the name in the schema with this body after its size? NULL: no name. */
static bool named(const char *body, size_t len, const char *name)
{
	u8 *schema = traits_of(body, len);
	u32 n = 0;
	const char *found = etw_schema_name(schema, len + 2, &n);
	bool same = name ? found && n == strlen(name) && !memcmp(found, name, n) : !found;

	free(schema);
	return same;
}

#define NAMED(body, name)	named(body, sizeof(body) - 1, name)

/* A name is read up to the longest name that a filter may hold. */
static void test_long_name(u32 length)
{
	static char body[65000];
	u32 n = 0, seen = length < ETW_SCHEMA_NAME_MAX ? length : ETW_SCHEMA_NAME_MAX;
	u8 *schema;

	memset(body, 'n', sizeof(body));
	body[0] = 0;
	body[1 + length] = 0;
	schema = traits_of(body, length + 2);
	ok(etw_schema_name(schema, length + 4, &n) == (char *)schema + 3 && n == seen,
	   "a name of %u bytes", length);
	free(schema);
}

static void test_schema(void)
{
	u8 *schema = traits_of("\0Evt\0", 5);
	u32 n;

	ok(NAMED("\0Evt\0", "Evt"), "the name of an event");
	ok(NAMED("\x12" "Evt\0f\0\7", "Evt"), "with a tag, and a field");
	ok(NAMED("\x80\xff\x80\x80\1Evt\0", "Evt"), "with a tag of five bytes");
	ok(!NAMED("\x80\xff\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1Evt\0", "Evt"),
	   "with a tag of 17 bytes");
	test_long_name(ETW_SCHEMA_NAME_MAX - 1);
	test_long_name(ETW_SCHEMA_NAME_MAX);
	test_long_name(60000);
	ok(NAMED("\0\0", ""), "an empty name");
	ok(NAMED("\0Ev", NULL), "a name without its end");
	ok(NAMED("\0", NULL), "no name");
	ok(NAMED("\x80\x80", NULL), "a tag without its end");
	ok(NAMED("", NULL), "only the size");
	ok(!etw_schema_name(schema, 6, &n) && !etw_schema_name(schema, 1, &n) &&
	   !etw_schema_name(schema, 0, &n), "a size that is not its own");
	free(schema);
}

static void test_find(void)
{
	struct etw_data_descriptor d[6] = { { 0 } };
	struct etw_typed_at at;

	is(etw_typed_find(&at, d, 6), 0, "only payload");
	ok(at.schema < 0 && at.provider < 0 && at.timestamp < 0, "nothing else");
	is(etw_typed_find(&at, NULL, 0), 0, "nothing at all");
	d[0].reserved = 0xabcd0002;
	d[1].reserved = ETW_DATA_EVENT_METADATA;
	d[5] = (struct etw_data_descriptor){ .size = 8, .reserved = ETW_DATA_TIMESTAMP };
	is(etw_typed_find(&at, d, 6), 0, "one of each; only the low byte counts");
	ok(at.provider == 0 && at.schema == 1 && at.timestamp == 5, "where they are");
	d[5].size = 7;
	is(etw_typed_find(&at, d, 6), -EINVAL, "a time stamp of 7 bytes");
	d[5] = (struct etw_data_descriptor){ .reserved = ETW_DATA_EVENT_METADATA };
	is(etw_typed_find(&at, d, 6), -EINVAL, "event metadata twice");
	is(etw_typed_find(&at, d, 5), 0, "once");
	d[4].reserved = ETW_DATA_PROVIDER_METADATA;
	is(etw_typed_find(&at, d, 5), -EINVAL, "provider metadata twice");
	d[4].reserved = 4;
	is(etw_typed_find(&at, d, 5), -EINVAL, "an unknown type");
	d[4].reserved = 255;
	is(etw_typed_find(&at, d, 5), -EINVAL, "the last one is unknown");
}

static struct etw_data_descriptor piece(const void *data, u32 size)
{
	return (struct etw_data_descriptor){ .ptr = (unsigned long)data, .size = size };
}

static void test_read(void)
{
	static const u8 schema[] = "\6\0\0ab", provider[] = "\4\0p";
	static const u64 time = 0x0123456789abcdef;
	struct etw_data_descriptor s = piece(schema, 6), p = piece(provider, 4), t = piece(&time, 8);
	struct etw_typed typed;

	memset(&typed, 0xa5, sizeof(typed));
	is(etw_typed_read(&typed, NULL, NULL, NULL), 0, "none");
	ok(!typed.schema && !typed.provider && !typed.timestamp_given, "finds nothing");
	is(etw_typed_read(&typed, &s, &p, &t), 0, "all");
	ok(typed.schema == schema && typed.schema_len == 6 && typed.provider == provider &&
	   typed.provider_len == 4 && typed.timestamp_given && typed.timestamp == time,
	   "are there");
	s.size = 5;
	is(etw_typed_read(&typed, &s, &p, &t), -EINVAL, "event metadata of another size");
	s = piece(schema, 1);
	is(etw_typed_read(&typed, &s, &p, &t), -EINVAL, "too short to have a size");
	s = piece(schema, 6);
	p = piece(NULL, 0);
	is(etw_typed_read(&typed, &s, &p, &t), -EINVAL, "provider metadata of no bytes");
}

int main(void)
{
	test_good();
	test_bad();
	test_random();
	test_schema();
	test_find();
	test_read();
	return done_testing();
}
