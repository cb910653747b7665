/* SPDX-License-Identifier: MIT */
/*
 * split_parts.c - the files that etw split writes
 *
 * Records about the whole trace, such as schemas, are in all of them.  They may come at the
 * trace's end, when most files are finished: then they are added to these.
 *
 * The record of a loss is in each part that may lack what was lost: of that time, that CPU, that
 * provider.  So a loss over a cut is in both parts, by the same record.  Its events are counted
 * in the header of the part that got it first, so that the sum of all headers stays.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "doubts.h"
#include "etl/loss.h"
#include "split_parts.h"

#define KEPT_MAX	((size_t)64 << 20)	/* bytes */

/* --------------------------------------------------------------------- names */

/* Behind a %: how many digits, 0: no number. */
static int digits_of(const char **at)
{
	int digits = 1;

	if (**at == '0' && (*at)[1] >= '1' && (*at)[1] <= '9') {
		digits = (*at)[1] - '0';
		*at += 2;
	}
	return *(*at)++ == 'd' ? digits : 0;
}

void split_check_pattern(const char *pattern)
{
	const char *at = pattern;
	unsigned int numbers = 0;

	while ((at = strchr(at, '%'))) {
		at++;
		if (*at == '%')
			at++;
		else if (digits_of(&at))
			numbers++;
		else
			numbers = 2;
	}
	if (numbers != 1)
		cli_usage("--output: %s: one %%d is needed, or %%03d, for the file's number; %%%% is a %%",
			  cli_quote(pattern));
}

static char *name_of(const char *pattern, unsigned int number)
{
	size_t room = strlen(pattern) + 16, len = 0;
	char *name = malloc(room);
	const char *at = pattern;

	if (!name)
		cli_die("out of memory");
	while (*at) {
		if (*at != '%')
			name[len++] = *at++;
		else if (*++at == '%')
			name[len++] = *at++;
		else
			len += (size_t)snprintf(name + len, room - len, "%0*u", digits_of(&at),
						number);
	}
	name[len] = '\0';
	return name;
}

/* ---------------------------------------------------------------------- parts */

/* Before each kept record; aligned as the record */
struct kept {
	uint32_t size;
	uint16_t cpu;
	bool loss, placed;		/* placed: a part has it */
	int32_t of_cpu;			/* of a loss; -1: any */
	uint32_t ahead;			/* it was recorded before it began */
	int64_t first, last;
	uint64_t events;		/* for a part's header */
	struct etw_guid provider;	/* zero: any */
};

_Static_assert(sizeof(struct kept) % 8 == 0, "records are aligned");

static size_t kept_size(const struct kept *kept)
{
	return sizeof(*kept) + (kept->size + 7u) / 8 * 8;
}

/* May this part lack what the record is about? */
static bool wants(const struct split_parts *parts, const struct split_part *part,
		  const struct kept *kept)
{
	static const struct etw_guid any;

	if (!kept->loss)
		return true;
	switch (parts->kind) {
	case SPLIT_CPUS:
		return kept->of_cpu < 0 || (unsigned int)kept->of_cpu == part->number;
	case SPLIT_PROVIDERS:
		return !memcmp(&kept->provider, &any, sizeof(any)) ||
		       !memcmp(&kept->provider, &part->guid, sizeof(any));
	default:
		return kept->last > part->from && kept->first <= part->until;
	}
}

/* Events that the headers of the sources count */
static uint64_t events_of_sources(const struct split_parts *parts)
{
	const struct etlmerge *merge = &parts->run->merge;
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < merge->count; i++)
		sum += etw_etl_info(merge->sources[i].file)->header.EventsLost;
	return sum;
}

/* A part does not end before what it lacks. */
static void cover(const struct split_parts *parts, struct split_part *part,
		  const struct kept *kept)
{
	int64_t end = kept->last < part->until ? kept->last : part->until;

	if (parts->kind == SPLIT_TIMES && kept->last < INT64_MAX && end > part->end_time)
		part->end_time = end;
}

/* Write a kept record, which lies at this place. */
static int put_one(struct split_parts *parts, struct split_part *part, size_t at)
{
	struct etlmerge *merge = &parts->run->merge;
	struct kept kept;
	int status;

	memcpy(&kept, parts->kept.data + at, sizeof(kept));
	status = merge_output_put(&part->out, merge, kept.cpu, parts->kept.data + at + sizeof(kept),
				  kept.size);
	if (status)
		return status;
	if (kept.loss)
		cover(parts, part, &kept);
	if (!kept.loss || kept.placed)
		return 0;
	parts->kept.data[at + offsetof(struct kept, placed)] = true;
	etw_etl_lost(part->out.writer, kept.events, 0);
	return 0;
}

/* Write what this part wants and lacks. */
static int put_kept(struct split_parts *parts, struct split_part *part)
{
	struct kept kept;
	int status = 0;

	while (part->kept < parts->kept.len && !status) {
		memcpy(&kept, parts->kept.data + part->kept, sizeof(kept));
		if (!kept.ahead && wants(parts, part, &kept))
			status = put_one(parts, part, part->kept);
		part->kept += kept_size(&kept);
	}
	return status;
}

/* Write the losses that were recorded before they began: now the end of the part is known. */
static int put_ahead(struct split_parts *parts, struct split_part *part)
{
	struct kept kept;
	int status = 0;
	size_t at;

	for (at = 0; at < parts->kept.len && !status; at += kept_size(&kept)) {
		memcpy(&kept, parts->kept.data + at, sizeof(kept));
		if (kept.ahead && wants(parts, part, &kept))
			status = put_one(parts, part, at);
	}
	return status;
}

/* Does the part want something that it lacks? */
static bool lacks(const struct split_parts *parts, const struct split_part *part)
{
	struct kept kept;
	size_t at;

	for (at = part->kept; at < parts->kept.len; at += kept_size(&kept)) {
		memcpy(&kept, parts->kept.data + at, sizeof(kept));
		if (!kept.ahead && wants(parts, part, &kept))
			return true;
	}
	return false;
}

/* Will split_complete() give it to a part? */
static bool wanted_later(const struct split_parts *parts, const struct kept *kept)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		if (wants(parts, &parts->list[i], kept))
			return true;
	return false;
}

struct split_part *split_begin(struct split_parts *parts, const struct split_part *like)
{
	struct split_part *part;
	char *name;
	int status;

	if (parts->count == SPLIT_PARTS_MAX) {
		cli_fail("these would be more than %d files", SPLIT_PARTS_MAX);
		return NULL;
	}
	if (parts->count == parts->room) {
		parts->room = parts->room ? 2 * parts->room : 16;
		part = reallocarray(parts->list, parts->room, sizeof(*part));
		if (!part)
			cli_die("out of memory");
		parts->list = part;
	}
	part = &parts->list[parts->count];
	memset(part, 0, sizeof(*part));
	part->number = like->number;
	part->guid = like->guid;
	part->from = parts->count ? part[-1].until : INT64_MIN;
	part->until = like->until;
	part->least = INT64_MAX;
	name = name_of(parts->pattern, part->number);
	status = merge_output_create(&part->out, name, parts->run);
	free(name);
	if (status) {
		merge_output_discard(&part->out);
		return NULL;
	}
	parts->count++;
	return put_kept(parts, part) ? NULL : part;
}

/* apart: the time in the parts less that in the source */
static void keep_loss(struct split_parts *parts, const struct etw_loss *loss, int64_t apart,
		      struct kept *kept)
{
	uint64_t left = events_of_sources(parts) - parts->counted;

	kept->loss = true;
	kept->of_cpu = loss->payload.cpu;
	kept->first = loss->first + apart;
	kept->last = loss->last + apart;
	/* It was at any time of the file that it was made for. */
	if (loss->payload.code == ETW_LOSS_UNRECORDED) {
		kept->first = INT64_MIN;
		kept->last = INT64_MAX;
	}
	kept->provider = loss->payload.provider;
	kept->events = 0;
	if (loss->payload.events > 0 && !etw_loss_of_stream(loss->payload.code))
		kept->events = (uint64_t)loss->payload.events;
	if (loss->payload.buffers > 0 && etw_loss_of_stream(loss->payload.code))
		parts->buffers += (uint64_t)loss->payload.buffers;
	/* The parts count no more than the sources did. */
	if (kept->events > left)
		kept->events = left;
}

/* Keep a record, and give it to the parts that are open. */
static int keep(struct split_parts *parts, const struct kept *kept, const void *record)
{
	struct split_part *part;
	int status = 0;

	etw_bytes_put(&parts->kept, kept, sizeof(*kept));
	etw_bytes_put(&parts->kept, record, kept->size);
	etw_bytes_align(&parts->kept, 0, 8);
	if (parts->kept.error)
		cli_die("out of memory");
	for (part = parts->list; part < parts->list + parts->count && !status; part++)
		if (part->out.writer)
			status = put_kept(parts, part);
	return status;
}

int split_keep(struct split_parts *parts, const struct etlmerge_record *record)
{
	const int64_t time = etlmerge_time(&parts->run->merge, record->key);
	struct kept kept = { .size = record->size, .cpu = record->event->cpu };
	struct etw_loss loss;

	if (etw_loss_of(record->event, &loss))
		keep_loss(parts, &loss, time - record->event->time, &kept);
	kept.ahead = kept.loss && loss.first > record->event->time;
	if (parts->kept.len + kept_size(&kept) > KEPT_MAX) {
		parts->kept_lost++;
		return 0;
	}
	parts->counted += kept.events;
	return keep(parts, &kept, record->data);
}

/* Do the sources lack something that no record tells? */
static bool has_unrecorded(const struct split_parts *parts)
{
	const struct etlmerge *merge = &parts->run->merge;

	return merge->unclosed || merge->damaged || merge->lost_buffers > parts->buffers ||
	       merge->lost_events + parts->kept_lost > parts->counted;
}

/* The key of the latest record of all parts */
static int64_t last_key(const struct split_parts *parts)
{
	int64_t key = parts->list[0].out.last;
	unsigned int i;

	for (i = 1; i < parts->count; i++)
		if (parts->list[i].out.last > key)
			key = parts->list[i].out.last;
	return key;
}

/* It may be missing in any part, so each gets it. */
static int keep_unrecorded(struct split_parts *parts)
{
	struct kept kept = { .loss = true, .of_cpu = -1, .first = INT64_MIN, .last = INT64_MAX };
	_Alignas(8) uint8_t slot[ETW_LOSS_SLOT_MAX];

	kept.size = etlmerge_unrecorded(&parts->run->merge, last_key(parts), slot);
	return keep(parts, &kept, slot);
}

int split_place(struct split_parts *parts)
{
	const struct etlmerge *merge = &parts->run->merge;
	struct split_part *part = parts->list;
	struct kept kept;
	int status = 0;
	size_t at;

	if (!parts->count)
		return 0;
	/* With parts one after the other, only the last one is open. */
	if (parts->kind == SPLIT_TIMES)
		part += parts->count - 1;
	for (at = 0; at < parts->kept.len && !status; at += kept_size(&kept)) {
		memcpy(&kept, parts->kept.data + at, sizeof(kept));
		if (kept.loss && !kept.placed && !wanted_later(parts, &kept))
			status = put_one(parts, part, at);
	}
	if (status || !(merge->silent || (parts->count > 1 && has_unrecorded(parts))))
		return status;
	return keep_unrecorded(parts);
}

/* What the part has is written, except for records that come later. */
static int finish(struct split_part *part, int64_t end_time)
{
	if (end_time > part->end_time)
		part->end_time = end_time;
	return merge_output_finish(&part->out, part->end_time);
}

/* May it have lacked, when it was written, what the sources do not have any more? */
static bool needs_since(const struct split_parts *parts, const struct split_part *part)
{
	const struct etlmerge *merge = &parts->run->merge;

	/* Of several in a row, the first one that reaches this time says so. */
	return merge->has_since && !part->has_since &&
	       (parts->kind != SPLIT_TIMES || !parts->has_since || part->least < merge->since_key);
}

static int put_since(struct split_parts *parts, struct split_part *part, int64_t key)
{
	part->has_since = true;
	parts->has_since |= key == parts->run->merge.since_key;
	return etlmerge_put_before(&parts->run->merge, &part->out, key);
}

int split_since(struct split_parts *parts, struct split_part *part, int64_t key)
{
	const struct etlmerge *merge = &parts->run->merge;

	if (key < part->least)
		part->least = key;
	return key >= merge->since_key && needs_since(parts, part) ?
	       put_since(parts, part, merge->since_key) : 0;
}

int split_finish(struct split_parts *parts, struct split_part *part, int64_t end_time)
{
	int status = put_ahead(parts, part);

	/* It ends before: nothing of it is complete. */
	if (!status && needs_since(parts, part))
		status = put_since(parts, part, part->out.last);
	return status ? status : finish(part, end_time);
}

int split_complete(struct split_parts *parts)
{
	struct split_part *part;
	int status = 0;

	for (part = parts->list; part < parts->list + parts->count && !status; part++) {
		if (part->out.writer || !lacks(parts, part))
			continue;
		status = merge_output_reopen(&part->out);
		if (!status)
			status = put_kept(parts, part);
		if (!status)
			status = finish(part, part->end_time);
	}
	return status;
}

static int by_path(const void *a, const void *b)
{
	const struct merge_output *const *x = a, *const *y = b;

	return strcmp((*x)->file.path, (*y)->file.path);
}

int split_commit(struct split_parts *parts)
{
	struct merge_output **list = calloc(parts->count + 1, sizeof(*list));
	unsigned int i, count = 0;
	int status = 0;

	if (!list)
		cli_die("out of memory");
	for (i = 0; i < parts->count; i++)
		if (parts->list[i].out.file.temp_path)
			list[count++] = &parts->list[i].out;
	/* Links can make two parts one file, where one part would replace the other. */
	qsort(list, count, sizeof(*list), by_path);
	for (i = 1; i < count && !status; i++)
		if (!by_path(&list[i - 1], &list[i]))
			status = cli_fail("%s: links make this the file of another part, too",
					  cli_quote(list[i]->path));
	if (!status)
		status = merge_output_commit(list, count);
	if (!status && !parts->run->quiet)
		merge_output_note(list, count);
	free(list);
	return status;
}

void split_free(struct split_parts *parts, bool good)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++) {
		if (good)
			merge_output_free(&parts->list[i].out);
		else
			merge_output_discard(&parts->list[i].out);
	}
	free(parts->list);
	etw_bytes_free(&parts->kept);
}
