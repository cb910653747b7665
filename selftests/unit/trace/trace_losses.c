// SPDX-License-Identifier: MIT
/* What a program that was written for Windows sees of a loss in a file */
#define _GNU_SOURCE
#include "unit/etl/etl_loss.h"

#include <evntcons.h>
#include <evntrace.h>
#include <tdh.h>
#include <wchar.h>
#include "lib/tap.h"

static const struct etw_guid ledger = ETW_LEDGER_GUID;
static unsigned int records, announced, classic, fields;
static int64_t events;
static wchar_t name[16];	/* of the provider */

/* The value of a field of 8 bytes; -1: there is none. */
static int64_t number(EVENT_RECORD *record, const WCHAR *field)
{
	PROPERTY_DATA_DESCRIPTOR what = { .PropertyName = (uintptr_t)field, .ArrayIndex = 0xFFFFFFFF };
	int64_t value;

	return TdhGetProperty(record, 0, NULL, 1, &what, sizeof(value), (BYTE *)&value) ? -1 : value;
}

static VOID WINAPI on_record(PEVENT_RECORD record)
{
	_Alignas(8) static BYTE bytes[4096];
	TRACE_EVENT_INFO *info = (TRACE_EVENT_INFO *)bytes;
	ULONG size = sizeof(bytes), i;

	announced += record->EventHeader.ProviderId.Data1 == 0x6a399ae0;
	if (memcmp(&record->EventHeader.ProviderId, &ledger, sizeof(ledger)))
		return;
	records++;
	if (TdhGetEventInformation(record, 0, NULL, info, &size))
		return;
	fields = info->TopLevelPropertyCount;
	for (i = 0; i < 15 && info->ProviderNameOffset; i++)
		name[i] = ((WCHAR *)(bytes + info->ProviderNameOffset))[i];
	events = number(record, u"Events");
}

static VOID WINAPI on_classic(PEVENT_TRACE event)
{
	classic += !memcmp(&event->Header.Guid, &ledger, sizeof(ledger)) &&
		   event->MofLength >= sizeof(struct etw_loss_payload);
}

static ULONG process(EVENT_TRACE_LOGFILEA *file)
{
	TRACEHANDLE trace = OpenTraceA(file);
	ULONG ret = ProcessTrace(&trace, 1, NULL, NULL);

	CloseTrace(trace);
	return ret;
}

int main(void)
{
	static const struct lost one = { .first = 20, .last = 30, .noted = 40, .cpu = 1,
					 .events = 5 };
	EVENT_TRACE_LOGFILEA file = { .ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD };
	static struct make m;

	make_begin(&m, 1);
	make_buffer(&m, 0, 0);
	feed_header(&m.feed)->flags |= ETW_BUFFER_EVENTS_LOST;
	put_lost(&m.feed, &one, "s");
	make_put(&m);
	make_end(&m);
	file.LogFileName = m.path;
	file.EventRecordCallback = on_record;
	is(process(&file), ERROR_SUCCESS, "a file with a loss");
	is(announced, 0, "events of class RT_LostEvent are for real-time consumers");
	is(records, 1, "and there is the record");
	ok(!wcscmp(name, L"Etw-Ledger"), "of a provider that TDH names");
	is(fields, 10, "with fields that it decodes");
	is(events, 5, "such as the number of events");
	file = (EVENT_TRACE_LOGFILEA){ .LogFileName = m.path, .EventCallback = on_classic };
	is(process(&file), ERROR_SUCCESS, "a consumer of classic events");
	is(classic, 1, "gets the record with its payload");
	unlink(m.path);
	return done_testing();
}
