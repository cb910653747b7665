// SPDX-License-Identifier: MIT
/*
 * consumer.c - read a session or a log file with the functions of Windows
 *
 *	consumer SESSION|FILE
 *
 * Prints provider, event id, process id and payload size of each event until
 * the session stops, the file ends or Ctrl-C is pressed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <evntrace.h>
#include <evntcons.h>

/* The rule of "etw dump": names with a slash or ending in .etl are log files. */
static int is_file(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 4 && !strcasecmp(name + len - 4, ".etl"));
}

/* Ends ProcessTrace() at Ctrl-C, even while no event arrives. */
static void *close_on_interrupt(void *handle)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (!sigwait(&set, &sig))
		CloseTrace(*(PROCESSTRACE_HANDLE *)handle);
	return NULL;
}

static VOID WINAPI on_event(PEVENT_RECORD event)
{
	const GUID *g = &event->EventHeader.ProviderId;
	unsigned long long *events = event->UserContext;

	/* Skip the first event of each trace, which describes the trace itself. */
	if (!memcmp(g, &EventTraceGuid, sizeof(*g)))
		return;
	(*events)++;
	printf("{%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x} id %u pid %u cpu %u %u bytes\n",
	       g->Data1, g->Data2, g->Data3, g->Data4[0], g->Data4[1], g->Data4[2],
	       g->Data4[3], g->Data4[4], g->Data4[5], g->Data4[6], g->Data4[7],
	       event->EventHeader.EventDescriptor.Id, event->EventHeader.ProcessId,
	       GetEventProcessorIndex(event), event->UserDataLength);
}

/* Called after each buffer's events; FALSE would make ProcessTrace() return. */
static ULONG WINAPI on_buffer(PEVENT_TRACE_LOGFILEA trace)
{
	(void)trace;
	fflush(stdout);
	return TRUE;
}

int main(int argc, char **argv)
{
	unsigned long long events = 0;
	EVENT_TRACE_LOGFILEA trace;
	PROCESSTRACE_HANDLE handle;
	pthread_t thread;
	sigset_t set;
	ULONG err;

	if (argc != 2) {
		fputs("usage: consumer SESSION|FILE\n", stderr);
		return 2;
	}
	memset(&trace, 0, sizeof(trace));
	trace.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
	if (is_file(argv[1])) {
		trace.LogFileName = argv[1];
	} else {
		trace.LoggerName = argv[1];
		trace.ProcessTraceMode |= PROCESS_TRACE_MODE_REAL_TIME;
	}
	trace.EventRecordCallback = on_event;
	trace.BufferCallback = on_buffer;
	trace.Context = &events;

	handle = OpenTraceA(&trace);
	if (handle == INVALID_PROCESSTRACE_HANDLE) {
		fprintf(stderr, "consumer: OpenTrace: error %u%s\n", GetLastError(),
			GetLastError() == ERROR_WMI_INSTANCE_NOT_FOUND ? " (no such session)" : "");
		return 1;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pthread_create(&thread, NULL, close_on_interrupt, &handle)) {
		fputs("consumer: cannot start a thread\n", stderr);
		return 1;
	}

	err = ProcessTrace(&handle, 1, NULL, NULL);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	CloseTrace(handle);
	fprintf(stderr, "consumer: %llu events\n", events);
	if (err != ERROR_SUCCESS) {
		fprintf(stderr, "consumer: ProcessTrace: error %u\n", err);
		return 1;
	}
	return 0;
}
