// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_filter - sessions that do not take every event: EVENT_ID filters, events
 * that exclude a session, private ones
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

static const struct etw_guid kguid = ETW_TEST_GUID;

FIXTURE(filter) {
	int fd;
	int kfd;
	int slot;
	uint64_t session[2];
	uint32_t logger[2];
	struct vm_reader r[2];
	struct vm_events *events[2];
	struct etw_filter_event_id data;
	struct etw_filter filter;
};

FIXTURE_SETUP(filter)
{
	struct etw_session s;
	int i;

	self->fd = vm_begin(&self->slot);
	ASSERT_LE(0, self->fd);
	self->kfd = vm_test_provider();
	ASSERT_LE(0, self->kfd);
	for (i = 0; i < 2; i++) {
		s = vm_session(i ? "t-all" : "t-some");
		ASSERT_EQ(0, vm_start(self->fd, &s));
		self->session[i] = s.handle;
		self->logger[i] = s.logger_id;
		ASSERT_EQ(0, vm_reader_open(&self->r[i], self->fd, self->session[i], O_NONBLOCK));
		self->events[i] = calloc(1, sizeof(*self->events[i]));
		ASSERT_NE(NULL, self->events[i]);
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], vm_guid(1), 0, 0, 0));
		ASSERT_EQ(0, vm_enable(self->fd, self->session[i], kguid, 0, 0, 0));
	}
}

FIXTURE_TEARDOWN(filter)
{
	int i;

	for (i = 0; i < 2; i++) {
		vm_reader_close(&self->r[i]);
		free(self->events[i]);
	}
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

/* The first session takes these events only, or all but these. */
static int filter(FIXTURE_DATA(filter) *self, bool in, const int *ids)
{
	int ret;

	self->filter = vm_id_filter(&self->data, ETW_FILTER_EVENT_ID, in, ids);
	ret = vm_enable_with(self->fd, self->session[0], vm_guid(1), 0, &self->filter, 1);
	return ret ?: vm_enable_with(self->fd, self->session[0], kguid, 0, &self->filter, 1);
}

/* Events 0 to 9 of a process and of the kernel; what both sessions got. */
static int ten_each(FIXTURE_DATA(filter) *self)
{
	struct etw_test_write w = { .count = 1, .size = 8, .descriptors = 1,
				    .desc = { .level = 1, .keyword = 1 } };
	int i, ret = 0;

	for (i = 0; i < 10 && !ret; i++) {
		ret = vm_write(self->fd, self->slot, i, 1, 1, &i, sizeof(i));
		w.desc.id = i;
		w.ok = 0;
		ret = ret ?: vm_ioctl(self->kfd, ETW_TEST_WRITE, &w);
		if (!ret && w.ok != 1)
			ret = -EPROTO;
	}
	for (i = 0; i < 2 && ret >= 0; i++)
		ret = vm_collect(self->fd, self->session[i], &self->r[i], self->events[i]);
	return ret < 0 ? ret : 0;
}

/* Bit i: the event with id i came, and as often as there are providers. */
static unsigned int ids_of(const struct vm_events *events)
{
	unsigned int mask = 0, count[10] = { 0 }, i;

	for (i = 0; i < events->count; i++)
		count[events->list[i].head.desc.id % 10]++;
	for (i = 0; i < 10; i++)
		mask |= count[i] == 2 ? 1u << i : count[i] ? 1u << 31 : 0;
	return mask;
}

/* B53, and no event is lost: the session did not want it. */
TEST_F(filter, ids_in_and_out)
{
	struct etw_session_stat st;

	ASSERT_EQ(0, filter(self, true, VM_IDS(7, 2, 65535, 2)));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(1 << 7 | 1 << 2, ids_of(self->events[0]));
	EXPECT_EQ(0x3ff, ids_of(self->events[1]));
	ASSERT_EQ(0, filter(self, false, VM_IDS(7, 2, 0)));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(0x3ff & ~(1 << 7 | 1 << 2 | 1), ids_of(self->events[0]));
	ASSERT_EQ(0, filter(self, true, VM_IDS(-1)));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(0, self->events[0]->count);
	ASSERT_EQ(0, filter(self, false, VM_IDS(-1)));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(0x3ff, ids_of(self->events[0]));
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(2 * (2 + 7 + 0 + 10), st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* B54: events of channel 11 have no ids, whatever number is in its place. */
TEST_F(filter, no_ids)
{
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot,
				     .desc = { .id = 3, .level = 1, .keyword = 1,
					       .channel = ETW_CHANNEL_TRACELOGGING } };
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1, .desc = w.desc };
	struct etw_session_stat st;
	bool in;
	int i;

	for (i = 0; i < 2; i++) {
		in = !i;
		/* The filter does not pass these ids. */
		ASSERT_EQ(0, filter(self, in, in ? VM_IDS(4) : VM_IDS(3)));
		ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
		k.ok = 0;
		ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
		EXPECT_EQ(1, k.ok);
		ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
		EXPECT_EQ(2 * (i + 1), st.written);
	}
	/* Any other channel is one of events with ids. */
	w.desc.channel = k.desc.channel = ETW_CHANNEL_TRACELOGGING + 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(4, st.written);
	ASSERT_EQ(0, vm_stat(self->fd, self->session[1], &st));
	EXPECT_EQ(6, st.written);
}

/* B13: the test before the write does not know of this filter. */
TEST_F(filter, enabled_all_the_same)
{
	struct etw_test_enabled e = { .level = 1, .keyword = 1 };

	ASSERT_EQ(0, filter(self, true, VM_IDS(3)));
	ASSERT_EQ(0, vm_disable(self->fd, self->session[1], kguid));
	ASSERT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_ENABLED, &e));
	EXPECT_TRUE(e.inline_test && e.event_enabled && e.provider_enabled);
}

/* B17, B18: the next call replaces the filters, and one without removes them. */
TEST_F(filter, replaced)
{
	ASSERT_EQ(0, filter(self, true, VM_IDS(1)));
	ASSERT_EQ(0, filter(self, true, VM_IDS(2)));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(1 << 2, ids_of(self->events[0]));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], vm_guid(1), 0, 0, 0));
	ASSERT_EQ(0, vm_enable(self->fd, self->session[0], kguid, 0, 0, 0));
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(0x3ff, ids_of(self->events[0]));
}

/* B42, B43, B46: a refused call leaves the filter that is there. */
TEST_F(filter, refused)
{
	struct etw_filter_event_id wrong = { .in = 1, .count = 65 };
	struct etw_filter_level_kw level = { .in = 2 };
	struct etw_filter f[2] = { { .ptr = VM_PTR(&wrong), .len = 132,
				      .type = ETW_FILTER_EVENT_ID } };

	ASSERT_EQ(0, filter(self, true, VM_IDS(4)));
#define TRY(n) vm_enable_with(self->fd, self->session[0], vm_guid(1), 0, f, n)
	EXPECT_EQ(-EINVAL, TRY(1));		/* too many ids */
	wrong.count = 3;
	f[0].len = 9;
	EXPECT_EQ(-EINVAL, TRY(1));		/* fewer bytes than ids */
	f[0].len = 3;
	EXPECT_EQ(-EINVAL, TRY(1));
	f[0].len = 132;
	wrong.in = 2;
	EXPECT_EQ(-EINVAL, TRY(1));
	wrong.in = 1;
	f[0].ptr = 8;
	EXPECT_EQ(-EFAULT, TRY(1));
	f[0].ptr = VM_PTR(&wrong);
	f[1] = f[0];
	EXPECT_EQ(-EINVAL, TRY(2));		/* twice */
	f[1] = (struct etw_filter){ .ptr = VM_PTR(&level), .len = sizeof(level),
				    .type = ETW_FILTER_STACKWALK_LEVEL_KW };
	EXPECT_EQ(-EINVAL, TRY(2));
	level.in = 0;
	f[1].len--;
	EXPECT_EQ(-EINVAL, TRY(2));
	f[1] = (struct etw_filter){ .type = 0x80000001 };
	EXPECT_EQ(-EINVAL, TRY(2));		/* reserved */
	f[1].type = 0x80010000;
	EXPECT_EQ(-EINVAL, TRY(2));		/* unknown */
#undef TRY
	/* Too many are refused before they are read; 13 are read. */
#define TRY(n) vm_enable_with(self->fd, self->session[0], vm_guid(1), 0, \
			      (const struct etw_filter *)8, n)
	EXPECT_EQ(-EINVAL, TRY(UINT32_MAX));
	EXPECT_EQ(-EINVAL, TRY(14));
	EXPECT_EQ(-EFAULT, TRY(13));
#undef TRY
	ASSERT_EQ(0, ten_each(self));
	EXPECT_EQ(1 << 4, ids_of(self->events[0]));
}

/* B46: both lists of ids have at most 64, even if the filter is larger. */
TEST_F(filter, at_most_64_ids)
{
	static const uint32_t types[] = { ETW_FILTER_EVENT_ID, ETW_FILTER_STACKWALK };
	struct {
		struct etw_filter_event_id list;
		uint16_t more[64];
	} many = { .list.in = 1 };
	struct etw_filter f = { .ptr = VM_PTR(&many) };
	unsigned int i;

#define TRY(_count, _len) ({						\
	many.list.count = (_count);					\
	f.len = (_len);							\
	vm_enable_with(self->fd, self->session[0], vm_guid(1), 0, &f, 1); })
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		f.type = types[i];
		EXPECT_EQ(0, TRY(64, sizeof(many)));
		EXPECT_EQ(0, TRY(64, 4 + 2 * 64));
		EXPECT_EQ(-EINVAL, TRY(64, 4 + 2 * 64 - 1));
		EXPECT_EQ(-EINVAL, TRY(65, sizeof(many)));
		EXPECT_EQ(-EINVAL, TRY(65, 4 + 2 * 65));
		EXPECT_EQ(-EINVAL, TRY(65, 4 + 2 * 64));
		EXPECT_EQ(-EINVAL, TRY(65535, sizeof(many)));
		EXPECT_EQ(0, TRY(0, 4));
	}
#undef TRY
}

/* B64: the bits of the write exclude sessions by their logger ids. */
TEST_F(filter, excluded_by_the_write)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR("x"), .size = 1 };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot, .data_count = 1,
				     .data = VM_PTR(&d), .desc = { .level = 1 } };
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1,
				    .transfer = ETW_TEST_EX, .desc = { .level = 1 } };
	struct etw_session_stat st;
	uint64_t masks[4];
	int i;

	masks[0] = 0;
	masks[1] = 1ull << (self->logger[0] - 1);
	masks[2] = 1ull << (self->logger[1] - 1);
	masks[3] = masks[1] | masks[2];
	for (i = 0; i < 4; i++) {
		w.filter = masks[i];
		EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
		k.exclude = masks[i];
		k.ok = 0;
		EXPECT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
		EXPECT_EQ(1, k.ok);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, vm_stat(self->fd, self->session[i], &st));
		EXPECT_EQ(4, st.written);
		EXPECT_EQ(0, vm_dropped(&st));
	}
}

/* B65 */
TEST_F(filter, private_events)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR("x"), .size = 1 };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot, .data_count = 1,
				     .data = VM_PTR(&d), .desc = { .level = 1 } };
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1,
				    .transfer = ETW_TEST_EX, .desc = { .level = 1 } };
	struct etw_session_stat st;
	int i;

	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], vm_guid(1),
				    ETW_ENABLE_EXCLUDE_INPRIVATE, NULL, 0));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->session[0], kguid,
				    ETW_ENABLE_EXCLUDE_INPRIVATE, NULL, 0));
	for (i = 0; i < 2; i++) {
		w.flags = i ? ETW_WRITE_INPRIVATE : 0;
		EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
		k.transfer = i ? ETW_TEST_EX | ETW_TEST_PRIVATE : ETW_TEST_EX;
		EXPECT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(2, st.written);
	ASSERT_EQ(0, vm_stat(self->fd, self->session[1], &st));
	EXPECT_EQ(4, st.written);
}

/* A query returns which filters are set. */
TEST_F(filter, query)
{
	struct etw_provider_enable enables[4];
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1),
					.enables = VM_PTR(enables), .enable_cap = 4 };
	int i;

	ASSERT_EQ(0, filter(self, true, VM_IDS(4)));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	ASSERT_EQ(2, q.enable_count);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(enables[i].session == self->session[0] ?
			  ETW_FILTER_EVENT_ID & 0xffff : 0, enables[i].filters);
		EXPECT_EQ(0, enables[i].reserved);
	}
}

TEST_HARNESS_MAIN
