// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_ring - events of BPF programs that go through a ring buffer: the choice of the way, the same
 * events as by kfuncs, their time and place, what the ring loses, and a loader that is killed
 *
 * The loader is a child that can be stopped, so that nothing depends on how fast it is.
 *
 * KERNEL: every
 * TIMEOUT: 900
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_items.h"

#include "bpf/events.h"
#include "bpf/large.h"
#include "bpf/object.h"

#define CALLS		3000
#define SMALL_RING	65536

/* Which programs of writer.bpf.o are attached */
static const char *const attached[] = { "on_syscall", "on_getpgid" };

/* What the loader and the test tell each other */
struct loader {
	int err;
	uint32_t number;
	uint32_t control_map;
	size_t control_at;
};

FIXTURE(ring) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	struct loader *loader;		/* shared with it */
	pid_t pid;			/* its; 0: none */
	int end;			/* closed, it ends */
	struct etw_guid guid;		/* of Test-Bpf */
	struct bpf_test_control *control;
	struct vm_events *events;
	uint64_t count, numbered, in_order, dropped, drain;
	uint64_t first, last;		/* times of numbered events */
};

/* ------------------------------------------------------------------ the loader */

static uint32_t id_of_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	struct bpf_map_info info = { };
	__u32 size = sizeof(info);

	return map && !bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &size) ? info.id : 0;
}

static int loader_start(struct loader *l, struct bpf_object *object, struct etw_bpf_use *use)
{
	struct bpf_map *ring = bpf_object__find_map_by_name(object, "etw_bpf_ring_test");
	struct bpf_test_control *control;
	unsigned int i;
	int err = use->number ? 0 : bpf_map__set_max_entries(ring, SMALL_RING);

	if (!err)
		err = bpf_object__load(object);
	if (!err)
		err = etw_bpf_start(use);
	if (err)
		return err;
	control = bpf_test_variable(object, ".bss", "control");
	l->control_map = id_of_map(object, ".bss");
	l->control_at = (uintptr_t)control & 4095;
	for (i = 0; i < ARRAY_SIZE(attached); i++)
		if (!bpf_test_attach(object, attached[i]))
			return -EIO;
	control->thread_group = getppid();
	return 0;
}

static bool is_attached(const char *name)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(attached) && strcmp(name, attached[i]))
		i++;
	return i < ARRAY_SIZE(attached);
}

/* The next loader has a child that closes what it has of the provider. */
static bool loader_forks;

static void fork_closer(struct etw_bpf_use *use)
{
	pid_t pid = fork();

	if (!pid) {
		etw_bpf_close(use);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Load writer.bpf.o by this way, and serve until the test closes its end. */
static void loader_run(struct loader *l, const char *way, int ready, int end)
{
	struct bpf_object *object = bpf_test_open("writer");
	struct bpf_program *p;
	struct etw_bpf_use use;
	char byte = 0;

	/* The others call etw.ko whatever the way. */
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, is_attached(bpf_program__name(p)));
	setenv("ETW_BPF_WAY", way, 1);
	l->err = object ? ETW_BPF_OPEN(test, object, &use) : -ENOENT;
	if (l->err)
		_exit(1);
	l->number = use.number;
	l->err = loader_start(l, object, &use);
	if (!l->err && loader_forks)
		fork_closer(&use);
	if (write(ready, &byte, 1) != 1 || l->err)
		_exit(1);
	while (read(end, &byte, 1) > 0)
		;
	/* Its thread ends in this. */
	etw_bpf_close(&use);
	_exit(0);
}

static void *map_of_id(uint32_t id)
{
	int fd = bpf_map_get_fd_by_id(id);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Start a loader that goes this way; false: it could not, and loader->err says why. */
static bool load(FIXTURE_DATA(ring) *self, const char *way)
{
	struct etw_guid guids[2 + VM_OWN_PROVIDERS];
	struct loader *l = self->loader;
	int ready[2], end[2];
	char byte, *bss;

	*l = (struct loader){ .err = -EIO };
	if (pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		return false;
	self->pid = fork();
	if (!self->pid) {
		close(ready[0]);
		close(end[1]);
		loader_run(l, way, ready[1], end[0]);
	}
	close(ready[1]);
	close(end[0]);
	self->end = end[1];
	if (read(ready[0], &byte, 1) != 1 || l->err)
		return false;
	close(ready[0]);
	if (vm_providers(self->fd, guids, ARRAY_SIZE(guids)) != 1)
		return false;
	self->guid = guids[0];
	bss = map_of_id(l->control_map);
	self->control = bss ? (void *)(bss + l->control_at) : NULL;
	return self->control;
}

/* End it; what the ring holds is written then. */
static int unload(FIXTURE_DATA(ring) *self)
{
	pid_t pid = self->pid;

	if (!pid)
		return 0;
	self->pid = 0;
	close(self->end);
	return vm_reap(pid);
}

/* For the beginning of each test, as NEED_BPF() of bpf_events.c. */
#define NEED_TYPES() do {							\
	if (access("/sys/kernel/btf/vmlinux", R_OK))				\
		SKIP(return, "libbpf cannot load these programs: this kernel has no BTF");	\
} while (0)

FIXTURE_SETUP(ring)
{
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	struct etw_session s = vm_session("t-ring");

	libbpf_set_print(NULL);
	/* The loader, too, so that the buffers have its events in order */
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	/* That of the test before has gone. */
	ASSERT_TRUE(vm_until(!vm_providers(self->fd, guids, ARRAY_SIZE(guids))));
	self->events = calloc(1, sizeof(*self->events));
	self->loader = mmap(NULL, sizeof(*self->loader), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(NULL, self->events);
	ASSERT_NE(MAP_FAILED, self->loader);
	/* Enough from the start: that more come in time is not what is tested. */
	s.min_buffers = 50;
	s.max_buffers = 400;
	s.clock = ETW_CLOCK_SYSTEM;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->session = s.handle;
	ASSERT_EQ(0, vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK));
}

FIXTURE_TEARDOWN(ring)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		vm_reap(self->pid);
	}
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	free(self->events);
	close(self->fd);
}

/* ------------------------------------------------------------------ what came */

/* When it happened: if the session had delivered later events already, an item says so. */
static uint64_t time_of(const struct vm_event *e)
{
	return vm_item(e, ETW_EXT_GIVEN_TIME, NULL) ? vm_item_number(e, ETW_EXT_GIVEN_TIME) :
						      e->head.timestamp;
}

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(ring) *self = ctx;
	uint32_t number;

	if (memcmp(&r->head->provider, &self->guid, sizeof(self->guid)))
		return;
	vm_keep(self->events, b, r);
	self->count++;
	if (r->head->desc.level != 4)
		return;
	memcpy(&number, r->data, sizeof(number));
	self->in_order += number == self->numbered;
	self->numbered++;
	if (self->events->count > VM_KEPT)
		return;
	self->last = time_of(&self->events->list[self->events->count - 1]);
	if (self->numbered == 1)
		self->first = self->last;
}

static bool collect(FIXTURE_DATA(ring) *self)
{
	struct etw_session_stat st;

	if (vm_flush(self->fd, self->session) || vm_drain(&self->r, take, self) != -EAGAIN ||
	    vm_stat(self->fd, self->session, &st))
		return false;
	self->dropped = vm_dropped(&st);
	self->drain = st.dropped[ETW_DROP_DRAIN];
	return true;
}

/* Wait until so many have come or were counted. */
static bool collect_until(FIXTURE_DATA(ring) *self, uint64_t number)
{
	bool all = vm_until(!collect(self) || self->count + self->dropped >= number) &&
		   self->count + self->dropped == number;

	if (!all)
		printf("# %llu came, %llu were dropped, not %llu\n", (unsigned long long)self->count,
		       (unsigned long long)self->dropped, (unsigned long long)number);
	return all;
}

/* When this returns, the programs know. */
static int control(FIXTURE_DATA(ring) *self, uint32_t control, uint8_t level, uint64_t any)
{
	struct etw_enable e = vm_enable_arg(self->session, self->guid);

	e.control = control;
	e.level = level;
	e.any = any;
	e.property = ETW_ENABLE_READERS;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int enable(FIXTURE_DATA(ring) *self, uint8_t level, uint64_t any)
{
	return control(self, ETW_CONTROL_ENABLE, level, any);
}

static void call(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

static uint64_t wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec * 1000000000ULL + now.tv_nsec) / 100 + ETW_UNIX_EPOCH_100NS;
}

/* ----------------------------------------------------------------------- choice */

/* Which way for these programs of an object?  The provider's number, or a negative errno. */
static int64_t choice(const char *object_name, const char *only, const char *way)
{
	struct bpf_object *object = bpf_test_open(object_name);
	struct bpf_program *p;
	struct etw_bpf_use use;
	int64_t chosen;

	if (!object)
		return -ENOENT;
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, !only || !strcmp(bpf_program__name(p), only));
	setenv("ETW_BPF_WAY", way, 1);
	chosen = strcmp(object_name, "network") ? ETW_BPF_OPEN(test, object, &use) :
						  ETW_BPF_OPEN(large, object, &use);
	unsetenv("ETW_BPF_WAY");
	if (!chosen) {
		chosen = use.number;
		if (bpf_object__load(object) || etw_bpf_start(&use))
			chosen = -EIO;
		etw_bpf_close(&use);
	}
	bpf_object__close(object);
	return chosen;
}

/* By functions where all programs may call them; and it loads in either case. */
TEST_F(ring, choice)
{
	NEED_TYPES();
	EXPECT_EQ(bpf_test_state_has("tracing"), choice("writer", "on_syscall", "") > 0);
	EXPECT_EQ(bpf_test_state_has("kprobe"), choice("kinds", "of_kprobe", "") > 0);
	EXPECT_LE(0, choice("kinds", "of_tracepoint", ""));
	EXPECT_LE(0, choice("kinds", "of_perf", ""));
	EXPECT_EQ(0, choice("network", NULL, ""));
	EXPECT_EQ(-EOPNOTSUPP, choice("network", NULL, "functions"));
	EXPECT_EQ(0, choice("kinds", "of_kprobe", "ring"));
	EXPECT_EQ(-EINVAL, choice("kinds", "of_kprobe", "pigeon"));
}

/* -------------------------------------------------------------------- both ways */

struct way_events {
	struct vm_event numbered, named;
	char schema[2][300];
};

static void get_schema(struct __test_metadata *_metadata, const struct vm_event *e,
		       char schema[300])
{
	uint16_t len = 0;
	const void *data = vm_item(e, ETW_EXT_EVENT_SCHEMA, &len);

	ASSERT_NE(NULL, data);
	ASSERT_GE(300, len);
	memcpy(schema, data, len);
}

static void go(struct __test_metadata *_metadata, FIXTURE_DATA(ring) *self, const char *way,
	       struct way_events *got)
{
	ASSERT_TRUE(load(self, way)) TH_LOG("%s: %s", way, strerror(-self->loader->err));
	EXPECT_EQ(!strcmp(way, "ring"), !self->loader->number);
	self->count = 0;
	self->numbered = 0;
	self->in_order = 0;
	self->events->count = 0;
	call(10);
	EXPECT_EQ(0, self->control->enabled);
	self->control->calls = 0;
	ASSERT_EQ(0, enable(self, 0, 0));
	call(100);
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect_until(self, 101));
	EXPECT_EQ(100, self->in_order);
	EXPECT_EQ(100, self->control->enabled);
	EXPECT_EQ(0, self->control->results);
	got->numbered = self->events->list[0];
	got->named = self->events->list[100];
	get_schema(_metadata, &got->numbered, got->schema[0]);
	get_schema(_metadata, &got->named, got->schema[1]);
	ASSERT_EQ(0, control(self, ETW_CONTROL_DISABLE, 0, 0));
	call(10);
	EXPECT_EQ(100, self->control->enabled);
	EXPECT_EQ(0, unload(self));
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(101, self->count);
	EXPECT_EQ(0, self->dropped);
}

static void expect_same(struct __test_metadata *_metadata, const struct way_events *a,
			const struct way_events *b, unsigned int which)
{
	const struct vm_event *x = which ? &a->named : &a->numbered;
	const struct vm_event *y = which ? &b->named : &b->numbered;
	uint16_t size, longer;

	EXPECT_EQ(0, memcmp(&x->head.provider, &y->head.provider, sizeof(x->head.provider)));
	EXPECT_EQ(0, memcmp(&x->head.desc, &y->head.desc, sizeof(x->head.desc)));
	/* Three fields more, and all others as they were */
	EXPECT_EQ(x->len + 12, y->len);
	EXPECT_EQ(0, memcmp(x->data, y->data, x->len));
	memcpy(&size, a->schema[which], sizeof(size));
	memcpy(&longer, b->schema[which], sizeof(longer));
	EXPECT_LT(size, longer);
	EXPECT_EQ(0, memcmp(a->schema[which] + 2, b->schema[which] + 2, size - 2));
	EXPECT_EQ(0, strcmp(b->schema[which] + size, "OriginProcessId"));
}

TEST_F(ring, same_as_functions)
{
	static struct way_events functions, ring;
	uint32_t origin[3];

	NEED_TYPES();
	if (!bpf_test_state_has("tracing"))
		SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);
	go(_metadata, self, "functions", &functions);
	/* A module's GUID is refused to a process. */
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	go(_metadata, self, "ring", &ring);
	expect_same(_metadata, &functions, &ring, 0);
	expect_same(_metadata, &functions, &ring, 1);
	EXPECT_EQ(getpid(), functions.numbered.head.process_id);
	EXPECT_NE(getpid(), ring.numbered.head.process_id);
	memcpy(origin, ring.numbered.data + 16, sizeof(origin));
	EXPECT_EQ(getpid(), origin[0]);
	EXPECT_EQ(gettid(), origin[1]);
	EXPECT_GT(sysconf(_SC_NPROCESSORS_CONF), origin[2]);
}

/* As long as a session has the provider of functions enabled, its GUID is not a process's. */
TEST_F(ring, held_by_functions)
{
	NEED_TYPES();
	if (!bpf_test_state_has("tracing"))
		SKIP(return, "BPF programs cannot call this etw.ko: see " BPF_TEST_STATE);
	ASSERT_TRUE(load(self, "functions"));
	ASSERT_EQ(0, enable(self, 0, 0));
	EXPECT_EQ(0, unload(self));
	EXPECT_TRUE(bpf_test_registered(self->fd, self->guid));
	EXPECT_FALSE(load(self, "ring"));
	EXPECT_EQ(-EEXIST, self->loader->err);
	EXPECT_NE(0, vm_reap(self->pid));
	self->pid = 0;
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	ASSERT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	EXPECT_TRUE(load(self, "ring"));
	EXPECT_EQ(0, unload(self));
}

/* Level and keyword decide in the program. */
TEST_F(ring, what_selects_them)
{
	static const struct { uint8_t level; uint64_t any; bool numbered, named; } ways[] = {
		{ 3, 0, false, false }, { 4, 0, true, false }, { 5, 0, true, true },
		{ 0, 1, true, false }, { 0, 2, false, true }, { 0, 4, false, false },
		{ 5, 3, true, true },
	};
	unsigned int i;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		self->control->enabled = 0;
		self->count = 0;
		ASSERT_EQ(0, enable(self, ways[i].level, ways[i].any));
		call(3);
		syscall(SYS_getpgid, 0);
		EXPECT_EQ(3 * ways[i].numbered, self->control->enabled) TH_LOG("way %u", i);
		EXPECT_TRUE(collect_until(self, 3 * ways[i].numbered + ways[i].named)) {
			TH_LOG("way %u", i);
		}
	}
	EXPECT_EQ(0, self->control->results);
	EXPECT_EQ(0, unload(self));
}

/* An event has the time when it happened, however late it is written. */
TEST_F(ring, time)
{
	uint64_t before, after;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_EQ(0, kill(self->pid, SIGSTOP));
	ASSERT_EQ(self->pid, waitpid(self->pid, NULL, WUNTRACED));
	before = wall();
	call(100);
	after = wall();
	usleep(50000);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(collect_until(self, 100));
	EXPECT_EQ(100, self->in_order);
	/* The clocks are not read at one instant. */
	EXPECT_LE(before, self->first + 10000);
	EXPECT_GE(after + 10000, self->last);
	EXPECT_EQ(0, unload(self));
}

/* All that was sent has come or is counted, with its cause, in the session that wanted it. */
TEST_F(ring, overflow)
{
	uint64_t lost;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_EQ(0, kill(self->pid, SIGSTOP));
	ASSERT_EQ(self->pid, waitpid(self->pid, NULL, WUNTRACED));
	call(CALLS);
	lost = self->control->results;
	EXPECT_EQ(-ENOBUFS, self->control->result);
	EXPECT_LT(0, lost);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	ASSERT_TRUE(collect_until(self, CALLS));
	EXPECT_EQ(lost, self->dropped);
	EXPECT_EQ(lost, self->drain);
	EXPECT_EQ(CALLS - lost, self->count);
	/* There is room again. */
	call(5);
	ASSERT_TRUE(collect_until(self, CALLS + 5));
	EXPECT_EQ(lost, self->dropped);
	EXPECT_EQ(0, unload(self));
}

/* ---------------------------------------------------------------------- endings */

static unsigned int programs(const char *name)
{
	struct bpf_prog_info info;
	unsigned int count = 0;
	__u32 id = 0, size;
	int fd;

	while (!bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		size = sizeof(info);
		if (!bpf_obj_get_info_by_fd(fd, &info, &size))
			count += !strcmp(info.name, name);
		close(fd);
	}
	return count;
}

static unsigned int links(void)
{
	unsigned int count = 0;
	__u32 id = 0;

	while (!bpf_link_get_next_id(id, &id))
		count++;
	return count;
}

/* What was written stays; nothing else does. */
TEST_F(ring, killed)
{
	const unsigned int before = links();

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	EXPECT_EQ(1, programs("on_syscall"));
	EXPECT_EQ(before + ARRAY_SIZE(attached), links());
	call(100);
	ASSERT_TRUE(collect_until(self, 100));
	call(50);
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, vm_reap(self->pid));
	self->pid = 0;
	EXPECT_TRUE(vm_until(links() == before));
	/* The test's own mapping of the variable is not the program. */
	EXPECT_TRUE(vm_until(!programs("on_syscall")));
	ASSERT_EQ(0, vm_disable(self->fd, self->session, self->guid));
	EXPECT_TRUE(vm_until(!bpf_test_registered(self->fd, self->guid)));
	ASSERT_TRUE(collect(self));
	EXPECT_LE(100, self->count);
	EXPECT_GE(150, self->count);
	EXPECT_EQ(self->count, self->in_order);
}

/* What the ring holds is written when the provider ends in order. */
TEST_F(ring, ends)
{
	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	ASSERT_EQ(0, kill(self->pid, SIGSTOP));
	ASSERT_EQ(self->pid, waitpid(self->pid, NULL, WUNTRACED));
	call(200);
	close(self->end);
	ASSERT_EQ(0, kill(self->pid, SIGCONT));
	EXPECT_EQ(0, vm_reap(self->pid));
	self->pid = 0;
	ASSERT_TRUE(collect(self));
	EXPECT_EQ(200, self->count);
	EXPECT_EQ(200, self->in_order);
}

static _Atomic bool calling;

static void *call_on(void *context)
{
	(void)context;
	while (calling)
		syscall(SYS_getppid);
	return NULL;
}

/* It ends, and nothing is lost without being counted, though the programs still write. */
TEST_F(ring, ends_while_they_write)
{
	uint64_t sent;
	pthread_t thread;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	calling = true;
	ASSERT_EQ(0, pthread_create(&thread, NULL, call_on, NULL));
	ASSERT_TRUE(vm_until(self->control->enabled > 1000));
	EXPECT_EQ(0, unload(self));
	calling = false;
	pthread_join(thread, NULL);
	ASSERT_TRUE(collect(self));
	sent = self->control->enabled;
	/* The last one may have seen that it is wanted, and then that it is not. */
	EXPECT_LE(sent - 1, self->count + self->dropped);
	EXPECT_GE(sent, self->count + self->dropped);
}

/* A child of the loader has the same memory and descriptors. */
TEST_F(ring, child_closes)
{
	NEED_TYPES();
	loader_forks = true;
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, enable(self, 0, 0));
	call(10);
	EXPECT_TRUE(collect_until(self, 10));
	EXPECT_EQ(0, unload(self));
}

/* The loader's thread that reads the ring; 0: none. *blocked: the signals that it does not take */
static uint32_t forwarding_thread(pid_t pid, uint64_t *blocked)
{
	char path[64], line[128];
	uint32_t found = 0;
	struct dirent *entry;
	DIR *dir;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", pid, entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f)) {
			if (!strncmp(line, "Name:\t" ETW_BPF_THREAD, 12))
				found = (uint32_t)atoi(entry->d_name);
			if (found && sscanf(line, "SigBlk: %lx", blocked) == 1)
				break;
		}
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* What the loader does to write events is no event: there would be no end of it. */
TEST_F(ring, own_calls)
{
	uint64_t blocked = 0;
	uint32_t thread, tid;
	unsigned int i, own = 0;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	thread = forwarding_thread(self->pid, &blocked);
	ASSERT_NE(0, thread);
	EXPECT_TRUE(blocked & 1ULL << (SIGTERM - 1));
	EXPECT_TRUE(blocked & 1ULL << (SIGUSR1 - 1));
	ASSERT_EQ(0, enable(self, 0, 0));
	self->control->calls = 0;
	self->control->thread_group = self->pid;
	self->control->every = 1;
	/* It looks for losses ten times a second, whatever happens. */
	ASSERT_TRUE(vm_until(self->control->calls > 5));
	self->control->every = 0;
	ASSERT_TRUE(collect(self));
	for (i = 0; i < self->events->count && i < VM_KEPT; i++) {
		memcpy(&tid, self->events->list[i].data + 4, sizeof(tid));
		own += tid == thread;
	}
	EXPECT_EQ(0, own);
	EXPECT_EQ(0, unload(self));
}

/* ------------------------------------------------------------ others, the command */

/* A program of networking, with a large record that lies in a map */
TEST_F(ring, large_from_network)
{
	struct bpf_object *object = bpf_test_open("network");
	LIBBPF_OPTS(bpf_test_run_opts, packet);
	static unsigned char data[64];
	struct etw_bpf_use use;
	struct etw_guid guids[1 + VM_OWN_PROVIDERS];
	struct bpf_program *program;

	NEED_TYPES();
	ASSERT_NE(NULL, object);
	ASSERT_EQ(0, ETW_BPF_OPEN(large, object, &use));
	EXPECT_EQ(0, use.number);
	ASSERT_EQ(0, bpf_object__load(object));
	ASSERT_EQ(0, etw_bpf_start(&use));
	ASSERT_EQ(1, vm_providers(self->fd, guids, ARRAY_SIZE(guids)));
	self->guid = guids[0];
	ASSERT_EQ(0, enable(self, 0, 0));
	program = bpf_object__find_program_by_name(object, "on_packet");
	packet.data_in = data;
	packet.data_size_in = sizeof(data);
	packet.repeat = 50;
	ASSERT_EQ(0, bpf_prog_test_run_opts(bpf_program__fd(program), &packet));
	ASSERT_TRUE(collect_until(self, 50));
	EXPECT_EQ(50, self->in_order);
	EXPECT_EQ(4 + 2 + 3001 + 4 + 12, self->events->list[49].len);
	etw_bpf_close(&use);
	bpf_object__close(object);
}

/* The command shows the way, and decodes what came by it. */
TEST_F(ring, command)
{
	static struct vc_run run;

	NEED_TYPES();
	ASSERT_TRUE(load(self, "ring"));
	ASSERT_EQ(0, vc_run(&run, "list", "providers", "-v", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "Test-Bpf")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, ", forwards a BPF ring")) TH_LOG("%s", run.out);
	ASSERT_EQ(0, vc_run(&run, "list", "providers", "--json", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "\"bpf_ring\":true")) TH_LOG("%s", run.out);
	ASSERT_EQ(0, vc_run(&run, "start", "t-ring-file", "--file", "/tmp/ring.etl", NULL)) {
		TH_LOG("%s", run.err);
	}
	ASSERT_EQ(0, vc_run(&run, "enable", "t-ring-file", "-p", "*Test-Bpf", NULL)) {
		TH_LOG("%s", run.err);
	}
	/* Of the fixture's session, which has another clock, the test sees when they came. */
	ASSERT_EQ(0, enable(self, 0, 0));
	call(1);
	syscall(SYS_getpgid, 0);
	ASSERT_TRUE(collect_until(self, 2));
	ASSERT_EQ(0, unload(self));
	ASSERT_EQ(0, vc_run(&run, "stop", "t-ring-file", NULL));
	ASSERT_EQ(0, vc_run(&run, "dump", "/tmp/ring.etl", NULL)) TH_LOG("%s", run.err);
	EXPECT_NE(NULL, strstr(run.out, "Test-Bpf Numbered")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "Argument=0x123456789abcdef0")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "From=fe80::")) TH_LOG("%s", run.out);
	EXPECT_NE(NULL, strstr(run.out, "OriginCpu=")) TH_LOG("%s", run.out);
}

TEST_HARNESS_MAIN
