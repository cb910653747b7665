// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace_many - 200 of the kernel's trace events, of all its systems, are enabled and disabled again
 * and again under load: while they are enabled their events come, after that none does, and nothing
 * is left behind; one that is enabled again before all have ended comes once
 *
 * TIMEOUT: 900
 * RUN: in turn
 * KERNEL: every
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_tracefs.h"

#define MANY		200
#define SYSTEMS_MAX	256
#define SYSTEMS_MIN	20	/* of a kernel of a distribution there are about a hundred */
#define ROUNDS		3
#define ENOUGH_MS	60000	/* no further round on a machine that is slow */
#define AFTERWARDS	50	/* turns of the load */

/* What the load does causes these on every kernel. */
static const char *const caused[] = {
	"syscalls/sys_enter_getppid", "syscalls/sys_exit_openat", "raw_syscalls/sys_enter",
	"sched/sched_switch", "sched/sched_process_fork", "task/task_newtask",
	"signal/signal_generate", "timer/hrtimer_start", "exceptions/page_fault_user",
	"irq_vectors/local_timer_entry",
};

#define CAUSED	ARRAY_SIZE(caused)

FIXTURE(many) {
	int fd;
	uint64_t session;
	struct vm_reader r;
	char names[MANY][128];
	unsigned int count, systems;
	uint64_t came[MANY];
	pid_t pid;		/* of the load */
	atomic_uint *turns;	/* that it has done */
};

/* ------------------------------------------------------------------ the choice */

static void add(FIXTURE_DATA(many) *self, const char *name)
{
	unsigned int i;

	for (i = 0; i < self->count; i++)
		if (!strcmp(self->names[i], name))
			return;
	if (self->count < MANY && vm_event_id(name))
		snprintf(self->names[self->count++], sizeof(self->names[0]), "%s", name);
}

/* The systems, but ftrace's own events, which are no tracepoints. */
static unsigned int all_systems(char systems[SYSTEMS_MAX][64])
{
	DIR *dir = opendir(VM_TRACEFS "events");
	const struct dirent *d;
	unsigned int n = 0;

	while (dir && n < SYSTEMS_MAX && (d = readdir(dir)))
		if (d->d_type == DT_DIR && d->d_name[0] != '.' && strcmp(d->d_name, "ftrace") &&
		    strlen(d->d_name) < sizeof(systems[0]))
			strcpy(systems[n++], d->d_name);
	if (dir)
		closedir(dir);
	return n;
}

/* The n-th event of the system; false: it has fewer. */
static bool nth_event(const char *system, unsigned int n, char name[128])
{
	char path[128];
	const struct dirent *d;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), VM_TRACEFS "events/%.63s", system);
	dir = opendir(path);
	while (dir && !found && (d = readdir(dir)))
		if (d->d_type == DT_DIR && d->d_name[0] != '.' && strlen(d->d_name) < 60)
			found = !n-- && snprintf(name, 128, "%.63s/%s", system, d->d_name) > 0;
	if (dir)
		closedir(dir);
	return found;
}

/* Those that the load causes, then of each system the first one, the second one and so on */
static void choose(FIXTURE_DATA(many) *self)
{
	static char systems[SYSTEMS_MAX][64];
	const unsigned int n = all_systems(systems);
	unsigned int i, round;
	bool more = true;
	char name[128];

	for (i = 0; i < CAUSED; i++)
		add(self, caused[i]);
	for (round = 0; more && self->count < MANY; round++) {
		more = false;
		for (i = 0; i < n; i++) {
			if (!nth_event(systems[i], round, name))
				continue;
			more = true;
			add(self, name);
		}
	}
	for (i = 0; i < n; i++)
		for (round = 0; round < self->count; round++)
			if (!strncmp(self->names[round], systems[i], strlen(systems[i])) &&
			    self->names[round][strlen(systems[i])] == '/') {
				self->systems++;
				break;
			}
}

/* -------------------------------------------------------------------- the load */

static void work(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	syscall(SYS_getppid);
	close(open("/dev/null", O_RDONLY));
	if (page != MAP_FAILED)
		*(volatile char *)page = 1;
	munmap(page, 4096);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	usleep(1);
}

/* A process that works without end */
static bool load(FIXTURE_DATA(many) *self)
{
	self->turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (self->turns == MAP_FAILED)
		return false;
	self->pid = fork();
	if (self->pid)
		return self->pid > 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		work();
		atomic_fetch_add(self->turns, 1);
	}
}

/* Wait until it has worked so much. */
static bool worked(FIXTURE_DATA(many) *self, unsigned int turns)
{
	const unsigned int begin = atomic_load(self->turns);

	return vm_until(atomic_load(self->turns) - begin >= turns);
}

static int providers(const FIXTURE_DATA(many) *self)
{
	static struct etw_guid guids[MANY + VM_OWN_PROVIDERS];

	return vm_providers(self->fd, guids, ARRAY_SIZE(guids));
}

static bool start(FIXTURE_DATA(many) *self)
{
	struct etw_session s = vm_session("t-many");

	s.max_buffers = 400;
	if (vm_start(self->fd, &s))
		return false;
	self->session = s.handle;
	return !vm_reader_open(&self->r, self->fd, self->session, O_NONBLOCK);
}

FIXTURE_SETUP(many)
{
	mount("tracefs", VM_TRACEFS, "tracefs", 0, NULL);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vm_until(!providers(self)));
	ASSERT_TRUE(start(self));
	choose(self);
}

FIXTURE_TEARDOWN(many)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		vm_reap(self->pid);
	}
	vm_reader_close(&self->r);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* -------------------------------------------------------------------- the test */

static struct etw_guid guid_of(unsigned int i)
{
	return vm_guid(100 + i);
}

static void take(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	FIXTURE_DATA(many) *self = ctx;
	const unsigned int i = r->head->provider.data1 - guid_of(0).data1;
	const struct etw_guid guid = guid_of(i);

	if (i < self->count && !memcmp(&r->head->provider, &guid, sizeof(guid)))
		self->came[i]++;
}

static bool drain(FIXTURE_DATA(many) *self)
{
	return !vm_flush(self->fd, self->session) &&
	       vm_drain(&self->r, take, self) == -EAGAIN;
}

static int make(int fd, unsigned int i, const char *event)
{
	struct etw_trace_event e = vm_trace_event(guid_of(i), event);

	return vm_ioctl(fd, ETW_IOC_TRACE_EVENT, &e);
}

/* Enable, and wait until the kernel's probe is there. */
static int enable(FIXTURE_DATA(many) *self, unsigned int i)
{
	struct etw_enable e = vm_enable_arg(self->session, guid_of(i));

	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static bool all_caused_came(const FIXTURE_DATA(many) *self)
{
	unsigned int i = 0;

	while (i < CAUSED && self->came[i])
		i++;
	return i == CAUSED;
}

/* All that the session was given, and did not take for want of room */
static uint64_t given(const FIXTURE_DATA(many) *self)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session, &st) ? UINT64_MAX : st.written + vm_dropped(&st);
}

/* The kernel ends the probes one by one, however long that takes on a busy machine. */
static bool all_left(const FIXTURE_DATA(many) *self)
{
	int left;

	while ((left = providers(self)) > 0)
		if (!vm_until(providers(self) < left))
			return false;
	return !left;
}

static void one_round(struct __test_metadata *_metadata, FIXTURE_DATA(many) *self)
{
	const int holder = vm_open();
	uint64_t before;
	unsigned int i;

	memset(self->came, 0, sizeof(self->came));
	for (i = 0; i < self->count; i++)
		ASSERT_EQ(0, make(holder, i, self->names[i])) TH_LOG("%s", self->names[i]);
	for (i = 0; i < self->count; i++) {
		ASSERT_EQ(0, enable(self, i)) TH_LOG("%s", self->names[i]);
		vm_drain(&self->r, take, self);
	}
	close(holder);
	EXPECT_TRUE(vm_until(drain(self) && all_caused_came(self)));
	for (i = 0; i < CAUSED; i++)
		EXPECT_LT(0, self->came[i]) TH_LOG("%s", self->names[i]);
	for (i = 0; i < self->count; i++)
		ASSERT_EQ(0, vm_disable(self->fd, self->session, guid_of(i)));
	EXPECT_TRUE(all_left(self));
	before = given(self);
	EXPECT_TRUE(worked(self, AFTERWARDS));
	EXPECT_EQ(before, given(self));
	EXPECT_TRUE(drain(self));
}

/* run.sh finds out whether the module can be removed. */
TEST_F(many, under_load)
{
	const long long begin = vm_ms();
	unsigned int round, i, kinds = 0;

	ASSERT_EQ(MANY, self->count);
	EXPECT_LE(SYSTEMS_MIN, self->systems);
	for (i = 0; i < CAUSED; i++)
		ASSERT_STREQ(caused[i], self->names[i]);
	ASSERT_TRUE(load(self));
	for (round = 0; round < ROUNDS && vm_ms() - begin < ENOUGH_MS; round++)
		one_round(_metadata, self);
	for (i = 0; i < self->count; i++)
		kinds += !!self->came[i];
	TH_LOG("%u events of %u systems, %u rounds; in the last one %u of them occurred", self->count,
	       self->systems, round, kinds);
}

static bool enable_all(FIXTURE_DATA(many) *self)
{
	const int holder = vm_open();
	unsigned int i;

	for (i = 0; i < self->count; i++)
		if (make(holder, i, self->names[i]) || enable(self, i))
			return false;
	return !close(holder);
}

#define CALLS	1000

/* One that ends last, and one in the middle */
static const char *const calls_of[] = { "syscalls/sys_enter_getppid", "syscalls/sys_exit_getppid" };

/* A process that calls getppid() so often; a session leaves out what its reader does. */
static pid_t call(void)
{
	pid_t pid = fork();
	unsigned int i;

	if (pid)
		return pid;
	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	_exit(0);
}

struct calls {
	uint32_t pid;
	unsigned int came;
};

static void take_call(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct calls *calls = ctx;

	(void)b;
	calls->came += r->head->process_id == calls->pid;
}

TEST_F(many, enabled_again_at_once)
{
	static const unsigned int places[] = { 0, MANY / 2 };
	struct calls calls = { 0 };
	unsigned int i;
	pid_t pid;

	ASSERT_EQ(MANY, self->count);
	for (i = 0; i < 2; i++)
		strcpy(self->names[places[i]], calls_of[i]);
	ASSERT_TRUE(enable_all(self));
	vm_reader_close(&self->r);
	/* All are disabled together.  Their probes end one by one, which takes a while. */
	ASSERT_EQ(0, vm_stop(self->fd, self->session));
	ASSERT_TRUE(start(self));
	ASSERT_TRUE(vm_until(providers(self) < MANY));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, make(self->fd, places[i], calls_of[i]));
		ASSERT_EQ(0, enable(self, places[i]));
	}
	pid = call();
	ASSERT_LT(0, pid);
	calls.pid = pid;
	ASSERT_EQ(0, vm_reap(pid));
	ASSERT_EQ(0, vm_flush(self->fd, self->session));
	EXPECT_EQ(-EAGAIN, vm_drain(&self->r, take_call, &calls));
	EXPECT_EQ(2 * CALLS, calls.came);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, vm_disable(self->fd, self->session, guid_of(places[i])));
}

TEST_HARNESS_MAIN
