// SPDX-License-Identifier: MIT
/*
 * relog.c - make a log file of another one: every second event, as a program for Windows
 * does it
 *
 *	relog IN.etl OUT.etl
 */
#include <stdio.h>
#include <string.h>
#define COBJMACROS
#include <relogger.h>

/* A callback is an object: its functions, then what is its own. */
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

/* It lives on the stack: nothing is to be counted. */
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

/* What is not injected is not in the output. */
static HRESULT STDMETHODCALLTYPE on_event(ITraceEventCallback *This, ITraceEvent *event,
					  ITraceRelogger *relogger)
{
	struct thinner *thinner = (struct thinner *)This;

	if (thinner->seen++ % 2)
		return S_OK;
	thinner->kept++;
	return ITraceRelogger_Inject(relogger, event);
}

/* Names are UTF-16 there; this sample takes ASCII. */
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
