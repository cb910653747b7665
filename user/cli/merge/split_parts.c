/* SPDX-License-Identifier: MIT */
/*
 * split_parts.c - the files that etw split writes
 *
 * Records about the whole trace, such as schemas, are in all of them.  They may come at the
 * trace's end, when most files are finished: then they are added to these.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "split_parts.h"

#define KEPT_MAX	((size_t)64 << 20)	/* bytes */

/* --------------------------------------------------------------------- names */

/* Behind a %: how many digits, 0: no number. */
static int digits_of(const char **at)
{
	int digits = 1;

	if (**at == '0' && (*at)[1] >= '1' && (*at)[1] <= '9') {
		digits = (*at)[1] - '0';
		*at += 2;
	}
	return *(*at)++ == 'd' ? digits : 0;
}

void split_check_pattern(const char *pattern)
{
	const char *at = pattern;
	unsigned int numbers = 0;

	while ((at = strchr(at, '%'))) {
		at++;
		if (*at == '%')
			at++;
		else if (digits_of(&at))
			numbers++;
		else
			numbers = 2;
	}
	if (numbers != 1)
		cli_usage("--output: %s: one %%d is needed, or %%03d, for the file's number; %%%% is a %%",
			  cli_quote(pattern));
}

static char *name_of(const char *pattern, unsigned int number)
{
	size_t room = strlen(pattern) + 16, len = 0;
	char *name = malloc(room);
	const char *at = pattern;

	if (!name)
		cli_die("out of memory");
	while (*at) {
		if (*at != '%')
			name[len++] = *at++;
		else if (*++at == '%')
			name[len++] = *at++;
		else
			len += (size_t)snprintf(name + len, room - len, "%0*u", digits_of(&at),
						number);
	}
	name[len] = '\0';
	return name;
}

/* ---------------------------------------------------------------------- parts */

/* Write what all parts have and this one lacks. */
static int put_kept(struct split_parts *parts, struct split_part *part)
{
	struct etlmerge *merge = &parts->run->merge;
	uint64_t skipped = merge->skipped;
	uint32_t size;
	uint16_t cpu;
	int status;

	while (part->kept < parts->kept.len) {
		const uint8_t *at = parts->kept.data + part->kept;

		memcpy(&cpu, at, sizeof(cpu));
		memcpy(&size, at + 4, sizeof(size));
		status = merge_output_put(&part->out, merge, cpu, at + 8, size);
		if (status)
			return status;
		part->kept += 8 + (size + 7u) / 8 * 8;
		part->kept_records += merge->skipped == skipped;
		skipped = merge->skipped;
	}
	return 0;
}

struct split_part *split_begin(struct split_parts *parts, unsigned int number)
{
	struct split_part *part;
	char *name;
	int status;

	if (parts->count == SPLIT_PARTS_MAX) {
		cli_fail("these would be more than %d files", SPLIT_PARTS_MAX);
		return NULL;
	}
	if (parts->count == parts->room) {
		parts->room = parts->room ? 2 * parts->room : 16;
		part = reallocarray(parts->list, parts->room, sizeof(*part));
		if (!part)
			cli_die("out of memory");
		parts->list = part;
	}
	part = &parts->list[parts->count];
	memset(part, 0, sizeof(*part));
	part->number = number;
	name = name_of(parts->pattern, number);
	status = merge_output_create(&part->out, name, parts->run);
	free(name);
	if (status) {
		merge_output_discard(&part->out);
		return NULL;
	}
	parts->count++;
	return put_kept(parts, part) ? NULL : part;
}

int split_keep(struct split_parts *parts, const struct etlmerge_record *record)
{
	struct split_part *part;
	int status = 0;

	if (parts->kept.len + 8 + record->size + 7 > KEPT_MAX) {
		parts->kept_lost++;
		return 0;
	}
	etw_bytes_put32(&parts->kept, record->event->cpu);
	etw_bytes_put32(&parts->kept, record->size);
	etw_bytes_put(&parts->kept, record->data, record->size);
	etw_bytes_align(&parts->kept, 0, 8);
	if (parts->kept.error)
		cli_die("out of memory");
	for (part = parts->list; part < parts->list + parts->count && !status; part++)
		if (part->out.writer)
			status = put_kept(parts, part);
	return status;
}

int split_finish(struct split_part *part, int64_t end_time)
{
	int status = merge_output_finish(&part->out, end_time);

	part->end_time = end_time;
	if (status)
		return status;
	/* Of a file that was reopened only what was added is counted. */
	part->events += part->out.count.events - part->kept_records;
	part->kept_records = 0;
	return 0;
}

int split_complete(struct split_parts *parts)
{
	struct split_part *part;
	int status = 0;

	for (part = parts->list; part < parts->list + parts->count && !status; part++) {
		if (part->kept == parts->kept.len || part->out.writer)
			continue;
		status = merge_output_reopen(&part->out);
		if (!status)
			status = put_kept(parts, part);
		if (!status)
			status = split_finish(part, part->end_time);
	}
	return status;
}

static int by_path(const void *a, const void *b)
{
	const struct merge_output *const *x = a, *const *y = b;

	return strcmp((*x)->file.path, (*y)->file.path);
}

int split_commit(struct split_parts *parts)
{
	struct merge_output **list = calloc(parts->count + 1, sizeof(*list));
	unsigned int i, count = 0;
	int status = 0;

	if (!list)
		cli_die("out of memory");
	for (i = 0; i < parts->count; i++)
		if (parts->list[i].out.file.temp_path)
			list[count++] = &parts->list[i].out;
	/* Links can make two parts one file, where one part would replace the other. */
	qsort(list, count, sizeof(*list), by_path);
	for (i = 1; i < count && !status; i++)
		if (!by_path(&list[i - 1], &list[i]))
			status = cli_fail("%s: links make this the file of another part, too",
					  cli_quote(list[i]->path));
	if (!status)
		status = merge_output_commit(list, count);
	free(list);
	return status;
}

void split_free(struct split_parts *parts, bool good)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++) {
		if (good)
			merge_output_free(&parts->list[i].out);
		else
			merge_output_discard(&parts->list[i].out);
	}
	free(parts->list);
	etw_bytes_free(&parts->kept);
}
