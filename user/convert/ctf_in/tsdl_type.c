/* SPDX-License-Identifier: MIT */
/*
 * tsdl_type.c - structures, variants, arrays and names of types of TSDL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsdl.h"

const struct cm_type *tsdl_find(const struct tsdl *t, enum tsdl_alias_kind kind,
				const char *name)
{
	unsigned int i;

	for (i = t->alias_count; i--;)
		if (t->aliases[i].name == name && t->aliases[i].kind == kind)
			return t->aliases[i].type;
	return NULL;
}

int tsdl_keep(struct tsdl *t, enum tsdl_alias_kind kind, const char *name,
	      const struct cm_type *type)
{
	if (t->alias_count == TSDL_ALIASES)
		return tsdl_fail(t, "more than %u types have names", TSDL_ALIASES);
	t->aliases[t->alias_count++] = (struct tsdl_alias){ kind, name, type };
	return 0;
}

/* ---------------------------------------------------------------- references */

static bool starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* "a.b" or "stream.event.context.a" */
static int take_path(struct tsdl *t, struct cm_path *path)
{
	static const char *const scopes[CM_SCOPES] = {
		"trace.packet.header.", "stream.packet.context.", "stream.event.header.",
		"stream.event.context.", "event.context.", "event.fields.",
	};
	const char *text, *dot;
	unsigned int i;
	int err = tsdl_dotted(t, &text);

	if (err)
		return err;
	path->scope = CM_SCOPES;
	path->count = 0;
	for (i = 0; i < CM_SCOPES; i++)
		if (starts(text, scopes[i]))
			path->scope = (uint8_t)i;
	if (path->scope < CM_SCOPES)
		text += strlen(scopes[path->scope]);
	for (;;) {
		dot = strchr(text, '.');
		if (path->count == CM_PATH_MAX)
			return tsdl_fail(t, "a reference is too long");
		path->name[path->count] = cm_name(t->meta, text, dot ? (size_t)(dot - text) :
						  strlen(text));
		if (!path->name[path->count++])
			return -ENOMEM;
		if (!dot)
			return 0;
		text = dot + 1;
	}
}

/* -------------------------------------------------------------------- members */

struct members {
	struct cm_member *list;
	uint32_t count, room;
};

static int add_member(struct tsdl *t, struct members *m, const char *name,
		      const struct cm_type *type)
{
	if (m->count == m->room) {
		uint32_t room = m->room ? 2 * m->room : 8;
		struct cm_member *list = room > TSDL_MEMBERS ? NULL :
					 realloc(m->list, room * sizeof(*list));

		if (!list)
			return room > TSDL_MEMBERS ? tsdl_fail(t, "too many members") : -ENOMEM;
		m->list = list;
		m->room = room;
	}
	/* An underscore keeps names from being words of the language. */
	m->list[m->count++] = (struct cm_member){
		.name = name, .shown = name[0] == '_' && name[1] ? name + 1 : name, .type = type,
		.role = (uint8_t)cm_role_of(name),
	};
	return 0;
}

static int keep_members(struct tsdl *t, struct members *m, struct cm_type *type)
{
	type->members = cm_alloc(t->meta, (m->count + 1) * sizeof(*m->list));
	if (!type->members)
		return -ENOMEM;
	if (m->count)
		memcpy(type->members, m->list, m->count * sizeof(*m->list));
	type->member_count = m->count;
	if (type->kind == CM_STRUCT)
		cm_finish_struct(type);
	return 0;
}

/* "[...]" behind a name, the outermost first. */
static int take_dimensions(struct tsdl *t, const struct cm_type **type)
{
	struct cm_type *dims[CM_PATH_MAX];
	unsigned int count = 0;
	int err;

	while (tsdl_is(t, '[')) {
		if (count == CM_PATH_MAX)
			return tsdl_fail(t, "too many dimensions");
		dims[count] = cm_alloc(t->meta, sizeof(**dims));
		if (!dims[count])
			return -ENOMEM;
		err = tsdl_next(t);
		if (!err && t->token == TSDL_NUMBER) {
			dims[count]->kind = CM_ARRAY;
			err = tsdl_number(t, &dims[count]->count);
		} else if (!err) {
			dims[count]->kind = CM_SEQUENCE;
			err = take_path(t, &dims[count]->path);
		}
		if (!err)
			err = tsdl_expect(t, ']');
		if (err)
			return err;
		count++;
	}
	while (count--) {
		dims[count]->element = *type;
		dims[count]->align = (*type)->align;
		dims[count]->has_variant = (*type)->has_variant;
		*type = dims[count];
	}
	return 0;
}

static bool begins_type(const struct tsdl *t)
{
	return tsdl_is_word(t, "integer") || tsdl_is_word(t, "floating_point") ||
	       tsdl_is_word(t, "string") || tsdl_is_word(t, "enum") ||
	       tsdl_is_word(t, "struct") || tsdl_is_word(t, "variant");
}

/*
 * Words up to something else: a type's name, and with a field the field's name behind
 * it.
 */
static int take_words(struct tsdl *t, const struct cm_type **type, const char **field)
{
	char text[512] = "";
	const char *last = NULL;
	size_t n = 0;
	int err = 0;

	while (!err && t->token == TSDL_WORD) {
		if (last)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", last);
		if (n >= sizeof(text))
			return tsdl_fail(t, "the name of a type is too long");
		last = t->word;
		err = tsdl_next(t);
	}
	if (err)
		return err;
	if (!field && last)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", last);
	else if (field)
		*field = last;
	if (!n || n >= sizeof(text))
		return tsdl_fail(t, "a type is missing");
	last = cm_name(t->meta, text, n);
	if (!last)
		return -ENOMEM;
	*type = tsdl_find(t, TSDL_ALIAS, last);
	return *type ? 0 : tsdl_fail(t, "there is no type \"%.100s\"", text);
}

static int take_keyword_type(struct tsdl *t, const struct cm_type **type);

/* "TYPE name[..], ...;" */
static int take_fields(struct tsdl *t, struct members *m)
{
	const struct cm_type *base = NULL, *type;
	const char *name = NULL;
	int err;

	if (begins_type(t)) {
		err = take_keyword_type(t, &base);
		if (!err && t->token == TSDL_WORD) {
			name = t->word;
			err = tsdl_next(t);
		}
	} else {
		err = take_words(t, &base, &name);
	}
	while (!err) {
		/* A type that is only declared */
		if (!name)
			return tsdl_expect(t, ';');
		type = base;
		err = take_dimensions(t, &type);
		if (!err)
			err = add_member(t, m, name, type);
		if (err || !tsdl_is(t, ','))
			break;
		err = tsdl_next(t);
		if (!err && t->token != TSDL_WORD)
			err = tsdl_fail(t, "a name is missing");
		name = err ? NULL : t->word;
		if (!err)
			err = tsdl_next(t);
	}
	return err ? err : tsdl_expect(t, ';');
}

static int take_body(struct tsdl *t, struct cm_type *type)
{
	struct members m = { .count = 0 };
	unsigned int mark = t->alias_count;
	bool was;
	int err = tsdl_next(t);

	while (!err && !tsdl_is(t, '}')) {
		err = tsdl_alias(t, &was);
		if (!err && !was)
			err = take_fields(t, &m);
	}
	if (!err)
		err = keep_members(t, &m, type);
	free(m.list);
	t->alias_count = mark;
	return err ? err : tsdl_next(t);
}

/* "align(8)" behind a structure */
static int take_struct_align(struct tsdl *t, struct cm_type *type)
{
	uint64_t align = 0;
	int err;

	if (!tsdl_is_word(t, "align"))
		return 0;
	err = tsdl_next(t);
	if (!err)
		err = tsdl_expect(t, '(');
	if (!err)
		err = tsdl_number(t, &align);
	if (!err)
		err = tsdl_expect(t, ')');
	if (err)
		return err;
	if (!align || align > 65536 || align & (align - 1))
		return tsdl_fail(t, "an alignment is a power of 2");
	if (align > type->align)
		type->align = (uint32_t)align;
	return 0;
}

/* Behind "struct" or "variant" */
static int take_compound(struct tsdl *t, bool variant, const struct cm_type **out)
{
	enum tsdl_alias_kind kind = variant ? TSDL_VARIANT : TSDL_STRUCT;
	const struct cm_type *known = NULL;
	struct cm_path path = { .count = 0 };
	const char *name = NULL;
	struct cm_type *type = cm_alloc(t->meta, sizeof(*type));
	int err = type ? 0 : -ENOMEM;

	if (!err && t->token == TSDL_WORD) {
		name = t->word;
		err = tsdl_next(t);
	}
	if (!err && variant && tsdl_is(t, '<')) {
		err = tsdl_next(t);
		if (!err)
			err = take_path(t, &path);
		if (!err)
			err = tsdl_expect(t, '>');
	}
	if (err)
		return err;
	*type = (struct cm_type){ .kind = variant ? CM_VARIANT : CM_STRUCT, .align = 1,
				  .has_variant = variant };
	if (tsdl_is(t, '{')) {
		err = take_body(t, type);
	} else {
		known = name ? tsdl_find(t, kind, name) : NULL;
		if (!known)
			return tsdl_fail(t, "there is no such struct or variant");
		*type = *known;
	}
	if (path.count)
		type->path = path;
	if (!err && !variant)
		err = take_struct_align(t, type);
	*out = type;
	return err || !name || known ? err : tsdl_keep(t, kind, name, type);
}

static int take_behind(struct tsdl *t, const char *word, const struct cm_type **type)
{
	if (!strcmp(word, "integer"))
		return tsdl_integer(t, type);
	if (!strcmp(word, "floating_point"))
		return tsdl_float(t, type);
	if (!strcmp(word, "string"))
		return tsdl_string(t, type);
	if (!strcmp(word, "enum"))
		return tsdl_enum(t, type);
	return take_compound(t, word[0] == 'v', type);
}

/* All that types have in common: how deep they are in each other. */
static int take_keyword_type(struct tsdl *t, const struct cm_type **type)
{
	const char *word = t->word;
	int err = tsdl_next(t);

	if (err)
		return err;
	if (t->nest == CM_NEST_MAX)
		return tsdl_fail(t, "more than %u types within each other", CM_NEST_MAX);
	t->nest++;
	err = take_behind(t, word, type);
	t->nest--;
	return err;
}

int tsdl_type(struct tsdl *t, const struct cm_type **type)
{
	return begins_type(t) ? take_keyword_type(t, type) : take_words(t, type, NULL);
}

int tsdl_declaration(struct tsdl *t)
{
	const struct cm_type *type;
	int err = take_keyword_type(t, &type);

	return err ? err : tsdl_expect(t, ';');
}

/* "typealias TYPE := NAME;" */
static int take_typealias(struct tsdl *t)
{
	const struct cm_type *type;
	char text[512] = "";
	size_t n = 0;
	int err = tsdl_type(t, &type);

	if (!err && t->token != TSDL_ASSIGN)
		err = tsdl_fail(t, "\":=\" is missing");
	if (!err)
		err = tsdl_next(t);
	while (!err && t->token == TSDL_WORD && n < sizeof(text)) {
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "", t->word);
		err = tsdl_next(t);
	}
	if (err)
		return err;
	if (!n || n >= sizeof(text))
		return tsdl_fail(t, "a type's name is missing or too long");
	err = tsdl_keep(t, TSDL_ALIAS, cm_name(t->meta, text, n), type);
	return err ? err : tsdl_expect(t, ';');
}

int tsdl_alias(struct tsdl *t, bool *was)
{
	struct members m = { .count = 0 };
	uint32_t i;
	int err;

	*was = true;
	if (tsdl_is_word(t, "typealias")) {
		err = tsdl_next(t);
		return err ? err : take_typealias(t);
	}
	*was = tsdl_is_word(t, "typedef");
	if (!*was)
		return 0;
	err = tsdl_next(t);
	if (!err)
		err = take_fields(t, &m);
	for (i = 0; !err && i < m.count; i++)
		err = tsdl_keep(t, TSDL_ALIAS, m.list[i].name, m.list[i].type);
	free(m.list);
	return err;
}
