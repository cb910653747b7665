/* SPDX-License-Identifier: MIT */
/*
 * places.c - count events by where they happened: process, thread, CPU, container
 *
 * A process is an id and a start key, since ids are used again. Which one an event's id stood for
 * is asked once, and again after an event that names processes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "report_private.h"
#include "tdh/decode/decoder.h"

struct process_key {
	uint64_t start;
	uint32_t pid, tid;
};

void report_process_release(struct report_entry *entry)
{
	struct report_process *process = (struct report_process *)entry;

	free(process->name);
	free(process->container);
}

void report_thread_release(struct report_entry *entry)
{
	free(((struct report_thread *)entry)->process);
}

void report_processes_changed(struct report *r)
{
	/* 0 marks free ones. */
	if (!++r->recent_generation)
		r->recent_generation = 1;
}

/* Make *to this name, unless it is; 0 or -ENOMEM */
static int rename_to(char **to, const char *name)
{
	char *copy;

	if (!name || (*to && !strncmp(*to, name, REPORT_NAME)))
		return 0;
	copy = report_name(name);
	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

static int find_thread(struct report *r, struct report_recent *recent,
		       const struct process_key *key)
{
	struct report_thread *thread;
	struct report_entry *entry;
	int is_new, ret = report_bounded_get(&r->threads, key, sizeof(*key), &entry);

	if (ret < 0)
		return ret;
	thread = recent->thread = (struct report_thread *)entry;
	if (ret) {
		thread->pid = key->pid;
		thread->tid = key->tid;
		thread->start_key = key->start;
		thread->series.shift = r->scale.shift;
	}
	is_new = report_distinct_add(&r->all_threads, key, sizeof(*key));
	if (is_new < 0)
		return is_new;
	recent->process->threads += (unsigned int)is_new;
	return rename_to(&thread->process, recent->process->name);
}

static int find_process(struct report *r, struct report_recent *recent,
			const struct process_key *key, const char *name, int64_t ns)
{
	struct report_process *process;
	struct report_entry *entry;
	int ret = report_bounded_get(&r->processes, key, sizeof(*key), &entry);

	if (ret < 0)
		return ret;
	process = recent->process = (struct report_process *)entry;
	if (ret) {
		process->pid = key->pid;
		process->start_key = key->start;
		process->first = process->last = ns;
		process->series.shift = r->scale.shift;
		if (report_distinct_add(&r->all_processes, key, sizeof(*key)) < 0)
			return -ENOMEM;
	}
	return rename_to(&process->name, name);
}

/* key: of the event, or NULL */
static int look_up(struct report *r, struct report_recent *recent, const struct report_place *place,
		   const uint64_t *start)
{
	struct etw_process process = { .name = NULL };
	struct process_key key = { .pid = recent->pid };
	const uint32_t before = r->processes.generation + r->threads.generation;
	int err;

	if (r->host.process && r->host.process(r->host.context, recent->pid,
					       place->event->event->time, start, &process))
		key.start = process.start_key;
	else
		process.name = NULL;
	if (!key.start && start)
		key.start = *start;
	recent->generation = 0;
	err = find_process(r, recent, &key, process.name, place->ns);
	if (err)
		return err;
	key.tid = recent->tid;
	err = find_thread(r, recent, &key);
	if (err)
		return err;
	/* If a table gave up entries, recent ones may point to them. */
	if (before != r->processes.generation + r->threads.generation)
		report_processes_changed(r);
	recent->generation = r->recent_generation;
	return 0;
}

static int count_container(struct report *r, struct report_place *place, const char *name,
			   size_t len)
{
	struct report_entry *entry;
	int ret;

	len = strnlen(name, len < REPORT_NAME ? len : REPORT_NAME);
	ret = report_bounded_get(&r->containers, name, len, &entry);
	if (ret < 0 || (ret && report_distinct_add(&r->all_containers, name, len) < 0))
		return -ENOMEM;
	entry->events++;
	entry->bytes += place->bytes;
	if (place->process->container && strlen(place->process->container) == len &&
	    !memcmp(place->process->container, name, len))
		return 0;
	free(place->process->container);
	place->process->container = strndup(name, len);
	return place->process->container ? 0 : -ENOMEM;
}

static int count_cpu(struct report *r, const struct report_place *place)
{
	const unsigned int cpu = place->event->event->cpu, count = cpu / 64 * 64 + 64;

	if (cpu >= r->cpu_count) {
		struct report_cpu *cpus = realloc(r->cpus, count * sizeof(*cpus));

		if (!cpus)
			return -ENOMEM;
		memset(cpus + r->cpu_count, 0, (count - r->cpu_count) * sizeof(*cpus));
		r->cpus = cpus;
		r->cpu_count = count;
	}
	r->cpus[cpu].events++;
	r->cpus[cpu].bytes += place->bytes;
	return 0;
}

static void count_times(struct report *r, struct report_place *place)
{
	struct report_process *process = place->process;
	struct report_thread *thread = place->thread;

	process->entry.events++;
	process->entry.bytes += place->bytes;
	if (place->ns < process->first)
		process->first = place->ns;
	if (place->ns > process->last)
		process->last = place->ns;
	report_series_update(&process->series, &r->scale, process->rate, REPORT_SERIES);
	process->rate[place->bucket / (REPORT_BUCKETS / REPORT_SERIES)]++;
	thread->times[thread->entry.events++ % REPORT_TIMES] = place->ns;
	thread->entry.bytes += place->bytes;
	report_series_update(&thread->series, &r->scale, thread->rate, REPORT_TIMELINE);
	thread->rate[place->bucket / (REPORT_BUCKETS / REPORT_TIMELINE)]++;
}

/* Find the items that events of one kind do not share. */
static void find_items(const EVENT_RECORD *record, const uint64_t **start, uint64_t *room,
		       const char **container, size_t *len)
{
	const EVENT_HEADER_EXTENDED_DATA_ITEM *item = record->ExtendedData;
	USHORT left;

	for (left = record->ExtendedDataCount; left; left--, item++) {
		const void *data = (const void *)(uintptr_t)item->DataPtr;

		if (item->ExtType == EVENT_HEADER_EXT_TYPE_PROCESS_START_KEY &&
		    item->DataSize >= sizeof(*room) && !*start) {
			memcpy(room, data, sizeof(*room));
			*start = room;
		} else if (item->ExtType == EVENT_HEADER_EXT_TYPE_CONTAINER_ID && !*container) {
			*container = data;
			*len = item->DataSize;
		}
	}
}

int report_places_count(struct report *r, struct report_place *place)
{
	const struct etw_event_header *header = place->event->event->record.header;
	const uint64_t *start = NULL;
	const char *container = NULL;
	struct report_recent *recent;
	uint64_t key = 0;
	size_t len = 0;
	int err = 0;

	if (etw_decoder_own_items(place->event->decoder))
		find_items(place->event->record, &start, &key, &container, &len);
	recent = &r->recent[(header->thread_id * 31 + header->process_id) % REPORT_RECENT];
	if (recent->generation != r->recent_generation || recent->pid != header->process_id ||
	    recent->tid != header->thread_id || recent->key != key) {
		recent->pid = header->process_id;
		recent->tid = header->thread_id;
		recent->key = key;
		err = look_up(r, recent, place, start);
		if (err)
			return err;
	}
	place->process = recent->process;
	place->thread = recent->thread;
	count_times(r, place);
	if (container && len)
		err = count_container(r, place, container, len);
	return err ? err : count_cpu(r, place);
}
