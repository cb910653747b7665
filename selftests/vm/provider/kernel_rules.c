// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel_rules - the rules of enabling and writing, for providers of the kernel
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/driver/vm_kmod.h"
#include "lib/vm_rules.h"
#include "lib/vm_items.h"

#include "kmod/etw_test/etw_test.h"

#define SESSIONS	9	/* one more than a provider can have */
#define IDS		1024

static const struct etw_guid static_guid = ETW_TEST_GUID;

/* How often each event came, by its id; times never went back on a CPU. */
struct seen {
	unsigned int count[IDS];
	unsigned int events;
	int64_t last[2];
	bool backwards;
};

/* Provider 0 is static, provider 1 a run-time handle. */
FIXTURE(rules) {
	int fd;
	int kfd;
	uint64_t session[SESSIONS];
	struct vm_reader r[SESSIONS];
	struct seen seen[SESSIONS];
	struct etw_test_write w;
};

FIXTURE_SETUP(rules)
{
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_pin(0);
	vm_stop_all(self->fd);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
	self->w = (struct etw_test_write){
		.count = 1, .size = 8, .descriptors = 1, .desc = { .level = 1, .keyword = 1 } };
}

FIXTURE_TEARDOWN(rules)
{
	int i;

	for (i = 0; i < SESSIONS; i++)
		if (self->session[i])
			vm_reader_close(&self->r[i]);
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static struct etw_guid guid_of(unsigned int index)
{
	return index ? vm_guid(100 + index) : static_guid;
}

static int reg(FIXTURE_DATA(rules) *self, unsigned int index, uint32_t flags)
{
	return vm_test_register(self->kfd, index, guid_of(index), flags);
}

static int unreg(FIXTURE_DATA(rules) *self, unsigned int index)
{
	return vm_test_unregister(self->kfd, index);
}

/* Start this many sessions, each with a reader. */
static int start(FIXTURE_DATA(rules) *self, int count, uint32_t kb, uint32_t buffers)
{
	struct etw_session s;
	char name[16];
	int i, ret;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "t-%d", i);
		s = vm_session(name);
		s.buffer_kb = kb;
		s.min_buffers = s.max_buffers = buffers;
		s.flush_ms = 600000;
		ret = vm_start(self->fd, &s);
		if (ret)
			return ret;
		self->session[i] = s.handle;
		ret = vm_reader_open(&self->r[i], self->fd, s.handle, O_NONBLOCK);
		if (ret)
			return ret;
	}
	return 0;
}

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;
	unsigned int cpu = b->processor & 1;

	s->events++;
	if (r->head->desc.id < IDS)
		s->count[r->head->desc.id]++;
	s->backwards |= r->head->timestamp < s->last[cpu];
	s->last[cpu] = r->head->timestamp;
}

/* Bring seen[i] up to date. */
static bool look(FIXTURE_DATA(rules) *self, int i)
{
	return !vm_flush(self->fd, self->session[i]) &&
	       vm_drain(&self->r[i], see, &self->seen[i]) == -EAGAIN;
}

/* One event; true if the write succeeded, whether or not a session takes it. */
static bool put(FIXTURE_DATA(rules) *self, unsigned int index, uint16_t id,
		const struct vm_what *e)
{
	self->w.index = index;
	self->w.desc.id = id;
	self->w.desc.level = e->level;
	self->w.desc.keyword = e->keyword;
	self->w.ok = self->w.failed = self->w.tested = 0;
	return !vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w) && !self->w.failed &&
	       self->w.ok + self->w.tested == 1;
}

static const uint8_t levels[] = { 0, 1, 4, 6, 15, 16, 255 };
static const uint64_t keywords[] = { 0, 1, 2, 3, 5, 1ULL << 63, 1ULL << 32 };

/* As many sessions as there are rules */
static void subsets(struct __test_metadata *_metadata, FIXTURE_DATA(rules) *self,
		    unsigned int index, const struct vm_rule *rules, unsigned int count)
{
	struct vm_what e[IDS];
	unsigned int i, j, n = ARRAY_SIZE(levels) * ARRAY_SIZE(keywords);

	for (i = 0; i < count; i++)
		ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[i], guid_of(index),
					    &rules[i]));
	memset(self->seen, 0, sizeof(self->seen));
	for (j = 0; j < n; j++) {
		e[j].level = levels[j / ARRAY_SIZE(keywords)];
		e[j].keyword = keywords[j % ARRAY_SIZE(keywords)];
		EXPECT_TRUE(put(self, index, j, &e[j]));
	}
	for (i = 0; i < count; i++) {
		ASSERT_TRUE(look(self, i));
		for (j = 0; j < n; j++)
			EXPECT_EQ(vm_wanted(&rules[i], &e[j]), self->seen[i].count[j])
				TH_LOG("provider %u session %u level %u keyword %llx", index, i,
				       e[j].level, (unsigned long long)e[j].keyword);
	}
}

static const struct vm_rule eight_rules[8] = {
	{ 0, 0, 0, 0 }, { 255, 5, 0, 0 }, { 1, 1, 3, 0 }, { 4, 0, 3, 0 },
	{ 0, 0, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
	{ 15, 1ULL << 63, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
	{ 0, 1ULL << 32, 1ULL << 32, 0 }, { 6, 2, UINT64_MAX, 0 } };

/* B1 to B5, B7 to B10: eight sessions, each gets its own subset of all the events. */
TEST_F(rules, subsets)
{
	unsigned int index;

	ASSERT_EQ(0, start(self, 8, 64, 0));
	for (index = 0; index < 2; index++) {
		ASSERT_EQ(0, reg(self, index, 0));
		subsets(_metadata, self, index, eight_rules, 8);
	}
}

/* The same by drivers that fill the slot themselves, with each two of the rules */
TEST_F(rules, subsets_of_known_size)
{
	struct vm_rule two[2];
	unsigned int i;

	ASSERT_EQ(0, start(self, 2, 64, 0));
	ASSERT_EQ(0, reg(self, 1, 0));
	self->w.transfer = ETW_TEST_KNOWN;
	for (i = 0; i < 64; i++) {
		two[0] = eight_rules[i / 8];
		two[1] = eight_rules[i % 8];
		subsets(_metadata, self, 1, two, 2);
	}
}

/* ... and one of the two sessions selects by id, too. */
TEST_F(rules, two_sessions_and_ids_of_known_size)
{
	static const struct vm_what e = { 4, 1 };
	struct etw_filter_event_id ids;
	struct etw_filter only;
	uint16_t id;

	ASSERT_EQ(0, start(self, 2, 64, 0));
	ASSERT_EQ(0, reg(self, 1, 0));
	self->w.transfer = ETW_TEST_KNOWN;
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(1), 0, 0, 0));
	only = vm_id_filter(&ids, ETW_FILTER_EVENT_ID, true, VM_IDS(5));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[1], guid_of(1), 0, &only, 1));
	for (id = 4; id <= 6; id++)
		ASSERT_TRUE(put(self, 1, id, &e));
	ASSERT_TRUE(look(self, 0));
	ASSERT_TRUE(look(self, 1));
	for (id = 4; id <= 6; id++) {
		EXPECT_EQ(1, self->seen[0].count[id]);
		EXPECT_EQ(id == 5, self->seen[1].count[id]);
	}
}

/* B11, B13: 256 levels against one that is among the reserved ones */
TEST_F(rules, every_level)
{
	struct etw_test_enabled en = { .keyword = 1 };
	struct vm_what e = { .keyword = 1 };
	unsigned int index, level;

	ASSERT_EQ(0, start(self, 1, 64, 0));
	for (index = 0; index < 2; index++) {
		ASSERT_EQ(0, reg(self, index, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(index), 7, 0, 0));
		memset(self->seen, 0, sizeof(self->seen));
		for (level = 0; level < 256; level++) {
			e.level = en.level = level;
			en.index = index;
			ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
			EXPECT_EQ(level <= 7, en.provider_enabled);
			EXPECT_EQ(level <= 7, en.event_enabled);
			EXPECT_TRUE(put(self, index, level, &e));
		}
		ASSERT_TRUE(look(self, 0));
		for (level = 0; level < 256; level++)
			EXPECT_EQ(level <= 7, self->seen[0].count[level]);
	}
}

/* B12, B101: also before the provider is registered, and after that */
TEST_F(rules, no_session_listens)
{
	const struct vm_what e = { 1, 1 };
	struct etw_test_enabled en = { .level = 1, .keyword = 1 };

	ASSERT_EQ(0, start(self, 1, 64, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], static_guid, 0, 0, 0));
	EXPECT_TRUE(put(self, 0, 1, &e));
	ASSERT_EQ(0, reg(self, 0, 0));
	EXPECT_TRUE(put(self, 0, 2, &e));
	ASSERT_EQ(0, unreg(self, 0));
	EXPECT_TRUE(put(self, 0, 3, &e));
	ASSERT_EQ(0, reg(self, 0, 0));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], static_guid));
	EXPECT_TRUE(put(self, 0, 4, &e));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &en));
	EXPECT_EQ(0, en.inline_test | en.provider_enabled | en.event_enabled);
	ASSERT_EQ(0, reg(self, 1, 0));
	EXPECT_TRUE(put(self, 1, 5, &e));
	EXPECT_EQ(1, self->w.ok);	/* no test before it, and it succeeds */
	ASSERT_TRUE(look(self, 0));
	EXPECT_EQ(1, self->seen[0].events);
	EXPECT_EQ(1, self->seen[0].count[2]);
}

/* B15 to B17, B26: at registration the last request is in force. */
TEST_F(rules, enabled_and_changed_before_it_registers)
{
	const struct vm_what low = { 2, 4 }, high = { 5, 3 };
	unsigned int index;

	ASSERT_EQ(0, start(self, 1, 64, 0));
	for (index = 0; index < 2; index++) {
		memset(self->seen, 0, sizeof(self->seen));
		EXPECT_EQ(0, vm_disable(self->fd, self->session[0], guid_of(index)));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(index), 2, 4, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(index), 5, 3, 1));
		ASSERT_EQ(0, reg(self, index, 0));
		EXPECT_TRUE(put(self, index, 1, &low));
		EXPECT_TRUE(put(self, index, 2, &high));
		/* Once more, now that it is there. */
		ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(index), 2, 4, 0));
		EXPECT_TRUE(put(self, index, 3, &low));
		EXPECT_TRUE(put(self, index, 4, &high));
		ASSERT_TRUE(look(self, 0));
		EXPECT_EQ(2, self->seen[0].events);
		EXPECT_EQ(1, self->seen[0].count[2]);
		EXPECT_EQ(1, self->seen[0].count[3]);
	}
}

/* B20: the ninth is refused and changes nothing for the eight. */
TEST_F(rules, ninth_session)
{
	const struct vm_what e = { 1, 1 };
	unsigned int index;
	int i;

	ASSERT_EQ(0, start(self, 9, 64, 0));
	for (index = 0; index < 2; index++) {
		memset(self->seen, 0, sizeof(self->seen));
		ASSERT_EQ(0, reg(self, index, 0));
		for (i = 0; i < 8; i++)
			ASSERT_EQ(0, vm_enable(self->fd, self->session[i], guid_of(index),
					       1, 0, 0));
		EXPECT_EQ(-ENOSPC, vm_enable(self->fd, self->session[8], guid_of(index), 1, 0, 0));
		EXPECT_TRUE(put(self, index, 1, &e));
		for (i = 0; i < 9; i++) {
			ASSERT_TRUE(look(self, i));
			EXPECT_EQ(i < 8, self->seen[i].events);
		}
		/* One stops, and another can enable it. */
		ASSERT_EQ(0, vm_disable(self->fd, self->session[3], guid_of(index)));
		EXPECT_EQ(0, vm_enable(self->fd, self->session[8], guid_of(index), 1, 0, 0));
	}
}

/* B22: the process that enabled it was killed long before the events. */
TEST_F(rules, controller_goes)
{
	const struct vm_what low = { 3, 1 }, high = { 4, 1 };
	int status;
	pid_t pid;

	ASSERT_EQ(0, start(self, 1, 64, 0));
	ASSERT_EQ(0, reg(self, 0, 0));
	pid = fork();
	if (!pid) {
		if (vm_enable(vm_open(), self->session[0], static_guid, 3, 0, 0))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	status = vm_reap(pid);
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(put(self, 0, 1, &low));
	EXPECT_TRUE(put(self, 0, 2, &high));
	ASSERT_TRUE(look(self, 0));
	EXPECT_EQ(1, self->seen[0].events);
	EXPECT_EQ(1, self->seen[0].count[1]);
}

/* Wait until the provider's callback ran this many times; its last call. */
static bool called(FIXTURE_DATA(rules) *self, unsigned int want, struct etw_test_call *last)
{
	struct etw_test_log log;
	unsigned int n = 0;

	return vm_until((log.index = 0, vm_ioctl(self->kfd, ETW_TEST_LOG, &log)) ||
			(log.count ? (void)(*last = log.calls[log.count - 1]) : (void)0,
			 n += log.count, n >= want)) && n == want;
}

static bool call_is(const struct etw_test_call *c, uint32_t level, uint64_t any, uint64_t all)
{
	return c->control == ETW_CONTROL_ENABLE && c->level == level && c->any == any &&
	       c->all == all;
}

/* B2, B6, B28: 0 is the widest level and MatchAny, and no restriction by MatchAll. */
TEST_F(rules, composite_with_zero)
{
	struct etw_test_call c = { .control = 99 };
	int i;

	ASSERT_EQ(0, start(self, 3, 64, 0));
	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], static_guid, 3, 1, 7));
	ASSERT_TRUE(called(self, 1, &c));
	EXPECT_TRUE(call_is(&c, 3, 1, 7));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[1], static_guid, 0, 2, 3));
	ASSERT_TRUE(called(self, 1, &c));
	EXPECT_TRUE(call_is(&c, 255, 3, 3));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[2], static_guid, 1, 0, 0));
	ASSERT_TRUE(called(self, 1, &c));
	EXPECT_TRUE(call_is(&c, 255, UINT64_MAX, 0));
	for (i = 2; i > 0; i--)
		ASSERT_EQ(0, vm_stop(self->fd, self->session[i]));
	ASSERT_TRUE(called(self, 2, &c));
	EXPECT_TRUE(call_is(&c, 3, 1, 7));
}

static int capture(FIXTURE_DATA(rules) *self, int i)
{
	struct etw_enable e = vm_enable_arg(self->session[i], static_guid);

	e.control = ETW_CONTROL_CAPTURE;
	e.timeout_ms = 0xFFFFFFFF;
	return vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

/* B36: all sessions that enable such events get the answer, whichever asked; one does not. */
TEST_F(rules, answer_to_capture_state)
{
	const struct vm_rule no_keyword_0 = { .property = ETW_ENABLE_IGNORE_KEYWORD_0 };
	struct etw_test_call c = { .control = 99 };
	int i;

	ASSERT_EQ(0, start(self, 4, 64, 0));
	ASSERT_EQ(0, reg(self, 0, ETW_TEST_CALLBACK | ETW_TEST_WRITE_INSIDE));
	ASSERT_EQ(0, capture(self, 0));		/* no session enables it */
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], static_guid, 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[1], static_guid, 1, 8, 8));
	ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[2], static_guid, &no_keyword_0));
	ASSERT_TRUE(called(self, 3, &c));
	for (i = 0; i < 4; i++)
		ASSERT_TRUE(look(self, i));
	memset(self->seen, 0, sizeof(self->seen));
	ASSERT_EQ(0, capture(self, 3));		/* it has not */
	ASSERT_EQ(0, capture(self, 0));
	ASSERT_EQ(0, capture(self, 2));
	ASSERT_TRUE(called(self, 2, &c));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, c.control);
	for (i = 0; i < 4; i++) {
		ASSERT_TRUE(look(self, i));
		EXPECT_EQ(i < 2 ? 2 : 0, self->seen[i].count[99]);
	}
}

/* B93, B95: too large for one session, but delivered to the other */
TEST_F(rules, larger_than_a_buffer)
{
	struct vm_reader small;
	struct etw_session s = vm_session("t-small");
	struct etw_session_stat st;
	unsigned int index;

	s.buffer_kb = 4;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_EQ(0, vm_reader_open(&small, self->fd, s.handle, O_NONBLOCK));
	ASSERT_EQ(0, start(self, 1, 64, 0));
	self->w.size = 5000;
	for (index = 0; index < 2; index++) {
		ASSERT_EQ(0, reg(self, index, 0));
		ASSERT_EQ(0, vm_enable(self->fd, s.handle, guid_of(index), 0, 0, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[0], guid_of(index), 0, 0, 0));
		self->w.index = index;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w));
		EXPECT_EQ(-EMSGSIZE, self->w.result);
		EXPECT_EQ(index + 1, self->w.failed);
		ASSERT_TRUE(look(self, 0));
		EXPECT_EQ(index + 1, self->seen[0].events);
		ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
		EXPECT_EQ(index + 1, st.dropped[ETW_DROP_BUFFER_SIZE]);
		EXPECT_EQ(index + 1, vm_dropped(&st));
	}
	EXPECT_EQ(-EAGAIN, vm_drain(&small, NULL, NULL));
	EXPECT_EQ(0, small.events);
	vm_reader_close(&small);
}

/* B94, B145: four buffers and no reader: each loss is returned and counted. */
TEST_F(rules, no_free_buffer)
{
	struct etw_session s = vm_session("t-full");
	struct etw_session_stat st;
	struct etw_session q;
	unsigned int index;

	s.buffer_kb = 4;
	s.min_buffers = s.max_buffers = 4;
	s.flush_ms = 600000;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	self->w.count = 1000;
	self->w.size = 100;
	for (index = 0; index < 2; index++) {
		ASSERT_EQ(0, reg(self, index, 0));
		ASSERT_EQ(0, vm_enable(self->fd, s.handle, guid_of(index), 0, 0, 0));
		self->w.index = index;
		self->w.context = index ? ETW_TEST_HARDIRQ : ETW_TEST_PROCESS;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w));
		EXPECT_EQ(-ENOBUFS, self->w.result);
		EXPECT_EQ(1000 * (index + 1), self->w.ok + self->w.failed);
		ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
		EXPECT_EQ(self->w.ok, st.written);
		EXPECT_EQ(self->w.failed, st.dropped[ETW_DROP_NO_BUFFER]);
		EXPECT_EQ(self->w.failed, vm_dropped(&st));
		ASSERT_EQ(0, vm_query(self->fd, s.handle, &q));
		EXPECT_EQ(self->w.failed, q.events_lost);
		EXPECT_EQ(q.max_buffers, q.buffers);
	}
	EXPECT_LE(s.min_buffers * 15, self->w.ok);
}

/* B102, B103: from processes and interrupts of both CPUs, over many buffers */
TEST_F(rules, in_the_order_of_time)
{
	unsigned int i;

	ASSERT_EQ(0, start(self, 1, 4, 200));
	ASSERT_EQ(0, reg(self, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], static_guid, 0, 0, 0));
	self->w.count = 300;
	self->w.size = 40;
	for (i = 0; i < 12; i++) {
		vm_pin(i / 3 & 1);
		self->w.context = i % 3;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &self->w));
	}
	vm_pin(0);
	EXPECT_EQ(12 * 300, self->w.ok);
	ASSERT_TRUE(look(self, 0));
	EXPECT_EQ(12 * 300, self->seen[0].events);
	EXPECT_LT(20, self->r[0].buffers);
	EXPECT_NE(0, self->seen[0].last[0]);
	EXPECT_NE(0, self->seen[0].last[1]);
	EXPECT_FALSE(self->seen[0].backwards);
}

TEST_HARNESS_MAIN
