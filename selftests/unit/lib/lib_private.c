// SPDX-License-Identifier: MIT
/* Private sessions: start, control, stop, and what is in their files */
#include "lib_private.h"
#include "lib/private/file.h"
#include "lib/private/private.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

static REGHANDLE prov;

static void write_some(int count)
{
	EVENT_DATA_DESCRIPTOR data;
	int i;

	for (i = 0; i < count; i++) {
		EventDataDescCreate(&data, &i, sizeof(i));
		if (EventWrite(prov, &event, 1, &data))
			ok(0, "write %d", i);
	}
}

struct expected {
	int next, bad, first;
};

static void check_event(const EVENT_RECORD *r, void *arg)
{
	const EVENT_HEADER *h = &r->EventHeader;
	struct expected *e = arg;
	int number = -1;

	if (r->UserDataLength == sizeof(number))
		memcpy(&number, r->UserData, sizeof(number));
	/* The first event may be any. */
	if (!e->next)
		e->first = number;
	e->bad += number != e->first + e->next++ || memcmp(&h->ProviderId, &guid_a, sizeof(GUID)) ||
		  h->EventDescriptor.Id != 7 || h->EventDescriptor.Level != 4 ||
		  h->ProcessId != (ULONG)getpid() || h->ThreadId != (ULONG)gettid() ||
		  !(h->Flags & EVENT_HEADER_FLAG_PRIVATE_SESSION) || !h->ProcessorTime ||
		  h->Flags & EVENT_HEADER_FLAG_NO_CPUTIME;
}

/* B155 */
static void test_events(void)
{
	struct expected e = { 0, 0, 0 };
	struct reading r;
	TRACEHANDLE h = start("first", &guid_a, 0, "first.etl");
	struct block *b;
	ULONG ret;

	ok(h != 0, "a private session");
	is(EventEnabled(prov, &event), FALSE, "nothing is enabled yet");
	is(enable(h, &guid_a, 4, 0x10), ERROR_SUCCESS, "enable");
	is(EventEnabled(prov, &event), TRUE, "now it is");
	is(EventProviderEnabled(prov, 5, 0x10), FALSE, "not a higher level");
	is(EventProviderEnabled(prov, 4, 0x20), FALSE, "nor another keyword");
	is(EventProviderEnabled(prov, 0, 0), TRUE, "but the provider is");
	write_some(1000);
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	is(ret, ERROR_SUCCESS, "stop");
	is(b->p.EventsLost, 0, "nothing lost");
	ok(!strcmp(b->name, "first") && !strcmp(b->file, in_dir("first.etl")), "both names");
	is(EventEnabled(prov, &event), FALSE, "disabled again");
	is(read_file(in_dir("first.etl"), check_event, &e, &r), 1000, "all events are in the file");
	is(e.bad, 0, "as they were written");
	is(r.disorder, 0, "in order of time");
	is(verify(in_dir("first.etl")), 0, "etw verify: complete");
	is(stop(h), ERROR_WMI_INSTANCE_NOT_FOUND, "it is gone");
}


static ULONG try_start(struct block *b, const char *name)
{
	TRACEHANDLE h = 5;
	ULONG ret = StartTraceA(&h, name, &b->p);

	if (!ret)
		stop(h);
	return ret;
}

/* B120, B152, B156 */
static void test_refused(void)
{
	static const ULONG bad[] = {
		EVENT_TRACE_REAL_TIME_MODE, EVENT_TRACE_FILE_MODE_PREALLOCATE,
		EVENT_TRACE_INDEPENDENT_SESSION_MODE, EVENT_TRACE_FILE_MODE_APPEND,
		EVENT_TRACE_SECURE_MODE, EVENT_TRACE_SYSTEM_LOGGER_MODE,
		EVENT_TRACE_FILE_MODE_SEQUENTIAL | EVENT_TRACE_FILE_MODE_CIRCULAR,
	};
	struct block *b;
	size_t i;

	is(try_start(block_of(&guid_b, PRIVATE, "x.etl"), "x"), ERROR_WMI_GUID_NOT_FOUND,
	   "no provider of that GUID is registered here");
	is(try_start(block_of(&guid_b, EVENT_TRACE_PRIVATE_LOGGER_MODE, "x.etl"), "x"),
	   ERROR_WMI_GUID_NOT_FOUND, "nor without IN_PROC");
	is(try_start(block_of(&guid_a, EVENT_TRACE_PRIVATE_IN_PROC, "x.etl"), "x"),
	   ERROR_INVALID_PARAMETER, "IN_PROC alone");
	is(try_start(block_of(&guid_a, PRIVATE, NULL), "x"), ERROR_BAD_PATHNAME, "no file");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		b = block_of(&guid_a, PRIVATE | bad[i], "x.etl");
		b->p.MaximumFileSize = 1;
		is(try_start(b, "x"), ERROR_INVALID_PARAMETER, "excluded mode");
	}
	b = block_of(&guid_a, PRIVATE | EVENT_TRACE_FILE_MODE_NEWFILE, "x.etl");
	b->p.MaximumFileSize = 1;
	is(try_start(b, "x"), ERROR_INVALID_PARAMETER, "NEWFILE without a number");
	b = block_of(&guid_a, PRIVATE | EVENT_TRACE_USE_KBYTES_FOR_SIZE, "x.etl");
	b->p.MaximumFileSize = 100;
	is(try_start(b, "x"), ERROR_INVALID_PARAMETER, "no room for three buffers");
	is(try_start(block_of(&guid_a, PRIVATE, "none/x.etl"), "x"), ERROR_BAD_PATHNAME,
	   "no such folder");
	b = block_of(&guid_a, PRIVATE, "x.etl");
	b->p.MinimumBuffers = 60000;
	b->p.BufferSize = 16384;
	is(try_start(b, "x"), ERROR_NO_SYSTEM_RESOURCES, "more than an eighth of memory");
	ok(access(in_dir("x.etl"), F_OK), "no file was made");
	is(try_start(block_of(&guid_a, PRIVATE, "x.etl"), "x"), ERROR_SUCCESS, "and now it works");
}

/* B154, B156 */
static void test_limits(void)
{
	TRACEHANDLE h[8];
	struct block *b;
	char name[16];
	ULONG count = 0;
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		h[i] = start(name, &guid_a, EVENT_TRACE_BUFFERING_MODE, NULL);
		ok(h[i] != 0, "session %d", i + 1);
	}
	is(try_start(block_of(&guid_a, PRIVATE | EVENT_TRACE_BUFFERING_MODE, NULL), "s3"),
	   ERROR_NO_SYSTEM_RESOURCES, "no fourth one with IN_PROC");
	is(try_start(block_of(&guid_a, EVENT_TRACE_PRIVATE_LOGGER_MODE |
			      EVENT_TRACE_BUFFERING_MODE, NULL), "S1"),
	   ERROR_ALREADY_EXISTS, "the name is in use");
	for (; i < 8; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		b = block_of(&guid_a, EVENT_TRACE_PRIVATE_LOGGER_MODE | EVENT_TRACE_BUFFERING_MODE,
			     NULL);
		is(StartTraceA(&h[i], name, &b->p), ERROR_SUCCESS, "a session without it");
	}
	is(try_start(block_of(&guid_a, EVENT_TRACE_PRIVATE_LOGGER_MODE |
			      EVENT_TRACE_BUFFERING_MODE, NULL), "s8"),
	   ERROR_NO_SYSTEM_RESOURCES, "no ninth one");
	b = block_of(NULL, 0, NULL);
	is(QueryAllTracesA(&(EVENT_TRACE_PROPERTIES *){ &b->p }, 1, &count),
	   ERROR_WMI_SERVER_UNAVAILABLE, "they are not among all sessions");
	for (i = 0; i < 8; i++)
		is(stop(h[i]), ERROR_SUCCESS, "stop");
}

/* B134 */
static void test_control(void)
{
	TRACEHANDLE h = start("Control", &guid_a, 0, "control.etl");
	struct block *b;
	ULONG ret;

	enable(h, &guid_a, 0, 0);
	b = block_of(NULL, 0, "");
	b->file[0] = 0;
	is(ControlTraceA(0, "cONTROL", &b->p, EVENT_TRACE_CONTROL_QUERY), ERROR_SUCCESS,
	   "found by name");
	ok(b->p.Wnode.HistoricalContext == h && !memcmp(&b->p.Wnode.Guid, &guid_a, sizeof(GUID)),
	   "its handle and GUID");
	is(b->p.LogFileMode, PRIVATE, "its mode");
	is(b->p.BufferSize, 4, "its buffer size");
	is(b->p.NumberOfBuffers, b->p.MaximumBuffers, "its buffers");
	is(b->p.FlushTimer, 0, "no flush timer");
	is(b->p.BuffersWritten, 1, "only the header is written");
	write_some(10);
	b = control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	is(ret, ERROR_SUCCESS, "flush");
	ok(b->p.BuffersWritten >= 2, "a buffer is written");
	is(read_file(in_dir("control.etl"), NULL, NULL, NULL), 10, "and can be read");
	b = block_of(NULL, 0, NULL);
	b->p.FlushTimer = 3;
	b->p.MaximumBuffers = 1000;
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_UPDATE), ERROR_SUCCESS, "update");
	is(b->p.FlushTimer, 3, "changes the flush timer");
	ok(b->p.MaximumBuffers < 1000, "and not the buffers");
	b = block_of(NULL, 0, "second.etl");
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_UPDATE), ERROR_SUCCESS,
	   "continue in another file");
	ok(!strcmp(b->file, in_dir("second.etl")), "its name");
	write_some(5);
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME),
	   ERROR_INVALID_PARAMETER, "never in real time");
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_INCREMENT_FILE),
	   ERROR_INVALID_PARAMETER, "no next file");
	b = block_of(NULL, 0, "none/third.etl");
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_UPDATE), ERROR_BAD_PATHNAME,
	   "a file that cannot be");
	write_some(5);
	is(stop(h), ERROR_SUCCESS, "stop");
	is(ControlTraceA(h, NULL, &block_of(NULL, 0, "second.etl")->p, EVENT_TRACE_CONTROL_FLUSH),
	   ERROR_WMI_INSTANCE_NOT_FOUND, "a flush finds no session");
	is(ControlTraceA(h, NULL, &block_of(NULL, 0, "second.etl")->p, EVENT_TRACE_CONTROL_UPDATE),
	   ERROR_WMI_INSTANCE_NOT_FOUND, "nor does an update");
	is(read_file(in_dir("control.etl"), NULL, NULL, NULL), 10, "the first file");
	is(read_file(in_dir("second.etl"), NULL, NULL, NULL), 10, "the second one");
	is(verify(in_dir("control.etl")), 0, "is complete");
	is(verify(in_dir("second.etl")), 0, "is complete");
}

/* Wait until the file has so many events; what it has then. */
static int64_t wait_for_events(const char *file, int64_t count)
{
	int64_t events = 0;
	int tries;

	for (tries = 0; tries < 1000 && events < count; tries++) {
		usleep(10000);
		events = read_file(in_dir(file), NULL, NULL, NULL);
	}
	return events;
}

/* A buffer that is not full is written by the flush timer. */
static void test_timer(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_USE_MS_FLUSH_TIMER, "timer.etl");
	TRACEHANDLE h;

	b->p.FlushTimer = 20;
	is(StartTraceA(&h, "timer", &b->p), ERROR_SUCCESS, "a flush timer");
	enable(h, &guid_a, 0, 0);
	write_some(3);
	is(wait_for_events("timer.etl", 3), 3, "the events are written meanwhile");
	write_some(2);
	is(wait_for_events("timer.etl", 5), 5, "and those that follow");
	is(stop(h), ERROR_SUCCESS, "stop");
}

/* A shorter flush timer applies to the buffer that waits already. */
static void test_timer_update(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_USE_MS_FLUSH_TIMER, "shorter.etl");
	TRACEHANDLE h;

	b->p.FlushTimer = 3600000;
	is(StartTraceA(&h, "shorter", &b->p), ERROR_SUCCESS, "a flush timer of an hour");
	enable(h, &guid_a, 0, 0);
	write_some(3);
	let_threads_sleep();
	b = block_of(NULL, EVENT_TRACE_USE_MS_FLUSH_TIMER, NULL);
	b->p.FlushTimer = 20;
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_UPDATE), ERROR_SUCCESS, "of 20 ms");
	is(wait_for_events("shorter.etl", 3), 3, "the events are written");
	is(stop(h), ERROR_SUCCESS, "stop");
}

static void test_circular(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_FILE_MODE_CIRCULAR |
				   EVENT_TRACE_USE_KBYTES_FOR_SIZE, "circular.etl");
	struct expected e = { 0, 0, 0 };
	struct stat st;
	TRACEHANDLE h;
	int64_t n;
	int i;

	b->p.BufferSize = 4;
	b->p.MaximumFileSize = 64;
	is(StartTraceA(&h, "circular", &b->p), ERROR_SUCCESS, "a circular file");
	enable(h, &guid_a, 0, 0);
	for (i = 0; i < 50; i++) {
		ULONG ret;

		write_some(200);
		control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	}
	/* As a daemon does: the file is synced before it gets its end. */
	is(close_range(3, ~0u, 0), 0, "all descriptors are closed");
	is(stop(h), ERROR_SUCCESS, "stop");
	is(stat(in_dir("circular.etl"), &st), 0, "it is there");
	is(st.st_size, 65536, "and has its size");
	n = read_file(in_dir("circular.etl"), check_event, &e, NULL);
	ok(n > 200 && n < 1000, "the last events are in it");
	is(verify(in_dir("circular.etl")), 0, "etw verify");
}

/* The first of the file's buffers behind its header buffer */
static struct etw_buffer_header second_buffer(const char *path, uint32_t size)
{
	struct etw_buffer_header h = { 0 };
	int fd = open(path, O_RDONLY);

	is(pread(fd, &h, sizeof(h), size), sizeof(h), "read it");
	close(fd);
	return h;
}

/*
 * A write over an older buffer that ends at a page, as one does that a kill interrupts: here because
 * the next page cannot be read.
 */
static void test_half(void)
{
	const uint32_t size = 8192;
	uint8_t *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct etw_session_info info = { .buffer_size = size, .clock_freq = 1000000000 };
	struct etw_buffer_header *h = (void *)page;
	struct private_file_end end = { .session = "half" };
	struct private_file file;

	is(etw_private_file_init(&file, in_dir("half.etl"), ETW_MODE_CIRCULAR | ETW_MODE_KBYTES, 24,
				 size), 0, "a file of three buffers");
	*h = (struct etw_buffer_header){ .buffer_size = size, .offset = 4000, .sequence = 1 };
	is(etw_private_file_write(&file, &info, &end, page), 0, "the first one");
	is(etw_private_file_write(&file, &info, &end, page), 0, "the second one");
	is(second_buffer(in_dir("half.etl"), size).offset, 4000, "has records");
	h->sequence = 3;
	mprotect(page + 4096, 4096, PROT_NONE);
	is(etw_private_file_write(&file, &info, &end, page), -EFAULT, "half of one in its place");
	is(second_buffer(in_dir("half.etl"), size).offset, sizeof(*h), "has none");
	mprotect(page + 4096, 4096, PROT_READ);
	is(etw_private_file_write(&file, &info, &end, page), 0, "the whole one");
	is(second_buffer(in_dir("half.etl"), size).offset, 4000, "has them");
	is(etw_private_file_end(&file, &end, NULL), 0, "the end");
	munmap(page, size);
}

static void test_newfile(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_FILE_MODE_NEWFILE |
				   EVENT_TRACE_USE_KBYTES_FOR_SIZE, "new%d.etl");
	struct expected e = { 0, 0, 0 };
	int64_t sum = 0, n;
	char name[32];
	TRACEHANDLE h;
	int i;

	b->p.BufferSize = 4;
	b->p.MaximumFileSize = 16;
	is(StartTraceA(&h, "new", &b->p), ERROR_SUCCESS, "a file after the other");
	enable(h, &guid_a, 0, 0);
	write_some(300);
	b = block_of(NULL, 0, "");
	b->file[0] = 0;
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_INCREMENT_FILE), ERROR_SUCCESS,
	   "the next one on demand");
	is(stop(h), ERROR_SUCCESS, "stop");
	for (i = 1; i < 100; i++) {
		snprintf(name, sizeof(name), "new%d.etl", i);
		n = read_file(in_dir(name), check_event, &e, NULL);
		if (n < 0)
			break;
		sum += n;
		is(verify(in_dir(name)), 0, "etw verify");
	}
	ok(i > 4, "several files");
	is(sum, 300, "with all events");
	is(e.bad, 0, "in order");
}

/* A full file loses what comes, and says so. */
static void test_full(void)
{
	struct block *b = block_of(&guid_a, PRIVATE | EVENT_TRACE_USE_KBYTES_FOR_SIZE, "full.etl");
	struct reading r;
	TRACEHANDLE h;
	ULONG ret, lost;

	b->p.BufferSize = 4;
	b->p.MaximumFileSize = 16;
	is(StartTraceA(&h, "full", &b->p), ERROR_SUCCESS, "a small file");
	enable(h, &guid_a, 0, 0);
	write_some(300);
	b = control(h, EVENT_TRACE_CONTROL_STOP, &ret);
	lost = b->p.LogBuffersLost;
	is(ret, ERROR_SUCCESS, "stop");
	ok(lost > 2, "buffers were lost");
	is(b->p.EventsLost, 0, "no event by a writer");
	ok(read_file(in_dir("full.etl"), NULL, NULL, &r) > 50, "the file has the first events");
	is(verify(in_dir("full.etl")), 3, "etw verify knows that some are missing");
}

/* B153: the file of another process is not touched. */
static void test_names(void)
{
	char name[64];
	int ready[2], go[2];
	TRACEHANDLE h;
	pid_t pid;
	char c;

	if (pipe(ready) || pipe(go))
		exit(1);
	let_threads_sleep();
	pid = fork();
	if (!pid) {
		h = start("other", &guid_a, 0, "shared.etl");
		enable(h, &guid_a, 0, 0);
		write_some(3);
		if (write(ready[1], "x", 1) != 1 || read(go[0], &c, 1) != 1)
			exit(1);
		exit(stop(h));
	}
	ok(read(ready[0], &c, 1) == 1, "another process has the file");
	h = start("other", &guid_a, 0, "shared.etl");
	enable(h, &guid_a, 0, 0);
	write_some(5);
	is(stop(h), ERROR_SUCCESS, "stop");
	snprintf(name, sizeof(name), "shared.etl_%d", (int)getpid());
	is(read_file(in_dir(name), NULL, NULL, NULL), 5, "ours has our process id");
	ok(write(go[1], "x", 1) == 1 && waitpid(pid, NULL, 0) == pid, "the other one ends");
	is(read_file(in_dir("shared.etl"), NULL, NULL, NULL), 3, "its file has its events");
	h = start("other", &guid_a, 0, "shared.etl");
	is(stop(h), ERROR_SUCCESS, "once nobody writes it");
	is(read_file(in_dir("shared.etl"), NULL, NULL, NULL), 0, "the file is replaced");
}

/* B129: without a file the oldest events are overwritten; a flush hands over the others. */
static void test_buffering(void)
{
	TRACEHANDLE h = start("memory", &guid_a, EVENT_TRACE_BUFFERING_MODE, NULL);
	struct expected e = { 0, 0, 0 };
	struct block *b;
	int64_t n;
	ULONG ret;

	enable(h, &guid_a, 0, 0);
	write_some(20000);
	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	is(ret, ERROR_INVALID_PARAMETER, "a snapshot needs a file");
	b = block_of(NULL, 0, "snapshot.etl");
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_FLUSH), ERROR_SUCCESS, "snapshot");
	is(b->p.EventsLost, 0, "what is overwritten is not lost");
	n = read_file(in_dir("snapshot.etl"), check_event, &e, NULL);
	ok(n > 1000 && n < 20000, "the latest events");
	is(e.next, n, "have been read");
	is(verify(in_dir("snapshot.etl")), 0, "etw verify");
	write_some(7);
	b = block_of(NULL, 0, "snapshot2.etl");
	is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_FLUSH), ERROR_SUCCESS, "another one");
	is(read_file(in_dir("snapshot2.etl"), NULL, NULL, NULL), 7, "has only what came since");
	is(stop(h), ERROR_SUCCESS, "stop");
	h = start("memory", &guid_a, EVENT_TRACE_BUFFERING_MODE, "named.etl");
	ok(access(in_dir("named.etl"), F_OK), "the file named at the start is not made yet");
	enable(h, &guid_a, 0, 0);
	write_some(8);
	control(h, EVENT_TRACE_CONTROL_FLUSH, &ret);
	is(ret, ERROR_SUCCESS, "a snapshot there");
	is(read_file(in_dir("named.etl"), NULL, NULL, NULL), 8, "has the events");
	is(stop(h), ERROR_SUCCESS, "stop");
}

static bool run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* The buffers of one CPU are written after those of another one, although they were full before. */
static void test_processors(void)
{
	TRACEHANDLE h = start("processors", &guid_a, EVENT_TRACE_BUFFERING_MODE, NULL);
	struct block *b = block_of(NULL, 0, "processors.etl");
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	enable(h, &guid_a, 0, 0);
	if (run_on(1)) {
		write_some(100);
		run_on(0);
		write_some(100);
		is(ControlTraceA(h, NULL, &b->p, EVENT_TRACE_CONTROL_FLUSH), ERROR_SUCCESS, "snapshot");
		is(verify(in_dir("processors.etl")), 0, "etw verify: complete");
	} else {
		skip("there is no second CPU");
	}
	sched_setaffinity(0, sizeof(before), &before);
	is(stop(h), ERROR_SUCCESS, "stop");
}

/* Many sessions after each other use the same memory. */
static void test_again(void)
{
	int i, bad = 0;

	for (i = 0; i < 50; i++) {
		TRACEHANDLE h = start("again", &guid_a, i % 3 ? 0 : EVENT_TRACE_BUFFERING_MODE,
				      i % 3 ? "again.etl" : NULL);

		enable(h, &guid_a, 0, 0);
		write_some(100 + i);
		bad += stop(h) != ERROR_SUCCESS ||
		       (i % 3 && read_file(in_dir("again.etl"), NULL, NULL, NULL) != 100 + i);
	}
	is(bad, 0, "fifty sessions");
}

/* All clocks give times of now. */
static void test_clocks(void)
{
	struct timespec now;
	struct reading r;
	struct block *b;
	TRACEHANDLE h;
	int64_t real;
	ULONG clock;

	for (clock = 0; clock <= 3; clock++) {
		b = block_of(&guid_a, PRIVATE, "clock.etl");
		b->p.Wnode.ClientContext = clock;
		is(StartTraceA(&h, "clock", &b->p), ERROR_SUCCESS, "a clock");
		enable(h, &guid_a, 0, 0);
		clock_gettime(CLOCK_REALTIME, &now);
		write_some(1);
		is(stop(h), ERROR_SUCCESS, "stop");
		read_file(in_dir("clock.etl"), NULL, NULL, &r);
		real = now.tv_sec * 10000000LL + now.tv_nsec / 100 + 116444736000000000LL;
		ok(r.last >= real - 10000 && r.last - real < 20000000, "clock %u", (unsigned)clock);
		is(verify(in_dir("clock.etl")), 0, "etw verify");
	}
}

static const struct etw_private_host *real_host;
static TRACEHANDLE victim;

static int stop_and_change(struct etw_private_change *change)
{
	atomic_store(&etw_private_host, real_host);
	is(stop(victim), ERROR_SUCCESS, "the session stops meanwhile");
	return real_host->change(change);
}

/* A session that stops while it enables a provider leaves nothing enabled for the next one. */
static void test_stop_meanwhile(void)
{
	struct etw_private_host host;
	TRACEHANDLE next;

	victim = start("victim", &guid_a, 0, "victim.etl");
	real_host = atomic_load(&etw_private_host);
	host = *real_host;
	host.change = stop_and_change;
	atomic_store(&etw_private_host, &host);
	is(enable(victim, &guid_a, 0, 0), ERROR_WMI_INSTANCE_NOT_FOUND, "enable");
	next = start("next", &guid_a, 0, "next.etl");
	is(EventEnabled(prov, &event), FALSE, "the next session has nothing enabled");
	write_some(3);
	is(stop(next), ERROR_SUCCESS, "stop");
	is(read_file(in_dir("next.etl"), NULL, NULL, NULL), 0, "and no events");
}

int main(void)
{
	dir_make();
	is(EventRegister(&guid_a, NULL, NULL, &prov), ERROR_SUCCESS, "register");
	test_events();
	test_refused();
	test_limits();
	test_control();
	test_timer();
	test_timer_update();
	test_circular();
	test_half();
	test_newfile();
	test_full();
	test_names();
	test_buffering();
	test_processors();
	test_again();
	test_clocks();
	test_stop_meanwhile();
	is(EventUnregister(prov), ERROR_SUCCESS, "unregister");
	dir_remove();
	return done_testing();
}
