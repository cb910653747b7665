// SPDX-License-Identifier: GPL-2.0-only
/*
 * program - what an event of a program costs that goes to a session of the kernel
 *
 *	program [--json FILE]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount" as root with etw.ko loaded: there a
 * nanosecond is one executed instruction.  The session keeps its events in memory, so no file or
 * reader takes part; only its buffers are switched and recycled.  The floor is a system call that
 * does nothing.  The JSON goes to FILE or to the file named in $ETW_BENCH_JSON.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <evntprov.h>
#include <evntrace.h>
#include <TraceLoggingProvider.h>
#include "bench/guest.h"
#include "bench/ran.h"

#define EVENTS		20000

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "Etw-Bench-Program",
	(0xB3, 2, 3, 4, 0, 0, 0, 0, 0, 0, 1));

static const GUID guid = { 0xB4, 2, 3, { 4 } }, tl_guid = { 0xB3, 2, 3, { 4, 0, 0, 0, 0, 0, 0, 1 } };
static const EVENT_DESCRIPTOR event = { .Id = 1, .Level = 4, .Keyword = 1 };
static const EVENT_DESCRIPTOR verbose = { .Id = 1, .Level = 5, .Keyword = 1 };
static const char text[16] = "fifteen letters";

static REGHANDLE prov;

struct props {
	EVENT_TRACE_PROPERTIES p;
	char name[32];
};

static void call_nothing(uint32_t i)
{
	(void)i;
	syscall(SYS_getppid);
}

static void write_rejected(uint32_t i)
{
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, &i, sizeof(i));
	EventWrite(prov, &verbose, 1, &data);
}

static void write_pieces(uint32_t i)
{
	EVENT_DATA_DESCRIPTOR data[3];
	uint64_t b = i;

	EventDataDescCreate(&data[0], &i, sizeof(i));
	EventDataDescCreate(&data[1], &b, sizeof(b));
	EventDataDescCreate(&data[2], text, sizeof(text));
	EventWrite(prov, &event, 3, data);
}

static void write_bytes(uint32_t i)
{
	unsigned char payload[60] = { 0 };
	EVENT_DATA_DESCRIPTOR data;

	memcpy(payload, &i, sizeof(i));
	EventDataDescCreate(&data, payload, sizeof(payload));
	EventWrite(prov, &event, 1, &data);
}

static void write_tl(uint32_t i)
{
	TraceLoggingWrite(tl_provider, "Event", TraceLoggingLevel(4), TraceLoggingUInt32(i, "a"),
			  TraceLoggingUInt64((uint64_t)i, "b"),
			  TraceLoggingCharArray(text, sizeof(text), "c"));
}

static const struct {
	const char *key, *title;
	void (*write)(uint32_t i);
	int sessions;
} rows[] = {
	{ "floor", "a system call that does nothing", call_nothing, 0 },
	{ "disabled", "not enabled", write_pieces, 0 },
	{ "rejected", "rejected by level", write_rejected, 1 },
	{ "pieces", "u32, u64 and 16 characters", write_pieces, 1 },
	{ "bytes", "60 bytes", write_bytes, 1 },
	{ "two", "60 bytes, to two sessions", write_bytes, 2 },
	{ "tracelogging", "u32, u64 and 16 characters by TraceLogging", write_tl, 1 },
};

#define ROWS	(sizeof(rows) / sizeof(rows[0]))

static struct props make_props(int i)
{
	struct props props = {
		.p.Wnode.BufferSize = sizeof(struct props),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.BufferSize = 64,
		.p.MinimumBuffers = 8,
		.p.LogFileMode = EVENT_TRACE_BUFFERING_MODE,
		.p.LoggerNameOffset = offsetof(struct props, name),
	};

	snprintf(props.name, sizeof(props.name), "bench-%d", i);
	return props;
}

static ULONG enable(TRACEHANDLE session, const GUID *provider)
{
	return EnableTraceEx2(session, provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 4, 0, 0, 0,
			      NULL);
}

static ULONG start(TRACEHANDLE *session, int i)
{
	struct props props = make_props(i);
	ULONG ret = StartTraceA(session, props.name, &props.p);

	ret = ret ? ret : enable(*session, &guid);
	return ret ? ret : enable(*session, &tl_guid);
}

/* Stop it; an error if it has not exactly this many events. */
static ULONG stop(TRACEHANDLE session, int i)
{
	struct props props = make_props(i);
	ULONG ret = ControlTraceA(session, NULL, &props.p, EVENT_TRACE_CONTROL_STOP);

	return ret ? ret : props.p.EventsLost ? ERROR_NO_SYSTEM_RESOURCES : 0;
}

static void write_all(unsigned int row)
{
	for (uint32_t i = 0; i < EVENTS; i++)
		rows[row].write(i);
}

static ULONG measure(unsigned int row, double *each)
{
	TRACEHANDLE sessions[2] = { 0 };
	int i, started = 0;
	ULONG ret = 0, err;

	for (; started < rows[row].sessions && !ret; started += !ret)
		ret = start(&sessions[started], started);
	if (!ret) {
		write_all(row);	/* the first ones start what is started once */
		*each = ran_self();
		write_all(row);
		*each = (ran_self() - *each) / EVENTS;
	}
	for (i = 0; i < started; i++) {
		err = stop(sessions[i], i);
		ret = ret ? ret : err;
	}
	return ret;
}

static int write_json(const char *path, const double *each)
{
	FILE *f = fopen(path, "we");
	unsigned int i;

	if (!f) {
		perror(path);
		return 1;
	}
	fprintf(f, "{\n    \"unit\": \"instructions per event\",\n    \"rows\": [\n");
	for (i = 0; i < ROWS; i++)
		fprintf(f, "      {\"key\": \"program_%s\", \"net\": %.0f}%s\n", rows[i].key, each[i],
			i + 1 < ROWS ? "," : "");
	fprintf(f, "    ]\n  }\n");
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	const char *json = json_path(argc, argv);
	double each[ROWS];
	ULONG ret;

	ret = EventRegister(&guid, NULL, NULL, &prov);
	if (!ret && TraceLoggingRegister(tl_provider) < 0)
		ret = ERROR_NOT_SUPPORTED;
	printf("\nan event of a program, in instructions\n");
	for (unsigned int i = 0; i < ROWS && !ret; i++) {
		ret = measure(i, &each[i]);
		if (!ret)
			printf("%-50s %8.0f\n", rows[i].title, each[i]);
	}
	if (ret) {
		fprintf(stderr, "program: error %u\n", ret);
		return 1;
	}
	return json ? write_json(json, each) : 0;
}
