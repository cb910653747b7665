// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory - what the buffers of all sessions, and of one user's sessions, may take
 *
 * TIMEOUT: 600
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_buf.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_state.h"

#include <sys/resource.h>

#define LIMIT	"/sys/module/etw/parameters/max_memory_mb"
#define USED	"/sys/module/etw/parameters/memory_kb"
#define KB	64		/* of one buffer */

static const struct vm_who alice = { VM_ALICE, VM_ALICE, 0, 0, false };
static const struct vm_who bob = { VM_BOB, VM_BOB, 0, 0, false };
static const struct vm_who alice_inside = { VM_ALICE, VM_ALICE, 0, 0, true };
static const struct vm_who alice_locks = { VM_ALICE, VM_ALICE, 0, CAP_IPC_LOCK, false };

FIXTURE(memory) {
	int fd;
	int slot;
	struct vc_run run;
};

static long long number(const char *path)
{
	FILE *f = fopen(path, "re");
	long long n = -1;

	if (f && fscanf(f, "%lld", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

FIXTURE_SETUP(memory)
{
	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	vm_access_clear(self->fd);
	ASSERT_EQ(0, vm_access(self->fd, vm_default,
			       VM_ALLOW(USER, VM_ALICE, ETW_RIGHT_CREATE_REALTIME),
			       VM_ALLOW(USER, VM_BOB, ETW_RIGHT_CREATE_REALTIME),
			       VM_ALLOW(EVERYONE, 0, ETW_RIGHT_REGISTER_GUIDS)));
	ASSERT_EQ(0, number(USED));
}

FIXTURE_TEARDOWN(memory)
{
	vm_stop_all(self->fd);
	vm_access_clear(self->fd);
	EXPECT_EQ(0, vm_write_file(LIMIT, "0"));
	EXPECT_TRUE(vm_until(number(USED) == 0));
	close(self->fd);
}

/* Start a session that needs so many buffers and may have more; *handle is its handle. */
static int start(int fd, const char *name, uint32_t min, uint32_t max, uint64_t *handle)
{
	struct etw_session s = vm_session(name);
	int ret;

	s.buffer_kb = KB;
	s.min_buffers = min;
	s.max_buffers = max;
	s.flush_ms = 600000;
	ret = vm_start(fd, &s);
	*handle = ret ? 0 : s.handle;
	return ret;
}

/* All buffers of a session, in KB, but the one that each of its consumers has. */
static long long takes(int fd, uint64_t handle)
{
	struct etw_session s = { 0 };

	return vm_query(fd, handle, &s) ? -1 : (long long)(s.buffers + s.reserve_buffers) * KB;
}

/* Write events, which are lost if there is no buffer, until growing was refused again. */
static bool put_until_refused(int fd, int slot, uint64_t handle)
{
	static const uint8_t data[8000];
	struct etw_session_stat st;
	uint32_t before;
	int i, ret = 0;

	if (vm_stat(fd, handle, &st))
		return false;
	before = st.growth_refused;
	return vm_until(({
		for (i = 0; i < 20 && (!ret || ret == -ENOBUFS); i++)
			ret = vm_write(fd, slot, 1, 1, 1, data, sizeof(data));
		vm_stat(fd, handle, &st);
		st.growth_refused > before || (ret && ret != -ENOBUFS); })) &&
	       st.growth_refused > before;
}

/* Write until the session has that much. */
static bool put_until_grown(int fd, int slot, uint64_t handle, long long kb)
{
	static const uint8_t data[8000];
	int i;

	return vm_until(({
		for (i = 0; i < 20; i++)
			vm_write(fd, slot, 1, 1, 1, data, sizeof(data));
		takes(fd, handle) >= kb; }));
}

/* ------------------------------------------------------------- all sessions */

TEST_F(memory, a_quarter_by_default)
{
	FILE *f = fopen("/proc/meminfo", "re");
	long long kb = 0, mb = number(LIMIT);

	ASSERT_NE(NULL, f);
	ASSERT_EQ(1, fscanf(f, "MemTotal: %lld", &kb));
	fclose(f);
	EXPECT_LE(kb / 4096 - 1, mb);
	EXPECT_GE(kb / 4096 + 1, mb);
	ASSERT_EQ(0, vm_write_file(LIMIT, "5"));
	EXPECT_EQ(5, number(LIMIT));
	EXPECT_NE(0, vm_write_file(LIMIT, "x"));
	EXPECT_EQ(5, number(LIMIT));
	ASSERT_EQ(0, vm_write_file(LIMIT, "0"));
	EXPECT_EQ(mb, number(LIMIT));
}

TEST_F(memory, sessions_start_within_the_account)
{
	struct vm_state *was;
	uint64_t a, b, c;
	long long used;

	ASSERT_EQ(0, vm_write_file(LIMIT, "16"));
	ASSERT_EQ(0, start(self->fd, "t-a", 100, 0, &a));
	EXPECT_EQ(takes(self->fd, a), number(USED));
	/* The second one's reserve is smaller than it should be. */
	ASSERT_EQ(0, start(self->fd, "t-b", 100, 0, &b));
	used = number(USED);
	EXPECT_EQ(takes(self->fd, a) + takes(self->fd, b), used);
	EXPECT_GT(takes(self->fd, a), takes(self->fd, b));
	EXPECT_GE(16 * 1024, used);
	was = vm_state_get(self->fd);
	EXPECT_EQ(-ENOBUFS, start(self->fd, "t-c", 100, 0, &c));
	EXPECT_TRUE(vm_state_same(self->fd, was));
	EXPECT_EQ(used, number(USED));
	free(was);
	ASSERT_EQ(0, vm_stop(self->fd, a));
	EXPECT_TRUE(vm_until(number(USED) == takes(self->fd, b)));
	EXPECT_EQ(0, start(self->fd, "t-c", 100, 0, &c));
	/* A lower limit takes nothing away. */
	ASSERT_EQ(0, vm_write_file(LIMIT, "1"));
	EXPECT_EQ(takes(self->fd, b) + takes(self->fd, c), number(USED));
	EXPECT_EQ(-ENOBUFS, start(self->fd, "t-a", 4, 0, &a));
}

TEST_F(memory, sessions_grow_within_the_account)
{
	uint64_t a, b;

	ASSERT_EQ(0, vm_write_file(LIMIT, "16"));
	ASSERT_EQ(0, start(self->fd, "t-a", 20, 600, &a));
	ASSERT_EQ(0, start(self->fd, "t-b", 20, 0, &b));
	ASSERT_EQ(0, vm_enable(self->fd, a, vm_guid(1), 0, 0, 0));
	ASSERT_TRUE(put_until_refused(self->fd, self->slot, a));
	EXPECT_EQ(takes(self->fd, a) + takes(self->fd, b), number(USED));
	EXPECT_GE(16 * 1024, number(USED));
	EXPECT_LT(16 * 1024 - KB, number(USED));
	/* What another one gives back is there for this one. */
	ASSERT_EQ(0, vm_stop(self->fd, b));
	EXPECT_TRUE(put_until_grown(self->fd, self->slot, a, 16 * 1024 - KB));
	ASSERT_EQ(0, vm_write_file(LIMIT, "20"));
	EXPECT_TRUE(put_until_grown(self->fd, self->slot, a, 20 * 1024 - KB));
	EXPECT_GE(20 * 1024, number(USED));
}

TEST_F(memory, message_names_the_account)
{
	char used[64];
	uint64_t a;

	ASSERT_EQ(0, vm_write_file(LIMIT, "16"));
	ASSERT_EQ(0, start(self->fd, "t-a", 200, 0, &a));
	snprintf(used, sizeof(used), "may take 16 MB, and take %lld KB already", number(USED));
	vc_run(&self->run, "start", "t-b", "--min-buffers", "100", NULL);
	EXPECT_TRUE(vc_refused(&self->run, 1, used));
	EXPECT_TRUE(vc_refused(&self->run, 1, "max_memory_mb"));
}

/* ----------------------------------------------------------------- one user */

struct owner {
	rlim_t kb;		/* that they may lock */
	const char *name;
	uint32_t min, max;
};

/* Start a session under that limit; it outlives this process. */
static int start_as(void *arg)
{
	struct owner *o = arg;
	struct rlimit limit = { o->kb * 1024, o->kb * 1024 };
	int fd = vm_open();
	uint64_t handle;

	if (fd < 0 || setrlimit(RLIMIT_MEMLOCK, &limit))
		return -EIO;
	return start(fd, o->name, o->min, o->max, &handle);
}

static uint64_t handle_of(int fd, const char *name)
{
	struct etw_session s = vm_session(name);

	return vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s) ? 0 : s.handle;
}

TEST_F(memory, user_starts_within_his_limit)
{
	struct owner o = { .kb = 2048, .name = "t-a", .min = 8 };
	long long used;

	ASSERT_EQ(0, vm_as(&alice, start_as, &o));
	o.name = "t-b";
	ASSERT_EQ(0, vm_as(&alice, start_as, &o));
	used = number(USED);
	EXPECT_GE(2048, used);
	o.name = "t-c";
	EXPECT_EQ(-ENOMEM, vm_as(&alice, start_as, &o));
	EXPECT_EQ(-ENOMEM, vm_as(&alice_inside, start_as, &o));
	EXPECT_EQ(used, number(USED));
	/* Other users, and whoever may lock without limit, are not concerned. */
	EXPECT_EQ(0, vm_as(&bob, start_as, &o));
	o.name = "t-d";
	EXPECT_EQ(0, vm_as(&alice_locks, start_as, &o));
	o.name = "t-e";
	o.kb = 4096;
	EXPECT_EQ(0, vm_as(&alice, start_as, &o));
	/* What they give back they may lock again. */
	o.name = "t-f";
	o.kb = 2048;
	EXPECT_EQ(-ENOMEM, vm_as(&alice, start_as, &o));
	ASSERT_EQ(0, vm_stop(self->fd, handle_of(self->fd, "t-a")));
	ASSERT_EQ(0, vm_stop(self->fd, handle_of(self->fd, "t-b")));
	ASSERT_EQ(0, vm_stop(self->fd, handle_of(self->fd, "t-e")));
	EXPECT_TRUE(vm_until(!vm_as(&alice, start_as, &o)));
}

TEST_F(memory, session_grows_within_its_users_limit)
{
	struct owner o = { .kb = 2048, .name = "t-a", .min = 8, .max = 40 };
	uint64_t a;

	ASSERT_EQ(0, vm_as(&alice, start_as, &o));
	a = handle_of(self->fd, "t-a");
	ASSERT_NE(0, a);
	ASSERT_EQ(0, vm_enable(self->fd, a, vm_guid(1), 0, 0, 0));
	ASSERT_TRUE(put_until_refused(self->fd, self->slot, a));
	EXPECT_EQ(2048, takes(self->fd, a));
	/* Not even if somebody with more rights asks. */
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE,
			      &(struct etw_session){ .size = sizeof(struct etw_session),
						     .handle = a, .max_buffers = 60 }));
	ASSERT_TRUE(put_until_refused(self->fd, self->slot, a));
	EXPECT_EQ(2048, takes(self->fd, a));
}

/* ----------------------------------------------------------------- pressure */

#define EVENT	8000

struct load {
	int fd, slot;
	uint64_t session;
	uint32_t next;		/* number of the next event */
	uint32_t failed;
};

/* Write numbered events. */
static int put(struct load *l, unsigned int count)
{
	static uint8_t data[EVENT];
	int ret;

	while (count--) {
		memcpy(data, &l->next, sizeof(l->next));
		ret = vm_write(l->fd, l->slot, 1, 1, 1, data, sizeof(data));
		if (ret && ret != -ENOBUFS)
			return ret;
		l->next += !ret;
		l->failed += ret != 0;
	}
	return 0;
}

/* Begin a session and fill so many of its buffers, which nobody reads yet. */
static int begin_load(struct load *l, uint32_t buffers)
{
	struct etw_session s = { 0 };
	int ret = start(l->fd, "t-load", 8, 200, &l->session);

	ret = ret ?: vm_enable(l->fd, l->session, vm_guid(1), 0, 0, 0);
	if (ret)
		return ret;
	return vm_until((ret = put(l, 4)) || (ret = vm_query(l->fd, l->session, &s)) ||
			s.buffers >= buffers) ? ret : -ETIME;
}

/* The kernel calls all shrinkers, as if memory were short. */
static bool reclaim(void)
{
	return vm_write_text("/proc/sys/vm/drop_caches", "2");
}

/* All events that could be written arrive, in order. */
static void all_arrive(struct __test_metadata *_metadata, struct load *l, struct vm_reader *r,
		       struct vm_seen *seen)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, vm_flush(l->fd, l->session));
	ASSERT_EQ(-EAGAIN, vm_drain(r, vm_see, seen));
	EXPECT_EQ(NULL, r->error);
	ASSERT_EQ(0, vm_stat(l->fd, l->session, &st));
	EXPECT_EQ(l->next, st.written);
	EXPECT_EQ(l->failed, vm_dropped(&st));
	EXPECT_EQ(l->next, seen->records);
	EXPECT_EQ(l->next - 1, seen->last);
	EXPECT_TRUE(seen->ordered);
}

/* Free buffers go, buffers that hold events stay, and the session grows again. */
TEST_F(memory, free_buffers_are_given_back)
{
	struct load l = { .fd = self->fd, .slot = self->slot };
	struct vm_seen seen = { .records = 0 };
	struct etw_session before, s = { 0 };
	long long full, less;
	struct vm_reader r;

	ASSERT_EQ(0, begin_load(&l, 100));
	ASSERT_EQ(0, vm_query(self->fd, l.session, &before));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, l.session, O_NONBLOCK));
	/* A backlog is not free. */
	full = number(USED);
	ASSERT_TRUE(reclaim());
	EXPECT_LT(full / 2, number(USED));
	all_arrive(_metadata, &l, &r, &seen);
	full = number(USED);
	EXPECT_TRUE(vm_until(reclaim() && number(USED) < full / 2));
	less = number(USED);
	ASSERT_EQ(0, vm_query(self->fd, l.session, &s));
	TH_LOG("%lld KB, then %lld KB: %u buffers, %u of them free", full, less, s.buffers,
	       s.free_buffers);
	EXPECT_EQ(less, takes(self->fd, l.session) + KB);
	EXPECT_LE(s.min_buffers, s.buffers);
	EXPECT_EQ(before.reserve_buffers, s.reserve_buffers);
	EXPECT_LT(0, s.free_buffers);
	EXPECT_TRUE(vm_until(put(&l, 4) || takes(self->fd, l.session) >= full - KB));
	/* Its worker may just be adding a buffer. */
	EXPECT_TRUE(vm_until(takes(self->fd, l.session) + KB == number(USED)));
	all_arrive(_metadata, &l, &r, &seen);
	vm_reader_close(&r);
}

/* A consumer that has mapped buffers goes on seeing them. */
TEST_F(memory, mapped_buffers_stay)
{
	struct load l = { .fd = self->fd, .slot = self->slot };
	struct vm_seen seen = { .records = 0 };
	struct vm_reader r;
	long long full;
	size_t size;
	void *all;

	ASSERT_EQ(0, begin_load(&l, 100));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, l.session, O_NONBLOCK));
	size = takes(self->fd, l.session) * 1024;
	all = mmap(NULL, size, PROT_READ, MAP_SHARED, r.fd, KB * 1024);
	ASSERT_NE(MAP_FAILED, all);
	all_arrive(_metadata, &l, &r, &seen);
	full = takes(self->fd, l.session);
	ASSERT_TRUE(reclaim());
	EXPECT_GE(full, takes(self->fd, l.session));
	EXPECT_LE((long long)size / 1024, takes(self->fd, l.session));
	ASSERT_EQ(0, put(&l, 100));
	all_arrive(_metadata, &l, &r, &seen);
	munmap(all, size);
	vm_reader_close(&r);
}

/* Somebody reclaims memory all the time. */
static void reclaim_always(int ready)
{
	if (write(ready, "r", 1) != 1)
		_exit(1);
	while (reclaim())
		sched_yield();
	_exit(1);
}

TEST_F(memory, giving_back_while_events_are_written)
{
	struct load l = { .fd = self->fd, .slot = self->slot };
	struct vm_seen seen = { .records = 0 };
	struct vm_reader r;
	int ends[2], i;
	pid_t pid;
	char c;

	ASSERT_EQ(0, begin_load(&l, 20));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, l.session, O_NONBLOCK));
	ASSERT_EQ(0, pipe(ends));
	pid = fork();
	if (!pid)
		reclaim_always(ends[1]);
	close(ends[1]);
	ASSERT_EQ(1, read(ends[0], &c, 1));
	for (i = 0; i < 40; i++) {
		/* More than fits, then nothing: it grows, and gives back. */
		ASSERT_EQ(0, put(&l, i % 4 == 3 ? 0 : 300));
		ASSERT_EQ(0, vm_flush(self->fd, l.session));
		ASSERT_EQ(-EAGAIN, vm_drain(&r, vm_see, &seen));
	}
	EXPECT_EQ(0, waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	EXPECT_NE(-1, vm_reap(pid));
	close(ends[0]);
	TH_LOG("%u events, %u lost", l.next, l.failed);
	all_arrive(_metadata, &l, &r, &seen);
	EXPECT_EQ(takes(self->fd, l.session) + KB, number(USED));
	vm_reader_close(&r);
}

TEST_HARNESS_MAIN
