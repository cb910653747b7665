// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault_consumer - every failure of opening a consumer, and on its file
 *
 * TIMEOUT: 900
 */
#include "lib/vm.h"
#include "lib/fault/vm_fault.h"

FAULT_FIXTURE

/* --------------------------------------------------------------------- opening */

static int consume(struct fault_env *e)
{
	e->arg.open = (struct etw_consumer_open){
		.size = sizeof(e->arg.open), .name = VM_PTR(e->text),
		.name_len = strlen(e->text), .flags = O_CLOEXEC | O_NONBLOCK };
	return vm_ioctl(e->fd, ETW_IOC_CONSUMER_OPEN, &e->arg.open);
}

static bool is_open(struct fault_env *e)
{
	struct etw_buffer_take take;

	e->tmp = e->arg.open.fd;
	return vm_take(e->tmp, &take) == -EAGAIN && fcntl(e->tmp, F_GETFD) == FD_CLOEXEC;
}

static void close_tmp(struct fault_env *e)
{
	if (e->tmp >= 0)
		close(e->tmp);
	e->tmp = -1;
}

/* The session keeps what its first consumer had to record losses in. */
static void consumed_before(struct fault_env *e)
{
	strcpy(e->text, "t-base");
	if (!consume(e))
		close(e->arg.open.fd);
}

static void not_consumed_before(struct fault_env *e)
{
	strcpy(e->text, "t-open");
	e->handle = vm_start_named(e->fd, e->text);
}

static void close_and_stop(struct fault_env *e)
{
	close_tmp(e);
	vm_stop(e->fd, e->handle);
}

/* What records losses may stay, also if the consumer got no further. */
static bool same_but_kept(struct fault_env *e, const struct fault_state *was, int ret)
{
	struct fault_state more = *was;

	(void)ret;
	more.blocks++;
	return fault_same(e, &more, true, false);
}

static const struct fault_op open_ops[] = {
	{ .name = "CONSUMER_OPEN", .prepare = consumed_before, .call = consume,
	  .done = is_open, .undo = close_tmp, .enomem = 3, .efault = 4 },
	{ .name = "CONSUMER_OPEN, the first", .prepare = not_consumed_before, .call = consume,
	  .done = is_open, .judge = same_but_kept, .clean = close_and_stop, .once = true,
	  .enomem = 4, .efault = 4 },
};

/* ----------------------------------------------------------- what a try starts with */

/* A session with a consumer, for which one buffer waits. */
static void one_waits(struct fault_env *e)
{
	e->arg.session = vm_session("t-read");
	e->arg.session.flush_ms = 600000;
	e->arg.session.buffer_kb = 8;
	vm_start(e->fd, &e->arg.session);
	e->handle = e->arg.session.handle;
	e->map_size = (e->arg.session.buffers + e->arg.session.reserve_buffers) * 8192;
	vm_reader_open(&e->reader, e->fd, e->handle, O_NONBLOCK);
	vm_enable(e->fd, e->handle, vm_guid(1), 0, 0, 0);
	fault_no_notices(e);
	vm_write(e->fd, e->slot, 1, 1, 1, "one", 3);
	vm_flush(e->fd, e->handle);
	e->arg.take = (struct etw_buffer_take){ .size = sizeof(e->arg.take) };
}

static void end(struct fault_env *e)
{
	if (e->map != MAP_FAILED)
		munmap(e->map, e->map_size);
	e->map = MAP_FAILED;
	vm_reader_close(&e->reader);
	vm_stop(e->fd, e->handle);
	fault_no_notices(e);
}

static bool info_is(struct fault_env *e, uint32_t held, uint64_t events, uint64_t lost,
		    uint64_t backlog)
{
	return !vm_consumer_info(e->reader.fd, &e->info) && e->info.held == held &&
	       e->info.events == events && e->info.events_lost == lost &&
	       e->info.backlog == backlog;
}

/* -------------------------------------------------------------------- read and map */

static int do_read(struct fault_env *e)
{
	ssize_t n = read(e->reader.fd, e->room, sizeof(e->room));

	return n < 0 ? -errno : (int)n;
}

static bool has_read(struct fault_env *e)
{
	uint64_t events = 0;

	return !vm_walk(e->room, 8192, NULL, NULL, &events) && events == 1 &&
	       info_is(e, 0, 1, 0, 0);
}

/* The buffer stays for the next read. */
static bool reads_again(struct fault_env *e, const struct fault_state *was, int ret)
{
	(void)was;
	return ret == -EFAULT && do_read(e) == 8192 && has_read(e);
}

static int do_map(struct fault_env *e)
{
	e->map = mmap(NULL, e->map_size, PROT_READ, MAP_SHARED, e->reader.fd, 8192);
	return e->map == MAP_FAILED ? -errno : 0;
}

static bool map_shows(struct fault_env *e)
{
	const uint8_t *p = e->map;
	uint64_t events = 0;
	struct etw_buffer_take t;

	return !vm_take(e->reader.fd, &t) && t.index >= 1 && t.index * 8192 <= e->map_size &&
	       !vm_walk(p + (t.index - 1) * 8192, 8192, NULL, NULL, &events) &&
	       events == 1;
}

static int do_poll(struct fault_env *e)
{
	struct pollfd p[40];
	int i, ret;

	for (i = 0; i < 40; i++)
		p[i] = (struct pollfd){ .fd = e->reader.fd, .events = POLLIN | POLLPRI };
	ret = poll(p, 40, 0);
	return ret < 0 ? -errno : ret;
}

static const struct fault_op read_ops[] = {
	{ .name = "read", .prepare = one_waits, .call = do_read, .done = has_read,
	  .judge = reads_again, .clean = end, .once = true, .efault = 1 },
	{ .name = "mmap", .prepare = one_waits, .call = do_map, .done = map_shows,
	  .clean = end, .once = true, .enomem = 2 },
	{ .name = "poll", .prepare = one_waits, .call = do_poll, .clean = end, .enomem = 1,
	  .efault = 1 },
};

/* ------------------------------------------------------------------- take and give */

static int do_take(struct fault_env *e)
{
	return vm_ioctl(e->reader.fd, ETW_IOC_BUFFER_TAKE, &e->arg.take);
}

static bool has_taken(struct fault_env *e)
{
	return e->arg.take.index && e->arg.take.events == 1 && info_is(e, 1, 1, 0, 0) &&
	       !vm_give(e->reader.fd, e->arg.take.index);
}

/* The next buffer only records that one was lost; there is none after it. */
static bool takes_loss(struct fault_env *e)
{
	struct etw_buffer_take t;

	return !vm_take(e->reader.fd, &t) && !t.events && t.used > ETW_BUFFER_HEADER_SIZE &&
	       !vm_give(e->reader.fd, t.index) && vm_take(e->reader.fd, &t) == -EAGAIN;
}

/* Either nothing was taken, or it was given back, and the consumer has lost it. */
static bool none_taken(struct fault_env *e, const struct fault_state *was, int ret)
{
	struct etw_buffer_take t;

	if (ret != -EFAULT)
		return false;
	if (info_is(e, 0, 0, 0, 1))
		return fault_same(e, was, true, false) && !vm_take(e->reader.fd, &t);
	return info_is(e, 0, 0, 1, 0) && e->info.buffers_lost == 1 && takes_loss(e);
}

static void peek_arg(struct fault_env *e)
{
	one_waits(e);
	e->arg.take.flags = ETW_TAKE_PEEK;
}

static bool has_peeked(struct fault_env *e)
{
	return e->arg.take.complete_through && !e->arg.take.index &&
	       info_is(e, 0, 0, 0, 1) && !fault_polls(e->reader.fd, POLLPRI);
}

/* complete_through has not been reported, so poll continues to signal it. */
static bool not_told(struct fault_env *e, const struct fault_state *was, int ret)
{
	bool same = fault_same(e, was, true, false);

	if (!fault_polls(e->reader.fd, POLLPRI)) {
		fprintf(stderr, "# POLLPRI was cleared without a report\n");
		same = false;
	}
	return same && ret == -EFAULT;
}

/* No buffer waits: the result is EAGAIN, with a complete_through all the same. */
static void before_take_none(struct fault_env *e)
{
	one_waits(e);
	vm_drain(&e->reader, NULL, NULL);
}

static int do_take_none(struct fault_env *e)
{
	int ret = do_take(e);

	return ret == -EAGAIN ? 0 : ret;
}

static bool told_that_none(struct fault_env *e)
{
	return e->arg.take.complete_through && !fault_polls(e->reader.fd, POLLPRI);
}

/* Refused, although the argument seems to describe the buffer that is held. */
static void before_take_refused(struct fault_env *e)
{
	one_waits(e);
	do_take(e);
	e->held = e->arg.take.index;
	e->arg.take.flags = 1u << 31;
	e->arg.take.events = 999;
}

static int do_take_refused(struct fault_env *e)
{
	int ret = do_take(e);

	return ret == -EINVAL ? 0 : ret;
}

static bool holds_still(struct fault_env *e)
{
	return info_is(e, 1, 1, 0, 0) && e->info.buffers == 1 && !e->info.buffers_lost &&
	       !vm_give(e->reader.fd, e->held);
}

static bool nothing_changed(struct fault_env *e, const struct fault_state *was, int ret)
{
	return fault_same(e, was, true, false) && ret == -EFAULT && holds_still(e);
}

static void before_give(struct fault_env *e)
{
	one_waits(e);
	do_take(e);
	e->arg.give = (struct etw_buffer_give){
		.size = sizeof(e->arg.give), .index = e->arg.take.index };
}

static int do_give(struct fault_env *e)
{
	return vm_ioctl(e->reader.fd, ETW_IOC_BUFFER_GIVE, &e->arg.give);
}

static bool is_given(struct fault_env *e)
{
	return info_is(e, 0, 1, 0, 0);
}

static int do_stat(struct fault_env *e)
{
	e->arg.consumer_stat = (struct etw_consumer_stat){
		.size = sizeof(e->arg.consumer_stat) };
	return vm_ioctl(e->reader.fd, ETW_IOC_CONSUMER_STAT, &e->arg.consumer_stat);
}

static bool has_stat(struct fault_env *e)
{
	return e->arg.consumer_stat.info.backlog == 1 &&
	       e->arg.consumer_stat.info.pid == (uint32_t)getpid();
}

static const struct fault_op take_ops[] = {
	{ .name = "BUFFER_TAKE", .prepare = one_waits, .call = do_take, .done = has_taken,
	  .judge = none_taken, .clean = end, .once = true, .efault = 3 },
	{ .name = "BUFFER_TAKE, only a look", .prepare = peek_arg, .call = do_take,
	  .done = has_peeked, .judge = not_told, .clean = end, .once = true, .efault = 3 },
	{ .name = "BUFFER_TAKE of nothing", .prepare = before_take_none,
	  .call = do_take_none, .done = told_that_none, .judge = not_told, .clean = end,
	  .once = true, .efault = 3 },
	{ .name = "BUFFER_TAKE, bad flags", .prepare = before_take_refused,
	  .call = do_take_refused, .done = holds_still, .judge = nothing_changed,
	  .clean = end, .once = true, .efault = 3 },
	{ .name = "BUFFER_GIVE", .prepare = before_give, .call = do_give, .done = is_given,
	  .clean = end, .once = true, .efault = 1 },
	{ .name = "CONSUMER_STAT", .prepare = one_waits, .call = do_stat, .done = has_stat,
	  .clean = end, .efault = 3 },
};

FAULT_TEST(opening, open_ops)
FAULT_TEST(reading, read_ops)
FAULT_TEST(taking, take_ops)

TEST_HARNESS_MAIN
