// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_query - EnumerateTraceGuids(), EnumerateTraceGuidsEx(), TraceQueryInformation() and
 * TraceSetInformation(): what they return, and which arguments they refuse
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"
#include "lib/vm_traits.h"

#include <grp.h>

#define MINE	1	/* vl_guid(): registered twice, and enabled */
#define EARLY	2	/* enabled, and not registered */
#define NOBODY	3
#define GROUP	70
#define LISTED	(2 + VM_OWN_PROVIDERS)	/* MINE, EARLY and etw.ko's own */

FIXTURE(query) {
	int fd;
	TRACEHANDLE session;
	USHORT logger_id;
	REGHANDLE a, b;
	GUID mine, early, nobody;
};

FIXTURE_SETUP(query)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = 2,
				      .EnableProperty = EVENT_ENABLE_PROPERTY_TS_ID };
	struct etw_session s;

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("query");
	ASSERT_NE(0, self->session);
	ASSERT_EQ(0, vm_query(self->fd, self->session, &s));
	self->logger_id = s.logger_id;
	self->mine = vl_guid(MINE);
	self->early = vl_guid(EARLY);
	self->nobody = vl_guid(NOBODY);
	self->a = vl_register(MINE);
	self->b = vl_register(MINE);
	ASSERT_TRUE(self->a && self->b);
	ASSERT_EQ(0, vl_enable(self->session, MINE, 1, 0, 0));
	ASSERT_EQ(0, EnableTraceEx2(self->session, &self->early, 1, 4, 6, 2, 0, &p));
}

FIXTURE_TEARDOWN(query)
{
	EventUnregister(self->a);
	EventUnregister(self->b);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* ---------------------------------------------------------------- providers */

/* How often a GUID is in a list. */
static int times_in(const GUID *list, ULONG len, const GUID *guid)
{
	int times = 0;
	ULONG i;

	for (i = 0; i < len / sizeof(GUID); i++)
		times += vl_same_guid(&list[i], guid);
	return times;
}

TEST_F(query, list)
{
	GUID guids[8] = { { 0 } };
	ULONG len = 99;

	EXPECT_EQ(ERROR_INSUFFICIENT_BUFFER,
		  EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, NULL, 0, &len));
	EXPECT_EQ(LISTED * sizeof(GUID), len);
	EXPECT_EQ(ERROR_INSUFFICIENT_BUFFER,
		  EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, guids, len - 1, &len));
	EXPECT_EQ(0, guids[0].Data1);
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, guids, sizeof(guids), &len));
	EXPECT_EQ(LISTED * sizeof(GUID), len);
	EXPECT_EQ(1, times_in(guids, len, &self->mine));
	EXPECT_EQ(1, times_in(guids, len, &self->early));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGuidQueryList, guids, 16, guids, sizeof(guids), &len));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, NULL, 16, &len));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGuidQueryList, NULL, 0, guids, 16, NULL));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceVersionInfo, NULL, 0, guids, 16, &len));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx((TRACE_QUERY_INFO_CLASS)99, NULL, 0, NULL, 0, &len));
}

/* An instance of a provider, with the session that enables it */
struct instance {
	TRACE_PROVIDER_INSTANCE_INFO info;
	TRACE_ENABLE_INFO by;
};

#define INFO(guid, size) EnumerateTraceGuidsEx(TraceGuidQueryInfo, guid, 16, &info, size, &len)

/* B150: instances are registrations, or one entry that is only enabled */
TEST_F(query, info)
{
	struct {
		TRACE_GUID_INFO head;
		struct instance a, b;
	} info;
	ULONG len = 99;

	EXPECT_EQ(ERROR_WMI_GUID_NOT_FOUND, INFO(&self->nobody, sizeof(info)));
	EXPECT_EQ(99, len);
	ASSERT_EQ(0, INFO(&self->early, sizeof(info)));
	EXPECT_EQ(sizeof(info.head) + sizeof(info.a), len);
	EXPECT_EQ(1, info.head.InstanceCount);
	EXPECT_EQ(0, info.a.info.NextOffset);
	EXPECT_EQ(1, info.a.info.EnableCount);
	EXPECT_EQ(0, info.a.info.Pid);
	EXPECT_EQ(TRACE_PROVIDER_FLAG_PRE_ENABLE, info.a.info.Flags);
	EXPECT_TRUE(info.a.by.IsEnabled);
	EXPECT_EQ(4, info.a.by.Level);
	EXPECT_EQ(self->logger_id, info.a.by.LoggerId);
	EXPECT_EQ(6, info.a.by.MatchAnyKeyword);
	EXPECT_EQ(2, info.a.by.MatchAllKeyword);
	EXPECT_EQ(EVENT_ENABLE_PROPERTY_TS_ID, info.a.by.EnableProperty);
	EXPECT_EQ(ERROR_INSUFFICIENT_BUFFER, INFO(&self->mine, sizeof(info) - 1));
	EXPECT_EQ(sizeof(info), len);
	ASSERT_EQ(0, INFO(&self->mine, sizeof(info)));
	EXPECT_EQ(2, info.head.InstanceCount);
	EXPECT_EQ(sizeof(info.a), info.a.info.NextOffset);
	EXPECT_EQ(0, info.b.info.NextOffset);
	EXPECT_EQ((ULONG)getpid(), info.a.info.Pid);
	EXPECT_EQ((ULONG)getpid(), info.b.info.Pid);
	EXPECT_EQ(0, info.a.info.Flags);
	EXPECT_EQ(1, info.a.info.EnableCount);
	EXPECT_EQ(self->logger_id, info.b.by.LoggerId);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGuidQueryInfo, &self->mine, 15, &info, sizeof(info),
					&len));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGuidQueryInfo, NULL, 0, &info, sizeof(info), &len));
}

static ULONG of_process(const ULONG *pid, ULONG size, GUID guids[4], ULONG *len)
{
	return EnumerateTraceGuidsEx(TraceGuidQueryProcess, (void *)pid, size, guids,
				     4 * sizeof(GUID), len);
}

/* A process without rights asks for its own providers, and for no other's. */
static int as_nobody(const GUID *mine, ULONG parent)
{
	ULONG pid = getpid(), len;
	GUID guids[4];

	if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return 1;
	if (of_process(NULL, 0, guids, &len) || len != 16 || !vl_same_guid(&guids[0], mine))
		return 2;
	if (of_process(&pid, sizeof(pid), guids, &len) || len != 16)
		return 3;
	return of_process(&parent, sizeof(parent), guids, &len) == ERROR_ACCESS_DENIED ? 0 : 4;
}

/* B151 */
TEST_F(query, process)
{
	ULONG len = 99, pid = getpid(), other = 1;
	GUID guids[4];
	pid_t child;

	ASSERT_EQ(0, of_process(NULL, 0, guids, &len));
	EXPECT_EQ(16, len);
	EXPECT_TRUE(vl_same_guid(&guids[0], &self->mine));
	ASSERT_EQ(0, of_process(&pid, sizeof(pid), guids, &len));
	EXPECT_EQ(16, len);
	child = fork();
	if (!child)
		_exit(of_process(&pid, sizeof(pid), guids, &len) || len != 16 ||
		      !vl_same_guid(&guids[0], &self->mine));
	EXPECT_EQ(0, vm_reap(child));
	child = fork();
	if (!child)
		_exit(as_nobody(&self->mine, pid));
	EXPECT_EQ(0, vm_reap(child) >> 8);
	ASSERT_EQ(0, of_process(&other, sizeof(other), guids, &len));
	EXPECT_EQ(0, len);
	other = 0;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, of_process(&other, sizeof(other), guids, &len));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, of_process((ULONG *)guids, 8, guids, &len));
}

/* The entry of a provider that is listed. */
static const TRACE_GUID_PROPERTIES *entry(TRACE_GUID_PROPERTIES **array, const GUID *guid)
{
	int i;

	for (i = 0; i < LISTED; i++)
		if (vl_same_guid(&array[i]->Guid, guid))
			return array[i];
	return NULL;
}

TEST_F(query, guids)
{
	TRACE_GUID_PROPERTIES p[LISTED], *array[LISTED];
	const TRACE_GUID_PROPERTIES *found;
	ULONG i, count = 99;

	for (i = 0; i < LISTED; i++)
		array[i] = &p[i];
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnumerateTraceGuids(NULL, 1, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnumerateTraceGuids(array, 0, &count));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnumerateTraceGuids(array, 1, NULL));
	EXPECT_EQ(99, count);
	EXPECT_EQ(ERROR_MORE_DATA, EnumerateTraceGuids(array, 1, &count));
	EXPECT_EQ(LISTED, count);
	ASSERT_EQ(0, EnumerateTraceGuids(array, LISTED, &count));
	EXPECT_EQ(LISTED, count);
	found = entry(array, &self->mine);
	ASSERT_NE(NULL, found);
	EXPECT_TRUE(found->IsEnable);
	EXPECT_EQ(self->logger_id, found->LoggerId);
	EXPECT_EQ(1, found->EnableLevel);
	found = entry(array, &self->early);
	ASSERT_NE(NULL, found);
	EXPECT_EQ(6, found->EnableFlags);
	EXPECT_EQ(4, found->EnableLevel);
	array[1] = NULL;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, EnumerateTraceGuids(array, LISTED, &count));
}

static ULONG enable_group(TRACEHANDLE session, UCHAR level)
{
	ENABLE_TRACE_PARAMETERS p = {
		.Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
		.EnableProperty = EVENT_ENABLE_PROPERTY_PROVIDER_GROUP };
	GUID group = vl_guid(GROUP);

	return EnableTraceEx2(session, &group, 1, level, 0, 0, 0, &p);
}

/* B150: groups and their members, of which a session may leave out some */
TEST_F(query, groups)
{
	struct vm_blob traits = vm_group_traits("Member", vm_guid(GROUP));
	TRACEHANDLE other = vl_start("query-other");
	struct {
		TRACE_GUID_INFO head;
		struct instance member;
	} info;
	GUID guids[2], group = vl_guid(GROUP);
	ULONG len = 99;

	ASSERT_EQ(0, EventSetInformation(self->b, EventProviderSetTraits, traits.bytes, traits.len));
	ASSERT_EQ(0, enable_group(self->session, 4));
	ASSERT_EQ(0, TraceSetInformation(other, TraceSetDisallowList, &self->mine, 16));
	ASSERT_EQ(0, enable_group(other, 5));
	EXPECT_EQ(ERROR_INSUFFICIENT_BUFFER,
		  EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids, 15, &len));
	EXPECT_EQ(16, len);
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGroupQueryList, NULL, 0, guids, 32, &len));
	EXPECT_EQ(16, len);
	EXPECT_TRUE(vl_same_guid(&guids[0], &group));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGroupQueryList, guids, 16, guids, 32, &len));
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGroupQueryInfo, &group, 16, &info, sizeof(info),
					   &len));
	EXPECT_EQ(sizeof(info), len);
	EXPECT_EQ(1, info.head.InstanceCount);
	EXPECT_EQ((ULONG)getpid(), info.member.info.Pid);
	EXPECT_EQ(1, info.member.info.EnableCount);
	EXPECT_EQ(self->logger_id, info.member.by.LoggerId);
	EXPECT_EQ(4, info.member.by.Level);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  EnumerateTraceGuidsEx(TraceGroupQueryInfo, &group, 15, &info, sizeof(info), &len));
	EXPECT_EQ(ERROR_WMI_GUID_NOT_FOUND,
		  EnumerateTraceGuidsEx(TraceGroupQueryInfo, &self->nobody, 16, &info,
					sizeof(info), &len));
}

/* -------------------------------------------------------------- information */

#define QUERY(session, class, to, size)	TraceQueryInformation(session, class, to, size, &len)
#define SET(session, class, from, size)	TraceSetInformation(session, class, from, size)

/* B139: the limit of sessions can be asked for */
TEST_F(query, information)
{
	TRACE_VERSION_INFO version = { 0, 99 };
	ULONG value = 0, len = 0, i;
	struct vl_props p = vl_props();
	TRACEHANDLE shared;

	ASSERT_EQ(0, QUERY(0, TraceVersionInfo, &version, sizeof(version)));
	EXPECT_NE(0, version.EtwTraceProcessingVersion);
	EXPECT_EQ(0, version.Reserved);
	EXPECT_EQ(8, len);
	EXPECT_EQ(ERROR_BAD_LENGTH, QUERY(0, TraceVersionInfo, &version, 7));
	EXPECT_EQ(8, len);
	EXPECT_EQ(0, TraceQueryInformation(0, TraceMaxLoggersQuery, &value, 4, NULL));
	EXPECT_EQ(64, value);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QUERY(0, TraceMaxLoggersQuery, NULL, 4));
	EXPECT_EQ(ERROR_BAD_LENGTH, QUERY(0, TraceMaxLoggersQuery, NULL, 0));
	EXPECT_EQ(0, QUERY(self->session, TraceStreamCount, &value, 4));
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_CONF), value);
	EXPECT_EQ(ERROR_INVALID_PARAMETER, QUERY(0, TraceStreamCount, &value, 4));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, QUERY(77777, TraceStreamCount, &value, 4));
	p.p.LogFileMode |= EVENT_TRACE_NO_PER_PROCESSOR_BUFFERING;
	ASSERT_EQ(0, StartTraceA(&shared, "query-shared", &p.p));
	EXPECT_EQ(0, QUERY(shared, TraceStreamCount, &value, 4));
	EXPECT_EQ(1, value);
	EXPECT_EQ(ERROR_NOT_SUPPORTED, SET(self->session, TraceVersionInfo, &version, 8));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, SET(self->session, MaxTraceSetInfoClass, &version, 8));
	/* Classes of the NT kernel's own events: two are those of system sessions */
	for (i = TraceStackTracingInfo; i <= TracePmcCounterListInfo; i++)
		EXPECT_EQ(i == TraceSystemTraceEnableFlagsInfo ||
			  i == TraceSampledProfileIntervalInfo ? ERROR_INVALID_PARAMETER :
								 ERROR_NOT_SUPPORTED,
			  QUERY(self->session, (TRACE_INFO_CLASS)i, &value, 4));
}

TEST_F(query, periodic)
{
	struct {
		TRACE_PERIODIC_CAPTURE_STATE_INFO info;
		GUID guids[2];
	} in = { { 3600, 2, 0 }, { self->mine, self->early } }, out;
	ULONG len = 99;

#define LIST	TracePeriodicCaptureStateListInfo
#define SETTING	TracePeriodicCaptureStateInfo
	ASSERT_EQ(0, SET(self->session, LIST, &in, sizeof(in)));
	EXPECT_EQ(ERROR_BAD_LENGTH, QUERY(self->session, SETTING, &out, sizeof(out) - 1));
	EXPECT_EQ(sizeof(out), len);
	ASSERT_EQ(0, QUERY(self->session, SETTING, &out, sizeof(out)));
	EXPECT_EQ(0, memcmp(&in, &out, sizeof(in)));
	/* What is refused changes nothing. */
	EXPECT_EQ(ERROR_BAD_LENGTH, SET(self->session, LIST, &in, sizeof(in) - 1));
	EXPECT_EQ(ERROR_BAD_LENGTH, SET(self->session, LIST, &in, 7));
	in.info.CaptureStateFrequencyInSeconds = 0;
	EXPECT_EQ(ERROR_INVALID_PARAMETER, SET(self->session, LIST, &in, sizeof(in)));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, SET(0, LIST, &in, sizeof(in)));
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND, SET(77777, LIST, NULL, 0));
	ASSERT_EQ(0, QUERY(self->session, SETTING, &out, sizeof(out)));
	EXPECT_EQ(3600, out.info.CaptureStateFrequencyInSeconds);
	EXPECT_EQ(2, out.info.ProviderCount);
	ASSERT_EQ(0, SET(self->session, LIST, NULL, 0));
	ASSERT_EQ(0, QUERY(self->session, SETTING, &out, sizeof(out)));
	EXPECT_EQ(0, out.info.ProviderCount);
	/* One class sets, the other returns. */
	EXPECT_EQ(ERROR_NOT_SUPPORTED, QUERY(self->session, LIST, &out, sizeof(out)));
#undef LIST
#undef SETTING
}

/* B85 */
TEST_F(query, disallowed)
{
	GUID in[2] = { self->mine, self->early }, out[2];
	ULONG len = 99;

	ASSERT_EQ(0, SET(self->session, TraceSetDisallowList, in, sizeof(in)));
	EXPECT_EQ(ERROR_BAD_LENGTH, QUERY(self->session, TraceDisallowListQuery, out, 31));
	EXPECT_EQ(32, len);
	ASSERT_EQ(0, QUERY(self->session, TraceDisallowListQuery, out, 32));
	EXPECT_EQ(32, len);
	EXPECT_EQ(0, memcmp(in, out, sizeof(in)));
	/* What is refused changes nothing. */
	EXPECT_EQ(ERROR_BAD_LENGTH, SET(self->session, TraceSetDisallowList, in, 31));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, SET(self->session, TraceSetDisallowList, NULL, 16));
	EXPECT_EQ(ERROR_INVALID_PARAMETER, SET(0, TraceSetDisallowList, in, 32));
	EXPECT_EQ(ERROR_BAD_LENGTH, QUERY(self->session, TraceDisallowListQuery, NULL, 0));
	EXPECT_EQ(32, len);
	ASSERT_EQ(0, SET(self->session, TraceSetDisallowList, NULL, 0));
	ASSERT_EQ(0, QUERY(self->session, TraceDisallowListQuery, NULL, 0));
	EXPECT_EQ(0, len);
	/* One class sets, the other returns. */
	EXPECT_EQ(ERROR_NOT_SUPPORTED, QUERY(self->session, TraceSetDisallowList, out, 32));
	EXPECT_EQ(ERROR_NOT_SUPPORTED, SET(self->session, TraceDisallowListQuery, in, 32));
}

TEST_HARNESS_MAIN
