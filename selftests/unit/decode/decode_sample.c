/* SPDX-License-Identifier: MIT */
/* decode_sample - output of user/samples/decode.c for an event */
#include <etw/decode.h>
#include <evntrace.h>

static PROCESSTRACE_HANDLE fake_open(EVENT_TRACE_LOGFILEA *trace);
static ULONG fake_process(PROCESSTRACE_HANDLE *handle, ULONG count, LPFILETIME from, LPFILETIME to);

#define main		sample_main
#define OpenTraceA	fake_open
#define ProcessTrace	fake_process
#define CloseTrace(h)	((void)(h))
#include "samples/decode.c"
#undef main
#undef CloseTrace

#include "decode_event.h"

static EVENT_TRACE_LOGFILEA *opened;

static PROCESSTRACE_HANDLE fake_open(EVENT_TRACE_LOGFILEA *trace)
{
	opened = trace;
	return 1;
}

/* One event: a, and an array of structures of b and of an array c */
static ULONG fake_process(PROCESSTRACE_HANDLE *handle, ULONG count, LPFILETIME from, LPFILETIME to)
{
	static unsigned char meta[64], payload[64];
	size_t size = from_hex("1900 00 45 1b 00  6100 04  7300 d8 02  6200 02  6300 44  64 00 04",
			       meta);
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = (USHORT)size,
		.DataPtr = (uintptr_t)meta,
	};
	EVENT_RECORD record = {
		.UserContext = opened->Context, .ExtendedData = &item, .ExtendedDataCount = 1,
		.UserData = payload,
	};

	(void)handle, (void)count, (void)from, (void)to;
	meta[0] = (unsigned char)size;
	record.UserDataLength = (USHORT)from_hex("07 0200 7800 0100 01 7900 0200 0203", payload);
	opened->EventRecordCallback(&record);
	item.DataSize = 0;
	item.DataPtr = 0;
	opened->EventRecordCallback(&record);
	return ERROR_SUCCESS;
}

int main(void)
{
	char *args[] = { (char *)"decode", (char *)"session", NULL }, *printed = NULL;
	FILE *real = stdout;
	size_t size;
	int ret;

	stdout = open_memstream(&printed, &size);
	ret = sample_main(2, args);
	fclose(stdout);
	stdout = real;
	is(ret, 0, "the sample ends well");
	is_text(printed, "? E?\n"
		"    a (4, 4) = 7\n"
		"    s[0].b (2, 1) = \"x\"\n"
		"    s[0].c[0] (4, 4) = 1\n"
		"    s[1].b (2, 1) = \"y\"\n"
		"    s[1].c[0] (4, 4) = 2\n"
		"    s[1].c[1] (4, 4) = 3\n"
		"    the event ends before its fields do\n"
		"? ?\n"
		"    14 bytes that nobody knows\n", "each value with its place");
	free(printed);
	return done_testing();
}
