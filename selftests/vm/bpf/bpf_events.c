// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_events - events that BPF programs write by kfuncs: counts, what selects them, wrong
 * arguments, contexts, and how long their provider lasts
 *
 * KERNEL: every
 * TIMEOUT: 900
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "bpf/events.h"
#include "bpf/object.h"
#include "kmod/etw_stress/etw_stress.h"

#define CALLS		5000

/* Which programs of writer.bpf.o are attached to all tests */
static const char *const attached[] = { "on_syscall", "on_getpgid", "on_getsid" };

FIXTURE(bpf) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct etw_guid guid;		/* of Test-Bpf */
	int handle;
	__u32 number;
	struct bpf_object *object;
	struct bpf_test_control *control;
	struct named *written;
	struct vm_events *events;
	/* of collect() */
	uint64_t count, in_order, of_contexts[4], dropped;
};

static struct bpf_object *open_object(const char *name, __u32 number)
{
	struct bpf_object *object = bpf_test_open(name);

	return object && !etw_bpf_set_number(object, "test", number) ? object : NULL;
}

static int enable(FIXTURE_DATA(bpf) *self, uint8_t level, uint64_t any, uint32_t property,
		  const struct etw_filter *filter)
{
	struct etw_enable e = vm_enable_arg(self->session, self->guid);

	e.level = level;
	e.any = any;
	/* This process reads what it does. */
	e.property = property | ETW_ENABLE_READERS;
	e.filters = VM_PTR(filter);
	e.filter_count = !!filter;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

FIXTURE_SETUP(bpf)
{
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	struct etw_session s = vm_session("t-bpf");
	unsigned int i;

	libbpf_set_print(NULL);	/* what the kernel refuses is judged here */
	self->handle = -1;
	vm_pin(0);	/* so that the buffers have its events in order */
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	/* That of the test before has gone. */
	ASSERT_TRUE(vm_until(!vm_providers(self->fd, guids, ARRAY_SIZE(guids))));
	self->events = calloc(1, sizeof(*self->events));
	ASSERT_NE(NULL, self->events);
	/* Enough from the start: that more come in time is not what is tested. */
	s.min_buffers = 50;
	s.max_buffers = 400;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
	if (!bpf_test_state_has("tracing")) {
		EXPECT_EQ(-EOPNOTSUPP, ETW_BPF_REGISTER(test, &self->handle, &self->number));
		return;
	}
	ASSERT_EQ(0, ETW_BPF_REGISTER(test, &self->handle, &self->number));
	ASSERT_NE(0, self->number);
	ASSERT_EQ(1, vm_providers(self->fd, guids, ARRAY_SIZE(guids)));
	self->guid = guids[0];
	self->object = open_object("writer", self->number);
	ASSERT_NE(NULL, self->object);
	ASSERT_EQ(0, bpf_object__load(self->object));
	self->control = bpf_test_variable(self->object, ".bss", "control");
	self->written = bpf_test_variable(self->object, ".data", "written");
	ASSERT_NE(NULL, self->control);
	ASSERT_NE(NULL, self->written);
	for (i = 0; i < ARRAY_SIZE(attached); i++)
		ASSERT_TRUE(bpf_test_attach(self->object, attached[i])) TH_LOG("%s", attached[i]);
	self->control->provider = self->number;
	self->control->thread_group = getpid();
}

/* For the beginning of each test: the harness runs it also after a setup that skips. */
#define NEED_BPF() do {								\
	if (!self->object)							\
		SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);	\
} while (0)

/* The links end with the process that runs the test. */
FIXTURE_TEARDOWN(bpf)
{
	if (self->control)
		self->control->thread_group = 0;
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	etw_bpf_unregister(self->handle);
	free(self->events);
	close(self->fd);
}

/* ------------------------------------------------------------- what came */

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	static struct vm_events one;
	FIXTURE_DATA(bpf) *self = ctx;
	const struct etw_ext_context *context;
	uint32_t number;
	uint16_t len;

	if (memcmp(&r->head->provider, &self->guid, sizeof(self->guid)))
		return;
	vm_keep(self->events, b, r);
	memcpy(&number, r->data, sizeof(number));
	self->in_order += number == self->count;
	self->count++;
	one.count = 0;
	vm_keep(&one, b, r);
	context = vm_item(&one.list[0], ETW_EXT_CONTEXT, &len);
	if (context)
		self->of_contexts[context->context & 3]++;
}

/* Read what there is; false: something went wrong. */
static bool collect(FIXTURE_DATA(bpf) *self)
{
	struct etw_session_stat st;

	if (vm_flush(self->fd, self->session) || vm_drain(&self->r, take, self) != -EAGAIN ||
	    vm_stat(self->fd, self->session, &st))
		return false;
	self->dropped = vm_dropped(&st);
	return true;
}

static void call(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* --------------------------------------------------------------------- tests */

/* As many as the program has counted, each with what it wrote, in order. */
TEST_F(bpf, counts)
{
	const struct vm_event *e = &self->events->list[0];
	const struct etw_ext_item *schema;
	uint32_t tid = 0;
	uint64_t argument = 0;

	NEED_BPF();
	call(10);
	EXPECT_EQ(10, self->control->calls);
	EXPECT_EQ(0, self->control->enabled);
	self->control->calls = 0;
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	call(CALLS);
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	call(10);
	EXPECT_EQ(CALLS + 10, self->control->calls);
	EXPECT_EQ(CALLS, self->control->enabled);
	EXPECT_EQ(0, self->control->results);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(0, self->dropped);
	EXPECT_EQ(CALLS, self->count);
	EXPECT_EQ(CALLS, self->in_order);

	EXPECT_EQ(16, e->len);
	memcpy(&tid, e->data + 4, sizeof(tid));
	memcpy(&argument, e->data + 8, sizeof(argument));
	EXPECT_EQ(gettid(), tid);
	EXPECT_EQ(0x123456789abcdef0, argument);
	EXPECT_EQ(4, e->head.desc.level);
	EXPECT_EQ(1, e->head.desc.keyword);
	EXPECT_EQ(ETW_CHANNEL_TRACELOGGING, e->head.desc.channel);
	EXPECT_EQ(getpid(), e->head.process_id);
	EXPECT_EQ(gettid(), e->head.thread_id);
	EXPECT_EQ(0, e->head.flags & ETW_EVENT_USER_MODE);
	EXPECT_EQ(1, vm_items(e, ETW_EXT_EVENT_SCHEMA, &schema));
}

/* Texts end at their NUL; a text of the process is read; all else is where the record has it. */
TEST_F(bpf, parts_that_vary)
{
	static const char given[] = "given by the process";
	static const unsigned char begin[] = { 9, 4, 0, 't', 'e', 'x', 't', 20, 0 };
	static const unsigned char end[] = { 3, 0, 1, 2, 3, 16, 0, 0xfe, 0x80 };
	const struct vm_event *e = &self->events->list[0];

	NEED_BPF();
	self->written->kind = 9;
	self->written->given = VM_PTR(given);
	self->written->after = -2;
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	syscall(SYS_getpgid, 0);
	memcpy(self->written->name, "sixteen letters!", 16);
	self->written->given = 1;	/* nothing is there */
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect(self));
	ASSERT_EQ(2, self->count);
	EXPECT_EQ(0, self->control->results);

	ASSERT_EQ(1 + 2 + 4 + 2 + 20 + 2 + 3 + 2 + 16 + 2, e->len);
	EXPECT_EQ(0, memcmp(e->data, begin, sizeof(begin)));
	EXPECT_EQ(0, memcmp(e->data + 9, given, 20));
	EXPECT_EQ(0, memcmp(e->data + 29, end, sizeof(end)));
	EXPECT_EQ(0, memcmp(e->data + e->len - 2, "\xfe\xff", 2));
	EXPECT_EQ(5, e->head.desc.level);
	EXPECT_EQ(1, e->head.desc.opcode);
	EXPECT_EQ(7, e->head.desc.task);
	e++;
	ASSERT_EQ(1 + 2 + 16 + 2 + 2 + 3 + 2 + 16 + 2, e->len);
	EXPECT_EQ(0, memcmp(e->data + 1, "\x10\0sixteen letters!\0\0\x03\0\x01", 23));
}

/* Level, keyword and a filter by name: the program sees the first two, and so saves its work. */
TEST_F(bpf, what_selects_them)
{
	struct { struct etw_filter_event_name head; char room[16]; } named = {
		.head = { .in = 1, .count = 1 } };
	const struct etw_filter filter = { .ptr = VM_PTR(&named), .type = ETW_FILTER_EVENT_NAME,
					   .len = sizeof(named) };
	static const struct { uint8_t level; uint64_t any; bool numbered, named; } ways[] = {
		{ 3, 0, false, false }, { 4, 0, true, false }, { 5, 0, true, true },
		{ 0, 1, true, false }, { 0, 2, false, true }, { 0, 4, false, false },
		{ 5, 3, true, true },
	};
	unsigned int i;

	NEED_BPF();
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		self->control->enabled = 0;
		self->count = 0;
		ASSERT_EQ(0, enable(self, ways[i].level, ways[i].any, 0, NULL));
		call(3);
		syscall(SYS_getpgid, 0);
		ASSERT_TRUE(collect(self));
		EXPECT_EQ(3 * ways[i].numbered, self->control->enabled) TH_LOG("way %u", i);
		EXPECT_EQ(3 * ways[i].numbered + ways[i].named, self->count) TH_LOG("way %u", i);
	}
	strcpy((char *)named.head.names, "Named");
	self->count = 0;
	ASSERT_EQ(0, enable(self, 0, 0, 0, &filter));
	call(3);
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(1, self->count);
	EXPECT_EQ(0, self->dropped);
	EXPECT_EQ(0, self->control->results);
}

TEST_F(bpf, wrong_arguments)
{
	const struct {
		uint32_t provider, event, size;
		int result;
		uint32_t events, enabled;
	} ways[] = {
		{ self->number, 0, 16, 0, 1, 1 },
		{ self->number, 0, 64, 0, 1, 1 },	/* only what the event has is taken */
		{ self->number, 0, 15, -EINVAL, 0, 1 },
		{ self->number, 0, 0, -EINVAL, 0, 1 },
		{ self->number, 1, 45, -EINVAL, 0, 1 },
		{ self->number, 1, 46, 0, 1, 1 },
		{ self->number, 2, 64, -EINVAL, 0, 0 },
		{ self->number, UINT32_MAX, 64, -EINVAL, 0, 0 },
		{ self->number + 1, 0, 64, -ENOENT, 0, 0 },
		{ self->number + ETW_BPF_PROVIDERS_MAX, 0, 64, -ENOENT, 0, 0 },
		{ self->number - ETW_BPF_PROVIDERS_MAX, 0, 64, -ENOENT, 0, 0 },
		{ 0, 0, 64, -ENOENT, 0, 0 },
		{ UINT32_MAX, 0, 64, -ENOENT, 0, 0 },
	};
	unsigned int i;

	NEED_BPF();
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		self->count = 0;
		self->control->calls = 0;
		self->control->result = 0;
		self->control->enabled = 0;
		self->control->provider = ways[i].provider;
		self->control->event = ways[i].event;
		self->control->size = ways[i].size;
		syscall(SYS_getsid, 0);
		ASSERT_TRUE(collect(self));
		EXPECT_EQ(1, self->control->calls);
		EXPECT_EQ(ways[i].result, self->control->result) TH_LOG("way %u", i);
		EXPECT_EQ(ways[i].enabled, self->control->enabled) TH_LOG("way %u", i);
		EXPECT_EQ(ways[i].events, self->count) TH_LOG("way %u", i);
	}
	EXPECT_EQ(0, self->dropped);
}

/* In timers and NMIs that interrupt each other and tasks, every event comes or is counted. */
TEST_F(bpf, contexts)
{
	static const struct etw_stress_start config = {
		.pause_us = 500, .burst = 10, .timer_us = 1000, .nmi_us = 500,
		.limit = UINT64_MAX };
	struct bpf_test_control *control = self->control;
	uint64_t tasks = 0;
	int sfd;

	NEED_BPF();
	vm_rmmod_try("etw_stress");
	ASSERT_EQ(0, vm_insmod("etw_stress"));
	sfd = vm_kmod_open("etw_stress");
	ASSERT_LE(0, sfd);
	ASSERT_EQ(0, enable(self, 0, 0, ETW_ENABLE_CONTEXT, NULL));
	ASSERT_TRUE(bpf_test_attach(self->object, "on_timer"));
	ASSERT_TRUE(bpf_test_attach(self->object, "on_nmi"));
	control->elsewhere = 1;
	ASSERT_EQ(0, vm_ioctl(sfd, ETW_STRESS_START_IOC, (void *)&config));
	EXPECT_TRUE(vm_until((call(20), tasks += 20, collect(self)) &&
			     self->of_contexts[ETW_CONTEXT_NMI] > 300 &&
			     self->of_contexts[ETW_CONTEXT_HARDIRQ] > 300));
	control->elsewhere = 0;
	EXPECT_EQ(0, vm_stress_end(sfd));
	ASSERT_TRUE(collect(self));
	TH_LOG("%llu in tasks, %llu in hardirqs, %llu in NMIs, %llu dropped",
	       (unsigned long long)self->of_contexts[ETW_CONTEXT_TASK],
	       (unsigned long long)self->of_contexts[ETW_CONTEXT_HARDIRQ],
	       (unsigned long long)self->of_contexts[ETW_CONTEXT_NMI],
	       (unsigned long long)self->dropped);
	EXPECT_EQ(tasks + control->timers + control->nmis, self->count + self->dropped);
	EXPECT_EQ(control->results, self->dropped);
	EXPECT_LE(control->nmis, self->of_contexts[ETW_CONTEXT_NMI] + self->dropped);
}

/* ------------------------------------------------------------------ lifetimes */

/* It lasts while it is held or enabled, and the number of one that has gone means nothing. */
TEST_F(bpf, lasts)
{
	uint32_t number;
	int second;

	NEED_BPF();
	ASSERT_EQ(0, ETW_BPF_REGISTER(test, &second, &number));
	EXPECT_EQ(self->number, number);
	etw_bpf_unregister(second);
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	etw_bpf_unregister(self->handle);
	self->handle = -1;
	call(5);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(5, self->count);
	EXPECT_EQ(0, self->control->results);
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	call(5);
	self->control->size = 64;
	syscall(SYS_getsid, 0);
	EXPECT_EQ(-ENOENT, self->control->result);
	ASSERT_EQ(0, ETW_BPF_REGISTER(test, &self->handle, &number));
	EXPECT_NE(self->number, number);
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	syscall(SYS_getsid, 0);
	call(5);
	EXPECT_EQ(2, self->control->results);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(5, self->count);
}

static atomic_bool stop;

static void *write_on(void *unused)
{
	while (!stop)
		syscall(SYS_getsid, 0);
	return unused;
}

/* Programs run while their provider comes and goes, with the number that was last valid. */
TEST_F(bpf, leaves_while_programs_run)
{
	struct bpf_test_control *control = self->control;
	uint32_t number, gone = 0, again;
	pthread_t thread;
	int handle, i;

	NEED_BPF();
	etw_bpf_unregister(self->handle);
	self->handle = -1;
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	control->size = 64;
	ASSERT_EQ(0, pthread_create(&thread, NULL, write_on, NULL));
	for (i = 0; i < 30; i++) {
		again = ETW_BPF_REGISTER(test, &handle, &number);
		ASSERT_EQ(0, again);
		gone += number == control->provider;
		control->provider = number;
		ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
		control->enabled = 0;
		EXPECT_TRUE(vm_until(control->enabled > 10));
		etw_bpf_unregister(handle);
		ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
		ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
		ASSERT_TRUE(collect(self));
	}
	stop = true;
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, gone);
	EXPECT_LT(300, self->count);
}

/* A program holds the module. */
TEST_F(bpf, keeps_the_module)
{
	struct bpf_object *object = open_object("writer", 0);

	NEED_BPF();
	/* Number 0: it loads, and does nothing. */
	ASSERT_NE(NULL, object);
	ASSERT_EQ(0, bpf_object__load(object));
	bpf_object__close(object);
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	etw_bpf_unregister(self->handle);
	self->handle = -1;
	close(self->fd);
	EXPECT_TRUE(vm_rmmod_try("etw") < 0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	self->session = vm_start_named(self->fd, "t-bpf");
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
}

/* -------------------------------------------------------- types of programs */

static struct bpf_object *load_kind(FIXTURE_DATA(bpf) *self, const char *name)
{
	struct bpf_object *object = open_object("kinds", self->number);
	struct bpf_program *p;

	if (!object)
		return NULL;
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), name));
	if (bpf_object__load(object)) {
		bpf_object__close(object);
		return NULL;
	}
	return object;
}

static int perf_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000,
	};

	return syscall(SYS_perf_event_open, &attr, getpid(), -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Types that the kernel lets call are served; others it refuses when they are loaded. */
static void kind(struct __test_metadata *_metadata, FIXTURE_DATA(bpf) *self, const char *name,
		 bool must)
{
	struct bpf_object *object = load_kind(self, name);
	struct bpf_program *program;
	struct bpf_test_control *control;
	struct bpf_link *link;

	if (!object) {
		EXPECT_FALSE(must);
		SKIP(return, "this kernel has no kfuncs in programs of this type");
	}
	program = bpf_object__find_program_by_name(object, name);
	control = bpf_test_variable(object, ".bss", "control");
	ASSERT_NE(NULL, control);
	self->control->thread_group = 0;
	ASSERT_EQ(0, enable(self, 0, 0, 0, NULL));
	link = strcmp(name, "of_perf") ? bpf_program__attach(program) :
					  bpf_program__attach_perf_event(program, perf_clock());
	ASSERT_NE(NULL, link);
	EXPECT_TRUE(vm_until((call(100), control->calls >= 100)));
	bpf_link__destroy(link);
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(control->calls, self->count);
	EXPECT_EQ(0, control->results) TH_LOG("result %d", control->result);
	EXPECT_EQ(0, self->dropped);
	bpf_object__close(object);
}

TEST_F(bpf, from_perf)
{
	NEED_BPF();
	kind(_metadata, self, "of_perf", false);
}

TEST_F(bpf, from_kprobe)
{
	NEED_BPF();
	kind(_metadata, self, "of_kprobe", bpf_test_state_has("kprobe"));
}

TEST_F(bpf, from_tracepoint)
{
	NEED_BPF();
	kind(_metadata, self, "of_tracepoint", false);
}

/* --------------------------------------------------- the command, and decoding */

/* Everything is decoded by what the events say themselves. */
TEST_F(bpf, decoded)
{
	static struct vc_run run;

	NEED_BPF();
	ASSERT_EQ(0, vc_run(&run, "start", "t-bpf-file", "--file", "/tmp/bpf.etl", NULL)) {
		TH_LOG("%s", run.err);
	}
	ASSERT_EQ(0, vc_run(&run, "enable", "t-bpf-file", "-p", "*Test-Bpf", NULL)) {
		TH_LOG("%s", run.err);
	}
	self->written->given = VM_PTR("given");
	self->written->after = -2;
	call(1);
	syscall(SYS_getpgid, 0);
	ASSERT_EQ(0, vc_run(&run, "stop", "t-bpf-file", NULL));
	ASSERT_EQ(0, vc_run(&run, "dump", "/tmp/bpf.etl", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "Test-Bpf Numbered")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "Argument=0x123456789abcdef0")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "Given=\"given\"")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "After=-2")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "From=fe80::")) TH_LOG("%s", run.out);
}

static const struct etw_bpf_field one_field[] = { { "Number", ETW_BPF_u32, 0, 4 } };

static int register_as(const char *name, const char *event, int *handle)
{
	const struct etw_bpf_event_info info = { .name = event, .level = 4, .fields = one_field,
						 .field_count = 1, .size = 4 };
	__u32 number;

	return etw_bpf_register(name, &info, 1, handle, &number);
}

TEST_F(bpf, refused)
{
	struct etw_bpf_event event = { .level = 4, .record_size = 4, .schema_len = 5,
				       .piece_count = 1 };
	static const unsigned char schema[] = { 5, 0, 0, 'e', 0, 0 };
	static const struct etw_trace_piece piece = { .size = 4 };
	const struct etw_bpf_provider good = {
		.size = sizeof(good), .provider = vm_guid(5), .name = VM_PTR("t-refused"),
		.name_len = 9, .event_count = 1, .events = VM_PTR(&event),
		.schemas = VM_PTR(schema), .schemas_len = 5, .pieces = VM_PTR(&piece),
		.piece_count = 1,
	};
	struct etw_bpf_provider p = good;
	const struct etw_bpf_event right = event;
	int handle, fd = vm_open();
	pid_t child;

	NEED_BPF();
	ASSERT_LE(0, fd);
#define REFUSES(error, change) do {					\
	p = good;							\
	event = right;							\
	change;								\
	EXPECT_EQ(error, vm_ioctl(fd, ETW_IOC_BPF_PROVIDER, &p)) TH_LOG(#change); \
} while (0)
	REFUSES(-EINVAL, p.flags = 1);
	REFUSES(-EINVAL, p.reserved = 1);
	REFUSES(-EINVAL, p.event_count = 0);
	REFUSES(-EINVAL, p.event_count = ETW_BPF_EVENTS_MAX + 1);
	REFUSES(-EINVAL, p.schemas_len = ETW_BPF_SCHEMAS_MAX + 1);
	REFUSES(-EINVAL, p.schemas_len = 6);
	REFUSES(-EINVAL, p.schemas_len = 4);
	REFUSES(-EINVAL, p.schemas_len = 0);
	REFUSES(-EINVAL, p.piece_count = 0);
	REFUSES(-EINVAL, p.piece_count = ETW_BPF_PIECES_MAX + 1);
	REFUSES(-EINVAL, event.schema_len = 4);
	REFUSES(-EINVAL, event.schema_len = UINT32_MAX);
	REFUSES(-EINVAL, event.piece_count = 2);
	REFUSES(-EINVAL, event.piece_count = UINT32_MAX);
	REFUSES(-EINVAL, event.record_size = ETW_BPF_RECORD_MAX + 1);
	REFUSES(-EFAULT, p.events = 8);
	REFUSES(-EFAULT, p.schemas = 8);
	REFUSES(-EFAULT, p.pieces = 8);
	REFUSES(-EFAULT, p.name = 8);
	REFUSES(-EEXIST, p.provider = ((struct etw_guid)ETW_PROCESS_GUID));
	REFUSES(0, p.size = sizeof(p));
	EXPECT_NE(0, p.number);
	REFUSES(-EEXIST, event.level = 5);
	close(fd);

	EXPECT_EQ(-EEXIST, register_as("Test-Bpf", "Other", &handle));
	EXPECT_EQ(-1, handle);
	child = fork();
	ASSERT_LE(0, child);
	if (!child) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
			_exit(2);
		_exit(register_as("t-nobody", "e", &handle) == -EPERM ? 0 : 1);
	}
	EXPECT_EQ(0, vm_reap(child));
}

TEST_HARNESS_MAIN
