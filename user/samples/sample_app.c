// SPDX-License-Identifier: MIT
/*
 * sample_app.c - a program that writes events
 *
 * Provider "Sample-App" {b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13}.  Uses TraceLogging, so
 * readers need no manifest.
 *
 *	event      level  keyword  fields
 *	Step       4      0x1      number, message
 *	Heartbeat  5      0x2      uptime_ms
 *	Done       4      0x1      steps, message
 *
 * Writes the requested number of Steps, a Heartbeat after every fifth, and Done at the end,
 * then prints the counts on stdout.  TraceLogging macros do not return whether a session
 * lost the event; sessions count lost events ("etw stat").
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <TraceLoggingProvider.h>
#include <evntrace.h>

#define STEPS_PER_HEARTBEAT	5
#define WAIT_MS			30000

#define KEYWORD_STEPS		0x1
#define KEYWORD_HEALTH		0x2

TRACELOGGING_DEFINE_PROVIDER(provider, "Sample-App",
	(0xb7d1f6a4, 0x3c0e, 0x4f52, 0xa1, 0xd8, 0x5e, 0x9c, 0x7b, 0x2a, 0x6f, 0x13));

static struct {
	unsigned int steps, heartbeats, ends;
} wrote;

static ULONGLONG now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void write_step(ULONG number, ULONG steps)
{
	char message[32];

	snprintf(message, sizeof(message), "step %u of %u", number, steps);
	TraceLoggingWrite(provider, "Step",
			  TraceLoggingLevel(TRACE_LEVEL_INFORMATION),
			  TraceLoggingKeyword(KEYWORD_STEPS),
			  TraceLoggingUInt32(number, "number"),
			  TraceLoggingString(message, "message"));
	wrote.steps++;
}

static void write_heartbeat(ULONGLONG uptime_ms)
{
	TraceLoggingWrite(provider, "Heartbeat",
			  TraceLoggingLevel(TRACE_LEVEL_VERBOSE),
			  TraceLoggingKeyword(KEYWORD_HEALTH),
			  TraceLoggingUInt64(uptime_ms, "uptime_ms"));
	wrote.heartbeats++;
}

static void write_done(ULONG steps)
{
	TraceLoggingWrite(provider, "Done",
			  TraceLoggingLevel(TRACE_LEVEL_INFORMATION),
			  TraceLoggingKeyword(KEYWORD_STEPS),
			  TraceLoggingUInt32(steps, "steps"),
			  TraceLoggingString("all steps done", "message"));
	wrote.ends++;
}

/* Prints each change of the enable state; called on libetw's thread. */
static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level,
			    ULONGLONG any, ULONGLONG all,
			    PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	static const char *const words[] = { "disabled", "enabled", "asked for its state" };

	(void)source;
	(void)filter;
	(void)context;
	if (control < sizeof(words) / sizeof(words[0]))
		fprintf(stderr, "sample_app: %s, level %u, any %#llx, all %#llx\n",
			words[control], level, any, all);
}

static int wait_enabled(void)
{
	ULONGLONG end = now_ms() + WAIT_MS;

	while (!TraceLoggingProviderEnabled(provider, 0, 0)) {
		if (now_ms() >= end) {
			fprintf(stderr, "sample_app: no session enabled the provider within %d s\n",
				WAIT_MS / 1000);
			return -1;
		}
		sleep_ms(5);
	}
	return 0;
}

static void write_events(ULONG steps, unsigned int delay_ms)
{
	ULONGLONG start = now_ms();
	ULONG i;

	for (i = 1; i <= steps; i++) {
		write_step(i, steps);
		if (i % STEPS_PER_HEARTBEAT == 0)
			write_heartbeat(now_ms() - start);
		if (delay_ms)
			sleep_ms(delay_ms);
	}
	write_done(steps);
}

static void usage(FILE *out)
{
	fputs("usage: sample_app [-n COUNT] [-d DELAY_MS] [-w] [-v]\n"
	      "  -n  Step events to write, 10 if not given\n"
	      "  -d  pause after each of them, in milliseconds\n"
	      "  -w  wait until a session has enabled the provider, at most 30 s\n"
	      "  -v  print on stderr when the provider is enabled or disabled\n", out);
}

static unsigned int number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > 1000000000) {
		fprintf(stderr, "sample_app: not a number from 0 to 1000000000: %s\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	unsigned int steps = 10, delay_ms = 0;
	int opt, wait = 0, verbose = 0;
	HRESULT result;

	while ((opt = getopt(argc, argv, "n:d:wvh")) != -1) {
		switch (opt) {
		case 'n':
			steps = number(optarg);
			break;
		case 'd':
			delay_ms = number(optarg);
			break;
		case 'w':
			wait = 1;
			break;
		case 'v':
			verbose = 1;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc) {
		usage(stderr);
		return 2;
	}

	result = TraceLoggingRegisterEx(provider, verbose ? on_enable : NULL, NULL);
	if (FAILED(result)) {
		fprintf(stderr, "sample_app: TraceLoggingRegisterEx: error %#x\n", result);
		return 1;
	}
	if (wait && wait_enabled() < 0) {
		TraceLoggingUnregister(provider);
		return 1;
	}
	write_events(steps, delay_ms);
	TraceLoggingUnregister(provider);
	printf("sample_app: wrote %u Step, %u Heartbeat, %u Done\n",
	       wrote.steps, wrote.heartbeats, wrote.ends);
	return 0;
}
