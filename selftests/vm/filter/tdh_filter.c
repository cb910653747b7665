// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdh_filter - payload filters that TDH makes from a manifest, in a session of the kernel,
 * and the events that pass, decoded by TDH
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include <tdh.h>

static const GUID provider = {
	0x6c0f2a5e, 0x7d54, 0x4a39, { 0x9d, 0x4e, 0x2b, 0x9a, 0x1f, 0x0d, 0x8e, 0x31 }
};

static const char manifest[] =
"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'\n"
" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'><instrumentation><events>\n"
"<provider name='Vm-Tdh' guid='{6c0f2a5e-7d54-4a39-9d4e-2b9a1f0d8e31}' symbol='VmTdh'\n"
"  resourceFileName='x' messageFileName='x'>\n"
" <tasks><task name='Read' value='1'/></tasks>\n"
" <templates>\n"
"  <template tid='Read'><data name='Name' inType='win:AnsiString'/>\n"
"   <data name='Size' inType='win:UInt32'/></template>\n"
"  <template tid='Other'><data name='Value' inType='win:UInt32'/></template>\n"
" </templates>\n"
" <events><event value='1' task='Read' template='Read'/><event value='2' template='Other'/></events>\n"
"</provider></events></instrumentation></instrumentationManifest>\n";

FIXTURE(tdh) {
	int fd;
	TRACEHANDLE session;
	REGHANDLE reg;
};

FIXTURE_SETUP(tdh)
{
	vm_pin(0);
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session = vl_start("tdh-filter");
	ASSERT_TRUE(self->session);
	ASSERT_EQ(0, EventRegister(&provider, NULL, NULL, &self->reg));
	ASSERT_EQ(0, TdhLoadManifestFromMemory(manifest, sizeof(manifest) - 1));
}

FIXTURE_TEARDOWN(tdh)
{
	EXPECT_EQ(0, TdhUnloadManifestFromMemory(manifest, sizeof(manifest) - 1));
	EXPECT_EQ(0, EventUnregister(self->reg));
	vm_stop_all(self->fd);
	close(self->fd);
}

static ULONG write_read(REGHANDLE reg, const char *name, ULONG size)
{
	EVENT_DESCRIPTOR desc = { .Id = 1, .Task = 1 };
	EVENT_DATA_DESCRIPTOR data[2];

	EventDataDescCreate(&data[0], name, strlen(name) + 1);
	EventDataDescCreate(&data[1], &size, sizeof(size));
	return EventWrite(reg, &desc, 2, data);
}

static ULONG write_other(REGHANDLE reg, ULONG value)
{
	EVENT_DESCRIPTOR desc = { .Id = 2 };
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, &value, sizeof(value));
	return EventWrite(reg, &desc, 1, &data);
}

static ULONG enable(TRACEHANDLE session, EVENT_FILTER_DESCRIPTOR *filter)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
				      .EnableFilterDesc = filter, .FilterDescCount = 1 };

	return EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 0, 0, 0, 0, &p);
}

/* A field of 4 bytes of the n-th event that the provider wrote; ~0: no such event. */
static ULONG field_of(struct vl_reader *r, unsigned int n, const WCHAR *name)
{
	PROPERTY_DATA_DESCRIPTOR way = { (uintptr_t)name, 0xFFFFFFFF, 0 };
	ULONG value = ~0u;
	unsigned int i;

	for (i = 0; i < atomic_load(&r->count); i++) {
		struct vl_event *e = &r->events[i];
		EVENT_RECORD record = { .EventHeader = e->header, .UserData = e->data,
					.UserDataLength = e->data_len };

		if (vl_same_guid(&e->header.ProviderId, &provider) && !n--) {
			TdhGetProperty(&record, 0, NULL, 1, &way, sizeof(value), (BYTE *)&value);
			break;
		}
	}
	return value;
}

/* B66, B67, B69, B75: two events' filters in one descriptor; other events pass. */
TEST_F(tdh, filter)
{
	PAYLOAD_FILTER_PREDICATEA p[2] = { { "Size", PAYLOADFIELD_GE, "10" },
					   { "Name", PAYLOADFIELD_CONTAINS, "LOG" } };
	const EVENT_DESCRIPTOR read = { .Id = 1 };
	EVENT_FILTER_DESCRIPTOR filter;
	struct etw_session_stat st;
	struct vl_reader *reader;
	PVOID made;

	ASSERT_EQ(0, TdhCreatePayloadFilterA(&provider, &read, FALSE, 2, p, &made));
	ASSERT_EQ(0, TdhAggregatePayloadFilters(1, &made, NULL, &filter));
	EXPECT_EQ(0, TdhDeletePayloadFilter(&made));
	EXPECT_EQ(0, enable(self->session, &filter));
	EXPECT_EQ(0, TdhCleanupPayloadEventFilterDescriptor(&filter));
	reader = vl_read("tdh-filter");
	ASSERT_NE(NULL, reader);
	EXPECT_EQ(0, write_read(self->reg, "a.log", 5));
	EXPECT_EQ(0, write_read(self->reg, "b.log", 20));
	EXPECT_EQ(0, write_read(self->reg, "c.txt", 30));
	EXPECT_EQ(0, write_other(self->reg, 7));
	EXPECT_EQ(0, write_read(self->reg, "log", 40));
	ASSERT_EQ(0, vm_stat(self->fd, self->session, &st));
	EXPECT_EQ(3, st.written);
	EXPECT_TRUE(vl_got(reader, self->session, 3));
	EXPECT_EQ(20, field_of(reader, 0, u"Size"));
	EXPECT_EQ(7, field_of(reader, 1, u"Value"));
	EXPECT_EQ(40, field_of(reader, 2, u"Size"));
	EXPECT_EQ(~0u, field_of(reader, 3, u"Size"));
	EXPECT_EQ(0, vl_control(self->session, EVENT_TRACE_CONTROL_STOP));
	EXPECT_LE(3, vl_end(reader));
	free(reader);
}

TEST_HARNESS_MAIN
