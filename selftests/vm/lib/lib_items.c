// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_items - enable properties and filters of EnableTraceEx2, and the extended
 * items of an EVENT_RECORD
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#define NOT_INLINE	__attribute__((__noinline__, __optimize__("no-optimize-sibling-calls")))

FIXTURE(items) {
	struct vl_fixture f;
};

FIXTURE_SETUP(items)
{
	ASSERT_TRUE(vl_set_up(&self->f, "lib-items", 0));
}

FIXTURE_TEARDOWN(items)
{
	EXPECT_TRUE(vl_tear_down(&self->f));
}

static ULONG enable(FIXTURE_DATA(items) *self, ULONG property,
		    EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2, .EnableProperty = property,
		.EnableFilterDesc = filters, .FilterDescCount = count };
	GUID guid = vl_guid(1);

	return EnableTraceEx2(self->f.session, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
			      5, 0, 0, 0, &params);
}

/* ----------------------------------------------------------------------- stacks */

static ULONG64 returns[3];
static int api;

/* By each function that writes. */
static NOT_INLINE ULONG inner(REGHANDLE reg)
{
	EVENT_DESCRIPTOR desc = vl_event(api, 1, 1);
	ULONG ret;

	returns[0] = (uintptr_t)__builtin_return_address(0);
	switch (api) {
	case 0:
		ret = EventWrite(reg, &desc, 0, NULL);
		break;
	case 1:
		ret = EventWriteTransfer(reg, &desc, NULL, NULL, 0, NULL);
		break;
	case 2:
		ret = EventWriteEx(reg, &desc, 0, 0, NULL, NULL, 0, NULL);
		break;
	default:
		ret = EventWriteString(reg, 1, 1, u"stack");
	}
	return ret + (returns[0] == 0);
}

static NOT_INLINE ULONG middle(REGHANDLE reg)
{
	returns[1] = (uintptr_t)__builtin_return_address(0);
	return inner(reg) + (returns[1] == 0);
}

static NOT_INLINE ULONG outer(REGHANDLE reg)
{
	returns[2] = (uintptr_t)__builtin_return_address(0);
	return middle(reg) + (returns[2] == 0);
}

/*
 * The library walks the stack: the first frame is the call in the program, and the following
 * ones are exact, without frame pointers.
 */
TEST_F(items, stack)
{
	const ULONG64 *frames;
	const struct vl_event *e;

	ASSERT_EQ(0, enable(self, EVENT_ENABLE_PROPERTY_STACK_TRACE, NULL, 0));
	for (api = 0; api < 4; api++) {
		ASSERT_EQ(0, outer(self->f.reg));
		ASSERT_TRUE(vl_got(self->f.r, self->f.session, api + 1));
		e = &self->f.r->events[api];
		ASSERT_EQ(1, e->item_count);
		EXPECT_EQ(EVENT_HEADER_EXT_TYPE_STACK_TRACE64, e->items[0].type);
		ASSERT_LE(8 * 5, e->items[0].size);
		frames = (const void *)e->items[0].data;
		EXPECT_EQ(0, frames[0]);	/* MatchId */
		EXPECT_LE((uintptr_t)inner, frames[1]);
		EXPECT_GT((uintptr_t)inner + 1024, frames[1]);
		EXPECT_EQ(returns[0], frames[2]);
		EXPECT_EQ(returns[1], frames[3]);
		EXPECT_EQ(returns[2], frames[4]);
	}
}

/* ------------------------------------------------------------------------ items */

TEST_F(items, every_property)
{
	static const USHORT types[] = {
		EVENT_HEADER_EXT_TYPE_SID, EVENT_HEADER_EXT_TYPE_TS_ID,
		EVENT_HEADER_EXT_TYPE_PROCESS_START_KEY, EVENT_HEADER_EXT_TYPE_EVENT_KEY,
		EVENT_HEADER_EXT_TYPE_CONTAINER_ID, EVENT_HEADER_EXT_TYPE_STACK_TRACE64 };
	const struct vl_event *e = &self->f.r->events[0];
	unsigned int i, k, found;

	ASSERT_EQ(0, enable(self, EVENT_ENABLE_PROPERTY_SID | EVENT_ENABLE_PROPERTY_TS_ID |
			    EVENT_ENABLE_PROPERTY_PROCESS_START_KEY |
			    EVENT_ENABLE_PROPERTY_EVENT_KEY | EVENT_ENABLE_PROPERTY_STACK_TRACE |
			    EVENT_ENABLE_PROPERTY_SOURCE_CONTAINER_TRACKING, NULL, 0));
	ASSERT_EQ(0, vl_write(self->f.reg, 1, 1, 1, 7));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	ASSERT_EQ(ARRAY_SIZE(types), e->item_count);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		for (k = 0, found = 0; k < e->item_count; k++)
			found += e->items[k].type == types[i];
		EXPECT_EQ(1, found);
	}
	for (k = 0; k < e->item_count; k++)
		EXPECT_EQ(k + 1 < e->item_count, e->items[k].linkage);
}

TEST_F(items, not_there)
{
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)"x", 1, EVENT_FILTER_TYPE_SYSTEM_FLAGS };

	EXPECT_EQ(ERROR_NOT_SUPPORTED, enable(self, EVENT_ENABLE_PROPERTY_ENABLE_SILOS, NULL, 0));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable(self, 0, &f, 1));
}

/* ---------------------------------------------------------------------- filters */

/* B46, B53 */
TEST_F(items, event_ids)
{
	static const ULONG types[] = { EVENT_FILTER_TYPE_EVENT_ID, EVENT_FILTER_TYPE_STACKWALK };
	unsigned char room[4 + 2 * 70] = { 0 };
	EVENT_FILTER_EVENT_ID *ids = (void *)room;
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)ids, sizeof(room), EVENT_FILTER_TYPE_EVENT_ID };
	size_t k;
	USHORT i;

	ids->FilterIn = TRUE;
	ids->Reserved = 0;
	ids->Count = 2;
	ids->Events[0] = 5;
	ids->Events[1] = 3;
	ASSERT_EQ(0, enable(self, 0, &f, 1));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, vl_write(self->f.reg, i, 1, 1, i));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2));
	EXPECT_EQ(3, self->f.r->events[0].header.EventDescriptor.Id);
	EXPECT_EQ(5, self->f.r->events[1].header.EventDescriptor.Id);
	for (k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
		f = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)ids, sizeof(room), types[k] };
		ids->Count = 64;
		EXPECT_EQ(0, enable(self, 0, &f, 1));
		ids->Count = 65;
		EXPECT_EQ(ERROR_INVALID_PARAMETER, enable(self, 0, &f, 1));
		ids->Count = 3;
		f.Size = 4 + 2 * 2;
		EXPECT_EQ(ERROR_INVALID_PARAMETER, enable(self, 0, &f, 1));
		f.Ptr = 16;
		EXPECT_EQ(ERROR_NOACCESS, enable(self, 0, &f, 1));
	}
}

TEST_F(items, executable)
{
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)u"other;lib_items", 32,
				      EVENT_FILTER_TYPE_EXECUTABLE_NAME };

	ASSERT_EQ(0, enable(self, 0, &f, 1));
	EXPECT_TRUE(EventProviderEnabled(self->f.reg, 1, 1));
	f.Size = 10;
	ASSERT_EQ(0, enable(self, 0, &f, 1));
	EXPECT_FALSE(EventProviderEnabled(self->f.reg, 1, 1));
	f.Size = 12;	/* "other;" */
	EXPECT_EQ(ERROR_INVALID_PARAMETER, enable(self, 0, &f, 1));
}

TEST_HARNESS_MAIN
