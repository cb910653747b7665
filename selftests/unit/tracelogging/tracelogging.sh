#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# tracelogging.sh - TraceLogging in all dialects, what a write compiles to, and sources
# as they are written for Windows
#
# The tests of tl_program.h and tl_own.h are built and run by each compiler as C and C++,
# without warnings; tracelogging.c and tracelogging_own.c have the same under the
# sanitizers.  Prints TAP.
#
# CC and CXX name the compilers; clang is used as well where it is installed.
#
# shellcheck disable=SC2086 # words in variables: flags, compilers

set -u

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd) || exit 1
inc=$top/include
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
"$top/scripts/spellings" "$tmp/include" || exit 1

warn='-Wall -Wextra -Wpedantic -Wshadow -Werror'
count=0
failed=0

# result NAME STATUS: print one TAP line; messages are in $tmp/log
result() {
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		sed 's/^/# /' "$tmp/log" | tail -n 40
	fi
}

# program TESTS LANGUAGE COMMAND...: build and run all tests of TESTS.h
program() {
	tests=$1 lang=$2
	shift 2
	echo "#include \"$tests.h\"" >"$tmp/prog.$lang"
	"$@" $warn -I"$inc" -I"$top/selftests" -I"$top/selftests/unit/tracelogging" -o "$tmp/prog" "$tmp/prog.$lang" \
		>"$tmp/log" 2>&1 && "$tmp/prog" >"$tmp/out" 2>&1
	status=$?
	[ $status -eq 0 ] || { [ ! -s "$tmp/out" ] || grep -A3 '^not ok' "$tmp/out" >>"$tmp/log"; }
	result "$*: $tests" $status
}

# Windows may lack EventSetInformation(); a program that requires it fails to compile with
# a message.
without_set() {
	printf '%s\n' '#define TLG_HAVE_EVENT_SET_INFORMATION 0' \
		'#include <TraceLoggingProvider.h>' >"$tmp/without.c"
	! $1 -I"$inc" -fsyntax-only "$tmp/without.c" >"$tmp/log" 2>&1 &&
		grep -q 'error: .*TLG_HAVE_EVENT_SET_INFORMATION 0: without it' "$tmp/log"
	result "$1: TLG_HAVE_EVENT_SET_INFORMATION 0" $?
}

# one_call LANGUAGE COMMAND...: a write compiles to one test and one call, without code
# for constants.  The function has no other jumps.
one_call() {
	lang=$1
	shift
	cat >"$tmp/one.$lang" <<'END'
#include <TraceLoggingProvider.h>
#ifdef __cplusplus
extern "C"
#endif
void one(TraceLoggingHProvider provider, int number, const GUID *id);
void one(TraceLoggingHProvider provider, int number, const GUID *id)
{
	TraceLoggingWrite(provider, "Event", TraceLoggingLevel(4), TraceLoggingKeyword(0x10),
			  TraceLoggingInt32(number, "Number"), TraceLoggingGuid(*id, "Id"),
			  TraceLoggingUInt16(7, "Seven"));
}
END
	"$@" $warn -O2 -fno-stack-protector -fcf-protection=none -fomit-frame-pointer -I"$inc" \
		-S -o "$tmp/one.s" "$tmp/one.$lang" >"$tmp/log" 2>&1 || {
		result "$*: one test, one call" 1
		return
	}
	awk '/^one:/, /\.size[ \t]+one/ { print }' "$tmp/one.s" >"$tmp/log"
	# The test compares level, keyword any and keyword all.
	calls=$(grep -cE '^[[:space:]]+call' "$tmp/log")
	tail=$(grep -cE '^[[:space:]]+jmp[q]?[[:space:]]+\*?EventWriteTransfer' "$tmp/log")
	tests=$(grep -cE '^[[:space:]]+j(a|ae|b|be|c|nc|e|ne|z|nz|g|ge|l|le)[[:space:]]' "$tmp/log")
	[ $((calls + tail)) -eq 1 ] && grep -q EventWriteTransfer "$tmp/log" &&
		[ "$tests" -ge 1 ] && [ "$tests" -le 3 ]
	result "$*: one test, one call" $?
}

# Sources in the style of Windows programs: a logging class, C with HRESULTs, wide
# strings, macros around the macros, activities.
windows_sources() {
	cat >"$tmp/logger.cc" <<'END'
#include <Windows.h>
#include <string>
#include <TraceLoggingProvider.h>
#include <TraceLoggingActivity.h>
#include <evntrace.h>
#include <winmeta.h>

#define KEYWORD_PERFORMANCE 0x1
#define COMMON_FIELDS \
    TraceLoggingLevel(WINEVENT_LEVEL_INFO), \
    TraceLoggingStruct(2, "Common"), \
        TraceLoggingString("1.2", "Version"), \
        TraceLoggingUInt32(GetCurrentProcessId(), "Process")
#define LOG_EVENT(name, ...) \
    TraceLoggingWrite(g_provider, name, COMMON_FIELDS, __VA_ARGS__)

TRACELOGGING_DECLARE_PROVIDER(g_provider);

TRACELOGGING_DEFINE_PROVIDER(
    g_provider,
    "Company.Product.Component",
    // {6d0c9b0e-64bb-4b6e-8f0c-0d5d1b6f4f11}
    (0x6d0c9b0e, 0x64bb, 0x4b6e, 0x8f, 0x0c, 0x0d, 0x5d, 0x1b, 0x6f, 0x4f, 0x11),
    TraceLoggingOptionGroup(0x3c7d1b11, 0x26d3, 0x4f0c, 0x9d, 0x11, 1, 2, 3, 4, 5, 6));

static const int LevelVerbose = 5;

namespace Company { namespace Product {

enum class Kind : unsigned char { Small, Large };

class Logger
{
public:
    Logger() { TraceLoggingRegister(g_provider); }
    ~Logger() { TraceLoggingUnregister(g_provider); }

    void Log(const std::wstring& text, HRESULT hr, Kind kind)
    {
        if (FAILED(hr))
            TraceLoggingWrite(
                g_provider,
                "Failure",
                TraceLoggingLevel(WINEVENT_LEVEL_ERROR),
                TraceLoggingHResult(hr, "Result"),
                TraceLoggingValue(static_cast<UINT32>(kind), "Kind"),
                TraceLoggingWideString(text.c_str(), "Text"));
        else
            TraceLoggingWrite(g_provider, "Verbose", TraceLoggingLevel(LevelVerbose),
                TraceLoggingValue(kind), TraceLoggingValue(text.c_str(), "Text"));
        LOG_EVENT("Plain");
        LOG_EVENT("More", TraceLoggingBool(TRUE, "Yes"), TraceLoggingBoolean(false, "No"));
    }

    template <class T> void Value(const T& value) { LOG_EVENT("Value", TraceLoggingValue(value)); }
};

static void Work(REFGUID session)
{
    TraceLoggingActivity<g_provider, KEYWORD_PERFORMANCE, WINEVENT_LEVEL_INFO> activity;

    activity.SetRelatedActivityId(session);
    TraceLoggingWriteStart(activity, "Work", TraceLoggingGuid(session));
    auto progress = [&activity](int percent) {
        TraceLoggingWriteTagged(activity, "Progress", TraceLoggingInt32(percent));
    };
    progress(50);
    TraceLoggingWriteStop(activity, "Work");
}

}}

int wmain()
{
    Company::Product::Logger logger;
    GUID session = {};

    logger.Log(L"text", E_FAIL, Company::Product::Kind::Large);
    logger.Log(L"text", S_OK, Company::Product::Kind::Small);
    logger.Value(1.5);
    logger.Value("literal");
    Company::Product::Work(session);
    return 0;
}

int main() { return wmain(); }
END
	cat >"$tmp/service.c" <<'END'
#include <windows.h>
#include <stdio.h>
#include <TraceLoggingProvider.h>
#include <winmeta.h>

TRACELOGGING_DEFINE_PROVIDER(g_hProvider, "Company.Service",
    (0x0d1f8a3c, 0x4d11, 0x4f3d, 0x8a, 0x53, 0x64, 0x8b, 0x9d, 0xff, 0x7a, 0x1c));

static VOID NTAPI EnableCallback(_In_ LPCGUID SourceId, _In_ ULONG IsEnabled, _In_ UCHAR Level,
    _In_ ULONGLONG MatchAnyKeyword, _In_ ULONGLONG MatchAllKeyword,
    _In_opt_ PEVENT_FILTER_DESCRIPTOR FilterData, _In_opt_ PVOID CallbackContext)
{
    UNREFERENCED_PARAMETER(SourceId);
    UNREFERENCED_PARAMETER(Level);
    UNREFERENCED_PARAMETER(MatchAnyKeyword);
    UNREFERENCED_PARAMETER(MatchAllKeyword);
    UNREFERENCED_PARAMETER(FilterData);
    *(volatile LONG *)CallbackContext = (LONG)IsEnabled;
}

int __cdecl main(void)
{
    static LONG enabled;
    FILETIME now = { 0, 0 };
    GUID activity;
    HRESULT hr = TraceLoggingRegisterEx(g_hProvider, EnableCallback, &enabled);

    if (FAILED(hr))
        return 1;
    EventActivityIdControl(EVENT_ACTIVITY_CTRL_CREATE_ID, &activity);
    if (TraceLoggingProviderEnabled(g_hProvider, WINEVENT_LEVEL_VERBOSE, 0))
        printf("somebody listens\n");
    TraceLoggingWriteActivity(g_hProvider, "Start", &activity, NULL,
        TraceLoggingOpcode(WINEVENT_OPCODE_START),
        TraceLoggingKeyword(WINEVENT_KEYWORD_RESPONSE_TIME),
        TraceLoggingFileTimeUtc(now, "Time"),
        TraceLoggingPid(GetCurrentProcessId(), "Pid"),
        TraceLoggingWideString(L"wide", "Name", "what it is called"));
    TraceLoggingUnregister(g_hProvider);
    return 0;
}
END
}

# windows SOURCE COMMAND...: build and run a source unchanged, without the module or a
# listener
windows() {
	src=$1
	shift
	"$@" -fshort-wchar -Wall -Wextra -Werror -I"$inc" -I"$inc/win32" \
		-I"$tmp/include/win32" -o "$tmp/win" "$tmp/$src" "$top/build/libetw.a" -pthread \
		>"$tmp/log" 2>&1 && "$tmp/win" >>"$tmp/log" 2>&1
	result "$*: a Windows source, $src" $?
}

# compiler C-COMMAND C++-COMMAND
compiler() {
	program tl_program c $1 -std=c11
	program tl_program c $1 -std=gnu11 -O2 -fshort-wchar
	program tl_program cc $2 -std=c++17
	program tl_program cc $2 -std=gnu++20 -O2 -fshort-wchar
	program tl_own c $1 -std=c11
	program tl_own cc $2 -std=c++17 -O2
	without_set $1
	case $(uname -m) in
	x86_64)
		one_call c $1 -std=c11
		one_call cc $2 -std=c++17
		;;
	esac
	windows service.c $1 -std=gnu11
	windows logger.cc $2 -std=c++17
}

windows_sources
compiler "${CC:-gcc}" "${CXX:-g++}"
if [ "${CC:-gcc}" != clang ] && command -v clang >/dev/null 2>&1 &&
   command -v clang++ >/dev/null 2>&1; then
	compiler clang clang++
fi

echo "1..$count"
[ $failed -eq 0 ]
