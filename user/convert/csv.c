/* SPDX-License-Identifier: MIT */
/*
 * csv.c - format "csv": a table as in RFC 4180, with a line of names and one for each event
 *
 * --fields selects the columns.  A name that is not among the columns below is a field of
 * the payload, and fields.NAME always is.  Control characters in text are escaped, so that an
 * event is one line.
 */
#include <errno.h>
#include <string.h>
#include "convert.h"
#include "items.h"
#include "names.h"
#include "base/event_mode.h"
#include "base/guid.h"
#include "base/list.h"
#include "base/text.h"

#define COLUMNS_MAX	256
#define PAYLOAD		"fields."

struct row {
	const struct convert_event *e;
	const EVENT_HEADER *header;
	struct etw_process_table *processes;	/* or NULL */
	struct etw_text *to;		/* the cell, without quotes */
	struct etw_text *scratch;
};

struct column {
	void (*add)(const struct row *row);	/* NULL: a field */
	const char *name;
	size_t len;
	bool seen;				/* an event had such a field */
};

struct csv {
	struct column columns[COLUMNS_MAX];
	unsigned int count;
	bool any;				/* there was an event */
	struct etw_text out, cell, scratch;
};

/* -------------------------------------------------------------------- cells */

static void add_safe(struct etw_text *to, const char *s)
{
	if (s)
		etw_text_safe(to, s, strlen(s));
}

static void add_time(const struct row *row)
{
	etw_text_time(row->to, (uint64_t)row->e->event->time);
}

static void add_timestamp(const struct row *row)
{
	etw_text_signed(row->to, row->e->event->record.header->timestamp);
}

static void add_source(const struct row *row)
{
	etw_text_unsigned(row->to, row->e->source, 1);
}

static void add_provider(const struct row *row)
{
	etw_text_guid(row->to, &row->header->ProviderId);
}

static void add_provider_name(const struct row *row)
{
	add_safe(row->to, row->e->decoded->provider);
}

static void add_event(const struct row *row)
{
	row->scratch->len = 0;
	convert_add_name(row->e->decoded, CONVERT_RAW, row->scratch);
	if (!row->scratch->error)
		etw_text_safe(row->to, row->scratch->data, row->scratch->len);
}

#define NUMBER(of, value)						\
	static void add_##of(const struct row *row)			\
	{								\
		etw_text_unsigned(row->to, value, 1);			\
	}

NUMBER(id, row->header->EventDescriptor.Id)
NUMBER(version, row->header->EventDescriptor.Version)
NUMBER(channel, row->header->EventDescriptor.Channel)
NUMBER(level, row->header->EventDescriptor.Level)
NUMBER(opcode, row->header->EventDescriptor.Opcode)
NUMBER(task, row->header->EventDescriptor.Task)
NUMBER(pid, row->header->ProcessId)
NUMBER(tid, row->header->ThreadId)
NUMBER(cpu, row->e->event->cpu)

static void add_mode(const struct row *row)
{
	add_safe(row->to, etw_event_mode(row->header->Flags));
}

static void add_keyword(const struct row *row)
{
	etw_text_0x(row->to, row->header->EventDescriptor.Keyword);
}

static void add_activity(const struct row *row)
{
	if (!etw_guid_is_zero(&row->e->event->record.header->activity))
		etw_text_guid(row->to, &row->header->ActivityId);
}

static void add_related(const struct row *row)
{
	const GUID *related = convert_related(row->e->record);

	if (related)
		etw_text_guid(row->to, related);
}

/* One JSON object, or nothing */
static void add_items(const struct row *row)
{
	size_t before = row->to->len;

	etw_text_char(row->to, '{');
	items_json(row->to, &row->e->event->record, false);
	etw_text_char(row->to, '}');
	if (row->to->len == before + 2)
		etw_text_cut(row->to, before);
}

/* The message, without line breaks */
static void add_message(const struct row *row)
{
	row->scratch->len = 0;
	if (etw_format_message(row->scratch, row->e->decoder) && !row->scratch->error)
		etw_text_safe(row->to, row->scratch->data, row->scratch->len);
}

static void add_data(const struct row *row)
{
	etw_text_hex(row->to, row->e->record->UserData, row->e->record->UserDataLength);
}

/* Bytes that belong to no field: all of an event without a schema */
static void add_rest(const struct row *row)
{
	struct etw_field field;
	const void *rest;
	size_t left;

	etw_decode_rewind(row->e->decoder);
	while (row->e->known && etw_decode_next(row->e->decoder, &field) == 1)
		;
	rest = etw_decode_rest(row->e->decoder, &left);
	etw_text_hex(row->to, rest, left);
}

/* One JSON object, or nothing for an event without a schema */
static void add_fields(const struct row *row)
{
	if (!row->e->known)
		return;
	etw_decode_rewind(row->e->decoder);
	etw_format_json(row->to, row->e->decoder);
}

/* Find the process that wrote the event, or its parent. */
static bool find_process(const struct row *row, bool parent, struct etw_process *process)
{
	const struct convert_event *e = row->e;
	const uint64_t *key = NULL;
	uint64_t number;
	const void *item = items_find(&e->event->record, ETW_EXT_PROCESS_START_KEY, sizeof(number));

	if (!row->processes)
		return false;
	if (item)
		key = memcpy(&number, item, sizeof(number));
	return parent ? etw_process_find_parent(row->processes, row->header->ProcessId,
						e->event->time, key, process) :
			etw_process_find(row->processes, row->header->ProcessId, e->event->time,
					 key, process);
}

static void add_process(const struct row *row)
{
	struct etw_process process;

	if (find_process(row, false, &process))
		add_safe(row->to, process.name);
}

static void add_process_path(const struct row *row)
{
	struct etw_process process;

	if (find_process(row, false, &process))
		add_safe(row->to, process.path);
}

static void add_process_parent(const struct row *row)
{
	struct etw_process process;

	if (find_process(row, true, &process))
		add_safe(row->to, process.name);
}

static void add_type(const struct row *row)
{
	etw_text_puts(row->to, row->e->loss ? "loss" : "event");
}

static const struct {
	const char *name;
	void (*add)(const struct row *row);
	bool usual;		/* without --fields */
} known_columns[] = {
	{ "time", add_time, true },
	{ "timestamp", add_timestamp, true },
	{ "cpu", add_cpu, true },
	{ "pid", add_pid, true },
	{ "tid", add_tid, true },
	{ "provider", add_provider, true },
	{ "provider_name", add_provider_name, true },
	{ "event", add_event, true },
	{ "id", add_id, true },
	{ "version", add_version, true },
	{ "channel", add_channel, true },
	{ "level", add_level, true },
	{ "opcode", add_opcode, true },
	{ "task", add_task, true },
	{ "keyword", add_keyword, true },
	{ "activity", add_activity, true },
	{ "related", add_related, true },
	{ "fields", add_fields, true },
	{ "rest", add_rest, true },
	{ "items", add_items, true },
	{ "type", add_type, true },
	{ "process", add_process, true },
	{ "process_path", add_process_path, false },
	{ "process_parent", add_process_parent, false },
	{ "data", add_data, false },
	{ "message", add_message, false },
	{ "source", add_source, false },
	{ "mode", add_mode, false },
};

#define KNOWN	(sizeof(known_columns) / sizeof(known_columns[0]))

/* ------------------------------------------------------------------ columns */

static int add_column(struct convert *c, const char *name, size_t len)
{
	struct csv *csv = c->state;
	struct column *column = &csv->columns[csv->count];
	size_t i;

	if (csv->count == COLUMNS_MAX)
		return convert_fail(c, -EINVAL, "--fields: more than %d columns", COLUMNS_MAX);
	csv->count++;
	column->name = name;
	column->len = len;
	for (i = 0; i < KNOWN; i++) {
		if (strlen(known_columns[i].name) == len &&
		    !memcmp(known_columns[i].name, name, len)) {
			column->add = known_columns[i].add;
			return 0;
		}
	}
	if (len > strlen(PAYLOAD) && !memcmp(name, PAYLOAD, strlen(PAYLOAD))) {
		column->name += strlen(PAYLOAD);
		column->len -= strlen(PAYLOAD);
	}
	return 0;
}

static int choose_columns(struct convert *c)
{
	const char *at = c->fields, *name;
	size_t i, len;
	int ret, err;

	for (i = 0; !at && i < KNOWN; i++)
		if (known_columns[i].usual)
			add_column(c, known_columns[i].name, strlen(known_columns[i].name));
	while ((ret = etw_list_next(&at, ",", &name, &len)) == 1) {
		err = add_column(c, name, len);
		if (err)
			return err;
	}
	return ret ? convert_fail(c, ret, "--fields: \"%s\": the list has an empty part", c->fields) : 0;
}

/* Put a cell, in quotes if it needs them. */
static void add_cell(struct etw_text *to, const char *s, size_t len)
{
	const char *end = s + len, *quote;

	if (!memchr(s, '"', len) && !memchr(s, ',', len) && !memchr(s, '\n', len) &&
	    !memchr(s, '\r', len)) {
		etw_text_add(to, s, len);
		return;
	}
	etw_text_char(to, '"');
	while ((quote = memchr(s, '"', (size_t)(end - s)))) {
		etw_text_add(to, s, (size_t)(quote - s) + 1);
		etw_text_char(to, '"');
		s = quote + 1;
	}
	etw_text_add(to, s, (size_t)(end - s));
	etw_text_char(to, '"');
}

static int csv_open(struct convert *c)
{
	struct csv *csv = c->state;
	unsigned int i;
	int err = choose_columns(c);

	if (err)
		return err;
	for (i = 0; i < csv->count; i++) {
		if (i)
			etw_text_char(&csv->out, ',');
		add_cell(&csv->out, csv->columns[i].name, csv->columns[i].len);
	}
	etw_text_puts(&csv->out, "\r\n");
	return convert_flush(c, &csv->out, CONVERT_BLOCK);
}

static void add_field(struct csv *csv, struct column *column, const struct row *row)
{
	struct etw_text *value = &csv->scratch;

	value->len = 0;
	if (!row->e->known || !convert_add_field(row->e->decoder, column->name, column->len,
						 CONVERT_RAW, value))
		return;
	column->seen = true;
	if (!value->error)
		etw_text_safe(&csv->cell, value->data ? value->data : "", value->len);
}

static int csv_event(struct convert *c, const struct convert_event *e)
{
	struct csv *csv = c->state;
	struct row row = { e, &e->record->EventHeader, c->processes, &csv->cell, &csv->scratch };
	unsigned int i;

	csv->any = true;
	for (i = 0; i < csv->count; i++) {
		csv->cell.len = 0;
		if (csv->columns[i].add)
			csv->columns[i].add(&row);
		else
			add_field(csv, &csv->columns[i], &row);
		if (i)
			etw_text_char(&csv->out, ',');
		if (csv->cell.len)
			add_cell(&csv->out, csv->cell.data, csv->cell.len);
	}
	etw_text_puts(&csv->out, "\r\n");
	if (csv->cell.error || csv->scratch.error)
		return convert_no_memory(c);
	return convert_flush(c, &csv->out, CONVERT_BLOCK);
}

/* Report columns that no event had: they are most likely misspelt. */
static void report_unseen(struct convert *c, struct csv *csv)
{
	unsigned int i;

	for (i = 0; i < csv->count; i++) {
		const struct column *column = &csv->columns[i];

		if (column->add || column->seen)
			continue;
		csv->cell.len = 0;
		etw_text_safe(&csv->cell, column->name, column->len);
		if (!csv->cell.error)
			convert_note(c, "--fields: no event had a field %s", csv->cell.data);
	}
}

static int csv_close(struct convert *c, bool ok)
{
	struct csv *csv = c->state;
	int err = ok ? convert_flush(c, &csv->out, 0) : 0;

	if (ok && !err && csv->any)
		report_unseen(c, csv);
	etw_text_free(&csv->out);
	etw_text_free(&csv->cell);
	etw_text_free(&csv->scratch);
	return err;
}

const struct convert_format convert_csv = {
	.name = "csv",
	.suffix = ".csv",
	.help = "a table (RFC 4180): what --fields names, or all",
	.fields = true,
	.size = sizeof(struct csv),
	.open = csv_open,
	.event = csv_event,
	.close = csv_close,
};
