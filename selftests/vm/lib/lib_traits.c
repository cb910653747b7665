// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_traits - EventSetInformation, groups and filters by event names through
 * the library, from provider to consumer
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include "lib/controller/groups.h"

#define GROUP	70	/* vl_guid() of a group */
#define DECODE	71	/* and what events are decoded by */

/* What is kept of an event: its items of these three types. */
struct event {
	EVENT_HEADER header;
	USHORT data_len;
	USHORT len[3];
	unsigned char item[3][64];
};

static const USHORT kept_types[3] = { EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL,
				      EVENT_HEADER_EXT_TYPE_PROV_TRAITS,
				      EVENT_HEADER_EXT_TYPE_CONTROL_GUID };

struct taken {
	TRACEHANDLE handle;
	pthread_t thread;
	atomic_uint count;
	struct event events[16];
};

FIXTURE(traits) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg;
	struct taken *taken;
};

static void take(PEVENT_RECORD record)
{
	struct taken *t = record->UserContext;
	unsigned int n = atomic_load(&t->count), i, k;
	struct event *e = &t->events[n % 16];

	if (vl_is_header(record))
		return;
	memset(e, 0, sizeof(*e));
	e->header = record->EventHeader;
	e->data_len = record->UserDataLength;
	for (i = 0; i < record->ExtendedDataCount; i++) {
		const EVENT_HEADER_EXTENDED_DATA_ITEM *item = &record->ExtendedData[i];

		for (k = 0; k < 3; k++) {
			if (item->ExtType != kept_types[k] || item->DataSize > 64)
				continue;
			e->len[k] = item->DataSize;
			memcpy(e->item[k], (void *)(uintptr_t)item->DataPtr, item->DataSize);
		}
	}
	atomic_store(&t->count, n + 1);
}

static void *process(void *arg)
{
	struct taken *t = arg;

	ProcessTrace(&t->handle, 1, NULL, NULL);
	return NULL;
}

FIXTURE_SETUP(traits)
{
	EVENT_TRACE_LOGFILEA logfile = {
		.LoggerName = (char *)"lib-traits",
		.ProcessTraceMode = PROCESS_TRACE_MODE_REAL_TIME |
				    PROCESS_TRACE_MODE_EVENT_RECORD |
				    PROCESS_TRACE_MODE_RAW_TIMESTAMP,
		.EventRecordCallback = take,
	};

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("lib-traits");
	ASSERT_NE(0, self->session);
	self->reg = vl_register(1);
	ASSERT_NE(0, self->reg);
	self->taken = calloc(1, sizeof(*self->taken));
	ASSERT_NE(NULL, self->taken);
	logfile.Context = self->taken;
	self->taken->handle = OpenTraceA(&logfile);
	ASSERT_NE(INVALID_PROCESSTRACE_HANDLE, self->taken->handle);
	ASSERT_EQ(0, pthread_create(&self->taken->thread, NULL, process, self->taken));
}

FIXTURE_TEARDOWN(traits)
{
	EventUnregister(self->reg);
	vm_stop_all(self->fd);
	pthread_join(self->taken->thread, NULL);
	CloseTrace(self->taken->handle);
	free(self->taken);
	close(self->fd);
}

static bool got(FIXTURE_DATA(traits) *self, unsigned int count)
{
	return vm_until((vl_control(self->session, EVENT_TRACE_CONTROL_FLUSH),
			 atomic_load(&self->taken->count) >= count));
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
	const struct event *e = self->taken->events;
	BOOLEAN on = TRUE;

	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	ASSERT_EQ(0, write_tl(self->reg, "Evt", 0));
	ASSERT_EQ(0, EventSetInformation(self->reg, EventProviderUseDescriptorType, &on, 1));
	ASSERT_EQ(0, write_tl(self->reg, "Evt", 4711));
	ASSERT_TRUE(got(self, 2));
	EXPECT_EQ(7 + 7 + 1, e[0].data_len);
	EXPECT_EQ(0, e[0].len[0] + e[0].len[1]);
	EXPECT_EQ(1, e[1].data_len);
	EXPECT_EQ(7, e[1].len[0]);
	EXPECT_EQ(0, memcmp(e[1].item[0], "\7\0\0Evt", 7));
	EXPECT_EQ(0, memcmp(e[1].item[1], "\7\0Meta", 7));
	EXPECT_EQ(4711, e[1].header.TimeStamp.QuadPart);
}

/* B78, B79, B82, B88, B89 */
TEST_F(traits, traits)
{
	const struct event *e = self->taken->events;
	GUID decode = vl_guid(DECODE), own = vl_guid(1);
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Mine", 0, DECODE);

	ASSERT_EQ(0, vl_enable(self->session, 1, 0, 0, 0));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, set(self->reg, traits, len - 1));
	ASSERT_EQ(0, set(self->reg, traits, len));
	EXPECT_EQ(ERROR_ALREADY_EXISTS, set(self->reg, traits, len));
	ASSERT_EQ(0, write_tl(self->reg, "Evt", 0));
	ASSERT_TRUE(got(self, 1));
	EXPECT_EQ(1, e->data_len);
	EXPECT_TRUE(vl_same_guid(&decode, &e->header.ProviderId));
	EXPECT_NE(0, e->header.Flags & EVENT_HEADER_FLAG_DECODE_GUID);
	EXPECT_NE(0, e->header.Flags & EVENT_HEADER_FLAG_64_BIT_HEADER);
	EXPECT_EQ(7, e->len[0]);
	EXPECT_EQ(len, e->len[1]);
	EXPECT_EQ(0, memcmp(e->item[1], traits, len));
	EXPECT_EQ(16, e->len[2]);
	EXPECT_EQ(0, memcmp(e->item[2], &own, 16));
}

/* A forked child registers anew, and sets its traits anew. */
TEST_F(traits, over_fork)
{
	const struct event *e = self->taken->events;
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Mine", GROUP, 0);
	int status, i;
	pid_t pid;

	ASSERT_EQ(0, set(self->reg, traits, len));
	ASSERT_EQ(0, control_group(self->session, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0));
	ASSERT_EQ(0, write_tl(self->reg, "Parent", 0));
	pid = fork();
	if (!pid)
		_exit(write_tl(self->reg, "Child", 0));
	status = vm_reap(pid);
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status));
	ASSERT_TRUE(got(self, 2));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(len, e[i].len[1]);
		EXPECT_EQ(0, memcmp(e[i].item[1], traits, len));
		EXPECT_EQ(i ? pid : getpid(), e[i].header.ProcessId);
	}
}

static atomic_uint calls;
static atomic_uint last_level;

static void NTAPI told(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any,
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

/* B84, B85: enabled by the group, told of it, left out by the list. */
TEST_F(traits, groups)
{
	GUID guid = vl_guid(2), group_guid = vl_guid(GROUP), list[2] = { vl_guid(9), guid }, out[2];
	unsigned char traits[64];
	ULONG len = make_traits(traits, "Member", GROUP, 0), needed = 0;
	struct etw_group group;
	REGHANDLE reg;

	ASSERT_EQ(0, control_group(self->session, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 3));
	ASSERT_EQ(0, EventRegister(&guid, told, NULL, &reg));
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	ASSERT_EQ(0, set(reg, traits, len));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 1));
	EXPECT_FALSE(EventProviderEnabled(reg, 4, 1));
	EXPECT_TRUE(vm_until(atomic_load(&calls) == 1 && atomic_load(&last_level) == 3));
	ASSERT_EQ(0, etw_groups_disallow(self->session, list, sizeof(list)));
	EXPECT_FALSE(EventProviderEnabled(reg, 0, 0));
	EXPECT_TRUE(vm_until(atomic_load(&calls) == 2 && atomic_load(&last_level) == 0));
	ASSERT_EQ(0, etw_groups_disallowed(self->session, out, sizeof(out), &needed));
	EXPECT_EQ(32, needed);
	EXPECT_EQ(0, memcmp(list, out, sizeof(list)));
	ASSERT_EQ(0, etw_groups_disallow(self->session, NULL, 0));
	EXPECT_TRUE(EventProviderEnabled(reg, 3, 1));
	ASSERT_EQ(0, etw_groups_list(out, sizeof(out), &needed));
	EXPECT_EQ(16, needed);
	EXPECT_TRUE(vl_same_guid(&group_guid, &out[0]));
	ASSERT_EQ(0, etw_group_query(&group_guid, &group));
	EXPECT_EQ(1, group.member_count);
	EXPECT_EQ(0, memcmp(&group.members[0].provider, &guid, sizeof(guid)));
	EXPECT_EQ(1, group.enable_count);
	EXPECT_EQ(3, group.enables[0].level);
	etw_group_free(&group);
	/* B30: another session keeps it enabled. */
	ASSERT_EQ(0, vl_enable(self->session, 2, 2, 0, 0));
	ASSERT_EQ(0, control_group(self->session, EVENT_CONTROL_CODE_DISABLE_PROVIDER, 0));
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
	const struct event *e = self->taken->events;
	GUID guid = vl_guid(1);
	BOOLEAN on = TRUE;

	memcpy((char *)&name + 20, "One\0Two", 8);
	ASSERT_EQ(0, EventSetInformation(self->reg, EventProviderUseDescriptorType, &on, 1));
#define ENABLE() EnableTraceEx2(self->session, &guid, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0, \
				0, 0, &params)
	ASSERT_EQ(0, ENABLE());
	EXPECT_EQ(0, write_tl(self->reg, "One", 0));
	EXPECT_EQ(0, write_tl(self->reg, "Three", 0));
	EXPECT_EQ(0, write_tl(self->reg, "Two", 0));
	EXPECT_EQ(0, vl_write(self->reg, 9, 1, 1, 0));	/* it has no name */
	ASSERT_TRUE(got(self, 3));
	EXPECT_EQ(0, memcmp(e[0].item[0] + 3, "One", 4));
	EXPECT_EQ(0, memcmp(e[1].item[0] + 3, "Two", 4));
	EXPECT_EQ(9, e[2].header.EventDescriptor.Id);
	params.EnableProperty = EVENT_ENABLE_PROPERTY_PROVIDER_GROUP;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, ENABLE());
#undef ENABLE
}

TEST_HARNESS_MAIN
