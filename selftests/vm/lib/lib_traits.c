// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_traits - EventSetInformation, groups and filters by event names through
 * the library, from provider to consumer
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include "device/provider_list.h"

#define GROUP	70	/* vl_guid() of a group */
#define DECODE	71	/* and what events are decoded by */

#define SCHEMA	EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL
#define TRAITS	EVENT_HEADER_EXT_TYPE_PROV_TRAITS
#define CONTROL	EVENT_HEADER_EXT_TYPE_CONTROL_GUID

FIXTURE(traits) {
	struct vl_fixture f;
};

FIXTURE_SETUP(traits)
{
	ASSERT_TRUE(vl_set_up(&self->f, "lib-traits", PROCESS_TRACE_MODE_RAW_TIMESTAMP));
}

FIXTURE_TEARDOWN(traits)
{
	EXPECT_TRUE(vl_tear_down(&self->f));
}

/* The event's item of this type has this data. */
static bool has_item(const struct vl_event *e, USHORT type, const void *data, size_t size)
{
	const struct vl_item *item = vl_item(e, type);

	return item->size == size && !memcmp(item->data, data, size);
}

/* Traits of this name with a GUID or two; their size. */
static ULONG make_traits(unsigned char *to, const char *name, int group, int decode)
{
	ULONG len = 2 + strlen(name) + 1;
	GUID guid;
	int i;

	memcpy(to + 2, name, strlen(name) + 1);
	for (i = 0; i < 2; i++) {
		if (!(i ? decode : group))
			continue;
		guid = vl_guid(i ? decode : group);
		to[len] = 19;
		to[len + 1] = 0;
		to[len + 2] = i ? EtwProviderTraitDecodeGuid : EtwProviderTraitTypeGroup;
		memcpy(to + len + 3, &guid, 16);
		len += 19;
	}
	to[0] = len;
	to[1] = 0;
	return len;
}

/* An event as TraceLogging writes it: provider, event, one byte of payload. */
static ULONG write_tl(REGHANDLE reg, const char *name, LONGLONG time)
{
	unsigned char schema[64] = { 0 }, provider[16];
	EVENT_DESCRIPTOR desc = { .Channel = 11, .Level = 4, .Keyword = 1 };
	EVENT_DATA_DESCRIPTOR data[4];

	schema[0] = strlen(name) + 4;
	memcpy(schema + 3, name, strlen(name) + 1);
	EventDataDescCreate(&data[0], provider, make_traits(provider, "Meta", 0, 0));
	data[0].Type = EVENT_DATA_DESCRIPTOR_TYPE_PROVIDER_METADATA;
	EventDataDescCreate(&data[1], schema, schema[0]);
	data[1].Type = EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA;
	EventDataDescCreate(&data[2], "x", 1);
	EventDataDescCreate(&data[3], &time, sizeof(time));
	data[3].Type = EVENT_DATA_DESCRIPTOR_TYPE_TIMESTAMP_OVERRIDE;
	return EventWrite(reg, &desc, time ? 4 : 3, data);
}

static ULONG set(REGHANDLE reg, unsigned char *traits, ULONG len)
{
	return EventSetInformation(reg, EventProviderSetTraits, traits, len);
}

static ULONG control_group(TRACEHANDLE session, ULONG code, UCHAR level)
{
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableProperty = EVENT_ENABLE_PROPERTY_PROVIDER_GROUP };
	GUID group = vl_guid(GROUP);

	return EnableTraceEx2(session, &group, code, level, 0, 0, 0, &params);
}

/* B80, B81, B83: with UseDescriptorType, without traits. */
TEST_F(traits, typed_descriptors)
{
	const struct vl_event *e = self->f.r->events;
	BOOLEAN on = TRUE;

	ASSERT_EQ(0, vl_enable(self->f.session, 1, 0, 0, 0));
	ASSERT_EQ(0, write_tl(self->f.reg, "Evt", 0));
	ASSERT_EQ(0, EventSetInformation(self->f.reg, EventProviderUseDescriptorType, &on, 1));
	ASSERT_EQ(0, write_tl(self->f.reg, "Evt", 4711));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2));
	EXPECT_EQ(7 + 7 + 1, e[0].data_len);
	EXPECT_EQ(0, vl_item(&e[0], SCHEMA)->size);
	EXPECT_EQ(0, vl_item(&e[0], TRAITS)->size);
	EXPECT_EQ(1, e[1].data_len);
	EXPECT_TRUE(has_item(&e[1], SCHEMA, "\7\0\0Evt", 7));
	EXPECT_TRUE(has_item(&e[1], TRAITS, "\7\0Meta", 7));
	EXPECT_EQ(4711, e[1].header.TimeStamp.QuadPart);
}

/* B78, B79, B82, B88, B89 */
TEST_F(traits, traits)
{
	const struct vl_event *e = self->f.r->events;
	GUID decode = vl_guid(DECODE), own = vl_guid(1);
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Mine", 0, DECODE);

	ASSERT_EQ(0, vl_enable(self->f.session, 1, 0, 0, 0));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, set(self->f.reg, traits, len - 1));
	ASSERT_EQ(0, set(self->f.reg, traits, len));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, set(self->f.reg, traits, len));
	ASSERT_EQ(0, write_tl(self->f.reg, "Evt", 0));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 1));
	EXPECT_EQ(1, e->data_len);
	EXPECT_TRUE(vl_same_guid(&decode, &e->header.ProviderId));
	EXPECT_NE(0, e->header.Flags & EVENT_HEADER_FLAG_DECODE_GUID);
	EXPECT_NE(0, e->header.Flags & EVENT_HEADER_FLAG_64_BIT_HEADER);
	EXPECT_EQ(7, vl_item(e, SCHEMA)->size);
	EXPECT_TRUE(has_item(e, TRAITS, traits, len));
	EXPECT_TRUE(has_item(e, CONTROL, &own, 16));
}

/* A forked child registers anew, and sets its traits anew. */
TEST_F(traits, over_fork)
{
	const struct vl_event *e = self->f.r->events;
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Mine", GROUP, 0);
	int status, i;
	pid_t pid;

	ASSERT_EQ(0, set(self->f.reg, traits, len));
	ASSERT_EQ(0, control_group(self->f.session, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0));
	ASSERT_EQ(0, write_tl(self->f.reg, "Parent", 0));
	pid = fork();
	if (!pid)
		_exit(write_tl(self->f.reg, "Child", 0));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 2));
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(has_item(&e[i], TRAITS, traits, len));
		EXPECT_EQ(i ? pid : getpid(), e[i].header.ProcessId);
	}
}

static atomic_uint calls;
static atomic_uint last_level;

static void NTAPI on_enable(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source;
	(void)any;
	(void)all;
	(void)filter;
	(void)context;
	atomic_store(&last_level, enabled == EVENT_CONTROL_CODE_ENABLE_PROVIDER ? level : 0);
	atomic_fetch_add(&calls, 1);
}

static ULONG disallow(TRACEHANDLE session, GUID *list, ULONG len)
{
	return TraceSetInformation(session, TraceSetDisallowList, list, len);
}

/* B84, B85: enabled by the group, with a callback, and left out by the disallow list. */
TEST_F(traits, groups)
{
	GUID guid = vl_guid(2), group_guid = vl_guid(GROUP), list[2] = { vl_guid(9), guid }, out[2];
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Member", GROUP, 0), needed = 0;
	struct etw_guid *groups;
	struct etw_group group;
	uint32_t count;
	REGHANDLE reg;

	ASSERT_EQ(0, control_group(self->f.session, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 3));
	ASSERT_EQ(0, EventRegister(&guid, on_enable, NULL, &reg));
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	ASSERT_EQ(0, set(reg, traits, len));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 4, 1));
	EXPECT_TRUE(vm_until(atomic_load(&calls) == 1 && atomic_load(&last_level) == 3));
	ASSERT_EQ(0, disallow(self->f.session, list, sizeof(list)));
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	EXPECT_TRUE(vm_until(atomic_load(&calls) == 2 && atomic_load(&last_level) == 0));
	ASSERT_EQ(0, TraceQueryInformation(self->f.session, TraceDisallowListQuery,
					   out, sizeof(out), &needed));
	EXPECT_EQ(32, needed);
	EXPECT_EQ(0, memcmp(list, out, sizeof(list)));
	ASSERT_EQ(0, disallow(self->f.session, NULL, 0));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 1));
	ASSERT_EQ(0, etw_provider_guids(self->f.fd, etw_kdev_group_enum, &groups, &count));
	ASSERT_EQ(1, count);
	EXPECT_EQ(0, memcmp(&group_guid, &groups[0], sizeof(group_guid)));
	ASSERT_EQ(0, etw_group_query(self->f.fd, &groups[0], &group));
	free(groups);
	EXPECT_EQ(1, group.member_count);
	EXPECT_EQ(0, memcmp(&group.members[0].provider, &guid, sizeof(guid)));
	EXPECT_EQ(1, group.enable_count);
	EXPECT_EQ(3, group.enables[0].level);
	etw_group_free(&group);
	/* B30: another session keeps it enabled. */
	ASSERT_EQ(0, vl_enable(self->f.session, 2, 2, 0, 0));
	ASSERT_EQ(0, control_group(self->f.session, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0));
	EXPECT_TRUE(EventProviderEnabled(reg, 2, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 3, 1));
	EXPECT_EQ(0, EventUnregister(reg));
}

/* B54 to B56 through EnableTraceEx2; B87: not with a group. */
TEST_F(traits, event_names)
{
	struct { EVENT_FILTER_EVENT_NAME head; char more[8]; } name = {
		{ .FilterIn = TRUE, .NameCount = 2 }, "" };
	EVENT_FILTER_DESCRIPTOR filter = { (uintptr_t)&name, 20 + 8, EVENT_FILTER_TYPE_EVENT_NAME };
	ENABLE_TRACE_PARAMETERS params = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableFilterDesc = &filter, .FilterDescCount = 1 };
	const struct vl_event *e = self->f.r->events;
	GUID guid = vl_guid(1);
	BOOLEAN on = TRUE;

	memcpy((char *)&name + 20, "One\0Two", 8);
	ASSERT_EQ(0, EventSetInformation(self->f.reg, EventProviderUseDescriptorType, &on, 1));
#define ENABLE() EnableTraceEx2(self->f.session, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, \
				0, 0, 0, &params)
	ASSERT_EQ(0, ENABLE());
	EXPECT_EQ(0, write_tl(self->f.reg, "One", 0));
	EXPECT_EQ(0, write_tl(self->f.reg, "Three", 0));
	EXPECT_EQ(0, write_tl(self->f.reg, "Two", 0));
	EXPECT_EQ(0, vl_write(self->f.reg, 9, 1, 1, 0));	/* it has no name */
	ASSERT_TRUE(vl_got(self->f.r, self->f.session, 3));
	EXPECT_TRUE(has_item(&e[0], SCHEMA, "\7\0\0One", 7));
	EXPECT_TRUE(has_item(&e[1], SCHEMA, "\7\0\0Two", 7));
	EXPECT_EQ(9, e[2].header.EventDescriptor.Id);
	params.EnableProperty = EVENT_ENABLE_PROPERTY_PROVIDER_GROUP;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, ENABLE());
#undef ENABLE
}

TEST_HARNESS_MAIN
