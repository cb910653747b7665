/* SPDX-License-Identifier: MIT */
/*
 * source.c - log files as sources of events, and several sources merged by time
 */
#include <errno.h>
#include <string.h>

#include "source.h"

static int file_next(void *from, struct etw_event *event, int timeout_ms)
{
	(void)timeout_ms;
	return etw_etl_next(from, event);
}

static void file_close(void *from)
{
	etw_etl_close(from);
}

const struct etw_source_ops etw_source_file_ops = { .next = file_next, .close = file_close };

int etw_source_open_file(struct etw_source *source, const char *path, etw_etl_report_fn *report,
			 void *context)
{
	struct etw_etl_file *file;
	int err = etw_etl_open(path, report, context, &file);

	if (err)
		return err;
	source->ops = &etw_source_file_ops;
	source->from = file;
	return 0;
}

void etw_source_close(struct etw_source *source)
{
	if (source->ops)
		source->ops->close(source->from);
	memset(source, 0, sizeof(*source));
}

static bool is_earlier(const struct etw_event *a, const struct etw_event *b)
{
	return a->time < b->time || (a->time == b->time && a->nanos < b->nanos);
}

/*
 * Look at every source once; *pending: a source has not ended and has no event yet.
 * timeout_ms applies to a source that is alone in the list.
 */
static struct etw_source *look(struct etw_source **list, unsigned int *count, int timeout_ms,
			       bool *pending, int *err)
{
	struct etw_source *best = NULL;
	unsigned int i, left = 0;

	*pending = false;
	for (i = 0; i < *count; i++) {
		struct etw_source *in = list[i];
		int ret = in->has_next ? 1 : etw_source_next(in, &in->next, timeout_ms);

		in->has_next = ret == 1;
		if (ret < 0 && ret != -EAGAIN) {
			*err = ret;
			list[0] = in;
			return NULL;
		}
		if (!ret)
			continue;
		list[left++] = in;
		if (ret < 0)
			*pending = true;
		else if (!best || is_earlier(&in->next, &best->next))
			best = in;
	}
	*count = left;
	return best;
}

/* The only source there is; nothing is compared with it. */
static struct etw_source *only(struct etw_source *in, unsigned int *count, int *err)
{
	int ret = in->has_next ? 1 : etw_source_next(in, &in->next, -1);

	in->has_next = ret == 1;
	if (ret == 1)
		return in;
	if (!ret)
		*count = 0;
	else if (ret != -EAGAIN)
		*err = ret;
	return NULL;
}

struct etw_source *etw_source_earliest(struct etw_source **list, unsigned int *count, int *err)
{
	struct etw_source *best;
	bool pending;

	if (*count == 1) {
		best = only(list[0], count, err);
		/* A signal ends a wait; the next one is as long. */
		return best || !*count || *err ? best : only(list[0], count, err);
	}

	best = look(list, count, 0, &pending, err);
	/* Only the pending source is left: sources at their end have left the list. */
	if (!best && pending && !*err)
		best = look(list, count, -1, &pending, err);
	return best;
}
