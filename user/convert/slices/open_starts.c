/* SPDX-License-Identifier: MIT */
/*
 * open_starts.c - start events that wait for their stop events
 *
 * A stop ends the newest start of its activity.  If there is none, it ends the newest start
 * without another activity whose payload begins with the stop's, or the other way round:
 * requests often have their number or address first.  If there is none either and the stop
 * has no activity, it ends the newest start of its thread without an activity.
 *
 * TraceLogging events have no task, except those of tracepoints and probes: these are paired by
 * it, and by their numbers instead of bytes (open_numbers.h). A stop of these ends the newest
 * start whose numbers are equal, preferably one of its thread: a disk request ends in whatever
 * was interrupted. Another thread's start must agree in two numbers: one alone, such as that of a
 * system call, names a kind of operation as often as one operation. If there is none, it ends the
 * newest start of its thread, unless that is about something else: most calls return nothing that
 * they were given. Without numbers its thread comes first, and then the bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <etw/format.h>
#include "base/table.h"
#include "base/text.h"
#include "convert/names.h"
#include "open_starts.h"

#define TWINS		64	/* starts compared with a stop, at most */
#define SPARE		512	/* starts whose memory is kept ... */
#define SPARE_BODY	512	/* ... with room for a body of up to so many bytes */
#define BODY_UNIT	64
#define ELSEWHERE	2	/* equal numbers that identify a start of another thread */

static const GUID none;

static bool same(const GUID *a, const GUID *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void take_said(struct open_key *key, const EVENT_RECORD *record)
{
	const size_t len = record->UserDataLength;
	uint64_t first = 0;

	_Static_assert(sizeof(first) == OPEN_SAID_MIN, "one word");
	if (len >= OPEN_SAID_MIN)
		memcpy(&first, record->UserData, sizeof(first));
	key->said = record->UserData;
	key->said_len = !first ? 0 : len < OPEN_SAID_MAX ? len : OPEN_SAID_MAX;
}

/* The value stands in for an activity. */
static bool take_field(struct open_key *key, const struct convert_event *e, struct open_rule *rule)
{
	struct etw_text *value = &rule->scratch;
	uint64_t hash[2];

	etw_text_cut(value, 0);
	if (!convert_add_field(e->decoder, rule->field, strlen(rule->field), CONVERT_RAW, value) ||
	    value->error)
		return false;
	hash[0] = etw_hash(1, value->data ? value->data : "", value->len);
	hash[1] = etw_hash(2, value->data ? value->data : "", value->len) | 1;
	memcpy(&key->activity, hash, sizeof(key->activity));
	return true;
}

static bool of_tracepoint(const EVENT_RECORD *record)
{
	const EVENT_DESCRIPTOR *d = &record->EventHeader.EventDescriptor;

	return d->Channel == ETW_CHANNEL_TRACELOGGING && d->Task;
}

static uint64_t hash_guid(uint64_t seed, uint64_t before, const GUID *guid)
{
	uint64_t words[2];

	memcpy(words, guid, sizeof(words));
	return etw_hash_number(seed, etw_hash_number(seed, before ^ words[0]) ^ words[1]);
}

static uint64_t hash_thread(uint64_t seed, uint64_t before, uint32_t pid, uint32_t tid)
{
	return etw_hash_number(seed, before ^ ((uint64_t)pid << 32 | tid));
}

/*
 * Starts that say what this event says, perhaps, and no others, have this likeness. hash: of its
 * provider and task
 */
static uint64_t likeness(const struct open_key *key, uint64_t seed, uint64_t hash)
{
	uint64_t first;

	if (key->numbers.count)
		return key->numbers.identity ?
		       etw_hash_number(seed, hash ^ key->numbers.identity) | 1 : 0;
	if (!key->said_len)
		return 0;
	memcpy(&first, key->said, sizeof(first));
	return etw_hash_number(seed, hash ^ first) | 1;
}

static bool take_rule(struct open_key *key, const struct convert_event *e, struct open_rule *rule)
{
	key->said_len = 0;
	open_numbers_clear(&key->numbers);
	switch (rule->by) {
	case OPEN_ACTIVITY:
		return !same(&key->activity, &none);
	case OPEN_THREAD:
		key->activity = none;
		return true;
	case OPEN_FIELD:
		return take_field(key, e, rule);
	default:
		if (key->traced)
			open_numbers_read(&key->numbers, e->decoder);
		if (!key->numbers.count)
			take_said(key, e->record);
		return true;
	}
}

bool open_key_by(struct open_key *key, const struct convert_event *e, struct open_rule *rule)
{
	const EVENT_HEADER *header = &e->record->EventHeader;
	const uint64_t seed = etw_hash_seed();
	uint64_t hash;

	/* The begin and the end of a tracepoint's operation are providers of their own. */
	key->traced = of_tracepoint(e->record);
	key->provider = key->traced ? none : header->ProviderId;
	key->activity = header->ActivityId;
	key->task = header->EventDescriptor.Task;
	key->pid = header->ProcessId;
	key->tid = header->ThreadId;
	if (!take_rule(key, e, rule))
		return false;
	hash = hash_guid(seed, key->task, &key->provider);
	key->likeness = likeness(key, seed, hash);
	if (same(&key->activity, &none))
		key->hash = hash_thread(seed, hash, key->pid, key->tid);
	else
		key->hash = hash_guid(seed, hash, &key->activity);
	return true;
}

void open_key(struct open_key *key, const struct convert_event *e)
{
	static struct open_rule automatic;

	open_key_by(key, e, &automatic);
}

static bool of_thread(const struct open_slice *slice, const struct open_key *key)
{
	return slice->thread->pid == key->pid && slice->thread->tid == key->tid;
}

static bool fits(const struct open_slice *slice, const struct open_key *key)
{
	if (slice->hash != key->hash || slice->task != key->task ||
	    !same(&slice->provider, &key->provider) || !same(&slice->activity, &key->activity))
		return false;
	return !same(&key->activity, &none) || of_thread(slice, key);
}

static bool says_the_same(const struct open_slice *slice, const struct open_key *key)
{
	const size_t len = slice->said_len < key->said_len ? slice->said_len : key->said_len;

	if (key->numbers.count)
		return open_numbers_equal(&slice->numbers, &key->numbers) >=
		       (of_thread(slice, key) ? 1 : ELSEWHERE);
	return !memcmp(slice->said, key->said, len) &&
	       (same(&slice->activity, &none) || same(&key->activity, &none));
}

/*
 * Find the newest start that says the same, preferably of the stop's thread.  own is
 * returned if there are too many to compare them all.
 */
static struct open_slice *find_alike(const struct open_table *table, const struct open_key *key,
				     struct open_slice *own)
{
	struct open_slice *slice, *found = NULL;
	unsigned int left = TWINS;

	if (!key->likeness)
		return NULL;
	for (slice = LIST_FIRST(&table->alike[key->likeness % OPEN_BUCKETS]); slice && left--;
	     slice = LIST_NEXT(slice, twin)) {
		if (slice->likeness != key->likeness || slice->task != key->task ||
		    !same(&slice->provider, &key->provider) || !says_the_same(slice, key))
			continue;
		if (of_thread(slice, key))
			return slice;
		if (!found)
			found = slice;
	}
	return slice && own ? own : found;
}

struct open_slice *open_find(const struct open_table *table, const struct open_key *key)
{
	struct open_slice *slice, *alike;

	LIST_FOREACH(slice, &table->slices[key->hash % OPEN_BUCKETS], chain)
		if (fits(slice, key) && !open_numbers_differ(&slice->numbers, &key->numbers))
			break;
	if (slice && (!same(&key->activity, &none) || (key->traced && !key->numbers.count)))
		return slice;
	alike = find_alike(table, key, slice);
	return alike ? alike : slice;
}

static struct open_thread **thread_at(struct open_table *table, uint32_t pid, uint32_t tid)
{
	const uint64_t hash = hash_thread(etw_hash_seed(), 0, pid, tid);
	struct open_thread **at = &table->threads[hash % OPEN_BUCKETS];

	while (*at && ((*at)->pid != pid || (*at)->tid != tid))
		at = &(*at)->chain;
	return at;
}

/* Forget the threads without an open start. */
static void sweep(struct open_table *table)
{
	struct open_thread **at, *thread;
	size_t i;

	for (i = 0; i < OPEN_BUCKETS; i++) {
		for (at = &table->threads[i]; (thread = *at);) {
			if (LIST_FIRST(&thread->open)) {
				at = &thread->chain;
				continue;
			}
			*at = thread->chain;
			free(thread);
			table->thread_count--;
		}
	}
}

static struct open_thread *need_thread(struct open_table *table, uint32_t pid, uint32_t tid)
{
	const size_t room = table->thread_room ? table->thread_room : OPEN_THREADS;
	struct open_thread **at;

	/* At most half of them have an open start. */
	if (table->thread_count >= room && table->thread_count >= 2 * table->count)
		sweep(table);
	at = thread_at(table, pid, tid);
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (!*at)
			return NULL;
		(*at)->pid = pid;
		(*at)->tid = tid;
		table->thread_count++;
	}
	return *at;
}

/* Memory for a start; mostly that of one that has ended, since many are of one size. */
static struct open_slice *new_slice(struct open_table *table, size_t len)
{
	const size_t room = (len + BODY_UNIT - 1) / BODY_UNIT * BODY_UNIT;
	struct open_slice *slice = LIST_FIRST(&table->spare);

	if (slice) {
		LIST_REMOVE(slice, chain);
		table->spare_count--;
		if (slice->room >= len)
			return slice;
		free(slice);
	}
	slice = malloc(sizeof(*slice) + room);
	if (slice)
		slice->room = (uint32_t)room;
	return slice;
}

void open_release(struct open_table *table, struct open_slice *slice)
{
	if (!slice)
		return;
	if (slice->room > SPARE_BODY || table->spare_count == SPARE) {
		free(slice);
		return;
	}
	LIST_INSERT_HEAD(&table->spare, slice, chain);
	table->spare_count++;
}

struct open_slice *open_push(struct open_table *table, const struct open_key *key, int64_t ns,
			     size_t len)
{
	struct open_slice *slice = new_slice(table, len);
	struct open_thread *thread = slice ? need_thread(table, key->pid, key->tid) : NULL;

	if (!thread) {
		free(slice);
		return NULL;
	}
	slice->provider = key->provider;
	slice->activity = key->activity;
	slice->task = key->task;
	slice->hash = key->hash;
	slice->thread = thread;
	slice->begin = ns;
	slice->parent = 0;
	slice->mark = 0;
	slice->len = len;
	slice->likeness = key->likeness;
	slice->said_len = key->said_len;
	if (key->said_len)
		memcpy(slice->said, key->said, key->said_len);
	open_numbers_copy(&slice->numbers, &key->numbers);
	if (slice->likeness)
		LIST_INSERT_HEAD(&table->alike[slice->likeness % OPEN_BUCKETS], slice, twin);
	LIST_INSERT_HEAD(&table->slices[key->hash % OPEN_BUCKETS], slice, chain);
	LIST_INSERT_HEAD(&thread->open, slice, of_thread);
	TAILQ_INSERT_TAIL(&table->all, slice, by_age);
	table->count++;
	table->held += len;
	return slice;
}

void open_take(struct open_table *table, struct open_slice *slice)
{
	LIST_REMOVE(slice, chain);
	if (slice->likeness)
		LIST_REMOVE(slice, twin);
	LIST_REMOVE(slice, of_thread);
	TAILQ_REMOVE(&table->all, slice, by_age);
	table->count--;
	table->held -= slice->len;
}

void open_free(struct open_table *table)
{
	struct open_slice *slice;

	while ((slice = TAILQ_FIRST(&table->all))) {
		open_take(table, slice);
		free(slice);
	}
	while ((slice = LIST_FIRST(&table->spare))) {
		LIST_REMOVE(slice, chain);
		free(slice);
	}
	table->spare_count = 0;
	sweep(table);
}
