/* SPDX-License-Identifier: MIT */
/*
 * process.c - the relogger's ProcessTrace(): all streams to the callback, by time
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "etl/block_ref.h"
#include "etl/file_private.h"
#include "relogger_private.h"
#include "lib/consumer/trace_header.h"

/* The event that is handed out next; NULL: no memory. */
static ITraceEvent *take_event(struct etw_relogger *r, unsigned int stream,
			       const struct etw_event *event)
{
	/* Somebody may have kept the last one. */
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

static HRESULT on_event(struct etw_relogger *r, const struct etw_relog_stream *s,
			const struct etw_event *event)
{
	ITraceEvent *e;
	unsigned int i;

	for (i = 0; r->streams[i] != s; i++)
		;
	e = take_event(r, i, event);
	return e ? r->callback->lpVtbl->OnEvent(r->callback, e, &r->iface) : E_OUTOFMEMORY;
}

static HRESULT begin_with(struct etw_relogger *r, const struct etw_event *event)
{
	ITraceEvent *e = take_event(r, 0, event);

	return e ? r->callback->lpVtbl->OnBeginProcessTrace(r->callback, e, &r->iface) :
		   E_OUTOFMEMORY;
}

/* The session has no header of its own. */
static HRESULT begin_session(struct etw_relogger *r)
{
	const struct etw_session_info *info = etw_session_info(r->streams[0]->reader);
	struct etw_block *block = etw_tracehead_make(info, &r->info.header);
	struct etw_event event;
	HRESULT hr;

	if (!block)
		return E_OUTOFMEMORY;
	etw_tracehead_event(block, info->start_wall, &event);
	/* The event leads into the block. */
	hr = begin_with(r, &event);
	etw_block_release(block);
	return hr;
}

/* Each file begins with the event of its header: the first one's is shown. */
static HRESULT begin(struct etw_relogger *r)
{
	HRESULT hr = S_OK;
	unsigned int i;

	for (i = 0; i < r->count && SUCCEEDED(hr); i++) {
		struct etw_relog_stream *s = r->streams[i];
		int ret = s->reader ? 0 : etw_etl_next(s->in.file, &s->in.next);

		if (ret < 0)
			hr = etw_relog_error(ret);
		else if (!i)
			hr = s->reader ? begin_session(r) : begin_with(r, &s->in.next);
	}
	return hr;
}

/* Has the session an event?  Waits for it if there is nothing else.  -errno. */
static int look_at_session(struct etw_relogger *r, bool wait)
{
	struct etw_relog_stream *s = r->session;
	int ret;

	if (!s || s->in.has_next || r->session_ended)
		return 0;
	ret = etw_reader_next(s->reader, &s->in.next, wait ? -1 : 0);
	s->in.has_next = ret == 1;
	r->session_ended = !ret || ret == -ECANCELED;
	return ret < 0 && ret != -EAGAIN && ret != -ECANCELED ? ret : 0;
}

static HRESULT process(struct etw_relogger *r, struct etw_etl_input **files, unsigned int count)
{
	struct etw_etl_input *in;
	HRESULT hr = S_OK;
	int err = 0;

	while (!r->cancelled && SUCCEEDED(hr)) {
		in = etw_etl_earliest(files, &count, &err);
		if (!err)
			err = look_at_session(r, !in);
		if (err)
			return etw_relog_error(err);
		if (r->session && r->session->in.has_next &&
		    (!in || r->session->in.next.time < in->next.time))
			in = &r->session->in;
		if (!in)
			break;
		in->has_next = false;
		hr = on_event(r, (struct etw_relog_stream *)in, &in->next);
	}
	return hr;
}

static HRESULT process_all(struct etw_relogger *r)
{
	struct etw_etl_input **files = calloc(r->count, sizeof(*files));
	unsigned int i, n = 0;
	HRESULT hr;

	if (!files)
		return E_OUTOFMEMORY;
	for (i = 0; i < r->count; i++)
		if (r->streams[i]->in.file)
			files[n++] = &r->streams[i]->in;
	hr = begin(r);
	if (SUCCEEDED(hr))
		hr = process(r, files, n);
	if (SUCCEEDED(hr))
		hr = r->callback->lpVtbl->OnFinalizeProcessTrace(r->callback, &r->iface);
	free(files);
	return hr;
}

/* What the sources have lost is not in the output either; the lock is held. */
static void tell_losses(struct etw_relogger *r, int64_t *end)
{
	struct etw_consumer_info info;
	struct etw_etl_count count;
	unsigned int i;

	*end = 0;
	for (i = 0; i < r->count; i++) {
		const struct etw_relog_stream *s = r->streams[i];

		if (s->reader) {
			if (!etw_reader_stat(s->reader, &info))
				etw_etl_lost(r->writer, info.events_lost, info.buffers_lost);
			continue;
		}
		etw_etl_counts(s->in.file, &count);
		etw_etl_lost(r->writer, etw_etl_info(s->in.file)->header.EventsLost,
			     etw_etl_info(s->in.file)->header.BuffersLost + count.corrupt);
		if (etw_etl_info(s->in.file)->header.EndTime.QuadPart > *end)
			*end = etw_etl_info(s->in.file)->header.EndTime.QuadPart;
	}
	if (r->session)
		*end = 0;
}

static ULONG buffer_size(const struct etw_relog_stream *s)
{
	struct etw_etl_info info;

	if (!s->reader)
		return etw_etl_info(s->in.file)->header.BufferSize;
	etw_etl_info_session(&info, etw_session_info(s->reader));
	return info.header.BufferSize;
}

/* By whatever name: what is left of it would take its place. */
static bool is_input(const struct etw_relogger *r, const char *path)
{
	struct stat out, in;
	unsigned int i;

	if (stat(path, &out))
		return false;
	for (i = 0; i < r->count; i++)
		if (r->streams[i]->in.file && !fstat(r->streams[i]->in.file->space.fd, &in) &&
		    in.st_dev == out.st_dev && in.st_ino == out.st_ino)
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
		r->info = *etw_etl_info(r->streams[0]->in.file);
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
	etw_relog_clocks(r);
	err = etw_etl_create(r->output, &options, &r->writer);
	return err ? etw_relog_error(err) : S_OK;
}

static HRESULT end_output(struct etw_relogger *r, HRESULT hr)
{
	struct etw_etl_writer *writer;
	int64_t end;
	int err;

	if (!r->writer)
		return hr;
	pthread_mutex_lock(&r->lock);
	tell_losses(r, &end);
	writer = r->writer;
	r->writer = NULL;
	pthread_mutex_unlock(&r->lock);
	if (FAILED(hr)) {
		etw_etl_discard(writer);
		return hr;
	}
	err = etw_etl_finish(writer, end, NULL);
	return err ? etw_relog_error(err) : hr;
}

HRESULT STDMETHODCALLTYPE etw_relog_process(ITraceRelogger *This)
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
