/* SPDX-License-Identifier: MIT */
/*
 * losses.c - what is missing in the files, as etw verify finds it
 *
 * Twice as many losses are kept as are listed; when there are more, the smaller half is given up.
 * Sums by cause and by provider hold all of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "convert/slices/slices.h"
#include "report_private.h"

#define KEPT	(2 * REPORT_LOSSES)

void report_losses_free(struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->loss_count; i++)
		free(r->losses[i].provider);
	for (i = 0; i < r->file_count; i++) {
		free(r->files[i].path);
		free(r->files[i].host);
		free(r->files[i].kernel);
	}
	free(r->losses);
	free(r->files);
	report_bounded_free(&r->losers);
	report_distinct_free(&r->all_losers);
}

void report_loser_release(struct report_entry *entry)
{
	free(((struct report_loser *)entry)->name);
}

void report_range(struct report *r, int64_t begin, int64_t end)
{
	r->begin = begin;
	r->end = end;
}

void report_between(struct report *r, int64_t since, int64_t until)
{
	r->since = since;
	r->until = until;
}

void report_part(struct report *r, const char *part)
{
	r->part = part;
}

static bool is_all(const struct report *r)
{
	return r->since == INT64_MIN && r->until == INT64_MAX;
}

static bool is_wanted(const struct report *r, const struct etw_gap *gap)
{
	if (gap->last && gap->last < r->since)
		return false;
	return !gap->first || gap->first <= r->until;
}

static bool is_within(const struct report *r, const struct etw_gap *gap)
{
	return gap->first && gap->last && gap->first >= r->since && gap->last <= r->until;
}

static uint64_t known(uint64_t number)
{
	return number == ETW_GAP_UNKNOWN ? 0 : number;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > ETW_GAP_UNKNOWN - b ? ETW_GAP_UNKNOWN : a + b;
}

/* Buffers too many, twice or in another order: nothing that was written is missing for it. */
static bool is_missing(const struct etw_gap *gap)
{
	return gap->cause != ETW_GAP_SURPLUS && gap->cause != ETW_GAP_DUPLICATE &&
	       gap->cause != ETW_GAP_DISORDER;
}

/* A gap that may be anywhere in its file is at no place. */
static bool has_place(const struct report *r, const struct etw_verdict *verdict,
		      const struct etw_gap *gap)
{
	if (!r->scale.begun || !gap->first || !gap->last)
		return false;
	return gap->first > verdict->info.header.StartTime.QuadPart || gap->last < verdict->end;
}

static const char *cause_of(const struct etw_gap *gap)
{
	return gap->detail ? gap->detail : etw_gap_texts[gap->cause].text;
}

static int provider_of(const struct report *r, const struct etw_gap *gap, char **name)
{
	struct etw_text text = { .data = NULL };
	const char *known_as;

	*name = NULL;
	if (!gap->has_provider)
		return 0;
	known_as = r->host.provider ? r->host.provider(r->host.context, &gap->provider) : NULL;
	if (known_as)
		etw_text_add(&text, known_as, strnlen(known_as, REPORT_NAME));
	else
		etw_text_guid(&text, &gap->provider);
	*name = text.data;
	return text.error ? -ENOMEM : 0;
}

/* Evenly over the buckets from one to another; the sum stays exact. */
static void spread(uint64_t *buckets, unsigned int from, unsigned int to, uint64_t count)
{
	const uint64_t all = to - from + 1;
	uint64_t i;

	for (i = 0; i < all; i++)
		buckets[from + i] += (uint64_t)((unsigned __int128)count * (i + 1) / all -
						(unsigned __int128)count * i / all);
}

/* Count what is lost where and when; only events have a CPU of their own. */
static void add_up(struct report *r, const struct etw_gap *gap, bool placed)
{
	const uint64_t events = known(gap->events), buffers = known(gap->buffers);
	unsigned int from, to, i;

	r->lost_events += events;
	r->lost_buffers += buffers;
	if (gap->cpu >= 0 && (unsigned int)gap->cpu < r->cpu_count)
		r->cpus[gap->cpu].lost += events;
	if (!placed) {
		r->unplaced_events += events;
		r->unplaced_buffers += buffers;
		return;
	}
	from = report_scale_find(&r->scale, slices_ns(gap->first));
	to = report_scale_find(&r->scale, slices_ns(gap->last));
	if (to < from)
		to = from;
	spread(r->rate_lost, from, to, events);
	spread(r->rate_lost_buffers, from, to, buffers);
	for (i = from; i <= to; i++)
		r->rate_gaps[i]++;
}

/* The last one has all causes that there is no room for. */
static void count_cause(struct report *r, const struct etw_gap *gap)
{
	const char *cause = cause_of(gap);
	struct report_loss_cause *own = r->loss_causes;
	unsigned int i;

	for (i = 0; i < r->loss_cause_count; i++, own++)
		if (own->cause == cause && own->key == etw_gap_texts[gap->cause].key)
			break;
	if (i == REPORT_LOSS_CAUSES) {
		own--;
		own->cause = "other causes";
		own->key = NULL;
	} else if (i == r->loss_cause_count) {
		*own = (struct report_loss_cause){ .cause = cause,
						   .key = etw_gap_texts[gap->cause].key };
		r->loss_cause_count++;
	}
	own->losses++;
	if (!is_missing(gap))
		return;
	own->events += known(gap->events);
	own->buffers += known(gap->buffers);
	own->unknown |= gap->events == ETW_GAP_UNKNOWN || gap->buffers;
}

/* Whose provider is not known counts as that of none, a zero GUID. */
static int count_loser(struct report *r, const struct etw_gap *gap)
{
	const struct etw_guid guid = gap->has_provider ? gap->provider : (struct etw_guid){ 0 };
	struct report_entry *entry;
	int ret;

	if (!is_missing(gap))
		return 0;
	ret = report_bounded_get(&r->losers, &guid, sizeof(guid), &entry);
	if (ret < 0)
		return ret;
	entry->events += known(gap->events);
	((struct report_loser *)entry)->losses++;
	if (!ret)
		return 0;
	if (report_distinct_add(&r->all_losers, &guid, sizeof(guid)) < 0)
		return -ENOMEM;
	return provider_of(r, gap, &((struct report_loser *)entry)->name);
}

/* How many there are may be none, too. */
static int larger_first(const void *x, const void *y)
{
	const struct report_loss *a = x, *b = y;
	const bool a_open = a->missing && a->count == ETW_GAP_UNKNOWN;
	const bool b_open = b->missing && b->count == ETW_GAP_UNKNOWN;

	if (a->missing != b->missing)
		return a->missing ? -1 : 1;
	if (a_open != b_open)
		return a_open ? -1 : 1;
	if (a->buffers != b->buffers)
		return a->buffers ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void give_up(struct report *r, unsigned int keep)
{
	if (r->loss_count)
		qsort(r->losses, r->loss_count, sizeof(*r->losses), larger_first);
	while (r->loss_count > keep) {
		free(r->losses[--r->loss_count].provider);
		r->losses_more++;
	}
}

void report_losses_sort(struct report *r)
{
	give_up(r, REPORT_LOSSES);
}

static int keep(struct report *r, const struct etw_gap *gap, bool placed)
{
	struct report_loss *loss;

	if (!r->losses)
		r->losses = calloc(KEPT, sizeof(*r->losses));
	if (!r->losses)
		return -ENOMEM;
	if (r->loss_count == KEPT)
		give_up(r, REPORT_LOSSES);
	loss = &r->losses[r->loss_count++];
	loss->first = gap->first;
	loss->last = gap->last;
	loss->missing = is_missing(gap);
	loss->placed = placed;
	loss->buffers = gap->buffers && (!known(gap->events) || !loss->missing);
	loss->count = loss->buffers ? gap->buffers : gap->events;
	if (!loss->missing && !loss->buffers) {
		/* The one that it is about */
		loss->buffers = true;
		loss->count = 1;
	}
	loss->cause = cause_of(gap);
	loss->key = etw_gap_texts[gap->cause].key;
	loss->cpu = gap->cpu;
	loss->file = r->file_count - 1;
	return provider_of(r, gap, &loss->provider);
}

static int add_gap(struct report *r, const struct etw_verdict *verdict, const struct etw_gap *gap)
{
	const bool placed = has_place(r, verdict, gap);
	int err;

	if (!is_wanted(r, gap))
		return 0;
	r->complete = false;
	r->files[r->file_count - 1].complete = false;
	count_cause(r, gap);
	if (is_missing(gap)) {
		add_up(r, gap, placed);
		if (is_within(r, gap))
			r->lost_least = plus(r->lost_least, known(gap->events));
		r->lost_most = plus(r->lost_most,
				    gap->buffers && gap->cause != ETW_GAP_LOST ?
				    ETW_GAP_UNKNOWN : gap->events);
	}
	err = count_loser(r, gap);
	return err ? err : keep(r, gap, placed);
}

/* Bounds are the verdict's, unless only a part of the time counts. */
static int add_gaps(struct report *r, const struct etw_verdict *verdict)
{
	const uint64_t least = r->lost_least, most = r->lost_most;
	uint64_t own_least, own_most;
	uint32_t i;
	int err = 0;

	for (i = 0; i < verdict->gap_count && !err; i++)
		err = add_gap(r, verdict, &verdict->gaps[i]);
	r->losses_more += verdict->more;
	if (verdict->more) {
		r->complete = r->files[r->file_count - 1].complete = false;
		r->lost_most = ETW_GAP_UNKNOWN;
	}
	if (!is_all(r))
		return err;
	etw_verdict_lost(verdict, &own_least, &own_most);
	r->lost_least = plus(least, own_least);
	r->lost_most = plus(most, own_most);
	return err;
}

/* What is older than this is not in the file, and it is no loss. */
static void add_since(struct report *r, struct report_file *file, const struct etw_verdict *verdict)
{
	if (!verdict->since || (verdict->since_time && verdict->since_time < r->since))
		return;
	file->since = true;
	file->since_time = verdict->since_time;
	file->overwritten = verdict->overwritten;
	/* Of several files, from when on all are complete */
	if (!r->has_since || file->since_time > r->since_time) {
		r->since_time = file->since_time;
		r->overwritten = file->overwritten;
	}
	r->has_since = true;
}

static int add_machine(struct report *r, struct report_file *file,
		       const struct report_machine *machine)
{
	const struct report_file *other;

	file->boot = machine->boot;
	file->machines = machine->count;
	if (*machine->host)
		file->host = report_name(machine->host);
	if (*machine->kernel)
		file->kernel = report_name(machine->kernel);
	if ((*machine->host && !file->host) || (*machine->kernel && !file->kernel))
		return -ENOMEM;
	r->mixed |= machine->count > 1;
	for (other = r->files; other < file; other++)
		if (other->machines && memcmp(&other->boot, &file->boot, sizeof(file->boot)))
			r->mixed = true;
	return 0;
}

int report_file(struct report *r, const char *path, uint64_t bytes,
		const struct etw_verdict *verdict, const struct report_machine *machine)
{
	struct report_file *files = etw_grow(r->files, r->file_count, sizeof(*files));
	struct report_file *file;

	if (!files)
		return -ENOMEM;
	r->files = files;
	file = &files[r->file_count];
	*file = (struct report_file){ .path = strdup(path), .bytes = bytes, .complete = true };
	if (!file->path)
		return -ENOMEM;
	r->file_count++;
	if (machine && add_machine(r, file, machine))
		return -ENOMEM;
	add_since(r, file, verdict);
	return add_gaps(r, verdict);
}

const char *report_since_reason(bool overwritten)
{
	return overwritten ? "older events were overwritten by newer ones" :
	       "earlier events are not in these files";
}
