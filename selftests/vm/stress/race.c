// SPDX-License-Identifier: GPL-2.0-only
/*
 * race - every command at once from several threads, with good and bad arguments
 *
 * The results matter little here: each must be success or one of the documented errors, the
 * kernel log must stay clean, and nothing may be left afterwards.
 *
 * ETW_SEED repeats the choices of a run.
 *
 * TIMEOUT: 600
 */
#include "lib/pick.h"
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include <pthread.h>

#define NAMES		5
#define GUIDS		4
#define ROUNDS		1500	/* of one thread */

struct racer {
	pthread_t thread;
	struct race *race;
	uint64_t state;		/* of pick_from() */
	void (*step)(struct racer *me);
	uint64_t good;
};

struct race {
	int fd;			/* shared by all */
	uint32_t strange;
	int strange_error;
	uint8_t *shared;	/* argument that one thread changes while others use it */
	volatile bool over;
};

static uint32_t rnd(struct racer *me, uint32_t below)
{
	return pick_from(&me->state, below);
}

static const int documented[] = {
	EINVAL, EFAULT, ENOENT, ESRCH, EEXIST, ENOSPC, ENOMEM, ENOBUFS, EMSGSIZE, EOVERFLOW,
	EBADF, ESTALE, ETIMEDOUT, ESHUTDOWN, ENAMETOOLONG, E2BIG, ENOTTY, EAGAIN, ENODATA,
	EBUSY };

static int judge(struct racer *me, int ret)
{
	unsigned int i;

	if (ret >= 0) {
		me->good++;
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(documented); i++)
		if (-ret == documented[i])
			return ret;
	me->race->strange_error = ret;
	__atomic_add_fetch(&me->race->strange, 1, __ATOMIC_RELAXED);
	return ret;
}

static const char *const names[NAMES] = { "t-r0", "t-r1", "t-r2", "t-r3", "t-r4" };

/* The handle of a session by its name, 0 if it does not exist. */
static uint64_t find(struct racer *me)
{
	struct etw_session s = vm_session(names[rnd(me, NAMES)]);

	return judge(me, vm_ioctl(me->race->fd, ETW_IOC_SESSION_QUERY, &s)) ? 0 : s.handle;
}

static void control(struct racer *me)
{
	struct etw_session s = vm_session(names[rnd(me, NAMES)]);
	int fd = me->race->fd;
	struct etw_enable e;

	switch (rnd(me, 8)) {
	case 0:
	case 1:
		s.buffer_kb = 4;
		s.mode = rnd(me, 3) ? ETW_MODE_REAL_TIME : ETW_MODE_BUFFERING;
		s.clock = rnd(me, 4);
		judge(me, vm_start(fd, &s));
		break;
	case 2:
		judge(me, vm_ioctl(fd, ETW_IOC_SESSION_STOP, &s));
		break;
	case 3:
		judge(me, vm_ioctl(fd, ETW_IOC_SESSION_FLUSH, &s));
		break;
	case 4:
		s.max_buffers = rnd(me, 40);
		judge(me, vm_ioctl(fd, ETW_IOC_SESSION_UPDATE, &s));
		break;
	default:
		e = vm_enable_arg(find(me), vm_guid(rnd(me, GUIDS)));
		e.control = rnd(me, 3);
		e.level = rnd(me, 6);
		e.any = rnd(me, 8);
		e.timeout_ms = rnd(me, 3);
		judge(me, vm_ioctl(fd, ETW_IOC_ENABLE, &e));
	}
}

static void provide(struct racer *me)
{
	uint32_t slot = rnd(me, 24), i, n = rnd(me, 20);
	struct etw_notify notify = { .size = sizeof(notify) };
	int fd = me->race->fd;

	switch (rnd(me, 6)) {
	case 0:
		if (slot % 2)
			judge(me, vm_register_flags(fd, vm_guid(rnd(me, GUIDS)),
						    ETW_REGISTER_NOTIFY, slot));
		else
			judge(me, vm_register(fd, vm_guid(rnd(me, GUIDS))));
		break;
	case 1:
		judge(me, vm_unregister(fd, slot));
		break;
	case 2:
		judge(me, vm_ioctl(fd, ETW_IOC_NOTIFY, &notify));
		break;
	default:
		for (i = 0; i < n; i++)
			judge(me, vm_write(fd, slot, i, rnd(me, 6), rnd(me, 8), "racing", 7));
	}
}

/* A whole life of a provider on its own file, closed without unregistering. */
static void provide_briefly(struct racer *me)
{
	int fd = vm_open(), slot, i;
	void *area;

	judge(me, fd);
	slot = judge(me, vm_register_flags(fd, vm_guid(rnd(me, GUIDS)),
					   ETW_REGISTER_NOTIFY, 1));
	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, fd, 0);
	for (i = rnd(me, 10); i; i--)
		judge(me, vm_write(fd, slot, i, 1, 1, "brief", 6));
	close(fd);
	if (area != MAP_FAILED)
		munmap(area, ETW_ENABLE_AREA_SIZE);
}

static void consume(struct racer *me)
{
	struct etw_consumer_open o = { 0 };
	struct etw_buffer_take take;
	static __thread uint8_t room[65536];
	int cfd = vm_consume(me->race->fd, find(me), O_NONBLOCK, &o), i;
	void *map = MAP_FAILED;

	if (judge(me, cfd) < 0)
		return;
	for (i = rnd(me, 6); i; i--) {
		if (rnd(me, 2)) {
			if (read(cfd, room, sizeof(room)) < 0)
				judge(me, -errno);
			continue;
		}
		if (judge(me, vm_take(cfd, &take)))
			continue;
		if (map != MAP_FAILED)
			munmap(map, o.buffer_size);
		map = mmap(NULL, o.buffer_size, PROT_READ, MAP_SHARED, cfd,
			   (off_t)take.index * o.buffer_size);
		if (rnd(me, 2))
			judge(me, vm_give(cfd, take.index));
	}
	close(cfd);
	if (map != MAP_FAILED)	/* the mapping outlives its file */
		munmap(map, o.buffer_size);
}

static void inspect(struct racer *me)
{
	struct etw_provider_reg regs[8];
	struct etw_provider_enable enables[8];
	struct etw_provider_query q = {
		.size = sizeof(q), .provider = vm_guid(rnd(me, GUIDS)), .regs = VM_PTR(regs),
		.reg_cap = rnd(me, 9), .enables = VM_PTR(enables), .enable_cap = rnd(me, 9) };
	struct etw_session_stat st;
	uint64_t handles[8];

	switch (rnd(me, 3)) {
	case 0:
		judge(me, vm_ioctl(me->race->fd, ETW_IOC_PROVIDER_QUERY, &q));
		break;
	case 1:
		judge(me, vm_stat(me->race->fd, find(me), &st));
		break;
	default:
		judge(me, vm_sessions(me->race->fd, handles, rnd(me, 9)));
	}
}

static const unsigned long commands[] = {
	ETW_IOC_SESSION_START, ETW_IOC_SESSION_QUERY, ETW_IOC_SESSION_UPDATE,
	ETW_IOC_SESSION_FLUSH, ETW_IOC_SESSION_ENUM, ETW_IOC_SESSION_STAT, ETW_IOC_ENABLE,
	ETW_IOC_REGISTER, ETW_IOC_UNREGISTER, ETW_IOC_NOTIFY, ETW_IOC_PROVIDER_ENUM,
	ETW_IOC_PROVIDER_QUERY, ETW_IOC_WRITE };

/* An argument full of lengths and pointers that another thread changes. */
static void garble(struct racer *me)
{
	judge(me, vm_ioctl(me->race->fd, commands[rnd(me, ARRAY_SIZE(commands))],
			   me->race->shared + 8 * rnd(me, 4)));
}

static void scribble(struct racer *me)
{
	static const uint64_t values[] = {
		0, 1, 2, 48, 96, 128, 160, 216, 256, 0xFFFFFFFF, 0x80000000, UINT64_MAX };
	uint64_t *at = (uint64_t *)me->race->shared + rnd(me, 40);
	int i;

	for (i = 0; i < 30; i++) {
		uint64_t v = values[rnd(me, ARRAY_SIZE(values))];

		if (rnd(me, 4) == 0)
			v = VM_PTR(me->race->shared + rnd(me, 4096));
		__atomic_store_n(at, v, __ATOMIC_RELAXED);
		if (rnd(me, 2))
			__atomic_store_n((uint32_t *)me->race->shared + 2 * rnd(me, 4),
					 rnd(me, 300), __ATOMIC_RELAXED);
		at = (uint64_t *)me->race->shared + rnd(me, 40);
	}
}

static void *run(void *arg)
{
	struct racer *me = arg;
	int i;

	for (i = 0; i < ROUNDS && !me->race->over; i++)
		me->step(me);
	return NULL;
}

static int leftovers(int fd)
{
	static struct etw_guid guids[ETW_REGISTRATIONS_MAX];

	return vm_providers(fd, guids, ARRAY_SIZE(guids));
}

static void race(struct __test_metadata *_metadata, void (*const *steps)(struct racer *),
		 unsigned int count)
{
	const char *seed = getenv("ETW_SEED");
	struct racer racers[8] = { 0 };
	struct race r = { .fd = vm_open() };
	unsigned int i;
	int fd = vm_open(), areas;

	ASSERT_LE(0, fd);
	vm_stop_all(fd);
	areas = vm_count_lines("/proc/vmallocinfo", "[etw]");
	r.shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, r.shared);
	racers[0].state = seed ? strtoul(seed, NULL, 0) : time(NULL);
	TH_LOG("ETW_SEED=%u", (uint32_t)racers[0].state);
	for (i = 0; i < count; i++) {
		racers[i].race = &r;
		racers[i].step = steps[i];
		racers[i].state = racers[0].state + 7919 * i;
		ASSERT_EQ(0, pthread_create(&racers[i].thread, NULL, run, &racers[i]));
	}
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, pthread_join(racers[i].thread, NULL));
	EXPECT_EQ(0, r.strange)
		TH_LOG("error %d", r.strange_error);
	for (i = 0; i < count; i++)
		EXPECT_TRUE(racers[i].good || racers[i].step == garble ||
			    racers[i].step == scribble);
	close(r.fd);
	vm_stop_all(fd);
	EXPECT_EQ(0, vm_sessions(fd, NULL, 0));
	EXPECT_TRUE(vm_until(leftovers(fd) == 0));
	EXPECT_TRUE(vm_until(vm_count_lines("/proc/vmallocinfo", "[etw]") <= areas));
	close(fd);
	EXPECT_EQ(0, vm_rmmod("etw"));
	EXPECT_EQ(0, vm_insmod("etw"));
}

TEST(all_commands)
{
	void (*const steps[])(struct racer *) = {
		control, control, provide, provide, provide_briefly, consume, consume, inspect };

	race(_metadata, steps, ARRAY_SIZE(steps));
}

/* What was checked once must not be read again from the caller's memory. */
TEST(arguments_that_change)
{
	void (*const steps[])(struct racer *) = {
		garble, garble, garble, scribble, control, provide };

	race(_metadata, steps, ARRAY_SIZE(steps));
}

TEST_HARNESS_MAIN
