/* SPDX-License-Identifier: MIT */
/*
 * named.c - <levels>, <tasks>, <opcodes>, <keywords> and <filters>
 */
#include <string.h>

#include "manifest.h"

/* A provider's own values; lower and higher ones are reserved for Windows. */
#define LEVEL_LEAST	16
#define OPCODE_LEAST	10
#define OPCODE_MOST	239
#define KEYWORD_BITS	48

#define CHILDREN(...)	(const struct manifest_element *const[]){ __VA_ARGS__, NULL }

/* The name of something that the provider defines */
static const char *own_name(struct etw_mx *x, unsigned int slot, const char *kind)
{
	const char *name = etw_mx_require(x, slot, kind);

	if (!strncmp(name, "win:", 4))
		etw_mx_error(x, x->line, kind, name, "names with win: are Windows' own");
	return name;
}

/* ------------------------------------------------------- levels and opcodes */

static const char *const named_attributes[] = { "name", "value", "symbol", "message", NULL };
enum { NAME, VALUE, SYMBOL, MESSAGE };

static void named_begin(struct etw_mx *x, struct manifest_list *list, const char *kind,
			unsigned int least, unsigned int most)
{
	struct manifest_named *draft = etw_mx_add(x, list, sizeof(*draft));
	uint64_t value = least;

	if (!draft)
		return;
	draft->n.line = x->line;
	draft->n.message_id = ETW_MESSAGE_NONE;
	draft->n.name = own_name(x, NAME, kind);
	etw_mx_required_number(x, VALUE, kind, draft->n.name, least, most, &value);
	draft->n.value = (uint8_t)value;
	draft->n.symbol = etw_mx_symbol(x, SYMBOL, kind, draft->n.name);
	draft->message = etw_mx_note_raw(x, MESSAGE);
}

static void level_begin(struct etw_mx *x)
{
	named_begin(x, &x->provider->levels, "level", LEVEL_LEAST, UINT8_MAX);
}

/* A task's own opcode if inside a task */
static void opcode_begin(struct etw_mx *x)
{
	named_begin(x, x->task ? &x->task->opcodes : &x->provider->opcodes, "opcode",
		    OPCODE_LEAST, OPCODE_MOST);
}

static const struct manifest_element level = {
	.name = "level", .attributes = named_attributes, .begin = level_begin,
};

/* Attributes for MOF are ignored. */
static const char *const opcode_attributes[] = { "name", "value", "symbol", "message",
						 "mofValue", NULL };

static const struct manifest_element opcode = {
	.name = "opcode", .attributes = opcode_attributes, .begin = opcode_begin,
};

const struct manifest_element etw_mx_levels = {
	.name = "levels", .attributes = etw_mx_no_attributes, .children = CHILDREN(&level),
};

const struct manifest_element etw_mx_opcodes = {
	.name = "opcodes", .attributes = etw_mx_no_attributes, .children = CHILDREN(&opcode),
};

/* -------------------------------------------------------------------- tasks */

static const char *const task_attributes[] = {
	"name", "value", "symbol", "message", "eventGUID", NULL
};
enum { EVENT_GUID = MESSAGE + 1 };

static void task_begin(struct etw_mx *x)
{
	struct manifest_task *draft = etw_mx_add(x, &x->provider->tasks, sizeof(*draft));
	uint64_t value = 0;

	if (!draft)
		return;
	x->task = draft;
	draft->t.line = x->line;
	draft->t.message_id = ETW_MESSAGE_NONE;
	draft->t.name = own_name(x, NAME, "task");
	etw_mx_required_number(x, VALUE, "task", draft->t.name, 0, UINT16_MAX, &value);
	draft->t.value = (uint16_t)value;
	draft->t.symbol = etw_mx_symbol(x, SYMBOL, "task", draft->t.name);
	etw_mx_guid(x, EVENT_GUID, "task", draft->t.name, &draft->t.event_guid);
	draft->message = etw_mx_note_raw(x, MESSAGE);
}

static void task_end(struct etw_mx *x)
{
	x->task = NULL;
}

static const struct manifest_element task = {
	.name = "task", .attributes = task_attributes, .begin = task_begin, .end = task_end,
	.children = CHILDREN(&etw_mx_opcodes),
};

const struct manifest_element etw_mx_tasks = {
	.name = "tasks", .attributes = etw_mx_no_attributes, .children = CHILDREN(&task),
};

/* ----------------------------------------------------------------- keywords */

static const char *const keyword_attributes[] = { "name", "mask", "symbol", "message", NULL };

static void keyword_begin(struct etw_mx *x)
{
	struct manifest_keyword *draft = etw_mx_add(x, &x->provider->keywords, sizeof(*draft));
	struct manifest_value v = etw_mx_trim(x->values[VALUE]);
	struct etw_mf_keyword *k;

	if (!draft)
		return;
	k = &draft->k;
	k->line = x->line;
	k->message_id = ETW_MESSAGE_NONE;
	k->name = own_name(x, NAME, "keyword");
	if (!v.s)
		etw_mx_error(x, x->line, "keyword", k->name, "attribute mask is missing");
	else if (!etw_mx_parse_number(v, &k->mask) || !k->mask || k->mask & (k->mask - 1) ||
		 k->mask >> KEYWORD_BITS)
		etw_mx_error(x, x->line, "keyword", k->name,
			     "mask \"%.*s\" must be one bit of 0x1 to 0x800000000000",
			     (int)v.len, v.s);
	k->symbol = etw_mx_symbol(x, SYMBOL, "keyword", k->name);
	draft->message = etw_mx_note_raw(x, MESSAGE);
}

static const struct manifest_element keyword = {
	.name = "keyword", .attributes = keyword_attributes, .begin = keyword_begin,
};

const struct manifest_element etw_mx_keywords = {
	.name = "keywords", .attributes = etw_mx_no_attributes, .children = CHILDREN(&keyword),
};

/* ------------------------------------------------------------------ filters */

static const char *const filter_attributes[] = {
	"name", "value", "symbol", "message", "version", "tid", NULL
};
enum { FILTER_VERSION = MESSAGE + 1, FILTER_TID };

static void filter_begin(struct etw_mx *x)
{
	struct manifest_filter *draft = etw_mx_add(x, &x->provider->filters, sizeof(*draft));
	uint64_t value = 0, version = 0;

	if (!draft)
		return;
	draft->f.line = x->line;
	draft->f.message_id = ETW_MESSAGE_NONE;
	draft->f.name = own_name(x, NAME, "filter");
	etw_mx_required_number(x, VALUE, "filter", draft->f.name, 0, UINT8_MAX, &value);
	etw_mx_number(x, FILTER_VERSION, "filter", draft->f.name, 0, UINT8_MAX, &version);
	draft->f.value = (uint8_t)value;
	draft->f.version = (uint8_t)version;
	draft->f.symbol = etw_mx_symbol(x, SYMBOL, "filter", draft->f.name);
	draft->template = etw_mx_note(x, FILTER_TID);
	draft->message = etw_mx_note_raw(x, MESSAGE);
}

static const struct manifest_element filter = {
	.name = "filter", .attributes = filter_attributes, .begin = filter_begin,
};

const struct manifest_element etw_mx_filters = {
	.name = "filters", .attributes = etw_mx_no_attributes, .children = CHILDREN(&filter),
};
