// SPDX-License-Identifier: MIT
/*
 * sample_app.c - a program that writes events
 *
 * Provider {b7d1f6a4-3c0e-4f52-a1d8-5e9c7b2a6f13}:
 *
 *	id  event      level  keyword  payload, without gaps
 *	1   Step       4      0x1      u32 number, char message[] with its NUL
 *	2   Heartbeat  5      0x2      u64 uptime_ms
 *	0   (string)   4      0x1      one UTF-16 string, EventWriteString()
 *
 * Writes the Steps it is asked for, a Heartbeat after every fifth, and one
 * string at the end, then tells on stdout how many it wrote.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <evntprov.h>

#define STEPS_PER_HEARTBEAT	5
#define WAIT_MS			30000

static const GUID sample_app = {
	0xb7d1f6a4, 0x3c0e, 0x4f52,
	{ 0xa1, 0xd8, 0x5e, 0x9c, 0x7b, 0x2a, 0x6f, 0x13 }
};

static const EVENT_DESCRIPTOR step = { .Id = 1, .Level = 4, .Keyword = 0x1 };
static const EVENT_DESCRIPTOR heartbeat = { .Id = 2, .Level = 5, .Keyword = 0x2 };

static struct {
	unsigned int steps, heartbeats, strings, failed;
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

static void count(unsigned int *what, ULONG err)
{
	if (err == ERROR_SUCCESS) {
		(*what)++;
		return;
	}
	if (!wrote.failed++)
		fprintf(stderr, "sample_app: event not written: error %u%s; more are only counted\n",
			err, err == ERROR_NOT_ENOUGH_MEMORY ? " (no free buffer)" : "");
}

static void write_step(REGHANDLE provider, ULONG number, ULONG steps)
{
	EVENT_DATA_DESCRIPTOR data[2];
	char message[32];

	snprintf(message, sizeof(message), "step %u of %u", number, steps);
	EventDataDescCreate(&data[0], &number, sizeof(number));
	EventDataDescCreate(&data[1], message, strlen(message) + 1);
	count(&wrote.steps, EventWrite(provider, &step, 2, data));
}

static void write_heartbeat(REGHANDLE provider, ULONGLONG uptime_ms)
{
	EVENT_DATA_DESCRIPTOR data;

	EventDataDescCreate(&data, &uptime_ms, sizeof(uptime_ms));
	count(&wrote.heartbeats, EventWrite(provider, &heartbeat, 1, &data));
}

/* Tells of each change of what the sessions want; runs on libetw's thread. */
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

static int wait_enabled(REGHANDLE provider)
{
	ULONGLONG end = now_ms() + WAIT_MS;

	while (!EventProviderEnabled(provider, 0, 0)) {
		if (now_ms() >= end) {
			fprintf(stderr, "sample_app: nobody enabled the provider within %d s\n",
				WAIT_MS / 1000);
			return -1;
		}
		sleep_ms(5);
	}
	return 0;
}

static void write_events(REGHANDLE provider, ULONG steps, unsigned int delay_ms)
{
	ULONGLONG start = now_ms();
	ULONG i;

	for (i = 1; i <= steps; i++) {
		write_step(provider, i, steps);
		if (i % STEPS_PER_HEARTBEAT == 0)
			write_heartbeat(provider, now_ms() - start);
		if (delay_ms)
			sleep_ms(delay_ms);
	}
	count(&wrote.strings, EventWriteString(provider, step.Level, step.Keyword,
					       ETW_WIDE("all steps done")));
}

static void usage(FILE *out)
{
	fputs("usage: sample_app [-n COUNT] [-d DELAY_MS] [-w] [-v]\n"
	      "  -n  Step events to write, 10 if not given\n"
	      "  -d  pause after each of them, in milliseconds\n"
	      "  -w  wait until a session has enabled the provider, at most 30 s\n"
	      "  -v  tell on stderr when the provider is enabled or disabled\n", out);
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
	REGHANDLE provider;
	ULONG err;

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

	err = EventRegister(&sample_app, verbose ? on_enable : NULL, NULL, &provider);
	if (err != ERROR_SUCCESS) {
		fprintf(stderr, "sample_app: EventRegister: error %u\n", err);
		return 1;
	}
	if (wait && wait_enabled(provider) < 0) {
		EventUnregister(provider);
		return 1;
	}
	write_events(provider, steps, delay_ms);
	EventUnregister(provider);
	printf("sample_app: wrote %u Step, %u Heartbeat, %u string, %u failed\n",
	       wrote.steps, wrote.heartbeats, wrote.strings, wrote.failed);
	return wrote.failed ? 1 : 0;
}
