// SPDX-License-Identifier: GPL-2.0-only
/* core_enable_entry.c - ETW's level and keyword rules compared with a plain implementation */
#include "core/port.h"

/*
 * The functions under test are compiled here under other names, with a hook after every
 * store, so that a test can check each state that a reader of a shared entry may see.
 */
static void stored(void);
#undef WRITE_ONCE
#define WRITE_ONCE(x, v)	do { (x) = (v); stored(); } while (0)
#define etw_filter_set		hooked_filter_set
#define etw_filter_merge	hooked_filter_merge
#define etw_filter_widen	hooked_filter_widen
#define etw_filter_narrow	hooked_filter_narrow
#define etw_ids_set		hooked_ids_set
#define etw_ids_have		hooked_ids_have
#include "core/enable_entry.c"

#include "lib/pick.h"
#include "lib/tap.h"

struct wish {
	u8 level;
	u64 any;
	u64 all;
	u32 property;
};

static const u8 levels[] = { 0, 1, 2, 3, 4, 5, 6, 15, 16, 254, 255 };
static const u64 keywords[] = {
	0, 1, 2, 3, 5, 7, 1ULL << 32, 1ULL << 63, 1ULL << 63 | 1, ~0ULL,
};
#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define EVENTS		(COUNT(levels) * COUNT(keywords))
#define EVENT_LEVEL(i)	levels[(i) / COUNT(keywords)]
#define EVENT_KEYWORD(i) keywords[(i) % COUNT(keywords)]

/* Microsoft's rules, one sentence after the other */
static bool wants(const struct wish *wish, u8 level, u64 keyword)
{
	u64 any = wish->any;

	/* Session level 0 accepts all levels; event level 0 always passes. */
	if (wish->level != 0 && level != 0 && level > wish->level)
		return false;
	/* Keyword 0 passes any masks, unless the session set IGNORE_KEYWORD_0. */
	if (keyword == 0)
		return (wish->property & ETW_ENABLE_IGNORE_KEYWORD_0) == 0;
	/* Any 0 means all bits; All always applies. */
	if (any == 0)
		any = 0xFFFFFFFFFFFFFFFFULL;
	return (keyword & any) != 0 && (keyword & wish->all) == wish->all;
}

static struct wish random_wish(void)
{
	return (struct wish){
		.level = levels[pick(COUNT(levels))],
		.any = keywords[pick(COUNT(keywords))],
		.all = keywords[pick(COUNT(keywords))],
		.property = pick(3) ? 0 : ETW_ENABLE_IGNORE_KEYWORD_0,
	};
}

static struct etw_enable_entry entry_of(const struct wish *wish)
{
	struct etw_enable_entry entry;

	memset(&entry, 0xA5, sizeof(entry));
	etw_filter_set(&entry, wish->level, wish->any, wish->all, wish->property);
	return entry;
}

static bool same_everywhere(const struct wish *wish)
{
	struct etw_enable_entry entry = entry_of(wish);
	size_t i;

	for (i = 0; i < EVENTS; i++) {
		bool want = wants(wish, EVENT_LEVEL(i), EVENT_KEYWORD(i));

		if (!!etw_entry_wants(&entry, EVENT_LEVEL(i), EVENT_KEYWORD(i)) != want ||
		    etw_entry_passes(&entry, EVENT_LEVEL(i), EVENT_KEYWORD(i)) != want)
			return false;
	}
	return true;
}

/* B1 to B5, B7, B8, B11: every level with every keyword, for every session */
static void test_one_session(void)
{
	size_t l, any, all;
	u32 ignore, wrong = 0;

	for (l = 0; l < COUNT(levels); l++)
		for (any = 0; any < COUNT(keywords); any++)
			for (all = 0; all < COUNT(keywords); all++)
				for (ignore = 0; ignore < 2; ignore++) {
					struct wish wish = {
						levels[l], keywords[any],
						keywords[all], ignore ?
						ETW_ENABLE_IGNORE_KEYWORD_0 : 0,
					};

					wrong += !same_everywhere(&wish);
				}
	is(wrong, 0, "a session's entry agrees with the documented rules");
}

static bool passes(u8 level, u64 any, u64 all, u32 property, u8 event_level,
		   u64 keyword)
{
	struct wish wish = { level, any, all, property };
	struct etw_enable_entry entry = entry_of(&wish);

	return etw_entry_wants(&entry, event_level, keyword);
}

/* B1 to B5, B7 to B9: the documented examples, which also check the plain implementation. */
static void test_examples(void)
{
	u32 ignore = ETW_ENABLE_IGNORE_KEYWORD_0;
	struct etw_enable_entry off = { 0 };
	size_t i, seen = 0;

	ok(passes(0, 0, 0, 0, 255, 1), "session level 0 takes level 255");
	ok(passes(1, 0, 0, 0, 0, 1), "event level 0 passes session level 1");
	ok(passes(3, 0, 0, 0, 3, 1) && !passes(3, 0, 0, 0, 4, 1),
	   "level 3 takes 3 and not 4");
	ok(passes(3, 4, 8, 0, 3, 0), "keyword 0 passes any and all");
	ok(!passes(3, 4, 8, ignore, 3, 0), "keyword 0 declined");
	ok(passes(3, 4, 0, ignore, 3, 4), "other keywords are not declined with it");
	ok(!passes(3, 4, 0, 0, 4, 0), "keyword 0 does not excuse the level");
	ok(passes(5, 0, 0, 0, 5, 1ULL << 63), "any 0 takes bit 63");
	ok(!passes(5, 0, 3, 0, 5, 1) && passes(5, 0, 3, 0, 5, 7),
	   "all applies with any 0");
	ok(passes(5, 5, 0, 0, 5, 1) && passes(5, 5, 0, 0, 5, 4) &&
	   !passes(5, 5, 0, 0, 5, 2), "any 5 takes bit 0 or bit 2");
	ok(!passes(5, 1, 3, 0, 5, 1) && !passes(5, 1, 3, 0, 5, 2) &&
	   passes(5, 1, 3, 0, 5, 3), "any 1, all 3 takes bits 0 and 1 together");
	ok(!passes(5, 1ULL << 32, 0, 0, 5, 1) &&
	   passes(5, 1ULL << 32, 0, 0, 5, 1ULL << 32), "high keyword bits count");

	for (i = 0; i < EVENTS; i++)
		seen += etw_entry_wants(&off, EVENT_LEVEL(i), EVENT_KEYWORD(i));
	is(seen, 0, "a disabled entry rejects every event");
}

/* Checks the composite of count wishes; false if it misses an event or is not max/or/and. */
static bool composite_holds(const struct wish *wishes, u32 count)
{
	struct etw_enable_entry composite = { 0 };
	u64 any = 0, all = ~0ULL;
	u8 level = 0;
	size_t e;
	u32 i;

	for (i = 0; i < count; i++) {
		struct etw_enable_entry entry = entry_of(&wishes[i]);

		etw_filter_merge(&composite, &entry);
		level = entry.level > level ? entry.level : level;
		any |= wishes[i].any ? wishes[i].any : ~0ULL;
		all &= wishes[i].all;
	}
	if (!composite.enabled || composite.level != level ||
	    composite.any != any || composite.all != all)
		return false;
	for (e = 0; e < EVENTS; e++)
		for (i = 0; i < count; i++)
			if (wants(&wishes[i], EVENT_LEVEL(e), EVENT_KEYWORD(e)) &&
			    !etw_entry_wants(&composite, EVENT_LEVEL(e),
					     EVENT_KEYWORD(e)))
				return false;
	return true;
}

/* B6, B28 */
static void test_composite(void)
{
	struct wish wishes[ETW_PROVIDER_SESSIONS];
	u32 round, count, i, wrong = 0;

	for (round = 0; round < 8000; round++) {
		count = 1 + round % ETW_PROVIDER_SESSIONS;
		for (i = 0; i < count; i++)
			wishes[i] = random_wish();
		wrong += !composite_holds(wishes, count);
	}
	is(wrong, 0, "the composite is max, or, and; and misses nothing of 1 to 8 sessions");
}

/* The states of a shared entry during an update, the first and last included */
static struct etw_enable_entry shared, states[24];
static u32 state_count;
static bool recording;

static void stored(void)
{
	if (recording && state_count < COUNT(states))
		states[state_count++] = shared;
}

/*
 * A reader may load at any point of the update, in any order.  So combine each member's
 * value in any state with the other members' values in any other state.
 */
static bool reader_misses(u8 level, u64 keyword)
{
	struct etw_enable_entry seen = { 0 };
	u32 l, k, any, all;

	for (l = 0; l < state_count; l++) {
		seen.level = states[l].level;
		if (keyword == 0) {
			for (k = 0; k < state_count; k++) {
				seen.keyword0 = states[k].keyword0;
				if (!etw_entry_wants(&seen, level, 0))
					return true;
			}
			continue;
		}
		for (any = 0; any < state_count; any++) {
			seen.any = states[any].any;
			for (all = 0; all < state_count; all++) {
				seen.all = states[all].all;
				if (!etw_entry_wants(&seen, level, keyword))
					return true;
			}
		}
	}
	return false;
}

static void run_update(const struct etw_enable_entry *old,
		       const struct etw_enable_entry *next)
{
	shared = *old;
	state_count = 0;
	recording = true;
	stored();
	etw_filter_widen(&shared, next);
	etw_filter_narrow(&shared, next);
	recording = false;
}

static struct etw_enable_entry random_entry(void)
{
	struct etw_enable_entry entry = { 0 };
	u32 i, count = pick(4);

	for (i = 0; i < count; i++) {
		struct wish wish = random_wish();
		struct etw_enable_entry one = entry_of(&wish);

		etw_filter_merge(&entry, &one);
	}
	entry.sessions = pick(256);
	return entry;
}

static void test_update(void)
{
	u32 round, i, missed = 0, checked = 0, differs = 0, most = 0;

	for (round = 0; round < 3000; round++) {
		struct etw_enable_entry old = random_entry();
		struct etw_enable_entry next = random_entry();

		old.generation = pick(3) ? pick(100) : ~0U;
		run_update(&old, &next);
		most = state_count > most ? state_count : most;
		for (i = 0; i < EVENTS; i++) {
			u8 level = EVENT_LEVEL(i);
			u64 keyword = EVENT_KEYWORD(i);

			if (!etw_entry_wants(&old, level, keyword) ||
			    !etw_entry_wants(&next, level, keyword))
				continue;
			checked++;
			missed += reader_misses(level, keyword);
		}
		next.generation = old.generation + 1;
		differs += memcmp(&shared, &next, sizeof(next)) != 0;
	}
	is(missed, 0, "during an update no reader misses an event that both states want");
	ok(checked > 10000, "%u events were wanted by both states", checked);
	ok(most > 8 && most < COUNT(states), "up to %u states in an update", most);
	is(differs, 0, "after it the entry is the new one, its generation one higher");
}

/* Widening alone must already pass what either state wants. */
static void test_widen(void)
{
	u32 round, i, missed = 0;

	for (round = 0; round < 20000; round++) {
		struct etw_enable_entry old = random_entry();
		struct etw_enable_entry next = random_entry();

		shared = old;
		etw_filter_widen(&shared, &next);
		for (i = 0; i < EVENTS; i++) {
			u8 level = EVENT_LEVEL(i);
			u64 keyword = EVENT_KEYWORD(i);

			if ((etw_entry_wants(&old, level, keyword) ||
			     etw_entry_wants(&next, level, keyword)) &&
			    !etw_entry_wants(&shared, level, keyword))
				missed++;
		}
	}
	is(missed, 0, "a widened entry passes events that either state wants");
}

/* Every id, compared with a plain search of the original list. */
static void test_ids(void)
{
	struct etw_event_ids none = { 0 }, ids;
	struct etw_filter_event_id given;
	u32 round, id, i, wrong = 0;
	bool listed;

	ok(etw_ids_pass(&none, 7), "no filter lets everything pass");
	for (round = 0; round < 40; round++) {
		memset(&ids, 0, sizeof(ids));
		given.in = round & 1;
		given.count = round < 4 ? round / 2 : pick(ETW_FILTER_EVENT_IDS + 1);
		for (i = 0; i < given.count; i++)
			given.ids[i] = pick(round % 3 ? 0x10000 : 70);
		if (given.count > 1)
			given.ids[1] = round % 3 ? 0xFFFF : given.ids[0];
		etw_ids_set(&ids, &given);
		for (id = 0; id <= 0xFFFF; id++) {
			for (i = 0, listed = false; i < given.count; i++)
				listed |= given.ids[i] == id;
			wrong += etw_ids_pass(&ids, id) != (listed == given.in);
		}
	}
	is(wrong, 0, "40 lists of up to 64 ids, in and out, each for every id");
}

int main(void)
{
	test_examples();
	test_one_session();
	test_composite();
	test_update();
	test_widen();
	test_ids();
	return done_testing();
}
