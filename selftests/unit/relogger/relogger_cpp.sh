#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# relogger_cpp.sh - a C++ program with a callback of its own relogs a file, by the
# shared library.  Prints TAP.
set -uo pipefail

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh

# Write an input: 10 events, numbered from 1.
cat >"$work/make.c" <<'END'
#include <string.h>
#include "core/record.h"
#include "etl/write.h"

int main(int argc, char **argv)
{
	struct etw_etl_options options = { .logger = "made" };
	struct etw_event_header h = { .size = sizeof(h), .type = ETW_TYPE_EVENT64 };
	struct etw_etl_writer *w;
	int err = etw_etl_create(argv[argc - 1], &options, &w);

	if (err)
		return 1;
	for (int i = 1; i <= 10 && !err; i++) {
		h.desc.id = i;
		h.timestamp = etw_etl_writer_info(w)->start_clock + i;
		err = etw_etl_write(w, 0, &h, sizeof(h));
	}
	return etw_etl_finish(w, 0, NULL) || err;
}
END

# Relog half of the events, each with a payload; the callback counts its references.
cat >"$work/relog.cc" <<'END'
#include <relogger.h>
#include <cstdio>
#include <string>

struct Half : public ITraceEventCallback {
	int refs = 1, begun = 0, ended = 0;

	HRESULT QueryInterface(REFIID, void **out) override
	{
		*out = nullptr;
		return E_NOINTERFACE;
	}
	ULONG AddRef() override { return ++refs; }
	ULONG Release() override { return --refs; }
	HRESULT OnBeginProcessTrace(ITraceEvent *, ITraceRelogger *) override
	{
		begun++;
		return S_OK;
	}
	HRESULT OnFinalizeProcessTrace(ITraceRelogger *) override
	{
		ended++;
		return S_OK;
	}
	HRESULT OnEvent(ITraceEvent *event, ITraceRelogger *relogger) override
	{
		static BYTE payload[] = { 'h', 'i' };
		EVENT_RECORD *record;
		HRESULT hr = event->GetEventRecord(&record);

		if (FAILED(hr) || record->EventHeader.EventDescriptor.Id % 2)
			return hr;
		hr = event->SetPayload(payload, sizeof(payload));
		return FAILED(hr) ? hr : relogger->Inject(event);
	}
};

static std::u16string wide(const char *s)
{
	return std::u16string(s, s + std::char_traits<char>::length(s));
}

int main(int, char **argv)
{
	std::u16string in = wide(argv[1]), out = wide(argv[2]);
	ITraceRelogger *relogger;
	RELOGSTREAM_ID id;
	IUnknown *unknown;
	Half half;

	if (CreateTraceRelogger(&relogger) != S_OK)
		return 1;
	if (relogger->QueryInterface(IID_IUnknown, (void **)&unknown) != S_OK ||
	    unknown->Release() != 1)
		return 2;
	if (relogger->AddLogfileTraceStream((BSTR)&in[0], nullptr, &id) != S_OK ||
	    relogger->SetOutputFilename((BSTR)&out[0]) != S_OK ||
	    relogger->RegisterCallback(&half) != S_OK || half.refs != 2)
		return 3;
	HRESULT hr = relogger->ProcessTrace();
	if (hr != S_OK) {
		std::printf("ProcessTrace: 0x%x\n", (unsigned)hr);
		return 4;
	}
	if (relogger->Release() != 0 || half.refs != 1 || half.begun != 1 || half.ended != 1)
		return 5;
	return 0;
}
END

# shellcheck disable=SC2317,SC2329 # called by check
output_is() {
	ETW_DEVICE=/nonexistent build/etw dump "$work/out.etl" --raw --format '%i' >"$work/list" &&
		[ "$(tr '\n' ' ' <"$work/list")" = "0 2 4 6 8 10 " ]
}

check "a program that makes the input" "${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -Iinclude \
	-Imodule -Iuser -o "$work/make" "$work/make.c" build/libetw.a -pthread
check "makes it" "$work/make" "$work/in.etl"
for cxx in ${CXX:-g++} clang++; do
	command -v "$cxx" >/dev/null || continue
	check "a callback in C++ compiles: $cxx" "$cxx" -std=c++17 -Wall -Wextra -Wpedantic \
		-Werror -Iinclude -o "$work/relog" "$work/relog.cc" -Lbuild -letw
	check "and works" env LD_LIBRARY_PATH=build "$work/relog" "$work/in.etl" "$work/out.etl"
	check "its output has the injected events" output_is
done
check "with CINTERFACE it works as in C" "${CXX:-g++}" -std=c++17 -Wall -Wextra -Wpedantic -Werror \
	-Iinclude -DCINTERFACE -DCOBJMACROS -fsyntax-only -x c++ - <<'END'
#include <relogger.h>
HRESULT go(ITraceRelogger *relogger, ITraceEvent *event)
{
	return FAILED(ITraceEvent_SetProcessId(event, 1)) ? E_FAIL :
	       relogger->lpVtbl->Inject(relogger, event);
}
END

# Like Windows code: 16-bit strings, CoCreateInstance(); C and C++ from the same source.
cat >"$work/ported.c" <<'END'
#define COBJMACROS
#include <windows.h>
#include <objbase.h>
#include <Relogger.h>

#ifdef __cplusplus
#define REF(id) id
#define CALL(object, method, ...) (object)->method(__VA_ARGS__)
#else
#define REF(id) &id
#define CALL(object, method, ...) (object)->lpVtbl->method(object, ##__VA_ARGS__)
#endif

int main(void)
{
	BSTR name = SysAllocString(L"/nonexistent.etl");
	ITraceRelogger *relogger = NULL;
	RELOGSTREAM_ID id;
	void *other;

	if (FAILED(CoInitializeEx(NULL, COINIT_MULTITHREADED)) || SysStringLen(name) != 16)
		return 1;
	if (CoCreateInstance(REF(IID_IUnknown), NULL, CLSCTX_ALL, REF(IID_IUnknown), &other) !=
	    REGDB_E_CLASSNOTREG || other)
		return 2;
	if (CoCreateInstance(REF(CLSID_TraceRelogger), NULL, CLSCTX_INPROC_SERVER,
			     REF(IID_ITraceEvent), &other) != E_NOINTERFACE || other)
		return 3;
	if (CoCreateInstance(REF(CLSID_TraceRelogger), NULL, CLSCTX_INPROC_SERVER,
			     REF(IID_ITraceRelogger), (void **)&relogger) != S_OK)
		return 4;
	if (CALL(relogger, AddLogfileTraceStream, name, NULL, &id) !=
	    HRESULT_FROM_WIN32(ERROR_FILE_NOT_FOUND))
		return 5;
	SysFreeString(name);
	SysFreeString(NULL);
	CoUninitialize();
	return CALL(relogger, Release) ? 6 : 0;
}
END
for language in c c++; do
	check "ported from Windows compiles as $language" "${CC:-gcc}" -Wall -Wextra -Werror \
		-fshort-wchar -Iinclude -Iinclude/win32 -Ibuild/include/win32 -o "$work/ported" -x "$language" \
		"$work/ported.c" -Lbuild -letw
	check "and works" env LD_LIBRARY_PATH=build "$work/ported"
done
finish
