/* SPDX-License-Identifier: MIT */
/*
 * event.c - events of the relogger
 *
 * A record keeps its kind: a Set method changes the record's bytes, at the offset that
 * this kind of record has for the field.
 *
 * Semantics: Microsoft's page "ITraceEvent interface (relogger.h)".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "etl/record.h"
#include "etl/walk.h"
#include "relogger_private.h"

static const struct etw_relog_event *const_of(const ITraceEvent *event)
{
	return (const struct etw_relog_event *)event;
}

static struct etw_relog_event *of(ITraceEvent *event)
{
	return (struct etw_relog_event *)event;
}

HRESULT etw_relog_query(void *object, const IID *own, const IID *asked, void **out)
{
	IUnknown *unknown = object;

	if (!out)
		return E_POINTER;
	*out = NULL;
	if (!asked)
		return E_POINTER;
	if (memcmp(asked, own, sizeof(*own)) && memcmp(asked, &IID_IUnknown, sizeof(*own)))
		return E_NOINTERFACE;
	unknown->lpVtbl->AddRef(unknown);
	*out = object;
	return S_OK;
}

/* --------------------------------------------------------------- the object */

/* Decode the record's current bytes. */
static void read_record(struct etw_relog_event *e)
{
	struct etw_event *event = &e->event;
	uint32_t offset = 0;

	event->classic.time = e->clock;
	event->buffer = &e->buffer;
	event->cpu = e->buffer.processor;
	event->logger_id = e->buffer.logger_id;
	event->time = e->time;
	if (etw_etl_record(e->raw, e->size, &offset, &event->record, &event->classic) != 1)
		memset(&event->record, 0, sizeof(event->record));
}

static void refresh(struct etw_relog_event *e)
{
	read_record(e);
	if (!e->shown || !e->event.record.header)
		return;
	etw_event_record(&e->record, &e->event, &e->items, false);
	e->record.UserContext = e->context;
}

/* Make the event's own copy with at least room bytes. false: out of memory. */
static bool make_own(struct etw_relog_event *e, size_t room)
{
	uint8_t *own;

	if (e->broken)
		return false;
	own = realloc(e->own, etw_record_slot(room > e->size ? room : e->size));
	if (!own)
		return false;
	if (!e->own)
		memcpy(own, e->raw, e->size);
	e->own = own;
	e->raw = own;
	refresh(e);
	return true;
}

static HRESULT STDMETHODCALLTYPE query(ITraceEvent *This, const IID *riid, void **out)
{
	return etw_relog_query(This, &IID_ITraceEvent, riid, out);
}

/* A reference may outlive the buffer that holds the record: copy it. */
static ULONG STDMETHODCALLTYPE add_ref(ITraceEvent *This)
{
	struct etw_relog_event *e = of(This);

	if (!e->own && !make_own(e, 0))
		e->broken = true;
	return ++e->refs;
}

static ULONG STDMETHODCALLTYPE release(ITraceEvent *This)
{
	struct etw_relog_event *e = of(This);
	ULONG left = --e->refs;

	if (left)
		return left;
	etw_event_items_free(&e->items);
	free(e->own);
	free(e);
	return 0;
}

static HRESULT STDMETHODCALLTYPE clone_event(ITraceEvent *This, ITraceEvent **NewEvent)
{
	const struct etw_relog_event *e = const_of(This);
	struct etw_relog_event *new;

	if (!NewEvent)
		return E_POINTER;
	*NewEvent = NULL;
	new = e->broken ? NULL : etw_relog_event_new();
	if (!new)
		return E_OUTOFMEMORY;
	new->stream = e->stream;
	new->context = e->context;
	new->raw = e->raw;
	new->size = e->size;
	new->head = e->head;
	new->time = e->time;
	new->moved = e->moved;
	new->buffer = e->buffer;
	new->clock = e->clock;
	read_record(new);
	if (!make_own(new, 0)) {
		release(&new->iface);
		return E_OUTOFMEMORY;
	}
	*NewEvent = &new->iface;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_context(ITraceEvent *This, void **UserContext)
{
	if (!UserContext)
		return E_POINTER;
	*UserContext = of(This)->context;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE get_record(ITraceEvent *This, PEVENT_RECORD *EventRecord)
{
	struct etw_relog_event *e = of(This);

	if (!EventRecord)
		return E_POINTER;
	*EventRecord = NULL;
	if (e->broken)
		return E_OUTOFMEMORY;
	e->shown = true;
	refresh(e);
	if (!e->event.record.header)
		return E_UNEXPECTED;
	*EventRecord = &e->record;
	return S_OK;
}

/* ------------------------------------------------------------------ changes */

/* Store a field at its place in this record. */
static HRESULT put(struct etw_relog_event *e, size_t place, const void *value, size_t len)
{
	if (e->broken)
		return E_OUTOFMEMORY;
	if (place + len > e->size)
		return E_UNEXPECTED;
	if (!e->own && !make_own(e, 0))
		return E_OUTOFMEMORY;
	memcpy(e->own + place, value, len);
	refresh(e);
	return S_OK;
}

/* The same where the layout says; this kind of record may lack the field. */
static HRESULT put_field(struct etw_relog_event *e, uint8_t place, const void *value, size_t len)
{
	if (!place && !e->broken)
		return HRESULT_FROM_WIN32(ERROR_NOT_SUPPORTED);
	return put(e, place, value, len);
}

static HRESULT STDMETHODCALLTYPE set_payload(ITraceEvent *This, BYTE *Payload, ULONG PayloadSize)
{
	struct etw_relog_event *e = of(This);
	ptrdiff_t within = -1;
	uint16_t size;

	if (!Payload && PayloadSize)
		return E_POINTER;
	if (e->broken)
		return E_OUTOFMEMORY;
	if (PayloadSize > ETW_RECORD_MAX - e->head)
		return HRESULT_FROM_WIN32(ERROR_ARITHMETIC_OVERFLOW);
	/* The new payload may lie within the old one and move. */
	if (e->own && Payload >= e->own && Payload < e->own + e->size)
		within = Payload - e->own;
	if (!make_own(e, e->head + PayloadSize))
		return E_OUTOFMEMORY;
	if (PayloadSize)
		memmove(e->own + e->head, within < 0 ? Payload : e->own + within, PayloadSize);
	e->size = e->head + PayloadSize;
	size = e->size;
	return put(e, etw_etl_layout(e->own).size, &size, sizeof(size));
}

/* Classic records and those of the kernel logger hold only a part of it. */
static HRESULT STDMETHODCALLTYPE set_descriptor(ITraceEvent *This, const EVENT_DESCRIPTOR *d)
{
	struct etw_relog_event *e = of(This);
	struct etw_etl_layout layout;
	uint16_t version, hook;
	uint8_t class[4];
	HRESULT hr;

	if (!d)
		return E_POINTER;
	if (e->broken)
		return E_OUTOFMEMORY;
	layout = etw_etl_layout(e->raw);
	version = d->Version;
	if (layout.activity)
		return put(e, offsetof(struct etw_event_header, desc), d, sizeof(*d));
	if (etw_etl_is_message(e->raw))
		return put(e, offsetof(struct etw_message_header, number), &d->Id, sizeof(d->Id));
	if (layout.provider) {
		class[0] = d->Opcode;
		class[1] = d->Level;
		memcpy(class + 2, &version, sizeof(version));
		return put(e, offsetof(struct etw_trace_header, event_type), class, sizeof(class));
	}
	if (!layout.payload)
		return HRESULT_FROM_WIN32(ERROR_NOT_SUPPORTED);
	hook = (d->Task & 0xFF00) | d->Opcode;
	/* A file's header event: each file writes its own, so it cannot be injected. */
	if (!hook && layout.times)
		return E_INVALIDARG;
	hr = put(e, 0, &version, sizeof(version));
	return FAILED(hr) ? hr : put(e, 6, &hook, sizeof(hook));
}

static HRESULT STDMETHODCALLTYPE set_process(ITraceEvent *This, ULONG ProcessId)
{
	return put_field(of(This), etw_etl_layout(of(This)->raw).process, &ProcessId,
			 sizeof(ProcessId));
}

static HRESULT STDMETHODCALLTYPE set_cpu(ITraceEvent *This, ULONG ProcessorIndex)
{
	struct etw_relog_event *e = of(This);

	if (ProcessorIndex >= ETW_ETL_CPUS)
		return E_INVALIDARG;
	e->buffer.processor = ProcessorIndex;
	e->buffer.flags |= ETW_BUFFER_PROCESSOR_INDEX;
	refresh(e);
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_thread(ITraceEvent *This, ULONG ThreadId)
{
	return put_field(of(This), etw_etl_layout(of(This)->raw).thread, &ThreadId,
			 sizeof(ThreadId));
}

static HRESULT STDMETHODCALLTYPE set_times(ITraceEvent *This, ULONG KernelTime, ULONG UserTime)
{
	struct etw_relog_event *e = of(This);
	const uint32_t times[2] = { KernelTime, UserTime };
	HRESULT hr = put_field(e, etw_etl_layout(e->raw).times, times, sizeof(times));

	if (SUCCEEDED(hr) && etw_etl_layout(e->raw).activity) {
		struct etw_event_header *header = (struct etw_event_header *)e->own;

		header->flags &= ~ETW_EVENT_NO_CPUTIME;
		refresh(e);
	}
	return hr;
}

static HRESULT STDMETHODCALLTYPE set_activity(ITraceEvent *This, LPCGUID ActivityId)
{
	if (!ActivityId)
		return E_POINTER;
	return put_field(of(This), etw_etl_layout(of(This)->raw).activity, ActivityId,
			 sizeof(*ActivityId));
}

/* The record holds the output's clock, which only Inject() knows. */
static HRESULT STDMETHODCALLTYPE set_time(ITraceEvent *This, LARGE_INTEGER *TimeStamp)
{
	struct etw_relog_event *e = of(This);

	if (!TimeStamp)
		return E_POINTER;
	if (e->broken)
		return E_OUTOFMEMORY;
	if (!etw_etl_layout(e->raw).time)
		return HRESULT_FROM_WIN32(ERROR_NOT_SUPPORTED);
	e->time = TimeStamp->QuadPart;
	e->moved = true;
	refresh(e);
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_provider(ITraceEvent *This, LPCGUID ProviderId)
{
	if (!ProviderId)
		return E_POINTER;
	return put_field(of(This), etw_etl_layout(of(This)->raw).provider, ProviderId,
			 sizeof(*ProviderId));
}

static const ITraceEventVtbl methods = {
	.QueryInterface = query,
	.AddRef = add_ref,
	.Release = release,
	.Clone = clone_event,
	.GetUserContext = get_context,
	.GetEventRecord = get_record,
	.SetPayload = set_payload,
	.SetEventDescriptor = set_descriptor,
	.SetProcessId = set_process,
	.SetProcessorIndex = set_cpu,
	.SetThreadId = set_thread,
	.SetThreadTimes = set_times,
	.SetActivityId = set_activity,
	.SetTimeStamp = set_time,
	.SetProviderId = set_provider,
};

/* --------------------------------------------------------- for the relogger */

struct etw_relog_event *etw_relog_event_new(void)
{
	struct etw_relog_event *e = calloc(1, sizeof(*e));

	if (e) {
		e->iface.lpVtbl = &methods;
		e->refs = 1;
	}
	return e;
}

struct etw_relog_event *etw_relog_event_of(ITraceEvent *event)
{
	return event && event->lpVtbl == &methods ? of(event) : NULL;
}

void etw_relog_event_set(struct etw_relog_event *e, const struct etw_event *event,
			 unsigned int stream, void *context)
{
	free(e->own);
	e->own = NULL;
	e->broken = false;
	e->shown = false;
	e->moved = false;
	e->injected = false;
	e->stream = stream;
	e->context = context;
	e->raw = event->raw;
	e->size = event->raw_size;
	e->head = event->raw_size - event->record.data_len;
	e->time = event->time;
	e->buffer = *event->buffer;
	e->buffer.processor = event->cpu;
	e->clock = event->record.header->timestamp;
}

/* One bit per type: 32-bit pointers, classic */
int etw_relog_event_fill(struct etw_relog_event *e, ULONG flags)
{
	const ULONG known = EVENT_HEADER_FLAG_STRING_ONLY | EVENT_HEADER_FLAG_NO_CPUTIME |
			    EVENT_HEADER_FLAG_32_BIT_HEADER | EVENT_HEADER_FLAG_64_BIT_HEADER |
			    EVENT_HEADER_FLAG_CLASSIC_HEADER;
	bool narrow = flags & EVENT_HEADER_FLAG_32_BIT_HEADER;
	union {
		struct etw_event_header event;
		struct etw_trace_header trace;
	} header = { .event.size = 0 };

	if (flags & ~known || (narrow && flags & EVENT_HEADER_FLAG_64_BIT_HEADER))
		return -EINVAL;
	if (flags & EVENT_HEADER_FLAG_CLASSIC_HEADER) {
		header.trace.size = sizeof(header.trace);
		header.trace.type = narrow ? ETW_TYPE_FULL32 : ETW_TYPE_FULL64;
	} else {
		header.event.size = sizeof(header.event);
		header.event.type = narrow ? ETW_TYPE_EVENT32 : ETW_TYPE_EVENT64;
		header.event.flags = flags & (EVENT_HEADER_FLAG_STRING_ONLY |
					      EVENT_HEADER_FLAG_NO_CPUTIME);
	}
	e->raw = (const uint8_t *)&header;
	e->size = header.event.size;
	e->head = e->size;
	e->moved = true;
	e->buffer.flags = ETW_BUFFER_PROCESSOR_INDEX;
	return make_own(e, 0) ? 0 : -ENOMEM;
}
