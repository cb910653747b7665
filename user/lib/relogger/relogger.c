/* SPDX-License-Identifier: MIT */
/*
 * relogger.c - make a new trace out of others
 *
 * The output has the clock of the first stream, whose records are written with the raw
 * times that they have; those of other streams, and events whose time was set, get
 * the raw time that means the same.
 *
 * Semantics: Microsoft's pages of relogger.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/controller/log_target.h"
#include "relogger_private.h"
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

static HRESULT from_errno(int err)
{
	return err == -ENOMEM ? E_OUTOFMEMORY : HRESULT_FROM_WIN32(etw_win32_from_errno(err));
}

HRESULT etw_relog_error(int err)
{
	if (err == -ENOENT)
		return HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND);
	if (err == -EINVAL || err == -EIO)
		return HRESULT_FROM_WIN32(ERROR_FILE_CORRUPT);
	return err == -ENOMEM ? E_OUTOFMEMORY : HRESULT_FROM_WIN32(etw_win32_from_file(err));
}

/* A name as UTF-8; free() it. */
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
	etw_etl_close(s->in.file);
	etw_reader_close(s->reader);
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

/* Make the stream the relogger's next one. */
static HRESULT add_stream(struct etw_relogger *r, struct etw_relog_stream *s, RELOGSTREAM_ID *id)
{
	struct etw_relog_stream **streams;

	if (r->count == STREAMS_MAX)
		return HRESULT_FROM_WIN32(ERROR_BAD_LENGTH);
	streams = realloc(r->streams, (r->count + 1) * sizeof(struct etw_relog_stream *));
	if (!streams)
		return E_OUTOFMEMORY;
	r->streams = streams;
	streams[r->count++] = s;
	/* 0 is nobody's. */
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
		err = etw_etl_open(text, NULL, NULL, &s->in.file);
		hr = err ? etw_relog_error(err) : S_OK;
	} else if (r->session) {
		hr = HRESULT_FROM_WIN32(ERROR_WMI_ALREADY_ENABLED);
	} else {
		err = etw_reader_open(text, &s->reader);
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
		etw_reader_wake(r->session->reader);
	return S_OK;
}

/* ------------------------------------------------------------------ injecting */

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
		err = etw_relog_write(r, e);
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
		return etw_relog_error(err);
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

static const ITraceReloggerVtbl methods = {
	.QueryInterface = query,
	.AddRef = add_ref,
	.Release = release,
	.AddLogfileTraceStream = add_file,
	.AddRealtimeTraceStream = add_session,
	.RegisterCallback = set_callback,
	.Inject = inject,
	.CreateEventInstance = create_event,
	.ProcessTrace = etw_relog_process,
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
