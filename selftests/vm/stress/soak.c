// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak - many repetitions: nothing grows
 *
 * The module charges all its memory to the cgroup of the process that causes it, so the
 * account of our own group shows its memory to the byte, or to a few pages on newer kernels.
 * A leak smaller than one small struct for each repetition shows after some hundred of them.
 *
 * ETW_SOAK=N multiplies the repetitions; with 2000 there are 100,000 sessions and 1,000,000
 * registrations.
 *
 * TIMEOUT: 3600
 */
#include "lib/vm.h"
#include "lib/fault/vm_group.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_state.h"

#include <dirent.h>
#include <glob.h>
#include <linux/membarrier.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#define LIMIT		14400	/* seconds, for ETW_SOAK=2000 and more */
#define CPUS		2
#define SESSIONS	50
#define REGISTRATIONS	500
#define FILES		150
#define CYCLES		50
#define CROSSES		10
#define CROSS		64	/* providers that eight sessions enable */
#define SLACK		2048	/* bytes that the kernel itself may take for us */
#define KINDS		2	/* of a group's changes that a CPU keeps, see slack() */
#define SLACK_KB	2048	/* what the rest of the system may take meanwhile */

struct counts {
	int files;
	int refs;
	int areas;
	long long bytes;	/* of memory that the group was charged for */
	long slab_kb;		/* 0 where freed memory is kept back on purpose */
	long vmalloc_kb;
	long percpu_kb;
};

static long meminfo(const char *key)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = 0;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && line[strlen(key)] == ':')
			kb = atol(line + strlen(key) + 1);
	if (f)
		fclose(f);
	return kb;
}

/* KASAN keeps freed objects for a while. */
static bool keeps_freed(void)
{
	static int kasan = -1;

	if (kasan < 0)
		kasan = vm_count_lines("/proc/kallsyms", " kasan_report");
	return kasan > 0;
}

/*
 * Each CPU keeps changes of a group's account to itself until another group
 * comes along: a process of another group, one on each CPU.
 */
static void be_other(int cpu, int fd)
{
	char c;

	vm_pin(cpu);
	if (vm_group_join("others"))
		while (read(fd, &c, 1) == 1 && !close(open("/proc/self/stat", O_RDONLY)) &&
		       write(fd, &c, 1) == 1)
			;
	_exit(0);
}

static bool start_others(int *others)
{
	int cpu, ends[2];

	for (cpu = 0; cpu < CPUS; cpu++) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
			return false;
		if (!fork()) {
			close(ends[0]);
			be_other(cpu, ends[1]);
		}
		close(ends[1]);
		others[cpu] = ends[0];
	}
	return true;
}

/* And the kernel sums up only when there are many of them. */
static bool settle_account(const int *others)
{
	const size_t many = 4 << 20;
	bool ok = true;
	char c = 0;
	int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		ok = write(others[cpu], &c, 1) == 1 && read(others[cpu], &c, 1) == 1 && ok;
	munmap(mmap(NULL, many, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), many);
	return ok;
}

/* Freed memory may be batched, by kfree_rcu() and in caches per CPU. */
static void let_go(void)
{
	glob_t found;
	size_t i;

	vm_put_text("/proc/sys/vm/drop_caches", "2");
	if (!glob("/sys/kernel/slab/kmalloc-*/shrink", 0, NULL, &found)) {
		for (i = 0; i < found.gl_pathc; i++)
			vm_put_text(found.gl_pathv[i], "1");
		globfree(&found);
	}
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	usleep(20000);
}

static long long group_bytes(const int *others)
{
	let_go();
	if (!settle_account(others))
		return -1;
	return vm_group_number("own", "memory.stat", "slab_unreclaimable") +
	       vm_group_number("own", "memory.stat", "vmalloc") +
	       vm_group_number("own", "memory.stat", "percpu");
}

static void count(const int *others, struct counts *c)
{
	DIR *dir = opendir("/proc/self/fd");
	FILE *f = fopen("/sys/module/etw/refcnt", "re");

	memset(c, 0, sizeof(*c));
	while (dir && readdir(dir))
		c->files++;
	if (dir)
		closedir(dir);
	if (!f || fscanf(f, "%d", &c->refs) != 1)
		c->refs = -1;
	if (f)
		fclose(f);
	c->areas = vm_count_lines("/proc/vmallocinfo", "[etw]");
	c->bytes = group_bytes(others);
	if (!keeps_freed())
		c->slab_kb = meminfo("Slab");
	c->vmalloc_kb = meminfo("VmallocUsed");
	c->percpu_kb = meminfo("Percpu");
}

/* Only after pending frees are done. */
static void count_lowest(const int *others, struct counts *c)
{
	struct counts now;
	int i;

	count(others, c);
	for (i = 0; i < 3; i++) {
		count(others, &now);
		if (now.bytes < c->bytes || now.areas < c->areas || now.refs < c->refs) {
			*c = now;
			i = 0;
		}
	}
}

/*
 * From 7.0 on, another group on a CPU does not make it flush its cached changes of ours: less
 * than a page of each kind.
 */
static long long slack(void)
{
	static long long bytes;
	struct utsname system;

	if (!bytes && !uname(&system))
		bytes = SLACK + (atoi(system.release) < 7 ? 0 :
				 CPUS * KINDS * sysconf(_SC_PAGESIZE));
	return bytes;
}

static bool flat(const int *others, const struct counts *was, struct counts *now)
{
	count(others, now);
	/* The end of a process leaves work, so before there may have been more. */
	return now->files == was->files && now->refs <= was->refs && now->areas <= was->areas &&
	       now->bytes <= was->bytes + slack() &&
	       now->slab_kb <= was->slab_kb + SLACK_KB &&
	       now->vmalloc_kb <= was->vmalloc_kb + SLACK_KB &&
	       now->percpu_kb <= was->percpu_kb + SLACK_KB / 4;
}

FIXTURE(soak) {
	int fd;
	int slot;
	int times;
	struct vm_state *state;
	const char *why;	/* why bytes cannot be counted, or NULL */
	int others[CPUS];	/* ask a process on that CPU */
};

FIXTURE_SETUP(soak)
{
	const char *times = getenv("ETW_SOAK");

	self->times = times ? atoi(times) : 1;
	ASSERT_LT(0, self->times)
		TH_LOG("ETW_SOAK=%s is not a number above 0", times);
	self->why = vm_group_make("");
	if (!self->why) {
		ASSERT_TRUE(vm_group_put("", "cgroup.subtree_control", "+memory"));
		ASSERT_EQ(NULL, vm_group_make("own"));
		ASSERT_EQ(NULL, vm_group_make("others"));
		ASSERT_TRUE(start_others(self->others));
		ASSERT_TRUE(vm_group_join("own"));
		ASSERT_LE(0, vm_group_number("own", "memory.stat", "slab_unreclaimable"));
		ASSERT_LE(0, vm_group_number("own", "memory.stat", "vmalloc"));
		ASSERT_LE(0, vm_group_number("own", "memory.stat", "percpu"));
	}
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->state = vm_state_get(self->fd);
	ASSERT_NE(NULL, self->state);
}

FIXTURE_TEARDOWN(soak)
{
	int i;

	for (i = 0; i < CPUS; i++)
		close(self->others[i]);
	EXPECT_TRUE(vm_state_same(self->fd, self->state));
	vm_stop_all(self->fd);
	close(self->fd);
	free(self->state);
	vm_group_leave();
	EXPECT_TRUE(vm_group_remove("own"));
	EXPECT_TRUE(vm_group_remove("others"));
	EXPECT_TRUE(vm_group_remove(""));
}

/*
 * Run it twice to warm up, then the given number of times; then wait for memory that is
 * freed late.
 */
static void soak(struct __test_metadata *_metadata, FIXTURE_DATA(soak) *self,
		 int (*once)(FIXTURE_DATA(soak) *self, int i), int often)
{
	struct counts was, now;
	long long took;
	int i;

	if (self->why)
		SKIP(return, "%s", self->why);
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, once(self, i));
	count_lowest(self->others, &was);
	took = vm_ms();
	for (i = 0; i < often * self->times; i++)
		ASSERT_EQ(0, once(self, i));
	took = vm_ms() - took;
	EXPECT_TRUE(vm_until(flat(self->others, &was, &now)));
	TH_LOG("%d times in %lld ms: files %d to %d, references %d to %d, areas %d to %d, bytes %lld to %lld, KB of slab %ld to %ld, vmalloc %ld to %ld, percpu %ld to %ld",
	       i, took, was.files, now.files, was.refs, now.refs, was.areas, now.areas,
	       was.bytes, now.bytes, was.slab_kb, now.slab_kb, was.vmalloc_kb, now.vmalloc_kb,
	       was.percpu_kb, now.percpu_kb);
}

/* A session with everything: a provider, a consumer that maps, an event. */
static int one_session(FIXTURE_DATA(soak) *self, int i)
{
	struct etw_session s = vm_session("t-soak");
	int cfd, ret;
	void *p;

	s.buffer_kb = 4 << i % 4;
	s.mode = i % 3 ? ETW_MODE_REAL_TIME : ETW_MODE_BUFFERING;
	s.clock = i % 4;
	ret = vm_start(self->fd, &s);
	ret = ret ? ret : vm_enable(self->fd, s.handle, vm_guid(1), 0, 0, 0);
	ret = ret ? ret : vm_write(self->fd, self->slot, 1, 1, 1, "soak", 4);
	if (ret)
		return ret;
	cfd = vm_consume(self->fd, s.handle, O_NONBLOCK, NULL);
	p = mmap(NULL, s.buffer_kb * 1024, PROT_READ, MAP_SHARED, cfd, s.buffer_kb * 1024);
	if (i % 2)
		ret = vm_flush(self->fd, s.handle);
	if (i % 5)
		close(cfd);
	ret = ret ? ret : vm_stop(self->fd, s.handle);
	if (i % 5 == 0)
		close(cfd);
	return p == MAP_FAILED || munmap(p, s.buffer_kb * 1024) ? -EFAULT : ret;
}

TEST_F_TIMEOUT(soak, sessions, LIMIT)
{
	soak(_metadata, self, one_session, SESSIONS);
}

/* Named and not, enabled or not, with notifications that are never fetched. */
static int one_registration(FIXTURE_DATA(soak) *self, int i)
{
	struct etw_register r = {
		.size = sizeof(r), .provider = vm_guid(2 + i % 7), .flags = i % 2,
		.name = VM_PTR("t-soak-provider"), .name_len = i % 16 };
	int ret = vm_ioctl(self->fd, ETW_IOC_REGISTER, &r);

	return ret ? ret : vm_unregister(self->fd, r.slot);
}

TEST_F_TIMEOUT(soak, registrations, LIMIT)
{
	uint64_t handle = vm_start_named(self->fd, "t-soak");
	int i;

	ASSERT_NE(0, handle);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, vm_enable(self->fd, handle, vm_guid(2 + i), 0, 0, 0));
	soak(_metadata, self, one_registration, REGISTRATIONS);
	ASSERT_EQ(0, vm_stop(self->fd, handle));
}

/* A file with registrations and its area, closed without unregistering. */
static int one_file(FIXTURE_DATA(soak) *self, int i)
{
	int fd = vm_open(), slot, ret = 0;
	void *p;

	(void)self;
	if (fd < 0)
		return fd;
	slot = vm_register_flags(fd, vm_guid(3), ETW_REGISTER_NOTIFY, i);
	if (slot >= 0)
		slot = vm_register(fd, vm_guid(4));
	p = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || slot < 0)
		ret = slot < 0 ? slot : -errno;
	if (i % 2)
		close(fd);
	if (p != MAP_FAILED)
		munmap(p, ETW_ENABLE_AREA_SIZE);
	if (i % 2 == 0)
		close(fd);
	return ret;
}

TEST_F_TIMEOUT(soak, files, LIMIT)
{
	soak(_metadata, self, one_file, FILES);
}

/* Eight sessions enable and disable one provider, in changing order. */
static int one_cycle(FIXTURE_DATA(soak) *self, int i)
{
	uint64_t handles[ETW_PROVIDER_SESSIONS];
	int n = vm_sessions(self->fd, handles, ETW_PROVIDER_SESSIONS), j, ret = 0;

	if (n != ETW_PROVIDER_SESSIONS)
		return -ENOENT;
	for (j = 0; j < n && !ret; j++)
		ret = vm_enable(self->fd, handles[(i + j) % n], vm_guid(1), j % 6, j, 0);
	for (j = 0; j < n && !ret; j++)
		ret = vm_disable(self->fd, handles[(i + 3 * j) % n], vm_guid(1));
	return ret;
}

/* Eight sessions enable many providers, some of them registered. */
static int one_cross(FIXTURE_DATA(soak) *self, int i)
{
	uint64_t handles[ETW_PROVIDER_SESSIONS];
	int n = vm_sessions(self->fd, handles, ETW_PROVIDER_SESSIONS), j, ret = 0;

	if (n != ETW_PROVIDER_SESSIONS)
		return -ENOENT;
	for (j = 0; j < n * CROSS && !ret; j++)
		ret = vm_enable(self->fd, handles[j % n], vm_guid(1 + j / n), (i + j) % 6, j, 0);
	for (j = 0; j < n * CROSS && !ret; j++)
		ret = vm_disable(self->fd, handles[j / CROSS], vm_guid(1 + j % CROSS));
	return ret;
}

static void start_eight(struct __test_metadata *_metadata, FIXTURE_DATA(soak) *self)
{
	char name[16];
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		snprintf(name, sizeof(name), "t-soak-%d", i);
		ASSERT_NE(0, vm_start_named(self->fd, name));
	}
}

TEST_F_TIMEOUT(soak, enabling, LIMIT)
{
	start_eight(_metadata, self);
	soak(_metadata, self, one_cycle, CYCLES);
	vm_stop_all(self->fd);
}

TEST_F_TIMEOUT(soak, enabling_many, LIMIT)
{
	int slots[CROSS / 2], i;

	start_eight(_metadata, self);
	for (i = 0; i < CROSS / 2; i++) {
		slots[i] = vm_register(self->fd, vm_guid(1 + 2 * i));
		ASSERT_LE(0, slots[i]);
	}
	soak(_metadata, self, one_cross, CROSSES);
	for (i = 0; i < CROSS / 2; i++)
		ASSERT_EQ(0, vm_unregister(self->fd, slots[i]));
	vm_stop_all(self->fd);
}

TEST_HARNESS_MAIN
