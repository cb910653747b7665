// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_fuzz - fuzzes /dev/etw; scripts/fuzz runs it in a virtual machine
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <getopt.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "exec.h"

#define RING_ENTRIES	16	/* programs kept in the file "current" */
#define PROGRESS_MS	10000

struct shared *shared;

static struct options {
	unsigned int seconds;
	uint64_t seed;
	const char *out;	/* directory, or NULL */
	unsigned int times;	/* of a replay */
	const char *bad_log, *harmless;
	bool stress, hotplug, replay, show, extract, ops, verbose;
} opt = { .seconds = 60, .times = 100 };

static int current_fd = -1;
static uint64_t programs, known;	/* programs run; programs run before fuzzing began */
static long long started;

static const char *out_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", opt.out, name);
	return path;
}

/* ------------------------------------------------------------------ the record */

/* An entry of "current": number, seed, length, then the program's bytes. */
struct entry {
	uint64_t number, seed;
	uint32_t len, reserved;
	uint8_t bytes[PROG_BYTES];
};

/* Stored on the host before the program runs, so that it survives any failure. */
static bool record(const struct prog *p)
{
	static struct entry e;
	size_t len;

	if (current_fd < 0)
		return true;
	e.number = ++programs;
	e.seed = opt.seed;
	e.len = prog_save(p, e.bytes);
	len = sizeof(e) - sizeof(e.bytes) + e.len;
	if (pwrite(current_fd, &e, len, (off_t)(e.number % RING_ENTRIES) * sizeof(e)) == (ssize_t)len)
		return true;
	finding("cannot record the program: %s", strerror(errno));
	return false;
}

static int by_number(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Extract the programs of "current" to files; the last one is "1". */
static int extract(const char *file, const char *dir)
{
	struct entry *e = calloc(RING_ENTRIES, sizeof(*e));
	struct prog *p = calloc(1, sizeof(*p));
	FILE *f = fopen(file, "re");
	char path[512];
	int i, n = 0;

	if (!f || !e || !p) {
		fprintf(stderr, "etw_fuzz: %s: %s\n", file, strerror(errno));
		return 1;
	}
	if (!fread(e, 1, RING_ENTRIES * sizeof(*e), f))
		fprintf(stderr, "etw_fuzz: %s: no program was run\n", file);
	fclose(f);
	qsort(e, RING_ENTRIES, sizeof(*e), by_number);
	for (i = RING_ENTRIES - 1; i >= 0; i--) {
		if (!e[i].number || e[i].len > PROG_BYTES ||
		    prog_load(p, e[i].bytes, e[i].len))
			continue;
		snprintf(path, sizeof(path), "%s/%d", dir, ++n);
		if (!prog_write(p, path))
			fprintf(stderr, "etw_fuzz: %s: %s\n", path, strerror(errno));
	}
	return n ? 0 : 1;
}

/* -------------------------------------------------------------------- progress */

static void write_stats(void)
{
	static const char *const ends[] = { "whole", "cut", "stuck", "killed", "fault" };
	FILE *f;
	unsigned int i;

	if (!opt.out)
		return;
	f = fopen(out_path("stats"), "we");
	if (!f)
		return;
	fprintf(f, "programs %lu 0\ntried %lu 0\ncalls %lu 0\nbuffers %lu 0\nrecords %lu 0\naccounts %lu 0\n",
		programs, known ? programs - known : 0, shared->calls, shared->buffers, shared->records, shared->accounts);
	for (i = 0; i < ENDS; i++)
		fprintf(f, "end:%s %lu 0\n", ends[i], shared->runs[i]);
	for (i = 0; i < fuzz_op_count; i++)
		fprintf(f, "op:%s %lu %lu %lu\n", fuzz_ops[i]->name, shared->ok[fuzz_ops[i]->id],
			shared->failed[fuzz_ops[i]->id], shared->us[fuzz_ops[i]->id] / 1000);
	fclose(f);
	if (cover_works())
		cover_write(out_path("points"));
}

static void progress(bool now)
{
	static long long last;
	long long ms = now_ms() - started;

	if (!now && ms - last < PROGRESS_MS)
		return;
	last = ms;
	printf("# %4lld s: %lu programs, %lu calls, %lld/s, corpus %u, %u points, %u pairs\n",
	       ms / 1000, programs, shared->calls,
	       ms ? (long long)shared->calls * 1000 / ms : 0, corpus_count, shared->text_count,
	       shared->edge_count);
	fflush(stdout);
	write_stats();
}

/* --------------------------------------------------------------------- running */

static bool run(const struct prog *p, unsigned int flags)
{
	bool ok = record(p) && exec_run(p, flags | (opt.verbose ? RUN_VERBOSE : 0)) && check_after();

	progress(false);
	return ok;
}

/* Does p still reach the wanted pairs? */
static bool goes(const struct prog *p, const uint32_t *wanted, unsigned int n)
{
	unsigned int i;

	if (!run(p, 0))
		return false;
	for (i = 0; i < n; i++)
		if (shared->edge_run[wanted[i]] != shared->run)
			return false;
	return true;
}

/* Remove the calls that the new coverage does not need, from the end. */
static void minimise(struct prog *p)
{
	static struct prog smaller;
	uint32_t wanted[NEW_MAX];
	unsigned int n = shared->fresh_count, chunk, at, i, runs = 0;

	if (n > 32)
		n = 32;
	memcpy(wanted, shared->fresh, n * sizeof(wanted[0]));
	if (!goes(p, wanted, n))
		return;		/* the coverage seems to depend on chance: keep all calls */
	for (chunk = p->count / 2; chunk && runs < 6; chunk /= 2) {
		for (at = 0; at < p->count && p->count > 1 && runs < 6; runs++) {
			smaller = *p;
			for (i = 0; i < chunk && at < smaller.count; i++)
				prog_remove_call(&smaller, at);
			if (smaller.count && goes(&smaller, wanted, n))
				*p = smaller;
			else if (shared->finding[0])
				return;
			else
				at += chunk;
		}
	}
	smaller = *p;
	smaller.flags = 0;
	if (p->flags && !shared->finding[0] && goes(&smaller, wanted, n))
		*p = smaller;
}

static void try(struct prog *p, const char *dir)
{
	if (!run(p, 0) || !shared->fresh_count)
		return;
	/* At the start everything is new: minimising costs the most and gains the least. */
	if (shared->fresh_count < 400)
		minimise(p);
	if (!shared->finding[0])
		corpus_add(p, dir);
}

static void try_hints(const struct prog *from, const char *dir)
{
	static struct prog p;
	int i;

	p = *from;
	p.flags = 0;
	shared->hint_count = 0;
	if (!run(&p, RUN_OPERANDS))
		return;
	for (i = 0; i < 8 && !shared->finding[0]; i++) {
		p = *from;
		if (!gen_hint(&p))
			return;
		try(&p, dir);
	}
}

/* A program with a file in save is known: files are named after their contents. */
static bool is_saved(const char *save, const char *name)
{
	char path[800];

	snprintf(path, sizeof(path), "%s/%s", save, name);
	return !access(path, F_OK);
}

static void load_corpus(const char *dir, const char *save)
{
	DIR *d = opendir(dir);
	struct prog p;
	struct dirent *e;
	char path[800];
	const char *error;

	while (d && !shared->finding[0] && (e = readdir(d))) {
		if (e->d_name[0] == '.' || strstr(e->d_name, ".new") ||
		    (save && is_saved(save, e->d_name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		error = prog_read(&p, path);
		if (error)
			fprintf(stderr, "etw_fuzz: %s: %s\n", path, error);
		else if (run(&p, 0) && (shared->fresh_count || !cover_works()))
			corpus_add(&p, save);
	}
	if (d)
		closedir(d);
}

/* Run the known programs first; their time does not count. */
static void fuzz(const char *dir)
{
	unsigned int i;
	struct prog p;
	long long end;

	for (i = 0; i < scenario_count() && !shared->finding[0]; i++) {
		scenario_get(&p, i);
		if (run(&p, RUN_WHOLE) && shared->fresh_count)
			corpus_add(&p, dir);
	}
	known = programs;
	end = now_ms() + opt.seconds * 1000LL;
	while (now_ms() < end && !shared->finding[0]) {
		if (!corpus_count || one_in(20)) {
			gen_prog(&p);
		} else if (cover_works() && one_in(40)) {
			try_hints(corpus_pick(), dir);
			continue;
		} else {
			p = *corpus_pick();
			gen_mutate(&p, corpus_pick);
		}
		try(&p, dir);
	}
}

static void replay(char **files, int count)
{
	struct prog *p = calloc(count, sizeof(*p));
	unsigned int i;
	const char *error;
	int k;

	for (k = 0; p && k < count; k++) {
		error = prog_read(&p[k], files[k]);
		if (error) {
			finding("%s: %s", files[k], error);
			return;
		}
		prog_show(&p[k], stdout);
	}
	for (i = 0; p && i < opt.times && !shared->finding[0]; i++)
		for (k = 0; k < count && !shared->finding[0]; k++)
			run(&p[k], i ? 0 : RUN_VERBOSE);
	free(p);
}

/* ------------------------------------------------------------------------ main */

static int show(char **files, int count)
{
	static struct prog p;
	int i, bad = 0;

	for (i = 0; i < count; i++) {
		const char *error = prog_read(&p, files[i]);

		printf("%s:%s%s\n", files[i], error ? " " : "", error ?: "");
		if (error)
			bad = 1;
		else
			prog_show(&p, stdout);
	}
	return bad;
}

/* For each operation its id, its name and the command of the device that it calls, or 0. */
static int show_ops(void)
{
	unsigned int i;

	for (i = 0; i < fuzz_op_count; i++)
		printf("%u %s %#x\n", fuzz_ops[i]->id, fuzz_ops[i]->name,
		       fuzz_ops[i]->cmd ? fuzz_ops[i]->cmd : fuzz_ops[i]->issues);
	return 0;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: etw_fuzz [--time S] [--seed N] [--out DIR] [--stress] [--hotplug] [--verbose]\n"
		"                [--bad-log PATTERN] [--harmless-log PATTERN] [CORPUS-DIR...]\n"
		"       etw_fuzz --replay [--times N] FILE...\n"
		"       etw_fuzz --show FILE...\n"
		"       etw_fuzz --operations\n"
		"       etw_fuzz --extract OUT/current DIR\n");
	return 2;
}

static bool parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "time", 1, NULL, 't' }, { "seed", 1, NULL, 's' }, { "out", 1, NULL, 'o' },
		{ "stress", 0, NULL, 'S' }, { "hotplug", 0, NULL, 'H' },
		{ "verbose", 0, NULL, 'v' }, { "replay", 0, NULL, 'r' }, { "times", 1, NULL, 'n' },
		{ "show", 0, NULL, 'w' }, { "extract", 0, NULL, 'x' },
		{ "operations", 0, NULL, 'p' },
		{ "bad-log", 1, NULL, 'b' }, { "harmless-log", 1, NULL, 'm' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 't': opt.seconds = strtoul(optarg, NULL, 0); break;
		case 's': opt.seed = strtoull(optarg, NULL, 0); break;
		case 'o': opt.out = optarg; break;
		case 'S': opt.stress = true; break;
		case 'H': opt.hotplug = true; break;
		case 'v': opt.verbose = true; break;
		case 'r': opt.replay = true; break;
		case 'n': opt.times = strtoul(optarg, NULL, 0); break;
		case 'w': opt.show = true; break;
		case 'x': opt.extract = true; break;
		case 'p': opt.ops = true; break;
		case 'b': opt.bad_log = optarg; break;
		case 'm': opt.harmless = optarg; break;
		default: return false;
		}
	}
	return true;
}

static bool set_up(void)
{
	sigset_t chld;
	int fd;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !memory_init() ||
	    !check_init(!access("/dev/etw_test", F_OK), opt.bad_log, opt.harmless))
		return false;
	cover_init();
	if (opt.out) {
		fd = open(out_path("current"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		current_fd = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS);
		if (current_fd < 0) {
			fprintf(stderr, "etw_fuzz: %s: %s\n", out_path("current"), strerror(errno));
			return false;
		}
		close(fd);
	}
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	rnd_seed(opt.seed);
	started = now_ms();
	return true;
}

int main(int argc, char **argv)
{
	char dir[512] = "";	/* where the corpus is kept */
	const char *error;
	int i;

	/* Re-executed as a program's child, which holds inherited resources. */
	if (argc == 3 && !strcmp(argv[1], "--hold")) {
		while (!strcmp(argv[2], "yes"))
			pause();
		return 0;
	}
	if (!parse(argc, argv))
		return usage();
	error = ops_error();
	if (error) {
		fprintf(stderr, "etw_fuzz: %s\n", error);
		return 1;
	}
	if (opt.ops)
		return show_ops();
	if (opt.show)
		return show(argv + optind, argc - optind);
	if (opt.extract)
		return argc - optind == 2 ? extract(argv[optind], argv[optind + 1]) : usage();
	if (!set_up())
		return 1;
	if (opt.out)
		snprintf(dir, sizeof(dir), "%s", out_path("corpus"));
	weather_start(opt.stress, opt.hotplug);
	if (opt.replay) {
		replay(argv + optind, argc - optind);
	} else {
		if (*dir)
			load_corpus(dir, NULL);
		for (i = optind; i < argc; i++)
			load_corpus(argv[i], *dir ? dir : NULL);
		fuzz(*dir ? dir : NULL);
	}
	weather_stop();
	check_after();
	progress(true);
	if (shared->finding[0])
		printf("FINDING: %s\n", shared->finding);
	return shared->finding[0] ? 1 : 0;
}
