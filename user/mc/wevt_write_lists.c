// SPDX-License-Identifier: MIT
/*
 * wevt_write_lists.c - WEVT_TEMPLATE: the lists of names
 */
#include <stdlib.h>
#include <string.h>

#include "wevt_write.h"
#include "tdh/wevt/format.h"

void etw_wevt_channels(struct etw_wevt_writer *w)
{
	unsigned int i;

	etw_wevt_list_begin(w, "CHAN", w->used.channel_count, 12, ETW_WEVT_CHANNEL_SIZE);
	for (i = 0; i < w->used.channel_count; i++) {
		const struct etw_mf_channel *c = w->used.channels[i];
		bool imported = c->imported || i >= w->used.channel_own;

		etw_wevt_place(w, c, etw_wevt_here(w));
		etw_bytes_put32(w->out, imported ? ETW_WEVT_IMPORTED : 0);
		etw_bytes_put32(w->out, etw_wevt_name(w, c->name));
		etw_bytes_put32(w->out, c->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, etw_references_channel_message(c)));
	}
	etw_wevt_list_end(w);
}

void etw_wevt_levels(struct etw_wevt_writer *w)
{
	unsigned int count = w->used.level_count, i;
	struct etw_sorted *sorted = etw_wevt_sorted(w, count);

	if (!sorted)
		return;
	for (i = 0; i < count; i++)
		sorted[i].key = w->used.levels[i]->value;
	etw_wevt_sort(sorted, count);
	etw_wevt_list_begin(w, "LEVL", count, 12, ETW_WEVT_LEVEL_SIZE);
	for (i = 0; i < count; i++) {
		const struct etw_mf_named *level = w->used.levels[sorted[i].index];

		etw_wevt_place(w, level, etw_wevt_here(w));
		etw_bytes_put32(w->out, level->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, level->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, level->name));
	}
	etw_wevt_list_end_or_none(w, count);
	free(sorted);
}

static uint16_t task_of(const struct etw_references_opcode *opcode)
{
	return opcode->task ? opcode->task->value : 0;
}

/* Opcodes by value, then by task. */
void etw_wevt_opcodes(struct etw_wevt_writer *w)
{
	unsigned int count = w->used.opcode_count, i;
	struct etw_sorted *sorted = etw_wevt_sorted(w, count);

	if (!sorted)
		return;
	for (i = 0; i < count; i++)
		sorted[i].key = (uint32_t)w->used.opcodes[i].opcode->value << 16 |
				task_of(&w->used.opcodes[i]);
	etw_wevt_sort(sorted, count);
	etw_wevt_list_begin(w, "OPCO", count, 12, ETW_WEVT_OPCODE_SIZE);
	for (i = 0; i < count; i++) {
		const struct etw_references_opcode *o = &w->used.opcodes[sorted[i].index];

		etw_wevt_place(w, o->opcode, etw_wevt_here(w));
		etw_bytes_put16(w->out, task_of(o));
		etw_bytes_put16(w->out, o->opcode->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, o->opcode->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, o->opcode->name));
	}
	etw_wevt_list_end_or_none(w, count);
	free(sorted);
}

void etw_wevt_tasks(struct etw_wevt_writer *w)
{
	unsigned int i;

	etw_wevt_list_begin(w, "TASK", w->used.task_count, 12, ETW_WEVT_TASK_SIZE);
	for (i = 0; i < w->used.task_count; i++) {
		const struct etw_mf_task *task = w->used.tasks[i];

		etw_wevt_place(w, task, etw_wevt_here(w));
		etw_bytes_put32(w->out, task->value);
		etw_bytes_put32(w->out, etw_wevt_message(w, task->message));
		etw_bytes_put(w->out, &task->event_guid, sizeof(task->event_guid));
		etw_bytes_put32(w->out, etw_wevt_name(w, task->name));
	}
	etw_wevt_list_end_or_none(w, w->used.task_count);
}

void etw_wevt_keywords(struct etw_wevt_writer *w)
{
	unsigned int count = w->used.keyword_count, i;
	struct etw_sorted *sorted = etw_wevt_sorted(w, count);

	if (!sorted)
		return;
	for (i = 0; i < count; i++)
		sorted[i].key = w->used.keywords[i]->mask;
	etw_wevt_sort(sorted, count);
	etw_wevt_list_begin(w, "KEYW", count, 12, ETW_WEVT_KEYWORD_SIZE);
	for (i = 0; i < count; i++) {
		const struct etw_mf_keyword *keyword = w->used.keywords[sorted[i].index];

		etw_wevt_place(w, keyword, etw_wevt_here(w));
		etw_bytes_put64(w->out, keyword->mask);
		etw_bytes_put32(w->out, etw_wevt_message(w, keyword->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, keyword->name));
	}
	etw_wevt_list_end_or_none(w, count);
	free(sorted);
}

/* mc.exe leaves an uninitialized header word, the offset of the last template: write it, too. */
void etw_wevt_filters(struct etw_wevt_writer *w)
{
	const struct etw_mf_provider *p = w->provider;
	const struct etw_mf_filter *last = &p->filters[p->filter_count - 1];
	unsigned int i;

	etw_wevt_list_begin(w, "FLTR", p->filter_count, 16, ETW_WEVT_FILTER_SIZE);
	etw_bytes_set32(w->out, w->list + 12, etw_wevt_place_of(w, last->template));
	for (i = 0; i < p->filter_count; i++) {
		const struct etw_mf_filter *f = &p->filters[i];

		etw_bytes_put8(w->out, f->value);
		etw_bytes_put8(w->out, f->version);
		etw_bytes_put16(w->out, 0);
		etw_bytes_put32(w->out, etw_wevt_message(w, f->message));
		etw_bytes_put32(w->out, etw_wevt_name(w, f->name));
		etw_bytes_put32(w->out, etw_wevt_place_of(w, f->template));
	}
	etw_wevt_list_end(w);
}

static void provider_guid(struct etw_wevt_writer *w, uint32_t kind, const GUID *guid)
{
	etw_bytes_zero_to(&w->names, (w->names.len + 3) / 4 * 4);
	etw_bytes_put32(w->out, kind);
	etw_bytes_put32(w->out, w->names_at - w->begin + w->names.len);
	etw_bytes_put(&w->names, guid, sizeof(*guid));
}

void etw_wevt_provider_attributes(struct etw_wevt_writer *w)
{
	static const GUID none;
	const struct etw_mf_provider *p = w->provider;
	bool group = memcmp(&p->group_guid, &none, sizeof(none));

	etw_wevt_list_begin(w, "PRVA", 1 + p->has_control_guid + group, 12,
			    ETW_WEVT_ATTRIBUTE_SIZE);
	etw_bytes_put32(w->out, ETW_WEVT_PROVIDER_NAME);
	etw_bytes_put32(w->out, etw_wevt_bare_name(w, p->name));
	if (p->has_control_guid)
		provider_guid(w, ETW_WEVT_CONTROL_GUID, &p->control_guid);
	if (group)
		provider_guid(w, ETW_WEVT_GROUP_GUID, &p->group_guid);
	etw_bytes_zero_to(&w->names, (w->names.len + 3) / 4 * 4);
	etw_wevt_list_end(w);
}
