/* SPDX-License-Identifier: MIT */
/*
 * field.c - the keywords, levels, channels, tasks and opcodes of a provider
 */
#include <string.h>

#include "tdh/store/store.h"
#include "use.h"
#include "base/bytes.h"

struct item {
	const char *name;
	const struct etw_mf_message *message;
	uint64_t value;
};

struct items {
	const struct etw_mf_provider *provider;
	EVENT_FIELD_TYPE type;
	struct etw_bytes list;	/* of struct item */
};

static void add(struct items *to, const char *name, const struct etw_mf_message *message,
		uint64_t value)
{
	const struct item item = { name, message, value };

	etw_bytes_put(&to->list, &item, sizeof(item));
}

/* TDH's value of an opcode that belongs to a task, or to none (0) */
static uint64_t opcode_value(uint16_t task, uint8_t opcode)
{
	return (uint64_t)opcode << 16 | task;
}

static void add_named(struct items *to, const struct etw_mf_named *named, uint64_t value)
{
	if (named)
		add(to, named->name, named->message, value);
}

/* ------------------------------------------------------------------------ all */

static void all_keywords(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	const struct etw_mf_keyword *keyword;
	uint64_t used = 0, own = 0, bit;
	unsigned int i;

	for (i = 0; i < p->keyword_count; i++) {
		add(to, p->keywords[i].name, p->keywords[i].message, p->keywords[i].mask);
		own |= p->keywords[i].mask;
	}
	for (i = 0; i < p->event_count; i++)
		used |= p->events[i].keywords;
	for (bit = 1; bit; bit <<= 1) {
		keyword = used & ~own & bit ? etw_standard_keyword(bit) : NULL;
		if (keyword)
			add(to, keyword->name, keyword->message, bit);
	}
	for (i = 0; i < p->channel_count; i++)
		if (p->channels[i].keyword)
			add(to, p->channels[i].name, p->channels[i].message,
			    p->channels[i].keyword);
}

static void all_levels(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	bool used[256] = { false };
	unsigned int i;

	for (i = 0; i < p->event_count; i++)
		used[p->events[i].desc.Level] = true;
	for (i = 0; i < p->level_count; i++) {
		add_named(to, &p->levels[i], p->levels[i].value);
		used[p->levels[i].value] = false;
	}
	for (i = 1; i < 256; i++)
		if (used[i])
			add_named(to, etw_standard_level((uint8_t)i), i);
}

static void all_channels(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	unsigned int i;

	for (i = 0; i < p->channel_count; i++)
		add(to, p->channels[i].name, p->channels[i].message, p->channels[i].value);
}

static void all_tasks(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	unsigned int i;

	for (i = 0; i < p->task_count; i++)
		add(to, p->tasks[i].name, p->tasks[i].message, p->tasks[i].value);
}

static void all_opcodes(struct items *to)
{
	const struct etw_mf_provider *p = to->provider;
	bool used[256] = { false };
	unsigned int i, j;

	for (i = 0; i < p->event_count; i++)
		used[p->events[i].desc.Opcode] = true;
	for (i = 0; i < p->opcode_count; i++) {
		add_named(to, &p->opcodes[i], opcode_value(0, p->opcodes[i].value));
		used[p->opcodes[i].value] = false;
	}
	for (i = 0; i < p->task_count; i++)
		for (j = 0; j < p->tasks[i].opcode_count; j++)
			add_named(to, &p->tasks[i].opcodes[j],
				  opcode_value(p->tasks[i].value, p->tasks[i].opcodes[j].value));
	for (i = 1; i < 256; i++)
		if (used[i])
			add_named(to, etw_standard_opcode((uint8_t)i),
				  opcode_value(0, (uint8_t)i));
}

static void add_all(struct items *to)
{
	static void (*const all[])(struct items *to) = {
		[EventKeywordInformation] = all_keywords, [EventLevelInformation] = all_levels,
		[EventChannelInformation] = all_channels, [EventTaskInformation] = all_tasks,
		[EventOpcodeInformation] = all_opcodes,
	};

	all[to->type](to);
}

/* ------------------------------------------------------------------------ one */

static void one_keyword(struct items *to, uint64_t mask)
{
	const struct etw_mf_channel *channel;
	const struct etw_mf_keyword *keyword;
	uint64_t bit;

	for (bit = 1; bit; bit <<= 1) {
		if (!(mask & bit))
			continue;
		channel = etw_mf_keyword_channel(to->provider, bit);
		keyword = channel ? NULL : etw_mf_keyword(to->provider, bit);
		if (channel)
			add(to, channel->name, channel->message, bit);
		else if (keyword)
			add(to, keyword->name, keyword->message, bit);
	}
}

static void add_value(struct items *to, uint64_t value)
{
	const struct etw_mf_provider *p = to->provider;
	const struct etw_mf_channel *channel;
	const struct etw_mf_task *task;

	switch (to->type) {
	case EventKeywordInformation:
		one_keyword(to, value);
		break;
	case EventLevelInformation:
		if (value <= UINT8_MAX)
			add_named(to, etw_mf_level(p, (uint8_t)value), value);
		break;
	case EventChannelInformation:
		channel = value <= UINT8_MAX ? etw_mf_channel(p, (uint8_t)value) : NULL;
		if (channel)
			add(to, channel->name, channel->message, value);
		break;
	case EventTaskInformation:
		task = value <= UINT16_MAX ? etw_mf_task(p, (uint16_t)value) : NULL;
		if (task)
			add(to, task->name, task->message, value);
		break;
	default:
		if (value <= 0xFFFFFF)
			add_named(to, etw_mf_opcode(p, (uint16_t)value, (uint8_t)(value >> 16)),
				  value);
	}
}

/* ---------------------------------------------------------------------- blocks */

static void build(struct etw_block *block, void *context)
{
	const size_t head = offsetof(PROVIDER_FIELD_INFOARRAY, FieldInfoArray);
	const struct items *items = context;
	const struct item *item = (const void *)items->list.data;
	const size_t count = items->list.len / sizeof(*item);
	PROVIDER_FIELD_INFOARRAY info;
	PROVIDER_FIELD_INFO one;
	size_t at, i;

	memset(&info, 0, sizeof(info));
	info.NumberOfElements = (ULONG)count;
	info.FieldType = items->type;
	at = etw_block_reserve(block, head + count * sizeof(one));
	etw_block_put(block, at, &info, head);
	for (i = 0; i < count; i++, item++) {
		memset(&one, 0, sizeof(one));
		one.NameOffset = etw_block_string(block, item->name);
		one.DescriptionOffset = etw_block_string(block,
			etw_mf_text(items->provider->manifest, item->message));
		one.Value = item->value;
		etw_block_put(block, at + head + i * sizeof(one), &one, sizeof(one));
	}
}

/* value: NULL for all. */
static ULONG information(LPGUID guid, EVENT_FIELD_TYPE type, const uint64_t *value,
			 void *buffer, ULONG *size)
{
	struct items items = { .type = type };
	struct etw_manifest *manifest;
	ULONG ret = ERROR_NOT_FOUND;

	if (!guid || !size || (*size && !buffer))
		return ERROR_INVALID_PARAMETER;
	if ((unsigned int)type >= EventInformationMax)
		return ERROR_NOT_SUPPORTED;
	items.provider = etw_store_find(guid, &manifest);
	if (!items.provider)
		return ERROR_NOT_FOUND;
	if (value)
		add_value(&items, *value);
	else
		add_all(&items);
	if (items.list.error)
		ret = ERROR_NOT_ENOUGH_MEMORY;
	else if (items.list.len)
		ret = etw_block_make(build, &items, buffer, size);
	etw_bytes_free(&items.list);
	etw_manifest_put(manifest);
	return ret;
}

TDHSTATUS TdhEnumerateProviderFieldInformation(LPGUID pGuid, EVENT_FIELD_TYPE EventFieldType,
					       PPROVIDER_FIELD_INFOARRAY pBuffer,
					       ULONG *pBufferSize)
{
	return information(pGuid, EventFieldType, NULL, pBuffer, pBufferSize);
}

TDHSTATUS TdhQueryProviderFieldInformation(LPGUID pGuid, ULONGLONG EventFieldValue,
					   EVENT_FIELD_TYPE EventFieldType,
					   PPROVIDER_FIELD_INFOARRAY pBuffer,
					   ULONG *pBufferSize)
{
	const uint64_t value = EventFieldValue;

	return information(pGuid, EventFieldType, &value, pBuffer, pBufferSize);
}
