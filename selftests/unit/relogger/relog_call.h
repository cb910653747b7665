/* SPDX-License-Identifier: MIT */
/* relog_call.h - shared by the tests of the relogger: files and a callback */
#ifndef ETW_RELOG_CALL_H
#define ETW_RELOG_CALL_H

#define COBJMACROS
#include "unit/etl/etl_write.h"

#include <relogger.h>
#include "base/utf.h"

static char out_path[80];
static WCHAR in16[128], out16[128];

/* The callback's actions and results */
static struct call {
	ITraceEventCallback iface;	/* must be first */
	int refs;
	HRESULT (*event)(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record);
	HRESULT begin_with, end_with;	/* results of the begin and end methods */
	unsigned int begun, ended, events;
	ULONG header_size;
	bool header_ok, in_order, context_ok;
	LONGLONG last;
	ITraceEvent *kept;
} call;

static HRESULT cb_query(ITraceEventCallback *This, const IID *riid, void **out)
{
	(void)This;
	(void)riid;
	*out = NULL;
	return E_NOINTERFACE;
}

static ULONG cb_add(ITraceEventCallback *This)
{
	(void)This;
	return ++call.refs;
}

static ULONG cb_release(ITraceEventCallback *This)
{
	(void)This;
	return --call.refs;
}

static HRESULT cb_begin(ITraceEventCallback *This, ITraceEvent *e, ITraceRelogger *r)
{
	EVENT_RECORD *record;

	(void)This;
	(void)r;
	call.begun++;
	call.header_ok = ITraceEvent_GetEventRecord(e, &record) == S_OK &&
			 !memcmp(&record->EventHeader.ProviderId, &EventTraceGuid, sizeof(GUID)) &&
			 record->UserDataLength >= sizeof(TRACE_LOGFILE_HEADER);
	return call.begin_with;
}

static HRESULT cb_end(ITraceEventCallback *This, ITraceRelogger *r)
{
	(void)This;
	(void)r;
	call.ended++;
	return call.end_with;
}

static HRESULT cb_event(ITraceEventCallback *This, ITraceEvent *e, ITraceRelogger *r)
{
	EVENT_RECORD *record = NULL;
	void *context = NULL;

	(void)This;
	ITraceEvent_GetEventRecord(e, &record);
	ITraceEvent_GetUserContext(e, &context);
	call.events++;
	call.context_ok &= context && record->UserContext == context;
	call.in_order &= record->EventHeader.TimeStamp.QuadPart >= call.last;
	call.last = record->EventHeader.TimeStamp.QuadPart;
	return call.event ? call.event(e, r, record) : ITraceRelogger_Inject(r, e);
}

static const ITraceEventCallbackVtbl call_methods = {
	.QueryInterface = cb_query, .AddRef = cb_add, .Release = cb_release,
	.OnBeginProcessTrace = cb_begin, .OnFinalizeProcessTrace = cb_end, .OnEvent = cb_event,
};

/* Set up a callback with this function. */
static void new_call(HRESULT (*event)(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record))
{
	call = (struct call){
		.iface.lpVtbl = &call_methods, .event = event, .in_order = true,
		.context_ok = true, .last = INT64_MIN,
	};
}

/* A relogger with its callback and output, and with the input unless in is NULL */
static ITraceRelogger *new_relogger(WCHAR *in)
{
	ITraceRelogger *r;
	RELOGSTREAM_ID id;

	if (CreateTraceRelogger(&r) != S_OK)
		abort();
	ITraceRelogger_RegisterCallback(r, &call.iface);
	ITraceRelogger_SetOutputFilename(r, out16);
	if (in)
		ITraceRelogger_AddLogfileTraceStream(r, in, &call, &id);
	return r;
}

/* Relog the file; returns the result of ProcessTrace(). */
__attribute__((__unused__))
static HRESULT relog(HRESULT (*event)(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record))
{
	ITraceRelogger *r;
	HRESULT hr;

	new_call(event);
	r = new_relogger(in16);
	hr = ITraceRelogger_ProcessTrace(r);
	is(ITraceRelogger_Release(r), 0, "the relogger is released");
	is(call.refs, 0, "and has released the callback");
	return hr;
}

/* Read the output: the number of events, and the ids of the first ones */
static unsigned int read_output(unsigned int ids[8], struct etw_event *first)
{
	static uint8_t raw[2048];
	struct etw_etl_file *file;
	struct etw_event e;
	unsigned int n = 0;

	memset(ids, 0, 8 * sizeof(ids[0]));
	if (etw_etl_open(out_path, NULL, NULL, &file))
		return 0;
	etw_etl_next(file, &e);
	for (; etw_etl_next(file, &e) == 1; n++) {
		if (!n && first) {
			*first = e;
			memcpy(raw, e.raw, e.raw_size < sizeof(raw) ? e.raw_size : sizeof(raw));
			first->raw = raw;
		}
		if (n < 8)
			ids[n] = e.record.header->desc.id;
	}
	etw_etl_close(file);
	return n;
}

__attribute__((__unused__))
static void make_input(int events)
{
	struct etw_etl_options options = { .like = &like, .buffer_size = BUFFER, .replace = true };
	uint64_t sum = 0, cpus[CPUS] = { 0 };
	struct etw_etl_writer *w;

	etw_etl_create(path, &options, &w);
	write_many(w, events, false, &sum, cpus);
	etw_etl_lost(w, 5, 6);
	etw_etl_finish(w, MAKE_START + 777777, NULL);
}

static void relog_set_up(void)
{
	set_up();
	snprintf(out_path, sizeof(out_path), "%s/out.etl", dir);
	etw_utf8_to_utf16(path, strlen(path) + 1, in16, 128);
	etw_utf8_to_utf16(out_path, strlen(out_path) + 1, out16, 128);
	make_input(500);
}

static void relog_tear_down(void)
{
	unlink(path);
	tear_down();
}

#endif /* ETW_RELOG_CALL_H */
