// SPDX-License-Identifier: GPL-2.0-only
/*
 * cacheline - two CPUs that write to one session store to no common cache line
 *
 * All memory of etw.ko that a write might store to is compared before and after some writes
 * of one CPU, then of the other: its variables, the session with its provider, and the
 * control blocks and data of the buffers.  The kernel's per-CPU data is separate by
 * construction.  A value that is restored before the write returns is not noticed.
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#include <elf.h>

#define LINE		64
#define CPUS		2
#define REGIONS		512
#define CHANGED		256	/* lines that some writes may change */
#define ROUNDS		4
#define EVENTS		5	/* they fit into the smallest buffer */

static const struct etw_guid guid = ETW_TEST_GUID;

/* A part of the kernel's memory, before and after. */
struct region {
	struct etw_test_range range;
	uint8_t *was, *is;
};

struct lines {
	unsigned int n;
	uint64_t line[CHANGED];
};

FIXTURE(cacheline) {
	int fd;
	int kfd;
	uint64_t session;
	struct etw_test_place place[CPUS];
	uint64_t commit[REGIONS];	/* commit words of all buffers */
	unsigned int buffers;
	struct region region[REGIONS];
	unsigned int regions;
};

static uint64_t line_of(uint64_t address)
{
	return address / LINE;
}

static bool peek(FIXTURE_DATA(cacheline) *self, uint64_t start, uint64_t size, void *to)
{
	struct etw_test_peek p = { .start = start, .size = size, .to = VM_PTR(to) };

	return !vm_ioctl(self->kfd, ETW_TEST_PEEK, &p);
}

static bool add(FIXTURE_DATA(cacheline) *self, uint64_t start, uint64_t size)
{
	struct region *r = &self->region[self->regions];

	if (!start || !size || self->regions == REGIONS)
		return false;
	r->range = (struct etw_test_range){ .start = start, .size = size };
	r->was = calloc(1, size);
	r->is = calloc(1, size);
	self->regions++;
	return r->was && r->is && peek(self, start, size, r->is);
}

/* ------------------------------------------------------ what is looked at */

/* The address of a section of etw.ko; 0: it was freed, as the sections for init are. */
static uint64_t section_address(const char *name)
{
	unsigned long long address = 0;
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/etw/sections/%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llx", &address) != 1)
		address = 0;
	if (f)
		fclose(f);
	return address;
}

/* Add all writable sections of the module; false if .data or .bss is missing. */
static bool add_sections(FIXTURE_DATA(cacheline) *self, const uint8_t *ko)
{
	const Elf64_Ehdr *e = (const void *)ko;
	const Elf64_Shdr *s = (const void *)(ko + e->e_shoff);
	const char *names = (const char *)ko + s[e->e_shstrndx].sh_offset, *name;
	unsigned int i, found = 0;
	uint64_t address;

	for (i = 0; i < e->e_shnum; i++) {
		name = names + s[i].sh_name;
		if (!(s[i].sh_flags & SHF_ALLOC) || !(s[i].sh_flags & SHF_WRITE) ||
		    !s[i].sh_size || !strncmp(name, ".init", 5) ||
		    !strcmp(name, ".data..percpu"))
			continue;
		address = section_address(name);
		if (address && !add(self, address, s[i].sh_size))
			return false;
		found += address && (!strcmp(name, ".data") || !strcmp(name, ".bss"));
	}
	return found == 2;
}

static bool add_module(FIXTURE_DATA(cacheline) *self)
{
	void *ko = MAP_FAILED;
	bool ok = false;
	char path[VM_MODULE_PATH];
	off_t size;
	int fd;

	fd = open(vm_module_path("etw", path), O_RDONLY | O_CLOEXEC);
	size = lseek(fd, 0, SEEK_END);
	if (size > 0)
		ko = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (ko != MAP_FAILED) {
		ok = add_sections(self, ko);
		munmap(ko, size);
	}
	close(fd);
	return ok;
}

/* Add the session with what belongs to it, and all of its buffers. */
static bool add_session(FIXTURE_DATA(cacheline) *self)
{
	const struct etw_test_place *p = self->place;
	uint64_t *table = calloc(1, p->table.size);
	uint64_t to_commit = p->commit - p->control.start;
	bool ok = table && peek(self, p->table.start, p->table.size, table);
	unsigned int i;

	ok = ok && add(self, p->provider.start, p->provider.size) &&
	     add(self, p->snapshot.start, p->snapshot.size) &&
	     add(self, p->session.start, p->session.size) &&
	     add(self, p->table.start, p->table.size);
	for (i = 0; ok && i < CPUS; i++)
		ok = add(self, p[i].percpu.start, p[i].percpu.size);
	self->buffers = 0;
	for (i = 0; ok && i < p->table.size / sizeof(*table); i++) {
		if (!table[i])
			continue;
		ok = self->buffers < REGIONS &&
		     add(self, table[i] - to_commit, p->control.size);
		self->commit[self->buffers++] = table[i];
	}
	for (i = 0; ok && i < CPUS; i++)
		ok = add(self, p[i].data.start, p[i].data.size);
	free(table);
	return ok;
}

static void forget(FIXTURE_DATA(cacheline) *self)
{
	while (self->regions) {
		self->regions--;
		free(self->region[self->regions].was);
		free(self->region[self->regions].is);
	}
}

/* The lines that changed since the last time; false if there are too many. */
static bool changed(FIXTURE_DATA(cacheline) *self, struct lines *lines)
{
	struct region *r;
	uint64_t at, line;
	uint8_t *swap;

	lines->n = 0;
	for (r = self->region; r < self->region + self->regions; r++) {
		swap = r->was;
		r->was = r->is;
		r->is = swap;
		if (!peek(self, r->range.start, r->range.size, r->is))
			return false;
		for (at = 0; at < r->range.size; at++) {
			line = line_of(r->range.start + at);
			if (r->was[at] == r->is[at] ||
			    (lines->n && lines->line[lines->n - 1] == line))
				continue;
			if (lines->n == CHANGED)
				return false;
			lines->line[lines->n++] = line;
		}
	}
	return true;
}

static bool has(const struct lines *lines, uint64_t line)
{
	unsigned int i;

	for (i = 0; i < lines->n; i++)
		if (lines->line[i] == line)
			return true;
	return false;
}

static unsigned int common(const struct lines *a, const struct lines *b)
{
	unsigned int i, n = 0;

	for (i = 0; i < a->n; i++)
		n += has(b, a->line[i]);
	return n;
}

/* ------------------------------------------------------------------ tests */

FIXTURE_SETUP(cacheline)
{
	struct etw_session s = vm_session("t-cacheline");

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	s.buffer_kb = 4;
	s.min_buffers = 16;
	s.max_buffers = 128;
	s.flush_ms = 3600000;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, guid, 0, 0, 0));
}

FIXTURE_TEARDOWN(cacheline)
{
	forget(self);
	vm_stop_all(self->fd);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	close(self->fd);
}

/* Events of a CPU, written with a kernel module's etw_write(). */
static bool put(FIXTURE_DATA(cacheline) *self, int cpu, uint32_t count)
{
	struct etw_test_write w = { .count = count, .size = 28, .descriptors = 2,
				    .desc = { .id = 3, .level = 1, .keyword = 1 } };

	vm_pin(cpu);
	return !vm_ioctl(self->kfd, ETW_TEST_WRITE, &w) && w.ok == count;
}

static bool place(FIXTURE_DATA(cacheline) *self)
{
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++) {
		self->place[cpu] = (struct etw_test_place){ .cpu = cpu };
		if (vm_ioctl(self->kfd, ETW_TEST_PLACE, &self->place[cpu]))
			return false;
	}
	return true;
}

/* Nothing changes any more: the worker has done what the last writes caused. */
static bool settled(FIXTURE_DATA(cacheline) *self)
{
	struct lines lines;
	int quiet;

	for (quiet = 0; quiet < 3; quiet++) {
		if (!changed(self, &lines) || lines.n)
			return false;
		usleep(2000);
	}
	return true;
}

/* Does the line belong to what this CPU alone may store to? */
static bool own(const struct etw_test_place *p, uint64_t line)
{
	return line == line_of(p->word) || line == line_of(p->commit) ||
	       (line >= line_of(p->data.start) &&
		line <= line_of(p->data.start + p->data.size - 1));
}

static void one_round(struct __test_metadata *_metadata, FIXTURE_DATA(cacheline) *self)
{
	struct lines lines[CPUS];
	unsigned int cpu, i;

	for (cpu = 0; cpu < CPUS; cpu++)
		ASSERT_TRUE(put(self, cpu, 1));		/* takes a buffer */
	ASSERT_TRUE(place(self));
	for (cpu = 0; cpu < CPUS; cpu++)
		ASSERT_NE(0, self->place[cpu].data.size);
	ASSERT_TRUE(add_module(self));
	ASSERT_TRUE(add_session(self));
	ASSERT_TRUE(vm_until(settled(self)));
	for (cpu = 0; cpu < CPUS; cpu++) {
		ASSERT_TRUE(put(self, cpu, EVENTS));
		ASSERT_TRUE(changed(self, &lines[cpu]));
		EXPECT_TRUE(has(&lines[cpu], line_of(self->place[cpu].word)));
		EXPECT_TRUE(has(&lines[cpu], line_of(self->place[cpu].commit)));
		for (i = 0; i < lines[cpu].n; i++) {
			EXPECT_TRUE(own(&self->place[cpu], lines[cpu].line[i]));
			EXPECT_FALSE(own(&self->place[!cpu], lines[cpu].line[i]));
		}
		EXPECT_LE(2 + EVENTS, lines[cpu].n);	/* 112 bytes of data each */
	}
	EXPECT_EQ(0, common(&lines[0], &lines[1]));
	forget(self);
}

TEST_F(cacheline, writes)
{
	int round;

	for (round = 0; round < ROUNDS; round++) {
		one_round(_metadata, self);
		/* The next time with other buffers. */
		ASSERT_EQ(0, vm_flush(self->fd, self->session));
	}
}

/* Any two buffers may belong to different CPUs. */
TEST_F(cacheline, commit_words)
{
	unsigned int i, j, shared = 0;

	ASSERT_TRUE(put(self, 0, 1));
	ASSERT_TRUE(put(self, 1, 1));
	ASSERT_TRUE(place(self));
	ASSERT_TRUE(add_session(self));
	EXPECT_LE(16, self->buffers);
	for (i = 0; i < self->buffers; i++)
		for (j = 0; j < i; j++)
			shared += line_of(self->commit[i]) == line_of(self->commit[j]);
	EXPECT_EQ(0, shared);
}

/* The control: taking a buffer from the pool stores to memory that others store to. */
TEST_F(cacheline, taking_buffers)
{
	struct lines lines[CPUS];
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		ASSERT_TRUE(put(self, cpu, 1));
	ASSERT_TRUE(place(self));
	ASSERT_TRUE(add_session(self));
	ASSERT_EQ(0, vm_flush(self->fd, self->session));
	for (cpu = 0; cpu < CPUS; cpu++) {
		ASSERT_TRUE(vm_until(settled(self)));
		ASSERT_TRUE(put(self, cpu, 1));
		ASSERT_TRUE(changed(self, &lines[cpu]));
	}
	EXPECT_LT(0, common(&lines[0], &lines[1]));
}

TEST_HARNESS_MAIN
