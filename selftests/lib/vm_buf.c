// SPDX-License-Identifier: GPL-2.0-only
/* vm_buf.c - check and walk the buffers that a consumer reads */
#include "lib/vm_buf.h"

void (*vm_loss_fn)(const struct etw_buffer_header *b, const struct vm_record *r);

static bool vm_is_loss(const struct vm_record *r)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return r->head->flags & ETW_EVENT_KERNEL_MODE &&
	       !memcmp(&r->head->provider, &ledger, sizeof(ledger));
}

static const char *vm_check_head(const struct etw_buffer_header *b, uint32_t size)
{
	if (b->buffer_size != size)
		return "buffer_size is not the session's";
	if (b->offset < sizeof(*b) || b->offset > size || b->offset % 8)
		return "offset out of range";
	if (b->saved_offset != b->offset || b->current_offset != b->offset)
		return "the three offsets differ";
	if (b->reference_count)
		return "reference_count is not 0";
	if (b->state != ETW_BUFFER_STATE_FLUSH)
		return "state is not FLUSH";
	if (b->type != ETW_BUFFER_TYPE_GENERIC)
		return "type is not GENERIC";
	if (!(b->flags & ETW_BUFFER_PROCESSOR_INDEX))
		return "PROCESSOR_INDEX is not set";
	if (b->flags & ~(ETW_BUFFER_FLUSH_MARKER | ETW_BUFFER_EVENTS_LOST |
			 ETW_BUFFER_BUFFER_LOST | ETW_BUFFER_PROCESSOR_INDEX))
		return "unknown buffer flags";
	if (!(b->clock & ETW_CLOCK_TYPE_MASK) || !(b->clock >> ETW_CLOCK_FREQ_SHIFT))
		return "clock type or frequency missing";
	if (!b->logger_id || !b->ref_time || b->sequence < 0)
		return "logger id, reference time or sequence missing";
	return NULL;
}

static const char *vm_check_record(const struct etw_event_header *h)
{
	if (h->type != ETW_TYPE_EVENT64 && h->type != ETW_TYPE_EVENT32)
		return "record type";
	if (h->flags & ~(ETW_EVENT_EXTENDED_INFO | ETW_EVENT_PRIVATE_SESSION |
			 ETW_EVENT_STRING_ONLY | ETW_EVENT_TRACE_MESSAGE |
			 ETW_EVENT_NO_CPUTIME | ETW_EVENT_DECODE_GUID |
			 ETW_EVENT_KERNEL_MODE | ETW_EVENT_USER_MODE))
		return "record flags that are not stored ones";
	if (!(h->flags & ETW_EVENT_KERNEL_MODE) == !(h->flags & ETW_EVENT_USER_MODE))
		return "neither kernel nor user mode, or both";
	if (!(h->flags & ETW_EVENT_NO_CPUTIME) || h->processor_time)
		return "processor time";
	if (h->property)
		return "record property";
	return NULL;
}

/* Find items and payload of the record at h; NULL or what is wrong. */
static const char *vm_split_record(const struct etw_event_header *h, struct vm_record *rec)
{
	const uint8_t *p = (const uint8_t *)(h + 1), *end = (const uint8_t *)h + h->size;
	const struct etw_ext_item *item;

	rec->head = h;
	rec->ext = h->flags & ETW_EVENT_EXTENDED_INFO ? p : NULL;
	if (rec->ext) {
		do {
			item = (const void *)p;
			if (end - p < 8 || item->size < 8 || item->size % 8 ||
			    item->size > end - p || item->data_size > item->size - 8)
				return "extended item";
			p += item->size;
		} while (item->linkage & 1);
	}
	rec->data = p;
	rec->len = end - p;
	return NULL;
}

const char *vm_walk(const void *buf, uint32_t size, vm_record_fn fn, void *ctx, uint64_t *events)
{
	const struct etw_buffer_header *b = buf;
	const uint8_t *bytes = buf;
	const char *error = vm_check_head(b, size);
	uint32_t at = sizeof(*b), i;
	struct vm_record rec;

	while (!error && at < b->offset) {
		const struct etw_event_header *h = (const void *)(bytes + at);

		if (b->offset - at < sizeof(*h) || h->size < sizeof(*h) ||
		    h->size > b->offset - at)
			return "record size";
		error = vm_check_record(h);
		if (!error)
			error = vm_split_record(h, &rec);
		if (error)
			break;
		for (i = h->size; i % 8; i++)
			if (bytes[at + i])
				return "padding after a record is not zero";
		if (vm_is_loss(&rec)) {
			if (vm_loss_fn)
				vm_loss_fn(b, &rec);
		} else {
			if (fn)
				fn(ctx, b, &rec);
			(*events)++;
		}
		at += (h->size + 7) & ~7u;
	}
	if (error)
		return error;
	if (at != b->offset)
		return "records do not end at offset";
	for (; at < size; at++)
		if (bytes[at] != ETW_TAIL_BYTE)
			return "tail is not 0xFF";
	return NULL;
}

int vm_reader_open(struct vm_reader *r, int fd, uint64_t session, uint32_t flags)
{
	struct etw_consumer_open o = { 0 };
	int ret = vm_consume(fd, session, flags, &o);

	*r = (struct vm_reader){ .fd = -1, .last_sequence = -1 };
	if (ret < 0)
		return ret;
	r->fd = ret;
	r->size = o.buffer_size;
	r->buf = malloc(r->size);
	return r->buf ? 0 : -ENOMEM;
}

void vm_reader_close(struct vm_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->buf);
	r->fd = -1;
	r->buf = NULL;
}

int vm_read_one(struct vm_reader *r, vm_record_fn fn, void *ctx)
{
	const struct etw_buffer_header *b = (const void *)r->buf;
	ssize_t n = read(r->fd, r->buf, r->size);

	if (n < 0)
		return -errno;
	if (!n)
		return 0;
	if (n != (ssize_t)r->size) {
		r->error = "read gave a part of a buffer";
		return -EBADMSG;
	}
	r->error = vm_walk(r->buf, r->size, fn, ctx, &r->events);
	if (!r->error && b->sequence <= r->last_sequence)
		r->error = "sequence went backwards";
	r->last_sequence = b->sequence;
	if (b->flags & ETW_BUFFER_BUFFER_LOST)
		r->stand_ins++;
	else
		r->buffers++;
	if (r->error)
		fprintf(stderr, "# buffer %lld: %s\n", (long long)b->sequence, r->error);
	return r->error ? -EBADMSG : 1;
}

int vm_drain(struct vm_reader *r, vm_record_fn fn, void *ctx)
{
	int ret;

	while ((ret = vm_read_one(r, fn, ctx)) == 1)
		;
	return ret;
}

void vm_see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct vm_seen *s = ctx;
	uint32_t number;

	(void)b;
	memcpy(&number, r->data, sizeof(number));
	if (!s->records++) {
		s->first = number;
		s->ordered = true;
	} else if (number != s->last + 1) {
		s->ordered = false;
	}
	s->last = number;
}
