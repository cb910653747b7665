// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_samples - what perf counts, sampled into sessions, by ETW_IOC_TRACE_EVENT: where the
 * sampled code is, and the stacks of samples and of trace events
 *
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_items.h"
#include "lib/vm_tracefs.h"
#include "lib/command/vm_cli.h"

#define PAGES	100
#define PAGE	4096

/* A schema with the fields of struct etw_trace_sample is not needed here. */
static const struct etw_trace_piece whole = { .size = sizeof(struct etw_trace_sample),
					      .kind = ETW_TRACE_COPY };

FIXTURE(samples) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct vm_events *events;
};

FIXTURE_SETUP(samples)
{
	struct etw_session s = vm_session("t-samples");

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	s.max_buffers = 200;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	vm_pin(0);
}

FIXTURE_TEARDOWN(samples)
{
	free(self->events);
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

static struct etw_trace_event argument(uint32_t counter, uint64_t config, uint64_t period)
{
	struct etw_trace_event e = vm_trace_event_id(vm_guid(1), 0);

	e.flags = ETW_TRACE_SAMPLE;
	e.pieces = VM_PTR(&whole);
	e.counter = counter;
	e.config = config;
	e.period = period;
	return e;
}

/* Of this process only, with its stack */
static int enable(FIXTURE_DATA(samples) *self, struct etw_guid guid, uint32_t property)
{
	const uint32_t pid = getpid();
	const struct etw_filter filter = { .ptr = VM_PTR(&pid), .len = 4, .type = ETW_FILTER_PID };
	struct etw_enable e = vm_enable_arg(self->session, guid);

	e.property = ETW_ENABLE_READERS | property;
	e.filters = VM_PTR(&filter);
	e.filter_count = 1;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static bool collect(FIXTURE_DATA(samples) *self, struct etw_guid guid)
{
	struct etw_enable e = vm_enable_arg(self->session, guid);

	e.control = ETW_CONTROL_DISABLE;
	if (vm_ioctl(self->fd, ETW_IOC_ENABLE, &e))
		return false;
	return vm_collect(self->fd, self->session, &self->r, self->events) >= 0;
}

/* Here the program is for some time; its end is that of the next function. */
static __attribute__((__noinline__)) uint64_t spin(unsigned int rounds)
{
	volatile uint64_t sum = 0;

	while (rounds--)
		sum += rounds;
	return sum;
}

static __attribute__((__noinline__)) void spin_end(void)
{
	__asm__ volatile("");
}

static bool is_in_spin(uint64_t address)
{
	return address >= (uintptr_t)spin && address < (uintptr_t)spin_end;
}

static struct etw_trace_sample sample_of(const struct vm_event *e)
{
	struct etw_trace_sample s = { .cpu = 99 };

	if (e->len == sizeof(s))
		memcpy(&s, e->data, sizeof(s));
	return s;
}

static uint64_t first_frame(const struct vm_event *e)
{
	uint64_t words[2] = { 0, 0 };
	uint16_t len = 0;
	const void *data = vm_item(e, ETW_EXT_STACK_TRACE64, &len);

	if (data && len >= sizeof(words))
		memcpy(words, data, sizeof(words));
	return words[1];
}

/* The clock of the CPU; most of the time passes in one function. */
TEST_F(samples, of_the_clock)
{
	struct etw_trace_event e = argument(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 500);
	unsigned int i, there = 0, kernel = 0, frames = 0;
	struct etw_trace_sample s;

	e.flags |= ETW_TRACE_FREQUENCY;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, vm_guid(1), ETW_ENABLE_STACK_TRACE));
	spin(30000000);
	ASSERT_TRUE(collect(self, vm_guid(1)));
	for (i = 0; i < self->events->count; i++) {
		s = sample_of(&self->events->list[i]);
		there += is_in_spin(s.address) && !s.in_kernel;
		kernel += s.in_kernel;
		frames += first_frame(&self->events->list[i]) == s.address;
		EXPECT_EQ(0, s.cpu);
	}
	TH_LOG("%u samples: %u in the function, %u in the kernel, %u stacks begin there",
	       self->events->count, there, kernel, frames);
	EXPECT_LE(10, self->events->count);
	EXPECT_LE(self->events->count / 2, there);
	EXPECT_EQ(self->events->count, frames);
}

/* A CPU that is idle has nothing to show. */
TEST_F(samples, not_of_idle_cpus)
{
	struct etw_trace_event e = argument(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 500);
	unsigned int i, idle = 0;

	e.flags |= ETW_TRACE_FREQUENCY;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session, vm_guid(1), ETW_ENABLE_READERS, NULL, 0));
	usleep(300 * 1000);
	spin(10000000);
	ASSERT_TRUE(collect(self, vm_guid(1)));
	for (i = 0; i < self->events->count && i < VM_KEPT; i++)
		idle += !self->events->list[i].head.process_id;
	EXPECT_LE(5, self->events->count);
	EXPECT_EQ(0, idle);
}

static __attribute__((__noinline__)) void touch(char *pages)
{
	unsigned int i;

	for (i = 0; i < PAGES; i++)
		pages[i * PAGE] = 1;
}

/* Touch pages for the first time; one sample for so many faults. */
static void sample_faults(struct __test_metadata *_metadata, FIXTURE_DATA(samples) *self,
			  unsigned int period)
{
	struct etw_trace_event e = argument(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, period);
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	ASSERT_NE(MAP_FAILED, pages);
	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, vm_guid(1), 0));
	touch(pages);
	ASSERT_TRUE(collect(self, vm_guid(1)));
	munmap(pages, PAGES * PAGE);
}

TEST_F(samples, of_page_faults)
{
	unsigned int i, there = 0;
	struct etw_trace_sample s;

	sample_faults(_metadata, self, 1);
	for (i = 0; i < self->events->count; i++) {
		s = sample_of(&self->events->list[i]);
		EXPECT_EQ(1, s.counted);
		there += s.address - (uintptr_t)touch < 200;
	}
	EXPECT_EQ(PAGES, there);
}

TEST_F(samples, of_each_tenth_page_fault)
{
	unsigned int i;

	sample_faults(_metadata, self, 10);
	/* Other processes fault as well, and some of the samples are theirs. */
	EXPECT_LE(PAGES / 20, self->events->count);
	EXPECT_GE(PAGES / 5, self->events->count);
	for (i = 0; i < self->events->count; i++)
		EXPECT_EQ(10, sample_of(&self->events->list[i]).counted);
}

/* The function of the kernel that has this address; "" if none has */
static void kernel_function(uint64_t address, char name[128])
{
	unsigned long long at, best = 0;
	char line[512], function[128];
	FILE *f = fopen("/proc/kallsyms", "re");

	*name = 0;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &at, function) == 2 && at <= address && at > best) {
			best = at;
			strcpy(name, function);
		}
	if (f)
		fclose(f);
}

/* Where the tracepoint is, not where perf and this module handle it; or in the program */
TEST_F(samples, stacks_of_trace_events)
{
	struct etw_trace_event e = vm_trace_event(vm_guid(1), "sched/sched_process_fork");
	char function[128];
	pid_t child;

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, vm_guid(1), ETW_ENABLE_STACK_TRACE));
	child = fork();
	if (!child)
		_exit(0);
	vm_reap(child);
	ASSERT_TRUE(collect(self, vm_guid(1)));
	ASSERT_EQ(1, self->events->count);
	kernel_function(first_frame(&self->events->list[0]), function);
	EXPECT_TRUE(strstr(function, "clone") || strstr(function, "copy_process"))
		TH_LOG("%s", function);
	/* A system call's is the program's. */
	e = vm_trace_event(vm_guid(2), "syscalls/sys_enter_getppid");
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	ASSERT_EQ(0, enable(self, vm_guid(2), ETW_ENABLE_STACK_TRACE));
	syscall(SYS_getppid);
	ASSERT_TRUE(collect(self, vm_guid(2)));
	ASSERT_EQ(1, self->events->count);
	EXPECT_GT(1ULL << 47, first_frame(&self->events->list[0]));
	EXPECT_LT(0, first_frame(&self->events->list[0]));
}

TEST_F(samples, refused)
{
	struct etw_trace_event e = argument(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0);

	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	e.period = ETW_TRACE_FREQUENCY_MAX + 1;
	e.flags |= ETW_TRACE_FREQUENCY;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	e = argument(PERF_TYPE_TRACEPOINT, 1, 1);
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	e = argument(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000);
	e.id = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	e = argument(0, 0, 0);
	e.flags = 0;
	e.config = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
}

#define REFUSED	"/tmp/refused.etl"

/* A trace without the samples that perf refused to take is not complete. */
TEST_F(samples, the_trace_says_that_they_are_missing)
{
	struct etw_trace_event e = argument(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000);
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES };
	struct etw_session s = vm_session("t-refused");
	int counter = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	struct etw_session_missed missed = { .size = sizeof(missed), .provider = vm_guid(1),
					     .events = 3 };
	struct etw_enable enable;
	static struct vc_run r;
	const char *counted;
	int cpu;

	if (counter >= 0) {
		close(counter);
		SKIP(return, "the machine counts cycles");
	}
	unlink(REFUSED);
	ASSERT_EQ(0, vc_run(&r, "start", "t-refused", "--file", REFUSED, NULL));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &s));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &e));
	enable = vm_enable_arg(s.handle, vm_guid(1));
	enable.timeout_ms = 0xFFFFFFFF;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &enable));
	missed.handle = s.handle;
	for (cpu = 0; cpu < 2; cpu++) {
		vm_pin(cpu);
		EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &missed));
	}
	EXPECT_EQ(0, vc_run(&r, "stop", "t-refused", NULL));
	EXPECT_EQ(3, vc_run(&r, "verify", REFUSED, NULL));
	EXPECT_NE(NULL, strstr(r.out, "the kernel missed their probe")) {
		TH_LOG("%s", r.out);
	}
	EXPECT_EQ(3, vc_run(&r, "verify", "--json", REFUSED, NULL));
	EXPECT_NE(NULL, strstr(r.out, "\"events\":null")) {
		TH_LOG("%s", r.out);
	}
	/* What the same CPU lost and counted is recorded beside it. */
	counted = strstr(r.out, "\"events\":3,");
	EXPECT_TRUE(counted && strstr(counted + 1, "\"events\":3,")) {
		TH_LOG("%s", r.out);
	}
	unlink(REFUSED);
}

TEST_HARNESS_MAIN
