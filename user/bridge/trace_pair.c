/* SPDX-License-Identifier: MIT */
/*
 * trace_pair.c - pair trace events that begin and end an operation
 *
 * Only their names tell the pair. Both get the id of the one that begins as their task.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "trace_pair.h"
#include "tracefs_library.h"

#define OPCODE_START	1	/* win:Start */
#define OPCODE_STOP	2	/* win:Stop */

static const struct words {
	const char *begin, *end;
} pairs[] = {
	{ "sys_enter_", "sys_exit_" }, { "_entry", "_exit" }, { "_enter", "_exit" },
	{ "_start", "_end" }, { "_start", "_done" }, { "_begin", "_end" }, { "_begin", "_done" },
	{ "_issue", "_complete" },
};

/* A word at the end of the name; one that ends with _ at its begin. */
static const char *find(const char *name, const char *word)
{
	size_t name_len = strlen(name), len = strlen(word);

	if (name_len <= len)
		return NULL;
	if (word[len - 1] == '_')
		return strncmp(name, word, len) ? NULL : name;
	return strcmp(name + name_len - len, word) ? NULL : name + name_len - len;
}

bool trace_pair_name(const char *name, unsigned int index, char *other, size_t size, bool *ends)
{
	const struct words *p;
	const char *at, *old, *new;

	for (p = pairs; p < pairs + sizeof(pairs) / sizeof(*pairs); p++) {
		old = p->begin;
		new = p->end;
		at = find(name, old);
		*ends = !at;
		if (!at) {
			old = p->end;
			new = p->begin;
			at = find(name, old);
		}
		if (!at || index--)
			continue;
		snprintf(other, size, "%.*s%s%s", (int)(at - name), name, new, at + strlen(old));
		return true;
	}
	return false;
}

/* 0: there is no such event. */
static unsigned int event_id(const char *system, const char *name)
{
	char *text = tracefs_library()->event_file_read(NULL, system, name, "id", NULL);
	unsigned int id = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return id;
}

void trace_pair_find(const char *system, const char *name, struct trace_schema *schema)
{
	unsigned int i, id, first;
	char other[256];
	bool ends;

	for (i = 0; trace_pair_name(name, i, other, sizeof(other), &ends); i++) {
		id = event_id(system, other);
		if (!id)
			continue;
		first = ends ? id : schema->id;
		if (first > UINT16_MAX)
			return;
		schema->opcode = ends ? OPCODE_STOP : OPCODE_START;
		schema->task = first;
		return;
	}
}
