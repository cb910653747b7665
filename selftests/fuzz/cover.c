// SPDX-License-Identifier: GPL-2.0-only
/*
 * cover.c - coverage of etw.ko from KCOV
 *
 * The parent opens the files and maps their areas; each child's threads enable them for
 * themselves.  Pairs of consecutive points and the errors of each command guide the
 * fuzzer; the report lists points.  KCOV records code that runs in a task's context, but
 * no interrupts and no workers.
 */
#define _GNU_SOURCE
#include <linux/kcov.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "exec.h"

#define COVER_WORDS	(16u << 10)

struct section {
	char name[32];
	uint64_t start, end;
};

static int files[COVER_FDS] = { -1, -1, -1, -1, -1 };
static uint64_t *areas[COVER_FDS];
static bool enabled[COVER_FDS];
static struct section sections[8];
static unsigned int section_count;
static uint64_t text_base;

static bool read_section(const char *name)
{
	struct section *s = &sections[section_count];
	char path[96];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "/sys/module/etw/sections/%s", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	ok = fscanf(f, "%lx", &s->start) == 1 && s->start;
	fclose(f);
	snprintf(s->name, sizeof(s->name), "%s", name);
	if (ok)
		section_count++;
	return ok;
}

static void set_ends(void)
{
	unsigned int i, j;

	for (i = 0; i < section_count; i++) {
		sections[i].end = text_base + TEXT_MAX;
		for (j = 0; j < section_count; j++)
			if (sections[j].start > sections[i].start &&
			    sections[j].start < sections[i].end)
				sections[i].end = sections[j].start;
	}
}

/* false, after printing the reason: the fuzzer continues unguided. */
bool cover_init(void)
{
	int i, fd;

	if (!read_section(".text")) {
		fprintf(stderr, "etw_fuzz: no place of etw.ko's text: unguided\n");
		return false;
	}
	read_section(".text.unlikely");
	text_base = sections[0].start;
	for (i = 1; i < (int)section_count; i++)
		if (sections[i].start < text_base)
			text_base = sections[i].start;
	set_ends();
	for (i = 0; i < COVER_FDS; i++) {
		fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
		files[i] = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS);
		if (fd >= 0)
			close(fd);
		if (files[i] < 0 || ioctl(files[i], KCOV_INIT_TRACE, COVER_WORDS))
			break;
		areas[i] = mmap(NULL, COVER_WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, files[i], 0);
		if (areas[i] == MAP_FAILED)
			break;
	}
	if (i == COVER_FDS)
		return true;
	fprintf(stderr, "etw_fuzz: kcov: %s: unguided\n", strerror(errno));
	files[0] = -1;
	return false;
}

bool cover_works(void)
{
	return files[0] >= 0;
}

void cover_thread_start(int n, bool operands)
{
	/* Another process of the same program may use this area: continue without it. */
	enabled[n] = cover_works() &&
		     !ioctl(files[n], KCOV_ENABLE, operands ? KCOV_TRACE_CMP : KCOV_TRACE_PC);
}

void cover_thread_stop(int n)
{
	if (enabled[n])
		ioctl(files[n], KCOV_DISABLE, 0);
	enabled[n] = false;
}

void cover_call_begin(int n)
{
	if (enabled[n])
		__atomic_store_n(&areas[n][0], 0, __ATOMIC_RELAXED);
}

/* Record an edge for guidance; new if no earlier run had it. */
void cover_signal(uint32_t edge)
{
	uint32_t n;

	edge &= EDGES - 1;
	if (__atomic_exchange_n(&shared->edge_run[edge], shared->run, __ATOMIC_RELAXED))
		return;
	__atomic_fetch_add(&shared->edge_count, 1, __ATOMIC_RELAXED);
	n = __atomic_fetch_add(&shared->fresh_count, 1, __ATOMIC_RELAXED);
	if (n < NEW_MAX)
		shared->fresh[n] = edge;
}

static void take_points(const uint64_t *area, uint64_t count)
{
	uint64_t i, at, last = 0;

	for (i = 1; i <= count; i++) {
		at = area[i] - text_base;
		if (at >= TEXT_MAX)
			continue;
		if (!__atomic_exchange_n(&shared->text[at / TEXT_STEP], 1 + at % TEXT_STEP,
					 __ATOMIC_RELAXED))
			__atomic_fetch_add(&shared->text_count, 1, __ATOMIC_RELAXED);
		cover_signal(rnd_mix(last << 20 ^ at) >> 7);
		last = at;
	}
}

/* Records of four words: type, two operands, where. */
static void take_operands(const uint64_t *area, uint64_t count, unsigned int call)
{
	uint64_t i, a, b;

	for (i = 0; i < count && shared->hint_count < HINTS_MAX; i++) {
		const uint64_t *r = area + 1 + i * 4;

		a = r[1];
		b = r[2];
		if (a == b || harmless(a) != a || harmless(b) != b)
			continue;
		shared->hints[shared->hint_count++] = (struct hint){ b, a, call };
		if (!(r[0] & KCOV_CMP_CONST) && shared->hint_count < HINTS_MAX)
			shared->hints[shared->hint_count++] = (struct hint){ a, b, call };
	}
}

void cover_call_end(int n, unsigned int call, const struct op *op, long ret, bool operands)
{
	uint64_t count;

	if (enabled[n]) {
		count = __atomic_load_n(&areas[n][0], __ATOMIC_RELAXED);
		if (operands)
			take_operands(areas[n], count < COVER_WORDS / 4 ? count : 0, call);
		else
			take_points(areas[n], count < COVER_WORDS ? count : COVER_WORDS - 1);
	}
	if (!operands && op->cmd)
		cover_signal(rnd_mix(0xe5500000 + op->id * 4096 + (ret < 0 ? -ret : 0)) >> 7);
}

/* Take the coverage from the area of a finished task or of the current task. */
void cover_take(int n)
{
	uint64_t count = cover_works() ? __atomic_load_n(&areas[n][0], __ATOMIC_RELAXED) : 0;

	take_points(areas[n], count < COVER_WORDS ? count : COVER_WORDS - 1);
	if (count)
		__atomic_store_n(&areas[n][0], 0, __ATOMIC_RELAXED);
}

/* Write "section offset" of every covered point, for scripts/fuzz. */
void cover_write(const char *path)
{
	FILE *f = fopen(path, "we");
	unsigned int i, k;
	uint64_t at;

	if (!f)
		return;
	for (k = 0; k < TEXT_MAX / TEXT_STEP; k++) {
		at = text_base + k * TEXT_STEP + shared->text[k] - 1;
		for (i = 0; shared->text[k] && i < section_count; i++)
			if (at >= sections[i].start && at < sections[i].end)
				fprintf(f, "%s %lx\n", sections[i].name, at - sections[i].start);
	}
	fclose(f);
}
