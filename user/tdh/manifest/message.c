/* SPDX-License-Identifier: MIT */
/*
 * message.c - convert string tables to messages, and resolve references
 */
#include <string.h>

#include "manifest.h"

/*
 * The highest %N in a text, 0 if there is none. %% and what follows it (%%5 is a
 * parameter string), %n, %0 and the like are not inserts.
 */
unsigned int etw_mx_inserts(const char *text)
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

static void note_inserts(struct manifest_message *message, const char *text)
{
	unsigned int inserts = etw_mx_inserts(text);

	if (inserts > message->inserts)
		message->inserts = inserts;
}

/* The message of the id, created for the first culture that has it */
static struct manifest_message *message_for(struct etw_mx *x, const struct manifest_string *s,
				      struct etw_mf_message *messages)
{
	struct manifest_message *message = etw_mx_find(x, &x->strings, s->id);
	const char **text;

	if (message)
		return message;
	message = etw_manifest_alloc(x->draft, sizeof(*message));
	text = etw_mx_array(x, x->cultures.count, sizeof(*text));
	if (!message || !text)
		return etw_mx_no_memory(x);
	message->message = &messages[x->manifest->message_count++];
	message->message->id = s->id;
	message->message->text = text;
	message->line = s->line;
	etw_mx_claim(x, &x->strings, s->id, message);
	return message;
}

static void check_complete(struct etw_mx *x)
{
	const struct manifest_culture *culture;
	const struct manifest_message *message;
	unsigned int i, j;

	if (x->cultures.count < 2 || x->err)
		return;
	for (i = 0; i < x->manifest->message_count; i++) {
		const struct etw_mf_message *m = &x->manifest->messages[i];

		message = etw_mx_find(x, &x->strings, m->id);
		for (j = 0, culture = x->cultures.first; culture; culture = culture->next, j++)
			if (!m->text[j])
				etw_mx_warn(x, message->line, "string", m->id,
					    "is not in the string table of %s", culture->name);
	}
}

void etw_mx_build_messages(struct etw_mx *x)
{
	const char **cultures = etw_mx_array(x, x->cultures.count, sizeof(*cultures));
	struct etw_mf_message *messages = etw_mx_array(x, x->strings.count, sizeof(*messages));
	const struct manifest_culture *culture;
	const struct manifest_string *s;

	if (x->err)
		return;
	if ((uint64_t)x->cultures.count * x->strings.count > MX_TEXTS_MAX) {
		etw_mx_error(x, 0, NULL, NULL, "%u strings in %u cultures are too many",
			     x->strings.count, x->cultures.count);
		return;
	}
	x->manifest->cultures = cultures;
	manifest_for_each(culture, &x->cultures)
		cultures[x->manifest->culture_count++] = culture->name;
	x->manifest->messages = messages;
	manifest_for_each(s, &x->strings) {
		struct manifest_message *message = message_for(x, s, messages);
		const char **text;

		if (!message)
			return;
		text = (const char **)message->message->text;
		if (text[s->culture])
			etw_mx_error(x, s->line, "string", s->id,
				     "is there twice for culture %s", cultures[s->culture]);
		text[s->culture] = s->text;
		note_inserts(message, s->text);
	}
	check_complete(x);
}

/* A manifest with messages also has a culture. */
static void give_culture(struct etw_mx *x)
{
	const char **cultures;

	if (x->manifest->culture_count)
		return;
	cultures = etw_mx_array(x, 1, sizeof(*cultures));
	if (!cultures)
		return;
	cultures[0] = "en-US";
	x->manifest->cultures = cultures;
	x->manifest->culture_count = 1;
}

/* A message with its text in the attribute itself */
static const struct manifest_message *literal(struct etw_mx *x, const char *value)
{
	struct manifest_message *message = etw_manifest_alloc(x->draft, sizeof(*message));
	struct etw_mf_message *m = etw_mx_array(x, 1, sizeof(*m));
	const char **text = etw_mx_array(x, 1, sizeof(*text));

	if (!message || !m || !text)
		return etw_mx_no_memory(x);
	text[0] = etw_manifest_strdup(x->manifest, value, strlen(value));
	if (!text[0])
		return etw_mx_no_memory(x);
	m->text = text;
	message->message = m;
	note_inserts(message, value);
	give_culture(x);
	return message;
}

/* Does the value have the form $(KIND.ID)? If so, *id is the ID. */
static bool is_reference(struct manifest_value v, const char *kind, struct manifest_value *id)
{
	size_t len = strlen(kind);

	if (v.len <= len + 1 || memcmp(v.s, kind, len) || v.s[v.len - 1] != ')')
		return false;
	id->s = v.s + len;
	id->len = v.len - len - 1;
	return !memchr(id->s, '$', id->len) && !memchr(id->s, ')', id->len);
}

const struct manifest_message *etw_mx_message(struct etw_mx *x, const char *value,
					unsigned int line, const char *kind,
					const char *name)
{
	struct manifest_value v, id;
	const struct manifest_message *message;

	if (!value || x->err)
		return NULL;
	v = etw_mx_trim((struct manifest_value){ value, strlen(value) });
	if (is_reference(v, "$(string.", &id)) {
		message = etw_mx_find_len(x, &x->strings, id.s, id.len);
		if (!message)
			etw_mx_error(x, line, kind, name,
				     "message $(string.%.*s) is in no string table",
				     (int)id.len, id.s);
		return message;
	}
	if (is_reference(v, "$(mc.", &id)) {
		message = etw_mx_find_len(x, &x->table, id.s, id.len);
		if (!message)
			etw_mx_error(x, line, kind, name,
				     "message $(mc.%.*s) is not in the message table",
				     (int)id.len, id.s);
		return message;
	}
	if (strstr(value, "$(string.") || strstr(value, "$(mc.")) {
		etw_mx_error(x, line, kind, name,
			     "message \"%.100s\" must be $(string.ID), $(mc.SYMBOL) or text",
			     value);
		return NULL;
	}
	return literal(x, value);
}

const struct etw_mf_message *etw_mx_message_of(struct etw_mx *x, const char *value,
					       unsigned int line, const char *kind,
					       const char *name)
{
	const struct manifest_message *message = etw_mx_message(x, value, line, kind, name);

	return message ? message->message : NULL;
}

/* References use an entry's symbol or its mid. */
static void claim_entry(struct etw_mx *x, const char *name, const struct manifest_message *message,
			unsigned int line)
{
	if (name && etw_mx_claim(x, &x->table, name, (void *)message))
		etw_mx_error(x, line, "message", name, "another message has this name, too");
}

void etw_mx_build_table(struct etw_mx *x)
{
	struct etw_mf_entry *entries = etw_mx_array(x, x->table.count, sizeof(*entries));
	const struct manifest_table_entry *draft;
	const struct manifest_message *message;

	x->manifest->entries = entries;
	manifest_for_each(draft, &x->table) {
		struct etw_mf_entry *e;

		if (x->err)
			return;
		e = &entries[x->manifest->entry_count++];
		*e = draft->e;
		message = etw_mx_message(x, draft->message, e->line, "message", e->symbol);
		if (etw_mx_claim_number(x, &x->table, e->value, e))
			etw_mx_error(x, e->line, "message", e->symbol,
				     "another message has value %u, too", e->value);
		if (!message)
			continue;
		e->message = message->message;
		claim_entry(x, e->symbol, message, e->line);
		if (!e->symbol || !e->mid || strcmp(e->mid, e->symbol))
			claim_entry(x, e->mid, message, e->line);
	}
}
