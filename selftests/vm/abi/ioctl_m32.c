// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_m32 - a 32-bit process issues every command
 *
 * The structs are the same for both, so each command must simply work; what
 * differs is that its events say that they come from a 32-bit process.
 *
 * KERNEL: every
 */
#include "lib/vm.h"
#include "lib/vm_items.h"

FIXTURE(m32) {
	int fd;
	int slot;
	struct etw_session s;
	char name[32];
};

FIXTURE_SETUP(m32)
{
	vm_pin(0);
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->s = vm_session("t-m32");
	self->s.name_out = VM_PTR(self->name);
	self->s.name_cap = sizeof(self->name);
	ASSERT_EQ(0, vm_start(self->fd, &self->s));
	self->slot = vm_register_flags(self->fd, vm_guid(1), ETW_REGISTER_NOTIFY,
				       0x123456789abcdef0);
	ASSERT_LE(0, self->slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(1), 5, 0xf00000000f, 0));
}

FIXTURE_TEARDOWN(m32)
{
	vm_stop_all(self->fd);
	close(self->fd);
}

TEST_F(m32, is_a_32_bit_process)
{
	EXPECT_EQ(4, sizeof(void *));
}

TEST_F(m32, start)
{
	EXPECT_NE(0, self->s.handle);
	EXPECT_EQ(0, memcmp(self->name, "t-m32", 5));
	EXPECT_EQ(5, self->s.name_out_len);
	EXPECT_FALSE(vm_guid_zero(&self->s.guid));
	EXPECT_LE(2, self->s.min_buffers);
	EXPECT_LE(1000, self->s.flush_ms);
	EXPECT_LT(0, self->s.clock_freq);
	EXPECT_LT(0, self->s.start_wall);
}

TEST_F(m32, query_by_name)
{
	struct etw_session q = vm_session("T-M32");

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_QUERY, &q));
	EXPECT_EQ(self->s.handle, q.handle);
	EXPECT_EQ(self->s.start_clock, q.start_clock);
}

TEST_F(m32, update)
{
	struct etw_session u = { .size = sizeof(u), .handle = self->s.handle,
				 .flush_ms = 7000 };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_UPDATE, &u));
	EXPECT_EQ(7000, u.flush_ms);
	EXPECT_EQ(self->s.max_buffers, u.max_buffers);
}

TEST_F(m32, enumerate)
{
	uint64_t handles[4] = { 0 };

	EXPECT_EQ(1, vm_sessions(self->fd, handles, 4));
	EXPECT_EQ(self->s.handle, handles[0]);
}

/* B100: the header says that the process has 32 bits. */
TEST_F(m32, write_and_read)
{
	static const char text[] = "from a 32-bit process";
	const struct etw_event_header *h;
	const struct etw_buffer_header *b;
	struct vm_reader r;

	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, 0));
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 77, 4, 0x8000000001, text, sizeof(text)));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(1, vm_read_one(&r, NULL, NULL));
	EXPECT_EQ(1, r.events);
	b = (const void *)r.buf;
	h = (const void *)(b + 1);
	EXPECT_EQ(self->s.logger_id, b->logger_id);
	EXPECT_EQ(ETW_TYPE_EVENT32, h->type);
	EXPECT_EQ(77, h->desc.id);
	EXPECT_EQ(0x8000000001, h->desc.keyword);
	EXPECT_EQ(getpid(), h->process_id);
	EXPECT_EQ(0, memcmp(h + 1, text, sizeof(text)));
	vm_reader_close(&r);
}

/* The stack of the only event; frames: the number of its frames. */
static const uint32_t *stack_of(const struct vm_events *events, unsigned int *frames)
{
	uint16_t len = 0;
	const uint8_t *data = vm_item(&events->list[0], ETW_EXT_STACK_TRACE32, &len);

	*frames = data && len >= 8 && !vm_item_number(&events->list[0], ETW_EXT_STACK_TRACE64) ?
		  (len - 8) / 4 : 0;
	return data ? (const void *)(data + 8) : NULL;
}

#define NESTED	__attribute__((__noinline__, __optimize__("no-omit-frame-pointer", \
						      "no-optimize-sibling-calls")))

static uint32_t returns[2];

static NESTED int inner(FIXTURE_DATA(m32) *self, struct etw_event_write *w)
{
	returns[0] = (uintptr_t)__builtin_return_address(0);
	return vm_ioctl(self->fd, ETW_IOC_WRITE, w);
}

static NESTED int outer(FIXTURE_DATA(m32) *self, struct etw_event_write *w)
{
	returns[1] = (uintptr_t)__builtin_return_address(0);
	return inner(self, w);
}

/* Addresses have 32 bits, given by the process or found by the kernel. */
TEST_F(m32, stack)
{
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot,
				     .desc = { .id = 1, .level = 1, .keyword = 1 } };
	struct vm_events *events = calloc(1, sizeof(*events));
	uint64_t given[3] = { 0x1000, 0x2000, 0xfffffff0 };
	unsigned int n, i, found = 0;
	const uint32_t *frames;
	struct vm_reader r;

	ASSERT_NE(NULL, events);
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, O_NONBLOCK));
	ASSERT_EQ(0, vm_enable_with(self->fd, self->s.handle, vm_guid(1),
				    ETW_ENABLE_STACK_TRACE, NULL, 0));
	w.stack = VM_PTR(given);
	w.stack_count = 3;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	ASSERT_EQ(1, vm_collect(self->fd, self->s.handle, &r, events));
	frames = stack_of(events, &n);
	ASSERT_EQ(3, n);
	for (i = 0; i < n; i++)
		EXPECT_EQ((uint32_t)given[i], frames[i]);

	w.stack_count = 0;
	ASSERT_EQ(0, outer(self, &w));
	ASSERT_EQ(1, vm_collect(self->fd, self->s.handle, &r, events));
	frames = stack_of(events, &n);
	ASSERT_LE(3, n);
	for (i = 0; i < n && found < 2; i++)
		found += frames[i] == returns[found];
	EXPECT_EQ(2, found);
	vm_reader_close(&r);
	free(events);
}

TEST_F(m32, take_and_give)
{
	struct etw_consumer_open o;
	struct etw_consumer_info info;
	struct etw_buffer_take take;
	const struct etw_event_header *h;
	uint8_t *map;
	int cfd = vm_consume(self->fd, self->s.handle, O_NONBLOCK, &o);

	ASSERT_LE(0, cfd);
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 78, 4, 1, "abc", 4));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(0, vm_take(cfd, &take));
	EXPECT_EQ(1, take.events);
	EXPECT_EQ(0, take.sequence);
	EXPECT_NE(0, take.complete_through);
	map = mmap(NULL, o.buffer_size, PROT_READ, MAP_SHARED, cfd,
		   (off_t)take.index * o.buffer_size);
	ASSERT_NE(MAP_FAILED, map);
	h = (const void *)(map + ETW_BUFFER_HEADER_SIZE);
	EXPECT_EQ(ETW_TYPE_EVENT32, h->type);
	EXPECT_EQ(78, h->desc.id);
	ASSERT_EQ(0, vm_consumer_info(cfd, &info));
	EXPECT_EQ(1, info.held);
	EXPECT_EQ(1, info.events);
	EXPECT_EQ(0, vm_give(cfd, take.index));
	EXPECT_EQ(-EAGAIN, vm_take(cfd, &take));
	munmap(map, o.buffer_size);
	close(cfd);
}

TEST_F(m32, stat)
{
	struct etw_consumer_info info[2];
	struct etw_session_stat st = {
		.size = sizeof(st), .name = VM_PTR("t-m32"), .name_len = 5,
		.consumers = VM_PTR(info), .consumer_cap = 2 };
	int cfd = vm_consume(self->fd, self->s.handle, 0, NULL);

	ASSERT_LE(0, cfd);
	ASSERT_EQ(0, vm_write(self->fd, self->slot, 1, 4, 1, "abc", 4));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_STAT, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(1, st.consumer_count);
	EXPECT_EQ(getpid(), info[0].pid);
	close(cfd);
}

TEST_F(m32, pid_filter)
{
	uint32_t pids[2] = { getpid(), 1 };
	struct etw_filter f = { .ptr = VM_PTR(pids), .len = sizeof(pids),
				.type = ETW_FILTER_PID };
	struct etw_enable e = vm_enable_arg(self->s.handle, vm_guid(1));
	struct etw_provider_query q = { .size = sizeof(q), .provider = vm_guid(1) };
	struct etw_provider_reg reg;
	struct etw_provider_enable en;

	e.filters = VM_PTR(&f);
	e.filter_count = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	q.regs = VM_PTR(&reg);
	q.reg_cap = 1;
	q.enables = VM_PTR(&en);
	q.enable_cap = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_QUERY, &q));
	EXPECT_EQ(1, q.reg_count);
	EXPECT_EQ(getpid(), reg.pid);
	EXPECT_EQ(1ULL << (self->s.logger_id - 1), reg.sessions);
	EXPECT_EQ(1, q.enable_count);
	EXPECT_EQ(1, en.pid_filtered);
	EXPECT_EQ(self->s.handle, en.session);
}

/* Traits with a group, an event with a schema, a disallow list, and queries of all that. */
TEST_F(m32, traits_and_groups)
{
	uint8_t traits[22] = { 22, 0, 0, 19, 0, 1 }, schema[] = { 5, 0, 0, 'E', 0 };
	struct etw_guid group = vm_guid(9), out;
	struct etw_provider_set set = { .size = sizeof(set), .slot = self->slot,
					.flags = ETW_SET_TRAITS, .traits = VM_PTR(traits),
					.traits_len = sizeof(traits) };
	struct etw_data_descriptor d = { VM_PTR(schema), sizeof(schema), ETW_DATA_EVENT_METADATA };
	struct etw_event_write w = { .size = sizeof(w), .slot = self->slot, .data_count = 1,
				     .data = VM_PTR(&d), .desc = { .level = 4, .keyword = 1 } };
	struct etw_provider_enum all = { .size = sizeof(all), .guids = VM_PTR(&out), .capacity = 1 };
	struct etw_group_member member;
	struct etw_group_query q = { .size = sizeof(q), .group = group,
				     .members = VM_PTR(&member), .member_cap = 1 };
	struct etw_disallow list = { .size = sizeof(list), .session = self->s.handle,
				     .guids = VM_PTR(&group), .count = 1 };
	const struct etw_event_header *h;
	struct vm_reader r;

	memcpy(traits + 6, &group, sizeof(group));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_SET, &set));
	ASSERT_EQ(0, vm_reader_open(&r, self->fd, self->s.handle, 0));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_WRITE, &w));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_EQ(1, vm_read_one(&r, NULL, NULL));
	h = (const void *)(r.buf + ETW_BUFFER_HEADER_SIZE);
	EXPECT_EQ(ETW_TYPE_EVENT32, h->type);
	EXPECT_EQ(80 + 16 + 32, h->size);
	vm_reader_close(&r);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_GROUP_ENUM, &all));
	EXPECT_EQ(1, all.count);
	EXPECT_EQ(0, memcmp(&out, &group, sizeof(group)));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_GROUP_QUERY, &q));
	EXPECT_EQ(1, q.member_count);
	EXPECT_EQ(getpid(), member.reg.pid);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_DISALLOW_SET, &list));
	list.count = 0;
	list.capacity = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_DISALLOW_QUERY, &list));
	EXPECT_EQ(1, list.count);
}

TEST_F(m32, enable_area)
{
	const struct etw_enable_entry *area;

	area = mmap(NULL, ETW_ENABLE_AREA_SIZE, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, area);
	EXPECT_EQ(1, area[self->slot].enabled);
	EXPECT_EQ(5, area[self->slot].level);
	EXPECT_EQ(0xf00000000f, area[self->slot].any);
}

TEST_F(m32, notify)
{
	struct etw_notify n = { .size = sizeof(n) };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	EXPECT_EQ(self->slot, n.slot);
	EXPECT_EQ(0x123456789abcdef0, n.cookie);
	EXPECT_EQ(ETW_CONTROL_ENABLE, n.control);
	EXPECT_EQ(5, n.level);
	EXPECT_EQ(0xf00000000f, n.any);
	EXPECT_EQ(-EAGAIN, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
}

TEST_F(m32, filter_data)
{
	struct {
		struct etw_filter_header head;
		uint8_t data[5];
	} given = { { .id = 1, .size = 29 }, "data" };
	struct etw_filter f = { .ptr = VM_PTR(&given), .len = 29,
				.type = ETW_FILTER_SCHEMATIZED };
	struct etw_enable e = vm_enable_arg(self->s.handle, vm_guid(1));
	uint64_t filters[ETW_FILTER_CHAIN_MAX / 8];
	struct etw_notify n = { .size = sizeof(n), .filter = VM_PTR(filters),
				.filter_cap = sizeof(filters) };

	e.filters = VM_PTR(&f);
	e.filter_count = 1;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ENABLE, &e));
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	EXPECT_EQ(0, n.filter_len);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_NOTIFY, &n));
	EXPECT_EQ(29, n.filter_len);
	EXPECT_EQ(ETW_FILTER_SCHEMATIZED, n.filter_type);
	EXPECT_EQ(0, memcmp((uint8_t *)filters + 24, "data", 5));
}

TEST_F(m32, provider_enum)
{
	struct etw_guid guids[8], want = vm_guid(1);
	struct etw_provider_enum e = { .size = sizeof(e), .guids = VM_PTR(guids),
				       .capacity = 8 };
	unsigned int i, found = 0;

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_PROVIDER_ENUM, &e));
	for (i = 0; i < e.count && i < 8; i++)
		found += !memcmp(&guids[i], &want, sizeof(want));
	EXPECT_EQ(1, found);
}

TEST_F(m32, access)
{
	struct etw_access_entry in[2] = { { .who = ETW_ACCESS_USER, .id = 7, .rights = 1 },
					  { .type = ETW_ACCESS_DENY, .rights = 0x1fff } };
	struct etw_access_entry out[3] = { { 0 } };
	struct etw_access a = { .size = sizeof(a), .guid = vm_guid(5), .entries = VM_PTR(in),
				.count = 2 };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ACCESS_SET, &a));
	a = (struct etw_access){ .size = sizeof(a), .flags = ETW_ACCESS_NEXT,
				 .entries = VM_PTR(out), .capacity = 3 };
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ACCESS_QUERY, &a));
	EXPECT_EQ(2, a.count);
	EXPECT_EQ(1, a.own);
	EXPECT_EQ(0, memcmp(&a.guid, &(struct etw_guid[]){ vm_guid(5) }, sizeof(a.guid)));
	EXPECT_EQ(0, memcmp(in, out, sizeof(in)));
	a = (struct etw_access){ .size = sizeof(a), .guid = vm_guid(5) };
	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_ACCESS_REMOVE, &a));
	a.flags = ETW_ACCESS_NEXT;
	EXPECT_EQ(-ESRCH, vm_ioctl(self->fd, ETW_IOC_ACCESS_QUERY, &a));
}

/* The type word of a record says that a 32-bit process wrote it. */
TEST_F(m32, classic)
{
	int slot = vm_register_flags(self->fd, vm_guid(2), ETW_REGISTER_CLASSIC, 0);
	struct etw_data_descriptor d = { .ptr = VM_PTR("abc"), .size = 3 };
	struct etw_classic_write w = {
		.size = sizeof(w), .slot = slot, .logger_id = self->s.logger_id,
		.guid = vm_guid(3), .type = 7, .data = VM_PTR(&d), .data_count = 1 };
	const struct etw_trace_header *h;
	struct etw_buffer_take take;
	void *buf;
	int cfd;

	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vm_enable(self->fd, self->s.handle, vm_guid(2), 0, 0, 0));
	cfd = vm_consume(self->fd, self->s.handle, O_NONBLOCK, NULL);
	ASSERT_LE(0, cfd);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_CLASSIC, &w));
	ASSERT_EQ(0, vm_flush(self->fd, self->s.handle));
	ASSERT_TRUE(vm_until(vm_take(cfd, &take) != -EAGAIN));
	buf = mmap(NULL, 65536, PROT_READ, MAP_SHARED, cfd, take.index * 65536);
	ASSERT_NE(MAP_FAILED, buf);
	h = (void *)((char *)buf + ETW_BUFFER_HEADER_SIZE);
	EXPECT_EQ(ETW_TYPE_FULL32, h->type);
	EXPECT_EQ(sizeof(*h) + 3, h->size);
	EXPECT_EQ(7, h->event_type);
	EXPECT_EQ(0, memcmp(h + 1, "abc", 3));
	munmap(buf, 65536);
	close(cfd);
}

TEST_F(m32, capture)
{
	struct etw_guid guids[2] = { vm_guid(1) };
	struct etw_session_capture c = {
		.size = sizeof(c), .flags = ETW_CAPTURE_SET, .handle = self->s.handle,
		.guids = VM_PTR(guids), .count = 1, .period_s = 3600 };

	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_CAPTURE, &c));
	guids[0] = vm_guid(9);
	c.flags = 0;
	c.count = 2;
	c.period_s = 0;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_CAPTURE, &c));
	EXPECT_EQ(1, c.count);
	EXPECT_EQ(3600, c.period_s);
	EXPECT_EQ(vm_guid(1).data1, guids[0].data1);
}

TEST_F(m32, system_session)
{
	struct etw_session s = vm_session("t-system");
	struct etw_session_system system = { .size = sizeof(system), .flags = ETW_SYSTEM_SET,
					     .enable = { 0x10 }, .sample_interval = 10000 };

	s.mode |= ETW_MODE_SYSTEM;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	system.handle = s.handle;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_SYSTEM, &system));
	memset(system.enable, 0xff, sizeof(system.enable));
	system.sample_interval = system.flags = 0;
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_SYSTEM, &system));
	EXPECT_EQ(0x10, system.enable[0]);
	EXPECT_EQ(0, system.enable[1]);
	EXPECT_EQ(10000, system.sample_interval);
}

/* Providers of the kernel's events, and what they missed; the arguments are those of vm_abi.c. */
TEST_F(m32, kernel_events)
{
	static const uint8_t schema[] = { 5, 0, 0, 'e', 0 };
	struct etw_bpf_event event = { .level = 4, .schema_len = sizeof(schema) };
	struct etw_trace_event t = {
		.size = sizeof(t), .provider = vm_guid(10), .name = VM_PTR("t-trace"), .name_len = 7,
		.id = 1, .schema = VM_PTR(schema), .schema_len = sizeof(schema) };
	struct etw_bpf_provider b = {
		.size = sizeof(b), .provider = vm_guid(11), .name = VM_PTR("t-bpf"), .name_len = 5,
		.events = VM_PTR(&event), .event_count = 1, .schemas = VM_PTR(schema),
		.schemas_len = sizeof(schema) };
	struct etw_session_missed missed = {
		.size = sizeof(missed), .handle = self->s.handle, .provider = vm_guid(10), .events = 7 };
	struct etw_session_stat st;
	bool kfuncs = !access("/sys/kernel/btf/etw", F_OK);

	EXPECT_EQ(0, vm_ioctl(self->fd, ETW_IOC_TRACE_EVENT, &t));
	EXPECT_EQ(kfuncs ? 0 : -EOPNOTSUPP, vm_ioctl(self->fd, ETW_IOC_BPF_PROVIDER, &b));
	EXPECT_EQ(kfuncs, b.number != 0);
	ASSERT_EQ(0, vm_ioctl(self->fd, ETW_IOC_SESSION_MISSED, &missed));
	ASSERT_EQ(0, vm_stat(self->fd, self->s.handle, &st));
	EXPECT_EQ(7, vm_dropped(&st));
}

TEST_F(m32, unregister_and_stop)
{
	EXPECT_EQ(0, vm_unregister(self->fd, self->slot));
	EXPECT_EQ(-EBADF, vm_unregister(self->fd, self->slot));
	EXPECT_EQ(0, vm_disable(self->fd, self->s.handle, vm_guid(1)));
	EXPECT_EQ(0, vm_stop(self->fd, self->s.handle));
	EXPECT_EQ(0, vm_sessions(self->fd, NULL, 0));
}

TEST_HARNESS_MAIN
