// SPDX-License-Identifier: MIT
/* The relogger: events injected, dropped, changed, added; errors, references */
#include "relog_call.h"

/* ------------------------------------------------------------- the output */

static void test_all(void)
{
	uint64_t sum = 0, got = 0, got_cpus[CPUS] = { 0 }, n = 0;
	struct etw_etl_count count;
	char in[sizeof(path)];
	struct etw_etl_info info;
	struct etw_etl_file *file;
	struct etw_event e;

	is(relog(NULL), S_OK, "all events are injected");
	ok(call.begun == 1 && call.ended == 1 && call.header_ok && call.events == 500,
	   "begin with the header, events, end");
	ok(call.in_order && call.context_ok, "in order, with the stream's context");
	etw_etl_open(path, NULL, NULL, &file);
	etw_etl_next(file, &e);
	while (etw_etl_next(file, &e) == 1)
		sum += fingerprint(e.cpu, e.time, e.raw, e.raw_size);
	etw_etl_close(file);
	strcpy(in, path);
	strcpy(path, out_path);
	read_many(&got, got_cpus, &n, &count, &info);
	strcpy(path, in);
	ok(n == 500 && got == sum && !count.corrupt, "the output has the same");
	ok(info.header.EventsLost == 5 && info.header.BuffersLost == 6 &&
	   info.header.EndTime.QuadPart == MAKE_START + 777777 &&
	   info.start_clock == 1000 && !strcmp(info.logger, "of the source"), "and its losses");
	unlink(out_path);
}

static void test_compressed(void)
{
	ITraceRelogger *r;
	unsigned int ids[8];
	struct stat in, out;

	new_call(NULL);
	r = new_relogger(in16);
	is(ITraceRelogger_SetCompressionMode(r, TRUE), S_OK, "compressed");
	is(ITraceRelogger_ProcessTrace(r), S_OK, "process");
	is(ITraceRelogger_SetCompressionMode(r, FALSE), E_UNEXPECTED, "too late");
	ITraceRelogger_Release(r);
	is(read_output(ids, NULL), 500, "all events");
	ok(!stat(path, &in) && !stat(out_path, &out) && out.st_size < in.st_size / 2, "smaller");
	unlink(out_path);
}

static HRESULT odd_only(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	if (record->EventHeader.EventDescriptor.Id % 2 == 0)
		return S_OK;
	return ITraceRelogger_Inject(r, e);
}

static HRESULT change(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	static const GUID provider = { 1, 2, 3, { 4 } }, activity = { 5, 6, 7, { 8 } };
	EVENT_DESCRIPTOR desc = { .Id = 77, .Version = 1, .Level = 2, .Opcode = 3, .Task = 4,
				  .Keyword = 5 };
	LARGE_INTEGER time = { .QuadPart = MAKE_START + 123456 };
	BYTE payload[] = "a longer payload than it was, or a shorter one";
	int good = 0;

	if (record->EventHeader.EventDescriptor.Id)
		return S_OK;
	good += ITraceEvent_SetPayload(e, payload, sizeof(payload)) == S_OK;
	good += ITraceEvent_SetEventDescriptor(e, &desc) == S_OK;
	good += ITraceEvent_SetProcessId(e, 1001) == S_OK;
	good += ITraceEvent_SetThreadId(e, 1002) == S_OK;
	good += ITraceEvent_SetProcessorIndex(e, 300) == S_OK;
	good += ITraceEvent_SetThreadTimes(e, 11, 12) == S_OK;
	good += ITraceEvent_SetActivityId(e, &activity) == S_OK;
	good += ITraceEvent_SetProviderId(e, &provider) == S_OK;
	good += ITraceEvent_SetTimeStamp(e, &time) == S_OK;
	is(good, 9, "all Set methods");
	ok(record->EventHeader.ProcessId == 1001 && record->EventHeader.ThreadId == 1002 &&
	   record->EventHeader.TimeStamp.QuadPart == time.QuadPart &&
	   record->UserDataLength == sizeof(payload) &&
	   !memcmp(record->UserData, payload, sizeof(payload)) &&
	   record->BufferContext.ProcessorIndex == 300 && record->EventHeader.KernelTime == 11,
	   "the record that was handed out has it");
	is(ITraceEvent_SetProcessorIndex(e, 8192), E_INVALIDARG, "no such CPU");
	is(ITraceEvent_SetPayload(e, NULL, 1), E_POINTER, "no payload");
	is(ITraceEvent_SetPayload(e, payload, 65536), (HRESULT)0x80070216, "one that is too large");
	return ITraceRelogger_Inject(r, e);
}

static void test_change(void)
{
	struct etw_event e = { .time = 0 };
	const struct etw_event_header *h;
	unsigned int ids[8];

	is(relog(odd_only), S_OK, "half of them");
	is(read_output(ids, NULL), 250, "are there");
	ok(ids[0] == 1 && ids[1] == 3 && ids[7] == 15, "and the right ones");

	is(relog(change), S_OK, "one that is changed");
	is(read_output(ids, &e), 1, "is there");
	h = e.raw;
	ok(ids[0] == 77 && e.cpu == 300 && e.time == MAKE_START + 123456 && h->process_id == 1001 &&
	   h->thread_id == 1002 && h->provider.data1 == 1 && h->activity.data1 == 5 &&
	   h->desc.keyword == 5 && h->processor_time == (11 | 12ull << 32) &&
	   !(h->flags & ETW_EVENT_NO_CPUTIME), "with the values set");
	/* Event 0 has a related activity, which is unchanged. */
	ok(h->flags & ETW_EVENT_EXTENDED_INFO && h->size == 80 + 24 + 47 &&
	   !memcmp((const char *)e.raw + 104, "a longer payload", 16), "and its items");
	unlink(out_path);
}

/* Inject each event twice: unchanged, and as a changed copy made before */
static HRESULT twice(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	EVENT_DESCRIPTOR desc = record->EventHeader.EventDescriptor;
	ITraceEvent *copy;
	HRESULT hr;

	if (call.events > 3)
		return S_OK;
	if (ITraceEvent_Clone(e, &copy) != S_OK)
		return E_FAIL;
	desc.Id += 1000;
	ITraceEvent_SetEventDescriptor(copy, &desc);
	hr = ITraceRelogger_Inject(r, e);
	if (hr == S_OK)
		hr = ITraceRelogger_Inject(r, copy);
	ok(ITraceEvent_Release(copy) == 0 && record->EventHeader.EventDescriptor.Id + 1000 == desc.Id,
	   "a copy is its own");
	return hr;
}

/* Keep the first event until the third. */
static HRESULT keep(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	(void)record;
	if (call.events == 1) {
		call.kept = e;
		return ITraceEvent_AddRef(e) == 2 ? S_OK : E_FAIL;
	}
	if (call.events == 400) {
		HRESULT hr = ITraceRelogger_Inject(r, call.kept);

		is(ITraceEvent_Release(call.kept), 0, "a kept event ends");
		return hr;
	}
	return S_OK;
}

static HRESULT create(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	EVENT_DESCRIPTOR desc = { .Id = 4711 }, type = { .Opcode = 5, .Version = 6 };
	GUID provider = { 9, 8, 7, { 6 } };
	ITraceEvent *new, *classic;
	void *context = NULL;
	HRESULT hr;

	(void)e;
	if (call.events != 2)
		return S_OK;
	is(ITraceRelogger_CreateEventInstance(r, 0, 0, &new), E_INVALIDARG, "no stream");
	is(ITraceRelogger_CreateEventInstance(r, 2, 0, &new), E_INVALIDARG, "no such stream");
	is(ITraceRelogger_CreateEventInstance(r, 1, 0x8000, &new), E_INVALIDARG, "no such flag");
	is(ITraceRelogger_CreateEventInstance(r, 1, 0, NULL), E_POINTER, "nowhere");
	hr = ITraceRelogger_CreateEventInstance(r, 1, 0, &new);
	if (hr != S_OK)
		return hr;
	ITraceEvent_SetEventDescriptor(new, &desc);
	ITraceEvent_SetProviderId(new, &provider);
	ITraceEvent_SetPayload(new, (BYTE *)"new", 3);
	ok(ITraceEvent_GetUserContext(new, &context) == S_OK && context == &call, "its context");
	hr = ITraceRelogger_Inject(r, new);
	ITraceEvent_Release(new);
	ok(ITraceEvent_GetEventRecord(e, &record) == S_OK, "the other one is untouched");
	ITraceRelogger_CreateEventInstance(r, 1, EVENT_HEADER_FLAG_CLASSIC_HEADER, &classic);
	is(ITraceEvent_SetActivityId(classic, &provider), (HRESULT)0x80070032,
	   "classic events have no activity");
	ITraceEvent_SetEventDescriptor(classic, &type);
	ITraceEvent_GetEventRecord(classic, &record);
	ok(record->EventHeader.EventDescriptor.Opcode == 5 &&
	   record->EventHeader.EventDescriptor.Version == 6 &&
	   record->EventHeader.Flags & EVENT_HEADER_FLAG_CLASSIC_HEADER, "but a type");
	if (hr == S_OK)
		hr = ITraceRelogger_Inject(r, classic);
	ITraceEvent_Release(classic);
	return hr;
}

static void test_more(void)
{
	struct etw_event e = { .time = 0 };
	unsigned int ids[8];

	is(relog(twice), S_OK, "copies");
	is(read_output(ids, NULL), 6, "are there");
	ok(ids[0] == 0 && ids[1] == 1000 && ids[5] == 1002, "beside their originals");
	is(relog(keep), S_OK, "an event that was kept");
	ok(read_output(ids, NULL) == 1 && ids[0] == 0, "is unchanged");
	is(relog(create), S_OK, "a new event");
	is(read_output(ids, &e), 2, "and a classic one");
	ok(ids[0] == 4711 && e.record.data_len == 3 && e.time == MAKE_START + 111,
	   "at the time of the last one");
	unlink(out_path);
}

/* --------------------------------------------------------------------- ending */

static HRESULT cancel_at_10(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	(void)record;
	if (call.events == 10)
		ITraceRelogger_Cancel(r);
	return ITraceRelogger_Inject(r, e);
}

static HRESULT fail_at_10(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	(void)record;
	return call.events == 10 ? E_ABORT : ITraceRelogger_Inject(r, e);
}

static void test_ends(void)
{
	ITraceRelogger *r;
	unsigned int ids[8];

	is(relog(cancel_at_10), (HRESULT)0x800704C7, "cancelled");
	is(read_output(ids, NULL), 10, "the injected events are there");
	is(call.ended, 1, "and the callback learned of the end");
	unlink(out_path);
	is(relog(fail_at_10), E_ABORT, "the callback's error");
	is(access(out_path, F_OK), -1, "and no output");
	put_text(out_path, "old");
	is(relog(fail_at_10), E_ABORT, "again");
	ok(has_text(out_path, "old"), "an old file stays");
	unlink(out_path);

	new_call(NULL);
	call.begin_with = E_FAIL;
	r = new_relogger(in16);
	is(ITraceRelogger_ProcessTrace(r), E_FAIL, "refused at the begin");
	is(call.events, 0, "no event");
	ITraceRelogger_Release(r);
	new_call(NULL);
	r = new_relogger(in16);
	ITraceRelogger_Cancel(r);
	is(ITraceRelogger_ProcessTrace(r), (HRESULT)0x800704C7, "cancelled before");
	is(call.events, 0, "no event");
	is(ITraceRelogger_ProcessTrace(r), E_UNEXPECTED, "only once");
	ITraceRelogger_Release(r);
	unlink(out_path);
}

/* The output must not replace an input, under its name or another. */
static void test_same(void)
{
	ITraceRelogger *r;
	unsigned int ids[8], all;

	is(relog(NULL), S_OK, "the input");
	all = read_output(ids, NULL);
	unlink(out_path);
	new_call(NULL);
	r = new_relogger(in16);
	ITraceRelogger_SetOutputFilename(r, in16);
	is(ITraceRelogger_ProcessTrace(r), (HRESULT)0x80070020, "is not the output");
	ITraceRelogger_Release(r);
	is(symlink(path, out_path), 0, "a link to it");
	r = new_relogger(in16);
	is(ITraceRelogger_ProcessTrace(r), (HRESULT)0x80070020, "is refused, too");
	is(call.events, 0, "no event");
	ITraceRelogger_Release(r);
	unlink(out_path);
	is(relog(NULL), S_OK, "it is complete");
	is(read_output(ids, NULL), all, "as before");
	unlink(out_path);
}

static HRESULT refused(ITraceEvent *e, ITraceRelogger *r, EVENT_RECORD *record)
{
	RELOGSTREAM_ID id;

	(void)record;
	if (call.events > 1)
		return S_OK;
	is(ITraceRelogger_Inject(r, e), E_UNEXPECTED, "no output, no Inject()");
	is(ITraceRelogger_AddLogfileTraceStream(r, in16, NULL, &id), E_UNEXPECTED, "too late");
	is(ITraceRelogger_SetOutputFilename(r, out16), E_UNEXPECTED, "too late");
	is(ITraceRelogger_ProcessTrace(r), E_UNEXPECTED, "not within itself");
	return S_OK;
}

static void test_errors(void)
{
	WCHAR bad[] = { '/', 'n', 'o', 'n', 'e', 'x', 0 }, half[] = { 0xD800, 0 }, none[] = { 0 };
	ITraceEvent *mine = (ITraceEvent *)&call;
	RELOGSTREAM_ID id;
	ITraceRelogger *r;
	void *other;

	is(CreateTraceRelogger(NULL), E_POINTER, "nowhere to");
	new_call(refused);
	CreateTraceRelogger(&r);
	is(ITraceRelogger_ProcessTrace(r), E_UNEXPECTED, "nothing to do");
	is(ITraceRelogger_AddLogfileTraceStream(r, bad, NULL, &id), (HRESULT)0x80070002, "no file");
	is(ITraceRelogger_AddLogfileTraceStream(r, half, NULL, &id), E_INVALIDARG, "no text");
	is(ITraceRelogger_AddLogfileTraceStream(r, none, NULL, &id), E_INVALIDARG, "no name");
	is(ITraceRelogger_AddLogfileTraceStream(r, NULL, NULL, &id), E_POINTER, "nothing");
	is(ITraceRelogger_AddLogfileTraceStream(r, in16, NULL, NULL), E_POINTER, "no place");
	put_text(out_path, "no log");
	is(ITraceRelogger_AddLogfileTraceStream(r, out16, NULL, &id), (HRESULT)0x80070570,
	   "no log");
	unlink(out_path);
	is(ITraceRelogger_AddLogfileTraceStream(r, in16, &call, &id), S_OK, "a file");
	is(id, 1, "its number");
	is(ITraceRelogger_ProcessTrace(r), E_UNEXPECTED, "no callback");
	is(ITraceRelogger_RegisterCallback(r, NULL), E_POINTER, "no callback pointer");
	ITraceRelogger_RegisterCallback(r, &call.iface);
	ITraceRelogger_RegisterCallback(r, &call.iface);
	is(call.refs, 1, "one reference");
	is(ITraceRelogger_Inject(r, NULL), E_POINTER, "no event");
	is(ITraceRelogger_Inject(r, mine), E_INVALIDARG, "another implementation's event");
	is(ITraceRelogger_QueryInterface(r, &IID_ITraceEvent, &other), E_NOINTERFACE, "no event");
	ok(!other && ITraceRelogger_QueryInterface(r, &IID_IUnknown, &other) == S_OK && other == r &&
	   ITraceRelogger_QueryInterface(r, &IID_ITraceRelogger, &other) == S_OK &&
	   ITraceRelogger_Release(r) == 2 && ITraceRelogger_Release(r) == 1, "but itself");
	is(ITraceRelogger_ProcessTrace(r), S_OK, "without output");
	is(ITraceRelogger_Release(r), 0, "gone");
}

int main(void)
{
	relog_set_up();
	test_all();
	test_compressed();
	test_change();
	test_more();
	test_ends();
	test_same();
	test_errors();
	relog_tear_down();
	return done_testing();
}
