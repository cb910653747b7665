/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_groups.h - the fixture of the tests of groups: two providers, of which a
 * variant joins one, and sessions
 */
#ifndef ETW_SELFTEST_VM_GROUPS_H
#define ETW_SELFTEST_VM_GROUPS_H

#include "vm.h"
#include "vm_state.h"
#include "vm_traits.h"

#define SESSIONS	10

FIXTURE(groups) {
	int fd;
	uint64_t session[SESSIONS];
	uint32_t logger[SESSIONS];
	struct vm_two two;
	struct etw_guid group;
	struct vm_blob traits;		/* of a member */
	const struct etw_enable_entry *area;
};

FIXTURE_VARIANT(groups) {
	int which;
};

FIXTURE_VARIANT_ADD(groups, user) { .which = 0 };
FIXTURE_VARIANT_ADD(groups, kernel) { .which = 1 };

FIXTURE_SETUP(groups)
{
	struct etw_session s;
	char name[16];
	int i;

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_EQ(0, vm_two_begin(&self->two, self->fd));
	for (i = 0; i < SESSIONS; i++) {
		snprintf(name, sizeof(name), "t-group-%d", i);
		s = vm_session(name);
		ASSERT_EQ(0, vm_start(self->fd, &s));
		self->session[i] = s.handle;
		self->logger[i] = s.logger_id;
	}
	self->group = vm_guid(70);
	self->traits = vm_group_traits("Member", self->group);
	self->area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, self->area);
}

FIXTURE_TEARDOWN(groups)
{
	munmap((void *)self->area, ETW_ENABLE_AREA_SIZE);
	EXPECT_EQ(0, vm_two_end(&self->two));
	vm_stop_all(self->fd);
	close(self->fd);
}

#define GUID		(self->two.guid[variant->which])
#define JOIN()		vm_two_traits(&self->two, variant->which, &self->traits)
#define ENABLE(i, level, any) \
	vm_group_enable(self->fd, self->session[i], self->group, level, any)
#define DISABLE(i)	vm_group_disable(self->fd, self->session[i], self->group)
#define WRITE(level, keyword)	write_one(self, variant->which, level, keyword)

static inline int write_one(FIXTURE_DATA(groups) *self, int which, uint8_t level, uint64_t keyword)
{
	struct etw_event_descriptor desc = { .id = 1, .level = level, .keyword = keyword };
	struct vm_piece piece = { 0, "x", 1 };

	return vm_two_write(&self->two, which, desc, &piece, 1, false);
}

/* Events that the i-th session has had. */
static inline uint64_t written(FIXTURE_DATA(groups) *self, int i)
{
	struct etw_session_stat st;

	return vm_stat(self->fd, self->session[i], &st) ? ~0ULL : st.written;
}

/* How many of the two events, a write of this kind, session 0 gets: 0 or 1. */
static inline int gets(FIXTURE_DATA(groups) *self, int which, uint8_t level, uint64_t keyword)
{
	uint64_t before = written(self, 0);

	return write_one(self, which, level, keyword) ? -1 : (int)(written(self, 0) - before);
}

#define GETS(level, keyword)	gets(self, variant->which, level, keyword)

/* Reset the record of the callbacks; returns how often they ran. */
static inline int calls_since(FIXTURE_DATA(groups) *self, int which, struct etw_test_call *last)
{
	struct etw_notify n = { .size = sizeof(n) };
	struct etw_test_log log = { .index = 0 };
	int count = 0;

	memset(last, 0, sizeof(*last));
	if (which) {
		if (vm_ioctl(self->two.kfd, ETW_TEST_LOG, &log))
			return -1;
		if (log.count)
			*last = log.calls[log.count - 1];
		return log.count;
	}
	while (!vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n)) {
		*last = (struct etw_test_call){ .source = n.source, .any = n.any, .all = n.all,
						.control = n.control, .level = n.level };
		count++;
	}
	return count;
}

/* The callback has run so many times; a module's callbacks run on a workqueue. */
static inline bool called_times(FIXTURE_DATA(groups) *self, int which, int times,
			      struct etw_test_call *last)
{
	struct etw_test_call call;
	int sum = 0, n;
	bool enough;

	memset(last, 0, sizeof(*last));
	enough = vm_until((n = calls_since(self, which, &call),
			   *last = n > 0 ? call : *last, (sum += n) >= times));
	return enough && sum == times;
}

static inline bool called_once(FIXTURE_DATA(groups) *self, int which, struct etw_test_call *last)
{
	return called_times(self, which, 1, last);
}

#endif /* ETW_SELFTEST_VM_GROUPS_H */
