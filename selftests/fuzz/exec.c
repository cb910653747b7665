// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec.c - runs one program in a child and makes sure that it ends
 *
 * Calls run one after the other in the order of the program.  In a threaded program the
 * calls before the first call of another thread do so too; then the threads run at the
 * same time, each through its own calls.  Signals interrupt a blocked call repeatedly; a
 * call that can be neither interrupted nor killed is a finding.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "exec.h"

#define TICK_MS		20	/* maximum time that a call blocks */
#define SERIAL_MS	1500	/* time after which no further call begins */
#define WHOLE_MS	60000	/* time for a program that must reach its end */
#define PATIENCE_MS	800	/* time after which blocking conditions are released */
#define CHILD_MS	6000	/* time after which the child is killed */
#define DEATH_MS	120000	/* a killed child that still lives after this time hangs */

#define EXIT_CUT	96	/* a signal could not be delivered because of a requested fault */
#define EXIT_STUCK	97	/* a thread's call did not end */
#define EXIT_FAULT	98	/* an error in this program */

sigjmp_buf fault_jump[THREADS + 1];
__thread volatile int fault_slot;

/* ---------------------------------------------------------------------- a call */

/* Call ioctl as a 32-bit program does. */
static long ioctl_compat(int fd, uint32_t cmd, const void *arg)
{
	long ret = 54;

	asm volatile("int $0x80" : "+a"(ret)
		     : "b"((long)fd), "c"((long)cmd), "d"((long)(uintptr_t)arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

static long call_ioctl(struct exec *x, int thread, const struct call *c, const struct op *op,
		       const uint64_t *v)
{
	uint8_t *arg = args_struct(thread, c, op, v);
	long ret;

	atomic_store(&x->arg[thread], arg);
	if (c->flags & CALL_COMPAT)
		return ioctl_compat((int)v[0], op->cmd, arg);
	ret = syscall(SYS_ioctl, (int)v[0], (unsigned long)op->cmd, arg);
	return ret < 0 ? -errno : ret;
}

static void set_fail(struct exec *x, int thread, unsigned int n)
{
	char text[16];
	int i, len = sprintf(text, "%u", n);

	/* The requested fault may hit this write itself. */
	for (i = 0; i < 300 && pwrite(x->fail_fd[thread], text, len, 0) != len; i++)
		;
}

static void say_call(int thread, unsigned int i, const struct op *op, long ret)
{
	printf("# [%d] %2u %s = %ld%s%s\n", thread, i, op->name, ret, ret < 0 ? " " : "",
	       ret < 0 ? strerror(-ret) : "");
	fflush(stdout);
}

/* Plain operations that may also run out of memory on request */
static bool may_fail(const struct op *op)
{
	return op->cmd || op->run == run_open || op->run == run_map_area ||
	       op->run == run_map_ring || op->run == run_read;
}

long exec_call(struct exec *x, int thread, unsigned int i)
{
	const struct call *c = &x->prog->calls[i];
	const struct op *op = op_by_id(c->op);
	bool fail, operands = x->flags & RUN_OPERANDS;
	uint64_t v[ARGS_MAX];
	long long begin = now_us();
	long ret;

	if (!op)
		return -ENOSYS;
	if (op->cmd)
		memory_clear(thread);
	args_resolve(x, thread, c, op, v);
	fail = c->fail_nth && may_fail(op) && x->fail_fd[thread] >= 0;
	x->at[thread] = i;
	atomic_store(&x->busy[thread], i + 1);
	cover_call_begin(thread);
	if (fail)
		set_fail(x, thread, c->fail_nth);
	ret = op->cmd ? call_ioctl(x, thread, c, op, v) : op->run(x, thread, v);
	if (fail)
		set_fail(x, thread, 0);
	cover_call_end(thread, i, op, ret, operands);
	atomic_store(&x->busy[thread], 0);
	__atomic_fetch_add(&shared->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(ret < 0 ? &shared->failed[op->id] : &shared->ok[op->id], 1,
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->us[op->id], now_us() - begin, __ATOMIC_RELAXED);
	/* Memory of another process does not hold this call's results. */
	if (ret >= 0 && op->done && memory_own(thread, x->arg[thread]))
		op->done(x, memory_own(thread, x->arg[thread]));
	if (op->cmd)
		memory_audit(x, thread, op);
	if (x->flags & RUN_VERBOSE)
		say_call(thread, i, op, ret);
	return ret;
}

/* -------------------------------------------------------------------- the child */

/*
 * An expected access fault jumps back to the operation. The kernel sends the signal
 * itself if a tick arrived while copying to user space was made to fail. Anything else is
 * an error.
 */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	int slot = fault_slot;

	(void)context;
	if (slot > 0)
		siglongjmp(fault_jump[slot - 1], sig);
	_exit(info->si_code == SI_KERNEL ? EXIT_CUT : EXIT_FAULT);
}

static void on_tick(int sig)
{
	(void)sig;
}

static void set_signals(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault,
				   .sa_flags = SA_NODEFER | SA_SIGINFO };
	struct sigaction tick = { .sa_handler = on_tick };	/* calls are not restarted */
	sigset_t none;

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGALRM, &tick, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void open_fail(struct exec *x, int thread)
{
	x->tid[thread] = syscall(SYS_gettid);
	x->fail_fd[thread] = -1;
	if (access("/sys/kernel/debug/failslab", F_OK))
		return;
	x->fail_fd[thread] = fcntl(open("/proc/thread-self/fail-nth", O_RDWR), F_DUPFD_CLOEXEC, 600);
}

static void run_serial(struct exec *x, unsigned int end)
{
	struct itimerval tick = { { 0, TICK_MS * 1000 }, { 0, TICK_MS * 1000 } }, off = { 0 };
	long long stop = now_ms() + (x->flags & RUN_WHOLE ? WHOLE_MS : SERIAL_MS);
	unsigned int i;

	setitimer(ITIMER_REAL, &tick, NULL);
	open_fail(x, 0);
	cover_thread_start(0, x->flags & RUN_OPERANDS);
	for (i = 0; i < end && now_ms() < stop; i++)
		exec_call(x, 0, i);
	cover_thread_stop(0);
	setitimer(ITIMER_REAL, &off, NULL);
}

struct runner {
	pthread_t id;
	struct exec *x;
	int thread;
	unsigned int begin;
	bool all;		/* wait for calls of every thread */
};

static atomic_int running;

static void *run_thread(void *arg)
{
	struct runner *r = arg;
	struct exec *x = r->x;
	unsigned int i;

	open_fail(x, r->thread);
	cover_thread_start(r->thread, x->flags & RUN_OPERANDS);
	for (i = r->begin; i < x->prog->count && !atomic_load(&x->stop); i++)
		if (r->all || x->prog->calls[i].thread == r->thread)
			exec_call(x, r->thread, i);
	cover_thread_stop(r->thread);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

/* Until all threads have ended, change memory and interrupt blocked calls. */
static void conduct(struct exec *x)
{
	long long end = now_ms() + SERIAL_MS, tick = now_ms() + TICK_MS;
	unsigned int was[THREADS] = { 0 }, is;
	int t;

	while (atomic_load(&running) && now_ms() < end + 3000) {
		if (x->prog->flags & PROG_FLIP)
			for (t = 0; t < 200; t++)
				memory_change(x, t % THREADS);
		else
			usleep(2000);
		if (now_ms() < tick)
			continue;
		tick = now_ms() + TICK_MS;
		for (t = 0; t < THREADS; t++) {
			is = atomic_load(&x->busy[t]);
			if (is && (is == was[t] || now_ms() > end))
				syscall(SYS_tgkill, getpid(), x->tid[t], SIGALRM);
			was[t] = is;
		}
		if (now_ms() > end)
			atomic_store(&x->stop, true);
	}
}

static void run_threads(struct exec *x, unsigned int begin, int count)
{
	struct runner r[THREADS];
	int t;

	for (t = 0; t < count; t++) {
		r[t] = (struct runner){ .x = x, .thread = t, .begin = begin, .all = count == 1 };
		atomic_fetch_add(&running, 1);
		if (pthread_create(&r[t].id, NULL, run_thread, &r[t])) {
			atomic_fetch_sub(&running, 1);
			break;
		}
	}
	conduct(x);
	if (atomic_load(&running))
		_exit(EXIT_STUCK);	/* blocked threads are killed with the process */
	while (t-- > 0)
		pthread_join(r[t].id, NULL);
}

static void __attribute__((noreturn)) child(const struct prog *p, unsigned int flags)
{
	static struct exec x;
	unsigned int i;

	setpgid(0, 0);
	set_signals();
	x.prog = p;
	x.flags = flags;
	fd_add(&x, open(ETW_DEVICE_PATH, O_RDWR | O_CLOEXEC), FD_DEV, 0);
	fd_add(&x, open("/dev/etw_test", O_RDWR | O_CLOEXEC), FD_TEST, 0);
	if (p->flags & PROG_THREADED) {
		for (i = 0; i < p->count && !p->calls[i].thread; i++)
			;
		run_serial(&x, i);
		run_threads(&x, i, THREADS);
	} else if (p->flags & PROG_FLIP) {
		run_threads(&x, 0, 1);
	} else {
		run_serial(&x, p->count);
	}
	_exit(0);
}

/* ------------------------------------------------------------------- the parent */

static void show_stack(pid_t pid)
{
	char path[64], text[4096];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (n > 0)
		printf("# stack of process %d:\n%.*s", pid, (int)n, text);
	if (fd >= 0)
		close(fd);
}

/* Wait for any child; 0: timeout, -1: no children. */
static pid_t wait_child(int *status, long long until)
{
	struct timespec pause = { 0, 20 * 1000 * 1000 };
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (!(pid = waitpid(-1, status, WNOHANG))) {
		if (now_ms() > until)
			return 0;
		sigtimedwait(&chld, NULL, &pause);
	}
	return pid;
}

/* Kill and reap every process of the program, wherever it went. */
static bool reap_all(pid_t group)
{
	long long end = now_ms() + DEATH_MS;
	int status;
	pid_t pid;

	do {
		kill(-group, SIGKILL);
		pid = wait_child(&status, now_ms() + 500);
	} while (pid >= 0 && now_ms() < end);
	if (pid < 0)
		return true;
	finding("a killed process did not end within %d s", DEATH_MS / 1000);
	show_stack(group);
	return false;
}

static unsigned int how_ended(int status)
{
	if (!WIFEXITED(status))
		return END_KILLED;
	switch (WEXITSTATUS(status)) {
	case 0:
		return END_WHOLE;
	case EXIT_CUT:
		return END_CUT;
	case EXIT_STUCK:
		return END_STUCK;
	}
	return END_FAULT;
}

bool exec_run(const struct prog *p, unsigned int flags)
{
	long long end = now_ms() + CHILD_MS + (flags & RUN_WHOLE ? WHOLE_MS : 0);
	long long let_go = now_ms() + PATIENCE_MS;
	int status = 0;
	pid_t pid, got;

	shared->run++;
	shared->fresh_count = 0;
	shared->stacks = false;
	shared->typed = false;
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(p, flags);
	if (pid < 0) {
		finding("fork: %s", strerror(errno));
		return false;
	}
	do {
		got = wait_child(&status, let_go);
		if (!got)
			check_open_gate();
		let_go = end;
	} while (got != pid && now_ms() < end);
	if (!got) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		check_restore();
	}
	if (!reap_all(pid))
		return false;
	shared->runs[got == pid ? how_ended(status) : END_KILLED]++;
	if (got == pid && (flags & RUN_VERBOSE) && status)
		printf("# the program ended with status %#x\n", status);
	return !shared->finding[0];
}
