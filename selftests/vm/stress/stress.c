// SPDX-License-Identifier: GPL-2.0-only
/*
 * stress - events from threads, interrupts and NMIs of all CPUs at once
 *
 * The module etw_stress writes, one session or three with different filters take the events,
 * their readers check them.  Meanwhile the sessions are flushed, another session comes and goes,
 * and CPU 1 goes offline and online.  At the end each session has every event it should have
 * exactly once, or has counted it as lost; no event is torn; and times never decrease within
 * one CPU's stream.
 *
 * TIMEOUT: 1800
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_stress/etw_stress.h"

#include <pthread.h>

/* run.sh limits the program. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	1800

#define SESSIONS	3
#define LIMIT		400000	/* events of one stream */
#define ENOUGH		1000	/* events that a stream of CPU 0 must have ... */
#define ENOUGH_WHOLE	3000	/* ... with ETW_WHOLE=1 */
#define NESTED		20	/* writes of a thread that were interrupted */
#define CYCLES		6	/* CPU 1 offline and online again */
#define KEYS		(1 << 24)	/* twice as many event keys as a CPU can give here */

static const struct etw_guid provider = ETW_STRESS_GUID;

struct rule {
	uint8_t level;
	uint64_t any;
	uint64_t all;
	uint32_t property;
};

#define INTERRUPTS	(1 << ETW_STRESS_TIMER | 1 << ETW_STRESS_NMI)

static const struct rule plain[SESSIONS] = {
	{ 0, 0, 0, 0 },
	{ 3, 0, 0x100000000, 0 },
	{ 0, INTERRUPTS, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
};

/* The same events, with what the module has to find out in every context. */
static const struct rule with_items[SESSIONS] = {
	{ 0, 0, 0, ETW_ENABLE_SID | ETW_ENABLE_EVENT_KEY },
	{ 3, 0, 0x100000000, 0 },
	{ 0, INTERRUPTS, 0, ETW_ENABLE_IGNORE_KEYWORD_0 | ETW_ENABLE_TS_ID |
	  ETW_ENABLE_STACK_TRACE | ETW_ENABLE_PSM_KEY | ETW_ENABLE_PROCESS_START_KEY |
	  ETW_ENABLE_EVENT_KEY | ETW_ENABLE_CONTAINER | ETW_ENABLE_CONTEXT },
};

static bool wanted(const struct rule *s, uint32_t source, uint64_t number)
{
	uint8_t level = etw_stress_level(source, number);
	uint64_t keyword = etw_stress_keyword(source, number);
	uint64_t any = s->any ? s->any : UINT64_MAX;

	if (s->level && level && level > s->level)
		return false;
	if (!keyword)
		return !(s->property & ETW_ENABLE_IGNORE_KEYWORD_0);
	return (keyword & any) && (keyword & s->all) == s->all;
}

/* What one reader found. */
struct view {
	struct vm_reader r;
	const struct rule *rule;
	uint8_t *seen[ETW_STRESS_SOURCES][ETW_STRESS_CPUS];
	int64_t last_time[ETW_STRESS_CPUS];
	uint8_t *keys[ETW_STRESS_CPUS];	/* a bit for each, by its low bits */
	uint64_t a_key[ETW_STRESS_CPUS];	/* the first to be seen */
	uint64_t torn, twice, unwanted, backwards, elsewhere, items;
	int end;		/* of vm_drain() */
	pthread_t thread;
};

static bool whole(const struct vm_record *r)
{
	const struct etw_stress_event *e = (const void *)r->data;
	uint32_t i;

	if (r->len < sizeof(*e) || r->len != sizeof(*e) + e->fill)
		return false;
	if (e->source >= ETW_STRESS_SOURCES || e->cpu >= ETW_STRESS_CPUS ||
	    e->number >= LIMIT || e->fill != etw_stress_fill(e->source, e->number))
		return false;
	for (i = 0; i < e->fill; i++)
		if (e->bytes[i] != etw_stress_byte(e->number, i))
			return false;
	return e->check == etw_stress_check(e) && r->head->desc.id == e->source &&
	       r->head->desc.level == etw_stress_level(e->source, e->number) &&
	       r->head->desc.keyword == etw_stress_keyword(e->source, e->number) &&
	       !memcmp(&r->head->provider, &provider, sizeof(provider));
}

/* The data of an item, checked against the expected value. */
static bool item_ok(struct view *v, const struct etw_ext_item *item, uint16_t cpu)
{
	static const uint8_t root[16] = { 1, 2, 0, 0, 0, 0, 0, 22, 1 };
	const uint64_t *data = (const void *)(item + 1);
	uint64_t key, bit;

	switch (item->type) {
	case ETW_EXT_SID:
		return item->data_size == sizeof(root) && !memcmp(data, root, sizeof(root));
	case ETW_EXT_TS_ID:
		return item->data_size == 4;
	case ETW_EXT_PROCESS_START_KEY:
	case ETW_EXT_CONTEXT:
		return item->data_size == 8;
	case ETW_EXT_EVENT_KEY:
		key = data[0] & (KEYS - 1);
		bit = 1u << key % 8;
		if (!v->a_key[cpu])
			v->a_key[cpu] = data[0];
		if (item->data_size != 8 || data[0] >> 48 != cpu + 1u ||
		    data[0] + KEYS / 2 - v->a_key[cpu] >= KEYS || v->keys[cpu][key / 8] & bit)
			return false;
		v->keys[cpu][key / 8] |= bit;
		return true;
	case ETW_EXT_STACK_TRACE64:	/* interrupts begin in the kernel */
		return item->data_size >= 16 && item->data_size % 8 == 0 && !data[0] &&
		       data[1] >= 1ull << 63;
	case ETW_EXT_PSM_KEY:
	case ETW_EXT_CONTAINER_ID:
		return item->data_size > 0;
	default:
		return false;
	}
}

/* Exactly the items that the session enabled, each once. */
static bool items_ok(struct view *v, const struct vm_record *r, uint16_t cpu)
{
	static const struct {
		uint32_t property;
		uint16_t type;
		bool always;
	} kinds[] = {
		{ ETW_ENABLE_SID, ETW_EXT_SID, true },
		{ ETW_ENABLE_TS_ID, ETW_EXT_TS_ID, true },
		{ ETW_ENABLE_STACK_TRACE, ETW_EXT_STACK_TRACE64, true },
		{ ETW_ENABLE_PSM_KEY, ETW_EXT_PSM_KEY, false },
		{ ETW_ENABLE_PROCESS_START_KEY, ETW_EXT_PROCESS_START_KEY, false },
		{ ETW_ENABLE_EVENT_KEY, ETW_EXT_EVENT_KEY, true },
		{ ETW_ENABLE_CONTAINER, ETW_EXT_CONTAINER_ID, true },
		{ ETW_ENABLE_CONTEXT, ETW_EXT_CONTEXT, true },
	};
	const uint8_t *at = r->ext;
	uint32_t found = 0;
	size_t i;

	while (at && at < r->data) {
		const struct etw_ext_item *item = (const void *)at;

		for (i = 0; i < ARRAY_SIZE(kinds) && kinds[i].type != item->type; i++)
			;
		if (i == ARRAY_SIZE(kinds) || found & 1 << i || !item_ok(v, item, cpu))
			return false;
		found |= 1 << i;
		at += item->size;
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		bool asked = v->rule->property & kinds[i].property, has = found & 1 << i;

		if (has ? !asked : asked && kinds[i].always)
			return false;
	}
	return true;
}

static void look(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	const struct etw_stress_event *e = (const void *)r->data;
	struct view *v = ctx;

	if (!whole(r) || b->processor >= ETW_STRESS_CPUS) {
		v->torn++;
		return;
	}
	if (r->head->timestamp < v->last_time[b->processor])
		v->backwards++;
	v->last_time[b->processor] = r->head->timestamp;
	/* A thread may be moved away as its CPU goes offline. */
	if (e->source != ETW_STRESS_THREAD && e->cpu != b->processor)
		v->elsewhere++;
	if (!wanted(v->rule, e->source, e->number))
		v->unwanted++;
	if (!items_ok(v, r, b->processor))
		v->items++;
	if (v->seen[e->source][e->cpu][e->number]++)
		v->twice++;
}

static void *reader(void *arg)
{
	struct view *v = arg;

	v->end = vm_drain(&v->r, look, v);
	return NULL;
}

FIXTURE_VARIANT(stress) {
	const struct rule *rules;
	int sessions;
};

FIXTURE(stress) {
	int fd;
	int kfd;
	uint64_t handle[SESSIONS];
	struct view view[SESSIONS];
	struct etw_stress_tallies t;
	int sessions;
	int cycles;
	int churns;
};

/* The kernel has a way of its own for the events of one session. */
FIXTURE_VARIANT_ADD(stress, alone) {
	.rules = plain,
	.sessions = 1,
};

FIXTURE_VARIANT_ADD(stress, plain) {
	.rules = plain,
	.sessions = SESSIONS,
};

FIXTURE_VARIANT_ADD(stress, items) {
	.rules = with_items,
	.sessions = SESSIONS,
};

FIXTURE_SETUP(stress)
{
	struct etw_session s;
	struct etw_enable e;
	char name[16];
	int i, j, k;

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	vm_rmmod_try("etw_stress");
	ASSERT_EQ(0, vm_insmod("etw_stress"));
	self->kfd = vm_kmod_open("etw_stress");
	ASSERT_LE(0, self->kfd);
	self->sessions = variant->sessions;
	for (i = 0; i < self->sessions; i++) {
		struct view *v = &self->view[i];

		snprintf(name, sizeof(name), "t-stress-%d", i);
		s = vm_session(name);
		s.buffer_kb = 4;
		s.min_buffers = 64;
		s.max_buffers = 128;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		self->handle[i] = s.handle;
		e = vm_enable_arg(s.handle, provider);
		v->rule = &variant->rules[i];
		e.level = v->rule->level;
		e.any = v->rule->any;
		e.all = v->rule->all;
		e.property = v->rule->property;
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
		for (k = 0; k < ETW_STRESS_CPUS; k++)
			v->keys[k] = calloc(KEYS / 8, 1);
		for (j = 0; j < ETW_STRESS_SOURCES; j++)
			for (k = 0; k < ETW_STRESS_CPUS; k++)
				v->seen[j][k] = calloc(LIMIT, 1);
		ASSERT_EQ(0, vm_reader_open(&v->r, self->fd, s.handle, 0));
		ASSERT_EQ(0, pthread_create(&v->thread, NULL, reader, v));
	}
}

static void online(bool on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, on ? "1" : "0", 1) != 1)
		fprintf(stderr, "# CPU 1 cannot go %s: %s\n", on ? "online" : "offline",
			strerror(errno));
	close(fd);
}

FIXTURE_TEARDOWN(stress)
{
	online(true);
	ioctl(self->kfd, ETW_STRESS_STOP_IOC);
	close(self->kfd);
	vm_stop_all(self->fd);
	EXPECT_EQ(0, vm_rmmod("etw_stress"));
	close(self->fd);
}

/* A session that takes everything too, for a moment. */
static int churn(FIXTURE_DATA(stress) *self)
{
	struct etw_session s = vm_session("t-stress-churn");
	int ret;

	s.buffer_kb = 4;
	s.mode |= ETW_MODE_INDEPENDENT;
	ret = vm_start(self->fd, &s);
	ret = ret ? ret : vm_enable(self->fd, s.handle, provider, 0, 0, 0);
	usleep(5000);
	ret = ret ? ret : vm_stop(self->fd, s.handle);
	self->churns++;
	return ret;
}

static bool enough(FIXTURE_DATA(stress) *self)
{
	const uint64_t least = getenv("ETW_WHOLE") ? ENOUGH_WHOLE : ENOUGH;
	uint64_t nested[ETW_STRESS_SOURCES] = { 0 };
	int i;

	if (vm_ioctl(self->kfd, ETW_STRESS_TALLY_IOC, &self->t))
		return false;
	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		nested[i] = self->t.t[i][0].nested + self->t.t[i][1].nested;
	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		if (self->t.t[i][0].attempted < least)
			return false;
	return nested[ETW_STRESS_TIMER] >= NESTED && nested[ETW_STRESS_NMI] >= NESTED &&
	       self->cycles >= CYCLES;
}

/* What grows until there is enough, after enough(). */
static uint64_t progress(FIXTURE_DATA(stress) *self)
{
	uint64_t sum = self->cycles;
	int i;

	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		sum += self->t.t[i][0].attempted + self->t.t[i][0].nested + self->t.t[i][1].nested;
	return sum;
}

/* Flush, churn and hotplug while the module writes; false if it hangs. */
static bool disturb(FIXTURE_DATA(stress) *self)
{
	long long end = vm_ms() + VM_LIMIT_MS;
	uint64_t last = 0;
	int round, ret = 0;

	for (round = 0; !ret && !enough(self); round++) {
		if (progress(self) != last) {
			last = progress(self);
			end = vm_ms() + VM_LIMIT_MS;
		}
		if (vm_ms() > end)
			return false;
		ret = vm_flush(self->fd, self->handle[round % self->sessions]);
		if (!ret && round % 4 == 1)
			ret = churn(self);
		if (round % 10 == 3)
			online(false);
		if (round % 10 == 8) {
			online(true);
			self->cycles++;
		}
		usleep(5000);
	}
	return !ret;
}

static uint64_t should_have(FIXTURE_DATA(stress) *self, const struct rule *rule,
			    struct view *v, uint64_t *extra)
{
	uint64_t n, sum = 0;
	int i, cpu;

	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		for (cpu = 0; cpu < ETW_STRESS_CPUS; cpu++) {
			for (n = 0; n < self->t.t[i][cpu].attempted; n++)
				sum += wanted(rule, i, n);
			for (; n < LIMIT; n++)	/* never written */
				*extra += v->seen[i][cpu][n];
		}
	return sum;
}

/* One session's account; the events it dropped. */
static uint64_t check(struct __test_metadata *_metadata, FIXTURE_DATA(stress) *self, int i)
{
	struct view *v = &self->view[i];
	struct etw_session_stat st;
	struct etw_consumer_info info;
	uint64_t should, extra = 0;

	ASSERT_EQ(0, vm_flush(self->fd, self->handle[i]));
	ASSERT_EQ(0, vm_stat(self->fd, self->handle[i], &st));
	ASSERT_EQ(0, vm_stop(self->fd, self->handle[i]));
	ASSERT_EQ(0, pthread_join(v->thread, NULL));
	EXPECT_EQ(0, v->end);
	EXPECT_EQ(NULL, v->r.error);
	ASSERT_EQ(0, vm_consumer_info(v->r.fd, &info));
	should = should_have(self, v->rule, v, &extra);
	TH_LOG("session %d: %llu wanted, %llu read, %llu not written, %llu lost by the reader",
	       i, (unsigned long long)should, (unsigned long long)v->r.events,
	       (unsigned long long)vm_dropped(&st), (unsigned long long)info.events_lost);
	EXPECT_EQ(0, v->torn);
	EXPECT_EQ(0, v->twice);
	EXPECT_EQ(0, v->unwanted);
	EXPECT_EQ(0, v->backwards);
	EXPECT_EQ(0, v->elsewhere);
	EXPECT_EQ(0, v->items);
	EXPECT_EQ(0, extra);
	EXPECT_EQ(should, st.written + vm_dropped(&st));
	EXPECT_EQ(st.written, v->r.events + info.events_lost);
	EXPECT_EQ(st.written, st.events_delivered);
	EXPECT_EQ(info.events, v->r.events);
	EXPECT_EQ(vm_dropped(&st), st.dropped[ETW_DROP_NO_BUFFER]);
	EXPECT_LT(0, v->r.events);
	vm_reader_close(&v->r);
	return vm_dropped(&st);
}

static void run(struct __test_metadata *_metadata, FIXTURE_DATA(stress) *self,
		const struct etw_stress_start *start)
{
	uint64_t failed = 0, rejected = 0, dropped, most = 0, sum = 0;
	int i, cpu;

	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_STRESS_START_IOC, (void *)start));
	EXPECT_TRUE(disturb(self));
	online(true);
	ASSERT_EQ(0, ioctl(self->kfd, ETW_STRESS_STOP_IOC));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_STRESS_TALLY_IOC, &self->t));
	for (i = 0; i < ETW_STRESS_SOURCES; i++)
		for (cpu = 0; cpu < ETW_STRESS_CPUS; cpu++) {
			failed += self->t.t[i][cpu].failed;
			rejected += self->t.t[i][cpu].rejected;
			if (self->t.t[i][cpu].attempted)
				TH_LOG("source %d CPU %d: %llu events, %llu failed, %llu nested",
				       i, cpu, (unsigned long long)self->t.t[i][cpu].attempted,
				       (unsigned long long)self->t.t[i][cpu].failed,
				       (unsigned long long)self->t.t[i][cpu].nested);
		}
	for (i = 0; i < self->sessions; i++) {
		dropped = check(_metadata, self, i);
		sum += dropped;
		most = dropped > most ? dropped : most;
	}
	/* The first session wants all, so nothing may be rejected beforehand;
	 * a write fails if at least one session did not get the event. */
	EXPECT_EQ(0, rejected);
	EXPECT_LE(most, failed);
	EXPECT_GE(sum, failed);
	TH_LOG("%d hotplug cycles, %d churns, %llu NMIs sent, last error %d", self->cycles,
	       self->churns, (unsigned long long)self->t.nmi_sent, self->t.last_error);
	EXPECT_TRUE(!failed || self->t.last_error == -ENOBUFS);
}

/* The readers keep up, more or less. */
TEST_F(stress, steady)
{
	static const struct etw_stress_start start = {
		.pause_us = 3000, .burst = 20, .timer_us = 5000, .nmi_us = 2000,
		.limit = LIMIT };

	run(_metadata, self, &start);
}

/* No reader can keep up: buffers run out all the time. */
TEST_F(stress, storm)
{
	static const struct etw_stress_start start = {
		.pause_us = 0, .burst = 100, .timer_us = 500, .nmi_us = 200,
		.limit = LIMIT };

	run(_metadata, self, &start);
}

TEST_HARNESS_MAIN
