// SPDX-License-Identifier: GPL-2.0-only
/*
 * counter_events - the provider Etw-Counters: memory and CPU time, as /proc has them
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include "lib/vm.h"
#include "lib/vm_items.h"

#include <etw/format.h>

#define CPUS_MAX	64
#define TICK_NS		10000000	/* of /proc/stat */

static const struct etw_guid counters_guid = ETW_COUNTERS_GUID;

struct memory {
	uint64_t total, free, available, file, anonymous, shared, slab, dirty, writeback;
	uint64_t faults, major, read, written, swapped_in, swapped_out;
};

struct processor {
	uint32_t cpu;
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal, guest;
} __attribute__((packed));

FIXTURE(counters) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	uint32_t memories, processors;
	const char *error;
	struct memory memory;		/* the last one */
	struct processor cpus[CPUS_MAX];
};

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(counters) *self = ctx;
	struct processor p;

	if (memcmp(&r->head->provider, &counters_guid, sizeof(counters_guid)))
		return;
	if (r->head->desc.keyword == ETW_COUNTERS_MEMORY && r->len == sizeof(self->memory)) {
		self->memories++;
		memcpy(&self->memory, r->data, sizeof(self->memory));
	} else if (r->head->desc.keyword == ETW_COUNTERS_PROCESSOR && r->len == sizeof(p)) {
		self->processors++;
		memcpy(&p, r->data, sizeof(p));
		if (p.cpu < CPUS_MAX)
			self->cpus[p.cpu] = p;
	} else {
		self->error = "keyword or length";
	}
}

FIXTURE_SETUP(counters)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vm_start_named(self->fd, "t-counters");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
}

FIXTURE_TEARDOWN(counters)
{
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static int control_with(FIXTURE_DATA(counters) *self, uint32_t what, uint64_t keywords,
			uint32_t property)
{
	struct etw_enable e = vm_enable_arg(self->session, counters_guid);

	e.control = what;
	e.property = property;
	e.level = 4;
	e.any = keywords;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int control(FIXTURE_DATA(counters) *self, uint32_t what, uint64_t keywords)
{
	return control_with(self, what, keywords, 0);
}

static bool collect(FIXTURE_DATA(counters) *self)
{
	self->memories = self->processors = 0;
	self->error = NULL;
	return !vm_flush(self->fd, self->session) && vm_drain(&self->r, take, self) == -EAGAIN &&
	       !self->error;
}

/* The number behind a name at the begin of a line; -1: there is no such line. */
static long long proc_number(const char *path, const char *name)
{
	long long value = -1;
	char line[512];
	FILE *f = fopen(path, "re");

	while (f && value < 0 && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			value = atoll(line + strlen(name));
	if (f)
		fclose(f);
	return value;
}

/* User, system and idle time of a CPU, in ticks of 1/100 s */
static bool proc_times(unsigned int cpu, unsigned long long times[3])
{
	char name[16], line[512];
	FILE *f = fopen("/proc/stat", "re");
	bool found = false;

	snprintf(name, sizeof(name), "cpu%u ", cpu);
	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, name, strlen(name)) &&
			sscanf(line + strlen(name), "%llu %*u %llu %llu", &times[0], &times[1],
			       &times[2]) == 3;
	if (f)
		fclose(f);
	return found;
}

/* Numbers of /proc/vmstat that only grow, and what one of them is in the event's unit */
static const struct {
	const char *name;
	size_t offset;
	long long unit;
} grows[] = {
	{ "pgfault ", offsetof(struct memory, faults), 1 },
	{ "pgmajfault ", offsetof(struct memory, major), 1 },
	{ "pgpgin ", offsetof(struct memory, read), 1024 },
	{ "pgpgout ", offsetof(struct memory, written), 1024 },
	{ "pswpin ", offsetof(struct memory, swapped_in), 4096 },
	{ "pswpout ", offsetof(struct memory, swapped_out), 4096 },
};

TEST_F(counters, memory_as_proc)
{
	long long before[ARRAY_SIZE(grows)], after, got;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(grows); i++)
		before[i] = proc_number("/proc/vmstat", grows[i].name);
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE, ETW_COUNTERS_MEMORY));
	ASSERT_TRUE(collect(self)) TH_LOG("%s", self->error ?: "not read");
	for (i = 0; i < ARRAY_SIZE(grows); i++) {
		if (before[i] < 0)
			continue;	/* a kernel that does not count them */
		after = proc_number("/proc/vmstat", grows[i].name);
		memcpy(&got, (char *)&self->memory + grows[i].offset, sizeof(got));
		EXPECT_TRUE(before[i] * grows[i].unit <= got &&
			    got < (after + 1) * grows[i].unit)
			TH_LOG("%s%lld, %lld, %lld", grows[i].name, before[i], got, after);
	}
	ASSERT_LE(1, self->memories);
	EXPECT_EQ(0, self->processors);
	EXPECT_EQ(proc_number("/proc/meminfo", "MemTotal:") << 10, self->memory.total);
	EXPECT_LT(self->memory.free, self->memory.total);
	EXPECT_LT(self->memory.available, self->memory.total);
	EXPECT_LT(self->memory.file + self->memory.anonymous + self->memory.slab,
		  self->memory.total);
	EXPECT_LE(self->memory.major, self->memory.faults);
}

TEST_F(counters, processors_as_proc)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned long long before[CPUS_MAX][3], after[3], got[3];
	unsigned int cpu, k, cpus = 0;
	bool there[CPUS_MAX];

	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		there[cpu] = proc_times(cpu, before[cpu]);
	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE, ETW_COUNTERS_PROCESSOR));
	ASSERT_TRUE(collect(self)) TH_LOG("%s", self->error ?: "not read");
	EXPECT_EQ(0, self->memories);
	ASSERT_TRUE(self->processors && !(self->processors % online));
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!there[cpu])
			continue;
		cpus++;
		ASSERT_TRUE(proc_times(cpu, after));
		got[0] = self->cpus[cpu].user;
		got[1] = self->cpus[cpu].system;
		got[2] = self->cpus[cpu].idle;
		for (k = 0; k < 3; k++) {
			EXPECT_TRUE(before[cpu][k] <= got[k] / TICK_NS &&
				    got[k] / TICK_NS <= after[k])
				TH_LOG("cpu %u, time %u: %llu, %llu, %llu", cpu, k, before[cpu][k],
				       got[k] / TICK_NS, after[k]);
		}
	}
	EXPECT_EQ(online, cpus);
}

/* Again and again while it is enabled, and at once when it is asked for. */
TEST_F(counters, periodic_and_captured)
{
	uint32_t seen = 0;

	ASSERT_EQ(0, control(self, ETW_CONTROL_ENABLE, 0));
	EXPECT_TRUE(vm_until(collect(self) && (seen += self->memories) >= 3));
	ASSERT_TRUE(collect(self));
	ASSERT_EQ(0, control(self, ETW_CONTROL_CAPTURE, 0));
	ASSERT_TRUE(collect(self));
	EXPECT_LE(1, self->memories);
	EXPECT_LE(1, self->processors);
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE, 0));
	ASSERT_TRUE(collect(self));
	/* The next one of before would have come. */
	usleep((ETW_COUNTERS_MS + 200) * 1000);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(0, self->memories);
}

/* All of them have a keyword, so a session that refuses events without one keeps getting them. */
TEST_F(counters, with_keywords_only)
{
	uint32_t seen = 0;

	ASSERT_EQ(0, control_with(self, ETW_CONTROL_ENABLE, 0, ETW_ENABLE_IGNORE_KEYWORD_0));
	EXPECT_TRUE(vm_until(collect(self) && (seen += self->memories) >= 3));
}

TEST_HARNESS_MAIN
