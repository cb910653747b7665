// SPDX-License-Identifier: MIT
/*
 * sample_tracelogging.c - a tour of TraceLogging's macros
 *
 * Provider "Sample-TraceLogging" {2f0d8f2c-7a1b-4c0e-9a34-1d52c6b7e8a1}.  Writes one event
 * of each kind below and prints whether a session has enabled the provider:
 *
 *	sudo etw start mine
 *	sudo etw enable mine 2f0d8f2c-7a1b-4c0e-9a34-1d52c6b7e8a1
 *	build/samples/sample_tracelogging
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <unistd.h>
#include <TraceLoggingProvider.h>
#include <evntrace.h>

#define KEYWORD_REQUESTS	0x1
#define KEYWORD_STATE		0x2

TRACELOGGING_DEFINE_PROVIDER(provider, "Sample-TraceLogging",
	(0x2f0d8f2c, 0x7a1b, 0x4c0e, 0x9a, 0x34, 0x1d, 0x52, 0xc6, 0xb7, 0xe8, 0xa1));

/* The default name of a field is the source text of its expression. */
static void write_values(int count)
{
	static const unsigned char digest[] = { 0xde, 0xad, 0xbe, 0xef };
	const double ratio = 0.75;

	TraceLoggingWrite(provider, "Values",
			  TraceLoggingLevel(TRACE_LEVEL_INFORMATION),
			  TraceLoggingKeyword(KEYWORD_STATE),
			  TraceLoggingInt32(count),
			  TraceLoggingValue(ratio),
			  TraceLoggingHexUInt64(0xfeedfacecafebeefULL, "Cookie"),
			  TraceLoggingBoolean(count > 0, "Any"),
			  TraceLoggingPid(getpid(), "Process"),
			  TraceLoggingUtf8String("gr\xc3\xbc\xc3\x9f dich", "Greeting"),
			  TraceLoggingBinary(digest, sizeof(digest), "Digest"));
}

/* TraceLoggingStruct() takes the number of members; a nested structure counts as one. */
static void write_request(ULONG size, ULONG error)
{
	static const ULONG latencies[] = { 12, 15, 11 };

	TraceLoggingWrite(provider, "Request",
			  TraceLoggingLevel(TRACE_LEVEL_WARNING),
			  TraceLoggingKeyword(KEYWORD_REQUESTS),
			  TraceLoggingStruct(3, "Peer"),
			  TraceLoggingIPv4Address(htonl(INADDR_LOOPBACK), "Address"),
			  TraceLoggingPort(htons(443), "Port"),
			  TraceLoggingString("localhost", "Name"),
			  TraceLoggingUInt32(size, "Size"),
			  TraceLoggingWinError(error, "Result"),
			  TraceLoggingUInt32Array(latencies, 3, "Latencies"));
}

/* Start and stop event of an activity have the same activity id. */
static void write_activity(void)
{
	GUID activity;

	EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &activity);
	TraceLoggingWriteActivity(provider, "Copy", &activity, NULL,
				  TraceLoggingOpcode(EVENT_TRACE_TYPE_START),
				  TraceLoggingString("/etc/motd", "Path"));
	TraceLoggingWriteActivity(provider, "Copy", &activity, NULL,
				  TraceLoggingOpcode(EVENT_TRACE_TYPE_END),
				  TraceLoggingUInt64(286, "Bytes"));
}

int main(void)
{
	HRESULT hr = TraceLoggingRegister(provider);

	if (FAILED(hr)) {
		fprintf(stderr, "sample_tracelogging: registering: error %#x\n", (unsigned int)hr);
		return 1;
	}
	printf("sample_tracelogging: %s\n", TraceLoggingProviderEnabled(provider, 0, 0) ?
	       "enabled by a session" : "not enabled by any session");
	write_values(3);
	write_request(1500, ERROR_SUCCESS);
	write_activity();
	TraceLoggingUnregister(provider);
	return 0;
}
