/* SPDX-License-Identifier: MIT */
/*
 * losses.c - what is missing in the files, as etw verify finds it
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "convert/slices/slices.h"
#include "report_private.h"

void report_losses_free(struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->loss_count; i++)
		free(r->losses[i].provider);
	for (i = 0; i < r->file_count; i++)
		free(r->files[i].path);
	free(r->losses);
	free(r->files);
}

void report_between(struct report *r, int64_t since, int64_t until)
{
	r->since = since;
	r->until = until;
}

static bool is_wanted(const struct report *r, const struct etw_gap *gap)
{
	if (gap->last && gap->last < r->since)
		return false;
	return !gap->first || gap->first <= r->until;
}

static uint64_t known(uint64_t number)
{
	return number == ETW_GAP_UNKNOWN ? 0 : number;
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

/* Count what is lost where and when; only events have a CPU of their own. */
static void add_up(struct report *r, const struct etw_gap *gap)
{
	const uint64_t events = known(gap->events);

	r->lost_events += events;
	r->lost_buffers += known(gap->buffers);
	if (gap->cpu >= 0 && (unsigned int)gap->cpu < r->cpu_count)
		r->cpus[gap->cpu].lost += events;
	if (gap->first && r->scale.begun)
		r->rate_lost[report_scale_find(&r->scale, slices_ns(gap->first))] += events;
}

static int add_gap(struct report *r, const struct etw_gap *gap)
{
	struct report_loss *loss;

	if (!is_wanted(r, gap))
		return 0;
	r->complete = false;
	add_up(r, gap);
	if (r->loss_count == REPORT_LOSSES) {
		r->losses_more++;
		return 0;
	}
	if (!r->losses)
		r->losses = calloc(REPORT_LOSSES, sizeof(*r->losses));
	if (!r->losses)
		return -ENOMEM;
	loss = &r->losses[r->loss_count++];
	loss->first = gap->first;
	loss->last = gap->last;
	loss->buffers = !known(gap->events) && gap->buffers;
	loss->count = loss->buffers ? gap->buffers : gap->events;
	loss->cause = gap->detail ? gap->detail : etw_gap_texts[gap->cause].text;
	loss->cpu = gap->cpu;
	loss->file = r->file_count - 1;
	return provider_of(r, gap, &loss->provider);
}

int report_file(struct report *r, const char *path, uint64_t bytes,
		const struct etw_verdict *verdict)
{
	struct report_file *files = realloc(r->files, (r->file_count + 1) * sizeof(*files));
	uint32_t i;
	int err = 0;

	if (!files)
		return -ENOMEM;
	r->files = files;
	files[r->file_count] = (struct report_file){ .path = strdup(path), .bytes = bytes };
	if (!files[r->file_count++].path)
		return -ENOMEM;
	for (i = 0; i < verdict->gap_count && !err; i++)
		err = add_gap(r, &verdict->gaps[i]);
	if (verdict->more)
		r->complete = false;
	r->losses_more += verdict->more;
	return err;
}
