// SPDX-License-Identifier: GPL-2.0-only
/*
 * audit.c - checks the data that the kernel returned
 *
 * Buffers are walked with format.h alone.  Memory is searched for words that only the
 * kernel can have written: kernel addresses, and the patterns that the debug kernel fills
 * stacks and freed pages with.  The fuzzer writes no such words itself, see harmless().
 */
#define _GNU_SOURCE
#include "fuzz.h"

/* Kernel addresses that this program passes on purpose */
#define OWN_KERNEL_ADDRESS	0xffff888000001000ull

static bool is_leak(uint64_t word)
{
	if (word == OWN_KERNEL_ADDRESS)
		return false;
	if (word == 0xaaaaaaaaaaaaaaaaull || word == 0xfefefefefefefefeull ||
	    word == 0x6b6b6b6b6b6b6b6bull)
		return true;
	/* Linear map, vmalloc and memory map. */
	return word >= 0xffff888000000000ull && word < 0xffffeb0000000000ull;
}

/* In the text of the kernel or its modules: stacks may show these to privileged users. */
static bool is_text(uint64_t word)
{
	return word > 0xffffffff80000000ull && word < 0xffffffffff000000ull;
}

uint64_t harmless(uint64_t value)
{
	return is_leak(value) || is_text(value) ? value & 0xffffffff : value;
}

static const char *find_leak(const void *mem, size_t len, bool text_too)
{
	static __thread char said[96];
	uint64_t word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, (const uint8_t *)mem + i, 8);
		if (is_leak(word) || (text_too && is_text(word))) {
			snprintf(said, sizeof(said), "the kernel's %#lx at %zu of %zu", word, i, len);
			return said;
		}
	}
	return NULL;
}

/* NULL, or a description of the leak. */
const char *audit_leak(const void *mem, size_t len)
{
	return find_leak(mem, len, true);
}

static const char *check_head(const struct etw_buffer_header *b, uint32_t size)
{
	if (b->buffer_size != size)
		return "buffer_size";
	if (b->offset < sizeof(*b) || b->offset > size || b->offset % 8)
		return "offset";
	if (b->saved_offset != b->offset || b->current_offset != b->offset)
		return "saved_offset or current_offset";
	if (b->reference_count || b->state != ETW_BUFFER_STATE_FLUSH)
		return "reference_count or state";
	if (b->type != ETW_BUFFER_TYPE_GENERIC || !(b->flags & ETW_BUFFER_PROCESSOR_INDEX))
		return "type or flags";
	if (b->processor >= 8 || !b->logger_id || b->logger_id > ETW_SESSIONS_MAX)
		return "processor or logger_id";
	if (!(b->clock & ETW_CLOCK_TYPE_MASK) || !(b->clock >> ETW_CLOCK_FREQ_SHIFT))
		return "clock";
	if (b->sequence < 0 || !b->ref_time)
		return "sequence or ref_time";
	return NULL;
}

static bool known_item(const struct etw_ext_item *item)
{
	switch (item->type) {
	case ETW_EXT_RELATED_ACTIVITY:
	case ETW_EXT_SID:
	case ETW_EXT_CONTROL_GUID:
		return item->data_size == 16;
	case ETW_EXT_TS_ID:
		return item->data_size == 4;
	case ETW_EXT_EVENT_KEY:
	case ETW_EXT_PROCESS_START_KEY:
	case ETW_EXT_CONTEXT:
	case ETW_EXT_GIVEN_TIME:
		return item->data_size == 8;
	case ETW_EXT_PID_NAMESPACE:
		return item->data_size == sizeof(struct etw_ext_pid_namespace);
	case ETW_EXT_EVENT_SCHEMA:
	case ETW_EXT_PROV_TRAITS:
		return item->data_size > 1;
	case ETW_EXT_PSM_KEY:
	case ETW_EXT_CONTAINER_ID:
		return item->data_size > 1;
	case ETW_EXT_STACK_TRACE32:
	case ETW_EXT_STACK_TRACE64:
		return item->data_size > 8 && item->data_size <= 8 + 8 * ETW_STACK_MAX;
	case ETW_EXT_USER_STACK:
		return item->data_size >= sizeof(struct etw_ext_user_stack) &&
		       item->data_size <= sizeof(struct etw_ext_user_stack) + ETW_USER_STACK_MAX;
	}
	return false;
}

/*
 * A stack may contain kernel addresses, and a copy of the program's whatever the program has there;
 * other items may not.
 */
static const char *check_items(const struct etw_event_header *h, uint32_t *len)
{
	const uint8_t *p = (const uint8_t *)(h + 1), *end = (const uint8_t *)h + h->size;
	const struct etw_ext_item *item;
	const char *error;
	uint32_t i;

	*len = 0;
	if (!(h->flags & ETW_EVENT_EXTENDED_INFO))
		return NULL;
	do {
		item = (const void *)p;
		if (end - p < 8 || item->size < 8 || item->size % 8 || item->size > end - p ||
		    item->data_size > item->size - 8)
			return "size of an extended item";
		if (!known_item(item))
			return "type or length of an extended item";
		for (i = 8 + item->data_size; i < item->size; i++)
			if (p[i])
				return "padding of an extended item";
		error = find_leak(item, item->size, item->type != ETW_EXT_STACK_TRACE64 &&
				  item->type != ETW_EXT_USER_STACK);
		if (error)
			return error;
		p += item->size;
	} while (item->linkage & 1);
	*len = p - (const uint8_t *)(h + 1);
	return NULL;
}

/*
 * Time increases within a buffer. Exceptions: the wall clock may be set, and the clocks
 * that replace it in an NMI may be slightly late.
 */
static bool clock_may_step(const struct etw_buffer_header *b)
{
	return (b->clock & ETW_CLOCK_TYPE_MASK) == ETW_CLOCK_SYSTEM;
}

static const char *time_back(const struct etw_event_header *h, int64_t last)
{
	static char text[200];

	snprintf(text, sizeof(text), "time goes backwards, from %lld by %lld, at event %u of %08x, flags 0x%x, of process %u",
		 (long long)last, (long long)(last - h->timestamp), h->desc.id, h->provider.data1,
		 h->flags, h->process_id);
	return text;
}

static const char *check_record(const struct etw_event_header *h, int64_t *last)
{
	const char *error;
	uint32_t items;

	if (h->type != ETW_TYPE_EVENT64 && h->type != ETW_TYPE_EVENT32)
		return "record type";
	if (h->flags & ~(ETW_EVENT_EXTENDED_INFO | ETW_EVENT_STRING_ONLY | ETW_EVENT_NO_CPUTIME |
			 ETW_EVENT_DECODE_GUID | ETW_EVENT_KERNEL_MODE | ETW_EVENT_USER_MODE))
		return "record flags";
	if (!(h->flags & ETW_EVENT_KERNEL_MODE) == !(h->flags & ETW_EVENT_USER_MODE))
		return "record mode";
	if (h->property || h->processor_time || !(h->flags & ETW_EVENT_NO_CPUTIME))
		return "record property or time";
	if (last && h->timestamp < *last && !shared->typed)
		return time_back(h, *last);
	if (last)
		*last = h->timestamp;
	error = check_items(h, &items);
	/* The checksums of etw_stress look like random data. */
	if (error || !memcmp(&h->provider, &fuzz_guids[GUIDS - 1], sizeof(h->provider)))
		return error;
	/* The payload may be copied from a mapped buffer that contains a stack. */
	return audit_leak(h, sizeof(*h)) ?:
	       find_leak((const uint8_t *)(h + 1) + items, h->size - sizeof(*h) - items, !shared->stacks);
}

/* Check a record of a classic provider; returns NULL with *known false for other records. */
static const char *check_classic(const void *record, int64_t *last, bool *known)
{
	const struct etw_trace_header *t = record;
	const struct etw_message_header *m = record;

	*known = true;
	if (t->type == ETW_TYPE_MESSAGE) {
		if (m->options & ~ETW_MESSAGE_ALL)
			return "options of a message";
	} else if (t->type == ETW_TYPE_FULL64 || t->type == ETW_TYPE_FULL32 ||
		   t->type == ETW_TYPE_INSTANCE64 || t->type == ETW_TYPE_INSTANCE32) {
		if (t->size < sizeof(*t) || t->processor_time)
			return "size or time of a classic record";
		if (last && t->timestamp < *last)
			return "time goes backwards";
		if (last)
			*last = t->timestamp;
	} else {
		*known = false;
		return NULL;
	}
	return find_leak((const uint8_t *)record + 8, t->size - 8, !shared->stacks);
}

/* A record that tells a loss, which is not an event of the session */
static bool is_loss(const struct etw_event_header *h)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return h->flags & ETW_EVENT_KERNEL_MODE && !memcmp(&h->provider, &ledger, sizeof(ledger));
}

static const char *walk(const uint8_t *bytes, const struct etw_buffer_header *b, uint64_t *records)
{
	uint32_t at = sizeof(*b), i;
	int64_t last = INT64_MIN;
	const char *error;
	bool classic;

	while (at < b->offset) {
		const struct etw_event_header *h = (const void *)(bytes + at);

		if (b->offset - at < sizeof(struct etw_message_header) || h->size > b->offset - at ||
		    h->size < sizeof(struct etw_message_header))
			return "record size";
		error = check_classic(h, clock_may_step(b) ? NULL : &last, &classic);
		if (!error && !classic)
			error = h->size < sizeof(*h) ? "record size" :
				check_record(h, clock_may_step(b) ? NULL : &last);
		if (error)
			return error;
		for (i = h->size; i % 8; i++)
			if (bytes[at + i])
				return "padding after a record";
		*records += classic || !is_loss(h);
		at += (h->size + 7) & ~7u;
	}
	return at == b->offset ? NULL : "the last record's end";
}

const char *audit_buffer(const void *buf, uint32_t size, uint64_t *records)
{
	const struct etw_buffer_header *b = buf;
	const uint8_t *bytes = buf;
	const char *error = check_head(b, size);
	uint32_t at;

	if (!error)
		error = walk(bytes, b, records);
	if (error)
		return error;
	for (at = b->offset; at < size; at++)
		if (bytes[at] != ETW_TAIL_BYTE)
			return "a byte after the last record";
	return audit_leak(buf, sizeof(*b));
}
