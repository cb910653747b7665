/* SPDX-License-Identifier: MIT */
/*
 * template.c - <templates> and <events>
 */
#include <string.h>

#include "manifest.h"

#define TAG_BITS	28

#define CHILDREN(...)	(const struct manifest_element *const[]){ __VA_ARGS__, NULL }

/* ----------------------------------------------------------- data and struct */

static const char *const data_attributes[] = {
	"name", "inType", "outType", "count", "length", "map", "tags", NULL
};
enum { NAME, IN_TYPE, OUT_TYPE, COUNT, LENGTH, MAP, TAGS };

/* Append a field to the open structure or to the template. */
static struct manifest_field *field_add(struct etw_mx *x, const char *kind)
{
	struct manifest_list *list = x->structure ? &x->structure->members : &x->template->fields;
	struct manifest_field *field = etw_mx_add(x, list, sizeof(*field));

	if (!field)
		return NULL;
	field->f.line = x->line;
	field->f.count = 1;
	field->f.name = etw_mx_require(x, NAME, kind);
	return field;
}

static void in_type(struct etw_mx *x, struct etw_mf_field *f)
{
	struct manifest_value v = etw_mx_trim(x->values[IN_TYPE]);
	const char *name;

	if (!v.s) {
		etw_mx_error(x, x->line, "data", f->name, "attribute inType is missing");
		return;
	}
	name = etw_mx_note_names(x, IN_TYPE);
	if (!name)
		return;
	f->in_type = etw_mx_in_type((struct manifest_value){ name, strlen(name) });
	if (f->in_type)
		return;
	if (!strncmp(name, "trace:", 6))
		etw_mx_error(x, x->line, "data", f->name,
			     "inType \"%s\": types of the trace namespace are Windows' own "
			     "and not supported",
			     name);
	else
		etw_mx_error(x, x->line, "data", f->name, "inType \"%s\" is no known type", name);
}

static void out_type(struct etw_mx *x, struct etw_mf_field *f)
{
	const char *name = etw_mx_note_names(x, OUT_TYPE);

	f->out_type = etw_mx_default_out_type(f->in_type);
	if (!name)
		return;
	f->out_type = etw_mx_out_type((struct manifest_value){ name, strlen(name) });
	if (!f->out_type)
		etw_mx_error(x, x->line, "data", f->name, "outType \"%s\" is no known type",
			     name);
	else if (f->in_type && !etw_mx_types_fit(f->in_type, f->out_type))
		etw_mx_error(x, x->line, "data", f->name,
			     "outType \"%s\" does not go with inType %s", name,
			     etw_mx_in_type_name(f->in_type));
}

static void data_begin(struct etw_mx *x)
{
	struct manifest_field *field = field_add(x, "data");
	uint64_t tags;

	if (!field)
		return;
	in_type(x, &field->f);
	out_type(x, &field->f);
	field->count = etw_mx_note(x, COUNT);
	field->length = etw_mx_note(x, LENGTH);
	field->map = etw_mx_note(x, MAP);
	if (etw_mx_number(x, TAGS, "data", field->f.name, 0, (1u << TAG_BITS) - 1, &tags)) {
		field->f.tags = (uint32_t)tags;
		field->f.flags |= ETW_MF_TAGS;
	}
	if (x->structure)
		x->template->members++;
}

static const char *const struct_attributes[] = { "name", "count", NULL };

static void struct_begin(struct etw_mx *x)
{
	struct manifest_field *field = field_add(x, "struct");

	if (!field)
		return;
	field->f.flags = ETW_MF_STRUCT;
	field->count = etw_mx_note(x, 1);
	x->structure = field;
}

static void struct_end(struct etw_mx *x)
{
	if (!x->structure->members.count)
		etw_mx_error(x, x->structure->f.line, "struct", x->structure->f.name,
			     "has no element data");
	x->structure = NULL;
}

static void nested_begin(struct etw_mx *x)
{
	etw_mx_error(x, x->line, "struct", x->structure->f.name,
		     "must not have a struct in it");
}

static void binary_begin(struct etw_mx *x)
{
	etw_mx_error(x, x->line, "template", x->template->t.id,
		     "element binary is not supported: take data with inType win:Binary");
}

/* ------------------------------------------------------------------ template */

static const char *const template_attributes[] = { "tid", "name", NULL };

static void template_begin(struct etw_mx *x)
{
	struct manifest_template *draft = etw_mx_add(x, &x->provider->templates, sizeof(*draft));

	if (!draft)
		return;
	x->template = draft;
	draft->t.line = x->line;
	draft->t.id = etw_mx_require(x, 0, "template");
	draft->t.name = etw_mx_keep(x, 1);
}

static void user_data_end(struct etw_mx *x)
{
	struct etw_mf_template *t = &x->template->t;

	if (t->user_data) {
		etw_mx_error(x, x->line, "template", t->id, "has a second element UserData");
		return;
	}
	t->user_data = etw_manifest_strdup(x->manifest, x->text.len ? x->text.data : "",
					   x->text.len);
	if (!t->user_data)
		etw_mx_no_memory(x);
}

static const struct manifest_element data = {
	.name = "data", .attributes = data_attributes, .begin = data_begin,
};

static const struct manifest_element nested = {
	.name = "struct", .begin = nested_begin, .any_children = true,
};

static const struct manifest_element structure = {
	.name = "struct", .attributes = struct_attributes, .begin = struct_begin,
	.end = struct_end, .children = CHILDREN(&data, &nested),
};

static const struct manifest_element binary = {
	.name = "binary", .begin = binary_begin, .any_children = true,
};

static const struct manifest_element user_data = {
	.name = "UserData", .end = user_data_end, .xml = true,
};

static const struct manifest_element template = {
	.name = "template", .attributes = template_attributes, .begin = template_begin,
	.children = CHILDREN(&data, &structure, &binary, &user_data),
};

const struct manifest_element etw_mx_templates = {
	.name = "templates", .attributes = etw_mx_no_attributes,
	.children = CHILDREN(&template),
};

/* -------------------------------------------------------------------- events */

static const char *const event_attributes[] = {
	"value", "version", "channel", "level", "task", "opcode", "keywords", "template",
	"message", "symbol", "notLogged", "name", "attributes", "suppressProjection", NULL
};
enum {
	VALUE, VERSION, CHANNEL, LEVEL, TASK, OPCODE, KEYWORDS, TEMPLATE, MESSAGE, SYMBOL,
	NOT_LOGGED, EVENT_NAME, ATTRIBUTES, SUPPRESS
};

static void event_begin(struct etw_mx *x)
{
	struct manifest_event *draft = etw_mx_add(x, &x->provider->events, sizeof(*draft));
	uint64_t value = 0, version = 0;
	struct etw_mf_event *e;
	const char *symbol;
	bool suppress;

	if (!draft)
		return;
	e = &draft->e;
	e->line = x->line;
	e->message_id = ETW_MESSAGE_NONE;
	symbol = e->symbol = etw_mx_symbol(x, SYMBOL, "event", NULL);
	etw_mx_required_number(x, VALUE, "event", symbol, 0, UINT16_MAX, &value);
	etw_mx_number(x, VERSION, "event", symbol, 0, UINT8_MAX, &version);
	e->desc.Id = (uint16_t)value;
	e->desc.Version = (uint8_t)version;
	e->name = etw_mx_keep(x, EVENT_NAME);
	e->attributes = etw_mx_keep(x, ATTRIBUTES);
	etw_mx_bool(x, NOT_LOGGED, "event", symbol, &e->not_logged);
	etw_mx_bool(x, SUPPRESS, "event", symbol, &suppress);
	draft->channel = etw_mx_note(x, CHANNEL);
	draft->level = etw_mx_note_names(x, LEVEL);
	draft->task = etw_mx_note_names(x, TASK);
	draft->opcode = etw_mx_note_names(x, OPCODE);
	draft->keywords = etw_mx_note_names(x, KEYWORDS);
	draft->template = etw_mx_note(x, TEMPLATE);
	draft->message = etw_mx_note_raw(x, MESSAGE);
}

static const struct manifest_element event = {
	.name = "event", .attributes = event_attributes, .begin = event_begin,
};

const struct manifest_element etw_mx_events = {
	.name = "events", .attributes = etw_mx_no_attributes, .children = CHILDREN(&event),
};
