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
#include "items_stack.h"
#include "names.h"
#include "base/event_mode.h"
#include "base/guid.h"
#include "base/list.h"
#include "base/text.h"
#include "tdh/decode/decoder.h"

#define COLUMNS_MAX	256
#define PAYLOAD		"fields."

struct row {
	const struct convert_event *e;
	const EVENT_HEADER *header;
	struct etw_process_table *processes;	/* or NULL */
	struct symbolizer *symbolizer;		/* for whole stacks, or NULL */
	struct etw_text_second *second;
	struct etw_text *to;		/* the cell, without quotes */
	struct etw_text *scratch;
	bool at_rest;			/* the decoder has passed all fields */
};

enum column_kind {
	COLUMN_TEXT,		/* may need quotes */
	COLUMN_PLAIN,		/* never needs quotes */
	COLUMN_SHARED,		/* may need quotes; the same for all events of one kind ... */
	COLUMN_SHARED_PLAIN,	/* ... never needs quotes */
};

struct column {
	void (*add)(struct row *row);		/* NULL: a field */
	const char *name;
	size_t len;
	enum column_kind kind;
	bool seen;				/* an event had such a field */
};

struct csv {
	struct column columns[COLUMNS_MAX];
	unsigned int count;
	/* The longest run of shared columns, which is prepared for each kind of events */
	unsigned int shared, shared_count;
	bool any;				/* there was an event */
	struct etw_text out, cell, scratch;
	struct etw_text_second second;
};

/* -------------------------------------------------------------------- cells */

static void add_safe(struct etw_text *to, const char *s)
{
	if (s)
		etw_text_safe(to, s, strlen(s));
}

static void add_time(struct row *row)
{
	etw_text_time_near(row->to, (uint64_t)row->e->event->time, row->second);
}

static void add_timestamp(struct row *row)
{
	etw_text_signed(row->to, row->e->event->record.header->timestamp);
}

static void add_source(struct row *row)
{
	etw_text_unsigned(row->to, row->e->source, 1);
}

static void add_provider(struct row *row)
{
	etw_text_guid(row->to, &row->header->ProviderId);
}

static void add_provider_name(struct row *row)
{
	add_safe(row->to, row->e->decoded->provider);
}

static void add_event(struct row *row)
{
	row->scratch->len = 0;
	convert_add_name(row->e->decoded, CONVERT_RAW, row->scratch);
	if (!row->scratch->error)
		etw_text_safe(row->to, row->scratch->data, row->scratch->len);
}

#define NUMBER(of, value)						\
	static void add_##of(struct row *row)			\
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

static void add_mode(struct row *row)
{
	add_safe(row->to, etw_event_mode(row->header->Flags));
}

static void add_keyword(struct row *row)
{
	etw_text_0x(row->to, row->header->EventDescriptor.Keyword);
}

static void add_activity(struct row *row)
{
	if (!etw_guid_is_zero(&row->e->event->record.header->activity))
		etw_text_guid(row->to, &row->header->ActivityId);
}

static void add_related(struct row *row)
{
	const GUID *related = convert_related(row->e->record);

	if (related)
		etw_text_guid(row->to, related);
}

/* One JSON object, or nothing */
static void add_items(struct row *row)
{
	size_t before = row->to->len;

	if (!etw_decoder_has_items(row->e->decoder))
		return;
	etw_text_char(row->to, '{');
	items_json(row->to, &row->e->event->record, row->symbolizer ? ITEMS_NO_STACK : 0);
	if (row->symbolizer)
		items_stack_json(row->to, row->symbolizer, row->e->event);
	etw_text_char(row->to, '}');
	if (row->to->len == before + 2)
		etw_text_cut(row->to, before);
}

/* The message, without line breaks */
static void add_message(struct row *row)
{
	row->scratch->len = 0;
	if (etw_format_message(row->scratch, row->e->decoder) && !row->scratch->error)
		etw_text_safe(row->to, row->scratch->data, row->scratch->len);
}

static void add_data(struct row *row)
{
	etw_text_hex(row->to, row->e->record->UserData, row->e->record->UserDataLength);
}

/* Bytes that belong to no field: all of an event without a schema */
static void add_rest(struct row *row)
{
	struct etw_field field;
	const void *rest;
	size_t left;

	if (!row->at_rest)
		etw_decode_rewind(row->e->decoder);
	while (!row->at_rest && row->e->known && etw_decode_next(row->e->decoder, &field) == 1)
		;
	rest = etw_decode_rest(row->e->decoder, &left);
	etw_text_hex(row->to, rest, left);
}

/* One JSON object, or nothing for an event without a schema */
static void add_fields(struct row *row)
{
	if (!row->e->known)
		return;
	etw_decode_rewind(row->e->decoder);
	row->at_rest = !etw_format_json(row->to, row->e->decoder);
}

/* Find the process that wrote the event, or its parent. */
static bool find_process(const struct row *row, bool parent, struct etw_process *process)
{
	const struct convert_event *e = row->e;
	const uint64_t *key = NULL;
	uint64_t number;
	const void *item;

	if (!row->processes)
		return false;
	item = etw_decoder_own_items(e->decoder) ?
		items_find(&e->event->record, ETW_EXT_PROCESS_START_KEY, sizeof(number)) : NULL;
	if (item)
		key = memcpy(&number, item, sizeof(number));
	return parent ? etw_process_find_parent(row->processes, row->header->ProcessId,
						e->event->time, key, process) :
			etw_process_find(row->processes, row->header->ProcessId, e->event->time,
					 key, process);
}

static void add_process(struct row *row)
{
	struct etw_process process;

	if (find_process(row, false, &process))
		add_safe(row->to, process.name);
}

static void add_process_path(struct row *row)
{
	struct etw_process process;

	if (find_process(row, false, &process))
		add_safe(row->to, process.path);
}

static void add_process_parent(struct row *row)
{
	struct etw_process process;

	if (find_process(row, true, &process))
		add_safe(row->to, process.name);
}

static void add_type(struct row *row)
{
	etw_text_puts(row->to, row->e->loss ? "loss" : "event");
}

static const struct {
	const char *name;
	void (*add)(struct row *row);
	enum column_kind kind;
	bool usual;		/* without --fields */
} known_columns[] = {
	{ "time", add_time, COLUMN_PLAIN, true },
	{ "timestamp", add_timestamp, COLUMN_PLAIN, true },
	{ "cpu", add_cpu, COLUMN_PLAIN, true },
	{ "pid", add_pid, COLUMN_PLAIN, true },
	{ "tid", add_tid, COLUMN_PLAIN, true },
	{ "provider", add_provider, COLUMN_SHARED_PLAIN, true },
	{ "provider_name", add_provider_name, COLUMN_SHARED, true },
	{ "event", add_event, COLUMN_SHARED, true },
	{ "id", add_id, COLUMN_SHARED_PLAIN, true },
	{ "version", add_version, COLUMN_SHARED_PLAIN, true },
	{ "channel", add_channel, COLUMN_SHARED_PLAIN, true },
	{ "level", add_level, COLUMN_SHARED_PLAIN, true },
	{ "opcode", add_opcode, COLUMN_SHARED_PLAIN, true },
	{ "task", add_task, COLUMN_SHARED_PLAIN, true },
	{ "keyword", add_keyword, COLUMN_SHARED_PLAIN, true },
	{ "activity", add_activity, COLUMN_PLAIN, true },
	{ "related", add_related, COLUMN_PLAIN, true },
	{ "fields", add_fields, COLUMN_TEXT, true },
	{ "rest", add_rest, COLUMN_PLAIN, true },
	{ "items", add_items, COLUMN_TEXT, true },
	{ "type", add_type, COLUMN_PLAIN, true },
	{ "process", add_process, COLUMN_TEXT, true },
	{ "process_path", add_process_path, COLUMN_TEXT, false },
	{ "process_parent", add_process_parent, COLUMN_TEXT, false },
	{ "data", add_data, COLUMN_PLAIN, false },
	{ "message", add_message, COLUMN_TEXT, false },
	{ "source", add_source, COLUMN_PLAIN, false },
	{ "mode", add_mode, COLUMN_SHARED_PLAIN, false },
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
			column->kind = known_columns[i].kind;
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

/* Does one of these bytes need the cell to be in quotes? */
static inline bool is_special(char c)
{
	return c == '"' || c == ',' || c == '\n' || c == '\r';
}

#define EACH(byte)	(0x0101010101010101u * (byte))

/* Copy, doubling quotes, a word at a time: the room at to is a word larger than needed. */
static char *double_quotes(char *to, const char *s, size_t len)
{
	const char *end = s + len;
	uint64_t word, found;
	size_t n;

	while (end - s >= (ptrdiff_t)sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		memcpy(to, &word, sizeof(word));
		word ^= EACH('"');
		/* The lowest of these bits is that of the first quote. */
		found = (word - EACH(1)) & ~word & EACH(0x80);
		n = found ? (size_t)__builtin_ctzll(found) / 8 + 1 : sizeof(word);
		s += n;
		to += n;
		if (found)
			*to++ = '"';
	}
	for (; s < end; s++) {
		*to++ = *s;
		if (*s == '"')
			*to++ = '"';
	}
	return to;
}

/* Put a cell in quotes if it needs them; quotes inside are doubled. */
static void add_cell(struct etw_text *to, const char *s, size_t len)
{
	char *at = etw_text_room(to, 2 * len + 2 + sizeof(uint64_t));
	size_t i;

	if (!at)
		return;
	for (i = 0; i < len && !is_special(s[i]); i++)
		at[i] = s[i];
	if (i == len) {
		etw_text_end(to, at + len);
		return;
	}
	*at++ = '"';
	at = double_quotes(at, s, len);
	*at++ = '"';
	etw_text_end(to, at);
}

static bool is_shared(const struct column *column)
{
	return column->kind == COLUMN_SHARED || column->kind == COLUMN_SHARED_PLAIN;
}

static void find_shared(struct csv *csv)
{
	unsigned int i, n = 0;

	for (i = 0; i < csv->count; i++) {
		n = is_shared(&csv->columns[i]) ? n + 1 : 0;
		if (n <= csv->shared_count)
			continue;
		csv->shared_count = n;
		csv->shared = i + 1 - n;
	}
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
	find_shared(csv);
	etw_text_puts(&csv->out, "\r\n");
	return convert_flush(c, &csv->out, CONVERT_BLOCK);
}

static void add_field(struct csv *csv, struct column *column, struct row *row)
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

/* Add columns, each after a comma but the first of all. */
static void add_columns(struct csv *csv, struct row *row, unsigned int first, unsigned int end,
			struct etw_text *out)
{
	unsigned int i;

	for (i = first; i < end; i++) {
		struct column *column = &csv->columns[i];
		const bool plain = column->kind == COLUMN_PLAIN ||
				   column->kind == COLUMN_SHARED_PLAIN;

		if (i)
			etw_text_char(out, ',');
		csv->cell.len = 0;
		row->to = plain ? out : &csv->cell;
		if (column->add)
			column->add(row);
		else
			add_field(csv, column, row);
		if (csv->cell.len)
			add_cell(out, csv->cell.data, csv->cell.len);
	}
}

/* Add the shared columns, formatted once for each kind of events. */
static void add_shared(struct csv *csv, struct row *row)
{
	const unsigned int end = csv->shared + csv->shared_count;
	struct etw_identity *identity = row->e->decoder->identity;

	if (!identity) {
		add_columns(csv, row, csv->shared, end, &csv->out);
		return;
	}
	if (!identity->prepared) {
		add_columns(csv, row, csv->shared, end, &identity->text);
		identity->ends[0] = identity->text.len;
		identity->prepared = 1;
	}
	if (identity->text.error)
		csv->out.error = identity->text.error;
	etw_identity_part(identity, 0, &csv->out);
}

static int csv_event(struct convert *c, const struct convert_event *e)
{
	struct csv *csv = c->state;
	struct row row = {
		.e = e, .header = &e->record->EventHeader, .processes = c->processes,
		.symbolizer = c->symbolizer, .second = &csv->second, .scratch = &csv->scratch,
	};

	csv->any = true;
	add_columns(csv, &row, 0, csv->shared, &csv->out);
	if (csv->shared_count)
		add_shared(csv, &row);
	add_columns(csv, &row, csv->shared + csv->shared_count, csv->count, &csv->out);
	etw_text_add(&csv->out, "\r\n", 2);
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
	.may_stack = true,
	.size = sizeof(struct csv),
	.open = csv_open,
	.event = csv_event,
	.close = csv_close,
};
