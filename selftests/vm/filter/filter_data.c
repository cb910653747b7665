// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_data - filters that the provider interprets: what its callbacks receive, in the
 * kernel and in a process
 */
#include "lib/vm.h"
#include "lib/vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

#define WAIT	120000	/* ms, for the kernel's callbacks */

static const struct etw_guid kguid = ETW_TEST_GUID;

/* The arguments of a callback. */
struct last_call {
	struct etw_guid source;
	uint32_t control, type, len;
	uint64_t data[ETW_FILTER_CHAIN_MAX / 8];
};

/* A filter with its header. */
struct blob {
	struct etw_filter_header head;
	uint8_t data[ETW_FILTER_DATA_MAX - sizeof(struct etw_filter_header)];
};

FIXTURE(data) {
	int fd;
	int kfd;
	int slot;
	uint64_t session[ETW_PROVIDER_SESSIONS];
	uint32_t logger[ETW_PROVIDER_SESSIONS];
	struct last_call user, kernel;
	struct blob blob;
};

static int kernel_register(int kfd)
{
	return vm_test_register(kfd, 0, vm_guid(0), ETW_TEST_CALLBACK);
}

FIXTURE_SETUP(data)
{
	struct etw_session s;
	char name[32];
	int i;

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x77);
	ASSERT_LE(0, self->slot);
	self->kfd = vm_kmod_fresh("etw_test");
	ASSERT_LE(0, self->kfd);
	ASSERT_EQ(0, kernel_register(self->kfd));
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		sprintf(name, "t-data-%d", i);
		s = vm_session(name);
		ASSERT_EQ(0, vm_start(self->fd, &s));
		self->session[i] = s.handle;
		self->logger[i] = s.logger_id;
	}
}

FIXTURE_TEARDOWN(data)
{
	close(self->kfd);
	EXPECT_EQ(0, vm_rmmod("etw_test"));
	vm_stop_all(self->fd);
	close(self->fd);
}

static struct etw_filter make_blob(struct blob *b, uint16_t id, uint32_t data)
{
	uint32_t i;

	memset(b, 0, sizeof(*b));
	b->head.id = id;
	b->head.version = id + 1;
	b->head.size = sizeof(b->head) + data;
	for (i = 0; i < data; i++)
		b->data[i] = id * 16 + i;
	return (struct etw_filter){ VM_PTR(b), b->head.size, ETW_FILTER_SCHEMATIZED };
}

/* For both providers, then wait for the kernel's callback. */
static int control(FIXTURE_DATA(data) *self, int session, uint32_t code,
		   const struct etw_filter *filters, uint32_t count)
{
	struct etw_enable e = vm_enable_arg(self->session[session], vm_guid(1));
	int ret;

	memset(&e.source, 0x5c, sizeof(e.source));
	e.control = code;
	e.filters = VM_PTR(filters);
	e.filter_count = count;
	ret = vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
	e.provider = kguid;
	e.timeout_ms = WAIT;
	return ret ?: vm_ioctl(self->fd, ETW_IOC_ENABLE, &e);
}

static int enable(FIXTURE_DATA(data) *self, int session, uint16_t id, uint32_t data)
{
	struct etw_filter f = make_blob(&self->blob, id, data);

	return control(self, session, ETW_CONTROL_ENABLE, &f, 1);
}

static int user_told(FIXTURE_DATA(data) *self)
{
	struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(self->user.data),
				.filter_cap = sizeof(self->user.data) };
	int ret;

	memset(&self->user, 0xee, sizeof(self->user));
	ret = vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n);
	self->user.source = n.source;
	self->user.control = n.control;
	self->user.type = n.filter_type;
	self->user.len = n.filter_len;
	return ret;
}

/* The only call of the kernel's callback since the last time. */
static int kernel_told(FIXTURE_DATA(data) *self)
{
	static struct etw_test_log log;
	const struct etw_test_call *call = &log.calls[0];

	log.index = 0;
	if (vm_ioctl(self->kfd, ETW_TEST_LOG, &log) || log.count != 1)
		return -EPROTO;
	self->kernel.source = call->source;
	self->kernel.control = call->control;
	self->kernel.type = call->filter_type;
	self->kernel.len = call->filter_len;
	memcpy(self->kernel.data, call->filter, sizeof(call->filter));
	return call->good_context ? 0 : -EINVAL;
}

/* Both callbacks received the same, as far as the kernel's log shows it. */
static int both_told(FIXTURE_DATA(data) *self)
{
	int ret = user_told(self) ?: kernel_told(self);
	uint32_t len = self->user.len < ETW_TEST_FILTER ? self->user.len : ETW_TEST_FILTER;

	if (!ret && (self->user.type != self->kernel.type || self->user.len != self->kernel.len ||
		     self->user.control != self->kernel.control ||
		     memcmp(self->user.data, self->kernel.data, len)))
		ret = -EILSEQ;
	return ret;
}

/* Is there, at this offset, the filter of a session? Where the next one is, or -1. */
static int link_is(FIXTURE_DATA(data) *self, uint32_t at, int session, uint16_t id,
		   uint32_t data)
{
	const uint8_t *bytes = (const uint8_t *)self->user.data + at;
	struct etw_filter_header h;
	uint32_t i, whole;

	if (at % 8 || at + sizeof(h) > self->user.len)
		return -1;
	memcpy(&h, bytes, sizeof(h));
	whole = (h.size + 7) & ~7u;
	if (h.id != id || h.version != id + 1 || h.size != sizeof(h) + data ||
	    h.instance != 1ull << (self->logger[session] - 1) || at + h.size > self->user.len ||
	    (h.next && h.next != whole))
		return -1;
	for (i = 0; i < 5; i++)
		if (h.reserved[i])
			return -1;
	if (!h.next)
		whole = h.size;
	for (i = 0; i < whole - sizeof(h); i++)
		if (bytes[sizeof(h) + i] != (i < data ? (uint8_t)(id * 16 + i) : 0))
			return -1;
	return h.next ? at + h.next : 0;
}

/* B62, B34: as the session gave it, except for the session's bit. */
TEST_F(data, as_given)
{
	ASSERT_EQ(0, enable(self, 0, 7, 10));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(ETW_CONTROL_ENABLE, self->user.control);
	EXPECT_EQ(ETW_FILTER_SCHEMATIZED, self->user.type);
	EXPECT_EQ(34, self->user.len);
	EXPECT_EQ(0, link_is(self, 0, 0, 7, 10));
	EXPECT_EQ(0x5c, self->user.source.data4[0]);
}

/* B33: each change delivers the filters of all sessions that gave one. */
TEST_F(data, chained)
{
	ASSERT_EQ(0, enable(self, 0, 1, 3));
	ASSERT_EQ(0, both_told(self));
	ASSERT_EQ(0, control(self, 1, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, link_is(self, 0, 0, 1, 3));	/* the other one gave none */
	ASSERT_EQ(0, enable(self, 2, 2, 16));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(32 + 40, self->user.len);
	EXPECT_EQ(32, link_is(self, 0, 0, 1, 3));
	EXPECT_EQ(0, link_is(self, 32, 2, 2, 16));
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_DISABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(ETW_CONTROL_ENABLE, self->user.control);
	EXPECT_EQ(0, link_is(self, 0, 2, 2, 16));
	ASSERT_EQ(0, vm_stop(self->fd, self->session[2]));
	ASSERT_EQ(0, user_told(self));
	EXPECT_EQ(0, self->user.len);
	EXPECT_EQ(0, self->user.type);
	EXPECT_EQ(ETW_CONTROL_ENABLE, self->user.control);
}

/* B18: the next call replaces the filter, one without removes it. */
TEST_F(data, replaced)
{
	ASSERT_EQ(0, enable(self, 0, 1, 3));
	ASSERT_EQ(0, both_told(self));
	ASSERT_EQ(0, enable(self, 0, 2, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, link_is(self, 0, 0, 2, 0));
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, self->user.len);
}

/* B63: registrations that come later get it too, without a source. */
TEST_F(data, registered_later)
{
	int tries = 0;

	ASSERT_EQ(0, vm_unregister(self->fd, self->slot));
	ASSERT_EQ(0, vm_test_unregister(self->kfd, 0));
	ASSERT_EQ(0, enable(self, 1, 5, 8));
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY, 0x78);
	ASSERT_LE(0, self->slot);
	ASSERT_EQ(0, kernel_register(self->kfd));
	ASSERT_EQ(0, user_told(self));
	EXPECT_EQ(0, link_is(self, 0, 1, 5, 8));
	EXPECT_TRUE(vm_guid_zero(&self->user.source));
	/* There is no signal that this callback has ended. */
	while (kernel_told(self) && ++tries < 6000)
		usleep(10000);
	EXPECT_EQ(self->user.len, self->kernel.len);
	EXPECT_EQ(0, memcmp(self->user.data, self->kernel.data, self->user.len));
	EXPECT_TRUE(vm_guid_zero(&self->kernel.source));
}

/* B62: CAPTURE carries the filter of that call, not those of the enabling calls. */
TEST_F(data, capture)
{
	struct etw_filter f;

	ASSERT_EQ(0, enable(self, 0, 1, 3));
	ASSERT_EQ(0, both_told(self));
	f = make_blob(&self->blob, 9, 1000);
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_CAPTURE, &f, 1));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(ETW_CONTROL_CAPTURE, self->user.control);
	EXPECT_EQ(1024, self->user.len);
	EXPECT_EQ(0, link_is(self, 0, 0, 9, 1000));
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_CAPTURE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, self->user.len);
	/* And that one is forgotten. */
	ASSERT_EQ(0, control(self, 1, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, link_is(self, 0, 0, 1, 3));
}

/* B61: the handle of the session that the provider has to answer. */
TEST_F(data, trace_handle)
{
	uint64_t handle = self->session[3];
	struct etw_filter f[2] = { { VM_PTR(&handle), 8, ETW_FILTER_TRACEHANDLE } };

	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_CAPTURE, f, 1));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(ETW_FILTER_TRACEHANDLE, self->user.type);
	EXPECT_EQ(8, self->user.len);
	EXPECT_EQ(handle, self->user.data[0]);
	EXPECT_EQ(self->logger[3], (uint16_t)handle);

	EXPECT_EQ(-EINVAL, control(self, 0, ETW_CONTROL_ENABLE, f, 1));
	EXPECT_EQ(-EINVAL, control(self, 0, ETW_CONTROL_DISABLE, f, 1));
	f[1] = make_blob(&self->blob, 1, 0);
	EXPECT_EQ(-EINVAL, control(self, 0, ETW_CONTROL_CAPTURE, f, 2));
	f[0].len = 4;
	EXPECT_EQ(-EINVAL, control(self, 0, ETW_CONTROL_CAPTURE, f, 1));
	f[0].len = 8;
	handle++;
	EXPECT_EQ(0, vm_stop(self->fd, self->session[3]));
	handle = self->session[3];
	EXPECT_EQ(-ENOENT, control(self, 0, ETW_CONTROL_CAPTURE, f, 1));
	EXPECT_EQ(-EAGAIN, user_told(self));
}

/* B42, B44, B62: malformed filters are refused, and the earlier one stays. */
TEST_F(data, refused)
{
	struct etw_filter f[2];

	ASSERT_EQ(0, enable(self, 0, 1, 3));
	ASSERT_EQ(0, both_told(self));
	f[0] = f[1] = make_blob(&self->blob, 2, 1000);
#define TRY(code, n) control(self, 0, code, f, n)
	EXPECT_EQ(-EINVAL, TRY(1, 2));			/* twice */
	f[0].len = 1023;
	EXPECT_EQ(-EINVAL, TRY(1, 1));			/* not what it says itself */
	self->blob.head.size = 1023;
	EXPECT_EQ(0, TRY(2, 1));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(1023, self->user.len);
	f[0].len = self->blob.head.size = 1025;
	EXPECT_EQ(-EINVAL, TRY(1, 1));			/* too large */
	f[0].len = self->blob.head.size = 23;
	EXPECT_EQ(-EINVAL, TRY(1, 1));			/* no header */
	f[0] = make_blob(&self->blob, 2, 24);
	self->blob.head.next = 24;
	EXPECT_EQ(-EINVAL, TRY(1, 1));			/* several */
	f[0].ptr = 8;
	EXPECT_EQ(-EFAULT, TRY(1, 1));
	f[0].type = 0x80000001;
	EXPECT_EQ(-EINVAL, TRY(1, 1));			/* reserved */
#undef TRY
	EXPECT_EQ(-EAGAIN, user_told(self));
	ASSERT_EQ(0, control(self, 1, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, link_is(self, 0, 0, 1, 3));
}

/* B33: eight filters of the maximum size are delivered whole, or not at all. */
TEST_F(data, room)
{
	struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(self->user.data) };
	int i, at = 0;

	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		ASSERT_EQ(0, enable(self, i, i + 1, 1000));
		if (i < ETW_PROVIDER_SESSIONS - 1)
			ASSERT_EQ(0, both_told(self));
	}
	n.filter_cap = ETW_FILTER_CHAIN_MAX - 1;
	EXPECT_EQ(-EMSGSIZE, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	n.filter_cap = ETW_FILTER_CHAIN_MAX;
	n.filter = 8;
	EXPECT_EQ(-EFAULT, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	n.filter = VM_PTR(self->user.data);
	n.reserved2 = 1;
	EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(ETW_FILTER_CHAIN_MAX, self->user.len);
	for (i = 0; i < ETW_PROVIDER_SESSIONS; i++) {
		at = link_is(self, at, i, i + 1, 1000);
		EXPECT_EQ(i < ETW_PROVIDER_SESSIONS - 1 ? 1024 * (i + 1) : 0, at);
	}
	/* A caller that gives no buffer does not get them. */
	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_ENABLE, NULL, 0));
	n = (struct etw_notify){ .size = sizeof(n) };
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	EXPECT_EQ(7 * 1024, n.filter_len);
	EXPECT_EQ(-EAGAIN, user_told(self));
}

/* B51: a session whose filter excludes a registration does not send it filter data. */
TEST_F(data, out_of_scope)
{
	struct etw_filter f[2] = { make_blob(&self->blob, 4, 8),
				   { VM_PTR("nobody"), 6, ETW_FILTER_EXECUTABLE_NAME } };

	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_ENABLE, f, 2));
	EXPECT_EQ(-EAGAIN, user_told(self));
	ASSERT_EQ(0, control(self, 1, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	EXPECT_EQ(0, self->user.len);
}

/* B64: the InstanceId that a callback receives keeps an event from that session. */
TEST_F(data, instance_excludes)
{
	struct etw_data_descriptor d = { .ptr = VM_PTR("x"), .size = 1 };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot, .data_count = 1,
				     .data = VM_PTR(&d), .desc = { .level = 1 } };
	struct etw_test_write k = { .count = 1, .size = 8, .descriptors = 1,
				    .transfer = ETW_TEST_EX, .desc = { .level = 1 } };
	const struct etw_filter_header *h = (const void *)self->user.data;
	struct etw_session_stat st;
	int i;

	ASSERT_EQ(0, control(self, 0, ETW_CONTROL_ENABLE, NULL, 0));
	ASSERT_EQ(0, both_told(self));
	ASSERT_EQ(0, enable(self, 1, 3, 8));
	ASSERT_EQ(0, both_told(self));
	w.filter = k.exclude = h->instance;
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	EXPECT_EQ(0, vm_ioctl(self->kfd, ETW_TEST_WRITE, &k));
	EXPECT_EQ(1, k.ok);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, vm_stat(self->fd, self->session[i], &st));
		EXPECT_EQ(i ? 0 : 2, st.written);
		EXPECT_EQ(0, vm_dropped(&st));
	}
}

/* A query returns which filters are set. */
TEST_F(data, query)
{
	struct etw_provider_enable pe;
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1),
					.enables = VM_PTR(&pe), .enable_cap = 1 };

	ASSERT_EQ(0, enable(self, 0, 1, 3));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(ETW_FILTER_SCHEMATIZED, pe.filters);
}

TEST_HARNESS_MAIN
