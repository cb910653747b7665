/* SPDX-License-Identifier: MIT */
/*
 * kept_event.c - a copy of an event that outlives the source it was read from
 */
#include <string.h>
#include "cli/cli.h"
#include "kept_event.h"

/* This, the extended items, the payload */
struct kept {
	struct etw_buffer_header buffer;
	struct etw_event_header header;
	int64_t time;
	uint32_t ext_len, data_len;
	uint16_t cpu, logger_id;
	uint8_t nanos;
};

size_t kept_event_size(const struct etw_event *event)
{
	return sizeof(struct kept) + event->record.ext_len + event->record.data_len;
}

void kept_event_copy(void *to, const struct etw_event *event)
{
	const struct etw_record_view *record = &event->record;
	uint8_t *behind = (uint8_t *)to + sizeof(struct kept);
	struct kept *kept = to;

	memset(kept, 0, sizeof(*kept));
	kept->buffer = *event->buffer;
	kept->header = *record->header;
	kept->time = event->time;
	kept->ext_len = record->ext_len;
	kept->data_len = record->data_len;
	kept->cpu = event->cpu;
	kept->logger_id = event->logger_id;
	kept->nanos = event->nanos;
	if (record->ext_len)
		memcpy(behind, record->ext, record->ext_len);
	if (record->data_len)
		memcpy(behind + record->ext_len, record->data, record->data_len);
}

void kept_event_save(struct etw_text *to, const struct etw_event *event)
{
	const size_t size = kept_event_size(event);
	char *room;

	etw_text_cut(to, 0);
	room = etw_text_room(to, size);
	if (!room)
		cli_die("out of memory");
	kept_event_copy(room, event);
	etw_text_end(to, room + size);
}

void kept_event_get(const void *from, struct etw_event *event)
{
	const struct kept *kept = from;
	const uint8_t *behind = (const uint8_t *)(kept + 1);

	*event = (struct etw_event){
		.record = { .header = &kept->header, .ext = behind, .ext_len = kept->ext_len,
			    .data = behind + kept->ext_len, .data_len = kept->data_len },
		.buffer = &kept->buffer, .time = kept->time, .cpu = kept->cpu,
		.logger_id = kept->logger_id, .nanos = kept->nanos,
	};
}

bool kept_event_is(const struct etw_event *a, const struct etw_event *b)
{
	const struct etw_record_view *x = &a->record, *y = &b->record;

	return a->time == b->time && a->cpu == b->cpu && x->data_len == y->data_len &&
	       !memcmp(x->header, y->header, sizeof(*x->header)) &&
	       (!x->data_len || !memcmp(x->data, y->data, x->data_len));
}
