// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_enable - enabling a program's providers: callbacks, PIDs, no system calls
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>

FIXTURE(enable) {
	int fd;
	TRACEHANDLE a, b;
};

FIXTURE_SETUP(enable)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vl_start("lib-a");
	self->b = vl_start("lib-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
}

FIXTURE_TEARDOWN(enable)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

/* ------------------------------------------------------------- callbacks */

struct calls {
	atomic_uint count;
	atomic_bool hold;	/* a callback waits while it is set */
	atomic_bool inside;
	bool own_thread;	/* it ran on a thread of this program's */
	bool open_signals;	/* some signal was not blocked */
	pthread_t creator;
	GUID source;		/* of the last call, as what follows */
	ULONG control;
	UCHAR level;
	ULONGLONG any, all;
	bool filter;
};

static bool signals_blocked(void)
{
	sigset_t set;
	int i;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	for (i = 1; i <= SIGRTMAX; i++)
		/* Signals below SIGRTMIN are the C library's own. */
		if (i != SIGKILL && i != SIGSTOP && (i < 32 || i >= SIGRTMIN) &&
		    !sigismember(&set, i))
			return false;
	return true;
}

static VOID on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
		      ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct calls *c = context;

	atomic_store(&c->inside, true);
	while (atomic_load(&c->hold))
		usleep(1000);
	c->own_thread |= pthread_equal(c->creator, pthread_self()) != 0;
	c->open_signals |= !signals_blocked();
	c->source = *source;
	c->control = control;
	c->level = level;
	c->any = any;
	c->all = all;
	c->filter |= filter != NULL;
	atomic_store(&c->inside, false);
	atomic_fetch_add(&c->count, 1);
}

static REGHANDLE register_calls(struct calls *c, unsigned int guid)
{
	GUID provider = vl_guid(guid);
	REGHANDLE reg = 0;

	c->creator = pthread_self();
	return EventRegister(&provider, on_enable, c, &reg) ? 0 : reg;
}

/* Control a provider, waiting for its callbacks. */
static ULONG control(TRACEHANDLE session, ULONG code, unsigned int source, UCHAR level,
		     ULONGLONG any, ULONGLONG all)
{
	ENABLE_TRACE_PARAMETERS params = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2 };
	GUID provider = vl_guid(1);

	params.SourceId = vl_guid(source);
	return EnableTraceEx2(session, &provider, code, level, any, all, VL_TIMEOUT,
			      &params);
}

static bool last_call(struct calls *c, unsigned int count, ULONG code, UCHAR level,
		      ULONGLONG any, ULONGLONG all)
{
	bool ok = atomic_load(&c->count) == count && c->control == code &&
		  c->level == level && c->any == any && c->all == all;

	if (!ok)
		fprintf(stderr, "# call %u: control %u level %u any %llx all %llx\n",
			atomic_load(&c->count), c->control, c->level, c->any, c->all);
	return ok;
}

static bool from(const struct calls *c, unsigned int source)
{
	GUID guid = vl_guid(source), none = { 0 };

	return vl_same_guid(&c->source, source ? &guid : &none);
}

#define ON	EVENT_CONTROL_CODE_ENABLE_PROVIDER
#define OFF	EVENT_CONTROL_CODE_DISABLE_PROVIDER

/* B6, B23, B28, B30 to B32, B40: through calls, again, and a stop */
TEST_F(enable, callback_sees_all_sessions)
{
	struct calls c = { 0 };
	REGHANDLE reg = register_calls(&c, 1);

	ASSERT_NE(0, reg);
	ASSERT_EQ(0, control(self->a, ON, 201, 3, 0x0f, 0x03));
	EXPECT_TRUE(last_call(&c, 1, ON, 3, 0x0f, 0x03));
	EXPECT_TRUE(from(&c, 201));
	ASSERT_EQ(0, control(self->b, ON, 202, 5, 0x10, 0x06));
	EXPECT_TRUE(last_call(&c, 2, ON, 5, 0x1f, 0x02));
	EXPECT_TRUE(from(&c, 202));
	/* Again, with other settings that replace them: any 0 is all ones. */
	ASSERT_EQ(0, control(self->b, ON, 203, 4, 0, 0x07));
	EXPECT_TRUE(last_call(&c, 3, ON, 4, ~0ULL, 0x03));
	EXPECT_TRUE(from(&c, 203));
	ASSERT_EQ(0, control(self->b, OFF, 204, 0, 0, 0));
	EXPECT_TRUE(last_call(&c, 4, ON, 3, 0x0f, 0x03));
	EXPECT_TRUE(from(&c, 204));
	ASSERT_EQ(0, vl_control(self->a, EVENT_TRACE_CONTROL_STOP));
	EXPECT_TRUE(vm_until(atomic_load(&c.count) == 5));
	EXPECT_EQ(OFF, c.control);
	EXPECT_TRUE(from(&c, 0));
	EXPECT_FALSE(c.own_thread);
	EXPECT_FALSE(c.open_signals);
	EXPECT_FALSE(c.filter);
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B15, B27, B32: before it returns, and without the source */
TEST_F(enable, callback_of_a_late_registration)
{
	struct calls c = { 0 };
	REGHANDLE reg;

	ASSERT_EQ(0, control(self->a, ON, 201, 2, 0x30, 0x10));
	reg = register_calls(&c, 1);
	ASSERT_NE(0, reg);
	EXPECT_TRUE(EventProviderEnabled(reg, 0, 0));
	ASSERT_EQ(1, atomic_load(&c.count));
	EXPECT_TRUE(last_call(&c, 1, ON, 2, 0x30, 0x10));
	EXPECT_TRUE(from(&c, 0));
	EXPECT_EQ(0, EventUnregister(reg));
}

TEST_F(enable, callback_captures_state)
{
	struct calls c = { 0 };
	REGHANDLE reg = register_calls(&c, 1);

	ASSERT_NE(0, reg);
	ASSERT_EQ(0, control(self->a, ON, 201, 2, 0x30, 0x10));
	ASSERT_EQ(0, control(self->a, EVENT_CONTROL_CODE_CAPTURE_STATE, 202, 0, 0, 0));
	EXPECT_EQ(2, atomic_load(&c.count));
	EXPECT_EQ(EVENT_CONTROL_CODE_CAPTURE_STATE, c.control);
	EXPECT_TRUE(from(&c, 202));
	EXPECT_TRUE(EventProviderEnabled(reg, 2, 0x10));
	EXPECT_EQ(0, EventUnregister(reg));
}

/* Fewer than the 8 calls that may wait for a registration. */
#define QUEUED	6

/* B39: not even calls that were queued */
TEST_F(enable, no_callback_once_unregistered)
{
	struct calls gone = { 0 }, stays = { 0 };
	REGHANDLE first = register_calls(&gone, 1), second = register_calls(&stays, 1);
	int i;

	ASSERT_NE(0, first);
	ASSERT_NE(0, second);
	ASSERT_EQ(0, control(self->a, ON, 201, 1, 1, 0));
	EXPECT_EQ(1, atomic_load(&gone.count));
	/* Calls for it may be queued when it unregisters. */
	for (i = 0; i < QUEUED; i++)
		ASSERT_EQ(0, vl_enable(self->a, 1, i, 1, 0));
	ASSERT_EQ(0, EventUnregister(first));
	memset(&gone, 0, sizeof(gone));
	ASSERT_EQ(0, control(self->a, OFF, 202, 0, 0, 0));
	EXPECT_EQ(1 + QUEUED + 1, atomic_load(&stays.count));
	EXPECT_EQ(0, atomic_load(&gone.count));
	EXPECT_EQ(0, EventUnregister(second));
}

static void *unregister_main(void *arg)
{
	REGHANDLE *reg = arg;

	EventUnregister(*reg);
	*(volatile REGHANDLE *)reg = 0;
	return NULL;
}

/* B24, B39: a callback that hangs: the enabler's time runs out, EventUnregister() waits. */
TEST_F(enable, callback_under_way)
{
	GUID provider = vl_guid(1);
	struct calls c = { .hold = true };
	REGHANDLE reg = register_calls(&c, 1);
	pthread_t thread;

	ASSERT_NE(0, reg);
	EXPECT_EQ(ERROR_TIMEOUT, EnableTraceEx2(self->a, &provider, ON, 0, 0, 0, 50, NULL));
	EXPECT_TRUE(EventProviderEnabled(reg, 0, 0));
	ASSERT_TRUE(vm_until(atomic_load(&c.inside)));
	ASSERT_EQ(0, pthread_create(&thread, NULL, unregister_main, &reg));
	ASSERT_TRUE(vm_until(vm_others_sleep()));
	EXPECT_NE(0, *(volatile REGHANDLE *)&reg);
	EXPECT_TRUE(atomic_load(&c.inside));
	atomic_store(&c.hold, false);
	pthread_join(thread, NULL);
	EXPECT_FALSE(atomic_load(&c.inside));
	EXPECT_EQ(1, atomic_load(&c.count));
}

/* ------------------------------------------------------------- processes */

/* A process with its own registration, which writes on command. */
struct peer {
	pid_t pid;
	int to[2], from[2];
};

static void peer_main(struct peer *p, REGHANDLE reg)
{
	unsigned char c = reg == 0;
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);

	close(p->to[1]);
	if (write(p->from[1], &c, 1) != 1)
		_exit(1);
	while (read(p->to[0], &c, 1) == 1 && c != 'q') {
		if (c == 'w')
			c = EventWrite(reg, &desc, 0, NULL) != 0;
		else
			c = EventProviderEnabled(reg, 0, 0);
		if (write(p->from[1], &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static int peer_answer(struct peer *p)
{
	unsigned char c;

	return read(p->from[0], &c, 1) == 1 ? c : -1;
}

static int peer_do(struct peer *p, char what)
{
	return write(p->to[1], &what, 1) == 1 ? peer_answer(p) : -1;
}

/* With reg 0 the child registers, else it continues with its parent's registration. */
static bool peer_start(struct peer *p, REGHANDLE reg)
{
	if (pipe2(p->to, O_CLOEXEC) || pipe2(p->from, O_CLOEXEC))
		return false;
	p->pid = fork();
	if (!p->pid)
		peer_main(p, reg ? reg : vl_register(1));
	return p->pid > 0 && peer_answer(p) == 0;
}

static int peer_end(struct peer *p)
{
	return write(p->to[1], "q", 1) == 1 ? vm_reap(p->pid) : -1;
}

static ULONG enable_pids(TRACEHANDLE session, const ULONG *pids, unsigned int count)
{
	EVENT_FILTER_DESCRIPTOR filter = {
		.Ptr = (uintptr_t)pids, .Size = count * sizeof(*pids),
		.Type = EVENT_FILTER_TYPE_PID };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableFilterDesc = &filter, .FilterDescCount = 1 };
	GUID provider = vl_guid(1);

	return EnableTraceEx2(session, &provider, ON, 0, 0, 0, 0, &params);
}

TEST_F(enable, only_the_chosen_process)
{
	struct vl_reader *r = vl_read("lib-a");
	REGHANDLE reg = vl_register(1);
	struct peer p[2];
	ULONG pid;
	int i;

	ASSERT_NE(NULL, r);
	for (i = 0; i < 2; i++)
		ASSERT_TRUE(peer_start(&p[i], 0));
	pid = p[1].pid;
	ASSERT_EQ(0, enable_pids(self->a, &pid, 1));
	EXPECT_EQ(0, peer_do(&p[0], '?'));
	EXPECT_EQ(1, peer_do(&p[1], '?'));
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, peer_do(&p[i], 'w'));
	EXPECT_EQ(0, vl_write(reg, 2, 1, 1, 1));
	ASSERT_TRUE(vl_got(r, self->a, 1));
	/* Enabling again for all processes ends the selection: then all write. */
	ASSERT_EQ(0, vl_enable(self->a, 1, 0, 0, 0));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, peer_do(&p[i], 'w'));
	EXPECT_EQ(0, vl_write(reg, 3, 1, 1, 1));
	ASSERT_EQ(0, vl_control(self->a, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(4, vl_end(r));
	EXPECT_EQ(p[1].pid, r->events[0].header.ProcessId);
	EXPECT_EQ(p[0].pid, r->events[1].header.ProcessId);
	EXPECT_EQ(p[1].pid, r->events[2].header.ProcessId);
	EXPECT_EQ(getpid(), r->events[3].header.ProcessId);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(0, peer_end(&p[i]));
}

static unsigned int registrations(int fd)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1) };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) ? 0 : q.reg_count;
}

/* The first enabled write of a child registers it again. */
TEST_F(enable, fork)
{
	struct vl_reader *r = vl_read("lib-a");
	REGHANDLE reg = vl_register(1);
	struct peer p;

	ASSERT_NE(NULL, r);
	ASSERT_NE(0, reg);
	ASSERT_TRUE(peer_start(&p, reg));
	EXPECT_EQ(0, peer_do(&p, 'w'));
	EXPECT_EQ(1, registrations(self->fd));
	ASSERT_EQ(0, vl_enable(self->a, 1, 0, 0, 0));
	EXPECT_EQ(1, peer_do(&p, '?'));
	EXPECT_EQ(0, vl_write(reg, 2, 1, 1, 1));
	EXPECT_EQ(1, registrations(self->fd));
	EXPECT_EQ(0, peer_do(&p, 'w'));
	EXPECT_EQ(2, registrations(self->fd));
	ASSERT_TRUE(vl_got(r, self->a, 2));
	EXPECT_EQ(getpid(), r->events[0].header.ProcessId);
	EXPECT_EQ(p.pid, r->events[1].header.ProcessId);
	EXPECT_EQ(0, peer_end(&p));
	EXPECT_TRUE(vm_until(registrations(self->fd) == 1));
	EXPECT_EQ(0, vl_write(reg, 3, 1, 1, 1));
	ASSERT_TRUE(vl_got(r, self->a, 3));
	EXPECT_EQ(getpid(), r->events[2].header.ProcessId);
	ASSERT_EQ(0, vl_control(self->a, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(3, vl_end(r));
}

/* ---------------------------------------------------------- system calls */

/* From here on every system call except exit kills the process. */
static bool forbid_system_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = 4, .filter = code };
	struct rlimit none = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void write_without_system_calls(bool enabled)
{
	REGHANDLE off = vl_register(2), filtered = vl_register(1);
	EVENT_DESCRIPTOR desc = vl_event(1, 4, 2);
	GUID guid = vl_guid(3);
	ULONG i, failed = 0;

	if (!off || !filtered || EventProviderEnabled(off, 0, 0) ||
	    !EventProviderEnabled(filtered, 0, 0) || !forbid_system_calls())
		_exit(2);
	for (i = 0; i < 1000; i++) {
		failed += vl_write(off, 1, 1, 1, i) != 0;
		failed += vl_write(filtered, 1, 4, 2, i) != 0;	/* level */
		failed += vl_write(filtered, 1, 2, 1, i) != 0;	/* keyword */
		failed += EventWriteTransfer(off, &desc, &guid, &guid, 0, NULL) != 0;
		failed += EventWriteTransfer(filtered, &desc, NULL, &guid, 0, NULL) != 0;
		failed += EventWriteEx(filtered, &desc, 0, 0, NULL, NULL, 0, NULL) != 0;
		failed += EventWriteString(filtered, 4, 2, u"string") != 0;
		failed += EventEnabled(filtered, &desc) != 0;
		failed += EventProviderEnabled(filtered, 2, 2) != 1;
	}
	if (enabled)
		vl_write(filtered, 1, 2, 2, 0);
	_exit(failed != 0);
}

TEST_F(enable, disabled_makes_no_system_call)
{
	int status, enabled;
	pid_t pid;

	ASSERT_EQ(0, vl_enable(self->a, 1, 3, 2, 0));
	for (enabled = 0; enabled < 2; enabled++) {
		pid = fork();
		if (!pid)
			write_without_system_calls(enabled);
		status = vm_reap(pid);
		/* An enabled event makes a system call: that shows that the trap works. */
		EXPECT_EQ(enabled ? SIGSYS : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		EXPECT_TRUE(enabled || status == 0);
	}
}

TEST_HARNESS_MAIN
