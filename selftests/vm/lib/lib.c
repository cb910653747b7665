// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib - libetw on the real module: readers get what was written
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#define SLACK		100000	/* 10 ms: the session's clock against the wall's */
#define PER_THREAD	700

FIXTURE(lib) {
	struct vl_fixture f;
};

FIXTURE_SETUP(lib)
{
	ASSERT_TRUE(vl_set_up(&self->f, "lib", 0));
	ASSERT_EQ(0, vl_enable(self->f.session, 1, 0, 0, 0));
}

FIXTURE_TEARDOWN(lib)
{
	EXPECT_TRUE(vl_tear_down(&self->f));
}

/* B91, B97, B100, B171: byte for byte, at the time of the call */
TEST_F(lib, event_is_what_was_written)
{
	GUID guid = vl_guid(1), none = { 0 };
	EVENT_DATA_DESCRIPTOR data[3];
	uint64_t number = 0x1122334455667788ULL;
	EVENT_DESCRIPTOR desc;
	LONGLONG before, after;
	struct vl_event *e = &self->f.r->events[0];

	EventDescCreate(&desc, 0x1234, 2, 3, 4, 0x567, 6, 0x8000000000000005ULL);
	EventDataDescCreate(&data[0], "hello", 5);
	EventDataDescCreate(&data[1], NULL, 0);
	EventDataDescCreate(&data[2], &number, sizeof(number));
	before = vm_filetime();
	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, 3, data));
	after = vm_filetime();
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_EQ(sizeof(EVENT_HEADER) + 13, e->header.Size);
	EXPECT_TRUE(e->header.Flags & EVENT_HEADER_FLAG_64_BIT_HEADER);
	EXPECT_FALSE(e->header.Flags & (EVENT_HEADER_FLAG_EXTENDED_INFO |
					EVENT_HEADER_FLAG_STRING_ONLY |
					EVENT_HEADER_FLAG_32_BIT_HEADER));
	EXPECT_EQ(vl_tid(), e->header.ThreadId);
	EXPECT_EQ(getpid(), e->header.ProcessId);
	EXPECT_LE(before - SLACK, e->header.TimeStamp.QuadPart);
	EXPECT_GE(after + SLACK, e->header.TimeStamp.QuadPart);
	EXPECT_TRUE(vl_same_guid(&guid, &e->header.ProviderId));
	EXPECT_EQ(0, memcmp(&desc, &e->header.EventDescriptor, sizeof(desc)));
	EXPECT_TRUE(vl_same_guid(&none, &e->header.ActivityId));
	EXPECT_EQ(0, e->item_count);
	EXPECT_EQ(13, e->data_len);
	EXPECT_EQ(0, memcmp("hello\x88\x77\x66\x55\x44\x33\x22\x11", e->data, 13));
	EXPECT_NE(0, e->context.LoggerId);
}

TEST_F(lib, event_without_data)
{
	EVENT_DESCRIPTOR desc = vl_event(7, 1, 1);

	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, 0, NULL));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_EQ(7, self->f.r->events[0].header.EventDescriptor.Id);
	EXPECT_EQ(0, self->f.r->events[0].data_len);
	EXPECT_EQ(sizeof(EVENT_HEADER), self->f.r->events[0].header.Size);
}

/* B97, B98, B105: the thread's id or another, with or without a related one */
TEST_F(lib, activities)
{
	GUID own = vl_guid(100), other = vl_guid(101), related = vl_guid(102), swap;
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	struct vl_event *e = self->f.r->events;
	const struct vl_item *item;

	ASSERT_EQ(0, EventActivityIdControl(EVENT_ACTIVITY_CTRL_SET_ID, &own));
	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, 0, NULL));
	ASSERT_EQ(0, EventWriteTransfer(self->f.reg, &desc, NULL, &related, 0, NULL));
	ASSERT_EQ(0, EventWriteTransfer(self->f.reg, &desc, &other, NULL, 0, NULL));
	ASSERT_EQ(0, EventWriteTransfer(self->f.reg, &desc, &other, &related, 0, NULL));
	swap = other;
	ASSERT_EQ(0, EventActivityIdControl(EVENT_ACTIVITY_CTRL_GET_SET_ID, &swap));
	EXPECT_TRUE(vl_same_guid(&own, &swap));
	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, 0, NULL));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 5));
	EXPECT_TRUE(vl_same_guid(&own, &e[0].header.ActivityId));
	EXPECT_EQ(0, e[0].item_count);
	EXPECT_TRUE(vl_same_guid(&own, &e[1].header.ActivityId));
	EXPECT_EQ(1, e[1].item_count);
	EXPECT_TRUE(e[1].header.Flags & EVENT_HEADER_FLAG_EXTENDED_INFO);
	EXPECT_TRUE(vl_same_guid(&other, &e[2].header.ActivityId));
	EXPECT_EQ(0, e[2].item_count);
	EXPECT_TRUE(vl_same_guid(&other, &e[3].header.ActivityId));
	EXPECT_EQ(1, e[3].item_count);
	item = vl_item(&e[3], EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID);
	ASSERT_EQ(sizeof(GUID), item->size);
	EXPECT_EQ(0, memcmp(&related, item->data, sizeof(GUID)));
	EXPECT_TRUE(vl_same_guid(&other, &e[4].header.ActivityId));
}

TEST_F(lib, string)
{
	struct vl_event *e = &self->f.r->events[0];

	ASSERT_EQ(0, EventWriteString(self->f.reg, 3, 0x10, u"Gr\u00fc\u00dfe"));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_TRUE(e->header.Flags & EVENT_HEADER_FLAG_STRING_ONLY);
	EXPECT_EQ(3, e->header.EventDescriptor.Level);
	EXPECT_EQ(0x10, e->header.EventDescriptor.Keyword);
	EXPECT_EQ(0, e->header.EventDescriptor.Id);
	EXPECT_EQ(12, e->data_len);
	EXPECT_EQ(0, memcmp(u"Gr\u00fc\u00dfe", e->data, 12));
}

/* EventWriteEx() keeps an event from the sessions of its filter. */
TEST_F(lib, filtered_by_session)
{
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);
	TRACEHANDLE other = vl_start("lib-other");
	struct vl_reader *r = vl_read("lib-other");
	ULONG64 first, second;

	ASSERT_NE(NULL, r);
	ASSERT_EQ(0, vl_enable(other, 1, 0, 0, 0));
	ASSERT_EQ(0, EventWriteEx(self->f.reg, &desc, 0, 0, NULL, NULL, 0, NULL));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	ASSERT_TRUE(vl_got(r, other, 1));
	first = 1ULL << (self->f.r->events[0].context.LoggerId - 1);
	second = 1ULL << (r->events[0].context.LoggerId - 1);
	EXPECT_NE(first, second);
	desc.Id = 2;
	ASSERT_EQ(0, EventWriteEx(self->f.reg, &desc, first, 0, NULL, NULL, 0, NULL));
	desc.Id = 3;
	ASSERT_EQ(0, EventWriteEx(self->f.reg, &desc, second, EVENT_WRITE_FLAG_INPRIVATE,
				  NULL, NULL, 0, NULL));
	desc.Id = 4;
	ASSERT_EQ(0, EventWriteEx(self->f.reg, &desc, first | second, 0, NULL, NULL, 0, NULL));
	desc.Id = 5;
	ASSERT_EQ(0, EventWrite(self->f.reg, &desc, 0, NULL));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 3));
	ASSERT_TRUE(vl_got(r, other, 3));
	EXPECT_EQ(3, self->f.r->events[1].header.EventDescriptor.Id);
	EXPECT_EQ(5, self->f.r->events[2].header.EventDescriptor.Id);
	EXPECT_EQ(2, r->events[1].header.EventDescriptor.Id);
	EXPECT_EQ(5, r->events[2].header.EventDescriptor.Id);
	ASSERT_EQ(0, vl_control(other, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(3, vl_end(r));
}

/* B12 to B14 */
TEST_F(lib, enabled_by_level_and_keyword)
{
	EVENT_DESCRIPTOR low = vl_event(1, 3, 2), high = vl_event(1, 4, 2);

	ASSERT_EQ(0, vl_enable(self->f.session, 1, 3, 0x6, 0x2));
	EXPECT_TRUE(EventEnabled(self->f.reg, &low));
	EXPECT_FALSE(EventEnabled(self->f.reg, &high));
	EXPECT_TRUE(EventProviderEnabled(self->f.reg, 0, 0));
	EXPECT_TRUE(EventProviderEnabled(self->f.reg, 0, 2));
	EXPECT_TRUE(EventProviderEnabled(self->f.reg, 3, 0));
	EXPECT_FALSE(EventProviderEnabled(self->f.reg, 3, 4));
	EXPECT_FALSE(EventProviderEnabled(self->f.reg, 3, 1));
	EXPECT_FALSE(EventProviderEnabled(self->f.reg, 255, 2));
	EXPECT_FALSE(EventProviderEnabled(0, 0, 0));
	ASSERT_EQ(0, vl_write(self->f.reg, 1, 4, 2, 0));
	ASSERT_EQ(0, vl_write(self->f.reg, 2, 3, 4, 0));
	ASSERT_EQ(0, vl_write(self->f.reg, 3, 3, 2, 0));
	ASSERT_EQ(0, vl_write(self->f.reg, 4, 0, 0, 0));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2));
	EXPECT_EQ(3, self->f.r->events[0].header.EventDescriptor.Id);
	EXPECT_EQ(4, self->f.r->events[1].header.EventDescriptor.Id);
	ASSERT_EQ(0, vl_disable(self->f.session, 1));
	EXPECT_FALSE(EventEnabled(self->f.reg, &low));
	EXPECT_FALSE(EventProviderEnabled(self->f.reg, 0, 0));
	EXPECT_EQ(0, vl_write(self->f.reg, 5, 0, 0, 0));
	ASSERT_EQ(0, vl_control(self->f.session, EVENT_TRACE_CONTROL_STOP));
	ASSERT_TRUE(vm_until(atomic_load(&self->f.r->done)));
	EXPECT_EQ(2, atomic_load(&self->f.r->count));
}

/* B101 */
TEST_F(lib, unregistered)
{
	REGHANDLE reg = vl_register(1);
	EVENT_DESCRIPTOR desc = vl_event(1, 1, 1);

	ASSERT_NE(0, reg);
	EXPECT_TRUE(EventEnabled(reg, &desc));
	ASSERT_EQ(0, EventUnregister(reg));
	EXPECT_FALSE(EventEnabled(reg, &desc));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventWrite(reg, &desc, 0, NULL));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventUnregister(reg));
	EXPECT_EQ(ERROR_INVALID_HANDLE, EventUnregister(0));
	EXPECT_EQ(0, EventWrite(0, &desc, 0, NULL));
	/* The other registration of the same GUID goes on. */
	EXPECT_EQ(0, vl_write(self->f.reg, 9, 1, 1, 0));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_EQ(9, self->f.r->events[0].header.EventDescriptor.Id);
}

/* -------------------------------------------------------- time over CPUs */

struct writer {
	pthread_t thread;
	pthread_barrier_t *begin;
	REGHANDLE reg;
	USHORT id;
	ULONG tid;
	unsigned int failed;
};

static void *writer_main(void *arg)
{
	struct writer *w = arg;
	unsigned int i;

	w->tid = vl_tid();
	pthread_barrier_wait(w->begin);
	for (i = 0; i < PER_THREAD; i++)
		w->failed += vl_write(w->reg, w->id, 1, 1, i) != 0;
	return NULL;
}

/* Each writer's events are all there, in its order, from its CPU and thread. */
static bool all_of_writer(const struct vl_reader *r, const struct writer *w, int cpu)
{
	ULONG value, next = 0;
	unsigned int i;

	for (i = 0; i < r->count; i++) {
		const struct vl_event *e = &r->events[i];

		if (e->header.EventDescriptor.Id != w->id)
			continue;
		memcpy(&value, e->data, sizeof(value));
		if (value != next++ || e->header.ThreadId != w->tid ||
		    e->context.ProcessorIndex != cpu)
			return false;
	}
	return next == PER_THREAD;
}

/* B102: also when merged with the other CPU's */
TEST_F(lib, time_goes_forward_over_both_cpus)
{
	struct writer w[2] = { { .id = 10 }, { .id = 11 } };
	LONGLONG before, after, last;
	pthread_barrier_t begin;
	unsigned int i, back = 0;

	pthread_barrier_init(&begin, NULL, 2);
	before = last = vm_filetime() - SLACK;
	for (i = 0; i < 2; i++) {
		w[i].begin = &begin;
		w[i].reg = self->f.reg;
		ASSERT_EQ(0, vl_thread_on(&w[i].thread, i, writer_main, &w[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(w[i].thread, NULL);
		EXPECT_EQ(0, w[i].failed);
	}
	after = vm_filetime() + SLACK;
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2 * PER_THREAD));
	ASSERT_EQ(2 * PER_THREAD, atomic_load(&self->f.r->count));
	for (i = 0; i < 2 * PER_THREAD; i++) {
		LONGLONG time = self->f.r->events[i].header.TimeStamp.QuadPart;

		back += time < last;
		last = time;
	}
	EXPECT_EQ(0, back);
	EXPECT_LE(before, self->f.r->events[0].header.TimeStamp.QuadPart);
	EXPECT_GE(after, last);
	EXPECT_TRUE(all_of_writer(self->f.r, &w[0], 0));
	EXPECT_TRUE(all_of_writer(self->f.r, &w[1], 1));
}

/* Two readers each get every event. */
TEST_F(lib, two_readers)
{
	struct vl_reader *other = vl_read("LIB");
	unsigned int i;

	ASSERT_NE(NULL, other);
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, vl_write(self->f.reg, i, 1, 1, i));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 20));
	ASSERT_TRUE(vl_got(other, self->f.session, 20));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(i, self->f.r->events[i].header.EventDescriptor.Id);
		EXPECT_EQ(i, other->events[i].header.EventDescriptor.Id);
	}
	ASSERT_EQ(0, vl_control(self->f.session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_EQ(20, vl_end(other));
	EXPECT_EQ(0, other->result);
}

TEST_HARNESS_MAIN
