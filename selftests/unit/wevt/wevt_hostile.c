// SPDX-License-Identifier: GPL-2.0-only
/*
 * wevt_hostile - binaries that are truncated, changed, or made to need much work
 *
 * Every reading uses a copy of the exact size under ASan, which detects reads beyond it.
 * The result is used: written again, and searched.
 */
#include <errno.h>
#include <time.h>

#include "lib/wevt/test.h"

static struct etw_bytes wevt, messages;

/* Read every part of a manifest. */
static void use(struct etw_manifest *m)
{
	struct etw_bytes out = { .len = 0 };
	unsigned int i, j;

	for (i = 0; i < m->provider_count; i++) {
		const struct etw_mf_provider *p = &m->providers[i];

		for (j = 0; j < p->event_count; j++)
			etw_mf_text(m, p->events[j].message);
		etw_mf_event_find(p, 9, 1);
		etw_mf_part(p, ETW_PART_LEVEL, 20);
		etw_mf_opcode(p, 7, 30);
	}
	etw_wevt_write(m, 5, &out, NULL);
	etw_msgtable_write(m, 0, &out, NULL);
	etw_bytes_free(&out);
}

/* Read copies; returns 0 or a negative errno, nothing else. */
static int attempt(const void *data, size_t size, const void *table, size_t table_size)
{
	struct etw_problems problems = { .count = 0 };
	void *copy = malloc(size ? size : 1), *other = table ? malloc(table_size ? table_size : 1) : NULL;
	struct etw_manifest *m = NULL;
	int ret;

	memcpy(copy, data, size);
	if (table)
		memcpy(other, table, table_size);
	ret = read_resource(copy, size, other, table_size, "en-US", "hostile", &m, &problems);
	free(copy);
	free(other);
	if (!ret)
		use(m);
	if (ret > 0 || (ret && m) || (ret == -EINVAL && !problems.errors))
		ret = 1;
	etw_problems_free(&problems);
	etw_manifest_put(m);
	return ret;
}

static int make(const char *xml)
{
	struct etw_manifest *m = read_xml(xml);
	int ret = m ? etw_wevt_write(m, 5, &wevt, NULL) : -1;

	if (!ret)
		ret = etw_msgtable_write(m, 0, &messages, NULL);
	etw_manifest_put(m);
	return ret;
}

static void forget(void)
{
	etw_bytes_free(&wevt);
	etw_bytes_free(&messages);
}

/* Cut at every step-th byte. The parts that CRIM counts must exist. */
static void test_cut(const char *name, size_t step)
{
	size_t size, wrong = 0, taken = 0;

	for (size = 0; size + 2 < wevt.len; size += step) {
		int ret = attempt(wevt.data, size, messages.data, messages.len);

		wrong += ret > 0;
		taken += ret == 0;
	}
	ok(!wrong && !taken, "%s: cut anywhere, it is refused", name);
	for (size = 0, taken = 0; size < messages.len; size += step) {
		int ret = attempt(wevt.data, wevt.len, messages.data, size);

		wrong += ret > 0;
		taken += ret == 0;
	}
	ok(!wrong && (!taken || !messages.len), "%s: so is its message table", name);
}

/* Change every step-th byte. */
static void mutate(struct etw_bytes *what, size_t step, size_t *wrong)
{
	static const uint8_t values[] = { 0x00, 0x80, 0xff };
	size_t at, i;

	for (at = 0; at < what->len; at += step) {
		uint8_t old = what->data[at];

		for (i = 0; i < sizeof(values); i++) {
			what->data[at] = values[i];
			*wrong += attempt(wevt.data, wevt.len, messages.len ? messages.data : NULL,
					  messages.len) > 0;
		}
		what->data[at] = old ^ 0x04;
		*wrong += attempt(wevt.data, wevt.len, messages.len ? messages.data : NULL,
				  messages.len) > 0;
		what->data[at] = old;
	}
}

static void test_changed(const char *name, size_t step)
{
	size_t wrong = 0;

	mutate(&wevt, step, &wrong);
	mutate(&messages, step, &wrong);
	ok(!wrong, "%s: any byte changed, it is read or refused", name);
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

#define BIG	(1u << 20)

/* n providers that all refer to the same list, of 1 MB of entries. */
static void test_overlap(void)
{
	const uint32_t providers = 2000, at = 16 + 20 * providers, list = at + 24;
	uint32_t count = (BIG - list - 16) / 48, i;
	uint8_t *d = calloc(1, BIG);
	double begin = seconds();

	memcpy(d, "CRIM", 4);
	put32(d + 4, BIG);
	d[8] = 5;
	d[10] = 1;
	put32(d + 12, providers);
	for (i = 0; i < providers; i++)
		put32(d + 16 + 20 * i + 16, at);
	memcpy(d + at, "WEVT", 4);
	put32(d + at + 12, 1);
	put32(d + at + 16, 4);
	put32(d + at + 20, list);
	memcpy(d + list, "EVNT", 4);
	put32(d + list + 8, count);
	is(attempt(d, BIG, NULL, 0), -EINVAL, "providers that share a list of events");
	ok(seconds() - begin < 5, "cost no more than a list or two (%.2f s)", seconds() - begin);
	free(d);
}

/* 20 events with many attributes each, all of which refer to one text of half a megabyte */
static void test_shared_attributes(void)
{
	const uint32_t at = 36, events = at + 20 + 16, each = 500;
	const uint32_t list = events + 16 + 48 * 20, text = list + 12 + 8 * each * 20;
	uint8_t *d = calloc(1, BIG);
	double begin = seconds();
	uint32_t i;

	memcpy(d, "CRIM", 4);
	put32(d + 4, BIG);
	d[8] = 5;
	put32(d + 12, 1);
	put32(d + 32, at);
	memcpy(d + at, "WEVT", 4);
	put32(d + at + 12, 2);
	put32(d + at + 16, 4);
	put32(d + at + 20, events);
	put32(d + at + 24, 12);
	put32(d + at + 28, list);
	memcpy(d + events, "EVNT", 4);
	put32(d + events + 8, 20);
	memcpy(d + list, "EVTA", 4);
	put32(d + list + 8, each * 20);
	for (i = 0; i < 20; i++)
		d[events + 16 + 48 * i] = (uint8_t)i;
	for (i = 0; i < each * 20; i++) {
		d[list + 12 + 8 * i] = 0x12;
		d[list + 12 + 8 * i + 2] = (uint8_t)(i / each);
		put32(d + list + 12 + 8 * i + 4, text);
	}
	for (i = text; i + 4 < BIG; i += 2)
		d[i] = 'x';
	is(attempt(d, BIG, NULL, 0), -EINVAL, "attributes that share a text");
	ok(seconds() - begin < 5, "cost no more than a few of it (%.2f s)", seconds() - begin);
	put32(d + list + 8, 1);
	is(attempt(d, BIG, NULL, 0), 0, "one may have it");
	free(d);
}

/* Names that all extend over the rest of the file: each is longer than all entries. */
static void test_long_names(void)
{
	const uint32_t at = 36, list = at + 24, count = 10000;
	uint32_t names = list + 12 + 12 * count, i;
	uint8_t *d = malloc(BIG);
	double begin = seconds();

	memset(d, 'x', BIG);
	memset(d, 0, names);
	memcpy(d, "CRIM", 4);
	put32(d + 4, BIG);
	d[8] = 5;
	put32(d + 12, 1);
	put32(d + 32, at);
	memcpy(d + at, "WEVT", 4);
	put32(d + at + 12, 1);
	put32(d + at + 16, 0);
	put32(d + at + 20, list);
	memcpy(d + list, "LEVL", 4);
	put32(d + list + 8, count);
	put32(d + names, BIG - names);
	for (i = 0; i < count; i++)
		put32(d + list + 12 + 12 * i + 8, names);
	is(attempt(d, BIG, NULL, 0), -EINVAL, "names that share half a megabyte");
	ok(seconds() - begin < 5, "cost no more than a few of them (%.2f s)", seconds() - begin);
	free(d);
}

/* Blocks of a message table that all begin at one text, and claim four billion messages. */
static void test_tables(void)
{
	uint32_t blocks = 50000, i;
	size_t size = 4 + 12 * (size_t)blocks + 65536;
	uint8_t *d = calloc(1, size);
	double begin = seconds();

	put32(d, blocks);
	for (i = 0; i < blocks; i++) {
		put32(d + 4 + 12 * i, 0);
		put32(d + 8 + 12 * i, i ? 3 : 0xffffffff);
		put32(d + 12 + 12 * i, 4 + 12 * blocks);
	}
	for (i = 0; i < 65536; i += 4)
		put32(d + 4 + 12 * (size_t)blocks + i, 4);
	is(attempt(wevt.data, wevt.len, d, size), -EINVAL, "a message table of all numbers");
	put32(d + 8, 3);
	attempt(wevt.data, wevt.len, d, size);
	ok(seconds() - begin < 5, "blocks that overlap (%.2f s)", seconds() - begin);
	free(d);
}

/* A field of the first template; the fields of "plain" follow its binary XML. */
static uint8_t *field_of(unsigned int template, unsigned int field)
{
	size_t at = 0;

	for (; at + 40 < wevt.len; at++) {
		uint32_t fields;

		if (memcmp(wevt.data + at, "TEMP", 4) || template--)
			continue;
		memcpy(&fields, wevt.data + at + 16, sizeof(fields));
		return wevt.data + fields + 20 * field;
	}
	return NULL;
}

/* Fields that refer to fields not yet read, or to each other */
static void test_fields(void)
{
	uint8_t *blob = field_of(0, 4), *outer = field_of(1, 1), *text = field_of(1, 5);
	uint8_t old;

	old = blob[14];
	blob[14] = 4;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "a length that is its own");
	blob[14] = 200;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "a length of a field that is not there");
	blob[14] = old;
	old = text[14];
	text[14] = 6;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "a length in another structure");
	text[14] = 3;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "a length after its structure");
	text[14] = 0;
	is(attempt(wevt.data, wevt.len, NULL, 0), 0, "one before it");
	text[14] = old;
	old = outer[4];
	outer[4] = 1;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "a structure that has itself");
	outer[4] = 6;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "structures that share members");
	outer[4] = old;
	old = outer[6];
	outer[6] = 255;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "more members than fields");
	outer[6] = old;
	is(attempt(wevt.data, wevt.len, NULL, 0), 0, "unchanged, it is read");
}

static void test_headers(void)
{
	is(attempt("", 0, NULL, 0), -EINVAL, "nothing");
	is(attempt("CRIM", 4, NULL, 0), -EINVAL, "a signature alone");
	is(attempt("MZ\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16, NULL, 0), -EINVAL, "something else");
	wevt.data[8] = 6;
	is(attempt(wevt.data, wevt.len, NULL, 0), -EINVAL, "an unknown version");
	wevt.data[8] = 5;
	is(attempt(wevt.data, wevt.len, "", 0), -EINVAL, "a message table of no bytes");
}

static void test_fixture(const char *where, const char *name, size_t step)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/mc/gix__event-trace-kit__%s.wevt.v5.bin", where, name);
	wevt.data = load(path, &wevt.len);
	snprintf(path, sizeof(path), "%s/mc/gix__event-trace-kit__%s.msg.bin", where, name);
	messages.data = load(path, &messages.len);
	if (!ok(wevt.data, "%s is there", name))
		return;
	is(attempt(wevt.data, wevt.len, messages.len ? messages.data : NULL, messages.len), 0, name);
	test_cut(name, step);
	test_changed(name, step);
	forget();
}

int main(void)
{
	const char *where = corpus();

	if (!ok(!make(rich_manifest), "the rich manifest as binaries"))
		return done_testing();
	test_headers();
	test_fields();
	test_overlap();
	test_long_names();
	test_shared_attributes();
	test_tables();
	test_cut("rich", 1);
	test_changed("rich", 1);
	forget();
	if (!where) {
		skip("no ../shared/corpus, and ETW_CORPUS names none");
		return done_testing();
	}
	test_fixture(where, "EventAttributes", 1);
	test_fixture(where, "ImportChannels", 1);
	test_fixture(where, "ProviderTraits", 1);
	/* 47 KB, mostly templates: test a sample of the bytes. */
	test_fixture(where, "TypeMangling", 101);
	return done_testing();
}
