// SPDX-License-Identifier: GPL-2.0-only
/*
 * etl - log files written, read, merged, filtered and converted, beside babeltrace2 and trace-cmd
 *
 *	etl [--json FILE] [--events N] [--only ROW]
 *
 * The event is that of bench/decode, of TraceLogging, so that the file tells its own schema; the
 * trace.dat for trace-cmd has the same fields and texts, and babeltrace2 reads the CTF trace that
 * "etw convert" makes of the log file.  Each row is a process of its own, run for a tenth of the
 * events and for all of them.  Events per second are of CPU time, user and system, for the
 * difference of the two, so that what a process costs that has nothing to do does not count.
 * Memory is the most that was resident, in both: what does not grow with the file is constant.
 *
 * JSON goes to FILE or to the file that $ETW_BENCH_JSON names; the default of --events is
 * $ETW_BENCH_EVENTS or 10,000,000; their files take some 1,200 bytes for each in $TMPDIR.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/tracedat.h"
#include "lib/etlfile.h"
#include "lib/etlwrite.h"

#define CPUS	4
#define WORDS	16

static unsigned int events = 10000000;
static const char *only;
static char dir[2][3072];	/* for a tenth of the events, and for all */
static char etw[4096], self[4096];
static off_t file_bytes, packed_bytes;

struct run {
	double cpu;	/* seconds */
	double rss;	/* MB */
};

/*
 * Words of a command; in them %e is the number of events, %d the folder of this run.  Words
 * that begin with "etw" and "self" are those programs.
 */
struct row {
	const char *key, *title;
	const char *command[WORDS];
	bool peer;
	struct run run[2];
};

#define ROW(its_key, its_title, ...) \
	{ .key = (its_key), .title = (its_title), .command = { __VA_ARGS__ } }
#define CONVERT(its_key, its_title, to, out) \
	ROW(its_key, its_title, "etw", "convert", "%d/a.etl", "--to", to, "-o", out, "-q")
#define PEER(its_key, its_title, ...) \
	{ .key = (its_key), .title = (its_title), .command = { __VA_ARGS__ }, .peer = true }

static struct row rows[] = {
	ROW("write", "the library writes a file", "self", "--part-write", "%d/a.etl", "%e"),
	ROW("read", "the library reads it", "self", "--part-read", "%d/a.etl"),
	ROW("pack", "the library writes it, compressed", "self", "--part-pack", "%d/packed.etl",
	    "%e"),
	ROW("unpack", "the library reads that", "self", "--part-read", "%d/packed.etl"),
	ROW("text", "etw dump, text", "etw", "dump", "%d/a.etl", "--no-names"),
	ROW("json", "etw dump --json", "etw", "dump", "%d/a.etl", "--json", "--no-names"),
	ROW("filter", "etw dump --filter, few are printed", "etw", "dump", "%d/a.etl",
	    "--no-names", "--filter", "number < 1000"),
	ROW("merge", "etw merge of two halves", "etw", "merge", "%d/b.etl", "%d/c.etl", "-o",
	    "%d/merged.etl", "-q"),
	ROW("merge_filter", "etw merge --filter, every second", "etw", "merge", "%d/a.etl", "-o",
	    "%d/half.etl", "-q", "--filter", "number & 1 == 1"),
	CONVERT("lines", "etw convert, JSON lines", "json", "%d/a.json"),
	CONVERT("perfetto", "etw convert, Perfetto", "perfetto", "/dev/null"),
	CONVERT("ctf", "etw convert, CTF", "ctf", "%d/ctf"),
	PEER("babeltrace2", "babeltrace2, text, of that CTF trace", "babeltrace2", "%d/ctf"),
	PEER("trace_cmd", "trace-cmd report of a trace.dat", "trace-cmd", "report", "-i",
	     "%d/trace.dat"),
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

/* ------------------------------------------------------------------- the files */

/* An EVENT64 with provider traits and the event's schema; number and bytes change. */
static const unsigned char metadata[] =
	"\x2b\0\0Transfer\0number\0\x08" "bytes\0\x0a" "device\0\x97\x02" "file\0\x82\x02";
static const unsigned char traits[] = "\x08\0Bench";
#define TRAITS_AT	80
#define SCHEMA_AT	(TRAITS_AT + 8 + 8)
#define PAYLOAD_AT	(SCHEMA_AT + 8 + 48)
#define RECORD		(PAYLOAD_AT + 62)

static void item(unsigned char *to, uint16_t type, uint16_t more, const void *data, uint16_t len)
{
	uint16_t head[4] = { (uint16_t)(8 + (len + 7) / 8 * 8), type, more, len };

	memcpy(to, head, sizeof(head));
	memcpy(to + 8, data, len);
}

static void make_record(unsigned char *r)
{
	static const unsigned char guid[16] = "the bench's guid";
	uint16_t head[3] = { RECORD, 0xC013, 1 };
	uint32_t task[2] = { 4712, 4711 };

	memset(r, 0, RECORD);
	memcpy(r, head, sizeof(head));
	memcpy(r + 8, task, sizeof(task));
	memcpy(r + 24, guid, sizeof(guid));
	r[43] = 11;	/* channel */
	r[44] = 4;
	item(r + TRAITS_AT, 12, 1, traits, traits[0]);
	item(r + SCHEMA_AT, 11, 0, metadata, metadata[0]);
}

static void set_record(unsigned char *r, uint64_t time, unsigned int i)
{
	unsigned char payload[64];

	memcpy(r + 16, &time, 8);
	bench_payload(payload, i);
	memcpy(r + PAYLOAD_AT, payload, 12);
	memcpy(r + PAYLOAD_AT + 12, "\x10", 2);
	memcpy(r + PAYLOAD_AT + 14, payload + 12, 48);
}

/* Every step-th event from first on; each CPU's come in blocks of 100. */
static int write_file(const char *path, unsigned int first, unsigned int step, unsigned int count,
		      bool compress)
{
	struct etw_etl_options options = {
		.replace = true, .name = "bench.etl", .compress = compress,
	};
	_Alignas(8) unsigned char record[RECORD + 8];
	struct etw_etl_writer *writer;
	int err = etw_etl_create(path, &options, &writer);
	uint64_t start;

	if (err)
		return err;
	start = (uint64_t)etw_etl_writer_info(writer)->start_clock;
	make_record(record);
	for (unsigned int i = first; i < count && !err; i += step) {
		set_record(record, start + bench_ns(i), i);
		err = etw_etl_write(writer, (uint16_t)(i / 100 % CPUS), record, RECORD);
	}
	if (!err)
		return etw_etl_finish(writer, 0, NULL);
	etw_etl_discard(writer);
	return err;
}

/* How many events there are beside the header's, or an error. */
static int64_t read_file(const char *path)
{
	struct etw_etl_file *file;
	struct etw_rt_event event;
	int64_t n = -1;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	while ((err = etw_etl_next(file, &event)) == 1)
		n++;
	etw_etl_close(file);
	return err ? err : n;
}

/* The two halves of a trace, by turns; and trace-cmd's. */
static int make_files(const char *in, unsigned int count)
{
	char path[3584];
	int err;

	snprintf(path, sizeof(path), "%s/b.etl", in);
	err = write_file(path, 0, 2, count, false);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/c.etl", in);
	err = write_file(path, 1, 2, count, false);
	if (err)
		return err;
	snprintf(path, sizeof(path), "%s/trace.dat", in);
	return tracedat_write(path, count);
}

/* --------------------------------------------------------------------- running */

/* A word of a command, with what it stands for; kept until the program ends. */
static char *expand(const char *word, const char *in, unsigned int count)
{
	char *out = NULL;
	int ret;

	if (!strcmp(word, "etw"))
		ret = asprintf(&out, "%s", etw);
	else if (!strcmp(word, "self"))
		ret = asprintf(&out, "%s", self);
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

/* out: where the command prints to. */
static int run(const struct row *row, const char *in, unsigned int count, int out,
	       struct run *result)
{
	struct rusage usage;
	char *argv[WORDS + 1];
	int n, status;
	pid_t pid;

	for (n = 0; n < WORDS && row->command[n]; n++)
		argv[n] = expand(row->command[n], in, count);
	argv[n] = NULL;
	pid = fork();
	if (!pid) {
		dup2(out, 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "etl: %s failed%s\n", row->title,
			row->peer ? "; see scripts/setup" : "");
		return -1;
	}
	for (n = 0; argv[n]; n++)
		free(argv[n]);
	result->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		      1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	result->rss = (double)usage.ru_maxrss / 1024;
	return 0;
}

/* Events in a second of CPU time; the timer's grain is no less than that. */
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

/* Lines that a command printed: one for each event, and for what its output begins with. */
static int64_t lines(const struct row *row, const char *in, unsigned int count)
{
	FILE *f = tmpfile();
	struct run unused;
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
	/* The header's event, or the number of CPUs, may have a line as well. */
	if (got >= want && got <= want + 1)
		return 0;
	fprintf(stderr, "etl: %s: %lld events, not %lld\n", what, (long long)got,
		(long long)want);
	return -1;
}

/* Before anything is measured: do the commands do what they are to be measured for? */
static int try_all(void)
{
	const unsigned int count = 2000;
	char path[3584];
	int bad = make_files(dir[0], count);

	for (unsigned int i = 0; i < ROWS && !bad; i++) {
		int64_t n = lines(&rows[i], dir[0], count);

		/* text, json, babeltrace2, trace_cmd: those that print them all */
		if (strchr("tjb", rows[i].key[0]))
			bad = wrong(rows[i].title, n, count);
		else if (n < 0)
			bad = -1;
		else if (!strcmp(rows[i].key, "filter"))
			bad = wrong(rows[i].title, n, 1000);
	}
	snprintf(path, sizeof(path), "%s/merged.etl", dir[0]);
	bad = bad || wrong("merged", read_file(path), count);
	snprintf(path, sizeof(path), "%s/half.etl", dir[0]);
	bad = bad || wrong("filtered", read_file(path), count / 2);
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

/* Bytes of a file of all events; 0: it was not made. */
static off_t size_of(const char *name)
{
	char path[3584];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir[1], name);
	return stat(path, &st) ? 0 : st.st_size;
}

static int measure(void)
{
	int failed = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (unsigned int size = 0; size < 2; size++) {
		unsigned int count = size ? events : events / 10;
		int err = make_files(dir[size], count);

		if (err) {
			fprintf(stderr, "etl: files in %s: %s\n", dir[size], strerror(-err));
			return -1;
		}
		for (unsigned int i = 0; i < ROWS; i++)
			if (!only || !strcmp(only, rows[i].key) || !strcmp("write", rows[i].key) ||
			    (!strcmp(only, "unpack") && !strcmp("pack", rows[i].key)))
				failed |= run(&rows[i], dir[size], count, null,
					      &rows[i].run[size]);
	}
	file_bytes = size_of("a.etl");
	packed_bytes = size_of("packed.etl");
	return failed;
}

/* --------------------------------------------------------------------- telling */

/* How much smaller the compressed file is; 0: it was not made. */
static double packed(void)
{
	return packed_bytes > 0 ? (double)file_bytes / (double)packed_bytes : 0;
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
			ratio(&rows[i], "trace_cmd"), rows[i].run[0].rss, rows[i].run[1].rss,
			i + 1 < ROWS ? "," : "");
	fprintf(f, "    ],\n    \"packed\": %.2f\n  }\n", packed());
	return fclose(f) ? -1 : 0;
}

static void print_table(void)
{
	char title[64];

	snprintf(title, sizeof(title), "log files of %u events", events);
	printf("\n%-38s %11s %8s %8s %9s %9s\n%-38s %11s %8s %8s %9s %9s\n", title,
	       "events per", "to bt2", "to", "MB, a", "MB,", "", "CPU second", "",
	       "trace-cmd", "tenth", "all");
	for (unsigned int i = 0; i < ROWS; i++)
		if (rows[i].run[1].cpu > 0)
			printf("%-38s %11.0f %8.1f %8.1f %9.1f %9.1f\n", rows[i].title,
			       rate(&rows[i]), ratio(&rows[i], "babeltrace2"),
			       ratio(&rows[i], "trace_cmd"), rows[i].run[0].rss,
			       rows[i].run[1].rss);
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

/* This program and the command, which lies in the folder above. */
static int find_programs(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n <= 0)
		return -1;
	strcpy(etw, self);
	slash = strrchr(etw, '/');
	*slash = 0;
	slash = strrchr(etw, '/');
	strcpy(slash, "/etw");
	return access(etw, X_OK);
}

/* The rows that this program runs of itself. */
static int part(char **argv)
{
	if (argv[1] && argv[2] && !strcmp(argv[1], "--part-read"))
		return read_file(argv[2]) < 0;
	if (argv[1] && argv[2] && argv[3] && !strcmp(argv[1], "--part-write"))
		return write_file(argv[2], 0, 1, (unsigned int)atoi(argv[3]), false) != 0;
	if (argv[1] && argv[2] && argv[3] && !strcmp(argv[1], "--part-pack"))
		return write_file(argv[2], 0, 1, (unsigned int)atoi(argv[3]), true) != 0;
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
		else if (!strcmp(argv[i], "--events") && atoi(argv[i + 1]) > 0)
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc || (only && !find(only))) {
		fprintf(stderr, "usage: etl [--json FILE] [--events N] [--only ROW]\n");
		return 2;
	}
	if (find_programs()) {
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
