// SPDX-License-Identifier: GPL-2.0-only
/*
 * etl - writes, reads, merges, filters and converts log files, compared with babeltrace2
 * and trace-cmd
 *
 *	etl [--json FILE] [--events N] [--only ROW] [--recorded DIRECTORY]
 *
 * The event is bench/decode's TraceLogging event, so the file contains its own schema.
 * Two halves are merged: the files that bench/recorded left in DIRECTORY, which are moved,
 * or two that the library writes.  The merged file is read, filtered and converted.
 * The trace.dat for trace-cmd has the same fields and texts, and babeltrace2 reads the
 * CTF trace that "etw convert" makes from the merged file.  Each row is a process of its
 * own, run three times for a tenth of the events and for all of them; what disturbs a run
 * makes it longer, so the shortest one counts.  Events per second use the CPU time, user
 * and system, of the difference between the two, which excludes the fixed cost of a
 * process.  Memory is the maximum resident size of both runs: if it does not grow with the
 * file, it is constant.
 *
 * JSON goes to FILE or to the file named in $ETW_BENCH_JSON; the default of --events is
 * $ETW_BENCH_EVENTS or 10,000,000; the files take about 2,200 bytes per event in $TMPDIR.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/vm_dev.h"
#include "bench/child.h"
#include "bench/etlmake.h"
#include "bench/tracedat.h"

#define WORDS	16
#define ROUNDS	3
#define SELF	"/proc/self/exe"

static unsigned int events = 10000000;
static const char *only, *recorded;
static char dir[2][3072];	/* for a tenth of the events, and for all */
static char etw[4096];
static off_t file_bytes, packed_bytes;

/*
 * Words of a command: %e is the number of events, %d the folder of this run.  The
 * word "etw" is the command.
 */
struct row {
	const char *key, *title;
	const char *command[WORDS];
	bool peer;
	struct child_cost run[2];
};

#define ROW(its_key, its_title, ...) \
	{ .key = (its_key), .title = (its_title), .command = { __VA_ARGS__ } }
#define CONVERT(its_key, its_title, to, out) \
	ROW(its_key, its_title, "etw", "convert", "%d/a.etl", "--to", to, "-o", out, \
	    "--replace", "-q")
#define PEER(its_key, its_title, ...) \
	{ .key = (its_key), .title = (its_title), .command = { __VA_ARGS__ }, .peer = true }

static struct row rows[] = {
	ROW("merge", "etw merge of two halves", "etw", "merge", "%d/b.etl", "%d/c.etl", "-o",
	    "%d/a.etl", "--replace", "-q"),
	ROW("write", "the library writes a file", SELF, "--part-write", "%d/w.etl", "%e"),
	ROW("read", "the library reads it", SELF, "--part-read", "%d/w.etl"),
	ROW("pack", "the library writes it, compressed", SELF, "--part-pack", "%d/packed.etl",
	    "%e"),
	ROW("unpack", "the library reads that", SELF, "--part-read", "%d/packed.etl"),
	ROW("text", "etw dump, text", "etw", "dump", "%d/a.etl", "--no-names"),
	ROW("json", "etw dump --json", "etw", "dump", "%d/a.etl", "--json", "--no-names"),
	ROW("report", "etw report, a page", "etw", "report", "%d/a.etl", "-o", "%d/a.html",
	    "--replace", "-q"),
	ROW("filter", "etw dump --filter, few are printed", "etw", "dump", "%d/a.etl",
	    "--no-names", "--filter", "number < 1000"),
	ROW("merge_filter", "etw merge --filter, every second", "etw", "merge", "%d/a.etl", "-o",
	    "%d/half.etl", "--replace", "-q", "--filter", "number & 1 == 1"),
	CONVERT("lines", "etw convert, JSON lines", "json", "%d/a.json"),
	CONVERT("perfetto", "etw convert, Perfetto", "perfetto", "%d/a.perfetto-trace"),
	CONVERT("chrome", "etw convert, Chrome", "chrome", "%d/a.chrome.json"),
	CONVERT("csv", "etw convert, CSV", "csv", "%d/a.csv"),
	CONVERT("ctf", "etw convert, CTF", "ctf", "%d/ctf"),
	PEER("babeltrace2", "babeltrace2, text, of that CTF trace", "babeltrace2", "%d/ctf"),
	PEER("trace_cmd", "trace-cmd report of a trace.dat", "trace-cmd", "report", "-i",
	     "%d/trace.dat"),
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

/* Make both halves with the library, or take bench/recorded's for this run. 0 or -errno. */
static int make_halves(const char *in, unsigned int count, const char *run)
{
	char path[sizeof(dir) + 32], from[sizeof(dir) + 32];
	int err = 0;

	for (unsigned int i = 0; i < 2 && !err; i++) {
		snprintf(path, sizeof(path), "%s/%c.etl", in, "bc"[i]);
		snprintf(from, sizeof(from), "%s/%c%s.etl", recorded, "bc"[i], run);
		if (!*run)
			err = etlmake_write(path, i, 2, count, false);
		else if (rename(from, path))
			err = -errno;
	}
	return err;
}

/* The two halves of a trace, and the file for trace-cmd */
static int make_files(const char *in, unsigned int count, const char *run)
{
	char path[sizeof(dir) + 32];
	int err = make_halves(in, count, run);

	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/trace.dat", in);
	return tracedat_write(path, count);
}

/* --------------------------------------------------------------------- running */

/* Expand a word of a command; the result is kept until the program ends. */
static char *expand(const char *word, const char *in, unsigned int count)
{
	char *out = NULL;
	int ret;

	if (!strcmp(word, "etw"))
		ret = asprintf(&out, "%s", etw);
	else if (!strcmp(word, "%e"))
		ret = asprintf(&out, "%u", count);
	else if (!strncmp(word, "%d", 2))
		ret = asprintf(&out, "%s%s", in, word + 2);
	else
		ret = asprintf(&out, "%s", word);
	if (ret < 0)
		exit(1);
	return out;
}

/* out: where the command's output goes */
static int run(const struct row *row, const char *in, unsigned int count, int out,
	       struct child_cost *result)
{
	char *argv[WORDS + 1];
	pid_t pid;
	int n;

	for (n = 0; n < WORDS && row->command[n]; n++)
		argv[n] = expand(row->command[n], in, count);
	argv[n] = NULL;
	pid = fork();
	if (!pid) {
		dup2(out, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (!child_wait(pid, result)) {
		fprintf(stderr, "etl: %s failed%s\n", row->title,
			row->peer ? "; see scripts/setup" : "");
		return -1;
	}
	for (n = 0; argv[n]; n++)
		free(argv[n]);
	return 0;
}

/* The shortest of several runs */
static int run_rounds(const struct row *row, const char *in, unsigned int count, int out,
		      struct child_cost *result)
{
	struct child_cost once;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (run(row, in, count, out, &once))
			return -1;
		if (!i || once.cpu < result->cpu)
			*result = once;
	}
	return 0;
}

/* Events per second of CPU time, which is taken as at least 1 ms, the timer's grain. */
static double rate(const struct row *row)
{
	double took = row->run[1].cpu - row->run[0].cpu;

	return (events - events / 10) / (took > 0.001 ? took : 0.001);
}

static const struct row *find(const char *key)
{
	for (unsigned int i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].key, key))
			return &rows[i];
	return NULL;
}

static double ratio(const struct row *row, const char *peer)
{
	return find(peer)->run[1].cpu ? rate(row) / rate(find(peer)) : 0;
}

/* Lines that a command printed: one per event, and the heading. */
static int64_t lines(const struct row *row, const char *in, unsigned int count)
{
	FILE *f = tmpfile();
	struct child_cost unused;
	int64_t n = 0;
	int c;

	if (!f || run(row, in, count, fileno(f), &unused))
		return -1;
	rewind(f);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int wrong(const char *what, int64_t got, int64_t want)
{
	/* The header's event or the number of CPUs may add a line. */
	if (got >= want && got <= want + 1)
		return 0;
	fprintf(stderr, "etl: %s: %lld events, not %lld\n", what, (long long)got,
		(long long)want);
	return -1;
}

/* Before measuring, check that the commands produce the right output. */
static int try_all(void)
{
	const unsigned int count = 2000;
	char path[sizeof(dir) + 32];
	int bad = make_files(dir[0], count, "");

	for (unsigned int i = 0; i < ROWS && !bad; i++) {
		int64_t n = lines(&rows[i], dir[0], count);

		/* text, json, babeltrace2, trace_cmd: the rows that print all events */
		if (strchr("tjb", rows[i].key[0]))
			bad = wrong(rows[i].title, n, count);
		else if (n < 0)
			bad = -1;
		else if (!strcmp(rows[i].key, "filter"))
			bad = wrong(rows[i].title, n, 1000);
	}
	snprintf(path, sizeof(path), "%s/a.etl", dir[0]);
	bad = bad || wrong("merged", etlmake_read(path), count);
	snprintf(path, sizeof(path), "%s/half.etl", dir[0]);
	bad = bad || wrong("filtered", etlmake_read(path), count / 2);
	return bad;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void clean(unsigned int i)
{
	nftw(dir[i], remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Size of the file of all events; 0 if it was not made. */
static off_t size_of(const char *name)
{
	char path[sizeof(dir) + 32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir[1], name);
	return stat(path, &st) ? 0 : st.st_size;
}

/* Does this row make the file that the only selected row reads? */
static bool needed(const char *key)
{
	return !strcmp(key, "merge") || (!strcmp(only, "read") && !strcmp(key, "write")) ||
	       (!strcmp(only, "unpack") && !strcmp(key, "pack")) ||
	       (!strcmp(only, "babeltrace2") && !strcmp(key, "ctf"));
}

static int measure(void)
{
	int failed = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char path[sizeof(dir) + 32];

	for (unsigned int size = 0; size < 2; size++) {
		unsigned int count = size ? events : events / 10;
		int err = make_files(dir[size], count, !recorded ? "" : size ? "1" : "0");

		if (err) {
			fprintf(stderr, "etl: files in %s: %s\n", dir[size], strerror(-err));
			return -1;
		}
		for (unsigned int i = 0; i < ROWS; i++)
			if (!only || !strcmp(only, rows[i].key) || needed(rows[i].key))
				failed |= run_rounds(&rows[i], dir[size], count, null,
						     &rows[i].run[size]);
	}
	file_bytes = size_of("w.etl");
	packed_bytes = size_of("packed.etl");
	snprintf(path, sizeof(path), "%s/a.etl", dir[1]);
	return failed || wrong("merged", etlmake_read(path), events);
}

/* --------------------------------------------------------------------- reporting */

/* How many times smaller the compressed file is; 0 if it was not made. */
static double packed(void)
{
	return packed_bytes > 0 && file_bytes > 0 ? (double)file_bytes / (double)packed_bytes : 0;
}

static int print_json(const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f) {
		perror(path);
		return -1;
	}
	fprintf(f, "{\n    \"unit\": \"events per CPU second\",\n    \"events\": %u,\n"
		"    \"rows\": [\n", events);
	for (unsigned int i = 0; i < ROWS; i++)
		fprintf(f, "      {\"key\": \"%s\", \"per_second\": %.0f, \"babeltrace2\": %.2f, "
			"\"trace_cmd\": %.2f, \"mb_tenth\": %.1f, \"mb\": %.1f}%s\n", rows[i].key,
			rate(&rows[i]), ratio(&rows[i], "babeltrace2"),
			ratio(&rows[i], "trace_cmd"), rows[i].run[0].mb, rows[i].run[1].mb,
			i + 1 < ROWS ? "," : "");
	fprintf(f, "    ],\n    \"packed\": %.2f\n  }\n", packed());
	return fclose(f) ? -1 : 0;
}

static void print_table(void)
{
	char title[64];

	snprintf(title, sizeof(title), "log files of %u %sevents", events,
		 recorded ? "recorded " : "");
	printf("\n%-38s %11s %8s %8s %9s %9s\n%-38s %11s %8s %8s %9s %9s\n", title,
	       "events per", "to bt2", "to", "MB, a", "MB,", "", "CPU second", "",
	       "trace-cmd", "tenth", "all");
	for (unsigned int i = 0; i < ROWS; i++)
		if (rows[i].run[1].cpu > 0)
			printf("%-38s %11.0f %8.1f %8.1f %9.1f %9.1f\n", rows[i].title,
			       rate(&rows[i]), ratio(&rows[i], "babeltrace2"),
			       ratio(&rows[i], "trace_cmd"), rows[i].run[0].mb,
			       rows[i].run[1].mb);
	if (packed() > 0)
		printf("the compressed file has 1/%.1f of the other one's bytes\n", packed());
}

static int make_dirs(void)
{
	const char *tmp = getenv("TMPDIR");

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(dir[i], sizeof(dir[i]), "%s/etw-bench-XXXXXX", tmp ? tmp : "/tmp");
		if (!mkdtemp(dir[i])) {
			perror("etl: a folder for files");
			return -1;
		}
	}
	return 0;
}

/* Rows that this program runs as a process of its own */
static int part(char **argv)
{
	if (argv[1] && argv[2] && !strcmp(argv[1], "--part-read"))
		return etlmake_read(argv[2]) < 0;
	if (argv[1] && argv[2] && argv[3] && !strcmp(argv[1], "--part-write"))
		return etlmake_write(argv[2], 0, 1, (unsigned int)atoi(argv[3]), false) != 0;
	if (argv[1] && argv[2] && argv[3] && !strcmp(argv[1], "--part-pack"))
		return etlmake_write(argv[2], 0, 1, (unsigned int)atoi(argv[3]), true) != 0;
	return -1;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON"), *n = getenv("ETW_BENCH_EVENTS");
	int ret = part(argv), i;

	if (ret >= 0)
		return ret;
	if (n && atoi(n) > 0)
		events = (unsigned int)atoi(n);
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--only"))
			only = argv[i + 1];
		else if (!strcmp(argv[i], "--recorded"))
			recorded = argv[i + 1];
		else if (!strcmp(argv[i], "--events") && atoi(argv[i + 1]) > 0)
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc || (only && !find(only))) {
		fprintf(stderr, "usage: etl [--json FILE] [--events N] [--only ROW] "
			"[--recorded DIRECTORY]\n");
		return 2;
	}
	snprintf(etw, sizeof(etw), "%s/etw", vm_build());
	if (access(etw, X_OK)) {
		fprintf(stderr, "etl: %s: %s\n", etw, strerror(errno));
		return 1;
	}
	if (make_dirs())
		return 1;
	(void)ctf_write;
	ret = try_all();
	clean(0);
	if (!ret && mkdir(dir[0], 0700))
		ret = -1;
	if (!ret)
		ret = measure();
	clean(0);
	clean(1);
	if (ret)
		return 1;
	if (json && print_json(json))
		return 1;
	print_table();
	return 0;
}
