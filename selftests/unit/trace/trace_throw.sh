#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# trace_throw.sh - a C++ exception in a callback goes through ProcessTrace()
#
# Prints TAP.  CXX names the compiler.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/throw.cc" <<'END'
#include <cstdio>
#include <string>
#include <evntcons.h>
#include <evntrace.h>

static std::string order;
static int events, buffers;

static VOID WINAPI on_event(PEVENT_RECORD record)
{
	order += std::to_string(record->EventHeader.EventDescriptor.Id) + " ";
	if (++events == 3)
		throw std::string("event");
}

static ULONG WINAPI on_buffer(PEVENT_TRACE_LOGFILEA)
{
	if (++buffers == 2)
		throw std::string("buffer");
	return TRUE;
}

static const char *process(TRACEHANDLE handle)
{
	static std::string what;

	try {
		what = std::to_string(ProcessTrace(&handle, 1, nullptr, nullptr));
	} catch (const std::string &thrown) {
		what = thrown;
	}
	return what.c_str();
}

int main(int, char **argv)
{
	EVENT_TRACE_LOGFILEA logfile = {};
	TRACEHANDLE handle;

	logfile.LogFileName = argv[1];
	logfile.ProcessTraceMode = PROCESS_TRACE_MODE_EVENT_RECORD;
	logfile.EventRecordCallback = on_event;
	logfile.BufferCallback = on_buffer;
	handle = OpenTraceA(&logfile);
	for (int i = 0; i < 3; i++)
		std::printf("%s ", process(handle));
	std::printf("%s%lu\n", order.c_str(), (unsigned long)CloseTrace(handle));
	return 0;
}
END

# B184: after an exception nothing is left behind, and processing can continue
try() {
	"${CXX:-g++}" -std=c++17 -Wall -Wextra -Werror -Iinclude -o "$work/throw" "$work/throw.cc" \
		build/libetw.a -pthread &&
		"$work/throw" selftests/libfuzzer/corpus/etl/plain >"$work/out" &&
		[[ $(<"$work/out") == "event buffer 0 0 1 2 4 5 6 7 0" ]]
}

why=''
try >"$work/log" 2>&1 || why="$(cat "$work/log" "$work/out" 2>/dev/null)"
tap_result "$why" 'a C++ exception leaves ProcessTrace(), which can be called again'
echo "1..$tap_number"
exit "$tap_status"
