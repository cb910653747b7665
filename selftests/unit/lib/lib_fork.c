// SPDX-License-Identifier: MIT
/* Registrations over fork, raw clone, vfork, and descriptors that vanish */
#include "lib_fake.h"
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <evntprov.h>
#include "lib/tap.h"

static const GUID guid_a = { 0xA, 0, 0, { 1 } };
static const GUID guid_b = { 0xB, 0, 0, { 2 } };
static const EVENT_DESCRIPTOR event = { .Id = 7, .Level = 4, .Keyword = 0x10 };
static REGHANDLE handle;

/* The exit status of a child that runs fn; -1 if it died or hung. */
static int in_child(int (*fn)(void), bool raw)
{
	int status;
	pid_t pid = raw ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();

	if (!pid) {
		alarm(20);
		_exit(fn());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int write_one(void)
{
	EVENT_DATA_DESCRIPTOR data;
	uint32_t writes = fake->writes;

	EventDataDescCreate(&data, "child", 5);
	if (EventWrite(handle, &event, 1, &data))
		return 1;
	if (fake->writes != writes + 1 || fake->last.len != 5)
		return 2;
	return memcmp(&fake->last.provider, &guid_a, 16) ? 3 : 0;
}

static int child_writes(void)
{
	uint32_t opens = fake->opens;
	int ret;

	if (!EventEnabled(handle, &event))
		return 10;
	ret = write_one();
	if (ret)
		return ret;
	ret = write_one();
	if (ret)
		return 10 + ret;
	if (fake->opens != opens + 1)
		return 20;
	if (EventUnregister(handle) || EventWrite(handle, &event, 0, NULL) != ERROR_INVALID_HANDLE)
		return 21;
	return 0;
}

static int child_forks(void)
{
	int ret = write_one();

	return ret ? ret : in_child(child_writes, false);
}

static int child_exits(void)
{
	return 0;
}

static int child_unregisters(void)
{
	return EventUnregister(handle) ? 1 : EventEnabled(handle, &event);
}

static int child_registers(void)
{
	uint32_t registers = fake->registers;
	REGHANDLE own;

	if (EventRegister(&guid_b, NULL, NULL, &own) || own == handle)
		return 1;
	/* Its own and the inherited one */
	if (fake->registers != registers + 2)
		return 2;
	if (write_one())
		return 3;
	return EventUnregister(own) || EventUnregister(handle);
}

/* Every event is counted as lost until the device can be opened. */
static int loses_until(int *error, int err)
{
	uint32_t lost = fake->lost, opens;
	REGHANDLE own;

	*error = err;
	if (EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY ||
	    EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY)
		return 1;
	if (fake->lost != lost + 2 || !EventEnabled(handle, &event))
		return 2;
	/* As in a program that never had a device */
	if (EventRegister(&guid_b, NULL, NULL, &own) || EventEnabled(own, &event) ||
	    EventWrite(own, &event, 0, NULL) || EventUnregister(own) || fake->lost != lost + 2)
		return 3;
	*error = 0;
	opens = fake->opens;
	if (write_one() || write_one())
		return 4;
	return fake->lost == lost + 2 && fake->opens == opens + 1 ? 0 : 5;
}

static int child_without_path(void)
{
	return loses_until(&fake->open_error, -ENOENT);
}

static int child_without_rights(void)
{
	return loses_until(&fake->open_error, -EACCES);
}

static int child_without_area(void)
{
	return loses_until(&fake->map_error, -EPERM);
}

static int device_fd(pid_t opener);

/* A daemon that closes all descriptors: nothing can be counted, but the write fails. */
static int child_without_anything(void)
{
	uint32_t lost = fake->lost;

	close(device_fd(getppid()));
	fake->open_error = -ENOENT;
	if (EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY ||
	    EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY || fake->lost != lost)
		return 1;
	fake->open_error = 0;
	return write_one();
}

static GUID child_id;

static int child_activity(void)
{
	GUID id;

	EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &id);
	/* The random half differs, so all of the child's ids differ. */
	return memcmp(id.Data4, child_id.Data4, 8) ? 0 : 1;
}

static void test_fork(void)
{
	uint32_t opens = fake->opens;

	is(in_child(child_exits, false), 0, "a child that only exits");
	is(fake->opens, opens, "opens nothing");
	is(in_child(child_unregisters, false), 0, "a child that unregisters");
	is(fake->opens, opens, "opens nothing either");
	is(in_child(child_writes, false), 0, "a child that writes");
	is(in_child(child_writes, true), 0, "a raw clone that writes");
	is(in_child(child_forks, false), 0, "a grandchild that writes");
	is(in_child(child_registers, false), 0, "a child that registers");
	is(in_child(child_without_path, false), 0, "a child that cannot reach the device");
	is(in_child(child_without_rights, false), 0, "one that may not open it");
	is(in_child(child_without_area, false), 0, "one that cannot map it");
	is(in_child(child_without_anything, false), 0, "one that has also closed its parent's");
	fake->open_error = 0;
	fake->map_error = 0;
	is(fake->stale, 0, "no process wrote to another's registration");
	opens = fake->opens;
	is(write_one(), 0, "the parent writes on");
	is(fake->opens, opens, "as before");
	EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &child_id);
	is(in_child(child_activity, false), 0, "activity ids of a child are its own");
	is(in_child(child_activity, true), 0, "and of a raw clone");
}

static int vfork_child(void *arg)
{
	(void)arg;
	return write_one() || write_one();
}

/* The exit status of a child that shares our memory; -1 if it died. */
static int in_vfork_child(int (*fn)(void *))
{
	static char stack[1 << 16] __attribute__((__aligned__(16)));
	int status = -1;
	pid_t pid = clone(fn, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int vfork_child_without_descriptors(void *arg)
{
	struct rlimit limit = { 0, 0 };
	uint32_t lost = fake->lost;

	(void)arg;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY)
		return 1;
	return fake->lost == lost + 1 ? 0 : 2;
}

static int vfork_child_registers(void *arg)
{
	uint32_t ioctls = fake->ioctls, attempts = fake->attempts;
	REGHANDLE own = 1;
	BOOLEAN on = TRUE;

	(void)arg;
	if (EventRegister(&guid_b, NULL, NULL, &own) != ERROR_NOT_SUPPORTED || own)
		return 1;
	if (EventUnregister(handle) != ERROR_NOT_SUPPORTED)
		return 2;
	if (EventSetInformation(handle, EventProviderUseDescriptorType, &on, sizeof(on)) !=
	    ERROR_NOT_SUPPORTED)
		return 3;
	return fake->ioctls != ioctls || fake->attempts != attempts;
}

/* The vfork child of a child that has written nothing yet */
static int child_vforks(void)
{
	uint32_t opens = fake->opens;

	if (in_vfork_child(vfork_child) || fake->opens != opens + 2)
		return 1;
	return write_one() || fake->opens != opens + 3;
}

static void test_vfork(void)
{
	uint32_t opens = fake->opens, stale = fake->stale;

	is(in_vfork_child(vfork_child), 0, "a vfork child writes");
	is(fake->opens, opens + 2, "through descriptors of its own");
	is(fake->stale, stale + 2, "after its parent's was refused");
	is(write_one(), 0, "the parent writes on");
	is(fake->opens, opens + 2, "as before");
	is(in_vfork_child(vfork_child_without_descriptors), 0,
	   "a vfork child without a free descriptor counts the loss");
	is(write_one(), 0, "the parent writes on");
	is(in_vfork_child(vfork_child_registers), 0, "a vfork child cannot change registrations");
	is(fake->opens, opens + 2, "opens nothing");
	is(write_one(), 0, "and the parent writes on");
	is(in_child(child_vforks, false), 0, "a vfork child before its parent has written");
}

static int child_out_of_descriptors(void)
{
	struct rlimit limit, none;
	uint32_t lost = fake->lost;
	REGHANDLE own;

	getrlimit(RLIMIT_NOFILE, &limit);
	none = (struct rlimit){ 0, limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	if (EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY ||
	    EventWrite(handle, &event, 0, NULL) != ERROR_NOT_ENOUGH_MEMORY)
		return 1;
	if (fake->lost != lost + 2)
		return 2;
	if (EventRegister(&guid_b, NULL, NULL, &own) != ERROR_NOT_ENOUGH_MEMORY)
		return 3;
	setrlimit(RLIMIT_NOFILE, &limit);
	return write_one() || write_one() ? 4 : fake->lost != lost + 2;
}

/* All numbers are in use; the inherited descriptor's serves again. */
static int child_reuses_descriptor(void)
{
	struct rlimit limit = { 64, 64 };
	int fd = device_fd(getppid()), last = -1;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (int copy; (copy = dup(2)) >= 0;)
		last = copy;
	close(last);	/* the model needs two */
	if (write_one())
		return 1;
	return device_fd(getpid()) == fd ? 0 : 2;
}

static void test_out_of_descriptors(void)
{
	uint32_t lost = fake->lost;

	is(in_child(child_out_of_descriptors, false), 0,
	   "a child without a free descriptor counts losses, and writes when it has one");
	is(in_child(child_reuses_descriptor, false), 0,
	   "a child without a free descriptor uses the inherited one's number");
	is(fake->lost, lost + 2, "and loses nothing");
	is(write_one(), 0, "the parent writes on");
}

/* The library's descriptor of the device: the read end */
static int device_fd(pid_t opener)
{
	struct fake_file *f;
	int fd;

	for (fd = 3; fd < 200; fd++) {
		f = fake_file(fd);
		if (f && f->pid == opener && (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
			return fd;
	}
	return -1;
}

static void test_descriptors(void)
{
	uint32_t opens = fake->opens;
	int fd = device_fd(getpid()), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct stat st;

	ok(fd > 2, "the device is open");
	close(fd);
	is(write_one(), 0, "closed under us");
	is(fake->opens, opens + 1, "opened again");
	fake_control(&guid_a, ETW_CONTROL_DISABLE, 0, 0, 0);
	is(EventEnabled(handle, &event), FALSE, "the new area is used");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	is(EventEnabled(handle, &event), TRUE, "both ways");

	fd = device_fd(getpid());
	dup2(null, fd);
	is(write_one(), 0, "replaced under us");
	is(fake->opens, opens + 2, "opened again");
	ok(!fstat(fd, &st) && S_ISCHR(st.st_mode), "the file that replaced it stays open");
	close(fd);

	/* Like a terminal that was hung up */
	fd = device_fd(getpid());
	dup2(null, fd);
	fake->error[0x30] = -EIO;
	is(write_one(), 0, "replaced by a file with other answers");
	is(fake->opens, opens + 3, "opened again");
	close(fd);

	fake->error[0x30] = -EIO;
	is(EventWrite(handle, &event, 0, NULL), ERROR_IO_DEVICE, "an error of the device itself");
	is(fake->opens, opens + 3, "is not an error of the descriptor");
	fake->error[0x30] = -ESTALE;
	is(write_one(), 0, "a stale registration");
	is(fake->opens, opens + 4, "opened again");
	fake->error[0x30] = -EBADF;
	is(write_one(), 0, "a registration the kernel does not know");
	is(fake->opens, opens + 5, "opened again");
	close(null);
}

static _Atomic bool stop;

static void *busy(void *arg)
{
	REGHANDLE h;

	(void)arg;
	while (!stop) {
		EventWrite(handle, &event, 0, NULL);
		if (!EventRegister(&guid_b, NULL, NULL, &h))
			EventUnregister(h);
	}
	return NULL;
}

static int child_any(void)
{
	REGHANDLE h;

	/* The parent may hold the model's lock, but the lock is shared. */
	return EventWrite(handle, &event, 0, NULL) || EventRegister(&guid_b, NULL, NULL, &h) ||
	       EventWrite(h, &event, 0, NULL) || EventUnregister(h) || EventUnregister(handle);
}

static void test_threads(void)
{
	pthread_t threads[2];
	int i, bad = 0;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, busy, NULL);
	for (i = 0; i < 100; i++)
		bad += in_child(child_any, i & 1) != 0;
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	is(bad, 0, "fork at any moment of other threads");
}

int main(void)
{
	fake_init();
	is(EventRegister(&guid_a, NULL, NULL, &handle), ERROR_SUCCESS, "register");
	fake_control(&guid_a, ETW_CONTROL_ENABLE, 4, 0x10, 0);
	is(write_one(), 0, "write");
	test_fork();
	test_vfork();
	test_out_of_descriptors();
	test_descriptors();
	test_threads();
	is(EventUnregister(handle), ERROR_SUCCESS, "unregister");
	return done_testing();
}
