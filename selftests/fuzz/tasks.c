// SPDX-License-Identifier: GPL-2.0-only
/*
 * tasks.c - operations on mappings and on processes
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "exec.h"

/* ------------------------------------------------------------------- mappings */

/* Within the area for it, or anywhere if it is too long. */
static long map(uint64_t fd, uint64_t at, uint64_t len, uint64_t prot, uint64_t flags, uint64_t offset)
{
	void *p;
	long err;

	if (len <= MAP_ROOM)
		flags |= MAP_FIXED;
	else
		at = 0, flags &= ~(uint64_t)MAP_FIXED;
	p = mmap((void *)at, len, prot, flags & ~(uint64_t)MAP_ANONYMOUS, (int)fd, offset);
	err = p == MAP_FAILED ? -errno : 0;
	if (!err && len > MAP_ROOM)
		munmap(p, len);
	return err;
}

RUN(map_area)
{
	(void)x;
	(void)thread;
	return map(v[0], v[1], v[2] ? v[2] : ETW_ENABLE_AREA_SIZE, v[3], v[4], v[5]);
}

/* Small values of length and offset count buffers. */
RUN(map_ring)
{
	struct fuzz_fd *f = fd_find(x, (int)v[0]);
	uint64_t size = f && f->buffer_size ? f->buffer_size : 4096, len = v[2], offset = v[5];

	(void)thread;
	if (len < 64)
		len = (len ? len : 1) * size;
	if (offset < 256)
		offset = (offset ? offset : 1) * size;
	return map(v[0], v[1], len, v[3], v[4], offset);
}

static size_t clamp_pages(uint64_t page, uint64_t *pages)
{
	page %= MAP_ROOM / PAGE;
	if (*pages > MAP_ROOM / PAGE - page)
		*pages = MAP_ROOM / PAGE - page;
	return page * PAGE;
}

/* Reserve the unmapped area immediately, so that no other mapping takes it. */
RUN(unmap)
{
	uint64_t pages = v[2];
	size_t at = clamp_pages(v[1], &pages);
	long ret = result(munmap((void *)(v[0] + at), pages * PAGE));

	(void)x;
	(void)thread;
	mmap((void *)(v[0] + at), pages * PAGE, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	return ret;
}

/* To another area, so that no other mapping is in the way. */
RUN(remap)
{
	uint64_t old = v[1] > MAP_ROOM ? MAP_ROOM : v[1], size = v[2] > MAP_ROOM ? MAP_ROOM : v[2];
	uint8_t *to = map_area((v[0] - MAPS_BASE) / MAP_ROOM + 1);
	void *p;

	(void)x;
	(void)thread;
	p = mremap((void *)v[0], old, size, MREMAP_MAYMOVE | MREMAP_FIXED | (v[3] & MREMAP_DONTUNMAP),
		   to);
	if (p == MAP_FAILED)
		return -errno;
	mmap((void *)v[0], old, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return 0;
}

RUN(protect)
{
	uint64_t pages = v[2];
	size_t at = clamp_pages(v[1], &pages);

	(void)x;
	(void)thread;
	return result(mprotect((void *)(v[0] + at), pages * PAGE, v[3]));
}

RUN(advise)
{
	uint64_t pages = v[2];
	size_t at = clamp_pages(v[1], &pages);

	(void)x;
	(void)thread;
	return result(madvise((void *)(v[0] + at), pages * PAGE, v[3]));
}

RUN(touch)
{
	volatile uint8_t *p = (uint8_t *)(v[0] + v[1] % (MAP_ROOM / PAGE) * PAGE);
	static const uint8_t none;

	(void)x;
	if (sigsetjmp(fault_jump[thread], 1)) {
		fault_slot = 0;
		return -EFAULT;
	}
	fault_slot = thread + 1;
	(void)*p;
	if (v[2] & 1)
		*p = none;
	fault_slot = 0;
	return 0;
}

/* ------------------------------------------------------------------ processes */

static void __attribute__((noreturn)) hold(void)
{
	for (;;)
		pause();
}

static bool become(uint64_t how)
{
	pid_t pid;
	int status;

	switch (how) {
	case FORK_USER:
		return !syscall(SYS_setresuid, 1000, 1000, 1000);
	case FORK_USERNS:
		return !unshare(CLONE_NEWUSER);
	case FORK_PIDNS:
		if (unshare(CLONE_NEWPID))
			return false;
		pid = fork();
		if (pid > 0) {
			waitpid(pid, &status, 0);
			_exit(0);
		}
		return !pid;
	}
	return true;
}

/* Run the next calls of the program in a process that inherited everything. */
static void __attribute__((noreturn)) forked(struct exec *x, int parent, uint64_t how, uint64_t calls)
{
	struct itimerval tick = { { 0, 40000 }, { 0, 40000 } };
	unsigned int i, first = x->at[parent] + 1;
	int fd;

	/* The files of the parent's thread belong to the parent. */
	if (!become(how))
		_exit(1);
	setitimer(ITIMER_REAL, &tick, NULL);
	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	x->fail_fd[THREADS] = fd;
	cover_thread_start(THREADS, x->flags & RUN_OPERANDS);
	for (i = first; i < first + calls && i < x->prog->count; i++)
		if (x->prog->calls[i].op != x->prog->calls[first - 1].op)
			exec_call(x, THREADS, i);
	if (how == FORK_EXEC || how == FORK_EXEC_HOLDS)
		execl("/proc/self/exe", "etw_fuzz", "--hold",
		      how == FORK_EXEC_HOLDS ? "yes" : "no", (char *)NULL);
	cover_thread_stop(THREADS);
	if (how == FORK_HOLDS)
		hold();
	_exit(0);
}

RUN(fork)
{
	uint64_t how = v[0] & 7;
	int status, tries;
	pid_t pid;

	if (thread == THREADS)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		forked(x, thread, how, v[1] % 12);
	if (how == FORK_HOLDS || how == FORK_EXEC_HOLDS) {
		x->held[atomic_fetch_add(&x->held_count, 1) % 8] = pid;
		return 0;
	}
	if (how == FORK_KILLED) {
		usleep(rnd_mix(v[1]) % 3000);
		kill(pid, SIGKILL);
	}
	/* Every tick interrupts the wait. */
	for (tries = 0; waitpid(pid, &status, 0) != pid; tries++)
		if (tries == 20)
			kill(pid, SIGKILL);
	/* After exec the process cannot report its coverage. */
	if (how == FORK_EXEC && !(x->flags & RUN_OPERANDS))
		cover_take(COVER_CHILD);
	return 0;
}

RUN(kill)
{
	unsigned int n = atomic_load(&x->held_count);
	int status;
	pid_t pid;

	(void)thread;
	if (!n)
		return -ESRCH;
	pid = x->held[v[0] % (n < 8 ? n : 8)];
	if (kill(pid, SIGKILL))
		return -errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* For this thread only, permanently. */
RUN(drop_rights)
{
	(void)x;
	(void)thread;
	return result(syscall(SYS_setresuid, (long)v[0], (long)v[0], (long)v[0]));
}
