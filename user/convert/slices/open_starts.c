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
#define ELSEWHERE	2	/* equal numbers that identify a start of another thread */

static const GUID none;

static bool same(const GUID *a, const GUID *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void take_said(struct open_key *key, const EVENT_RECORD *record)
{
	const unsigned char *said = record->UserData;
	const size_t len = record->UserDataLength;
	size_t i;

	key->said = said;
	key->said_len = 0;
	for (i = 0; i < OPEN_SAID_MIN && len >= OPEN_SAID_MIN; i++)
		if (said[i])
			key->said_len = len < OPEN_SAID_MAX ? len : OPEN_SAID_MAX;
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

/*
 * Starts that say what this event says, perhaps, and no others, have this likeness. hash: of its
 * provider and task
 */
static uint64_t likeness(const struct open_key *key, uint64_t hash)
{
	if (key->numbers.count)
		return key->numbers.identity ? etw_hash(hash, &key->numbers.identity, 8) | 1 : 0;
	return key->said_len ? etw_hash(hash, key->said, OPEN_SAID_MIN) | 1 : 0;
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
	const uint32_t ids[2] = { header->ProcessId, header->ThreadId };
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
	hash = etw_hash(key->task, &key->provider, sizeof(key->provider));
	key->likeness = likeness(key, hash);
	if (same(&key->activity, &none))
		key->hash = etw_hash(hash, ids, sizeof(ids));
	else
		key->hash = etw_hash(hash, &key->activity, sizeof(key->activity));
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
	const uint32_t ids[2] = { pid, tid };
	struct open_thread **at = &table->threads[etw_hash(0, ids, sizeof(ids)) % OPEN_BUCKETS];

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

struct open_slice *open_push(struct open_table *table, const struct open_key *key, int64_t ns,
			     size_t len)
{
	struct open_slice *slice = malloc(sizeof(*slice) + len);
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
	sweep(table);
}
