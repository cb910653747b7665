/* SPDX-License-Identifier: MIT */
/*
 * find.c - look up the names of a descriptor's parts
 */
#include "model.h"

static const struct etw_mf_named *named(const struct etw_mf_named *list, unsigned int count,
					uint8_t value)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		if (list[i].value == value)
			return &list[i];
	return NULL;
}

static const struct etw_mf_task *own_task(const struct etw_mf_provider *provider, uint16_t value)
{
	unsigned int i;

	for (i = 0; i < provider->task_count; i++)
		if (provider->tasks[i].value == value)
			return &provider->tasks[i];
	return NULL;
}

const struct etw_mf_named *etw_mf_level(const struct etw_mf_provider *provider, uint8_t value)
{
	const struct etw_mf_named *level = named(provider->levels, provider->level_count, value);

	return level ? level : etw_standard_level(value);
}

const struct etw_mf_task *etw_mf_task(const struct etw_mf_provider *provider, uint16_t value)
{
	const struct etw_mf_task *task = own_task(provider, value);

	return task ? task : etw_standard_task(value);
}

const struct etw_mf_named *etw_mf_opcode(const struct etw_mf_provider *provider,
					 uint16_t task, uint8_t value)
{
	const struct etw_mf_task *of = own_task(provider, task);
	const struct etw_mf_named *opcode = NULL;

	if (of)
		opcode = named(of->opcodes, of->opcode_count, value);
	if (!opcode)
		opcode = named(provider->opcodes, provider->opcode_count, value);
	return opcode ? opcode : etw_standard_opcode(value);
}

const struct etw_mf_channel *etw_mf_channel(const struct etw_mf_provider *provider,
					    uint8_t value)
{
	unsigned int i;

	for (i = 0; i < provider->channel_count; i++)
		if (provider->channels[i].value == value)
			return &provider->channels[i];
	return etw_standard_channel(value);
}

const struct etw_mf_keyword *etw_mf_keyword(const struct etw_mf_provider *provider,
					    uint64_t bit)
{
	unsigned int i;

	for (i = 0; i < provider->keyword_count; i++)
		if (provider->keywords[i].mask == bit)
			return &provider->keywords[i];
	return etw_standard_keyword(bit);
}

const struct etw_mf_channel *etw_mf_keyword_channel(const struct etw_mf_provider *provider,
						    uint64_t bit)
{
	unsigned int i;

	for (i = 0; i < provider->channel_count; i++)
		if (provider->channels[i].keyword == bit)
			return &provider->channels[i];
	return NULL;
}

const struct etw_mf_map_entry *etw_mf_map_find(const struct etw_mf_map *map, uint32_t value)
{
	unsigned int low = 0, high = map->by_value_count;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;
		const struct etw_mf_map_entry *entry = &map->entries[map->by_value[middle]];

		if (entry->value == value)
			return entry;
		if (entry->value < value)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
