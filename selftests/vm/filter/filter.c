// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter - which events a session gets, and the enable area
 */
#include "lib/vm.h"
#include "lib/vm_buf.h"
#include "lib/vm_rules.h"

#include <etw/filter.h>

#define EVENTS_MAX	512

/* How often each event came, by its id. */
struct seen {
	unsigned int count[EVENTS_MAX];
};

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	struct seen *s = ctx;

	(void)b;
	if (r->head->desc.id < EVENTS_MAX)
		s->count[r->head->desc.id]++;
}

FIXTURE(filter) {
	int fd;
	int slot;
	const struct etw_enable_entry *area;
	const struct etw_enable_entry *entry;	/* of slot */
	uint64_t session[ETW_PROVIDER_SESSIONS];
	struct vm_reader r[ETW_PROVIDER_SESSIONS];
	struct seen seen[ETW_PROVIDER_SESSIONS];
};

FIXTURE_SETUP(filter)
{
	struct etw_session s;
	char name[16];
	int i;

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->entry = &self->area[self->slot];
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		snprintf(name, sizeof(name), "t-%d", i);
		s = vm_session(name);
		s.flush_ms = 600000;
		ASSERT_EQ(0, vm_start(self->fd, &s));
		self->session[i] = s.handle;
		ASSERT_EQ(0, vm_reader_open(&self->r[i], self->fd, s.handle, O_NONBLOCK));
	}
}

FIXTURE_TEARDOWN(filter)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

static int put(FIXTURE_DATA(filter) *self, uint16_t id, const struct vm_what *e)
{
	return vm_write(self->fd, self->slot, id, e->level, e->keyword, "x", 1);
}

/* Bring seen[i] up to date. */
static int look(FIXTURE_DATA(filter) *self, int i)
{
	int ret = vm_flush(self->fd, self->session[i]);

	return ret ? ret : vm_drain(&self->r[i], see, &self->seen[i]);
}

/* Does session i get an event written now?  -1 if something is wrong. */
static int gets(FIXTURE_DATA(filter) *self, int i, uint8_t level, uint64_t keyword)
{
	const struct vm_what e = { level, keyword };

	if (look(self, i) != -EAGAIN)
		return -1;
	self->seen[i].count[500] = 0;
	if (put(self, 500, &e) || look(self, i) != -EAGAIN)
		return -1;
	return self->seen[i].count[500];
}

static const uint8_t levels[] = { 0, 1, 4, 5, 16, 254, 255 };
static const uint64_t keywords[] = {
	0, 1, 2, 3, 4, 5, 7, 0x8000000000000000, 0x8000000000000001, 0x100000000, UINT64_MAX };

static unsigned int make_events(struct vm_what *e)
{
	unsigned int i, j, n = 0;

	for (i = 0; i < ARRAY_SIZE(levels); i++)
		for (j = 0; j < ARRAY_SIZE(keywords); j++)
			e[n++] = (struct vm_what){ levels[i], keywords[j] };
	return n;
}

/* Eight sessions at once, each gets its own subset of all the events. */
static void subsets(struct __test_metadata *_metadata, FIXTURE_DATA(filter) *self,
		    const struct vm_rule *rules)
{
	struct vm_what e[EVENTS_MAX];
	unsigned int i, j, n = make_events(e);

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
		ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[i], vm_guid(1), &rules[i]));
	for (j = 0; j < n; j++) {
		ASSERT_EQ(0, put(self, j, &e[j]));
		for (i = 0; i < ETW_PROVIDER_SESSIONS; i++)
			if (vm_wanted(&rules[i], &e[j]))
				EXPECT_TRUE(etw_entry_wants(self->entry, e[j].level,
							    e[j].keyword))
					TH_LOG("area hides level %u keyword %llx",
					       e[j].level, (unsigned long long)e[j].keyword);
	}
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		ASSERT_EQ(-EAGAIN, look(self, i));
		for (j = 0; j < n; j++)
			EXPECT_EQ(vm_wanted(&rules[i], &e[j]), self->seen[i].count[j])
				TH_LOG("session %u level %u keyword %llx", i, e[j].level,
				       (unsigned long long)e[j].keyword);
	}
}

/* B1, B2, B3, B10: by its level, 0 meaning all, for session and event */
TEST_F(filter, subsets_by_level)
{
	static const struct vm_rule rules[ETW_PROVIDER_SESSIONS] = {
		{ 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 4, 0, 0, 0 }, { 5, 0, 0, 0 },
		{ 254, 0, 0, 0 }, { 255, 0, 0, 0 }, { 1, 1, 0, 0 }, { 4, 4, 4, 0 } };

	subsets(_metadata, self, rules);
}

/* B1, B4, B7 to B10: by its masks, over all 64 bits; keyword 0 passes */
TEST_F(filter, subsets_by_keyword)
{
	static const struct vm_rule rules[ETW_PROVIDER_SESSIONS] = {
		{ 0, 0, 0, 0 }, { 0, 5, 0, 0 }, { 0, 1, 3, 0 }, { 0, 0, 3, 0 },
		{ 0, 0x8000000000000000, 0, 0 }, { 0, 0x100000000, 0x100000000, 0 },
		{ 0, 2, UINT64_MAX, 0 }, { 4, UINT64_MAX, 1, 0 } };

	subsets(_metadata, self, rules);
}

/* B5: a session that excludes keyword 0 gets none of it, the others do */
TEST_F(filter, subsets_without_keyword_0)
{
	static const struct vm_rule rules[ETW_PROVIDER_SESSIONS] = {
		{ 0, 0, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
		{ 0, 5, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
		{ 0, 1, 3, ETW_ENABLE_IGNORE_KEYWORD_0 },
		{ 4, 0, 0, ETW_ENABLE_IGNORE_KEYWORD_0 },
		{ 4, 2, 2, ETW_ENABLE_IGNORE_KEYWORD_0 },
		{ 1, 0, 0, 0 }, { 255, 4, 4, 0 }, { 5, 0, 1, 0 } };

	subsets(_metadata, self, rules);
}

/* B12: without a session the write succeeds */
TEST_F(filter, not_enabled_by_any)
{
	EXPECT_EQ(0, self->entry->enabled);
	EXPECT_EQ(0, self->entry->sessions);
	EXPECT_FALSE(etw_entry_wants(self->entry, 0, 0));
	EXPECT_FALSE(etw_entry_wants(self->entry, 1, 1));
	EXPECT_FALSE(etw_entry_wants(self->entry, 255, UINT64_MAX));
	EXPECT_EQ(0, gets(self, 0, 1, 1));
}

/* B17: enabling again replaces the settings; it does not add to them. */
TEST_F(filter, enable_replaces)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 5, 3, 0));
	EXPECT_EQ(1, gets(self, 0, 5, 2));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 2, 4, 0));
	EXPECT_EQ(0, gets(self, 0, 5, 4));
	EXPECT_EQ(0, gets(self, 0, 2, 3));
	EXPECT_EQ(1, gets(self, 0, 2, 4));
	EXPECT_EQ(2, self->entry->level);
	EXPECT_EQ(4, self->entry->any);
}

/* B17: nor does the property stay */
TEST_F(filter, enable_replaces_the_property)
{
	struct vm_rule r = { 0, 0, 0, ETW_ENABLE_IGNORE_KEYWORD_0 };

	ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[0], vm_guid(1), &r));
	EXPECT_EQ(0, gets(self, 0, 1, 0));
	r.property = 0;
	ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[0], vm_guid(1), &r));
	EXPECT_EQ(1, gets(self, 0, 1, 0));
}

/* B26: disabling without having enabled succeeds */
TEST_F(filter, disable)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[1], vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[0], vm_guid(1)));
	EXPECT_EQ(0, gets(self, 0, 1, 1));
	EXPECT_EQ(1, gets(self, 1, 1, 1));
	EXPECT_EQ(1, self->entry->enabled);
	ASSERT_EQ(0, vm_disable(self->fd, self->session[1], vm_guid(1)));
	EXPECT_EQ(0, gets(self, 1, 1, 1));
	EXPECT_EQ(0, self->entry->enabled);
	EXPECT_FALSE(etw_entry_wants(self->entry, 1, 1));
	/* One that is not enabled: nothing to do. */
	EXPECT_EQ(0, vm_disable(self->fd, self->session[1], vm_guid(1)));
	EXPECT_EQ(0, vm_disable(self->fd, self->session[1], vm_guid(99)));
}

/* B23: the other session's settings remain */
TEST_F(filter, session_stop_disables)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 5, 1, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[1], vm_guid(1), 2, 2, 0));
	EXPECT_EQ(5, self->entry->level);
	EXPECT_EQ(3, self->entry->any);
	ASSERT_EQ(0, vm_stop(self->fd, self->session[0]));
	EXPECT_EQ(2, self->entry->level);
	EXPECT_EQ(2, self->entry->any);
	EXPECT_EQ(1, gets(self, 1, 2, 2));
	ASSERT_EQ(0, vm_stop(self->fd, self->session[1]));
	EXPECT_EQ(0, self->entry->enabled);
}

/* B28 */
TEST_F(filter, composite)
{
	uint32_t generation = self->entry->generation;
	struct vm_rule a = { 3, 5, 5, ETW_ENABLE_IGNORE_KEYWORD_0 }, b = { 1, 2, 4, 0 };

	ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[0], vm_guid(1), &a));
	EXPECT_EQ(1, self->entry->enabled);
	EXPECT_EQ(3, self->entry->level);
	EXPECT_EQ(5, self->entry->any);
	EXPECT_EQ(5, self->entry->all);
	EXPECT_EQ(0, self->entry->keyword0);
	EXPECT_EQ(1, __builtin_popcount(self->entry->sessions));
	EXPECT_NE(generation, self->entry->generation);
	generation = self->entry->generation;
	ASSERT_EQ(0, vm_enable_rule(self->fd, self->session[1], vm_guid(1), &b));
	EXPECT_EQ(3, self->entry->level);
	EXPECT_EQ(7, self->entry->any);
	EXPECT_EQ(4, self->entry->all);
	EXPECT_EQ(1, self->entry->keyword0);
	EXPECT_EQ(2, __builtin_popcount(self->entry->sessions));
	EXPECT_NE(generation, self->entry->generation);
	EXPECT_EQ(0, self->entry->reserved);
}

/* B2, B6: in the composite */
TEST_F(filter, zero_counts_as_all)
{
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 0, 0, 0));
	EXPECT_EQ(255, self->entry->level);
	EXPECT_EQ(UINT64_MAX, self->entry->any);
	EXPECT_EQ(0, self->entry->all);
	EXPECT_EQ(1, self->entry->keyword0);
}

/* B15: with the level and the masks set before */
TEST_F(filter, enable_before_registration)
{
	int slot;

	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(2), 4, 1, 0));
	slot = vm_register(self->fd, vm_guid(2));
	ASSERT_LE(0, slot);
	EXPECT_EQ(1, self->area[slot].enabled);
	EXPECT_EQ(4, self->area[slot].level);
	EXPECT_EQ(0, vm_write(self->fd, slot, 10, 4, 1, "x", 1));
	EXPECT_EQ(0, vm_write(self->fd, slot, 11, 5, 1, "x", 1));
	EXPECT_EQ(0, vm_write(self->fd, slot, 12, 1, 2, "x", 1));
	ASSERT_EQ(-EAGAIN, look(self, 0));
	EXPECT_EQ(1, self->seen[0].count[10]);
	EXPECT_EQ(0, self->seen[0].count[11]);
	EXPECT_EQ(0, self->seen[0].count[12]);
	EXPECT_EQ(0, vm_unregister(self->fd, slot));
	/* A child that inherited the page must find out that it has no registration. */
	EXPECT_EQ(255, self->area[slot].level);
	/* The enabling stays for the next registration. */
	slot = vm_register(self->fd, vm_guid(2));
	EXPECT_EQ(1, self->area[slot].enabled);
	EXPECT_EQ(4, self->area[slot].level);
}

/* Bit i of the filter keeps the event from the session with id i + 1. */
TEST_F(filter, sessions_left_out_by_the_writer)
{
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot,
				     .desc = { .id = 20, .level = 1, .keyword = 1 } };
	struct etw_session q;
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_query(self->fd, self->session[1], &q));
	w.filter = 1ULL << (q.logger_id - 1);
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(-EAGAIN, look(self, i));
		EXPECT_EQ(i != 1, self->seen[i].count[20]);
	}
}

TEST_F(filter, area_is_read_only)
{
	void *p = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
		       self->fd, 0);

	EXPECT_EQ(MAP_FAILED, p);
	EXPECT_NE(0, mprotect((void *)self->area, ETW_ENABLE_AREA_SIZE,
			      PROT_READ | PROT_WRITE));
	p = mmap(NULL, ETW_ENABLE_AREA_SIZE * 2, PROT_READ, MAP_SHARED, self->fd, 0);
	EXPECT_EQ(MAP_FAILED, p);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, ETW_ENABLE_AREA_SIZE);
	EXPECT_EQ(MAP_FAILED, p);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, self->fd, 0x7ffffffffffff000);
	EXPECT_EQ(MAP_FAILED, p);
}

/* A child may read the area of its parent's file without harm. */
TEST_F(filter, area_survives_fork)
{
	int status;
	pid_t pid;

	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 3, 0, 0));
	pid = fork();
	if (!pid)
		_exit(self->entry->level);
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(3, WEXITSTATUS(status));
	close(self->fd);
	(void)*(const volatile uint8_t *)&self->entry->level;
	self->fd = vm_open();
}

TEST_HARNESS_MAIN
