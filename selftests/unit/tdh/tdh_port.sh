#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The sample that prints events as Windows programs do, with TdhGetEventInformation() and
# TdhFormatProperty(): it compiles as ported code may be, and prints what was written.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh

# The sample's callback with an event of the tests' manifest, complete and truncated.
cat >"$work/driver.c" <<-'END'
	#define main sample_main
	#include "user/samples/tdh_consumer.c"
	#undef main
	#include "selftests/unit/tdh/tdh_test.h"

	int main(int argc, char **argv)
	{
		EVENT_RECORD record = big_record();
		static WCHAR hello[] = { 'H', 'e', 'l', 'l', 'o', 0xe4, 0 };

		if (argc > 2)
			return fputs(test_manifest, stdout) < 0;
		if (argc > 1 ? TdhLoadManifestFromBinaryA(argv[1]) : load_test_manifest())
			return 1;
		on_event(&record);
		record.UserDataLength = 16;
		on_event(&record);
		record.EventHeader.EventDescriptor.Id = 99;
		on_event(&record);
		record.EventHeader.Flags |= EVENT_HEADER_FLAG_STRING_ONLY;
		record.UserData = hello;
		on_event(&record);
		return 0;
	}
END
cat >"$work/want" <<-'END'
	Test-Tdh Read/Half id 1 version 2 level Error Disk The network Test-Tdh/Operational
	    Count: 2
	    Size: 3
	    Name: Log
	    Numbers[0]: 10
	    Numbers[1]: 20
	    Pair[0]: -1
	    Pair[1]: 2
	    Data: 0x78797a
	    Color: Grün
	    Set: One|Four
	    Points[0]
	        X: 1
	        Label: one
	    Points[1]
	        X: -2
	        Label: two
	    Where: 0x1122334455667788
	    One
	        A: 7
	        B: 265
	    Tail: 0xbeef
	Test-Tdh Read/Half id 1 version 2 level Error Disk The network Test-Tdh/Operational
	    Count: 2
	    Size: 3
	    Name: Log
	    Numbers[0]: 
	    error 15005 (16 bytes)
	    error 1168 (16 bytes)
	Helloä
END

# build FLAGS...: build the driver.
build() {
	gcc -std=gnu11 -Wall -Wextra -Werror "$@" -I. -Iinclude -o "$work/driver" "$work/driver.c" \
		build/libtdh.a build/libetw.a -lxml2 -lm -pthread
}

# run [BINARY]: with the manifest, or with mc's output for it.
run() {
	LC_ALL=C ETW_MANIFEST_PATH=/nonexistent "$work/driver" "$@" >"$work/got" && diff "$work/want" "$work/got"
}

check "the sample compiles" build
check "it prints all fields, and what is wrong" run
compile() {
	"$work/driver" print it >"$work/test.man" &&
		build/mc -um -h "$work" -r "$work" "$work/test.man"
}
check "mc compiles the manifest" compile
check "its resource says the same" run "$work/testTEMP.BIN"
check "it compiles with wide strings of 16 bits" build -fshort-wchar
check "and prints the same" run
finish
