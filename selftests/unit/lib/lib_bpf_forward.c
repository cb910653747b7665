/* SPDX-License-Identifier: MIT */
/*
 * lib_bpf_forward.c - records of a BPF ring become events: what they hold, who wants them, their
 * time, and what was lost
 */
#include <sys/syscall.h>

#include "lib_fake.h"
#include "lib_private.h"

#include <etw/bpf.h>
#include "base/name_guid.h"
#include "lib/provider/bpf_batch.h"
#include "lib/provider/bpf_clock.h"
#include "lib/tap.h"

#define FIRST(field)				\
	field(u8, small, "Small")		\
	field(text, name, "Name", 5)		\
	field(user_text, given, "Given")	\
	field(bytes, raw, "Raw", 3)
#define SECOND(field)				\
	field(u64, number, "Number")
#define EVENTS(event)				\
	event(first, FIRST, "One", 4, 0x10)	\
	event(second, SECOND, "Two", 2, 0x20)
ETW_BPF_PROVIDER(unit, "Unit-Bpf", EVENTS)

struct ring_first {
	struct etw_bpf_ring_record head;
	struct first record;
	struct etw_bpf_ring_text texts[1];
};

struct ring_second {
	struct etw_bpf_ring_record head;
	struct second record;
};

static struct etw_bpf_forwarder *forwarder;
static volatile __u64 wanted[2];
static struct etw_guid guid;

static int open_it(void *context, const char *name, const struct etw_bpf_event_info *infos,
		   unsigned int count)
{
	(void)context;
	return etw_bpf_forward_open(name, infos, count, &forwarder);
}

static int open_forwarder(void)
{
	return etw_bpf_describe_unit(open_it, NULL);
}

/* Callbacks run in a thread. */
static bool wants(uint64_t first, uint64_t second)
{
	int i;

	for (i = 0; i < 5000 && (!!wanted[0] != first || !!wanted[1] != second); i++)
		usleep(1000);
	return !!wanted[0] == first && !!wanted[1] == second;
}

static void test_wanted(void)
{
	wanted[0] = wanted[1] = 7;
	etw_bpf_forward_start(forwarder, wanted);
	ok(wants(0, 0), "nobody wants any");
	fake_control(&guid, ETW_CONTROL_ENABLE, 2, 0, 0);
	ok(wants(0, 1), "by level");
	fake_control(&guid, ETW_CONTROL_ENABLE, 5, 0x10, 0);
	ok(wants(1, 0), "by keyword");
	fake_control(&guid, ETW_CONTROL_ENABLE, 5, 0x30, 0);
	ok(wants(1, 1), "both");
}

/* What is at the end of each event, and of its metadata */
static bool has_origin(const struct fake_write *w)
{
	static const uint32_t origin[] = { 11, 12, 3 };

	return w->len >= 12 && !memcmp(w->data + w->len - 12, origin, 12);
}

/* Write a record, and with it whatever waits. */
static int write_now(const void *record, size_t size)
{
	const int err = etw_bpf_forward_write(forwarder, record, size);

	return etw_bpf_forward_flush(forwarder) ? -ENOBUFS : err;
}

static void test_written(void)
{
	struct ring_first record = {
		.head = { .time = 5, .process = 11, .thread = 12, .cpu = 3, .event = 0 },
		.record = { .small = 9, .name = "ab", .raw = { 1, 2, 3 } },
		.texts = { { .size = 6, .text = "given" } },
	};
	static const char payload[] = "\x09" "\x02\0" "ab" "\x05\0" "given" "\x03\0" "\1\2\3";
	static const char without[] = "\x09" "\x05\0" "abcde" "\0\0" "\x03\0" "\1\2\3";
	const struct fake_write *last = &fake->last;
	static const char names[] = "OriginProcessId\0\x88\5" "OriginThreadId\0\x88\6"
				    "OriginCpu\0\x08";
	const uint32_t writes = fake->writes;
	const char *end;

	is(etw_bpf_forward_write(forwarder, &record, sizeof(record)), 0, "taken");
	is(fake->writes, writes, "it waits for others");
	is(etw_bpf_forward_flush(forwarder), 0, "written");
	is(fake->writes, writes + 1, "once");
	is(etw_bpf_forward_flush(forwarder), 0, "nothing is left to write");
	is(fake->writes, writes + 1, "nor written again");
	end = memmem(last->data, last->len, names, sizeof(names) - 1);
	ok(end, "metadata of the three fields");
	ok(end && !memcmp(end + sizeof(names) - 1, payload, sizeof(payload) - 1), "the payload");
	ok(has_origin(last), "where it happened");
	is(last->event.desc.level, 4, "level");
	is(last->event.desc.keyword, 0x10, "keyword");
	is(last->event.desc.channel, ETW_CHANNEL_TRACELOGGING, "channel");
	memcpy(record.record.name, "abcde", 5);
	record.texts[0].size = -EFAULT;
	is(write_now(&record, sizeof(record)), 0, "a text that is not there");
	ok(memmem(last->data, last->len, without, sizeof(without) - 1), "is empty");
}

static void test_lost(void)
{
	struct ring_second record = { .head = { .event = 1 }, .record = { .number = 1 } };
	const uint32_t writes = fake->writes, ioctls = fake->ioctls;
	uint32_t lost = fake->lost;

	etw_bpf_forward_lost(forwarder, 1, 5);
	is(fake->lost, lost + 5, "each is counted");
	is(fake->ioctls, ioctls + 1, "all at once");
	etw_bpf_forward_lost(forwarder, 2, 5);
	is(fake->lost, lost + 5, "no such event");
	fake->lost_one_by_one = true;
	etw_bpf_forward_lost(forwarder, 1, 3);
	is(fake->lost, lost + 8, "without a capability one after the other");
	fake->lost_one_by_one = false;
	lost += 3;
	is(etw_bpf_forward_write(forwarder, &record, sizeof(record) - 1), -EINVAL, "too short");
	is(fake->lost, lost + 6, "and counted");
	record.head.event = 2;
	is(etw_bpf_forward_write(forwarder, &record, sizeof(record)), -EINVAL, "unknown");
	is(etw_bpf_forward_write(forwarder, &record, sizeof(record.head) - 1), -EINVAL, "no head");
	is(fake->writes, writes, "nothing was written");
	record.head.event = 1;
	is(write_now(&record, sizeof(record)), 0, "another one");
	is(fake->writes, writes + 1, "is written");
	fake->error[0x32] = -ENOMEM;
	etw_bpf_forward_write(forwarder, &record, sizeof(record));
	is(write_now(&record, sizeof(record)), -ENOBUFS, "the kernel takes none of two");
	is(fake->writes, writes + 1, "nothing is written");
	is(fake->lost, lost + 8, "both are counted");
	is(fake->lost_filter, 0, "by the sessions that would have had them");
	fake_control(&guid, ETW_CONTROL_DISABLE, 0, 0, 0);
	ok(wants(0, 0), "disabled");
	etw_bpf_forward_lost(forwarder, 1, UINT64_MAX);
	is(fake->lost, lost + 8, "nobody wants to know");
}

static void test_refused(void)
{
	struct etw_bpf_field field = { "f", ETW_BPF_u32, 4, 4 };
	struct etw_bpf_event_info info = { .name = "e", .fields = &field, .field_count = 1,
					   .size = 4 };
	struct etw_bpf_forwarder *f = forwarder;

	is(etw_bpf_forward_open("n", &info, 1, &f), -EINVAL, "a field outside of the record");
	ok(!f, "nothing to close");
	fake->open_error = -ENOENT;
	is(open_forwarder(), -ENOENT, "no module");
	fake->open_error = 0;
	etw_bpf_forward_close(NULL);
}

/* The process may lose its CPU between any two readings of clocks. */
static useconds_t delay_us;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (delay_us)
		usleep(delay_us);
	return (int)syscall(SYS_clock_gettime, clock, ts);
}

static void test_delays(void)
{
	struct etw_bpf_clocks c = { .sessions = { 0x5, 0x2, 0, 0 }, .known = 0x7 };
	struct etw_bpf_anchor undelayed = { 0 }, now = { 0 };
	const uint64_t boot = private_ns(CLOCK_BOOTTIME);

	etw_bpf_anchor_renew(&undelayed, &c, boot);
	delay_us = 20000;
	etw_bpf_anchor_renew(&now, &c, boot);
	delay_us = 0;
	ok(now.took >= 20000000, "the clocks are read slowly");
	ok(now.tsc_failed == undelayed.tsc_failed, "which is no sleep of the machine");
}

static void test_clocks(void)
{
	const struct etw_bpf_anchor anchor = { .boot = 1000000, .tsc = 900000, .wall = 70000 };
	struct etw_bpf_clocks c = { .sessions = { 0x5, 0x2, 0, 0 }, .known = 0x7,
				    .tsc_rate = 3000000000 };
	struct etw_bpf_anchor now = { 0 };
	uint64_t without, wall;

	ok(etw_bpf_ticks(&c, &anchor, ETW_BPF_TSC, 999000) == 897000, "the TSC");
	ok(etw_bpf_ticks(&c, &anchor, ETW_BPF_BOOT, 999000) == 999000, "CLOCK_BOOTTIME");
	ok(etw_bpf_ticks(&c, &anchor, ETW_BPF_WALL, 999000) == 69990, "the wall clock");
	ok(etw_bpf_clocks_excluded(&c, ETW_BPF_TSC, &without) && without == ~0x5ULL,
	   "only those that are known to have a clock get its time");
	ok(etw_bpf_clocks_excluded(&c, ETW_BPF_BOOT, &without) && without == ~0x2ULL,
	   "each clock has its own");
	ok(!etw_bpf_clocks_excluded(&c, ETW_BPF_WALL, &without), "nobody has it");
	ok(!etw_bpf_clocks_excluded(&c, ETW_BPF_NOW, &without), "all are known");
	etw_bpf_anchor_renew(&now, &c, private_ns(CLOCK_BOOTTIME));
	ok(now.boot && now.wall, "read");
	/* Second by second the TSC goes on, but not by so much. */
	now.boot -= 1000000000;
	now.tsc -= 9000000000;
	wall = now.wall;
	etw_bpf_anchor_renew(&now, &c, now.boot + 9000000);
	ok(now.wall == wall, "not read for what happened soon after it was");
	etw_bpf_anchor_renew(&now, &c, now.boot + 1000000000);
	ok(now.tsc_failed && !c.sessions[ETW_BPF_TSC] && c.sessions[ETW_BPF_NOW] == 0x5 &&
	   c.sessions[ETW_BPF_BOOT] == 0x2, "after a failure of the TSC, the time of writing");
	memset(&c, 0, sizeof(c));
	ok(etw_bpf_clocks_excluded(&c, ETW_BPF_NOW, &without) && !without, "none is known");
}

/* In a time namespace whose CLOCK_BOOTTIME is 1000 s ahead: 0, 1: another time, 2: not possible */
static int read_ahead(uint64_t boot)
{
	static const char offset[] = "boottime 1000 0";
	struct etw_bpf_anchor now = { 0 }, here = { 0 };
	struct etw_bpf_clocks c = { .tsc_rate = 0 };
	int fd, status;
	pid_t pid;

	etw_bpf_anchor_renew(&here, &c, boot);
	if (unshare(CLONE_NEWTIME) && unshare(CLONE_NEWUSER | CLONE_NEWTIME))
		return 2;
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	if (fd < 0 || write(fd, offset, sizeof(offset) - 1) != sizeof(offset) - 1)
		return 2;
	close(fd);
	pid = fork();
	if (!pid) {
		uint64_t times[PRIVATE_CLOCKS];

		etw_bpf_anchor_renew(&now, &c, boot);
		etw_bpf_private_ticks(&now, now.boot, times);
		_exit(now.boot - boot > 500000000000 || now.tsc_failed != here.tsc_failed ||
		      times[PRIVATE_BOOT] - now.boot != 1000000000000);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void test_namespace(void)
{
	const uint64_t boot = private_ns(CLOCK_BOOTTIME);
	int status = 0;
	pid_t pid = fork();

	if (!pid)
		_exit(read_ahead(boot));
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		skip("a time namespace: there are none");
	else
		is(status, 0, "in a time namespace, the machine's time");
}

/* Which session has which clock is asked when sessions come and go, not with each event. */
static void test_asks(void)
{
	struct ring_second record = { .head = { .event = 1 }, .record = { .number = 1 } };
	uint32_t before;

	write_now(&record, sizeof(record));
	before = fake->ioctls;
	etw_bpf_forward_write(forwarder, &record, sizeof(record));
	write_now(&record, sizeof(record));
	is(fake->ioctls, before + 1, "two events are one command");
	fake_control(&guid, ETW_CONTROL_ENABLE, 5, 0x30, 0);
	write_now(&record, sizeof(record));
	ok(fake->ioctls > before + 2, "the sessions are looked at again");
}

/* A ring that never becomes empty: events do not wait for its end. */
static void test_many(void)
{
	struct ring_second record = { .head = { .event = 1 }, .record = { .number = 1 } };
	const uint32_t writes = fake->writes, ioctls = fake->ioctls;
	unsigned int i;

	for (i = 0; i < 2000; i++)
		etw_bpf_forward_write(forwarder, &record, sizeof(record));
	ok(fake->writes > writes + 1000, "most are written");
	ok(fake->ioctls < ioctls + 50, "by few commands");
	etw_bpf_forward_flush(forwarder);
	is(fake->writes, writes + 2000, "all are");
}

/* An event with a time of its own, for all sessions but the third. 0: written */
static int write_batch(void)
{
	static const char schema[] = "\x05\0" "abc", payload[] = "payload";
	struct etw_bpf_batch_schema of_batch = { 0 };
	const struct etw_bpf_event_in in = {
		.head = { .flags = ETW_MANY_TIME, .payload_len = sizeof(payload), .time = 77 },
		.payload = payload, .schema = schema, .schema_len = 5, .of_batch = &of_batch,
	};
	struct etw_bpf_batch batch = { 0 };
	REGHANDLE handle;
	int err;

	if (EventRegister((const GUID *)&guid, NULL, NULL, &handle) ||
	    etw_bpf_batch_add(&batch, handle, 4, &in))
		return 1;
	err = etw_bpf_batch_write(&batch, handle);
	etw_bpf_batch_free(&batch);
	return err || EventUnregister(handle);
}

/* What is lost of a batch is not lost by the sessions that it was not for. */
static void test_lost_batch(void)
{
	const uint32_t lost = fake->lost;

	fake->error[0x32] = -EFAULT;
	ok(write_batch(), "a batch that the kernel does not take");
	is(fake->lost, lost + 1, "is counted");
	is(fake->lost_filter, 4, "where it was missed");
}

/* Three batches. 0: all were written */
static int write_batches(void)
{
	const struct ring_second record = {
		.head = { .process = 11, .thread = 12, .cpu = 3, .event = 1 },
		.record = { .number = 1 },
	};
	int i, err;

	fake_control(&guid, ETW_CONTROL_ENABLE, 5, 0x30, 0);
	err = write_batch() || open_forwarder();
	for (i = 0; !err && i < 2; i++) {
		err = etw_bpf_forward_write(forwarder, &record, sizeof(record));
		err = err ? err : write_now(&record, sizeof(record));
	}
	if (forwarder)
		etw_bpf_forward_close(forwarder);
	return !!err;
}

/* Of a module that is older than the library, which a process asks once. */
static void test_older(void)
{
	static const char data[] = "\x05\0" "abc" "payload\0" "\x4d\0\0\0\0\0\0";
	const struct fake_write *last = &fake->last;
	int status;
	pid_t pid;

	fake->lacks_many = true;
	pid = fork();
	if (!pid)
		_exit(write_batches());
	ok(waitpid(pid, &status, 0) == pid && !status, "a module without the command for many");
	is(fake->writes, 5, "each event is written alone");
	is(fake->lost, 0, "none is lost");
	is(fake->unknown, 1, "it is asked once");
	is(last->event.desc.keyword, 0x20, "as itself");
	ok(has_origin(last), "with where it happened");
	pid = fork();
	if (!pid)
		_exit(write_batch());
	ok(waitpid(pid, &status, 0) == pid && !status, "one with a time");
	is(last->len, sizeof(data), "has metadata, payload and time");
	ok(!memcmp(last->data, data, sizeof(data)), "which are right");
	is(last->event.filter, 4, "only for the sessions that have this clock");
	fake->lacks_many = false;
	fake_control(&guid, ETW_CONTROL_DISABLE, 0, 0, 0);
}

/* A child has the map, which is its parent's. */
static void test_child(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		etw_bpf_forward_close(forwarder);
		_exit(0);
	}
	ok(waitpid(pid, &status, 0) == pid && !status, "a child closes its copy");
	ok(wanted[0] && wanted[1], "the parent's programs go on");
}

static void test_stopped(void)
{
	etw_bpf_forward_start(forwarder, NULL);
	ok(!wanted[0] && !wanted[1], "programs write nothing more");
	fake_control(&guid, ETW_CONTROL_ENABLE, 5, 0x30, 0);
	usleep(10000);
	ok(!wanted[0] && !wanted[1], "whatever sessions want");
	etw_bpf_forward_start(forwarder, wanted);
	ok(wants(1, 1), "and again");
}

/* The last event's time, for each of them */
static void see(const EVENT_RECORD *record, void *arg)
{
	*(int64_t *)arg = record->EventHeader.TimeStamp.QuadPart;
}

/* A private session with this clock gets the event once, with the time when it happened. */
static void test_private(ULONG clock, const char *file)
{
	struct ring_second record = { .head = { .event = 1 }, .record = { .number = 1 } };
	struct block *b = block_of((const GUID *)&guid, PRIVATE, file);
	const uint32_t writes = fake->writes;
	int64_t begin, end, time = 0;
	TRACEHANDLE h;

	b->p.BufferSize = 4;
	b->p.MinimumBuffers = 64;
	b->p.Wnode.ClientContext = clock;
	is(StartTraceA(&h, file, &b->p), ERROR_SUCCESS, file);
	is(enable(h, (const GUID *)&guid, 5, 0x20), ERROR_SUCCESS, "enabled");
	ok(wants(1, 1), "both it and a session of the kernel");
	/* After the session's start, but before now */
	usleep(50000);
	begin = (int64_t)private_wall() - 200000;
	record.head.time = private_ns(CLOCK_BOOTTIME) - 20000000;
	end = (int64_t)private_wall() - 200000;
	is(write_now(&record, sizeof(record)), 0, "written");
	is(fake->writes, writes + 1, "to the kernel once");
	is(stop(h), ERROR_SUCCESS, "stopped");
	is(read_file(in_dir(file), see, &time, NULL), 1, "and to it once");
	/* The clocks differ by less than a millisecond. */
	if (!ok(time > begin - 10000 && time < end + 10000, "at the time when it happened"))
		printf("# %lld, not %lld to %lld\n", (long long)time, (long long)begin,
		       (long long)end);
}

int main(void)
{
	fake_init();
	etw_guid_from_name("Unit-Bpf", 8, &guid);
	test_delays();
	test_clocks();
	test_namespace();
	test_older();
	is(open_forwarder(), 0, "opened");
	ok(!strncmp(etw_bpf_forward_name(forwarder), ETW_BPF_THREAD, strlen(ETW_BPF_THREAD)) &&
	   strlen(etw_bpf_forward_name(forwarder)) == 14, "a name for the thread");
	test_wanted();
	test_written();
	test_asks();
	test_many();
	test_child();
	test_stopped();
	dir_make();
	test_private(1, "qpc.etl");
	test_private(2, "system.etl");
	dir_remove();
	test_lost_batch();
	test_lost();
	etw_bpf_forward_close(forwarder);
	test_refused();
	return done_testing();
}
