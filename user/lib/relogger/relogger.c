/* SPDX-License-Identifier: MIT */
/*
 * relogger.c - make a new trace from others
 *
 * The output has the first stream's clock. Records of a stream with the same clock are
 * written unchanged. For other files, all times are converted with both files' clock
 * lines. For a session with another clock, and for events whose time was set, the
 * FILETIME is converted to a tick.
 *
 * Semantics: Microsoft's pages of relogger.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/kdev.h"
#include "etl/block.h"
#include "etl/loss.h"
#include "lib/consumer/trace_header.h"
#include "lib/controller/log_target.h"
#include "relogger_private.h"
#include "base/grow.h"
#include "base/utf.h"

#define NAME_MAX_UNITS	4096
#define STREAMS_MAX	1024

const CLSID CLSID_TraceRelogger = {
	0x7b40792d, 0x05ff, 0x44c4, { 0x90, 0x58, 0xf4, 0x40, 0xc7, 0x1f, 0x17, 0xd4 }
};
const IID IID_IUnknown = { 0, 0, 0, { 0xc0, 0, 0, 0, 0, 0, 0, 0x46 } };
const IID IID_ITraceEvent = {
	0x8cc97f40, 0x9028, 0x4ff3, { 0x9b, 0x62, 0x7d, 0x1f, 0x79, 0xca, 0x7b, 0xcb }
};
const IID IID_ITraceEventCallback = {
	0x3ed25501, 0x593f, 0x43e9, { 0x8f, 0x38, 0x3a, 0xb4, 0x6f, 0x5a, 0x4a, 0x52 }
};
const IID IID_ITraceRelogger = {
	0xf754ad43, 0x3bcc, 0x4286, { 0x80, 0x09, 0x9c, 0x5d, 0xa2, 0x14, 0xe8, 0x4e }
};

static struct etw_relogger *of(ITraceRelogger *This)
{
	return (struct etw_relogger *)This;
}

static HRESULT from_errno(int err)
{
	return err == -ENOMEM ? E_OUTOFMEMORY : HRESULT_FROM_WIN32(etw_win32_from_errno(err));
}

static HRESULT file_error(int err)
{
	if (err == -ENOENT)
		return HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND);
	if (err == -EINVAL || err == -EIO)
		return HRESULT_FROM_WIN32(ERROR_FILE_CORRUPT);
	return err == -ENOMEM ? E_OUTOFMEMORY : HRESULT_FROM_WIN32(etw_win32_from_file(err));
}

/* Convert a name to UTF-8; free() it. */
static HRESULT take_name(BSTR name, char **out)
{
	size_t units;
	ssize_t len;

	if (!name)
		return E_POINTER;
	units = etw_utf16_len(name, NAME_MAX_UNITS + 1);
	len = units > NAME_MAX_UNITS ? -EINVAL : etw_utf16_to_utf8(name, units, NULL, 0);
	if (len <= 0)
		return E_INVALIDARG;
	*out = malloc(len + 1);
	if (!*out)
		return E_OUTOFMEMORY;
	etw_utf16_to_utf8(name, units, *out, len);
	(*out)[len] = '\0';
	return S_OK;
}

/* --------------------------------------------------------------- the object */

static HRESULT STDMETHODCALLTYPE query(ITraceRelogger *This, const IID *riid, void **out)
{
	return etw_relog_query(This, &IID_ITraceRelogger, riid, out);
}

static ULONG STDMETHODCALLTYPE add_ref(ITraceRelogger *This)
{
	return ++of(This)->refs;
}

static void free_stream(struct etw_relog_stream *s)
{
	etw_source_close(&s->in);
	free(s->path);
	free(s);
}

static ULONG STDMETHODCALLTYPE release(ITraceRelogger *This)
{
	struct etw_relogger *r = of(This);
	ULONG left = --r->refs;

	if (left)
		return left;
	if (r->current)
		r->current->iface.lpVtbl->Release(&r->current->iface);
	while (r->count)
		free_stream(r->streams[--r->count]);
	free(r->streams);
	if (r->callback)
		r->callback->lpVtbl->Release(r->callback);
	free(r->output);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return 0;
}

/* Add the stream to the relogger under the next id. */
static HRESULT add_stream(struct etw_relogger *r, struct etw_relog_stream *s, RELOGSTREAM_ID *id)
{
	struct etw_relog_stream **streams;

	if (r->count == STREAMS_MAX)
		return HRESULT_FROM_WIN32(ERROR_BAD_LENGTH);
	streams = etw_grow(r->streams, r->count, sizeof(struct etw_relog_stream *));
	if (!streams)
		return E_OUTOFMEMORY;
	r->streams = streams;
	streams[r->count++] = s;
	/* Ids start at 1; 0 is invalid. */
	*id = r->count;
	return S_OK;
}

static HRESULT open_stream(struct etw_relogger *r, struct etw_relog_stream *s, BSTR name, bool is_file)
{
	char *text;
	HRESULT hr = take_name(name, &text);
	int err;

	if (FAILED(hr))
		return hr;
	if (is_file) {
		err = etw_source_open_file(&s->in, text, NULL, NULL);
		s->file = etw_source_file(&s->in);
		s->path = text;
		return err ? file_error(err) : S_OK;
	}
	if (r->session) {
		hr = HRESULT_FROM_WIN32(ERROR_WMI_ALREADY_ENABLED);
	} else {
		err = etw_source_open_session(&s->in, text);
		s->reader = etw_source_session(&s->in);
		hr = err ? from_errno(err) : S_OK;
	}
	free(text);
	return hr;
}

static HRESULT add(ITraceRelogger *This, BSTR name, void *context, RELOGSTREAM_ID *id,
		   bool is_file)
{
	struct etw_relogger *r = of(This);
	struct etw_relog_stream *s;
	HRESULT hr;

	if (!id)
		return E_POINTER;
	*id = 0;
	if (r->used)
		return E_UNEXPECTED;
	s = calloc(1, sizeof(*s));
	if (!s)
		return E_OUTOFMEMORY;
	s->context = context;
	hr = open_stream(r, s, name, is_file);
	if (SUCCEEDED(hr))
		hr = add_stream(r, s, id);
	if (FAILED(hr))
		free_stream(s);
	else if (!is_file)
		r->session = s;
	return hr;
}

static HRESULT STDMETHODCALLTYPE add_file(ITraceRelogger *This, BSTR name, void *context,
					  RELOGSTREAM_ID *id)
{
	return add(This, name, context, id, true);
}

static HRESULT STDMETHODCALLTYPE add_session(ITraceRelogger *This, BSTR name, void *context,
					     RELOGSTREAM_ID *id)
{
	return add(This, name, context, id, false);
}

static HRESULT STDMETHODCALLTYPE set_callback(ITraceRelogger *This, ITraceEventCallback *Callback)
{
	struct etw_relogger *r = of(This);

	if (!Callback)
		return E_POINTER;
	if (r->used)
		return E_UNEXPECTED;
	Callback->lpVtbl->AddRef(Callback);
	if (r->callback)
		r->callback->lpVtbl->Release(r->callback);
	r->callback = Callback;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_output(ITraceRelogger *This, BSTR LogfileName)
{
	struct etw_relogger *r = of(This);
	HRESULT hr;
	char *name;

	if (r->used)
		return E_UNEXPECTED;
	hr = take_name(LogfileName, &name);
	if (FAILED(hr))
		return hr;
	free(r->output);
	r->output = name;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE set_compression(ITraceRelogger *This, BOOLEAN CompressionMode)
{
	if (of(This)->used)
		return E_UNEXPECTED;
	of(This)->compress = CompressionMode;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE cancel(ITraceRelogger *This)
{
	struct etw_relogger *r = of(This);

	r->cancelled = true;
	if (r->session)
		etw_source_stop(&r->session->in);
	return S_OK;
}

/* ------------------------------------------------------------------ injecting */

/* Give the writer the output's clock pair: from its line, or the buffer's own pair. */
static void write_pair(struct etw_relogger *r, const struct etw_relog_event *e, int64_t ticks)
{
	struct etw_relog_stream *first = r->streams[0];
	const struct etw_buffer_header *b = &e->buffer;

	if (first->reader) {
		if (!e->stream && b->type == ETW_BUFFER_TYPE_GENERIC && b->ref_time > 0 &&
		    b->ref_clock > 0)
			etw_etl_pair(r->writer, b->ref_clock, b->ref_time);
		return;
	}
	etw_etl_follow(r->writer, &first->line, 0, ticks);
}

/* Write an event in the output's clock. The lock is held and r->writer is set. */
static int write_event(struct etw_relogger *r, const struct etw_relog_event *e)
{
	const struct etw_relog_stream *s = r->streams[e->stream];
	bool by_lines = !s->reader && !r->streams[0]->reader, has_time;
	uint32_t at[ETW_ETL_TIMES];
	int64_t ticks = 0;

	has_time = etw_etl_times(e->raw, e->size, at) > 0;
	if (!e->moved && s->shift.same) {
		memcpy(&ticks, e->raw + (has_time ? at[0] : 0), sizeof(ticks));
		if (has_time)
			write_pair(r, e, ticks);
		return etw_etl_write(r->writer, e->buffer.processor, e->raw, e->size);
	}
	memcpy(r->scratch, e->raw, e->size);
	if (by_lines)
		etw_etl_restamp(r->scratch, e->size, &s->shift);
	if (has_time && (e->moved || !by_lines)) {
		ticks = etw_relog_ticks(r, e->time);
		memcpy(r->scratch + at[0], &ticks, sizeof(ticks));
	} else if (has_time) {
		memcpy(&ticks, r->scratch + at[0], sizeof(ticks));
		write_pair(r, e, ticks);
	}
	return etw_etl_write(r->writer, e->buffer.processor, r->scratch, e->size);
}

static HRESULT STDMETHODCALLTYPE inject(ITraceRelogger *This, ITraceEvent *Event)
{
	struct etw_relog_event *e = etw_relog_event_of(Event);
	struct etw_relogger *r = of(This);
	int err = -EPERM;

	if (!Event)
		return E_POINTER;
	if (!e)
		return E_INVALIDARG;
	if (e->broken)
		return E_OUTOFMEMORY;
	pthread_mutex_lock(&r->lock);
	if (r->writer)
		err = write_event(r, e);
	e->injected |= !err;
	pthread_mutex_unlock(&r->lock);
	switch (err) {
	case 0:
		return S_OK;
	case -EPERM:
		return E_UNEXPECTED;
	case -EINVAL:
		return E_INVALIDARG;
	case -EMSGSIZE:
		return HRESULT_FROM_WIN32(ERROR_MORE_DATA);
	default:
		return file_error(err);
	}
}

static HRESULT STDMETHODCALLTYPE create_event(ITraceRelogger *This, RELOGSTREAM_ID id,
					      ULONG Flags, ITraceEvent **Event)
{
	struct etw_relogger *r = of(This);
	struct etw_relog_event *e;
	int err;

	if (!Event)
		return E_POINTER;
	*Event = NULL;
	if (!id || id > r->count)
		return E_INVALIDARG;
	e = etw_relog_event_new();
	if (!e)
		return E_OUTOFMEMORY;
	e->stream = id - 1;
	e->context = r->streams[id - 1]->context;
	e->time = r->now;
	err = etw_relog_event_fill(e, Flags);
	if (err) {
		e->iface.lpVtbl->Release(&e->iface);
		return err == -EINVAL ? E_INVALIDARG : E_OUTOFMEMORY;
	}
	*Event = &e->iface;
	return S_OK;
}

/* --------------------------------------------------------------- ProcessTrace */

/* The event to hand out next; NULL: out of memory. */
static ITraceEvent *take_event(struct etw_relogger *r, unsigned int stream,
			       const struct etw_event *event)
{
	/* A callback may have kept the last event. */
	if (r->current && r->current->refs > 1) {
		r->current->iface.lpVtbl->Release(&r->current->iface);
		r->current = NULL;
	}
	if (!r->current)
		r->current = etw_relog_event_new();
	if (!r->current)
		return NULL;
	etw_relog_event_set(r->current, event, stream, r->streams[stream]->context);
	r->now = event->time;
	return &r->current->iface;
}

/*
 * A session's record of a loss was handed out. It goes along as the counts of losses do, even if
 * the callback chooses events and does not know it.
 */
static HRESULT carry_loss(struct etw_relogger *r, unsigned int stream,
			  const struct etw_event *event)
{
	ITraceEvent *e;
	bool done;

	pthread_mutex_lock(&r->lock);
	done = !r->writer || r->current->injected;
	pthread_mutex_unlock(&r->lock);
	if (done)
		return S_OK;
	/* As it was: the callback may have changed its event. */
	e = take_event(r, stream, event);
	return e ? inject(&r->iface, e) : E_OUTOFMEMORY;
}

static HRESULT on_event(struct etw_relogger *r, const struct etw_relog_stream *s,
			const struct etw_event *event)
{
	struct etw_loss loss;
	ITraceEvent *e;
	unsigned int i;
	HRESULT hr;

	for (i = 0; r->streams[i] != s; i++)
		;
	e = take_event(r, i, event);
	hr = e ? r->callback->lpVtbl->OnEvent(r->callback, e, &r->iface) : E_OUTOFMEMORY;
	return SUCCEEDED(hr) && etw_loss_of(event, &loss) ? carry_loss(r, i, event) : hr;
}

static HRESULT begin_with(struct etw_relogger *r, const struct etw_event *event)
{
	ITraceEvent *e = take_event(r, 0, event);

	return e ? r->callback->lpVtbl->OnBeginProcessTrace(r->callback, e, &r->iface) :
		   E_OUTOFMEMORY;
}

/* A session has no header record; make one. */
static HRESULT begin_session(struct etw_relogger *r)
{
	const struct etw_session_info *info = etw_session_info(r->streams[0]->reader);
	struct etw_block *block = etw_tracehead_make(info, &r->info.header);
	struct etw_event event;
	HRESULT hr;

	if (!block)
		return E_OUTOFMEMORY;
	etw_tracehead_event(block, info->start_wall, &event);
	/* The event points into the block. */
	hr = begin_with(r, &event);
	etw_block_release(block);
	return hr;
}

/* Each file begins with its header event; hand out the first file's. */
static HRESULT begin(struct etw_relogger *r)
{
	HRESULT hr = S_OK;
	unsigned int i;

	for (i = 0; i < r->count && SUCCEEDED(hr); i++) {
		struct etw_relog_stream *s = r->streams[i];
		int ret = s->reader ? 0 : etw_etl_next(s->file, &s->in.next);

		if (ret < 0)
			hr = file_error(ret);
		else if (!i)
			hr = s->reader ? begin_session(r) : begin_with(r, &s->in.next);
	}
	return hr;
}

static HRESULT process(struct etw_relogger *r, struct etw_source **list, unsigned int count)
{
	struct etw_source *in;
	HRESULT hr = S_OK;
	int err = 0;

	while (!r->cancelled && SUCCEEDED(hr)) {
		in = etw_source_earliest(list, &count, &err);
		if (err)
			return file_error(err);
		if (!in)
			break;
		in->has_next = false;
		hr = on_event(r, (struct etw_relog_stream *)in, &in->next);
	}
	return hr;
}

static HRESULT process_all(struct etw_relogger *r)
{
	struct etw_source **list = calloc(r->count, sizeof(struct etw_source *));
	unsigned int i, n = 0;
	HRESULT hr;

	if (!list)
		return E_OUTOFMEMORY;
	for (i = 0; i < r->count; i++)
		if (r->streams[i]->file)
			list[n++] = &r->streams[i]->in;
	/* The session last, so that a file's event of the same time goes first. */
	if (r->session)
		list[n++] = &r->session->in;
	hr = begin(r);
	if (SUCCEEDED(hr))
		hr = process(r, list, n);
	if (SUCCEEDED(hr))
		hr = r->callback->lpVtbl->OnFinalizeProcessTrace(r->callback, &r->iface);
	free(list);
	return hr;
}

static ULONG buffer_size(const struct etw_relog_stream *s)
{
	struct etw_etl_info info;

	if (!s->reader)
		return etw_etl_info(s->file)->header.BufferSize;
	etw_etl_info_session(&info, etw_session_info(s->reader));
	return info.header.BufferSize;
}

/* Is path one of the inputs, under any name? Replacing it would destroy the data being read. */
static bool is_input(const struct etw_relogger *r, const char *path)
{
	struct stat out;
	unsigned int i;

	if (stat(path, &out))
		return false;
	for (i = 0; i < r->count; i++)
		if (r->streams[i]->file && etw_etl_is_file(r->streams[i]->file, &out))
			return true;
	return false;
}

static HRESULT begin_output(struct etw_relogger *r)
{
	struct etw_etl_options options = {
		.like = &r->info, .compress = r->compress, .replace = true,
	};
	unsigned int i;
	ULONG size;
	int err;

	if (r->streams[0]->reader)
		etw_etl_info_session(&r->info, etw_session_info(r->streams[0]->reader));
	else
		r->info = *etw_etl_info(r->streams[0]->file);
	r->now = r->info.header.StartTime.QuadPart;
	if (!r->output)
		return S_OK;
	if (is_input(r, r->output))
		return HRESULT_FROM_WIN32(ERROR_SHARING_VIOLATION);
	size = r->info.header.BufferSize;
	for (i = 1; i < r->count; i++)
		if (buffer_size(r->streams[i]) > size)
			size = buffer_size(r->streams[i]);
	options.buffer_size = etw_etl_size_like(size);
	etw_relog_map_clocks(r);
	err = etw_etl_create(r->output, &options, &r->writer);
	if (!err)
		err = etw_relog_judge(r);
	if (err) {
		etw_etl_discard(r->writer);
		r->writer = NULL;
	}
	return err ? file_error(err) : S_OK;
}

static HRESULT end_output(struct etw_relogger *r, HRESULT hr)
{
	struct etw_etl_writer *writer;
	int64_t end;
	int err;

	if (!r->writer)
		return hr;
	pthread_mutex_lock(&r->lock);
	err = etw_relog_write_losses(r, &end);
	writer = r->writer;
	r->writer = NULL;
	pthread_mutex_unlock(&r->lock);
	if (FAILED(hr) || err) {
		etw_etl_discard(writer);
		return FAILED(hr) ? hr : file_error(err);
	}
	err = etw_etl_finish(writer, end, NULL);
	return err ? file_error(err) : hr;
}

static HRESULT STDMETHODCALLTYPE process_trace(ITraceRelogger *This)
{
	struct etw_relogger *r = (struct etw_relogger *)This;
	HRESULT hr;

	if (r->used || !r->count || !r->callback)
		return E_UNEXPECTED;
	r->used = true;
	This->lpVtbl->AddRef(This);
	hr = begin_output(r);
	if (SUCCEEDED(hr))
		hr = end_output(r, process_all(r));
	if (SUCCEEDED(hr) && r->cancelled)
		hr = HRESULT_FROM_WIN32(ERROR_CANCELLED);
	This->lpVtbl->Release(This);
	return hr;
}

static const ITraceReloggerVtbl methods = {
	.QueryInterface = query,
	.AddRef = add_ref,
	.Release = release,
	.AddLogfileTraceStream = add_file,
	.AddRealtimeTraceStream = add_session,
	.RegisterCallback = set_callback,
	.Inject = inject,
	.CreateEventInstance = create_event,
	.ProcessTrace = process_trace,
	.SetOutputFilename = set_output,
	.SetCompressionMode = set_compression,
	.Cancel = cancel,
};

HRESULT CreateTraceRelogger(ITraceRelogger **Relogger)
{
	struct etw_relogger *r;

	if (!Relogger)
		return E_POINTER;
	*Relogger = NULL;
	r = calloc(1, sizeof(*r));
	if (!r)
		return E_OUTOFMEMORY;
	r->iface.lpVtbl = &methods;
	r->refs = 1;
	pthread_mutex_init(&r->lock, NULL);
	*Relogger = &r->iface;
	return S_OK;
}
