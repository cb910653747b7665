// SPDX-License-Identifier: GPL-2.0-only
/*
 * recorded - two sessions record many events of a kernel provider into log files
 *
 *	recorded [--json FILE] [--events N] DIRECTORY
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded:
 * there a nanosecond of running is one executed instruction.  The events are
 * etw_bench.ko's "Transfer", of TraceLogging, with the fields of bench/decode.  Events
 * with an even number go to one session by its keyword, the others to the other session;
 * first a tenth of N into b0.etl and c0.etl of DIRECTORY, then all into b1.etl and
 * c1.etl, which bench/etl merges, filters and converts.  The figures count this program,
 * which writes the events, and the threads that write the files.  No event may be lost.
 * Memory is the size of the sessions' buffers, the same for both.
 *
 * The default of N is $ETW_BENCH_EVENTS or 10,000,000. JSON goes to FILE or to the file
 * named in $ETW_BENCH_JSON.
 */
#include "lib/driver/vm_kmod.h"

#include <evntrace.h>

#include "bench/ran.h"
#include "kmod/etw_bench/etw_bench.h"

#define BUFFER_KB	64
#define BUFFERS		256	/* of each session */
#define FLUSH		50000	/* events between flushes: fewer than fit the buffers */

#define BRACED(a, b, c, ...)	{ a, b, c, { __VA_ARGS__ } }
#define INITIALIZER(guid)	BRACED guid
static const GUID provider = INITIALIZER(ETW_BENCH_TRANSFER_GUID);

struct props {
	EVENT_TRACE_PROPERTIES p;
	char name[16];
	char file[4096];
};

static struct session {
	const char *name;
	ULONGLONG keyword;
	TRACEHANDLE handle;
	struct props props;
} sessions[] = {
	{ .name = "b", .keyword = ETW_BENCH_EVEN },
	{ .name = "c", .keyword = ETW_BENCH_ODD },
};

#define SESSIONS	(sizeof(sessions) / sizeof(sessions[0]))

/* Two runs: a tenth of the events, and all of them */
static struct run {
	unsigned int events;
	double took, bytes, buffers;
} runs[2];

static ULONG start(struct session *s, const char *dir, unsigned int i)
{
	struct props *p = &s->props;
	ULONG ret;

	*p = (struct props){
		.p.Wnode.BufferSize = sizeof(*p),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.BufferSize = BUFFER_KB,
		.p.MinimumBuffers = BUFFERS,
		.p.MaximumBuffers = BUFFERS,
		.p.FlushTimer = 3600,
		.p.LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL,
		.p.LoggerNameOffset = offsetof(struct props, name),
		.p.LogFileNameOffset = offsetof(struct props, file),
	};
	snprintf(p->name, sizeof(p->name), "bench-%s", s->name);
	snprintf(p->file, sizeof(p->file), "%s/%s%u.etl", dir, s->name, i);
	ret = StartTraceA(&s->handle, p->name, &p->p);
	if (ret)
		return ret;
	return EnableTraceEx2(s->handle, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5,
			      s->keyword, 0, 0, NULL);
}

static ULONG flush_all(void)
{
	ULONG ret = 0;

	for (unsigned int i = 0; i < SESSIONS && !ret; i++)
		ret = ControlTraceA(sessions[i].handle, NULL, &sessions[i].props.p,
				    EVENT_TRACE_CONTROL_FLUSH);
	return ret;
}

static ULONG write_all(int fd, unsigned int events)
{
	struct etw_bench_transfer t = { .count = FLUSH };
	ULONG ret = 0;

	for (; t.first < events && !ret; t.first += t.count) {
		if (t.count > events - t.first)
			t.count = events - t.first;
		ret = ioctl(fd, ETW_BENCH_TRANSFER, &t) ? ERROR_NOT_SUPPORTED : flush_all();
	}
	return ret;
}

/* Add the session's statistics to the run's; all sessions are stopped. */
static ULONG stop(struct session *s, struct run *run)
{
	EVENT_TRACE_PROPERTIES *p = &s->props.p;
	ULONG ret = ControlTraceA(s->handle, NULL, p, EVENT_TRACE_CONTROL_STOP);

	if (!ret && (p->EventsLost || p->LogBuffersLost)) {
		fprintf(stderr, "recorded: %u events and %u buffers were lost\n", p->EventsLost,
			p->LogBuffersLost);
		ret = ERROR_DISK_FULL;
	}
	run->bytes += (double)p->BuffersWritten * BUFFER_KB * 1024;
	run->buffers += (double)p->NumberOfBuffers * BUFFER_KB / 1024;
	return ret;
}

static ULONG record(int fd, const char *dir, unsigned int i)
{
	struct run *run = &runs[i];
	unsigned int n;
	ULONG ret = 0, err;

	for (n = 0; n < SESSIONS && !ret; n++)
		ret = start(&sessions[n], dir, i);
	if (ret)
		goto out;
	run->took = ran_self() + ran_log_threads();
	ret = write_all(fd, run->events);
	if (!ran_log_threads())
		ret = ret ? ret : ERROR_NOT_SUPPORTED;
	run->took = ran_self() + ran_log_threads() - run->took;
out:
	while (n-- > 0) {
		err = sessions[n].handle ? stop(&sessions[n], run) : 0;
		ret = ret ? ret : err;
		sessions[n].handle = 0;
	}
	if (ret)
		fprintf(stderr, "recorded: error %u\n", ret);
	return ret;
}

static int print_json(const char *json)
{
	const struct run *a = &runs[0], *b = &runs[1];
	double events = b->events - a->events, event = (b->took - a->took) / events;
	double bytes = (b->bytes - a->bytes) / events;
	FILE *f;

	printf("\n%u events of a kernel provider recorded by two sessions into log files\n"
	       "%.1f instructions and %.1f bytes an event; buffers of %.1f MB, for a tenth %.1f MB\n",
	       b->events, event, bytes, b->buffers, a->buffers);
	if (!json)
		return 0;
	f = fopen(json, "we");
	if (!f) {
		perror(json);
		return 1;
	}
	fprintf(f, "{\n    \"unit\": \"instructions\",\n    \"events\": %u,\n    \"event\": %.1f,\n"
		"    \"bytes\": %.1f,\n    \"mb_tenth\": %.1f,\n    \"mb\": %.1f\n  }\n", b->events,
		event, bytes, a->buffers, b->buffers);
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON"), *n = getenv("ETW_BENCH_EVENTS"), *dir = NULL;
	unsigned int events = n && atoi(n) >= 10 ? (unsigned int)atoi(n) : 10000000;
	int i, fd;

	for (i = 1; i < argc; i++) {
		if (i + 1 < argc && !strcmp(argv[i], "--json"))
			json = argv[++i];
		else if (i + 1 < argc && !strcmp(argv[i], "--events") && atoi(argv[i + 1]) >= 10)
			events = (unsigned int)atoi(argv[++i]);
		else if (!dir && argv[i][0] != '-')
			dir = argv[i];
		else
			break;
	}
	if (i < argc || !dir) {
		fprintf(stderr, "usage: recorded [--json FILE] [--events N] DIRECTORY\n");
		return 2;
	}
	runs[0].events = events / 10;
	runs[1].events = events;
	i = vm_insmod("etw_bench");
	fd = i ? i : vm_kmod_open("etw_bench");
	if (fd < 0) {
		fprintf(stderr, "recorded: etw_bench: %s\n", strerror(-fd));
		return 1;
	}
	i = record(fd, dir, 0) || record(fd, dir, 1);
	close(fd);
	vm_rmmod("etw_bench");
	return i || print_json(json);
}
