// SPDX-License-Identifier: GPL-2.0-only
/*
 * classic - providers of RegisterTraceGuids(): one session at a time, records of
 * their own form, and who may write them
 */
#include "lib/vm.h"
#include "lib/vm_access.h"
#include "lib/vm_lib.h"

struct last_call {
	atomic_uint count;
	WMIDPREQUESTCODE code;
	TRACEHANDLE logger;
};

static ULONG on_control(WMIDPREQUESTCODE code, PVOID context, ULONG *size, PVOID buffer)
{
	struct last_call *t = context;

	(void)size;
	t->code = code;
	t->logger = GetTraceLoggerHandle(buffer);
	atomic_fetch_add(&t->count, 1);
	return ERROR_SUCCESS;
}

FIXTURE(classic) {
	int fd;
	TRACEHANDLE a, b, reg;
	GUID class;
	TRACE_GUID_REGISTRATION classes;
	struct last_call last_call;
};

FIXTURE_SETUP(classic)
{
	GUID control = vl_guid(1);

	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	self->a = vl_start("classic-a");
	self->b = vl_start("classic-b");
	ASSERT_NE(0, self->a);
	ASSERT_NE(0, self->b);
	self->class = vl_guid(7);
	self->classes.Guid = &self->class;
	ASSERT_EQ(0, RegisterTraceGuidsW(on_control, &self->last_call, &control, 1, &self->classes,
					 NULL, NULL, &self->reg));
}

FIXTURE_TEARDOWN(classic)
{
	UnregisterTraceGuids(self->reg);
	vm_stop_all(self->fd);
	close(self->fd);
}

/* Enable for a session and wait for the callback, the count'th. */
static bool enable(struct last_call *t, TRACEHANDLE session, UCHAR level, ULONGLONG any,
		   unsigned int count)
{
	return !vl_enable(session, 1, level, any, 0) &&
	       vm_until(atomic_load(&t->count) >= count) && t->code == WMI_ENABLE_EVENTS;
}

static ULONG write_event(TRACEHANDLE logger, const GUID *class, UCHAR type, const char *text)
{
	struct {
		EVENT_TRACE_HEADER h;
		char text[48];
	} e = { .h = { .Size = sizeof(e.h) + strlen(text), .Guid = *class,
		       .Class = { .Type = type, .Level = 3, .Version = 2 },
		       .Flags = WNODE_FLAG_TRACED_GUID } };

	memcpy(e.text, text, strlen(text));
	return TraceEvent(logger, &e.h);
}

/* B6, B8: level and flags arrive as requested, flags 0 as 0 */
TEST_F(classic, level_and_flags)
{
	ASSERT_TRUE(enable(&self->last_call, self->a, 3, 0xF00000005ULL, 1));
	EXPECT_EQ(3, GetTraceEnableLevel(self->last_call.logger));
	EXPECT_EQ(5, GetTraceEnableFlags(self->last_call.logger));
	ASSERT_TRUE(enable(&self->last_call, self->a, 0, 0, 2));
	EXPECT_EQ(0, GetTraceEnableLevel(self->last_call.logger));
	EXPECT_EQ(0, GetTraceEnableFlags(self->last_call.logger));
}

/* B21: the second session takes the provider over, the first gets no more */
TEST_F(classic, one_session)
{
	struct vl_reader *ra = vl_read("classic-a"), *rb = vl_read("classic-b");
	TRACEHANDLE first;

	ASSERT_NE(NULL, ra);
	ASSERT_NE(NULL, rb);
	ASSERT_TRUE(enable(&self->last_call, self->a, 5, 1, 1));
	first = self->last_call.logger;
	EXPECT_EQ(0, write_event(first, &self->class, 1, "one"));
	ASSERT_TRUE(enable(&self->last_call, self->b, 5, 1, 2));
	EXPECT_NE(first, self->last_call.logger);
	EXPECT_EQ(ERROR_INVALID_HANDLE, write_event(first, &self->class, 2, "two"));
	EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 3, "three"));
	/* Disabling by the first one changes nothing. */
	EXPECT_EQ(0, vl_disable(self->a, 1));
	EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 4, "four"));
	/* And it does not get the provider back automatically. */
	ASSERT_EQ(0, vl_enable(self->a, 1, 5, 1, 0));
	ASSERT_TRUE(vm_until(atomic_load(&self->last_call.count) >= 3));
	ASSERT_TRUE(enable(&self->last_call, self->b, 5, 1, 4));
	EXPECT_EQ(0, vl_disable(self->b, 1));
	ASSERT_TRUE(vm_until(atomic_load(&self->last_call.count) >= 5));
	EXPECT_EQ(WMI_DISABLE_EVENTS, self->last_call.code);
	vl_control(self->a, EVENT_TRACE_CONTROL_STOP);
	vl_control(self->b, EVENT_TRACE_CONTROL_STOP);
	EXPECT_EQ(1, vl_end(ra));
	EXPECT_EQ(2, vl_end(rb));
	EXPECT_EQ(1, ra->events[0].header.EventDescriptor.Opcode);
	EXPECT_EQ(3, rb->events[0].header.EventDescriptor.Opcode);
	EXPECT_EQ(4, rb->events[1].header.EventDescriptor.Opcode);
	free(ra);
	free(rb);
}

/*
 * B20, B21: sessions that lost it do not prevent others from taking it, however many they are
 */
TEST_F(classic, nine_sessions)
{
	char name[16] = "classic-0";
	TRACEHANDLE session;
	unsigned int i;

	for (i = 0; i < 9; i++) {
		name[8] = '0' + i;
		session = vl_start(name);
		ASSERT_NE(0, session);
		ASSERT_TRUE(enable(&self->last_call, session, 5, 1, i + 1));
		EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 1, "mine"));
	}
	/* The last one has it, and its end gives it to no other session. */
	EXPECT_EQ(0, vl_control(session, EVENT_TRACE_CONTROL_STOP));
	ASSERT_TRUE(vm_until(atomic_load(&self->last_call.count) >= 10));
	EXPECT_EQ(WMI_DISABLE_EVENTS, self->last_call.code);
}

/* B21, B148: a change of access lists does not give it a second session */
TEST_F(classic, lists_change)
{
	struct etw_session s = vm_session("classic-secure");
	struct etw_session_stat st;
	TRACEHANDLE logger;

	s.guid = vm_guid(0x120);
	s.mode |= ETW_MODE_SECURE;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	ASSERT_TRUE(enable(&self->last_call, s.handle, 5, 1, 1));
	ASSERT_TRUE(enable(&self->last_call, self->b, 5, 1, 2));
	logger = self->last_call.logger;
	EXPECT_EQ(0, write_event(logger, &self->class, 1, "before"));
	EXPECT_EQ(0, vm_access(self->fd, s.guid, VM_ALLOW(EVERYONE, 0, ETW_RIGHT_LOG_EVENT)));
	EXPECT_EQ(0, write_event(logger, &self->class, 2, "between"));
	EXPECT_EQ(0, vm_access_remove(self->fd, s.guid));
	EXPECT_EQ(0, write_event(logger, &self->class, 3, "after"));
	ASSERT_EQ(0, vm_stat(self->fd, self->b, &st));
	EXPECT_EQ(3, st.written);
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(0, st.written);
	/* Its callback did not run for any of that; the next enabling is the third call. */
	ASSERT_TRUE(enable(&self->last_call, s.handle, 5, 1, 3));
	EXPECT_EQ(3, atomic_load(&self->last_call.count));
	EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 4, "again"));
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(1, st.written);
}

/* B23: the session's end disables it, and no other session takes its place */
TEST_F(classic, session_stops)
{
	ASSERT_TRUE(enable(&self->last_call, self->a, 5, 1, 1));
	ASSERT_TRUE(enable(&self->last_call, self->b, 5, 1, 2));
	EXPECT_EQ(0, vl_control(self->b, EVENT_TRACE_CONTROL_STOP));
	ASSERT_TRUE(vm_until(atomic_load(&self->last_call.count) >= 3));
	EXPECT_EQ(WMI_DISABLE_EVENTS, self->last_call.code);
	EXPECT_EQ(ERROR_INVALID_HANDLE, write_event(self->last_call.logger, &self->class, 1, "x"));
}

/* B15, B27: a later registration is called at once, with the session that enabled last */
TEST_F(classic, registers_later)
{
	struct last_call late = { .count = 0 };
	GUID control = vl_guid(2);
	TRACEHANDLE reg;

	ASSERT_EQ(0, vl_enable(self->a, 2, 1, 1, 0));
	ASSERT_EQ(0, vl_enable(self->b, 2, 2, 2, 0));
	ASSERT_EQ(0, RegisterTraceGuidsA(on_control, &late, &control, 0, NULL, NULL, NULL, &reg));
	ASSERT_TRUE(vm_until(atomic_load(&late.count) >= 1));
	EXPECT_EQ(2, GetTraceEnableLevel(late.logger));
	EXPECT_EQ(2, GetTraceEnableFlags(late.logger));
	EXPECT_EQ(0, UnregisterTraceGuids(reg));
	late.count = 0;
	ASSERT_EQ(0, vl_enable(self->a, 2, 1, 1, 0));
	ASSERT_EQ(0, RegisterTraceGuidsA(on_control, &late, &control, 0, NULL, NULL, NULL, &reg));
	ASSERT_TRUE(vm_until(atomic_load(&late.count) >= 1));
	EXPECT_EQ(1, GetTraceEnableLevel(late.logger));
	EXPECT_EQ(0, UnregisterTraceGuids(reg));
}

/* B104: each kind of record, as a consumer of a running session sees it */
TEST_F(classic, kinds_of_records)
{
	EVENT_INSTANCE_HEADER ih = { .Size = sizeof(ih), .Class = { .Type = 9 },
				     .Flags = WNODE_FLAG_TRACED_GUID };
	struct vl_reader *r = vl_read("classic-a");
	EVENT_EXTENDED_ITEM_INSTANCE item;
	EVENT_INSTANCE_INFO info;
	const struct vl_event *e;
	ULONG number = 42;

	ASSERT_NE(NULL, r);
	ASSERT_TRUE(enable(&self->last_call, self->a, 5, 1, 1));
	ASSERT_EQ(0, CreateTraceInstanceId(self->classes.RegHandle, &info));
	EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 7, "hello"));
	EXPECT_EQ(0, TraceEventInstance(self->last_call.logger, &ih, &info, NULL));
	EXPECT_EQ(0, TraceMessage(self->last_call.logger,
				  TRACE_MESSAGE_GUID | TRACE_MESSAGE_TIMESTAMP |
				  TRACE_MESSAGE_SYSTEMINFO, &self->class, 33, &number,
				  sizeof(number), NULL));
	vl_control(self->a, EVENT_TRACE_CONTROL_STOP);
	ASSERT_EQ(3, vl_end(r));
	e = &r->events[0];
	EXPECT_EQ(EVENT_HEADER_FLAG_CLASSIC_HEADER, e->header.Flags &
		  (EVENT_HEADER_FLAG_CLASSIC_HEADER | EVENT_HEADER_FLAG_TRACE_MESSAGE));
	EXPECT_TRUE(vl_same_guid(&self->class, &e->header.ProviderId));
	EXPECT_EQ(7, e->header.EventDescriptor.Opcode);
	EXPECT_EQ((ULONG)getpid(), e->header.ProcessId);
	EXPECT_EQ(vl_tid(), e->header.ThreadId);
	EXPECT_EQ(5, e->data_len);
	EXPECT_EQ(0, memcmp("hello", e->data, 5));
	e = &r->events[1];
	ASSERT_EQ(1, e->item_count);
	EXPECT_EQ(EVENT_HEADER_EXT_TYPE_INSTANCE_INFO, e->items[0].type);
	ASSERT_EQ(sizeof(item), e->items[0].size);
	memcpy(&item, e->items[0].data, sizeof(item));
	EXPECT_EQ(1, item.InstanceId);
	e = &r->events[2];
	EXPECT_EQ(EVENT_HEADER_FLAG_TRACE_MESSAGE, e->header.Flags &
		  (EVENT_HEADER_FLAG_CLASSIC_HEADER | EVENT_HEADER_FLAG_TRACE_MESSAGE));
	EXPECT_EQ(33, e->header.EventDescriptor.Id);
	EXPECT_EQ(vl_tid(), e->header.ThreadId);
	EXPECT_EQ(16 + 8 + 8 + 4, e->data_len);
	EXPECT_EQ(0, memcmp(&number, e->data + 32, 4));
	EXPECT_LE(r->events[1].header.TimeStamp.QuadPart, e->header.TimeStamp.QuadPart);
	free(r);
}

/* The number that a message carries. */
static ULONG number_of(const struct vl_event *e)
{
	ULONG number;

	memcpy(&number, e->data, sizeof(number));
	return number;
}

/* Numbers of messages: of this session, of all such sessions, or none */
TEST_F(classic, sequence_numbers)
{
	static const ULONG modes[] = { EVENT_TRACE_USE_LOCAL_SEQUENCE,
				       EVENT_TRACE_USE_GLOBAL_SEQUENCE,
				       EVENT_TRACE_USE_GLOBAL_SEQUENCE, 0 };
	ULONG numbers[4][2];
	unsigned int i, n;

	for (i = 0; i < 4; i++) {
		struct vl_props p = vl_props();
		struct vl_reader *r;
		TRACEHANDLE s;

		p.p.LogFileMode |= modes[i];
		ASSERT_EQ(0, StartTraceA(&s, "numbers", &p.p));
		r = vl_read("numbers");
		ASSERT_NE(NULL, r);
		ASSERT_TRUE(enable(&self->last_call, s, 5, 1, 2 * i + 1));
		for (n = 0; n < 2; n++)
			EXPECT_EQ(0, TraceMessage(self->last_call.logger, TRACE_MESSAGE_SEQUENCE,
						  NULL, n, NULL));
		vl_control(s, EVENT_TRACE_CONTROL_STOP);
		ASSERT_TRUE(vm_until(atomic_load(&self->last_call.count) >= 2 * i + 2));
		ASSERT_EQ(2, vl_end(r));
		for (n = 0; n < 2; n++)
			numbers[i][n] = number_of(&r->events[n]);
		free(r);
	}
	EXPECT_EQ(1, numbers[0][0]);
	EXPECT_EQ(2, numbers[0][1]);
	EXPECT_LT(0, numbers[1][0]);
	EXPECT_EQ(numbers[1][0] + 1, numbers[1][1]);
	EXPECT_EQ(numbers[1][1] + 1, numbers[2][0]);
	EXPECT_EQ(0, numbers[3][0]);
	EXPECT_EQ(0, numbers[3][1]);
}

/* B150: a registration of this kind has the LEGACY flag, and one session at most */
TEST_F(classic, enumeration)
{
	struct {
		TRACE_GUID_INFO head;
		TRACE_PROVIDER_INSTANCE_INFO instance;
		TRACE_ENABLE_INFO enable[2];
	} info;
	GUID control = vl_guid(1);
	ULONG len;

	ASSERT_TRUE(enable(&self->last_call, self->a, 5, 1, 1));
	ASSERT_TRUE(enable(&self->last_call, self->b, 4, 1, 2));
	ASSERT_EQ(0, EnumerateTraceGuidsEx(TraceGuidQueryInfo, &control, sizeof(control), &info,
					   sizeof(info), &len));
	EXPECT_EQ(1, info.head.InstanceCount);
	EXPECT_EQ(TRACE_PROVIDER_FLAG_LEGACY, info.instance.Flags);
	EXPECT_EQ((ULONG)getpid(), info.instance.Pid);
	EXPECT_EQ(1, info.instance.EnableCount);
	EXPECT_EQ(4, info.enable[0].Level);
}

static struct etw_classic_write raw(uint32_t slot, uint32_t logger_id)
{
	return (struct etw_classic_write){
		.size = sizeof(struct etw_classic_write), .slot = slot, .logger_id = logger_id,
		.kind = ETW_CLASSIC_EVENT, .guid = vm_guid(7) };
}

static int raw_write(int fd, struct etw_classic_write w)
{
	return vm_ioctl(fd, ETW_IOC_CLASSIC, &w);
}

/* Only to the session that has the registration enabled, and by its own process. */
TEST_F(classic, rights)
{
	struct etw_session a, b;
	struct etw_session_stat st;
	int classic, modern;
	pid_t pid;

	ASSERT_EQ(0, vm_query(self->fd, self->a, &a));
	ASSERT_EQ(0, vm_query(self->fd, self->b, &b));
	classic = vm_register_flags(self->fd, vm_guid(3), ETW_REGISTER_CLASSIC, 0);
	modern = vm_register(self->fd, vm_guid(3));
	ASSERT_LE(0, classic);
	ASSERT_LE(0, modern);
	EXPECT_EQ(-ENOENT, raw_write(self->fd, raw(classic, a.logger_id)));
	ASSERT_EQ(0, vm_enable(self->fd, self->a, vm_guid(3), 0, 0, 0));
	EXPECT_EQ(0, raw_write(self->fd, raw(classic, a.logger_id)));
	EXPECT_EQ(-ENOENT, raw_write(self->fd, raw(classic, b.logger_id)));
	EXPECT_EQ(-ENOENT, raw_write(self->fd, raw(classic, 0)));
	EXPECT_EQ(-ENOENT, raw_write(self->fd, raw(classic, 65)));
	EXPECT_EQ(-EINVAL, raw_write(self->fd, raw(modern, a.logger_id)));
	EXPECT_EQ(-EBADF, raw_write(self->fd, raw(1023, a.logger_id)));
	EXPECT_EQ(-EBADF, raw_write(self->fd, raw(1024, a.logger_id)));
	EXPECT_EQ(-EINVAL, vm_write(self->fd, classic, 1, 0, 0, "x", 1));
	pid = fork();
	if (!pid)
		_exit(raw_write(self->fd, raw(classic, a.logger_id)) == -ESTALE ? 0 : 1);
	EXPECT_EQ(0, vm_reap(pid));
	/* Another session takes it over: the first one is no longer reachable. */
	ASSERT_EQ(0, vm_enable(self->fd, self->b, vm_guid(3), 0, 0, 0));
	EXPECT_EQ(-ENOENT, raw_write(self->fd, raw(classic, a.logger_id)));
	EXPECT_EQ(0, raw_write(self->fd, raw(classic, b.logger_id)));
	/* Refused records are not counted. */
	ASSERT_EQ(0, vm_stat(self->fd, self->a, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(0, vm_dropped(&st));
}

/* Arguments that make no valid record are refused before the session is looked up. */
TEST_F(classic, refused_arguments)
{
	static const struct {
		size_t at;
		uint8_t value;
		uint32_t kind;
	} bad[] = {
#define BAD(kind, member, value) { offsetof(struct etw_classic_write, member), value, kind }
		BAD(ETW_CLASSIC_EVENT, kind, 4),
		BAD(ETW_CLASSIC_EVENT, number, 1),
		BAD(ETW_CLASSIC_EVENT, options, 1),
		BAD(ETW_CLASSIC_EVENT, instance, 1),
		BAD(ETW_CLASSIC_EVENT, parent, 1),
		BAD(ETW_CLASSIC_EVENT, parent_guid, 1),
		BAD(ETW_CLASSIC_EVENT, data_count, 129),
		BAD(ETW_CLASSIC_EVENT, reserved, 1),
		BAD(ETW_CLASSIC_MESSAGE, type, 1),
		BAD(ETW_CLASSIC_MESSAGE, level, 1),
		BAD(ETW_CLASSIC_MESSAGE, version, 1),
		BAD(ETW_CLASSIC_MESSAGE, options, 0x40),
		BAD(ETW_CLASSIC_MESSAGE, options, ETW_MESSAGE_GUID | ETW_MESSAGE_COMPONENT),
		BAD(ETW_CLASSIC_MESSAGE, instance, 1),
		BAD(ETW_CLASSIC_INSTANCE, options, 1),
	};
	struct etw_classic_write w;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		w = raw(0, 1);
		w.kind = bad[i].kind;
		((uint8_t *)&w)[bad[i].at] = bad[i].value;
		EXPECT_EQ(-EINVAL, vm_ioctl(self->fd, ETW_IOC_CLASSIC, &w));
	}
}

/* A record that does not fit is counted as lost, by its cause. */
/* A trace says by this class that events are missing; no process may say so. */
TEST_F(classic, lost_event_class)
{
	EVENT_TRACE_HEADER event = { .Size = sizeof(event), .Flags = WNODE_FLAG_TRACED_GUID };
	const struct etw_guid lost_event = ETW_LOST_EVENT_GUID;
	struct etw_session a = { .handle = self->a };
	struct etw_classic_write w;
	int slot;

	ASSERT_EQ(0, vm_query(self->fd, self->a, &a));
	slot = vm_register_flags(self->fd, vm_guid(3), ETW_REGISTER_CLASSIC, 0);
	ASSERT_LE(0, slot);
	ASSERT_EQ(0, vl_enable(self->a, 3, 0, 0, 0));
	for (event.Class.Type = 0; event.Class.Type < 40; event.Class.Type++) {
		w = raw(slot, a.logger_id);
		w.guid = lost_event;
		w.type = event.Class.Type;
		EXPECT_EQ(-EACCES, raw_write(self->fd, w));
		w.kind = ETW_CLASSIC_INSTANCE;
		EXPECT_EQ(-EACCES, raw_write(self->fd, w));
	}
	w = raw(slot, a.logger_id);
	EXPECT_EQ(0, raw_write(self->fd, w));
}

TEST_F(classic, losses)
{
	struct etw_session s = vm_session("small");
	struct etw_data_descriptor d = { .ptr = VM_PTR(malloc(70000)), .size = 5000 };
	struct etw_classic_write w;
	struct etw_session_stat st;
	int slot;

	s.buffer_kb = 4;
	ASSERT_EQ(0, vm_start(self->fd, &s));
	slot = vm_register_flags(self->fd, vm_guid(3), ETW_REGISTER_CLASSIC, 0);
	ASSERT_EQ(0, vm_enable(self->fd, s.handle, vm_guid(3), 0, 0, 0));
	w = raw(slot, s.logger_id);
	w.data = VM_PTR(&d);
	w.data_count = 1;
	EXPECT_EQ(-EMSGSIZE, raw_write(self->fd, w));
	d.size = 65535 - 48 + 1;
	EXPECT_EQ(-EOVERFLOW, raw_write(self->fd, w));
	d.size = 0xffffffff;
	EXPECT_EQ(-EOVERFLOW, raw_write(self->fd, w));
	free((void *)(uintptr_t)d.ptr);
	d.ptr = 8;
	d.size = 100;
	EXPECT_EQ(-EFAULT, raw_write(self->fd, w));
	w.data = 8;
	EXPECT_EQ(-EFAULT, raw_write(self->fd, w));
	w.data = VM_PTR(&d);
	d.size = 0;
	EXPECT_EQ(0, raw_write(self->fd, w));
	ASSERT_EQ(0, vm_stat(self->fd, s.handle, &st));
	EXPECT_EQ(1, st.written);
	EXPECT_EQ(1, st.dropped[ETW_DROP_BUFFER_SIZE]);
	EXPECT_EQ(2, st.dropped[ETW_DROP_EVENT_SIZE]);
	EXPECT_EQ(2, st.dropped[ETW_DROP_COPY_FAULT]);
}

/* Classic and modern registrations of one GUID do not disturb each other. */
TEST_F(classic, beside_modern_ones)
{
	REGHANDLE modern = vl_register(1);
	struct vl_reader *ra = vl_read("classic-a"), *rb = vl_read("classic-b");

	ASSERT_NE(0, modern);
	ASSERT_NE(NULL, ra);
	ASSERT_NE(NULL, rb);
	ASSERT_TRUE(enable(&self->last_call, self->a, 5, 1, 1));
	ASSERT_TRUE(enable(&self->last_call, self->b, 5, 1, 2));
	EXPECT_EQ(0, write_event(self->last_call.logger, &self->class, 1, "classic"));
	EXPECT_EQ(0, vl_write(modern, 50, 1, 1, 0));
	EXPECT_EQ(0, EventUnregister(modern));
	vl_control(self->a, EVENT_TRACE_CONTROL_STOP);
	vl_control(self->b, EVENT_TRACE_CONTROL_STOP);
	EXPECT_EQ(1, vl_end(ra));
	EXPECT_EQ(2, vl_end(rb));
	EXPECT_EQ(50, ra->events[0].header.EventDescriptor.Id);
	free(ra);
	free(rb);
}

TEST_HARNESS_MAIN
