/* SPDX-License-Identifier: MIT */
/*
 * root.c - elements around the providers: the roots, string tables, the message table
 */
#include <string.h>

#include "manifest.h"

const char *const etw_mx_no_attributes[] = { NULL };

/* ------------------------------------------------------------- <localization> */

static const char *const string_attributes[] = { "id", "value", NULL };
enum { STRING_ID, STRING_VALUE };

static void string_begin(struct etw_mx *x)
{
	struct manifest_string *s = etw_mx_add(x, &x->strings, sizeof(*s));

	if (!s)
		return;
	s->line = x->line;
	s->culture = x->culture;
	s->id = etw_mx_require(x, STRING_ID, "string");
	s->text = etw_mx_keep_raw(x, STRING_VALUE);
	if (!s->text && !x->err) {
		etw_mx_error(x, x->line, "string", s->id, "attribute value is missing");
		s->text = "";
	}
}

static const struct manifest_element string = {
	.name = "string", .attributes = string_attributes, .begin = string_begin,
};

static const struct manifest_element string_table = {
	.name = "stringTable", .attributes = etw_mx_no_attributes,
	.children = (const struct manifest_element *const[]){ &string, NULL },
};

static const char *const resources_attributes[] = { "culture", NULL };

static void resources_begin(struct etw_mx *x)
{
	const char *name = etw_mx_require(x, 0, "resources");
	struct manifest_culture *culture;

	x->culture = 0;
	manifest_for_each(culture, &x->cultures) {
		if (etw_mx_is((struct manifest_value){ name, strlen(name) }, culture->name))
			return;
		x->culture++;
	}
	if (x->cultures.count == MX_CULTURES_MAX) {
		etw_mx_error(x, x->line, "resources", name, "more than %u cultures",
			     MX_CULTURES_MAX);
		x->culture = 0;
		return;
	}
	culture = etw_mx_add(x, &x->cultures, sizeof(*culture));
	if (culture)
		culture->name = name;
}

static const struct manifest_element resources = {
	.name = "resources", .attributes = resources_attributes, .begin = resources_begin,
	.children = (const struct manifest_element *const[]){ &string_table, NULL },
};

static const struct manifest_element localization = {
	.name = "localization",
	.children = (const struct manifest_element *const[]){ &resources, NULL },
};

/* ------------------------------------------------------------- <messageTable> */

static const char *const message_attributes[] = { "value", "message", "symbol", "mid", NULL };
enum { MESSAGE_VALUE, MESSAGE_MESSAGE, MESSAGE_SYMBOL, MESSAGE_MID };

static void message_begin(struct etw_mx *x)
{
	struct manifest_table_entry *entry = etw_mx_add(x, &x->table, sizeof(*entry));
	uint64_t value = 0;

	if (!entry)
		return;
	entry->e.line = x->line;
	entry->e.mid = etw_mx_keep(x, MESSAGE_MID);
	entry->e.symbol = etw_mx_symbol(x, MESSAGE_SYMBOL, "message", entry->e.mid);
	etw_mx_required_number(x, MESSAGE_VALUE, "message",
			       entry->e.symbol ? entry->e.symbol : entry->e.mid, 0, UINT32_MAX,
			       &value);
	entry->e.value = (uint32_t)value;
	entry->message = etw_mx_note_raw(x, MESSAGE_MESSAGE);
	if (!entry->message && !x->err)
		etw_mx_error(x, x->line, "message", entry->e.symbol,
			     "attribute message is missing");
}

static const struct manifest_element message = {
	.name = "message", .attributes = message_attributes, .begin = message_begin,
};

static const struct manifest_element message_table = {
	.name = "messageTable", .attributes = etw_mx_no_attributes,
	.children = (const struct manifest_element *const[]){ &message, NULL },
};

/* ------------------------------------------------------------------ the roots */

static const struct manifest_element events = {
	.name = "events",
	.children = (const struct manifest_element *const[]){ &etw_mx_provider, &message_table, NULL },
};

static const struct manifest_element instrumentation = {
	.name = "instrumentation",
	.children = (const struct manifest_element *const[]){ &events, &localization, NULL },
};

/* The element of Windows' own winmeta.xml; it defines no events. */
static const struct manifest_element metadata = { .name = "metadata", .any_children = true };

static const struct manifest_element manifest = {
	.name = "instrumentationManifest",
	.children = (const struct manifest_element *const[]){ &instrumentation, &localization,
							&metadata, NULL },
};

static const struct manifest_element assembly = {
	.name = "assembly", .any_children = true,
	.children = (const struct manifest_element *const[]){ &instrumentation, &localization, NULL },
};

const struct manifest_element etw_mx_root = {
	.name = "document",
	.children = (const struct manifest_element *const[]){ &manifest, &instrumentation, &assembly,
							NULL },
};
