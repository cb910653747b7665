/* SPDX-License-Identifier: MIT */
/*
 * relogger.h - create a trace from others: drop, change and add events
 *
 *	ITraceRelogger *relogger;
 *
 *	CreateTraceRelogger(&relogger);
 *	relogger->lpVtbl->AddLogfileTraceStream(relogger, L"in.etl", NULL, &stream);
 *	relogger->lpVtbl->SetOutputFilename(relogger, L"out.etl");
 *	relogger->lpVtbl->RegisterCallback(relogger, callback);
 *	relogger->lpVtbl->ProcessTrace(relogger);
 *	relogger->lpVtbl->Release(relogger);
 *
 * ProcessTrace() calls the callback on its own thread: with the first stream's header
 * event, with every event of all streams in time order, and at the end.  The output
 * contains an event each time the program passes it to Inject(), in the state it has then.
 * A program may inject an event more than once, changed, as a copy, or not at all.  Only
 * one thread at a time may use an event.  The event passed to OnEvent() is valid after the
 * callback only with AddRef() or as a Clone().
 *
 * Link with -letw.  COM is limited to interfaces and reference counts.
 * CreateTraceRelogger() creates the object; for ported code, objbase.h in include/win32 has
 * a CoCreateInstance() that calls it.  Methods return S_OK, E_POINTER or E_INVALIDARG (bad
 * argument), E_OUTOFMEMORY, E_UNEXPECTED (called at the wrong time), or the
 * HRESULT_FROM_WIN32() of an error.
 *
 * In C, and in C++ with CINTERFACE, methods are members of lpVtbl; with COBJMACROS
 * there are macros ITraceRelogger_Inject(This, Event) and so on.
 *
 * Source: Microsoft's pages of relogger.h.
 */
#ifndef ETW_RELOGGER_H
#define ETW_RELOGGER_H

#include <evntcons.h>
#include <evntrace.h>
#include <unknwn.h>

/* A stream of a relogger */
typedef ULONG64 RELOGSTREAM_ID;

ETW_BEGIN_DECLS

/* 7b40792d-05ff-44c4-9058-f440c71f17d4 */
extern ETW_API const CLSID CLSID_TraceRelogger;
extern ETW_API const IID IID_ITraceEvent, IID_ITraceEventCallback, IID_ITraceRelogger;

ETW_END_DECLS

#if defined(__cplusplus) && !defined(CINTERFACE)

struct ITraceEvent;
struct ITraceEventCallback;
struct ITraceRelogger;

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#endif

struct ITraceEvent : public IUnknown {
	virtual HRESULT STDMETHODCALLTYPE Clone(ITraceEvent **NewEvent) = 0;
	virtual HRESULT STDMETHODCALLTYPE GetUserContext(void **UserContext) = 0;
	virtual HRESULT STDMETHODCALLTYPE GetEventRecord(PEVENT_RECORD *EventRecord) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetPayload(BYTE *Payload, ULONG PayloadSize) = 0;
	virtual HRESULT STDMETHODCALLTYPE
	SetEventDescriptor(const EVENT_DESCRIPTOR *EventDescriptor) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetProcessId(ULONG ProcessId) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetProcessorIndex(ULONG ProcessorIndex) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetThreadId(ULONG ThreadId) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetThreadTimes(ULONG KernelTime, ULONG UserTime) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetActivityId(LPCGUID ActivityId) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetTimeStamp(LARGE_INTEGER *TimeStamp) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetProviderId(LPCGUID ProviderId) = 0;
};

struct ITraceEventCallback : public IUnknown {
	virtual HRESULT STDMETHODCALLTYPE OnBeginProcessTrace(ITraceEvent *HeaderEvent,
							      ITraceRelogger *Relogger) = 0;
	virtual HRESULT STDMETHODCALLTYPE OnFinalizeProcessTrace(ITraceRelogger *Relogger) = 0;
	virtual HRESULT STDMETHODCALLTYPE OnEvent(ITraceEvent *Event,
						  ITraceRelogger *Relogger) = 0;
};

struct ITraceRelogger : public IUnknown {
	virtual HRESULT STDMETHODCALLTYPE
	AddLogfileTraceStream(BSTR LogfileName, void *UserContext,
			      RELOGSTREAM_ID *TraceStreamId) = 0;
	virtual HRESULT STDMETHODCALLTYPE
	AddRealtimeTraceStream(BSTR LoggerName, void *UserContext,
			       RELOGSTREAM_ID *TraceStreamId) = 0;
	virtual HRESULT STDMETHODCALLTYPE RegisterCallback(ITraceEventCallback *Callback) = 0;
	virtual HRESULT STDMETHODCALLTYPE Inject(ITraceEvent *Event) = 0;
	virtual HRESULT STDMETHODCALLTYPE CreateEventInstance(RELOGSTREAM_ID TraceStreamId,
							      ULONG Flags,
							      ITraceEvent **Event) = 0;
	virtual HRESULT STDMETHODCALLTYPE ProcessTrace() = 0;
	virtual HRESULT STDMETHODCALLTYPE SetOutputFilename(BSTR LogfileName) = 0;
	virtual HRESULT STDMETHODCALLTYPE SetCompressionMode(BOOLEAN CompressionMode) = 0;
	virtual HRESULT STDMETHODCALLTYPE Cancel() = 0;
};

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#else

typedef struct ITraceEvent ITraceEvent;
typedef struct ITraceEventCallback ITraceEventCallback;
typedef struct ITraceRelogger ITraceRelogger;

/*
 * An event.  Set methods change only this object, never the source.  ERROR_NOT_SUPPORTED:
 * records of this kind (kernel logger, WPP, classic) do not have the member.
 */
typedef struct ITraceEventVtbl {
	HRESULT (*QueryInterface)(ITraceEvent *This, const IID *riid,
						    void **ppvObject);
	ULONG (*AddRef)(ITraceEvent *This);
	ULONG (*Release)(ITraceEvent *This);
	/* The caller owns the copy, which has one reference. */
	HRESULT (*Clone)(ITraceEvent *This, ITraceEvent **NewEvent);
	/* The context of its stream */
	HRESULT (*GetUserContext)(ITraceEvent *This, void **UserContext);
	/* Owned by the event; Set methods change it.  TimeStamp is a FILETIME. */
	HRESULT (*GetEventRecord)(ITraceEvent *This,
						    PEVENT_RECORD *EventRecord);
	/* Bytes, copied; HRESULT_FROM_WIN32(ERROR_ARITHMETIC_OVERFLOW): too large. */
	HRESULT (*SetPayload)(ITraceEvent *This, BYTE *Payload,
						ULONG PayloadSize);
	HRESULT (*SetEventDescriptor)(ITraceEvent *This,
							const EVENT_DESCRIPTOR *EventDescriptor);
	HRESULT (*SetProcessId)(ITraceEvent *This, ULONG ProcessId);
	/* Below 8,192 */
	HRESULT (*SetProcessorIndex)(ITraceEvent *This, ULONG ProcessorIndex);
	HRESULT (*SetThreadId)(ITraceEvent *This, ULONG ThreadId);
	/* Ticks of the clock interrupt */
	HRESULT (*SetThreadTimes)(ITraceEvent *This, ULONG KernelTime,
						    ULONG UserTime);
	HRESULT (*SetActivityId)(ITraceEvent *This, LPCGUID ActivityId);
	/* FILETIME */
	HRESULT (*SetTimeStamp)(ITraceEvent *This, LARGE_INTEGER *TimeStamp);
	HRESULT (*SetProviderId)(ITraceEvent *This, LPCGUID ProviderId);
} ITraceEventVtbl;

struct ITraceEvent {
	const ITraceEventVtbl *lpVtbl;
};

/*
 * Implemented by the program.  If a method fails, ProcessTrace() ends and returns the same
 * error, and there is no output.
 */
typedef struct ITraceEventCallbackVtbl {
	HRESULT (*QueryInterface)(ITraceEventCallback *This, const IID *riid,
						    void **ppvObject);
	ULONG (*AddRef)(ITraceEventCallback *This);
	ULONG (*Release)(ITraceEventCallback *This);
	HRESULT (*OnBeginProcessTrace)(ITraceEventCallback *This,
							 ITraceEvent *HeaderEvent,
							 ITraceRelogger *Relogger);
	/* The last chance to call Inject() */
	HRESULT (*OnFinalizeProcessTrace)(ITraceEventCallback *This,
							    ITraceRelogger *Relogger);
	HRESULT (*OnEvent)(ITraceEventCallback *This, ITraceEvent *Event,
					     ITraceRelogger *Relogger);
} ITraceEventCallbackVtbl;

struct ITraceEventCallback {
	const ITraceEventCallbackVtbl *lpVtbl;
};

typedef struct ITraceReloggerVtbl {
	HRESULT (*QueryInterface)(ITraceRelogger *This, const IID *riid,
						    void **ppvObject);
	ULONG (*AddRef)(ITraceRelogger *This);
	ULONG (*Release)(ITraceRelogger *This);
	/* Opened at once: ERROR_FILE_NOT_FOUND, ERROR_FILE_CORRUPT and the like */
	HRESULT (*AddLogfileTraceStream)(ITraceRelogger *This,
							   BSTR LogfileName, void *UserContext,
							   RELOGSTREAM_ID *TraceStreamId);
	/* At most one, besides files; ERROR_WMI_INSTANCE_NOT_FOUND, ERROR_WMI_ALREADY_ENABLED */
	HRESULT (*AddRealtimeTraceStream)(ITraceRelogger *This,
							    BSTR LoggerName, void *UserContext,
							    RELOGSTREAM_ID *TraceStreamId);
	/* Takes a reference; releases the earlier callback, if any. */
	HRESULT (*RegisterCallback)(ITraceRelogger *This,
						      ITraceEventCallback *Callback);
	/* While ProcessTrace() runs; from any thread. */
	HRESULT (*Inject)(ITraceRelogger *This, ITraceEvent *Event);
	/*
	 * A new event without payload, with the time of the last delivered event.
	 * Flags: EVENT_HEADER_FLAG_STRING_ONLY, _NO_CPUTIME, _32_BIT_HEADER, _64_BIT_HEADER,
	 * _CLASSIC_HEADER.
	 */
	HRESULT (*CreateEventInstance)(ITraceRelogger *This,
							 RELOGSTREAM_ID TraceStreamId,
							 ULONG Flags, ITraceEvent **Event);
	/*
	 * Runs to the end of all streams; once.  The output is then complete, or absent.
	 * HRESULT_FROM_WIN32(ERROR_CANCELLED): ended by Cancel(); the output contains what was
	 * injected.
	 */
	HRESULT (*ProcessTrace)(ITraceRelogger *This);
	/*
	 * Replaces an existing file, except one of the streams: then ProcessTrace() returns
	 * HRESULT_FROM_WIN32(ERROR_SHARING_VIOLATION).  Inject() fails without an output.
	 */
	HRESULT (*SetOutputFilename)(ITraceRelogger *This, BSTR LogfileName);
	HRESULT (*SetCompressionMode)(ITraceRelogger *This,
							BOOLEAN CompressionMode);
	/* From any thread, before or while it runs */
	HRESULT (*Cancel)(ITraceRelogger *This);
} ITraceReloggerVtbl;

struct ITraceRelogger {
	const ITraceReloggerVtbl *lpVtbl;
};

#ifdef COBJMACROS
#define ITraceEvent_QueryInterface(This, riid, ppv) (This)->lpVtbl->QueryInterface(This, riid, ppv)
#define ITraceEvent_AddRef(This) (This)->lpVtbl->AddRef(This)
#define ITraceEvent_Release(This) (This)->lpVtbl->Release(This)
#define ITraceEvent_Clone(This, NewEvent) (This)->lpVtbl->Clone(This, NewEvent)
#define ITraceEvent_GetUserContext(This, Context) (This)->lpVtbl->GetUserContext(This, Context)
#define ITraceEvent_GetEventRecord(This, Record) (This)->lpVtbl->GetEventRecord(This, Record)
#define ITraceEvent_SetPayload(This, Payload, Size) (This)->lpVtbl->SetPayload(This, Payload, Size)
#define ITraceEvent_SetEventDescriptor(This, Desc) (This)->lpVtbl->SetEventDescriptor(This, Desc)
#define ITraceEvent_SetProcessId(This, Id) (This)->lpVtbl->SetProcessId(This, Id)
#define ITraceEvent_SetProcessorIndex(This, Index) (This)->lpVtbl->SetProcessorIndex(This, Index)
#define ITraceEvent_SetThreadId(This, Id) (This)->lpVtbl->SetThreadId(This, Id)
#define ITraceEvent_SetThreadTimes(This, Kernel, User) \
	(This)->lpVtbl->SetThreadTimes(This, Kernel, User)
#define ITraceEvent_SetActivityId(This, Id) (This)->lpVtbl->SetActivityId(This, Id)
#define ITraceEvent_SetTimeStamp(This, Time) (This)->lpVtbl->SetTimeStamp(This, Time)
#define ITraceEvent_SetProviderId(This, Id) (This)->lpVtbl->SetProviderId(This, Id)
#define ITraceRelogger_QueryInterface(This, riid, ppv) \
	(This)->lpVtbl->QueryInterface(This, riid, ppv)
#define ITraceRelogger_AddRef(This) (This)->lpVtbl->AddRef(This)
#define ITraceRelogger_Release(This) (This)->lpVtbl->Release(This)
#define ITraceRelogger_AddLogfileTraceStream(This, Name, Context, Id) \
	(This)->lpVtbl->AddLogfileTraceStream(This, Name, Context, Id)
#define ITraceRelogger_AddRealtimeTraceStream(This, Name, Context, Id) \
	(This)->lpVtbl->AddRealtimeTraceStream(This, Name, Context, Id)
#define ITraceRelogger_RegisterCallback(This, Callback) \
	(This)->lpVtbl->RegisterCallback(This, Callback)
#define ITraceRelogger_Inject(This, Event) (This)->lpVtbl->Inject(This, Event)
#define ITraceRelogger_CreateEventInstance(This, Id, Flags, Event) \
	(This)->lpVtbl->CreateEventInstance(This, Id, Flags, Event)
#define ITraceRelogger_ProcessTrace(This) (This)->lpVtbl->ProcessTrace(This)
#define ITraceRelogger_SetOutputFilename(This, Name) (This)->lpVtbl->SetOutputFilename(This, Name)
#define ITraceRelogger_SetCompressionMode(This, Mode) \
	(This)->lpVtbl->SetCompressionMode(This, Mode)
#define ITraceRelogger_Cancel(This) (This)->lpVtbl->Cancel(This)
#endif /* COBJMACROS */

#endif /* C */

ETW_BEGIN_DECLS

/**
 * CreateTraceRelogger() - create a relogger
 * @Relogger: out: the object, with one reference
 *
 * Not on Windows, where it is CoCreateInstance(CLSID_TraceRelogger, NULL,
 * CLSCTX_INPROC_SERVER, IID_ITraceRelogger, Relogger).
 *
 * Return: S_OK; E_POINTER; E_OUTOFMEMORY.
 * Threads: any.
 */
ETW_API HRESULT WINAPI CreateTraceRelogger(ITraceRelogger **Relogger);

ETW_END_DECLS

#endif /* ETW_RELOGGER_H */
