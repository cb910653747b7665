// SPDX-License-Identifier: MIT
/*
 * names.c - WEVT_TEMPLATE: the lists of names
 *
 * If events use standard things, the lists contain them, too. The provider does not
 * define these: events get the ones that all manifests share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "read.h"

#define CHANNELS_WITH_BITS	16	/* 63 down to 48; further channels have no bits */

void etw_wevt_read_channels(struct etw_wevt_reader *r)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_CHANNELS, 12, ETW_WEVT_CHANNEL_SIZE, &count);
	struct etw_mf_channel *c = etw_wevt_alloc(r, count, sizeof(*c));

	if (!c || !p)
		return;
	r->provider->channels = c;
	r->provider->channel_count = count;
	for (i = 0; i < count; i++, c++, p += ETW_WEVT_CHANNEL_SIZE) {
		c->imported = etw_wevt_u32(p) & ETW_WEVT_IMPORTED;
		c->name = etw_wevt_name_at(r, etw_wevt_u32(p + 4));
		c->id = c->name;
		c->value = (uint8_t)etw_wevt_u32(p + 8);
		c->keyword = i < CHANNELS_WITH_BITS ? 1ull << (63 - i) : 0;
		c->message = etw_wevt_message_of(r, etw_wevt_u32(p + 12));
		etw_wevt_define(r, ETW_WEVT_CHANNELS, p - r->data, c);
	}
}

/*
 * Recognise channels that are standard, not imported, and last in the list: their
 * events do not have the channel's bit.
 */
void etw_wevt_settle_channels(struct etw_wevt_reader *r)
{
	struct etw_mf_provider *p = r->provider;
	struct etw_mf_event *events = (struct etw_mf_event *)p->events;
	unsigned int own = p->channel_count, i;
	uint64_t used = 0;

	if (r->error || !own)
		return;
	for (i = 0; i < p->event_count; i++) {
		if (events[i].channel)
			used |= events[i].desc.Keyword & events[i].channel->keyword;
	}
	while (own) {
		const struct etw_mf_channel *c = &p->channels[own - 1], *standard;

		standard = c->imported ? etw_standard(ETW_PART_CHANNEL, c->value) : NULL;
		if (!standard || strcmp(standard->name, c->name) || used & c->keyword)
			break;
		own--;
	}
	for (i = 0; i < p->event_count; i++) {
		const struct etw_mf_channel *c = events[i].channel;

		/* A channel that no event uses must be imported. */
		if (c && c >= p->channels + own)
			events[i].channel = etw_standard(ETW_PART_CHANNEL, c->value);
		if (events[i].channel)
			events[i].keywords &= ~events[i].channel->keyword;
	}
	p->channel_count = own;
}

/*
 * Read an entry, whose name comes last: object has its value, the message's number is at
 * p + message. False: it is a standard thing.
 */
static bool read_named(struct etw_wevt_reader *r, enum etw_wevt_list list, const uint8_t *p,
		       size_t size, size_t message, const struct etw_mf_named *standard,
		       struct etw_mf_named *object)
{
	object->name = etw_wevt_name_at(r, etw_wevt_u32(p + size - 4));
	if (standard && !strcmp(standard->name, object->name)) {
		etw_wevt_define(r, list, p - r->data, standard);
		return false;
	}
	object->message = etw_wevt_message_of(r, etw_wevt_u32(p + message));
	etw_wevt_define(r, list, p - r->data, object);
	return true;
}

static const struct etw_mf_named *read_list(struct etw_wevt_reader *r, enum etw_wevt_list list,
					    enum etw_part part, size_t size, unsigned int *own)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, list, 12, size, &count);
	struct etw_mf_named *all = etw_wevt_alloc(r, count, sizeof(*all)), *named = all;

	if (!all || !p)
		return NULL;
	for (i = 0; i < count; i++, p += size) {
		named->value = part == ETW_PART_KEYWORD ? etw_wevt_u64(p) : (uint8_t)etw_wevt_u32(p);
		named += read_named(r, list, p, size, size - 8, etw_standard(part, named->value),
				    named);
	}
	*own = named - all;
	return all;
}

void etw_wevt_read_levels(struct etw_wevt_reader *r)
{
	r->provider->levels = read_list(r, ETW_WEVT_LEVELS, ETW_PART_LEVEL, ETW_WEVT_LEVEL_SIZE,
					&r->provider->level_count);
}

void etw_wevt_read_keywords(struct etw_wevt_reader *r)
{
	r->provider->keywords = read_list(r, ETW_WEVT_KEYWORDS, ETW_PART_KEYWORD,
					  ETW_WEVT_KEYWORD_SIZE, &r->provider->keyword_count);
}

void etw_wevt_read_tasks(struct etw_wevt_reader *r)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_TASKS, 12, ETW_WEVT_TASK_SIZE, &count);
	struct etw_mf_task *task = etw_wevt_alloc(r, count, sizeof(*task));

	if (!task || !p)
		return;
	r->provider->tasks = task;
	for (i = 0; i < count; i++, p += ETW_WEVT_TASK_SIZE) {
		task->value = (uint16_t)etw_wevt_u32(p);
		memcpy(&task->event_guid, p + 8, sizeof(GUID));
		if (!read_named(r, ETW_WEVT_TASKS, p, ETW_WEVT_TASK_SIZE, 4,
				etw_standard(ETW_PART_TASK, task->value), &task->named))
			continue;
		etw_names_add(&r->names, &r->provider->tasks, NULL, task->value, task);
		task++;
	}
	r->provider->task_count = task - r->provider->tasks;
}

/*
 * Replace entries' task numbers with owners: 0 is the provider, which owns opcodes
 * without a task or with an undefined task; then the tasks.
 */
static void own_opcodes(struct etw_wevt_reader *r, const uint8_t *p, uint32_t count,
			uint64_t *order)
{
	const struct etw_mf_task *task;
	uint32_t i;

	for (i = 0; i < count; i++, p += ETW_WEVT_OPCODE_SIZE) {
		uint16_t value = etw_wevt_u16(p);

		task = value ? etw_names_find(&r->names, &r->provider->tasks, NULL, value) : NULL;
		order[i] = i;
		if (task)
			order[i] |= (uint64_t)(1 + (task - r->provider->tasks)) << 32;
	}
	qsort(order, count, sizeof(*order), etw_mf_compare_u64);
}

void etw_wevt_read_opcodes(struct etw_wevt_reader *r)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_OPCODES, 12, ETW_WEVT_OPCODE_SIZE, &count);
	struct etw_mf_named *opcode = etw_wevt_alloc(r, count, sizeof(*opcode));
	uint64_t *order = p && opcode ? calloc(count + 1, sizeof(*order)) : NULL;

	if (p && opcode && !order)
		r->error = -ENOMEM;
	if (!order)
		return;
	r->provider->opcodes = opcode;
	own_opcodes(r, p, count, order);
	for (i = 0; i < count && !r->error; i++) {
		const uint8_t *entry = p + (uint32_t)order[i] * ETW_WEVT_OPCODE_SIZE;
		uint32_t owner = order[i] >> 32;
		struct etw_mf_task *task;

		opcode->value = (uint8_t)etw_wevt_u16(entry + 2);
		if (!read_named(r, ETW_WEVT_OPCODES, entry, ETW_WEVT_OPCODE_SIZE, 4, owner ? NULL :
				etw_standard(ETW_PART_OPCODE, opcode->value), opcode))
			continue;
		task = owner ? (struct etw_mf_task *)&r->provider->tasks[owner - 1] : NULL;
		if (task && !task->opcode_count)
			task->opcodes = opcode;
		++*(task ? &task->opcode_count : &r->provider->opcode_count);
		opcode++;
	}
	free(order);
}

void etw_wevt_read_filters(struct etw_wevt_reader *r)
{
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_FILTERS, 16, ETW_WEVT_FILTER_SIZE, &count);
	struct etw_mf_filter *f = etw_wevt_alloc(r, count, sizeof(*f));

	if (!f || !p)
		return;
	r->provider->filters = f;
	r->provider->filter_count = count;
	for (i = 0; i < count; i++, f++, p += ETW_WEVT_FILTER_SIZE) {
		f->value = p[0];
		f->version = p[1];
		f->message = etw_wevt_message_of(r, etw_wevt_u32(p + 4));
		f->name = etw_wevt_name_at(r, etw_wevt_u32(p + 8));
		f->template = etw_wevt_at(r, ETW_WEVT_TEMPLATES, etw_wevt_u32(p + 12));
	}
}

void etw_wevt_read_provider_attributes(struct etw_wevt_reader *r)
{
	struct etw_mf_provider *provider = r->provider;
	uint32_t count, i;
	const uint8_t *p = etw_wevt_list(r, ETW_WEVT_PROVIDER_ATTRIBUTES, 12,
					 ETW_WEVT_ATTRIBUTE_SIZE, &count), *guid;

	for (i = 0; i < count && !r->error; i++, p += ETW_WEVT_ATTRIBUTE_SIZE) {
		uint32_t kind = etw_wevt_u32(p), at = etw_wevt_u32(p + 4);

		if (kind == ETW_WEVT_PROVIDER_NAME) {
			provider->name = etw_wevt_bare_name_at(r, at);
			continue;
		}
		if (kind != ETW_WEVT_CONTROL_GUID && kind != ETW_WEVT_GROUP_GUID)
			continue;
		guid = etw_wevt_bytes(r, at, sizeof(GUID));
		if (!guid)
			return;
		if (kind == ETW_WEVT_CONTROL_GUID) {
			memcpy(&provider->control_guid, guid, sizeof(GUID));
			provider->has_control_guid = true;
		} else {
			memcpy(&provider->group_guid, guid, sizeof(GUID));
			provider->has_traits = true;
		}
	}
}
