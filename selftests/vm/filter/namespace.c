// SPDX-License-Identifier: GPL-2.0-only
/*
 * namespace - a process of a container: its own user, PID and mount namespaces
 *
 * The process is root inside and an ordinary user outside.  It finds the device bound to a
 * file of its own.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_items.h"

#include <linux/sched.h>
#include <pthread.h>

#define PLACE	"/tmp/etw-container"

/* Two sessions: the first asks for the container, the second does not. */
FIXTURE(container) {
	int fd;
	int slot;
	uint64_t session[2];
	struct vm_reader r[2];
	struct vm_events *events[2];
	int to[2], from[2];
	pid_t pid;		/* of the container's first process, outside */
};

FIXTURE_SETUP(container)
{
	int i;

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	vm_access_clear(self->fd);
	for (i = 0; i < 2; i++) {
		self->session[i] = vm_start_named(self->fd, i ? "t-plain" : "t-container");
		ASSERT_NE(0, self->session[i]);
		ASSERT_EQ(0, vm_reader_open(&self->r[i], self->fd, self->session[i], O_NONBLOCK));
		self->events[i] = calloc(1, sizeof(*self->events[i]));
		ASSERT_NE(NULL, self->events[i]);
		ASSERT_EQ(0, vm_enable_with(self->fd, self->session[i], vm_guid(3),
					    i ? 0 : ETW_ENABLE_CONTAINER, NULL, 0));
	}
	ASSERT_EQ(0, pipe(self->to));
	ASSERT_EQ(0, pipe(self->from));
}

FIXTURE_TEARDOWN(container)
{
	int i;

	for (i = 0; i < 2; i++) {
		vm_reader_close(&self->r[i]);
		free(self->events[i]);
	}
	vm_stop_all(self->fd);
	close(self->fd);
	unlink(PLACE);
}

/* What both sessions got; 0 or a negative errno. */
static int collect(FIXTURE_DATA(container) *self)
{
	int i, ret = 0;

	for (i = 0; i < 2 && ret >= 0; i++)
		ret = vm_collect(self->fd, self->session[i], &self->r[i], self->events[i]);
	return ret < 0 ? ret : 0;
}

/* -------------------------------------------------------- in the container */

struct report {
	int result;
	uint32_t pid, tid, ns;	/* as it sees itself */
	uint32_t seen;		/* its pid according to PROVIDER_QUERY */
};

/* The device as the container finds it. */
static int bind_device(void)
{
	int fd = open(PLACE, O_CREAT | O_RDWR | O_CLOEXEC, 0666);

	close(fd);
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(ETW_DEVICE_PATH, PLACE, NULL, MS_BIND, NULL))
		return -errno;
	fd = open(PLACE, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static uint32_t own_namespace(void)
{
	char link[64] = "";

	return readlink("/proc/self/ns/pid", link, sizeof(link) - 1) > 0 ?
	       strtoul(link + strlen("pid:["), NULL, 10) : 0;
}

/* The process of the provider's registration, according to a query. */
static uint32_t registered_pid(int fd)
{
	struct etw_provider_reg reg = { 0 };
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(3),
					.regs = VM_PTR(&reg), .reg_cap = 1 };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) || q.reg_count != 1 ? 0 : reg.pid;
}

static void *write_in_thread(void *arg)
{
	struct report *report = arg;
	int fd = report->result, slot;

	report->tid = syscall(SYS_gettid);
	slot = vm_register(fd, vm_guid(3));
	report->result = slot < 0 ? slot : vm_write(fd, slot, 7, 1, 1, "inside", 6);
	report->seen = registered_pid(fd);
	return NULL;
}

/* Register and write in a second thread, whose id is not the process's. */
static void inside_main(FIXTURE_DATA(container) *self)
{
	struct report report = { .pid = getpid() };
	pthread_t thread;
	char go;

	/* Until the maps have been written. */
	if (read(self->to[0], &go, 1) != 1 || setresgid(0, 0, 0) || setresuid(0, 0, 0))
		_exit(1);
	mount("proc", "/proc", "proc", 0, NULL);
	report.ns = own_namespace();
	report.result = bind_device();
	if (report.result >= 0 && (pthread_create(&thread, NULL, write_in_thread, &report) ||
				   pthread_join(thread, NULL)))
		_exit(2);
	if (write(self->from[1], &report, sizeof(report)) != sizeof(report))
		_exit(3);
	/* It continues to run until the test has looked at it from outside. */
	_exit(read(self->to[0], &go, 1) == 1 ? 0 : 4);
}

static bool write_map(pid_t pid, const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return !vm_write_file(path, text);
}

/* The results of the process inside; its users 0 to 9 are 100000 and so on outside. */
static struct report run_inside(FIXTURE_DATA(container) *self)
{
	struct clone_args args = { .flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS,
				   .exit_signal = SIGCHLD };
	struct report report = { .result = -EPROTO };
	struct pollfd ready = { .fd = self->from[0], .events = POLLIN };

	unlink(PLACE);
	self->pid = syscall(SYS_clone3, &args, sizeof(args));
	if (!self->pid)
		inside_main(self);
	if (self->pid > 0 && write_map(self->pid, "uid_map", "0 100000 10") &&
	    write_map(self->pid, "gid_map", "0 100000 10") &&
	    write(self->to[1], "g", 1) == 1 && poll(&ready, 1, VM_LIMIT_MS) == 1 &&
	    read(self->from[0], &report, sizeof(report)) != sizeof(report))
		report.result = -EPIPE;
	return report;
}

static int end_inside(FIXTURE_DATA(container) *self)
{
	return write(self->to[1], "e", 1) == 1 ? vm_reap(self->pid) : -1;
}

/* ------------------------------------------------------------------ outside */

/* It registers and writes; the header has its ids outside. */
TEST_F(container, registers_and_writes)
{
	const struct etw_ext_pid_namespace *inner;
	struct report report = run_inside(self);
	const struct vm_event *e;
	uint16_t len;

	ASSERT_EQ(0, report.result);
	EXPECT_EQ(1, report.pid);
	EXPECT_NE(report.pid, report.tid);
	EXPECT_EQ(self->pid, registered_pid(self->fd));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(1, self->events[0]->count);
	e = &self->events[0]->list[0];
	EXPECT_EQ(self->pid, e->head.process_id);
	EXPECT_LT(self->pid, e->head.thread_id);
	inner = vm_item(e, ETW_EXT_PID_NAMESPACE, &len);
	ASSERT_NE(NULL, inner);
	EXPECT_EQ(sizeof(*inner), len);
	EXPECT_EQ(report.pid, inner->process_id);
	EXPECT_EQ(report.tid, inner->thread_id);
	EXPECT_NE(0, report.ns);
	EXPECT_EQ(report.ns, inner->pid_namespace);
	EXPECT_EQ(0, inner->reserved);
	EXPECT_NE(NULL, vm_item(e, ETW_EXT_CONTAINER_ID, NULL));
	EXPECT_EQ(2, vm_item_count(e));
	/* The other session did not ask. */
	ASSERT_EQ(1, self->events[1]->count);
	EXPECT_EQ(0, vm_item_count(&self->events[1]->list[0]));
	EXPECT_EQ(self->pid, self->events[1]->list[0].head.process_id);
	EXPECT_EQ(0, end_inside(self));
}

/* A process in the initial namespace has no other id. */
TEST_F(container, not_from_outside)
{
	int slot = vm_register(self->fd, vm_guid(3));

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_write(self->fd, slot, 1, 1, 1, "outside", 7));
	ASSERT_EQ(0, collect(self));
	ASSERT_EQ(1, self->events[0]->count);
	EXPECT_EQ(0, vm_items(&self->events[0]->list[0], ETW_EXT_PID_NAMESPACE, NULL));
	EXPECT_EQ(1, vm_item_count(&self->events[0]->list[0]));
}

/* PROVIDER_QUERY gives process ids of the caller's namespace. */
TEST_F(container, query_in_its_namespace)
{
	struct report report;

	/* Nothing works without the right, which the user that its root is outside can get. */
	report = run_inside(self);
	ASSERT_EQ(0, report.result);
	EXPECT_EQ(0, report.seen);
	EXPECT_EQ(0, end_inside(self));
	ASSERT_EQ(0, vm_access(self->fd, vm_guid(3),
			       VM_ALLOW(USER, 100000, ETW_RIGHT_QUERY),
			       VM_ALLOW(EVERYONE, 0, ETW_RIGHT_REGISTER_GUIDS)));
	ASSERT_TRUE(vm_until(registered_pid(self->fd) == 0));
	report = run_inside(self);
	ASSERT_EQ(0, report.result);
	EXPECT_EQ(1, report.seen);
	EXPECT_EQ(0, end_inside(self));
}

/* A registration in a container ends with it. */
TEST_F(container, ends_with_it)
{
	struct report report = run_inside(self);

	ASSERT_EQ(0, report.result);
	EXPECT_EQ(self->pid, registered_pid(self->fd));
	ASSERT_EQ(0, kill(self->pid, SIGKILL));
	EXPECT_EQ(SIGKILL, vm_reap(self->pid));
	EXPECT_EQ(0, registered_pid(self->fd));
	ASSERT_EQ(0, collect(self));
	EXPECT_EQ(1, self->events[0]->count);
}

TEST_HARNESS_MAIN
