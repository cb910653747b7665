/* SPDX-License-Identifier: MIT */
/*
 * by.c - what the rows of etw top stand for
 */
#include <inttypes.h>
#include <string.h>
#include "base/text.h"
#include "by.h"
#include "cli/cli.h"
#include "convert/names.h"

static const struct {
	const char *name, *heading;
} words[] = {
	[BY_PROVIDER] = { "provider", "PROVIDER" },
	[BY_EVENT] = { "event", "EVENT" },
	[BY_PROCESS] = { "process", "PROCESS" },
	[BY_THREAD] = { "thread", "THREAD" },
	[BY_CPU] = { "cpu", "CPU" },
	[BY_LEVEL] = { "level", "LEVEL" },
};

bool by_parse(struct by *by, const char *text, const char **error)
{
	size_t len = strlen(text);
	unsigned int what;

	for (what = 0; what < BY_FIELD; what++) {
		if (strcmp(words[what].name, text))
			continue;
		by->what = what;
		return true;
	}
	if (len > 2 && (*text == '"' || *text == '\'') && text[len - 1] == *text) {
		text++;
		len -= 2;
	}
	*error = !len ? "the name of the field is empty" :
		 len >= sizeof(by->field) ? "the name of the field is too long" : NULL;
	if (*error)
		return false;
	by->what = BY_FIELD;
	memcpy(by->field, text, len);
	by->field[len] = '\0';
	return true;
}

void by_step(struct by *by, int step)
{
	const int count = *by->field ? BY_FIELD + 1 : BY_FIELD;

	by->what = (enum by_what)(((int)by->what + step + count) % count);
}

const char *by_name(const struct by *by)
{
	return by->what == BY_FIELD ? by->field : words[by->what].name;
}

const char *by_heading(const struct by *by)
{
	return by->what == BY_FIELD ? by->field : words[by->what].heading;
}

static void add_provider(const struct by_names *names, const char *provider,
			 const struct etw_guid *guid, struct by_row *row)
{
	if (!provider || !*provider)
		provider = names_get(names->names, guid);
	row->is_named = provider;
	if (provider)
		etw_text_puts(&row->name, provider);
	else
		etw_text_guid(&row->name, guid);
}

void by_row_provider(const struct by_names *names, const struct etw_guid *guid, struct by_row *row)
{
	add_provider(names, NULL, guid, row);
	etw_text_add(&row->key, (const char *)guid, sizeof(*guid));
}

static void add_process(const struct by_names *names, const struct convert_event *e, bool thread,
			struct by_row *row)
{
	const struct etw_event_header *header = e->event->record.header;
	struct etw_process process;

	row->is_named = processes_ask((void *)names->processes, e->record, false, &process);
	if (row->is_named)
		etw_text_printf(&row->name, "%s-", process.name);
	etw_text_printf(&row->name, "%u", header->process_id);
	if (thread)
		etw_text_printf(&row->name, "/%u", header->thread_id);
}

static void add_level(const struct convert_event *e, struct by_row *row)
{
	if (e->decoded->level)
		etw_text_puts(&row->name, e->decoded->level);
	else
		etw_text_printf(&row->name, "%u", e->event->record.header->desc.level);
}

static void add_field(const struct by *by, const struct convert_event *e, struct by_row *row)
{
	/* An empty text is another value than none. */
	if (e->known && convert_add_field(e->decoder, by->field, strlen(by->field), CONVERT_RAW,
					  &row->name) && !row->name.len)
		etw_text_puts(&row->name, "\"\"");
}

/* Cut a name where a character begins; a NUL within would end it. */
static void cut(struct etw_text *text)
{
	size_t len = BY_KEY_MAX;
	char *nul;

	if (text->error)
		cli_die("out of memory");
	if (text->len > len) {
		while (len && ((unsigned char)text->data[len] & 0xC0) == 0x80)
			len--;
		etw_text_cut(text, len);
	}
	while (text->len && (nul = memchr(text->data, '\0', text->len)))
		*nul = ' ';
}

void by_row(const struct by *by, const struct by_names *names, const struct convert_event *e,
	    struct by_row *row)
{
	const struct etw_guid *guid = &e->event->record.header->provider;

	row->is_named = true;
	switch (by->what) {
	case BY_PROVIDER:
	case BY_EVENT:
		add_provider(names, e->decoded->provider, guid, row);
		if (by->what == BY_PROVIDER)
			break;
		etw_text_char(&row->name, '/');
		convert_add_name(e->decoded, CONVERT_RAW, &row->name);
		break;
	case BY_PROCESS:
	case BY_THREAD:
		add_process(names, e, by->what == BY_THREAD, row);
		break;
	case BY_CPU:
		etw_text_printf(&row->name, "%u", e->event->cpu);
		break;
	case BY_LEVEL:
		add_level(e, row);
		break;
	case BY_FIELD:
		add_field(by, e, row);
		break;
	}
	cut(&row->name);
	/* A provider's name may become known late. */
	if (by->what == BY_PROVIDER)
		etw_text_add(&row->key, (const char *)guid, sizeof(*guid));
	else if (row->name.len)
		etw_text_add(&row->key, row->name.data, row->name.len);
}
