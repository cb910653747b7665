// SPDX-License-Identifier: GPL-2.0-only
/*
 * ops.c - the ioctls as tables: the meaning and the valid values of every member
 *
 * The first field of each is the descriptor, the second the place of the struct. Corpus
 * files contain the ids: add new ones at the end.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include <etw/format.h>

#include "exec.h"
#include "kmod/etw_test/etw_test.h"

#define F(type, member, kind, ...) \
	{ #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), \
	  kind, ##__VA_ARGS__ }
#define FD(which)	{ "fd", 0, 4, KIND_FD, which }
#define PLACE		{ "place", 0, 0, KIND_PLACE, 0 }

/* ------------------------------------------------------------------ constants */

const struct etw_guid fuzz_guids[GUIDS] = {
	ETW_GUID(0xf0220001, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7),
	ETW_GUID(0xf0220002, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7),
	ETW_GUID(0xf0220003, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7),
	ETW_GUID(0xf0220004, 0x5e1f, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7),
	ETW_PROCESS_GUID,
	ETW_GUID(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
	ETW_TEST_GUID,
	ETW_STRESS_FUZZ_GUID,
};

const char *const place_names[PLACES] = {
	"plain", "page-end", "unmapped", "read-only", "ring", "odd", "null",
	"kernel", "non-canonical", "no-access", "into-no-access", "itself", "fleeting",
};

#define TABLE(...) { sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, (const uint64_t[]){ __VA_ARGS__ } }
enum { E_MODE, E_CONTROL, E_CLOCK, E_KB, E_BUFFERS, E_FLUSH, E_TIMEOUT, E_OPEN, E_PROT, E_MAP,
       E_ADVICE, E_FCNTL, E_FORK, E_CMD, E_MISC, E_EVENTS, E_CONTEXT, E_ACTIVITY, E_COUNT,
       E_MANY, E_CLASSIC, E_SET, E_BUDGET };

const struct enum_table enum_tables[] = {
	[E_MODE] = TABLE(ETW_MODE_REAL_TIME, ETW_MODE_REAL_TIME | ETW_MODE_INDEPENDENT,
			 ETW_MODE_BUFFERING, ETW_MODE_BUFFERING | ETW_MODE_INDEPENDENT,
			 ETW_MODE_REAL_TIME | ETW_MODE_BUFFERING, 0, 1,
			 ETW_MODE_CIRCULAR | ETW_MODE_KBYTES,
			 ETW_MODE_NEWFILE | ETW_MODE_KBYTES | ETW_MODE_REAL_TIME,
			 ETW_MODE_APPEND, ETW_MODE_SEQUENTIAL | ETW_MODE_PREALLOCATE |
			 ETW_MODE_KBYTES, ETW_MODE_DELAY_OPEN,
			 ETW_MODE_REAL_TIME | ETW_MODE_SECURE, ETW_MODE_BUFFERING | ETW_MODE_SECURE,
			 ETW_MODE_REAL_TIME | ETW_MODE_NO_PER_PROCESSOR,
			 ETW_MODE_BUFFERING | ETW_MODE_NO_PER_PROCESSOR,
			 ETW_MODE_REAL_TIME | ETW_MODE_LOCAL_SEQUENCE,
			 ETW_MODE_REAL_TIME | ETW_MODE_GLOBAL_SEQUENCE,
			 ETW_MODE_REAL_TIME | ETW_MODE_SYSTEM),
	[E_CONTROL] = TABLE(ETW_CONTROL_ENABLE, ETW_CONTROL_DISABLE, ETW_CONTROL_CAPTURE, 3),
	[E_CLOCK] = TABLE(0, ETW_CLOCK_QPC, ETW_CLOCK_SYSTEM, ETW_CLOCK_CYCLES, 4),
	[E_KB] = TABLE(4, 8, 0, 5, 64, 128, 1000, 16384, 16385),
	[E_BUFFERS] = TABLE(0, 4, 5, 8, 16, 40, 60000, 60001, 0xffffffff),
	[E_FLUSH] = TABLE(0, 1, 99, 100, 1000, 5000, 0xffffffff),
	[E_TIMEOUT] = TABLE(0, 1, 5, 20, 0xffffffff, 0xfffffffe, 0x7fffffff),
	[E_OPEN] = TABLE(O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_NONBLOCK, O_RDWR | O_CLOEXEC, O_PATH),
	[E_PROT] = TABLE(1, 0, 3, 2, 5, 7, 4),
	[E_MAP] = TABLE(1, 2, 1 | 0x8000, 3, 1 | 0x2000, 2 | 0x8000, 1 | 0x40),
	[E_ADVICE] = TABLE(4, 10, 11, 18, 19, 9, 8, 12, 13, 14, 16, 17, 21, 22, 23, 3, 20),
	[E_FCNTL] = TABLE(F_SETFL, F_GETFL, F_SETFD, F_SETOWN, F_SETSIG, F_SETLEASE, F_ADD_SEALS),
	[E_FORK] = TABLE(FORK_PLAIN, FORK_USER, FORK_USERNS, FORK_PIDNS, FORK_KILLED, FORK_EXEC,
			 FORK_HOLDS, FORK_EXEC_HOLDS),
	[E_CMD] = TABLE(ETW_IOC(0), ETW_IOC_WRITE, ETW_IOC_BUFFER_TAKE, ETW_IOC_CONSUMER_STAT,
			ETW_IOC_SESSION_START, ETW_IOC(0x44), ETW_IOC(0xff), 0x5421, 0x541b, 0,
			_IOWR(ETW_IOC_MAGIC, 1, struct etw_session)),
	[E_MISC] = TABLE(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
	[E_EVENTS] = TABLE(1, 3, 5, 0x2019, 0xffff),
	[E_CONTEXT] = TABLE(ETW_TEST_PROCESS, ETW_TEST_SOFTIRQ, ETW_TEST_HARDIRQ, ETW_TEST_IRQS_OFF,
			    ETW_TEST_BH_OFF, ETW_TEST_PREEMPT_OFF),
	[E_ACTIVITY] = TABLE(1, 2, 3, 4, 5, 0, 6),
	[E_COUNT] = TABLE(1, 0, 2, 20, 40, 100),
	[E_MANY] = TABLE(2, 1, 20, 70, 0, 1100),
	[E_CLASSIC] = TABLE(ETW_CLASSIC_EVENT, ETW_CLASSIC_INSTANCE, ETW_CLASSIC_MESSAGE, 3),
	[E_SET] = TABLE(ETW_SET_TRAITS, ETW_SET_TYPES, ETW_SET_TRAITS | ETW_SET_TYPES, 0, 4),
	[E_BUDGET] = TABLE(0, 1, 64, 1000000, ETW_BUDGET_NONE),
};

/* ------------------------------------------------------------------- sessions */

#define SESSION_COMMON							\
	FD(FD_DEV), PLACE, F(etw_session, size, KIND_SIZE),		\
	F(etw_session, flags, KIND_RESERVED)
#define SESSION_NAMED							\
	F(etw_session, name, KIND_NAME), F(etw_session, name_len, KIND_LEN),	\
	F(etw_session, name_out, KIND_OUT), F(etw_session, name_cap, KIND_LEN)

#define SESSION_OP(_id, _name, _weight, _cmd)				\
	static const struct op op_##_name = {				\
		.id = _id, .name = #_name, .weight = _weight, .cmd = _cmd,	\
		.size = sizeof(struct etw_session),			\
		.fields = { SESSION_COMMON, F(etw_session, handle, KIND_HANDLE), SESSION_NAMED, \
			    F(etw_session, log, KIND_LOGOUT) } }

static const struct op op_start = {
	.id = 1, .name = "start", .weight = 14, .cmd = ETW_IOC_SESSION_START,
	.size = sizeof(struct etw_session), .done = done_start,
	.fields = { SESSION_COMMON, SESSION_NAMED,
		    F(etw_session, mode, KIND_ENUM, E_MODE),
		    F(etw_session, guid, KIND_GUID, 5),
		    F(etw_session, buffer_kb, KIND_ENUM, E_KB),
		    F(etw_session, min_buffers, KIND_ENUM, E_BUFFERS),
		    F(etw_session, max_buffers, KIND_ENUM, E_BUFFERS),
		    F(etw_session, flush_ms, KIND_ENUM, E_FLUSH),
		    F(etw_session, clock, KIND_ENUM, E_CLOCK),
		    F(etw_session, handle, KIND_HANDLE),
		    F(etw_session, file, KIND_LOGFILE), F(etw_session, log, KIND_LOGOUT),
		    F(etw_session, user_budget_kb, KIND_ENUM, E_BUDGET) } };
SESSION_OP(2, stop, 4, ETW_IOC_SESSION_STOP);
SESSION_OP(3, query, 3, ETW_IOC_SESSION_QUERY);

static const struct op op_flush = {
	.id = 5, .name = "flush", .weight = 9, .cmd = ETW_IOC_SESSION_FLUSH,
	.size = sizeof(struct etw_session),
	.fields = { SESSION_COMMON, F(etw_session, handle, KIND_HANDLE), SESSION_NAMED,
		    F(etw_session, log, KIND_LOGOUT), F(etw_session, file, KIND_LOGFILE) } };

static const struct op op_update = {
	.id = 4, .name = "update", .weight = 5, .cmd = ETW_IOC_SESSION_UPDATE,
	.size = sizeof(struct etw_session),
	.fields = { SESSION_COMMON, F(etw_session, handle, KIND_HANDLE), SESSION_NAMED,
		    F(etw_session, max_buffers, KIND_ENUM, E_BUFFERS),
		    F(etw_session, flush_ms, KIND_ENUM, E_FLUSH),
		    F(etw_session, file, KIND_LOGFILE), F(etw_session, log, KIND_LOGOUT),
		    F(etw_session, user_budget_kb, KIND_ENUM, E_BUDGET) } };

static const struct op op_sessions = {
	.id = 6, .name = "sessions", .weight = 2, .cmd = ETW_IOC_SESSION_ENUM,
	.size = sizeof(struct etw_session_enum),
	.fields = { FD(FD_DEV), PLACE, F(etw_session_enum, size, KIND_SIZE),
		    F(etw_session_enum, flags, KIND_RESERVED),
		    F(etw_session_enum, handles, KIND_OUT),
		    F(etw_session_enum, capacity, KIND_LEN, 8),
		    F(etw_session_enum, reserved, KIND_RESERVED) } };

static const struct op op_stat = {
	.id = 7, .name = "stat", .weight = 3, .cmd = ETW_IOC_SESSION_STAT,
	.size = sizeof(struct etw_session_stat), .done = done_stat,
	.fields = { FD(FD_DEV), PLACE, F(etw_session_stat, size, KIND_SIZE),
		    F(etw_session_stat, flags, KIND_RESERVED),
		    F(etw_session_stat, handle, KIND_HANDLE),
		    F(etw_session_stat, name, KIND_NAME), F(etw_session_stat, name_len, KIND_LEN),
		    F(etw_session_stat, consumers, KIND_OUT),
		    F(etw_session_stat, consumer_cap, KIND_LEN, sizeof(struct etw_consumer_info)),
		    F(etw_session_stat, reserved, KIND_RESERVED) } };

static const struct op op_capture = {
	.id = 59, .name = "capture", .weight = 3, .cmd = ETW_IOC_SESSION_CAPTURE,
	.size = sizeof(struct etw_session_capture),
	.fields = { FD(FD_DEV), PLACE, F(etw_session_capture, size, KIND_SIZE),
		    F(etw_session_capture, flags, KIND_FLAGS, ETW_CAPTURE_SET),
		    F(etw_session_capture, handle, KIND_HANDLE),
		    F(etw_session_capture, guids, KIND_OUT),
		    F(etw_session_capture, count, KIND_LEN, sizeof(struct etw_guid)),
		    F(etw_session_capture, period_s, KIND_INT, 1) } };

static const struct op op_system = {
	.id = 61, .name = "system", .weight = 2, .cmd = ETW_IOC_SESSION_SYSTEM,
	.size = sizeof(struct etw_session_system),
	.fields = { FD(FD_DEV), PLACE, F(etw_session_system, size, KIND_SIZE),
		    F(etw_session_system, flags, KIND_FLAGS, ETW_SYSTEM_SET),
		    F(etw_session_system, handle, KIND_HANDLE),
		    F(etw_session_system, enable, KIND_INT, 0),
		    F(etw_session_system, reserved, KIND_RESERVED) } };

static const struct op op_missed = {
	.id = 62, .name = "missed", .weight = 2, .cmd = ETW_IOC_SESSION_MISSED,
	.size = sizeof(struct etw_session_missed),
	.fields = { FD(FD_DEV), PLACE, F(etw_session_missed, size, KIND_SIZE),
		    F(etw_session_missed, flags, KIND_INT, 2),
		    F(etw_session_missed, handle, KIND_HANDLE),
		    F(etw_session_missed, provider, KIND_GUID),
		    F(etw_session_missed, events, KIND_INT, 1) } };

/* ------------------------------------------------------------------ providers */

static const struct op op_enable = {
	.id = 8, .name = "enable", .weight = 18, .cmd = ETW_IOC_ENABLE,
	.size = sizeof(struct etw_enable), .done = done_enable,
	.fields = { FD(FD_DEV), PLACE, F(etw_enable, size, KIND_SIZE),
		    F(etw_enable, flags, KIND_RESERVED),
		    F(etw_enable, session, KIND_HANDLE), F(etw_enable, provider, KIND_GUID, 0),
		    F(etw_enable, source, KIND_GUID, 5),
		    F(etw_enable, control, KIND_ENUM, E_CONTROL),
		    F(etw_enable, property, KIND_FLAGS, ETW_ENABLE_CONTEXT | ETW_ENABLE_READERS | ETW_ENABLE_USER_STACK | 0xfff),
		    F(etw_enable, any, KIND_KEYWORD), F(etw_enable, all, KIND_KEYWORD),
		    F(etw_enable, filters, KIND_FILTERS), F(etw_enable, filter_count, KIND_LEN, 1),
		    F(etw_enable, timeout_ms, KIND_ENUM, E_TIMEOUT),
		    F(etw_enable, level, KIND_LEVEL), F(etw_enable, reserved, KIND_RESERVED) } };

static const struct op op_register = {
	.id = 9, .name = "register", .weight = 14, .cmd = ETW_IOC_REGISTER,
	.size = sizeof(struct etw_register), .done = done_register,
	.fields = { FD(FD_DEV), PLACE, F(etw_register, size, KIND_SIZE),
		    F(etw_register, flags, KIND_FLAGS, ETW_REGISTER_NOTIFY | ETW_REGISTER_CLASSIC |
		      ETW_REGISTER_FORWARDS),
		    F(etw_register, provider, KIND_GUID, 0),
		    F(etw_register, name, KIND_NAME), F(etw_register, name_len, KIND_LEN),
		    F(etw_register, slot, KIND_INT), F(etw_register, cookie, KIND_INT) } };

static const struct op op_unregister = {
	.id = 10, .name = "unregister", .weight = 5, .cmd = ETW_IOC_UNREGISTER,
	.size = sizeof(struct etw_unregister),
	.fields = { FD(FD_DEV), PLACE, F(etw_unregister, size, KIND_SIZE),
		    F(etw_unregister, slot, KIND_SLOT) } };

static const struct op op_notify = {
	.id = 11, .name = "notify", .weight = 6, .cmd = ETW_IOC_NOTIFY,
	.size = sizeof(struct etw_notify),
	.fields = { FD(FD_DEV), PLACE, F(etw_notify, size, KIND_SIZE),
		    F(etw_notify, logger_id, KIND_RESERVED), F(etw_notify, filter, KIND_OUT),
		    F(etw_notify, filter_cap, KIND_LEN, 1),
		    F(etw_notify, reserved2, KIND_RESERVED) } };

static const struct op op_providers = {
	.id = 12, .name = "providers", .weight = 2, .cmd = ETW_IOC_PROVIDER_ENUM,
	.size = sizeof(struct etw_provider_enum),
	.fields = { FD(FD_DEV), PLACE, F(etw_provider_enum, size, KIND_SIZE),
		    F(etw_provider_enum, flags, KIND_RESERVED),
		    F(etw_provider_enum, guids, KIND_OUT),
		    F(etw_provider_enum, capacity, KIND_LEN, sizeof(struct etw_guid)) } };

static const struct op op_provider = {
	.id = 13, .name = "provider", .weight = 5, .cmd = ETW_IOC_PROVIDER_QUERY,
	.size = sizeof(struct etw_provider_query),
	.fields = { FD(FD_DEV), PLACE, F(etw_provider_query, size, KIND_SIZE),
		    F(etw_provider_query, flags, KIND_RESERVED),
		    F(etw_provider_query, provider, KIND_GUID, 0),
		    F(etw_provider_query, name_out, KIND_OUT),
		    F(etw_provider_query, name_cap, KIND_LEN),
		    F(etw_provider_query, regs, KIND_OUT),
		    F(etw_provider_query, reg_cap, KIND_LEN, sizeof(struct etw_provider_reg)),
		    F(etw_provider_query, enables, KIND_OUT),
		    F(etw_provider_query, enable_cap, KIND_LEN,
		      sizeof(struct etw_provider_enable)) } };

static const struct op op_write = {
	.id = 14, .name = "write", .weight = 22, .cmd = ETW_IOC_WRITE,
	.size = sizeof(struct etw_event_write),
	.fields = { FD(FD_DEV), PLACE, F(etw_event_write, size, KIND_SIZE),
		    F(etw_event_write, slot, KIND_SLOT),
		    F(etw_event_write, flags, KIND_FLAGS, 2 * ETW_WRITE_LOST - 1),
		    F(etw_event_write, data, KIND_PIECES),
		    F(etw_event_write, data_count, KIND_LEN, 1),
		    F(etw_event_write, filter, KIND_KEYWORD),
		    F(etw_event_write, desc.id, KIND_INT, 1),
		    F(etw_event_write, desc.level, KIND_LEVEL),
		    F(etw_event_write, desc.keyword, KIND_KEYWORD),
		    F(etw_event_write, activity, KIND_GUID, 3),
		    F(etw_event_write, related, KIND_GUID, 4),
		    F(etw_event_write, stack, KIND_OUT),
		    F(etw_event_write, stack_count, KIND_INT, 0),
		    F(etw_event_write, lost, KIND_INT, 0) } };

static void done_set(struct exec *x, const void *arg)
{
	(void)x;
	(void)arg;
	shared->typed = true;
}

static const struct op op_set = {
	.id = 64, .name = "set", .weight = 8, .cmd = ETW_IOC_PROVIDER_SET,
	.size = sizeof(struct etw_provider_set), .done = done_set,
	.fields = { FD(FD_DEV), PLACE, F(etw_provider_set, size, KIND_SIZE),
		    F(etw_provider_set, slot, KIND_SLOT),
		    F(etw_provider_set, flags, KIND_ENUM, E_SET),
		    F(etw_provider_set, types, KIND_FLAGS, 1),
		    F(etw_provider_set, traits, KIND_TRAITS),
		    F(etw_provider_set, traits_len, KIND_LEN),
		    F(etw_provider_set, reserved, KIND_RESERVED) } };

static const struct op op_groups = {
	.id = 65, .name = "groups", .weight = 2, .cmd = ETW_IOC_GROUP_ENUM,
	.size = sizeof(struct etw_provider_enum),
	.fields = { FD(FD_DEV), PLACE, F(etw_provider_enum, size, KIND_SIZE),
		    F(etw_provider_enum, flags, KIND_RESERVED),
		    F(etw_provider_enum, guids, KIND_OUT),
		    F(etw_provider_enum, capacity, KIND_LEN, sizeof(struct etw_guid)) } };

static const struct op op_group = {
	.id = 66, .name = "group", .weight = 3, .cmd = ETW_IOC_GROUP_QUERY,
	.size = sizeof(struct etw_group_query),
	.fields = { FD(FD_DEV), PLACE, F(etw_group_query, size, KIND_SIZE),
		    F(etw_group_query, flags, KIND_RESERVED),
		    F(etw_group_query, group, KIND_GUID, 0),
		    F(etw_group_query, members, KIND_OUT),
		    F(etw_group_query, member_cap, KIND_LEN, sizeof(struct etw_group_member)),
		    F(etw_group_query, enables, KIND_OUT),
		    F(etw_group_query, enable_cap, KIND_LEN,
		      sizeof(struct etw_provider_enable)) } };

#define DISALLOW(_id, _name, _cmd, _room, _count)			\
	static const struct op op_##_name = {				\
		.id = _id, .name = #_name, .weight = 3, .cmd = _cmd,	\
		.size = sizeof(struct etw_disallow),			\
		.fields = { FD(FD_DEV), PLACE, F(etw_disallow, size, KIND_SIZE),	\
			    F(etw_disallow, flags, KIND_RESERVED),		\
			    F(etw_disallow, session, KIND_HANDLE),		\
			    F(etw_disallow, guids, KIND_OUT),			\
			    F(etw_disallow, capacity, _room, 0),		\
			    F(etw_disallow, count, _count, 1) } }

DISALLOW(29, disallow, ETW_IOC_DISALLOW_SET, KIND_RESERVED, KIND_INT);
DISALLOW(30, disallowed, ETW_IOC_DISALLOW_QUERY, KIND_INT, KIND_INT);

/* ------------------------------------------------------------------ consumers */

static const struct op op_consume = {
	.id = 15, .name = "consume", .weight = 10, .cmd = ETW_IOC_CONSUMER_OPEN,
	.size = sizeof(struct etw_consumer_open), .done = done_consume,
	.fields = { FD(FD_DEV), PLACE, F(etw_consumer_open, size, KIND_SIZE),
		    F(etw_consumer_open, flags, KIND_FLAGS, O_NONBLOCK | O_CLOEXEC),
		    F(etw_consumer_open, session, KIND_HANDLE),
		    F(etw_consumer_open, name, KIND_NAME),
		    F(etw_consumer_open, name_len, KIND_LEN) } };

static const struct op op_take = {
	.id = 16, .name = "take", .weight = 9, .cmd = ETW_IOC_BUFFER_TAKE,
	.size = sizeof(struct etw_buffer_take), .done = done_take,
	.fields = { FD(FD_CONSUMER), PLACE, F(etw_buffer_take, size, KIND_SIZE),
		    F(etw_buffer_take, flags, KIND_FLAGS, ETW_TAKE_PEEK) } };

static const struct op op_give = {
	.id = 17, .name = "give", .weight = 6, .cmd = ETW_IOC_BUFFER_GIVE,
	.size = sizeof(struct etw_buffer_give),
	.fields = { FD(FD_CONSUMER), PLACE, F(etw_buffer_give, size, KIND_SIZE),
		    F(etw_buffer_give, index, KIND_INDEX) } };

static const struct op op_cstat = {
	.id = 18, .name = "consumer_stat", .weight = 2, .cmd = ETW_IOC_CONSUMER_STAT,
	.size = sizeof(struct etw_consumer_stat), .done = done_cstat,
	.fields = { FD(FD_CONSUMER), PLACE, F(etw_consumer_stat, size, KIND_SIZE),
		    F(etw_consumer_stat, flags, KIND_RESERVED) } };

/* --------------------------------------------------------------- access lists */

#define ACCESS_COMMON							\
	FD(FD_DEV), PLACE, F(etw_access, size, KIND_SIZE),		\
	F(etw_access, guid, KIND_GUID, 0), F(etw_access, own, KIND_RESERVED),	\
	F(etw_access, reserved, KIND_RESERVED)

static const struct op op_access_set = {
	.id = 26, .name = "access_set", .weight = 6, .cmd = ETW_IOC_ACCESS_SET,
	.size = sizeof(struct etw_access),
	.fields = { ACCESS_COMMON, F(etw_access, flags, KIND_RESERVED),
		    F(etw_access, entries, KIND_ENTRIES), F(etw_access, count, KIND_LEN, 1),
		    F(etw_access, capacity, KIND_RESERVED) } };
static const struct op op_access_query = {
	.id = 27, .name = "access_query", .weight = 3, .cmd = ETW_IOC_ACCESS_QUERY,
	.size = sizeof(struct etw_access),
	.fields = { ACCESS_COMMON, F(etw_access, flags, KIND_FLAGS, ETW_ACCESS_NEXT),
		    F(etw_access, entries, KIND_OUT),
		    F(etw_access, capacity, KIND_LEN, sizeof(struct etw_access_entry)),
		    F(etw_access, count, KIND_RESERVED) } };
static const struct op op_access_remove = {
	.id = 28, .name = "access_remove", .weight = 3, .cmd = ETW_IOC_ACCESS_REMOVE,
	.size = sizeof(struct etw_access),
	.fields = { ACCESS_COMMON, F(etw_access, flags, KIND_RESERVED) } };

/* ----------------------------------------------------- the test module's device */

static const struct op op_t_register = {
	.id = 20, .name = "t_register", .weight = 3, .cmd = ETW_TEST_REGISTER,
	.size = sizeof(struct etw_test_register),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_register, index, KIND_FLAGS, 3),
		    F(etw_test_register, flags, KIND_FLAGS, 15),
		    F(etw_test_register, guid, KIND_GUID, 0) } };
static const struct op op_t_unregister = {
	.id = 21, .name = "t_unregister", .weight = 2, .cmd = ETW_TEST_UNREGISTER,
	.size = sizeof(struct etw_test_register),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_register, index, KIND_FLAGS, 3) } };
static const struct op op_t_write = {
	.id = 22, .name = "t_write", .weight = 8, .cmd = ETW_TEST_WRITE,
	.size = sizeof(struct etw_test_write),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_write, index, KIND_FLAGS, 3),
		    F(etw_test_write, context, KIND_ENUM, E_CONTEXT),
		    F(etw_test_write, count, KIND_ENUM, E_COUNT),
		    F(etw_test_write, size, KIND_INT, 100),
		    F(etw_test_write, desc.level, KIND_LEVEL),
		    F(etw_test_write, desc.keyword, KIND_KEYWORD),
		    F(etw_test_write, descriptors, KIND_INT, 1),
		    F(etw_test_write, transfer, KIND_FLAGS, 1),
		    F(etw_test_write, activity, KIND_GUID, 3),
		    F(etw_test_write, related, KIND_GUID, 4) } };
static const struct op op_t_enabled = {
	.id = 23, .name = "t_enabled", .weight = 1, .cmd = ETW_TEST_ENABLED,
	.size = sizeof(struct etw_test_enabled),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_enabled, index, KIND_FLAGS, 3),
		    F(etw_test_enabled, keyword, KIND_KEYWORD),
		    F(etw_test_enabled, level, KIND_LEVEL) } };
static const struct op op_t_gate = {
	.id = 24, .name = "t_gate", .weight = 1, .cmd = ETW_TEST_GATE, .size = sizeof(int),
	.fields = { FD(FD_TEST), PLACE, { "open", 0, 4, KIND_FLAGS, 1 } } };
static const struct op op_t_activity = {
	.id = 25, .name = "t_activity", .weight = 3, .cmd = ETW_TEST_ACTIVITY,
	.size = sizeof(struct etw_test_activity),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_activity, control, KIND_ENUM, E_ACTIVITY),
		    F(etw_test_activity, id, KIND_GUID, 2) } };

/* Traits and a schema of few bytes, as numbers: "\4\0x" and "\5\0\0E", with a NUL. */
static const struct op op_t_set = {
	.id = 31, .name = "t_set", .weight = 3, .cmd = ETW_TEST_SET,
	.size = sizeof(struct etw_test_set), .done = done_set,
	.fields = { FD(FD_TEST), PLACE, F(etw_test_set, index, KIND_FLAGS, 3),
		    F(etw_test_set, flags, KIND_ENUM, E_SET),
		    F(etw_test_set, types, KIND_FLAGS, 1),
		    F(etw_test_set, len, KIND_INT, 4),
		    F(etw_test_set, bytes, KIND_INT, 0x780004) } };
static const struct op op_t_typed = {
	.id = 19, .name = "t_typed", .weight = 4, .cmd = ETW_TEST_TYPED,
	.size = sizeof(struct etw_test_typed),
	.fields = { FD(FD_TEST), PLACE, F(etw_test_typed, index, KIND_FLAGS, 3),
		    F(etw_test_typed, hardirq, KIND_FLAGS, 1),
		    F(etw_test_typed, desc.level, KIND_LEVEL),
		    F(etw_test_typed, desc.keyword, KIND_KEYWORD),
		    F(etw_test_typed, count, KIND_INT, 1),
		    F(etw_test_typed, pieces[0].type, KIND_INT, 1),
		    F(etw_test_typed, pieces[0].size, KIND_INT, 5),
		    F(etw_test_typed, pieces[1].type, KIND_FLAGS, 3),
		    F(etw_test_typed, pieces[1].size, KIND_FLAGS, 8),
		    F(etw_test_typed, bytes, KIND_INT, 0x45000005) } };

/* ------------------------------------------------------------- plain operations */

#define V(name, kind, ...) { name, 0, 8, kind, ##__VA_ARGS__ }
#define OPERATION(_id, _name, _weight, _cost, _issues, ...)		\
	static const struct op op_##_name = {				\
		.id = _id, .name = #_name, .weight = _weight, .cost = _cost,	\
		.issues = _issues, .run = run_##_name,			\
		.fields = { __VA_ARGS__ } }
#define COSTLY(_id, _name, _weight, _cost, ...)				\
	OPERATION(_id, _name, _weight, _cost, 0, __VA_ARGS__)
#define PLAIN(_id, _name, _weight, ...)	COSTLY(_id, _name, _weight, 0, __VA_ARGS__)
#define ISSUES(_id, _name, _weight, _cmd, ...)				\
	OPERATION(_id, _name, _weight, 0, _cmd, __VA_ARGS__)

PLAIN(32, open, 3, V("flags", KIND_ENUM, E_OPEN));
PLAIN(33, close, 4, V("fd", KIND_FD, FD_ANY));
PLAIN(34, dup, 2, V("fd", KIND_FD, FD_ANY));
PLAIN(35, read, 6, V("fd", KIND_FD, FD_CONSUMER), V("to", KIND_OUT), V("len", KIND_INT, 65536));
PLAIN(36, poll, 2, V("fd", KIND_FD, FD_ANY), V("events", KIND_ENUM, E_EVENTS));
PLAIN(37, epoll, 2, V("fd", KIND_FD, FD_ANY), V("events", KIND_ENUM, E_EVENTS), V("keep", KIND_FLAGS, 1));
PLAIN(38, map_area, 4, V("fd", KIND_FD, FD_DEV), V("at", KIND_MAP), V("len", KIND_INT, 0),
      V("prot", KIND_ENUM, E_PROT), V("flags", KIND_ENUM, E_MAP), V("offset", KIND_INT, 0));
PLAIN(39, map_ring, 8, V("fd", KIND_FD, FD_CONSUMER), V("at", KIND_MAP), V("len", KIND_INT, 0),
      V("prot", KIND_ENUM, E_PROT), V("flags", KIND_ENUM, E_MAP), V("offset", KIND_INT, 0));
PLAIN(40, unmap, 2, V("at", KIND_MAP), V("page", KIND_INT, 0), V("pages", KIND_INT, 1));
PLAIN(41, remap, 2, V("at", KIND_MAP), V("old", KIND_INT, 4096), V("new", KIND_INT, 8192),
      V("flags", KIND_FLAGS, 5));
PLAIN(42, protect, 2, V("at", KIND_MAP), V("page", KIND_INT, 0), V("pages", KIND_INT, 1),
      V("prot", KIND_ENUM, E_PROT));
PLAIN(43, advise, 2, V("at", KIND_MAP), V("page", KIND_INT, 0), V("pages", KIND_INT, 1),
      V("advice", KIND_ENUM, E_ADVICE));
PLAIN(44, touch, 3, V("at", KIND_MAP), V("page", KIND_INT, 0), V("write", KIND_FLAGS, 1));
PLAIN(45, fcntl, 2, V("fd", KIND_FD, FD_ANY), V("cmd", KIND_ENUM, E_FCNTL), V("arg", KIND_INT, O_NONBLOCK));
COSTLY(46, fork, 3, 7, V("how", KIND_ENUM, E_FORK), V("calls", KIND_INT, 3));
PLAIN(47, kill, 1, V("which", KIND_INT, 0));
COSTLY(48, pass_fd, 2, 1, V("fd", KIND_FD, FD_ANY));
PLAIN(49, drop_rights, 1, V("uid", KIND_INT, 1000));
COSTLY(50, burst, 8, 2, V("fd", KIND_FD, FD_DEV), V("slot", KIND_SLOT), V("count", KIND_ENUM, E_COUNT),
      V("size", KIND_INT, 100), V("level", KIND_LEVEL), V("keyword", KIND_KEYWORD));
PLAIN(51, sleep, 1, V("ms", KIND_INT, 5));
PLAIN(52, audit, 8, V("fd", KIND_FD, FD_CONSUMER));
PLAIN(53, audit_map, 5, V("fd", KIND_FD, FD_CONSUMER), V("give", KIND_FLAGS, 1));
PLAIN(54, odd_ioctl, 2, V("fd", KIND_FD, FD_ANY), V("cmd", KIND_ENUM, E_CMD), V("arg", KIND_OUT));
PLAIN(55, odd_call, 2, V("fd", KIND_FD, FD_ANY), V("which", KIND_ENUM, E_MISC));
PLAIN(56, cpu, 2, V("mask", KIND_FLAGS, 3));
COSTLY(57, many, 1, 9, V("fd", KIND_FD, FD_DEV), V("what", KIND_FLAGS, 7), V("count", KIND_ENUM, E_MANY));

/* Most programs leave some members unused that only one kind has. */
static const struct op op_classic = {
	.id = 58, .name = "classic", .weight = 14, .cmd = ETW_IOC_CLASSIC,
	.size = sizeof(struct etw_classic_write),
	.fields = { FD(FD_DEV), PLACE, F(etw_classic_write, size, KIND_SIZE),
		    F(etw_classic_write, slot, KIND_SLOT),
		    F(etw_classic_write, kind, KIND_ENUM, E_CLASSIC),
		    F(etw_classic_write, logger_id, KIND_INT, 1),
		    F(etw_classic_write, guid, KIND_GUID, 3),
		    F(etw_classic_write, options, KIND_FLAGS, ETW_MESSAGE_ALL),
		    F(etw_classic_write, number, KIND_INT, 0),
		    F(etw_classic_write, instance, KIND_INT, 0),
		    F(etw_classic_write, data, KIND_PIECES),
		    F(etw_classic_write, data_count, KIND_LEN, 1),
		    F(etw_classic_write, reserved, KIND_RESERVED) } };

ISSUES(60, trace, 12, ETW_IOC_TRACE_EVENT, V("fd", KIND_FD, FD_DEV), V("guid", KIND_INT, 0),
       V("seed", KIND_INT, 1), V("count", KIND_INT, 3));
ISSUES(63, bpf, 6, ETW_IOC_BPF_PROVIDER, V("fd", KIND_FD, FD_DEV), V("guid", KIND_INT, 0),
       V("seed", KIND_INT, 1), V("count", KIND_INT, 2));
ISSUES(67, events, 12, ETW_IOC_WRITE_MANY, V("fd", KIND_FD, FD_DEV), V("slot", KIND_SLOT),
       V("seed", KIND_INT, 1), V("count", KIND_INT, 5), V("filter", KIND_KEYWORD),
       V("time", KIND_INT, 1));

const struct op *const fuzz_ops[] = {
	&op_start, &op_stop, &op_query, &op_update, &op_flush, &op_sessions, &op_stat, &op_enable,
	&op_register, &op_unregister, &op_notify, &op_providers, &op_provider, &op_write,
	&op_consume, &op_take, &op_give, &op_cstat, &op_t_register, &op_t_unregister,
	&op_t_write, &op_t_enabled, &op_t_gate, &op_t_activity, &op_open, &op_close, &op_dup,
	&op_read, &op_poll, &op_epoll, &op_map_area, &op_map_ring, &op_unmap, &op_remap,
	&op_protect, &op_advise, &op_touch, &op_fcntl, &op_fork, &op_kill, &op_pass_fd,
	&op_drop_rights, &op_burst, &op_sleep, &op_audit, &op_audit_map, &op_odd_ioctl,
	&op_odd_call, &op_cpu, &op_many, &op_access_set, &op_access_query, &op_access_remove,
	&op_classic, &op_capture, &op_set, &op_groups, &op_group, &op_disallow,
	&op_disallowed, &op_t_set, &op_t_typed, &op_trace, &op_system,
	&op_missed, &op_bpf, &op_events,
};
const unsigned int fuzz_op_count = sizeof(fuzz_ops) / sizeof(fuzz_ops[0]);

const struct op *op_by_id(unsigned int id)
{
	unsigned int i;

	for (i = 0; i < fuzz_op_count; i++)
		if (fuzz_ops[i]->id == id)
			return fuzz_ops[i];
	return NULL;
}

unsigned int op_fields(const struct op *op)
{
	unsigned int n = 0;

	while (n < ARGS_MAX && op->fields[n].name)
		n++;
	return n;
}

/* NULL, or what is wrong with the table. */
const char *ops_error(void)
{
	static char text[128];
	unsigned int i;

	for (i = 0; i < fuzz_op_count; i++) {
		const struct op *op = fuzz_ops[i], *first = op_by_id(op->id);

		if (op->id >= OPS_MAX)
			snprintf(text, sizeof(text), "%s has the id %u, the last one is %u",
				 op->name, op->id, OPS_MAX - 1);
		else if (first != op)
			snprintf(text, sizeof(text), "%s and %s have the same id %u", first->name,
				 op->name, op->id);
		else
			continue;
		return text;
	}
	return NULL;
}
