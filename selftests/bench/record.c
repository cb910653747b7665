// SPDX-License-Identifier: GPL-2.0-only
/*
 * record - the cost of recording events into a log file, compared with plain writing
 *
 *	record [--json FILE] [--events N]
 *
 * Run it with scripts/bench, or under "scripts/vm --icount": there a nanosecond of
 * running is one executed instruction, and the figures are the same on every machine.
 * The figures count this program and the kernel thread that writes the file.  The event
 * is that of bench/decode: 60 bytes.  The file is circular and in memory, so that neither
 * its size nor a disk matters; no event may be lost.  For comparison the same number of
 * bytes is written into such a file with write(2), in blocks of the size of the session's
 * buffers.
 *
 * The default of --events is 100,000, or a hundredth of $ETW_BENCH_EVENTS: the emulator
 * needs a minute for each 500,000. JSON goes to FILE or to the file named in
 * $ETW_BENCH_JSON.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <evntprov.h>
#include <evntrace.h>

#include "bench/ctf.h"
#include "bench/ran.h"

#define PLACE		"/run/etw-bench"
#define FILE_KB		(64 * 1024)
#define BUFFER_KB	64
#define BUFFERS		1024
#define FLUSH		200000	/* events between flushes: fewer than fit the buffers */

static const GUID provider = { 0xbe7c4, 1, 2, { 3 } };

struct props {
	EVENT_TRACE_PROPERTIES p;
	char name[32];
	char file[64];
};

static struct props make_props(void)
{
	return (struct props){
		.p.Wnode.BufferSize = sizeof(struct props),
		.p.Wnode.Flags = WNODE_FLAG_TRACED_GUID,
		.p.BufferSize = BUFFER_KB,
		.p.MinimumBuffers = BUFFERS,
		.p.MaximumBuffers = BUFFERS,
		.p.MaximumFileSize = FILE_KB,
		.p.FlushTimer = 3600,
		.p.LogFileMode = EVENT_TRACE_FILE_MODE_CIRCULAR | EVENT_TRACE_USE_KBYTES_FOR_SIZE,
		.p.LoggerNameOffset = offsetof(struct props, name),
		.p.LogFileNameOffset = offsetof(struct props, file),
		.name = "bench",
		.file = PLACE "/bench.etl",
	};
}

static ULONG control(TRACEHANDLE session, ULONG code, struct props *props)
{
	*props = make_props();
	return ControlTraceA(session, NULL, &props->p, code);
}

static ULONG write_all(TRACEHANDLE session, REGHANDLE reg, unsigned int events)
{
	EVENT_DESCRIPTOR desc = { .Id = 1, .Level = 4 };
	unsigned char payload[64];
	EVENT_DATA_DESCRIPTOR data;
	struct props props;
	ULONG ret = 0;

	for (unsigned int i = 0; i < events && !ret; i++) {
		EventDataDescCreate(&data, payload, bench_payload(payload, i));
		ret = EventWrite(reg, &desc, 1, &data);
		if (i % FLUSH == FLUSH - 1 && !ret)
			ret = control(session, EVENT_TRACE_CONTROL_FLUSH, &props);
	}
	return ret;
}

/* Instructions for all events, and the session's statistics at its end. */
static ULONG record(unsigned int events, double *took, struct props *end)
{
	struct props props = make_props();
	TRACEHANDLE session;
	REGHANDLE reg;
	ULONG ret = EventRegister(&provider, NULL, NULL, &reg), err;

	if (ret)
		return ret;
	ret = StartTraceA(&session, "bench", &props.p);
	if (ret)
		goto out;
	ret = EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER, 5, 0, 0, 0,
			     NULL);
	*took = ran_self() + ran_log_threads();
	if (!ret)
		ret = write_all(session, reg, events);
	if (!ret)
		ret = control(session, EVENT_TRACE_CONTROL_FLUSH, &props);
	if (!ran_log_threads())
		ret = ERROR_NOT_SUPPORTED;
	*took = ran_self() + ran_log_threads() - *took;
	err = control(session, EVENT_TRACE_CONTROL_STOP, end);
	ret = ret ? ret : err;
out:
	EventUnregister(reg);
	return ret;
}

/* Write the same bytes repeatedly into a file of the same size. */
static int write_plain(double bytes, double *took)
{
	static char block[BUFFER_KB * 1024];
	int fd = open(PLACE "/plain", O_WRONLY | O_CREAT | O_TRUNC, 0600), ret = 0;
	off_t at = 0;

	memset(block, 0x55, sizeof(block));
	*took = ran_self();
	for (; bytes > 0 && !ret; bytes -= sizeof(block)) {
		ret = pwrite(fd, block, sizeof(block), at) != (ssize_t)sizeof(block);
		at = (at + (off_t)sizeof(block)) % (FILE_KB * 1024);
	}
	*took = ran_self() - *took;
	close(fd);
	return ret;
}

static int print_json(const char *json, unsigned int events, double event, double plain,
		      double bytes)
{
	FILE *f;

	printf("\n%u events recorded into a log file, in instructions\n%-38s %12s %12s\n", events,
	       "", "an event", "a byte");
	printf("%-38s %12.1f %12.2f\n", "EventWrite() and the session's file", event,
	       event / bytes);
	printf("%-38s %12.1f %12.2f\n", "write(2) of the same bytes", plain, plain / bytes);
	if (!json)
		return 0;
	f = fopen(json, "we");
	if (!f) {
		perror(json);
		return 1;
	}
	fprintf(f, "{\n    \"unit\": \"instructions\",\n    \"events\": %u,\n    \"event\": %.1f,\n"
		"    \"write\": %.1f,\n    \"bytes\": %.1f\n  }\n", events, event, plain, bytes);
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	const char *json = getenv("ETW_BENCH_JSON"), *n = getenv("ETW_BENCH_EVENTS");
	unsigned int events = n && atoi(n) >= 100 ? (unsigned int)atoi(n) / 100 : 100000;
	double took, plain, bytes;
	struct props end;
	ULONG ret;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--json"))
			json = argv[i + 1];
		else if (!strcmp(argv[i], "--events") && atoi(argv[i + 1]) > 0)
			events = (unsigned int)atoi(argv[i + 1]);
		else
			break;
	}
	if (i < argc) {
		fprintf(stderr, "usage: record [--json FILE] [--events N]\n");
		return 2;
	}
	mkdir(PLACE, 0700);
	if (mount("tmpfs", PLACE, "tmpfs", 0, "size=160m")) {
		perror("record: " PLACE);
		return 1;
	}
	ret = record(events, &took, &end);
	bytes = (double)end.p.BuffersWritten * BUFFER_KB * 1024;
	if (!ret && (end.p.EventsLost || end.p.LogBuffersLost))
		fprintf(stderr, "record: %u events and %u buffers were lost\n", end.p.EventsLost,
			end.p.LogBuffersLost);
	else if (ret)
		fprintf(stderr, "record: error %u\n", ret);
	i = ret || end.p.EventsLost || end.p.LogBuffersLost || write_plain(bytes, &plain);
	umount2(PLACE, MNT_DETACH);
	(void)ctf_write;
	return i || print_json(json, events, took / events, plain / events, bytes / events);
}
