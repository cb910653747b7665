/* SPDX-License-Identifier: MIT */
/*
 * message.c - convert string tables and the message table to messages
 */
#include <string.h>
#include <strings.h>

#include "manifest.h"

/*
 * The highest %N in a text, 0 if there is none. %% and what follows it (%%5 is a
 * parameter string), %n, %0 and the like are not inserts.
 */
unsigned int etw_manifest_inserts(const char *text)
{
	unsigned int most = 0;

	while ((text = strchr(text, '%'))) {
		unsigned int number = 0;

		text++;
		if (*text == '%') {
			text++;
			while (*text >= '0' && *text <= '9')
				text++;
			continue;
		}
		for (; *text >= '0' && *text <= '9'; text++)
			if (number < 1000)
				number = number * 10 + (*text - '0');
		if (number > most)
			most = number;
	}
	return most;
}

/* Many events may refer to one long text, so count its inserts only once. */
static void note_inserts(struct etw_mf_message *message, const char *text)
{
	unsigned int inserts = etw_manifest_inserts(text);

	if (inserts > message->inserts)
		message->inserts = (uint16_t)inserts;
}

/* ------------------------------------------------------------------ string tables */

/* The culture's index; none: culture_count */
static unsigned int culture_of(const struct manifest_reader *r, const char *name)
{
	unsigned int i = 0;

	while (i < r->manifest->culture_count && strcasecmp(name, r->manifest->cultures[i]))
		i++;
	return i;
}

static void add_culture(struct manifest_reader *r, const struct manifest_node *node,
			const char **cultures)
{
	struct etw_mf_string culture;
	unsigned int i;

	etw_manifest_read_attributes(r, node, &culture);
	i = culture_of(r, culture.id);
	if (i == MANIFEST_CULTURES_MAX) {
		etw_manifest_error(r, "more than %u cultures", MANIFEST_CULTURES_MAX);
	} else if (i == r->manifest->culture_count) {
		cultures[i] = culture.id;
		r->manifest->culture_count++;
	}
}

/* The id's message, which the first culture that has it creates; without texts: no memory */
static struct etw_mf_message *message_for(struct manifest_reader *r, const char *id,
					  struct etw_mf_message *messages)
{
	struct etw_mf_message *message = etw_manifest_find(r, &r->manifest->messages, id);

	if (!message) {
		message = &messages[r->manifest->message_count++];
		message->id = id;
		message->line = r->at.line;
		message->text = etw_manifest_array(r, r->manifest->culture_count,
						   sizeof(*message->text));
		etw_manifest_claim(r, &r->manifest->messages, id, message);
	}
	return message;
}

static void read_strings(struct manifest_reader *r, const struct manifest_node *resources,
			 struct etw_mf_message *messages)
{
	unsigned int culture = culture_of(r, etw_manifest_value(resources, "culture") ?: "");
	const struct manifest_node *node;

	manifest_for_each(node, r, resources, MANIFEST_STRINGS) {
		struct etw_mf_string string;
		struct etw_mf_message *message;
		const char **texts;

		if (!etw_manifest_read_attributes(r, node, &string))
			continue;
		if (r->err)
			return;
		message = message_for(r, string.id, messages);
		texts = (const char **)message->text;
		if (!texts || culture == r->manifest->culture_count)
			continue;
		if (texts[culture]) {
			etw_manifest_error(r, "is there twice for culture %s: the first one counts",
					   r->manifest->cultures[culture]);
			continue;
		}
		texts[culture] = string.value;
		note_inserts(message, string.value);
	}
}

static void check_complete(struct manifest_reader *r)
{
	const struct etw_manifest *m = r->manifest;
	unsigned int i, culture;

	for (i = 0; i < m->message_count && !r->err; i++) {
		etw_manifest_at(r, m->messages[i].line, "string", m->messages[i].id);
		for (culture = 0; culture < m->culture_count; culture++)
			if (!m->messages[i].text[culture])
				etw_manifest_warn(r, "is not in the string table of %s",
						  m->cultures[culture]);
	}
}

static void build_strings(struct manifest_reader *r)
{
	unsigned int most = etw_manifest_count(r, r->document, MANIFEST_RESOURCES), strings = 0;
	const struct manifest_node *resources;
	struct etw_mf_message *messages;
	const char **cultures;

	/* At least one: see literal(). */
	most = most < MANIFEST_CULTURES_MAX ? most + 1 : MANIFEST_CULTURES_MAX;
	cultures = etw_manifest_array(r, most, sizeof(*cultures));
	r->manifest->cultures = cultures;
	manifest_for_each(resources, r, r->document, MANIFEST_RESOURCES) {
		add_culture(r, resources, cultures);
		strings += etw_manifest_count(r, resources, MANIFEST_STRINGS);
	}
	if ((uint64_t)r->manifest->culture_count * strings > MANIFEST_TEXTS_MAX) {
		etw_manifest_at(r, r->document->line, NULL, NULL);
		etw_manifest_fatal(r, "%u strings in %u cultures are too many", strings,
				   r->manifest->culture_count);
		return;
	}
	messages = etw_manifest_array(r, strings, sizeof(*messages));
	r->manifest->messages = messages;
	manifest_for_each(resources, r, r->document, MANIFEST_RESOURCES)
		read_strings(r, resources, messages);
	check_complete(r);
}

/* ---------------------------------------------------------------- the message table */

/* References use an entry's symbol or its mid. */
static void claim_entry(struct manifest_reader *r, const char *name,
			const struct etw_mf_message *message)
{
	if (!name)
		return;
	r->at.name = name;
	etw_manifest_claim_name(r, &r->manifest->entries, name, message);
}

static void build_table(struct manifest_reader *r)
{
	const struct manifest_node *node;
	struct etw_mf_entry *e;

	e = etw_manifest_array_of(r, r->document, MANIFEST_TABLE, sizeof(*e),
				  &r->manifest->entry_count);
	r->manifest->entries = e;
	manifest_for_each(node, r, r->document, MANIFEST_TABLE) {
		if (!etw_manifest_read_attributes(r, node, e)) {
			manifest_drop(e, r->manifest->entry_count);
			continue;
		}
		etw_manifest_claim_symbol(r, e->symbol, "message", (uintptr_t)e);
		r->at.name = e->symbol;
		etw_manifest_claim_value(r, &r->manifest->entries, e->value, e);
		if (e->message) {
			claim_entry(r, e->symbol, e->message);
			if (!e->symbol || !e->mid || strcmp(e->mid, e->symbol))
				claim_entry(r, e->mid, e->message);
		}
		e++;
	}
}

void etw_manifest_build_messages(struct manifest_reader *r)
{
	build_strings(r);
	build_table(r);
}

/* ------------------------------------------------------------------------ references */

/* A message with its text in the attribute itself; the manifest then has a culture, too. */
static const struct etw_mf_message *literal(struct manifest_reader *r, const char *value)
{
	struct etw_mf_message *message = etw_manifest_array(r, 1, sizeof(*message));
	const char **text = etw_manifest_array(r, 1, sizeof(*text));

	if (!message || !text)
		return NULL;
	text[0] = etw_manifest_strdup(r->manifest, value, strlen(value));
	if (!text[0])
		return etw_manifest_no_memory(r);
	message->text = text;
	note_inserts(message, value);
	if (!r->manifest->culture_count) {
		((const char **)r->manifest->cultures)[0] = "en-US";
		r->manifest->culture_count = 1;
	}
	return message;
}

/*
 * The length of the ID in "$(KIND.ID)"; 0: the value does not have this form. The value's
 * last parenthesis ends the ID: for the decoder it may have others in it.
 */
static size_t is_reference(const char *value, const char *kind, const char **id)
{
	size_t len;

	value += strspn(value, " \t\r\n");
	if (strncmp(value, kind, strlen(kind)))
		return 0;
	*id = value + strlen(kind);
	len = strlen(*id);
	while (len && strchr(" \t\r\n", (*id)[len - 1]))
		len--;
	if (!len || (*id)[len - 1] != ')' || memmem(*id, len, "$(", 2))
		return 0;
	return len - 1;
}

static void invalid_reference(struct manifest_reader *r, const char *value)
{
	etw_manifest_error(r, "message \"%.100s\" must be $(string.ID), $(mc.SYMBOL) or text", value);
}

const struct etw_mf_message *etw_manifest_message(struct manifest_reader *r, const char *value)
{
	const struct {
		const char *kind, *where;
		const void *scope;
	} tables[] = {
		{ "$(string.", "in no string table", &r->manifest->messages },
		{ "$(mc.", "not in the message table", &r->manifest->entries },
	};
	const struct etw_mf_message *message;
	const char *id;
	size_t len, i;

	if (!value || r->err)
		return NULL;
	for (i = 0; i < 2; i++) {
		len = is_reference(value, tables[i].kind, &id);
		if (!len)
			continue;
		if (strcspn(id, "$()[]") < len) {
			invalid_reference(r, value);
			if (!r->lenient)
				return NULL;
		}
		message = etw_names_find(&r->names, tables[i].scope, id, len);
		if (!message)
			etw_manifest_error(r, "message %s%.*s) is %s", tables[i].kind, (int)len, id,
					   tables[i].where);
		return message;
	}
	if (!strstr(value, "$(string.") && !strstr(value, "$(mc."))
		return literal(r, value);
	invalid_reference(r, value);
	return NULL;
}
