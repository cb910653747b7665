// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_session - every failure of the calls on sessions
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"

FAULT_FIXTURE

/* -------------------------------------------------------------------- start */

static void start_arg(struct fault_env *e, uint32_t mode)
{
	e->arg.session = vm_session("t-new");
	e->arg.session.mode = mode;
	e->arg.session.buffer_kb = 8;
	e->arg.session.min_buffers = 4;
	e->arg.session.max_buffers = 8;
	e->arg.session.flush_ms = 600000;
	e->arg.session.name_out = VM_PTR(e->text);
	e->arg.session.name_cap = sizeof(e->text);
	memset(e->text, 0, sizeof(e->text));
}

static void before_start(struct fault_env *e)
{
	start_arg(e, ETW_MODE_REAL_TIME);
}

static void before_start_buffering(struct fault_env *e)
{
	start_arg(e, ETW_MODE_BUFFERING);
}

static int do_start(struct fault_env *e)
{
	return vm_start(e->fd, &e->arg.session);
}

/* If the reserve could not be allocated, what there is of it is for everybody, but a fifth. */
static bool is_started(struct fault_env *e)
{
	struct etw_session q;

	return !vm_query(e->fd, e->arg.session.handle, &q) && q.buffers >= 4 &&
	       q.buffers <= q.max_buffers && q.free_buffers == q.buffers &&
	       q.mode == e->arg.session.mode && !strcmp(e->text, "t-new");
}

static void undo_start(struct fault_env *e)
{
	vm_stop(e->fd, e->arg.session.handle);
}

static const struct fault_op start_ops[] = {
	{ .name = "SESSION_START", .prepare = before_start, .call = do_start,
	  .done = is_started, .undo = undo_start, .enomem = 10, .efault = 4 },
	{ .name = "SESSION_START, BUFFERING", .prepare = before_start_buffering,
	  .call = do_start, .done = is_started, .undo = undo_start, .enomem = 11,
	  .efault = 4 },
};

/* --------------------------------------------- what is done to a session */

/* A session e->handle of one try with a consumer, which has vm_guid(1) enabled. */
static void own_session(struct fault_env *e, uint32_t mode)
{
	start_arg(e, mode);
	vm_start(e->fd, &e->arg.session);
	e->handle = e->arg.session.handle;
	vm_enable(e->fd, e->handle, vm_guid(1), 0, 0, 0);
	vm_enable(e->fd, e->handle, fault_kguid, 0, 0, 0);
	fault_no_notices(e);
	vm_reader_open(&e->reader, e->fd, e->handle, O_NONBLOCK);
	e->arg.session = (struct etw_session){
		.size = sizeof(e->arg.session), .handle = e->handle,
		.name_out = VM_PTR(e->text), .name_cap = sizeof(e->text) };
}

static void real_time_session(struct fault_env *e)
{
	own_session(e, ETW_MODE_REAL_TIME);
	vm_write(e->fd, e->slot, 1, 1, 1, "one", 3);
}

static void end_session(struct fault_env *e)
{
	vm_reader_close(&e->reader);
	vm_stop(e->fd, e->handle);
	fault_no_notices(e);
}

static void before_update(struct fault_env *e)
{
	real_time_session(e);
	e->arg.session.max_buffers = 400;
	e->arg.session.flush_ms = 40000;
}

static int do_update(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_UPDATE, &e->arg.session);
}

static bool is_updated(struct fault_env *e)
{
	struct etw_session q;

	return !vm_query(e->fd, e->handle, &q) && q.max_buffers == 400 &&
	       q.flush_ms == 40000;
}

static int do_flush(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_FLUSH, &e->arg.session);
}

static bool is_flushed(struct fault_env *e)
{
	struct etw_session_stat st;

	return !vm_stat(e->fd, e->handle, &st) && st.events_delivered == 1;
}

/* Three buffers full of events, none of which has been overwritten. */
static void before_snapshot(struct fault_env *e)
{
	unsigned int i;

	own_session(e, ETW_MODE_BUFFERING);
	for (i = 0; i < 18; i++)
		vm_write(e->fd, e->slot, i, 1, 1, e->room, 1000);
	vm_stat(e->fd, e->handle, &e->before);
}

/*
 * The whole ring has come out, in order.  A snapshot that ends because memory is short may
 * have a part of it; then the next one brings the rest.
 */
static bool snapshot_is_whole(struct fault_env *e)
{
	struct etw_session_stat st;

	if (vm_stat(e->fd, e->handle, &st) || st.written != 18 || st.overwritten_events ||
	    st.discarded_events || st.events_delivered != 18)
		return false;
	return vm_drain(&e->reader, NULL, NULL) == -EAGAIN && e->reader.events == 18;
}

static bool snapshot_goes_on(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)was;
	(void)ret;
	if (vm_drain(&e->reader, NULL, NULL) != -EAGAIN)
		return false;
	return !do_flush(e) && snapshot_is_whole(e);
}

static int do_stop(struct fault_env *e)
{
	return vm_ioctl(e->fd, ETW_IOC_SESSION_STOP, &e->arg.session);
}

static bool is_stopped(struct fault_env *e)
{
	struct etw_test_enabled key = { .level = 1, .keyword = 1 };

	return vm_query(e->fd, e->handle, NULL) == -ENOENT && !e->area[e->slot].enabled &&
	       !e->area[e->slot2].enabled && !vm_ioctl(e->kfd, ETW_TEST_ENABLED, &key) &&
	       !key.inline_test && !vm_drain(&e->reader, NULL, NULL) &&
	       e->reader.events == 1;
}

static const struct fault_op change_ops[] = {
	{ .name = "SESSION_UPDATE", .prepare = before_update, .call = do_update,
	  .done = is_updated, .clean = end_session, .late = true, .once = true,
	  .enomem = 1, .efault = 4 },
	{ .name = "SESSION_FLUSH", .prepare = real_time_session, .call = do_flush,
	  .done = is_flushed, .clean = end_session, .late = true, .once = true,
	  .efault = 4 },
	{ .name = "SESSION_FLUSH, BUFFERING", .prepare = before_snapshot, .call = do_flush,
	  .done = snapshot_is_whole, .judge = snapshot_goes_on, .clean = end_session,
	  .late = true, .once = true, .enomem = 3, .efault = 3 },
	{ .name = "SESSION_STOP", .prepare = real_time_session, .call = do_stop,
	  .done = is_stopped, .clean = end_session, .late = true, .once = true,
	  .efault = 4 },
};

/* -------------------------------------------------------------------- looking */

static int do_query(struct fault_env *e)
{
	memset(e->text, 0, sizeof(e->text));
	e->arg.session = vm_session("T-BASE");
	e->arg.session.name_out = VM_PTR(e->text);
	e->arg.session.name_cap = sizeof(e->text);
	return vm_ioctl(e->fd, ETW_IOC_SESSION_QUERY, &e->arg.session);
}

static bool is_base(struct fault_env *e)
{
	return e->arg.session.handle == e->base && !strcmp(e->text, "t-base");
}

static int do_enum(struct fault_env *e)
{
	e->arg.session_enum = (struct etw_session_enum){
		.size = sizeof(e->arg.session_enum), .handles = VM_PTR(e->room),
		.capacity = 64 };
	return vm_ioctl(e->fd, ETW_IOC_SESSION_ENUM, &e->arg.session_enum);
}

static bool one_session(struct fault_env *e)
{
	return e->arg.session_enum.count == 1 && !memcmp(e->room, &e->base, 8);
}

static void one_consumer(struct fault_env *e)
{
	vm_reader_open(&e->reader, e->fd, e->base, O_NONBLOCK);
}

static void no_consumer(struct fault_env *e)
{
	vm_reader_close(&e->reader);
}

static int do_stat(struct fault_env *e)
{
	e->arg.stat = (struct etw_session_stat){
		.size = sizeof(e->arg.stat), .name = VM_PTR("t-base"), .name_len = 6,
		.consumers = VM_PTR(e->room), .consumer_cap = 16 };
	return vm_ioctl(e->fd, ETW_IOC_SESSION_STAT, &e->arg.stat);
}

static bool told_one_consumer(struct fault_env *e)
{
	struct etw_consumer_info info;

	memcpy(&info, e->room, sizeof(info));
	return e->arg.stat.consumer_count == 1 && info.pid == (uint32_t)getpid();
}

static const struct fault_op look_ops[] = {
	{ .name = "SESSION_QUERY", .call = do_query, .done = is_base, .enomem = 1,
	  .efault = 4 },
	{ .name = "SESSION_ENUM", .call = do_enum, .done = one_session, .efault = 4 },
	{ .name = "SESSION_STAT", .prepare = one_consumer, .call = do_stat,
	  .done = told_one_consumer, .clean = no_consumer, .enomem = 2, .efault = 5 },
};

/* ------------------------------------------------------------ periodic capture */

static int periodic(struct fault_env *e, uint32_t flags, uint32_t count)
{
	struct etw_guid guids[2] = { vm_guid(21), vm_guid(22) };
	struct etw_session_capture *c = &e->arg.capture;

	memcpy(e->room, guids, sizeof(guids));
	*c = (struct etw_session_capture){
		.size = sizeof(*c), .flags = flags, .handle = e->base,
		.guids = VM_PTR(e->room), .count = count, .period_s = count ? 1000 : 0 };
	return vm_ioctl(e->fd, ETW_IOC_SESSION_CAPTURE, c);
}

static int do_periodic(struct fault_env *e)
{
	return periodic(e, ETW_CAPTURE_SET, 2);
}

static int do_tell(struct fault_env *e)
{
	return periodic(e, 0, 2);
}

static bool two_are_set(struct fault_env *e)
{
	struct etw_session_capture *c = &e->arg.capture;

	return !do_tell(e) && c->count == 2 && c->period_s == 1000;
}

static bool told_two(struct fault_env *e)
{
	return e->arg.capture.count == 2;
}

static void two_periodic(struct fault_env *e)
{
	do_periodic(e);
}

static void end_periodic(struct fault_env *e)
{
	periodic(e, ETW_CAPTURE_SET, 0);
}

static const struct fault_op periodic_ops[] = {
	{ .name = "SESSION_CAPTURE, set", .call = do_periodic, .done = two_are_set,
	  .clean = end_periodic, .late = true, .once = true, .enomem = 1, .efault = 4 },
	{ .name = "SESSION_CAPTURE", .prepare = two_periodic, .call = do_tell,
	  .done = told_two, .clean = end_periodic, .enomem = 1, .efault = 4 },
};

FAULT_TEST(starting, start_ops)
FAULT_TEST(changing, change_ops)
FAULT_TEST(looking, look_ops)
FAULT_TEST(periodic, periodic_ops)

TEST_HARNESS_MAIN
