/* SPDX-License-Identifier: MIT */
/*
 * json_lists.c - the tables of a report as JSON, largest first
 */
#include "json_private.h"

#define LEVELS	256

static unsigned int listed(const struct report_bounded *b, unsigned int most)
{
	return b->count < most ? b->count : most;
}

static void put_guid(struct etw_text *to, const struct etw_guid *guid)
{
	json_writer_guid(to, "guid", guid);
}

static void put_levels(const struct report *r, struct etw_text *to)
{
	unsigned int i;

	json_writer_open(to, "levels", '[');
	for (i = 0; i < LEVELS; i++) {
		if (!r->levels[i])
			continue;
		json_writer_open(to, NULL, '{');
		report_put_number(to, "level", i);
		report_put_name(to, "name", r->level_names[i]);
		report_put_number(to, "events", r->levels[i]);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
}

static void put_counts(struct etw_text *to, const struct report_entry *entry)
{
	report_put_number(to, "events", entry->events);
	report_put_number(to, "bytes", entry->bytes);
}

static void put_providers(struct report *r, struct etw_text *to)
{
	const unsigned int count = listed(&r->providers, REPORT_LIST_PROVIDERS);
	unsigned int i;

	report_bounded_sort(&r->providers);
	json_writer_open(to, "providers", '[');
	for (i = 0; i < count; i++) {
		struct report_provider *p = (struct report_provider *)r->providers.entries[i];

		report_series_update(&p->series, &r->scale, p->rate, REPORT_SERIES);
		json_writer_open(to, NULL, '{');
		report_put_name(to, "name", p->name);
		put_guid(to, &p->guid);
		put_counts(to, &p->entry);
		report_put_buckets(to, "rate", p->rate, report_series_used(&r->scale, REPORT_SERIES));
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	report_put_other(to, "providers_other", &r->providers, &r->all_providers, count);
}

static void put_kind(const struct report *r, struct etw_text *to, const struct report_kind *kind)
{
	json_writer_open(to, NULL, '{');
	report_put_name(to, "key", kind->title);
	report_put_name(to, "provider", kind->provider_name);
	put_guid(to, &kind->guid);
	report_put_name(to, "name", kind->name);
	report_put_number(to, "id", kind->id);
	report_put_number(to, "version", kind->version);
	report_put_number(to, "opcode", kind->opcode);
	report_put_number(to, "level", kind->level);
	put_counts(to, &kind->entry);
	report_put_time(r, to, "first_ns", kind->first);
	report_put_time(r, to, "last_ns", kind->last);
	json_writer_close(to, '}');
}

static void put_kinds(struct report *r, struct etw_text *to)
{
	const unsigned int count = listed(&r->kinds, REPORT_LIST_KINDS);
	unsigned int i;

	report_bounded_sort(&r->kinds);
	json_writer_open(to, "events", '[');
	for (i = 0; i < count; i++)
		put_kind(r, to, (struct report_kind *)r->kinds.entries[i]);
	json_writer_close(to, ']');
	report_put_other(to, "events_other", &r->kinds, &r->all_kinds, count);
}

/* A string, since it has 64 bits; null: not known */
static void put_start_key(struct etw_text *to, uint64_t key)
{
	if (!key) {
		json_writer_word(to, "start_key", NULL);
		return;
	}
	json_writer_key(to, "start_key");
	etw_text_char(to, '"');
	etw_text_unsigned(to, key, 1);
	etw_text_char(to, '"');
}

static void put_process(struct report *r, struct etw_text *to, struct report_process *p)
{
	report_series_update(&p->series, &r->scale, p->rate, REPORT_SERIES);
	json_writer_open(to, NULL, '{');
	report_put_number(to, "pid", p->pid);
	put_start_key(to, p->start_key);
	report_put_name(to, "name", p->name);
	report_put_name(to, "container", p->container);
	put_counts(to, &p->entry);
	report_put_number(to, "threads", p->threads);
	report_put_time(r, to, "first_ns", p->first);
	report_put_time(r, to, "last_ns", p->last);
	report_put_buckets(to, "rate", p->rate, report_series_used(&r->scale, REPORT_SERIES));
	json_writer_close(to, '}');
}

static void put_processes(struct report *r, struct etw_text *to)
{
	const unsigned int count = listed(&r->processes, REPORT_LIST_PROCESSES);
	unsigned int i;

	report_bounded_sort(&r->processes);
	json_writer_open(to, "processes", '[');
	for (i = 0; i < count; i++)
		put_process(r, to, (struct report_process *)r->processes.entries[i]);
	json_writer_close(to, ']');
	report_put_other(to, "processes_other", &r->processes, &r->all_processes, count);
}

/* By number: people look for a CPU. */
static void put_cpus(const struct report *r, struct etw_text *to)
{
	struct report_cpu other = { 0 };
	unsigned int i, count = 0, more = 0;

	json_writer_open(to, "cpus", '[');
	for (i = 0; i < r->cpu_count; i++) {
		const struct report_cpu *cpu = &r->cpus[i];

		if (!cpu->events && !cpu->lost)
			continue;
		if (count == REPORT_LIST_CPUS) {
			more++;
			other.events += cpu->events;
			other.bytes += cpu->bytes;
			other.lost += cpu->lost;
			continue;
		}
		count++;
		json_writer_open(to, NULL, '{');
		report_put_number(to, "cpu", i);
		report_put_number(to, "events", cpu->events);
		report_put_number(to, "bytes", cpu->bytes);
		report_put_number(to, "lost", cpu->lost);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	json_writer_open(to, "cpus_other", '{');
	report_put_number(to, "count", more);
	report_put_number(to, "events", other.events);
	report_put_number(to, "bytes", other.bytes);
	report_put_number(to, "lost", other.lost);
	json_writer_close(to, '}');
}

static void put_containers(struct report *r, struct etw_text *to)
{
	const unsigned int count = listed(&r->containers, REPORT_LIST_CONTAINERS);
	unsigned int i;

	report_bounded_sort(&r->containers);
	json_writer_open(to, "containers", '[');
	for (i = 0; i < count; i++) {
		const struct report_entry *entry = r->containers.entries[i];

		json_writer_open(to, NULL, '{');
		json_writer_string(to, "name", entry->key, entry->key_len);
		put_counts(to, entry);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	report_put_other(to, "containers_other", &r->containers, &r->all_containers, count);
}

void report_put_lists(struct report *r, struct etw_text *to)
{
	put_levels(r, to);
	put_providers(r, to);
	put_kinds(r, to);
	put_processes(r, to);
	put_cpus(r, to);
	put_containers(r, to);
}

/* After report_put_lists(), which sorts the kinds */
void report_put_errors(struct report *r, struct etw_text *to)
{
	const struct report_rows *rows = &r->errors;
	unsigned int i, count = 0;
	uint64_t more = r->levels[1] + r->levels[2];

	json_writer_open(to, "errors", '{');
	json_writer_open(to, "counts", '[');
	for (i = 0; i < r->kinds.count && count < REPORT_LIST_KINDS; i++) {
		const struct report_kind *kind = (const struct report_kind *)r->kinds.entries[i];

		if (kind->level != 1 && kind->level != 2)
			continue;
		json_writer_open(to, NULL, '{');
		report_put_name(to, "key", kind->title);
		report_put_number(to, "level", kind->level);
		report_put_number(to, "events", kind->entry.events);
		json_writer_close(to, '}');
		more -= kind->entry.events;
		count++;
	}
	json_writer_close(to, ']');
	report_put_number(to, "more", more);
	json_writer_open(to, "latest", '[');
	for (i = 0; i < rows->count; i++)
		report_put_row(r, to, &rows->rows[(rows->seen - rows->count + i) % rows->max]);
	json_writer_close(to, ']');
	json_writer_close(to, '}');
}

void report_put_timeline(struct report *r, struct etw_text *to)
{
	const unsigned int count = listed(&r->threads, REPORT_LIST_THREADS);
	unsigned int i;

	report_bounded_sort(&r->threads);
	json_writer_open(to, "timeline", '{');
	report_put_number(to, "bucket_ns",
			  (__int128)(REPORT_BUCKETS / REPORT_TIMELINE) << r->scale.shift);
	json_writer_open(to, "threads", '[');
	for (i = 0; i < count; i++) {
		struct report_thread *t = (struct report_thread *)r->threads.entries[i];

		report_series_update(&t->series, &r->scale, t->rate, REPORT_TIMELINE);
		json_writer_open(to, NULL, '{');
		report_put_number(to, "pid", t->pid);
		report_put_number(to, "tid", t->tid);
		put_start_key(to, t->start_key);
		report_put_name(to, "process", t->process);
		report_put_buckets(to, "events", t->rate,
				   report_series_used(&r->scale, REPORT_TIMELINE));
		report_put_number(to, "errors", t->errors);
		json_writer_close(to, '}');
	}
	json_writer_close(to, ']');
	report_put_other(to, "other", &r->threads, &r->all_threads, count);
	json_writer_close(to, '}');
}
