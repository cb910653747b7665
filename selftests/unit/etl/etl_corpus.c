// SPDX-License-Identifier: MIT
/*
 * Windows' own log files: every record agrees with an independent parser
 *
 * The files and the parser's lists are outside this tree, see $ETW_CORPUS.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "etl/file.h"
#include "etl/record.h"
#include "base/guid.h"
#include "lib/tap.h"

#define CPUS	64
#define COLUMNS	21

enum column { N, BUFFER, CPU, TYPE, PROVIDER, ID, VERSION, CHANNEL, LEVEL, OPCODE, TASK, KEYWORD,
	      FLAGS, PROPERTY, PID, TID, TIME, ACTIVITY, EXT, LENGTH, SHA1 };

struct row {
	char *text[COLUMNS];
	struct row *next;
	struct row *before;	/* previous row among all */
};

static struct row *rows[CPUS];	/* rows of each CPU, in order */
static struct row *newest;
static char dir[] = "/tmp/etw-corpus-XXXXXX";
static char first_wrong[512];

static void read_rows(const char *path)
{
	struct row **end[CPUS];
	size_t size = 0;
	char *line = NULL;
	FILE *f = fopen(path, "r");
	int i;

	for (i = 0; i < CPUS; i++) {
		rows[i] = NULL;
		end[i] = &rows[i];
	}
	if (!f || getline(&line, &size, f) < 0)
		abort();
	while (getline(&line, &size, f) > 0) {
		struct row *row = calloc(1, sizeof(*row));
		char *rest = strdup(line);

		for (i = 0; i < COLUMNS; i++) {
			row->text[i] = strsep(&rest, "\t\n");
			if (!row->text[i])
				abort();
		}
		row->before = newest;
		newest = row;
		i = atoi(row->text[CPU]);
		*end[i] = row;
		end[i] = &row->next;
	}
	fclose(f);
	free(line);
}

static void free_rows(void)
{
	while (newest) {
		struct row *row = newest;

		newest = row->before;
		free(row->text[N]);	/* the start of the line */
		free(row);
	}
}

/* An empty column matches any value. */
static bool number(const struct row *row, enum column column, uint64_t value)
{
	return !*row->text[column] || strtoull(row->text[column], NULL, 0) == value;
}

static bool guid(const char *text, const struct etw_guid *guid)
{
	struct etw_guid want;

	return !*text || (!etw_guid_parse(text, &want) && !memcmp(&want, guid, sizeof(want)));
}

/* As the corpus spells the type of a record; NULL: unknown */
static const char *type_name(uint8_t type)
{
	static const char *const names[] = {
		[ETW_ETL_SYSTEM32] = "SYSTEM32", [ETW_ETL_SYSTEM64] = "SYSTEM64",
		[ETW_ETL_COMPACT32] = "COMPACT32", [ETW_ETL_COMPACT64] = "COMPACT64",
		[ETW_ETL_FULL32] = "FULL32", [ETW_ETL_FULL64] = "FULL64",
		[ETW_ETL_INSTANCE32] = "INSTANCE32", [ETW_ETL_INSTANCE64] = "INSTANCE64",
		[ETW_ETL_ERROR] = "ERROR", [ETW_ETL_MESSAGE] = "MESSAGE",
		[ETW_ETL_PERFINFO32] = "PERFINFO32", [ETW_ETL_PERFINFO64] = "PERFINFO64",
		[ETW_ETL_EVENT32] = "EVENT32", [ETW_ETL_EVENT64] = "EVENT64",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

static bool agrees(const struct row *row, const struct etw_event *e)
{
	const struct etw_event_header *h = e->record.header;
	const char *type = type_name(h->type & 0xFF);
	bool hook = !strncmp(row->text[PROVIDER], "0x", 2);

	return type && !strcmp(type, row->text[TYPE]) &&
	       (hook ? number(row, PROVIDER, h->desc.task) :
		       guid(row->text[PROVIDER], &h->provider)) &&
	       number(row, ID, h->desc.id) && number(row, VERSION, h->desc.version) &&
	       number(row, CHANNEL, h->desc.channel) && number(row, LEVEL, h->desc.level) &&
	       (hook || number(row, OPCODE, h->desc.opcode)) &&
	       (hook || number(row, TASK, h->desc.task)) &&
	       number(row, KEYWORD, h->desc.keyword) && number(row, PROPERTY, h->property) &&
	       number(row, PID, h->process_id) && number(row, TID, h->thread_id) &&
	       number(row, TIME, h->timestamp) && guid(row->text[ACTIVITY], &h->activity) &&
	       number(row, LENGTH, e->record.data_len);
}

/* Write the payload to a file, for sha1sum. */
static void keep_payload(unsigned int i, const struct etw_event *e)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%06u", dir, i);
	f = fopen(path, "w");
	if (!f || fwrite(e->record.data, 1, e->record.data_len, f) != e->record.data_len)
		abort();
	fclose(f);
}

/* Compare the payloads' sums with the rows' in order; returns the number of differences. */
static unsigned int compare_payloads(struct row **list, unsigned int count)
{
	char command[128], line[256];
	unsigned int i = 0, wrong = 0;
	FILE *f;

	snprintf(command, sizeof(command), "cd %s && find . -type f | sort | xargs sha1sum", dir);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (i < count && list[i])
			wrong += strncmp(line, list[i]->text[SHA1], strlen(list[i]->text[SHA1])) != 0;
		i++;
	}
	if (f)
		pclose(f);
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	return system(command) || i != count ? count : wrong;
}

__extension__ typedef __int128 wide;

/*
 * The FILETIME by the formula of the header's page: from the start, with the clock's
 * frequency.
 */
static bool by_header(const struct etw_etl_info *info, const struct etw_event *e)
{
	int64_t raw = e->record.header->timestamp, want = raw;

	if (info->header.ReservedFlags == ETW_CLOCK_QPC)
		want = info->header.StartTime.QuadPart +
		       (int64_t)(((wide)raw - info->start_clock) * 10000000 /
				 info->header.PerfFreq.QuadPart);
	else if (info->header.ReservedFlags == ETW_CLOCK_CYCLES)
		want = info->header.StartTime.QuadPart +
		       (int64_t)(((wide)raw - info->start_clock) * 10 /
				 info->header.CpuSpeedInMHz);
	return e->time - want <= 1 && want - e->time <= 1;
}

static void test_file(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	unsigned int count = 0, wrong = 0, left = 0, late = 0, off = 0, i;
	struct row **list = NULL;
	struct etw_etl_file *file;
	struct etw_event e;
	int64_t last = INT64_MIN;
	char tsv[1024];
	int ret;

	snprintf(tsv, sizeof(tsv), "%s.events.tsv", path);
	read_rows(tsv);
	ret = etw_etl_open(path, NULL, NULL, &file);
	if (!ok(!ret, "%s is opened", name))
		return;
	while ((ret = etw_etl_next(file, &e)) == 1) {
		struct row *row = e.cpu < CPUS ? rows[e.cpu] : NULL;

		list = realloc(list, (count + 1) * sizeof(*list));
		list[count] = row;
		keep_payload(count++, &e);
		late += e.time < last;
		off += !by_header(etw_etl_info(file), &e);
		last = e.time;
		if (!row || !agrees(row, &e)) {
			if (!wrong++)
				snprintf(first_wrong, sizeof(first_wrong), "cpu %u, %s of %s", e.cpu,
					 row ? row->text[N] : "?", name);
		}
		if (row)
			rows[e.cpu] = row->next;
	}
	for (i = 0; i < CPUS; i++)
		left += rows[i] != NULL;
	ok(!ret && !left, "%s: %u events, none left over", name, count);
	if (!ok(!wrong, "%s: each says what it should, in its CPU's order", name))
		printf("# %u, the first: %s\n", wrong, first_wrong);
	is(compare_payloads(list, count), 0, "the same payloads");
	is(late, 0, "by time");
	is(off, 0, "which is that of the header's formula");
	etw_etl_close(file);
	free(list);
	free_rows();
}

int main(void)
{
	const char *corpus = getenv("ETW_CORPUS") ?: "../shared/corpus";
	char pattern[1024];
	glob_t files;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/etl/*.etl", corpus);
	if (glob(pattern, 0, NULL, &files)) {
		skip("no log files in %s/etl", corpus);
		return done_testing();
	}
	if (!mkdtemp(dir))
		abort();
	for (i = 0; i < files.gl_pathc; i++)
		test_file(files.gl_pathv[i]);
	rmdir(dir);
	globfree(&files);
	return done_testing();
}
