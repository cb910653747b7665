/* SPDX-License-Identifier: MIT */
/*
 * probe_find.c - which probes there are
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/grow.h"
#include "elf_file.h"
#include "probe.h"
#include "probe_functions.h"
#include "usdt.h"

struct search {
	struct probe_spec spec;		/* what is looked for */
	struct probe_names *names;
	struct suggest near;
	int err;
};

/* Both parts of one that has two; what is typed for usdt is compared as a whole. */
static void join(const char *provider, const char *symbol, char to[2 * PROBE_TEXT])
{
	snprintf(to, 2 * PROBE_TEXT, "%s%s%s", provider, *provider ? ":" : "", symbol);
}

static bool add(struct search *s, const struct probe_spec *found)
{
	const size_t count = s->names->count;
	char name[3 * PROBE_TEXT], **list = s->names->list;

	if (!probe_spec_name(found, name, sizeof(name)))
		return true;
	list = etw_grow(list, count, sizeof(*list));
	if (list)
		s->names->list = list;
	if (!list || !(list[count] = strdup(name))) {
		s->err = -ENOMEM;
		return false;
	}
	s->names->count++;
	return true;
}

/* Can it be part of a name, and be printed?  A file may say anything. */
static bool is_plain(const char *text)
{
	const char *c = text;

	while (*c > ' ' && *c < 0x7f && *c != ':' && *c != '+' && *c != '(')
		c++;
	return !*c && c - text < PROBE_TEXT;
}

static bool consider(struct search *s, const char *provider, const char *symbol)
{
	struct probe_spec found = s->spec;
	char text[2 * PROBE_TEXT];

	if (!is_plain(provider) || !is_plain(symbol))
		return true;
	if (!fnmatch(s->spec.provider, provider, 0) && !fnmatch(s->spec.symbol, symbol, 0)) {
		snprintf(found.provider, sizeof(found.provider), "%s", provider);
		snprintf(found.symbol, sizeof(found.symbol), "%s", symbol);
		return add(s, &found);
	}
	if (!probe_spec_is_pattern(&s->spec)) {
		join(provider, symbol, text);
		suggest_try(&s->near, text);
	}
	return true;
}

static bool take_symbol(void *context, const char *name, uint64_t address)
{
	(void)address;
	return consider(context, "", name);
}

static bool take_note(void *context, const struct usdt_note *note)
{
	return consider(context, note->provider, note->name);
}

/* Of a name that is no pattern the kernel may know more than the list. */
static int find_functions(struct search *s, char why[PROBE_TEXT])
{
	const bool is_pattern = probe_spec_is_pattern(&s->spec);
	const struct probe_function *list;
	size_t count, i;
	int err = probe_functions(&list, &count);

	if (!is_pattern && (err == -ENOENT || probe_function_find(s->spec.symbol)))
		return add(s, &s->spec) ? 0 : s->err;
	for (i = 0; !err && i < count && consider(s, "", list[i].name); i++)
		;
	/* It may be another name of one in the list: then the kernel takes it. */
	if (!err && !s->names->count && !is_pattern && probe_function_exists(s->spec.symbol))
		return add(s, &s->spec) ? 0 : s->err;
	if (err == -ENOENT)
		snprintf(why, PROBE_TEXT, PROBE_NO_TRACEFS);
	return err;
}

static int find_in_file(struct search *s, char why[PROBE_TEXT])
{
	struct elf_file file;
	int err = elf_file_open(s->spec.path, &file);

	if (err == -ENOENT && !strchr(s->spec.path, '/'))
		snprintf(why, PROBE_TEXT,
			 "no such file in PATH or among the system's libraries: give its path");
	if (err)
		return err;
	if (s->spec.kind == PROBE_USDT)
		usdt_notes(&file, take_note, s);
	else
		elf_file_symbols(&file, take_symbol, s);
	elf_file_close(&file);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct probe_names *names)
{
	size_t i, kept = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(*names->list), by_text);
	for (i = 1; i < names->count; i++) {
		if (strcmp(names->list[i], names->list[kept]))
			names->list[++kept] = names->list[i];
		else
			free(names->list[i]);
	}
	names->count = kept + 1;
}

/* A name keeps its form, such as that of the offset: the provider's GUID is made of it. */
static int keep_typed(struct search *s, const char *typed)
{
	char *copy;

	if (!s->names->count || probe_spec_is_pattern(&s->spec))
		return 0;
	copy = strdup(typed);
	if (!copy)
		return -ENOMEM;
	while (s->names->count)
		free(s->names->list[--s->names->count]);
	s->names->list[s->names->count++] = copy;
	return 0;
}

/* The whole name of the one that is near */
static void set_near(struct search *s)
{
	const char *colon = strchr(s->near.best, ':');
	struct probe_spec found = s->spec;

	if (!*s->near.best)
		return;
	if (*found.provider && colon)
		snprintf(found.provider, sizeof(found.provider), "%.*s",
			 (int)(colon - s->near.best), s->near.best);
	snprintf(found.symbol, sizeof(found.symbol), "%s",
		 *found.provider && colon ? colon + 1 : s->near.best);
	if (!probe_spec_name(&found, s->names->near, sizeof(s->names->near)))
		*s->names->near = '\0';
}

int probe_find(const char *pattern, struct probe_names *names, char why[PROBE_TEXT])
{
	struct search s = { .names = names };
	char typed[2 * PROBE_TEXT];
	int err;

	memset(names, 0, sizeof(*names));
	*why = '\0';
	if (!probe_spec_parse(pattern, &s.spec, why))
		return -EINVAL;
	join(s.spec.provider, s.spec.symbol, typed);
	suggest_begin(&s.near, typed);
	err = *s.spec.path ? find_in_file(&s, why) : find_functions(&s, why);
	err = err ? err : s.err;
	if (!err)
		err = keep_typed(&s, pattern);
	if (err) {
		probe_names_free(names);
		return err;
	}
	sort(names);
	if (!names->count)
		set_near(&s);
	return 0;
}

void probe_names_free(struct probe_names *names)
{
	while (names->count)
		free(names->list[--names->count]);
	free(names->list);
	names->list = NULL;
}
