/* SPDX-License-Identifier: MIT */
/* core_names - event name filters, compared with a plain search */
#include <stdlib.h>
#include <string.h>

#include "lib/pick.h"
#include "lib/tap.h"
#include "core/names.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* Names, each with its NUL, as in a filter. */
struct filter {
	u8 bytes[2 * ETW_FILTER_EVENT_NAME_MAX];
	u32 len;
};

static void begin(struct filter *f, bool in, u8 level, u64 any, u64 all)
{
	struct etw_filter_event_name head = { .any = any, .all = all, .level = level, .in = in };

	memset(f, 0, sizeof(*f));
	memcpy(f->bytes, &head, sizeof(head));
	f->len = offsetof(struct etw_filter_event_name, names);
}

static void set_count(struct filter *f, u16 count)
{
	memcpy(f->bytes + offsetof(struct etw_filter_event_name, count), &count, sizeof(count));
}

static u16 count_of(const struct filter *f)
{
	u16 count;

	memcpy(&count, f->bytes + offsetof(struct etw_filter_event_name, count), sizeof(count));
	return count;
}

static void add(struct filter *f, const char *name)
{
	size_t n = strlen(name) + 1;

	memcpy(f->bytes + f->len, name, n);
	f->len += n;
	set_count(f, count_of(f) + 1);
}

/* Compile, with input and output in allocations of their exact size; NULL: refused. */
static struct etw_event_names *compile(const struct filter *f, u32 len)
{
	void *copy = malloc(len ? len : 1);
	struct etw_event_names *names = NULL;
	size_t size;

	memcpy(copy, f->bytes, len);
	size = etw_names_size(copy, len);
	if (size) {
		names = malloc(size);
		memset(names, 0xa5, size);
		etw_names_compile(names, copy, len);
	}
	free(copy);
	return names;
}

static bool passes(const struct etw_event_names *names, const char *name, u8 level, u64 keyword)
{
	struct etw_event_descriptor desc = { .level = level, .keyword = keyword };
	size_t n = strlen(name), len = n + 4;
	u8 *schema = calloc(1, len);
	bool ret;

	schema[0] = len;
	schema[1] = len >> 8;
	memcpy(schema + 3, name, n);
	ret = etw_names_pass(names, &desc, schema, len);
	free(schema);
	return ret;
}

/* B56: whole names, byte for byte */
static void test_exact(void)
{
	struct etw_event_names *names;
	struct filter f;

	begin(&f, true, 0, 0, 0);
	add(&f, "Start");
	add(&f, "Stop");
	add(&f, "Stop");
	add(&f, "");
	names = compile(&f, f.len);
	ok(names, "four names, one of them twice");
	ok(passes(names, "Start", 5, 1) && passes(names, "Stop", 5, 1) && passes(names, "", 5, 1),
	   "these names pass");
	ok(!passes(names, "Star", 5, 1) && !passes(names, "Starts", 5, 1) &&
	   !passes(names, "start", 5, 1) && !passes(names, "S*", 5, 1) && !passes(names, "x", 5, 1),
	   "a beginning, more, another case, a wildcard, another name do not");
	free(names);
	f.bytes[offsetof(struct etw_filter_event_name, in)] = 0;
	names = compile(&f, f.len);
	ok(!passes(names, "Start", 5, 1) && !passes(names, "", 5, 1) && passes(names, "x", 5, 1),
	   "or all except these names");
	free(names);
	begin(&f, true, 0, 0, 0);
	names = compile(&f, f.len);
	ok(names && !passes(names, "", 5, 1) && !passes(names, "x", 5, 1), "an empty list");
	free(names);
}

/* B55: events that the filter does not apply to pass */
static void test_judged(void)
{
	struct etw_event_descriptor desc = { .level = 1, .keyword = 1 };
	struct etw_event_names *names;
	struct filter f;

	begin(&f, true, 3, 0xf0, 0x10);
	add(&f, "a");
	names = compile(&f, f.len);
	ok(passes(names, "a", 3, 0x10) && !passes(names, "b", 3, 0x10),
	   "judged: its level and keywords");
	ok(passes(names, "b", 4, 0x10), "not judged: a higher level");
	ok(passes(names, "b", 3, 0x01) && passes(names, "b", 3, 0x20), "other keywords");
	ok(!passes(names, "b", 0, 0x10) && !passes(names, "b", 3, 0),
	   "level 0 and keyword 0 are judged");
	ok(etw_names_pass(names, &desc, NULL, 0), "events without a schema are not");
	ok(etw_names_pass(names, &desc, "\4\0\0x", 4) && etw_names_pass(names, &desc, "", 0),
	   "nor those whose schema has no name");
	free(names);
	begin(&f, false, 0, 0, 0);
	add(&f, "a");
	names = compile(&f, f.len);
	ok(!passes(names, "a", 255, 1ull << 63) && passes(names, "b", 255, 1),
	   "0 is all levels and keywords");
	free(names);
}

/* B44, B56: incomplete data is refused */
static void test_refused(void)
{
	struct etw_event_names *names;
	u32 len, wrong = 0;
	struct filter f;

	begin(&f, true, 0, 0, 0);
	add(&f, "one");
	add(&f, "two");
	for (len = 0; len < f.len; len++) {
		names = compile(&f, len);
		wrong += !!names;
		free(names);
	}
	is(wrong, 0, "fewer bytes than names");
	names = compile(&f, f.len + 100);
	ok(names && passes(names, "two", 1, 1), "extra bytes are ignored");
	free(names);
	set_count(&f, 3);
	ok(!compile(&f, f.len), "more names than bytes");
	set_count(&f, 65535);
	ok(!compile(&f, f.len), "many more");
	set_count(&f, 2);
	f.bytes[offsetof(struct etw_filter_event_name, in)] = 2;
	ok(!compile(&f, f.len), "neither in nor out");
	begin(&f, true, 0, 0, 0);
	add(&f, "x");
	ok(!compile(&f, ETW_FILTER_EVENT_NAME_MAX + 1), "over 4096 bytes");
	names = compile(&f, ETW_FILTER_EVENT_NAME_MAX);
	ok(names, "4096 bytes");
	free(names);
}

/* Names made of few letters, so that many are equal. */
static void random_name(char *name)
{
	u32 n = pick(6);

	while (n--)
		*name++ = 'a' + pick(3);
	*name = '\0';
}

static void test_many(void)
{
	u32 round, i, n, wrong = 0;
	struct filter f;

	for (round = 0; round < 300; round++) {
		char list[700][8], name[8];
		struct etw_event_names *names;

		begin(&f, true, 0, 0, 0);
		n = pick(round % 2 ? 700 : 20);
		for (i = 0; i < n; i++) {
			random_name(list[i]);
			if (f.len + 8 > ETW_FILTER_EVENT_NAME_MAX)
				break;
			add(&f, list[i]);
		}
		n = i;
		names = compile(&f, f.len);
		for (i = 0; names && i < 200; i++) {
			bool found = false;
			u32 k;

			random_name(name);
			for (k = 0; k < n; k++)
				found |= !strcmp(list[k], name);
			wrong += passes(names, name, 1, 1) != found;
		}
		wrong += !names;
		free(names);
	}
	is(wrong, 0, "lists of up to 700 names agree with a search");
}

/* The longest row of used entries, which a search may have to go along */
static u32 longest_row(const struct etw_event_names *names)
{
	u32 i, row = 0, most = 0;

	for (i = 0; i < 2 * (names->mask + 1); i++) {
		row = names->table[i & names->mask] ? row + 1 : 0;
		most = row > most ? row : most;
	}
	return most;
}

/* Names that differ in one or two of their bytes, at each place of a word */
static void test_alike(void)
{
	static const char *const forms[] = {
		"Event%02u", "EventName%02u", "Operation%02u", "%02uEvent", "Name%02uOfAnEvent",
		"a%02u", "ReadRequest%02uOfTheDisk", "Req%02u", "%02u",
	};
	struct etw_event_names *names;
	struct filter f;
	char name[32];
	u32 i, n, most;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		begin(&f, true, 0, 0, 0);
		for (n = 0; n < 64; n++) {
			snprintf(name, sizeof(name), forms[i], n);
			add(&f, name);
		}
		names = compile(&f, f.len);
		most = names ? longest_row(names) : ~0u;
		ok(most <= 20, "64 names \"%s\": at most %u in a row", forms[i], most);
		free(names);
	}
}

static void test_full(void)
{
	struct etw_event_names *names;
	struct filter f;
	char *name;
	u32 i;

	begin(&f, true, 0, 0, 0);
	for (i = 0; f.len < ETW_FILTER_EVENT_NAME_MAX; i++)
		add(&f, "");
	names = compile(&f, f.len);
	ok(names && passes(names, "", 1, 1) && !passes(names, "a", 1, 1), "%u empty names", i);
	free(names);
	begin(&f, true, 0, 0, 0);
	name = calloc(1, 60001);
	memset(name, 'n', ETW_FILTER_EVENT_NAME_MAX - f.len - 1);
	add(&f, name);
	names = compile(&f, f.len);
	ok(names && passes(names, name, 1, 1), "one name of %zu bytes", strlen(name));
	memset(name, 'n', 60000);
	ok(!passes(names, name, 1, 1), "and an event whose name is longer");
	free(names);
	free(name);
}

int main(void)
{
	test_exact();
	test_judged();
	test_refused();
	test_many();
	test_alike();
	test_full();
	return done_testing();
}
