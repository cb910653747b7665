/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_model.c - a manifest filled by hand: its arena, its indexes, texts by
 * language, standard definitions
 */
#include <pthread.h>

#include "manifest.h"

#define EVENTS	3000u

static bool same(const char *got, const char *want)
{
	if (!got || !want)
		return got == want;
	return !strcmp(got, want);
}

/* Blocks of all sizes: aligned, zeroed, not overlapping */
static void check_arena(void)
{
	struct etw_manifest *m = etw_manifest_new("name");
	unsigned char *blocks[2000], *strings[2000];
	unsigned int i, wrong = 0;
	size_t j;

	for (i = 0; i < 2000; i++) {
		size_t size = i * 37 % 1500;
		char text[40];

		blocks[i] = etw_manifest_alloc(m, size);
		wrong += (uintptr_t)blocks[i] % 16 != 0;
		for (j = 0; j < size; j++)
			wrong += blocks[i][j] != 0;
		memset(blocks[i], (int)i, size);
		snprintf(text, sizeof(text), "string %u and more", i);
		strings[i] = (unsigned char *)etw_manifest_strdup(m, text, strlen(text) - 5);
	}
	is(wrong, 0, "memory is aligned and zeroed");
	for (i = 0; i < 2000; i++) {
		char text[40];

		for (j = 0; j < i * 37 % 1500; j++)
			wrong += blocks[i][j] != (unsigned char)i;
		snprintf(text, sizeof(text), "string %u and", i);
		wrong += strcmp(text, (char *)strings[i]) != 0;
	}
	is(wrong, 0, "no block lies over another");
	ok(etw_manifest_alloc(m, 3000000), "a large block");
	ok(!etw_manifest_alloc(m, SIZE_MAX) && !etw_manifest_alloc(m, SIZE_MAX - 16) &&
	   !etw_manifest_strdup(m, "", SIZE_MAX),
	   "more memory than there is");
	ok(same(m->file, "name"), "the name is kept");
	is(etw_manifest_finish(m), 0, "an empty one is finished");
	etw_manifest_put(m);
	etw_manifest_put(NULL);
}

static void *hold(void *context)
{
	int i;

	for (i = 0; i < 20000; i++)
		etw_manifest_put(etw_manifest_get(context));
	return NULL;
}

static void check_references(void)
{
	struct etw_manifest *m = etw_manifest_new("");
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, hold, m);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	is(m->references, 1, "references of four threads are all given back");
	etw_manifest_put(m);
}

static void check_index(void)
{
	struct etw_manifest *m = etw_manifest_new("");
	struct etw_mf_provider *p = etw_manifest_alloc(m, sizeof(*p));
	struct etw_mf_event *e = etw_manifest_alloc(m, EVENTS * sizeof(*e));
	unsigned int i, wrong = 0;

	/* Every third event is a duplicate: the first one counts. */
	for (i = 0; i < EVENTS; i++) {
		e[i].desc.Id = (USHORT)(i / 3 * 21 + (i % 3 == 2 ? 1 : 0));
		e[i].desc.Version = (UCHAR)(i / 3 % 7);
	}
	p->events = e;
	p->event_count = EVENTS;
	m->providers = p;
	m->provider_count = 1;
	ok(!etw_mf_event_find(p, 0, 0), "nothing is found before the end");
	is(etw_manifest_finish(m), 0, "finished");
	for (i = 0; i < EVENTS; i++)
		wrong += etw_mf_event_find(p, e[i].desc.Id, e[i].desc.Version) !=
			 &e[i % 3 == 1 ? i - 1 : i];
	is(wrong, 0, "every event is found, the first of equal ones");
	for (i = 0; i < 65536; i++)
		wrong += etw_mf_event_find(p, (USHORT)i, 200) != NULL;
	is(wrong, 0, "no other one is");
	etw_manifest_put(m);
}

static void check_map(void)
{
	static const uint32_t values[] = { 7, 0, 7, 0xFFFFFFFF, 3, 0 };
	struct etw_manifest *m = etw_manifest_new("");
	struct etw_mf_provider *p = etw_manifest_alloc(m, sizeof(*p));
	struct etw_mf_map *map = etw_manifest_alloc(m, sizeof(*map));
	struct etw_mf_map_entry *e = etw_manifest_alloc(m, 6 * sizeof(*e));
	int i;

	for (i = 0; i < 6; i++)
		e[i].value = values[i];
	map->entries = e;
	map->count = 6;
	p->maps = map;
	p->map_count = 1;
	m->providers = p;
	m->provider_count = 1;
	is(etw_manifest_finish(m), 0, "finished");
	is(map->by_value_count, 4, "equal values are one");
	ok(etw_mf_map_find(map, 7) == e && etw_mf_map_find(map, 0) == &e[1] &&
	   etw_mf_map_find(map, 0xFFFFFFFF) == &e[3] && etw_mf_map_find(map, 3) == &e[4] &&
	   !etw_mf_map_find(map, 1), "values in any order are found, the first of equal ones");
	etw_manifest_put(m);
}

/* The text of a message that exists in these cultures, chosen for this locale */
static const char *text_in(const char *const *cultures, unsigned int count, const char *locale)
{
	struct etw_manifest *m = etw_manifest_new("");
	static char text[50];
	struct etw_mf_message message = { .id = "id", .text = cultures };

	setenv("LANG", locale, 1);
	m->cultures = cultures;
	m->culture_count = count;
	etw_manifest_finish(m);
	/* The text of each culture is its name. */
	snprintf(text, sizeof(text), "%s", etw_mf_text(m, &message));
	etw_manifest_put(m);
	return text;
}

static const struct etw_mf_named *standard(enum etw_part part, uint64_t value)
{
	return etw_standard(part, value);
}

static void check_texts(void)
{
	static const char *const three[] = { "fr-FR", "de-AT", "en-US" };
	static const char *const german[] = { "de-DE", "de-AT", "de", "zh-Hans" };
	struct etw_manifest *m = etw_manifest_new("");
	struct etw_mf_message message = { .id = "id" };
	const char *const none[] = { NULL, NULL, "third" };

	unsetenv("LC_ALL");
	unsetenv("LC_MESSAGES");
	ok(same(text_in(three, 3, "de_AT.UTF-8"), "de-AT"), "the user's culture");
	ok(same(text_in(three, 3, "de_DE@euro"), "de-AT"), "another one of the language");
	ok(same(text_in(three, 3, "it_IT.UTF-8"), "en-US"), "English if there is none");
	ok(same(text_in(three, 3, "C"), "en-US") && same(text_in(three, 3, ""), "en-US"),
	   "and for no locale");
	ok(same(text_in(three, 1, "de_DE"), "fr-FR"), "the first one if there is no English");
	ok(same(text_in(german, 4, "de_AT"), "de-AT") && same(text_in(german, 4, "de"), "de") &&
	   same(text_in(german, 4, "de_CH"), "de-DE") && same(text_in(german, 4, "zh_CN"), "zh-Hans") &&
	   same(text_in(german, 4, "d"), "de-DE"), "the best one of many");
	setenv("LC_MESSAGES", "de_AT", 1);
	ok(same(text_in(three, 3, "fr_FR"), "de-AT"), "LC_MESSAGES comes before LANG");
	setenv("LC_ALL", "fr_FR", 1);
	ok(same(text_in(three, 3, "de_AT"), "fr-FR"), "LC_ALL before that");
	m->cultures = three;
	m->culture_count = 3;
	etw_manifest_finish(m);
	message.text = none;
	ok(same(etw_mf_text(m, &message), "third"), "a text of any culture is better than none");
	m->culture_count = 2;
	etw_manifest_finish(m);
	ok(!etw_mf_text(m, &message) && !etw_mf_text(m, NULL), "no text");
	ok(same(etw_mf_text(m, standard(ETW_PART_LEVEL, 4)->message), "Information"), "a standard one");
	etw_manifest_put(m);
}

static void check_standard(void)
{
	unsigned int i, n[4] = { 0 };

	for (i = 0; i < 256; i++) {
		n[0] += standard(ETW_PART_LEVEL, (uint8_t)i) != NULL;
		n[1] += standard(ETW_PART_OPCODE, (uint8_t)i) != NULL;
		n[2] += standard(ETW_PART_CHANNEL, (uint8_t)i) != NULL;
	}
	for (i = 0; i < 64; i++)
		n[3] += standard(ETW_PART_KEYWORD, 1ull << i) != NULL;
	ok(n[0] == 16 && n[1] == 26 && n[2] == 6 && n[3] == 16, "as many as Windows has");
	ok(same(standard(ETW_PART_LEVEL, 2)->name, "win:Error") &&
	   same(standard(ETW_PART_LEVEL, 15)->name, "win:ReservedLevel15") &&
	   same(standard(ETW_PART_OPCODE, 240)->name, "win:Receive") &&
	   same(standard(ETW_PART_OPCODE, 4)->symbol, "WINEVENT_OPCODE_DC_STOP"), "levels and opcodes");
	ok(same(standard(ETW_PART_TASK, 0)->name, "win:None") &&
	   !standard(ETW_PART_TASK, 1), "tasks");
	ok(same(standard(ETW_PART_KEYWORD, 1ull << 53)->name, "win:AuditSuccess") &&
	   !standard(ETW_PART_KEYWORD, 0) && !standard(ETW_PART_KEYWORD, 3ull << 50) &&
	   !standard(ETW_PART_KEYWORD, 1), "keywords");
	ok(same(standard(ETW_PART_CHANNEL, 12)->name, "ProviderMetadata") &&
	   ((const struct etw_mf_channel *)standard(ETW_PART_CHANNEL, 8))->type ==
	   ETW_CHANNEL_ADMIN && !standard(ETW_PART_CHANNEL, 1),
	   "channels");
	ok(standard(ETW_PART_OPCODE, 1)->message->standard && !standard(ETW_PART_LEVEL, 6)->message,
	   "messages");
}

static void check_problems(void)
{
	unsigned int i;

	read_end();
	for (i = 0; i < 60; i++)
		etw_problem_add(&problems, i, true, "warning %u", i);
	etw_problem_add(&problems, 99, false, "error");
	etw_problem_add(&problems, 100, false, "second error");
	ok(problems.count == 50 && problems.warnings == 60 && problems.errors == 2 &&
	   same(problems.list[49].text, "error") && problems.list[49].line == 99 &&
	   same(problems.list[48].text, "warning 48"), "the last place is for an error");
	etw_problem_add(NULL, 1, false, "not kept");
	etw_problems_free(&problems);
	ok(!problems.count && !problems.errors, "freed, they are as at first");
}

int main(void)
{
	check_arena();
	check_references();
	check_index();
	check_map();
	check_texts();
	check_standard();
	check_problems();
	return done_testing();
}
