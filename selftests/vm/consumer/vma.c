// SPDX-License-Identifier: GPL-2.0-only
/*
 * vma - what a process may do to the mapped enable area, and to itself while
 * it has one
 *
 * (consumer_map does the same to the mapped buffers.)
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include <sys/random.h>
#include <sys/uio.h>

#define SIZE	((size_t)ETW_ENABLE_AREA_SIZE)

FIXTURE(vma) {
	int fd;
	int slot;
	uint64_t session;
	int cfd;
	uint32_t buffer_size;
	const struct etw_enable_entry *area;
	uint8_t *bufs;
};

FIXTURE_SETUP(vma)
{
	struct etw_consumer_open o = { 0 };

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->session = vm_start_named(self->fd, "t-vma");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_enable(self->fd, self->session, vm_guid(1), 3, 0, 0));
	self->area = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->cfd = vm_consume(self->fd, self->session, O_NONBLOCK, &o);
	ASSERT_LE(0, self->cfd);
	self->buffer_size = o.buffer_size;
	self->bufs = mmap(NULL, o.buffer_size, PROT_READ, MAP_SHARED, self->cfd,
			  o.buffer_size);
	ASSERT_NE(MAP_FAILED, self->bufs);
}

FIXTURE_TEARDOWN(vma)
{
	vm_stop_all(self->fd);
	close(self->cfd);
	close(self->fd);
}

static bool intact(const struct etw_enable_entry *area, int slot)
{
	return area[slot].enabled && area[slot].level == 3 &&
	       !area[ETW_REGISTRATIONS_MAX - 1].enabled;
}

TEST_F(vma, odd_places)
{
	static const struct { long long at; size_t len; } bad[] = {
		{ 0, 4096 }, { 0, SIZE - 4096 }, { 0, SIZE + 1 }, { 0, SIZE + 4096 },
		{ 0, 2 * SIZE }, { 4096, SIZE }, { 4096, SIZE - 4096 }, { SIZE, SIZE },
		{ 1LL << 32, SIZE }, { 1LL << 44, SIZE }, { 0x7fffffffffff0000, SIZE },
		{ -4096LL, SIZE }, { -(long long)SIZE, SIZE } };
	unsigned int i;
	void *p;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		p = mmap(NULL, bad[i].len, PROT_READ, MAP_SHARED, self->fd, bad[i].at);
		EXPECT_EQ(MAP_FAILED, p)
			TH_LOG("offset %llx length %zx", bad[i].at, bad[i].len);
	}
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 0, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, self->fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, self->fd, 0));
	EXPECT_TRUE(intact(self->area, self->slot));
}

/* There are more ways to write into a mapping than a store. */
TEST_F(vma, never_written)
{
	void *area = (void *)self->area, *all[] = { area, self->bufs };
	struct iovec from, to;
	unsigned int i;
	char c = 1;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	ASSERT_LE(0, mem);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		EXPECT_EQ(-1, mprotect(all[i], 4096, PROT_READ | PROT_WRITE));
		EXPECT_EQ(EACCES, errno);
		EXPECT_EQ(-1, mprotect(all[i], 4096, PROT_READ | PROT_EXEC));
		EXPECT_EQ(EACCES, errno);
		EXPECT_GE(0, pwrite(mem, &c, 1, (off_t)VM_PTR(all[i])));
		from = (struct iovec){ &c, 1 };
		to = (struct iovec){ all[i], 1 };
		EXPECT_EQ(-1, process_vm_writev(getpid(), &from, 1, &to, 1, 0));
		EXPECT_EQ(-1, getrandom(all[i], 1, 0));
	}
	close(mem);
	EXPECT_TRUE(intact(self->area, self->slot));
}

/* The process itself bears the effects of its mremap, munmap and madvise. */
TEST_F(vma, moved_and_cut)
{
	uint8_t *p = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, self->fd, 0), *q;
	uint8_t *room = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, p);
	ASSERT_NE(MAP_FAILED, room);
	EXPECT_EQ(MAP_FAILED, mremap(p, SIZE, 2 * SIZE, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(p, SIZE, SIZE + 4096, MREMAP_MAYMOVE | MREMAP_FIXED,
				     room));
	q = mremap(p, SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, room);
	if (q == MAP_FAILED)
		q = p;
	EXPECT_TRUE(intact((void *)q, self->slot));
	EXPECT_EQ(0, munmap(q + 4096, 4096));
	EXPECT_EQ(1, ((struct etw_enable_entry *)q)[self->slot].enabled);
	EXPECT_EQ(0, munmap(q + 2 * 4096, SIZE - 2 * 4096));
	EXPECT_EQ(-1, mprotect(q, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, munmap(q, 4096));
	EXPECT_TRUE(intact(self->area, self->slot));
}

/* Each advice in turn, and a fork after it, change nothing for the kernel. */
static void advise(struct __test_metadata *_metadata, FIXTURE_DATA(vma) *self,
		   const int *advice, unsigned int count)
{
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 0; i < count; i++) {
		madvise((void *)self->area, SIZE, advice[i]);
		madvise(self->bufs, self->buffer_size, advice[i]);
		pid = fork();
		if (!pid)
			_exit(0);
		status = vm_reap(pid);
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_TRUE(intact(self->area, self->slot))
			TH_LOG("advice %d", advice[i]);
	}
}

TEST_F(vma, advised)
{
	static const int advice[] = {
		MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED,
		MADV_DODUMP, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_FREE, MADV_REMOVE,
		MADV_COLD, MADV_PAGEOUT, MADV_WIPEONFORK };
	int status;
	pid_t pid;

	advise(_metadata, self, advice, ARRAY_SIZE(advice));
	/* Discarded pages are not mapped again: the process gets a SIGBUS. */
	pid = fork();
	if (!pid) {
		madvise((void *)self->area, SIZE, MADV_DONTNEED);
		_exit(intact(self->area, self->slot) ? 1 : 2);
	}
	status = vm_reap(pid);
	EXPECT_TRUE((WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) ||
		    (WIFEXITED(status) && WEXITSTATUS(status) == 1));
	EXPECT_TRUE(intact(self->area, self->slot));
}

/* A child without the mappings; newer kernels do not let DONTFORK be taken back. */
TEST_F(vma, not_inherited)
{
	static const int advice[] = { MADV_DONTFORK, MADV_DOFORK, MADV_DONTFORK };

	advise(_metadata, self, advice, ARRAY_SIZE(advice));
}

/* What the kernel itself says about the mappings. */
TEST_F(vma, flags)
{
	bool ours = false;
	unsigned int found = 0;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");

	ASSERT_NE(NULL, f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "-") && strstr(line, ":") && line[0] != 'V')
			ours = strstr(line, "/dev/etw") || strstr(line, "[etw-consumer]");
		if (!ours || strncmp(line, "VmFlags:", 8))
			continue;
		found++;
		EXPECT_EQ(NULL, strstr(line, " wr"));
		EXPECT_EQ(NULL, strstr(line, " mw"));	/* can never be made writable */
		EXPECT_EQ(NULL, strstr(line, " me"));
		EXPECT_NE(NULL, strstr(line, " de"));	/* does not expand */
		EXPECT_NE(NULL, strstr(line, " dd"));	/* not in a core dump */
		ours = false;
	}
	fclose(f);
	EXPECT_EQ(2, found);
}

/* ------------------------------------------------------- kinds of children */

static int end_of(pid_t pid)
{
	int status = vm_reap(pid);

	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int try_write(FIXTURE_DATA(vma) *self)
{
	return -vm_write(self->fd, self->slot, 1, 1, 1, "child", 5);
}

TEST_F(vma, vfork)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(try_write(self));
	EXPECT_EQ(ESTALE, end_of(pid));
	EXPECT_TRUE(intact(self->area, self->slot));
	EXPECT_EQ(0, try_write(self));
}

struct child {
	FIXTURE_DATA(vma) *self;
	int result;
};

static int in_child(void *arg)
{
	struct child *c = arg;

	c->result = try_write(c->self);
	return vm_unregister(c->self->fd, c->self->slot) == -ESTALE ? 0 : 1;
}

/* Another process in the same memory, with the same files: still another one. */
TEST_F(vma, shared_memory_and_files)
{
	static uint8_t stack[65536] __attribute__((aligned(16)));
	struct child c = { .self = self };
	pid_t pid = clone(in_child, stack + sizeof(stack),
			  CLONE_VM | CLONE_FILES | SIGCHLD, &c);

	ASSERT_LT(0, pid);
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(ESTALE, c.result);
	EXPECT_EQ(0, try_write(self));
	EXPECT_TRUE(intact(self->area, self->slot));
}

static int registrations(int fd, struct etw_guid guid)
{
	struct etw_provider_query q = { .size = sizeof(q), .provider = guid };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &q) ? 0 : q.reg_count;
}

static bool executes(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return vm_count_lines(path, name) == 1;
}

/*
 * Exec ends the registration of the old program; the new one inherits the file but cannot use
 * that registration.
 */
TEST_F(vma, exec)
{
	pid_t pid = fork();

	if (!pid) {
		int fd = open(ETW_DEVICE_PATH, O_RDWR);	/* survives exec */

		if (vm_register(fd, vm_guid(2)) < 0 ||
		    registrations(self->fd, vm_guid(2)) != 1)
			_exit(1);
		mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
		execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(1);
	}
	ASSERT_TRUE(vm_until(executes(pid, "sleep")));
	EXPECT_TRUE(vm_until(registrations(self->fd, vm_guid(2)) == 0));
	EXPECT_EQ(0, kill(pid, 0));	/* it lives */
	kill(pid, SIGKILL);
	vm_reap(pid);
	EXPECT_EQ(1, registrations(self->fd, vm_guid(1)));
}

/*
 * A daemon: a grandchild in a session of its own that has closed all files and
 * goes on reading what it inherited, while the first process has ended.
 */
TEST_F(vma, daemon)
{
	int go[2], done[2];
	char c = 0;
	pid_t pid;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	pid = fork();
	if (!pid) {
		int fd = vm_open(), slot = vm_register(fd, vm_guid(2));
		const volatile struct etw_enable_entry *area =
			mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);

		vm_enable(fd, self->session, vm_guid(2), 3, 0, 0);
		if (fork())
			_exit(0);
		setsid();
		if (fork())
			_exit(0);
		close(fd);
		close(self->fd);
		close(self->cfd);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		/* The provider is gone, the page is not: soon its entry passes every event. */
		c = area != MAP_FAILED && slot >= 0 && vm_until(area[slot].level == 255) ? 'g' : 'b';
		_exit(write(done[1], &c, 1) != 1);
	}
	EXPECT_EQ(0, end_of(pid));
	EXPECT_EQ(0, registrations(self->fd, vm_guid(2)));
	ASSERT_EQ(1, write(go[1], "g", 1));
	close(done[1]);
	ASSERT_EQ(1, read(done[0], &c, 1));
	EXPECT_EQ('g', c);
	EXPECT_TRUE(intact(self->area, self->slot));
}

/* The module's areas.  The file leaves lines out while others end, as those of the last test. */
static int areas(void)
{
	int count, last = -1;

	while ((count = vm_count_lines("/proc/vmallocinfo", "[etw]")) != last) {
		last = count;
		usleep(100000);
	}
	return count;
}

/* Hundreds of mappings, most of them torn down by the end of a process. */
TEST_F(vma, many)
{
	int i, before = areas();
	pid_t pid;

	for (i = 0; i < 10; i++) {
		pid = fork();
		if (!pid) {
			int fd = vm_open(), j;

			for (j = 0; j < 100; j++)
				if (mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
					_exit(1);
			_exit(0);
		}
		EXPECT_EQ(0, end_of(pid));
	}
	/* Memory is freed after a grace period. */
	EXPECT_TRUE(vm_until(areas() <= before)) TH_LOG("%d areas, %d before", areas(), before);
}

TEST_HARNESS_MAIN
