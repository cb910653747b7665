// SPDX-License-Identifier: MIT
/*
 * controller.c - start a session, enable a provider and stop the session with the
 * functions of Windows
 *
 *	controller SESSION PROVIDER-GUID [SECONDS]
 *
 * Runs the session for SECONDS (default 10) or until Enter is pressed.  To read it
 * meanwhile, use "etw dump SESSION" or consumer.c.
 */
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <evntrace.h>

/* The struct, followed by room for the session's name. */
struct properties {
	EVENT_TRACE_PROPERTIES head;
	char name[1024 + 1];
};

static void prepare(struct properties *p)
{
	memset(p, 0, sizeof(*p));
	p->head.Wnode.BufferSize = sizeof(*p);
	p->head.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
	p->head.Wnode.ClientContext = 1;
	p->head.BufferSize = 64;
	p->head.LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
	p->head.FlushTimer = 1;
	p->head.LoggerNameOffset = offsetof(struct properties, name);
}

static int parse_guid(const char *text, GUID *guid)
{
	unsigned int d[11];
	int i, end = 0;

	if (*text == '{')
		text++;
	if (sscanf(text, "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n", &d[0], &d[1], &d[2],
		   &d[3], &d[4], &d[5], &d[6], &d[7], &d[8], &d[9], &d[10], &end) != 11 ||
	    end != 36)
		return -1;
	guid->Data1 = d[0];
	guid->Data2 = d[1];
	guid->Data3 = d[2];
	for (i = 0; i < 8; i++)
		guid->Data4[i] = d[3 + i];
	return 0;
}

static int fail(const char *what, ULONG err)
{
	fprintf(stderr, "controller: %s: error %u\n", what, err);
	return 1;
}

int main(int argc, char **argv)
{
	struct pollfd enter = { .fd = 0, .events = POLLIN };
	struct properties p;
	EVENT_TRACE_PROPERTIES *properties = (void *)&p;
	CONTROLTRACE_ID session;
	GUID provider;
	ULONG err, stop;
	int seconds;

	if (argc < 3 || argc > 4 || parse_guid(argv[2], &provider) < 0) {
		fputs("usage: controller SESSION PROVIDER-GUID [SECONDS]\n", stderr);
		return 2;
	}
	seconds = argc == 4 ? atoi(argv[3]) : 10;

	prepare(&p);
	err = StartTraceA(&session, argv[1], properties);
	if (err != ERROR_SUCCESS)
		return fail("StartTrace", err);

	err = EnableTraceEx2(session, &provider, EVENT_CONTROL_CODE_ENABLE_PROVIDER,
			     TRACE_LEVEL_VERBOSE, 0, 0, 1000, NULL);
	if (err != ERROR_SUCCESS) {
		fail("EnableTraceEx2", err);
	} else {
		printf("session %s runs for %d s; press Enter to end it earlier\n", argv[1],
		       seconds);
		fflush(stdout);
		poll(&enter, 1, seconds * 1000);
	}

	prepare(&p);
	stop = ControlTraceA(session, NULL, properties, EVENT_TRACE_CONTROL_STOP);
	if (stop != ERROR_SUCCESS)
		return fail("ControlTrace", stop);
	printf("%s: %u buffers of %u KB delivered, %u events lost\n", p.name,
	       p.head.BuffersWritten, p.head.BufferSize, p.head.EventsLost);
	return err == ERROR_SUCCESS ? 0 : 1;
}
