// SPDX-License-Identifier: MIT
/*
 * relog.c - copy every second event of a log file with the relogger of Windows
 *
 *	relog IN.etl OUT.etl
 */
#include <stdio.h>
#include <string.h>
#define COBJMACROS
#include <relogger.h>

/* The callback is a COM object: its function table, then its own data. */
struct thinner {
	ITraceEventCallback iface;	/* must be first */
	unsigned long long seen, kept;
};

static HRESULT STDMETHODCALLTYPE query(ITraceEventCallback *This, const IID *riid, void **out)
{
	(void)riid;
	*out = This;
	return S_OK;
}

/* The object is on the stack, so references need not be counted. */
static ULONG STDMETHODCALLTYPE keep(ITraceEventCallback *This)
{
	(void)This;
	return 1;
}

static HRESULT STDMETHODCALLTYPE on_begin(ITraceEventCallback *This, ITraceEvent *header,
					  ITraceRelogger *relogger)
{
	(void)This;
	(void)header;
	(void)relogger;
	return S_OK;
}

static HRESULT STDMETHODCALLTYPE on_end(ITraceEventCallback *This, ITraceRelogger *relogger)
{
	(void)This;
	(void)relogger;
	return S_OK;
}

/* Only injected events are written to the output. */
static HRESULT STDMETHODCALLTYPE on_event(ITraceEventCallback *This, ITraceEvent *event,
					  ITraceRelogger *relogger)
{
	struct thinner *thinner = (struct thinner *)This;

	if (thinner->seen++ % 2)
		return S_OK;
	thinner->kept++;
	return ITraceRelogger_Inject(relogger, event);
}

/* The relogger takes UTF-16 names; this sample converts ASCII only. */
static WCHAR *wide(const char *name, WCHAR *out, size_t size)
{
	size_t i, len = strlen(name);

	for (i = 0; i < len && i < size - 1; i++)
		out[i] = (WCHAR)name[i];
	out[i] = 0;
	return out;
}

static HRESULT relog(const char *in, const char *out, struct thinner *thinner)
{
	ITraceRelogger *relogger;
	RELOGSTREAM_ID stream;
	WCHAR name[1024];
	HRESULT hr = CreateTraceRelogger(&relogger);

	if (FAILED(hr))
		return hr;
	hr = ITraceRelogger_AddLogfileTraceStream(relogger, wide(in, name, 1024), NULL, &stream);
	if (SUCCEEDED(hr))
		hr = ITraceRelogger_SetOutputFilename(relogger, wide(out, name, 1024));
	if (SUCCEEDED(hr))
		hr = ITraceRelogger_RegisterCallback(relogger, &thinner->iface);
	if (SUCCEEDED(hr))
		hr = ITraceRelogger_ProcessTrace(relogger);
	ITraceRelogger_Release(relogger);
	return hr;
}

int main(int argc, char **argv)
{
	ITraceEventCallbackVtbl functions = {
		.QueryInterface = query,
		.AddRef = keep,
		.Release = keep,
		.OnBeginProcessTrace = on_begin,
		.OnFinalizeProcessTrace = on_end,
		.OnEvent = on_event,
	};
	struct thinner thinner = { .iface.lpVtbl = &functions };
	HRESULT hr;

	if (argc != 3) {
		fputs("usage: relog IN.etl OUT.etl\n", stderr);
		return 2;
	}
	hr = relog(argv[1], argv[2], &thinner);
	if (FAILED(hr)) {
		fprintf(stderr, "relog: error 0x%08x\n", (unsigned int)hr);
		return 1;
	}
	printf("%llu of %llu events\n", thinner.kept, thinner.seen);
	return 0;
}
