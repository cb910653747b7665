// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak - the same thing very often: nothing grows
 *
 * TIMEOUT: 3600
 *
 * ETW_SOAK=N makes it N times as long; with 100 it is 10,000 sessions and
 * 100,000 registrations, which takes minutes.
 */
#include "vm_kmod.h"
#include "vm_state.h"

#include <dirent.h>
#include <sys/syscall.h>

#define SESSIONS	100
#define REGISTRATIONS	1000
#define FILES		300
#define SLACK_KB	2048	/* what the rest of the system may take meanwhile */

struct counts {
	int files;
	int refs;
	int areas;
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

static void count(struct counts *c)
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
	/* KASAN keeps freed objects for a while. */
	if (!vm_count_lines("/proc/kallsyms", " kasan_report"))
		c->slab_kb = meminfo("Slab");
	c->vmalloc_kb = meminfo("VmallocUsed");
	c->percpu_kb = meminfo("Percpu");
}

static bool flat(const struct counts *was, struct counts *now)
{
	count(now);
	return now->files == was->files && now->refs == was->refs && now->areas == was->areas &&
	       now->slab_kb <= was->slab_kb + SLACK_KB &&
	       now->vmalloc_kb <= was->vmalloc_kb + SLACK_KB &&
	       now->percpu_kb <= was->percpu_kb + SLACK_KB / 4;
}

FIXTURE(soak) {
	int fd;
	int slot;
	int times;
	struct vm_state *state;
};

FIXTURE_SETUP(soak)
{
	const char *times = getenv("ETW_SOAK");

	self->times = times ? atoi(times) : 1;
	ASSERT_LT(0, self->times)
		TH_LOG("ETW_SOAK=%s is no number above 0", times);
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->state = vm_state_get(self->fd);
	ASSERT_NE(NULL, self->state);
}

FIXTURE_TEARDOWN(soak)
{
	EXPECT_TRUE(vm_state_same(self->fd, self->state));
	vm_stop_all(self->fd);
	close(self->fd);
	free(self->state);
}

/* Once to warm up, then as often as asked for; what is freed late gets its time. */
static void soak(struct __test_metadata *_metadata, FIXTURE_DATA(soak) *self,
		 int (*once)(FIXTURE_DATA(soak) *self, int i), int often)
{
	struct counts was, now;
	int i;

	for (i = 0; i < often / 4; i++)
		ASSERT_EQ(0, once(self, i));
	usleep(200000);
	count(&was);
	for (i = 0; i < often * self->times; i++)
		ASSERT_EQ(0, once(self, i));
	EXPECT_TRUE(vm_until(flat(&was, &now)));
	TH_LOG("%d times: files %d to %d, references %d to %d, areas %d to %d, KB of slab %ld to %ld, vmalloc %ld to %ld, percpu %ld to %ld",
	       i, was.files, now.files, was.refs, now.refs, was.areas, now.areas, was.slab_kb,
	       now.slab_kb, was.vmalloc_kb, now.vmalloc_kb, was.percpu_kb, now.percpu_kb);
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

TEST_F_TIMEOUT(soak, sessions, 3600)
{
	soak(_metadata, self, one_session, SESSIONS);
}

/* Named and not, enabled or not, with notices that nobody takes. */
static int one_registration(FIXTURE_DATA(soak) *self, int i)
{
	struct etw_register r = {
		.size = sizeof(r), .provider = vm_guid(2 + i % 7), .flags = i % 2,
		.name = VM_PTR("t-soak-provider"), .name_len = i % 16 };
	int ret = vm_ioctl(self->fd, ETW_IOC_REGISTER, &r);

	return ret ? ret : vm_unregister(self->fd, r.slot);
}

TEST_F_TIMEOUT(soak, registrations, 3600)
{
	uint64_t handle = vm_start_named(self->fd, "t-soak");
	int i;

	ASSERT_NE(0, handle);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, vm_enable(self->fd, handle, vm_guid(2 + i), 0, 0, 0));
	soak(_metadata, self, one_registration, REGISTRATIONS);
	ASSERT_EQ(0, vm_stop(self->fd, handle));
}

/* A file with registrations and its area, closed without a word. */
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

TEST_F_TIMEOUT(soak, files, 3600)
{
	soak(_metadata, self, one_file, FILES);
}

/* Eight sessions enable and disable one provider, in changing order. */
static int one_change(FIXTURE_DATA(soak) *self, int i)
{
	uint64_t handles[ETW_PROVIDER_SESSIONS];
	int n = vm_sessions(self->fd, handles, ETW_PROVIDER_SESSIONS);

	if (n != ETW_PROVIDER_SESSIONS)
		return -ENOENT;
	if (i / 8 % 2)
		return vm_disable(self->fd, handles[i * 3 % 8], vm_guid(1));
	return vm_enable(self->fd, handles[i % 8], vm_guid(1), i % 6, i, 0);
}

TEST_F_TIMEOUT(soak, enabling, 3600)
{
	char name[16];
	int i;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		snprintf(name, sizeof(name), "t-soak-%d", i);
		ASSERT_NE(0, vm_start_named(self->fd, name));
	}
	soak(_metadata, self, one_change, REGISTRATIONS / 2);
	vm_stop_all(self->fd);
}

TEST_HARNESS_MAIN
