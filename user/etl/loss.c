/* SPDX-License-Identifier: MIT */
/*
 * loss.c - read the records of losses
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "file_private.h"
#include "loss.h"
#include "record.h"
#include "time.h"

int64_t etw_loss_time(int64_t noted, const struct etw_loss_payload *loss, int64_t time)
{
	int64_t apart;

	if (__builtin_sub_overflow(time, loss->noted, &apart) ||
	    __builtin_add_overflow(noted, apart, &time))
		return noted;
	return time;
}

/* The second of two strings behind the payload; both may be damaged. */
static void take_session(const struct etw_record_view *view, struct etw_loss *loss)
{
	const char *at = (const char *)view->data + sizeof(loss->payload);
	size_t left = view->data_len - sizeof(loss->payload);
	const char *end = memchr(at, '\0', left);
	size_t len;

	if (!end)
		return;
	left -= (size_t)(end + 1 - at);
	len = strnlen(end + 1, left);
	if (len >= sizeof(loss->session))
		len = sizeof(loss->session) - 1;
	memcpy(loss->session, end + 1, len);
}

static bool take_record(const struct etw_record_view *view, int64_t noted, uint16_t cpu,
			struct etw_loss *loss)
{
	struct etw_loss_payload payload;

	if (!etw_loss_parse(view, &payload))
		return false;
	memset(loss, 0, sizeof(*loss));
	loss->payload = payload;
	loss->first = etw_loss_time(noted, &loss->payload, loss->payload.first);
	loss->last = etw_loss_time(noted, &loss->payload, loss->payload.last);
	loss->at_cpu = cpu;
	loss->key = view->data;
	loss->key_len = view->data_len;
	take_session(view, loss);
	return true;
}

bool etw_loss_read(const struct etw_event *event, struct etw_loss *loss)
{
	return take_record(&event->record, event->time, event->cpu, loss);
}

static int scan_block(struct etw_etl_file *f, const struct etw_block *block,
		      int (*take)(void *context, const struct etw_loss *loss), void *context)
{
	struct etw_classic_view classic = { .time = block->header.ref_clock };
	uint32_t offset = sizeof(block->header);
	struct etw_record_view view;
	struct etw_loss loss;
	uint8_t nanos;
	int64_t noted;
	int ret = 0;

	while (!ret && etw_etl_record(block->data, block->header.offset, &offset, &view,
				      &classic) == 1) {
		noted = etw_etl_time(etw_etl_times_of(f), view.header->timestamp, &nanos);
		if (take_record(&view, noted, block->header.processor, &loss))
			ret = take(context, &loss);
	}
	return ret;
}

static int scan(struct etw_etl_file *f,
		int (*take)(void *context, const struct etw_loss *loss), void *context)
{
	struct etw_buffer_header header;
	struct etw_etl_walk walk;
	struct etw_block *block;
	int ret, err = f->head ? scan_block(f, f->head, take, context) : 0;
	uint64_t at;

	etw_etl_walk_begin(&f->space, &walk);
	while (!err && (ret = etw_etl_walk_next(&f->space, &walk, &header, &at))) {
		if (ret < 0 && ret != -EBADMSG)
			return ret;
		if (ret < 0)
			continue;
		block = etw_etl_load(f, at, &header, &err);
		if (block && !err)
			err = scan_block(f, block, take, context);
		free(block);
	}
	return err;
}

int etw_losses_of(const char *path, int (*take)(void *context, const struct etw_loss *loss),
		  void *context)
{
	struct etw_etl_file *f;
	int err = etw_etl_open(path, NULL, NULL, &f);

	if (err)
		return err;
	err = scan(f, take, context);
	etw_etl_close(f);
	return err;
}
