// SPDX-License-Identifier: GPL-2.0-only
/*
 * lib_filter - filters of EnableTraceEx2 as a provider's callback sees them, and
 * payload filters, through the library
 */
#include "lib/vm.h"
#include "lib/vm_lib.h"

#include "lib/controller/payload.h"

#define WAIT_MS	120000

/* The last call of the callback. */
struct call {
	atomic_uint count;
	ULONG enabled, type, size;
	GUID source;
	uint64_t data[1024];
};

/* A filter with its header. */
struct blob {
	EVENT_FILTER_HEADER header;
	UCHAR data[16];
};

FIXTURE(filter) {
	int fd;
	TRACEHANDLE session[2];
	REGHANDLE reg;
	struct call *call;
	unsigned int calls;	/* seen by the test */
};

static void NTAPI on_enable(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct call *c = context;

	(void)level; (void)any; (void)all;
	c->source = *source;
	c->enabled = enabled;
	c->type = filter ? filter->Type : 0;
	c->size = filter ? filter->Size : 0;
	memset(c->data, 0, sizeof(c->data));
	if (filter && filter->Size <= sizeof(c->data))
		memcpy(c->data, (void *)(uintptr_t)filter->Ptr, filter->Size);
	atomic_fetch_add(&c->count, 1);
}

/* The callback has run once for each change. */
static bool called(FIXTURE_DATA(filter) *self)
{
	long long end = vm_ms() + WAIT_MS;

	self->calls++;
	while (atomic_load(&self->call->count) < self->calls && vm_ms() < end)
		usleep(1000);
	return atomic_load(&self->call->count) == self->calls;
}

FIXTURE_SETUP(filter)
{
	GUID guid = vl_guid(1);

	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->session[0] = vl_start("lib-filter-0");
	self->session[1] = vl_start("lib-filter-1");
	ASSERT_TRUE(self->session[0] && self->session[1]);
	self->call = calloc(1, sizeof(*self->call));
	ASSERT_NE(NULL, self->call);
	self->calls = 0;
	ASSERT_EQ(0, EventRegister(&guid, on_enable, self->call, &self->reg));
}

FIXTURE_TEARDOWN(filter)
{
	EXPECT_EQ(0, EventUnregister(self->reg));
	free(self->call);
	vm_stop_all(self->fd);
	close(self->fd);
}

static ULONG control(FIXTURE_DATA(filter) *self, int session, ULONG code,
		     EVENT_FILTER_DESCRIPTOR *filters, ULONG count)
{
	ENABLE_TRACE_PARAMETERS p = { .Version = ENABLE_TRACE_PARAMETERS_VERSION_2,
				      .SourceId = vl_guid(50), .EnableFilterDesc = filters,
				      .FilterDescCount = count };
	GUID guid = vl_guid(1);

	return EnableTraceEx2(self->session[session], &guid, code, 0, 0, 0, 0, &p);
}

static EVENT_FILTER_DESCRIPTOR make(struct blob *b, USHORT id)
{
	*b = (struct blob){ .header = { .Id = id, .Version = 2, .Size = sizeof(*b) } };
	memset(b->data, id, sizeof(b->data));
	return (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)b, sizeof(*b),
					  EVENT_FILTER_TYPE_SCHEMATIZED };
}

static bool is_blob(const struct blob *b, USHORT id)
{
	return b->header.Id == id && b->header.Version == 2 && b->header.Size == sizeof(*b) &&
	       b->data[0] == id && b->data[15] == id;
}

/* B33, B34, B62: two sessions' filters, each with its InstanceId. */
TEST_F(filter, schematized)
{
	const struct blob *first = (void *)self->call->data, *second = first + 1;
	EVENT_FILTER_DESCRIPTOR f;
	GUID source = vl_guid(50);
	struct blob blob;

	f = make(&blob, 7);
	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	ASSERT_TRUE(called(self));
	EXPECT_EQ(1, self->call->enabled);
	EXPECT_EQ(EVENT_FILTER_TYPE_SCHEMATIZED, self->call->type);
	EXPECT_EQ(sizeof(blob), self->call->size);
	EXPECT_TRUE(is_blob(first, 7));
	EXPECT_EQ(0, first->header.NextOffset);
	EXPECT_EQ(1ull << ((USHORT)self->session[0] - 1), first->header.InstanceId);
	EXPECT_TRUE(vl_same_guid(&source, &self->call->source));
	f = make(&blob, 9);
	ASSERT_EQ(0, control(self, 1, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	ASSERT_TRUE(called(self));
	EXPECT_TRUE(is_blob(first, 7) && is_blob(second, 9));
	EXPECT_EQ(sizeof(blob), first->header.NextOffset);
	EXPECT_EQ(0, second->header.NextOffset);
	EXPECT_NE(first->header.InstanceId, second->header.InstanceId);
	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_DISABLE_PROVIDER, NULL, 0));
	ASSERT_TRUE(called(self));
	EXPECT_TRUE(is_blob(first, 9));
	ASSERT_EQ(0, control(self, 1, EVENT_CONTROL_CODE_DISABLE_PROVIDER, NULL, 0));
	ASSERT_TRUE(called(self));
	EXPECT_EQ(0, self->call->enabled);
	EXPECT_EQ(0, self->call->size);
}

/*
 * B44, B62: errors that the kernel finds have the same codes as those that the library finds.
 */
TEST_F(filter, refused)
{
	static unsigned char data[2048];
	EVENT_FILTER_HEADER *h = (void *)data;
	EVENT_FILTER_DESCRIPTOR f = { (uintptr_t)data, 0, EVENT_FILTER_TYPE_SCHEMATIZED };
	static const ULONG sizes[][3] = {	/* Size, header's Size, NextOffset */
		{ 24, 25, 0 }, { 1024, 1023, 0 }, { 1025, 1025, 0 }, { 23, 23, 0 }, { 64, 32, 32 },
		{ 64, 64, 32 }, { 0, 0, 0 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		f.Size = sizes[i][0];
		h->Size = sizes[i][1];
		h->NextOffset = sizes[i][2];
		EXPECT_EQ(ERROR_INVALID_PARAMETER,
			  control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	}
	f = (EVENT_FILTER_DESCRIPTOR){ 16, 64, EVENT_FILTER_TYPE_SCHEMATIZED };
	EXPECT_EQ(ERROR_NOACCESS, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	f.Type = EVENT_FILTER_TYPE_PAYLOAD;
	EXPECT_EQ(ERROR_NOACCESS, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	EXPECT_EQ(0, atomic_load(&self->call->count));
	EXPECT_FALSE(EventProviderEnabled(self->reg, 0, 0));
}

/* B63: a registration that comes later gets it as well. */
TEST_F(filter, registered_later)
{
	const struct blob *first = (void *)self->call->data;
	EVENT_FILTER_DESCRIPTOR f;
	GUID guid = vl_guid(1), none = { 0 };
	struct blob blob;

	EventUnregister(self->reg);
	f = make(&blob, 4);
	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	ASSERT_EQ(0, EventRegister(&guid, on_enable, self->call, &self->reg));
	ASSERT_TRUE(called(self));
	EXPECT_TRUE(is_blob(first, 4));
	EXPECT_TRUE(vl_same_guid(&none, &self->call->source));
}

/* B61, B62: the filter of a CAPTURE_STATE call. */
TEST_F(filter, capture)
{
	EVENT_FILTER_DESCRIPTOR f[2];
	uint64_t handle = self->session[1];
	struct blob blob;

	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, NULL, 0));
	ASSERT_TRUE(called(self));
	f[0] = make(&blob, 5);
	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_CAPTURE_STATE, f, 1));
	ASSERT_TRUE(called(self));
	EXPECT_EQ(2, self->call->enabled);
	EXPECT_TRUE(is_blob((void *)self->call->data, 5));
	f[1] = (EVENT_FILTER_DESCRIPTOR){ (uintptr_t)&handle, sizeof(handle),
					  EVENT_FILTER_TYPE_TRACEHANDLE };
	ASSERT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_CAPTURE_STATE, f + 1, 1));
	ASSERT_TRUE(called(self));
	EXPECT_EQ(EVENT_FILTER_TYPE_TRACEHANDLE, self->call->type);
	EXPECT_EQ(handle, self->call->data[0]);
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  control(self, 0, EVENT_CONTROL_CODE_CAPTURE_STATE, f, 2));
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, f + 1, 1));
	EXPECT_EQ(0, control(self, 1, EVENT_CONTROL_CODE_DISABLE_PROVIDER, NULL, 0));
	handle += 1ull << 32;
	EXPECT_EQ(ERROR_WMI_INSTANCE_NOT_FOUND,
		  control(self, 0, EVENT_CONTROL_CODE_CAPTURE_STATE, f + 1, 1));
}

/* B64: InstanceIds or'ed into EventWriteEx's Filter. */
TEST_F(filter, instance_ids)
{
	const EVENT_DESCRIPTOR event = vl_event(3, 1, 1);
	const EVENT_FILTER_HEADER *h = (void *)self->call->data;
	ULONG64 masks[4] = { 0 }, written[2] = { 0 };
	EVENT_FILTER_DESCRIPTOR f;
	struct etw_session_stat st;
	struct blob blob;
	int i;

	for (i = 0; i < 2; i++) {
		f = make(&blob, i);
		ASSERT_EQ(0, control(self, i, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
		ASSERT_TRUE(called(self));
	}
	masks[1] = h->InstanceId;
	h = (void *)((UCHAR *)h + h->NextOffset);
	masks[2] = h->InstanceId;
	masks[3] = masks[1] | masks[2];
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(0, EventWriteEx(self->reg, &event, masks[i], 0, NULL, NULL, 0, NULL));
		written[0] += !(i & 1);
		written[1] += !(i & 2);
	}
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, vm_stat(self->fd, self->session[i], &st));
		EXPECT_EQ(written[i], st.written);
	}
}

static ULONG write_text(REGHANDLE reg, USHORT id, const WCHAR *text)
{
	EVENT_DESCRIPTOR desc = vl_event(id, 1, 1);
	EVENT_DATA_DESCRIPTOR data;
	ULONG len = 0;

	while (text[len])
		len++;
	EventDataDescCreate(&data, text, (len + 1) * sizeof(*text));
	return EventWrite(reg, &desc, 1, &data);
}

/* B66, B69, B75: the filters of two events in one descriptor. */
TEST_F(filter, payload)
{
	static const struct etw_payload_field field = { "A", TDH_INTYPE_UNICODESTRING, 1, 0, -1, -1 };
	const struct etw_payload_predicate p[2] = { { "A", ETW_PAYLOAD_IS, "yes" },
						    { "A", ETW_PAYLOAD_DOESNTCONTAIN, "no" } };
	EVENT_FILTER_DESCRIPTOR f = { .Type = EVENT_FILTER_TYPE_PAYLOAD };
	void *filters[2], *whole;
	struct etw_session_stat st;
	ULONG size;
	int i;

	for (i = 0; i < 2; i++) {
		const struct etw_payload_layout layout = { i + 1, 0, 1, &field };

		ASSERT_EQ(0, etw_payload_create(&layout, false, &p[i], 1, &filters[i], NULL));
	}
	ASSERT_EQ(0, etw_payload_aggregate((const void *const *)filters, NULL, 2, &whole, &size));
	f.Ptr = (uintptr_t)whole;
	f.Size = size;
	EXPECT_EQ(0, control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	f.Size--;
	EXPECT_EQ(ERROR_INVALID_PARAMETER,
		  control(self, 0, EVENT_CONTROL_CODE_ENABLE_PROVIDER, &f, 1));
	ASSERT_TRUE(called(self));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(0, write_text(self->reg, i, u"YES"));
		EXPECT_EQ(0, write_text(self->reg, i, u"no"));
	}
	ASSERT_EQ(0, vm_stat(self->fd, self->session[0], &st));
	EXPECT_EQ(1 + 1 + 2, st.written);
	free(filters[0]);
	free(filters[1]);
	free(whole);
}

TEST_HARNESS_MAIN
