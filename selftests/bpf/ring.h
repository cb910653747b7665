/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - a loader of BPF programs whose events go through a ring, and what comes of them, for vm/bpf
 *
 * The loader is a child that can be stopped, so that nothing depends on how fast it is.
 */
#ifndef ETW_SELFTEST_BPF_RING_H
#define ETW_SELFTEST_BPF_RING_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_items.h"

#include "bpf/events.h"
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

static inline uint32_t id_of_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	struct bpf_map_info info = { };
	__u32 size = sizeof(info);

	return map && !bpf_obj_get_info_by_fd(bpf_map__fd(map), &info, &size) ? info.id : 0;
}

static inline int loader_start(struct loader *l, struct bpf_object *object, struct etw_bpf_use *use)
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

static inline bool is_attached(const char *name)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(attached) && strcmp(name, attached[i]))
		i++;
	return i < ARRAY_SIZE(attached);
}

/* The next loader has a child that closes what it has of the provider. */
static bool loader_forks;

static inline void fork_closer(struct etw_bpf_use *use)
{
	pid_t pid = fork();

	if (!pid) {
		etw_bpf_close(use);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Load writer.bpf.o by this way, and serve until the test closes its end. */
static inline void loader_run(struct loader *l, const char *way, int ready, int end)
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

static inline void *map_of_id(uint32_t id)
{
	int fd = bpf_map_get_fd_by_id(id);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

/* Start a loader that goes this way; false: it could not, and loader->err says why. */
static inline bool load(FIXTURE_DATA(ring) *self, const char *way)
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

/* Stop the loader: what programs write stays in the ring until SIGCONT. */
static inline bool freeze(const FIXTURE_DATA(ring) *self)
{
	return !kill(self->pid, SIGSTOP) && waitpid(self->pid, NULL, WUNTRACED) == self->pid;
}

/* End it; what the ring holds is written then. */
static inline int unload(FIXTURE_DATA(ring) *self)
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
static inline uint64_t time_of(const struct vm_event *e)
{
	return vm_item(e, ETW_EXT_GIVEN_TIME, NULL) ? vm_item_number(e, ETW_EXT_GIVEN_TIME) :
						      e->head.timestamp;
}

static inline void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
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

static inline bool collect(FIXTURE_DATA(ring) *self)
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
static inline bool collect_until(FIXTURE_DATA(ring) *self, uint64_t number)
{
	bool all = vm_until(!collect(self) || self->count + self->dropped >= number) &&
		   self->count + self->dropped == number;

	if (!all)
		printf("# %llu came, %llu were dropped, not %llu\n", (unsigned long long)self->count,
		       (unsigned long long)self->dropped, (unsigned long long)number);
	return all;
}

/* When this returns, the programs know. */
static inline int control(FIXTURE_DATA(ring) *self, uint32_t control, uint8_t level, uint64_t any)
{
	struct etw_enable e = vm_enable_arg(self->session, self->guid);

	e.control = control;
	e.level = level;
	e.any = any;
	e.property = ETW_ENABLE_READERS;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static inline int enable(FIXTURE_DATA(ring) *self, uint8_t level, uint64_t any)
{
	return control(self, ETW_CONTROL_ENABLE, level, any);
}

static inline void call(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

static inline uint64_t wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec * 1000000000ULL + now.tv_nsec) / 100 + ETW_UNIX_EPOCH_100NS;
}

#endif /* ETW_SELFTEST_BPF_RING_H */
