#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_takes.sh - the message compiler takes what mc.exe takes, and agrees with its check
#
# selftests/mc/takes.man has symbols of several providers, names without a symbol, maps,
# named queries and cultures that Windows has no number for; mc_corpus.sh writes its events.
# Here are the constants of its header, its resources, empty manifests, and manifests with
# one fault each, of which 'etw mc' and 'etw manifest check' say the same. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

corpus=${ETW_CORPUS:-../shared/corpus}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ -x build/mc ]] || { echo "1..0 # SKIP not built"; exit 4; }

# compile MANIFEST: into $work
compile() {
	build/mc -um -h "$work" -r "$work" "$1" >"$work/log" 2>&1 || cat "$work/log"
}

# program NAME COMPILER...: print errors of $work/NAME.c, by each compiler
program() {
	local name=$1 compiler
	shift

	for compiler in "$@"; do
		# shellcheck disable=SC2086 # words
		{ $compiler -Wall -Wextra -Wpedantic -Werror -Iinclude -I"$work" -o "$work/program" \
			"$work/$name.c" -x none build/libetw.a -pthread && "$work/program"; } 2>&1 ||
			echo "$compiler"
	done
}

check_constants() {
	compile selftests/mc/takes.man
	cat >"$work/constants.c" <<-'END'
	#include "takes.h"
	int main(void)
	{
		Colour colour = ColourLast;
		Flag flag = FlagHigh;

		if (ColourRed != 1 || FlagRed != 1 || (ULONG)colour != ~0u || (ULONG)flag != 1u << 31)
			return 1;
		if (TAKES_BARE != 3 || TAKES_KEYWORD != 4 || TAKES_ONLY != 4)
			return 2;
		if (TakesFirst_TASK_Load_File != 1 || TakesFirst_TASK_Save != 2 || TakesFirst_OPCODE_Step != 10)
			return 3;
		if (TAKES_ADMIN != 16 || TakesFirst_CHANNEL_O_p != 17 || TakesFirst_CHANNEL_App != 9 ||
		    TAKES_ADMIN_KEYWORD != 1ull << 63 || TakesSecond_CHANNEL_TraceLogging != 11)
			return 4;
		if (MSG_level_Error != 0x50000002 || MSG_level_Informational != 0x50000004 ||
		    MSG_opcode_Stop != 0x30000002 || MSG_task_None != 0x70000000 ||
		    MSG_keyword_ResponseTime != 0x10000031 || MSG_channel_Application != 0x90000003 ||
		    MSG_lines != 0xB0000001)
			return 5;
		if (TakesStop.Id != 2 || TakesSecond_EVENT_0x1_0_0_2_0_0_0.Id != 1 || TakesOther.Id != 2)
			return 6;
		return 0;
	}
	END
	program constants "${CC:-gcc} -x c -std=c11" "${CXX:-g++} -x c++ -std=c++17"
}

# A constant yields to an object, and what is a word of C++ has another name: by line
check_warnings() {
	local line

	for line in 26 29 62 64 65 66 67 69; do
		grep -q "^selftests/mc/takes.man:$line: warning: " "$work/log" || echo "no warning of line $line"
	done
	grep -v 'warning: ' "$work/log" || true
}

# Lines of messages end in CR LF; each culture has a table and a number of its own
check_resources() {
	local text

	text=$(tr -d '\0' <"$work/MSG00001.bin" | tr '\r' '#')
	[[ $text == *$'one#\ntwo#\nthree#\n#\n%1#\n'* ]] || echo "lines: $text"
	[[ $text == *Doq* ]] || echo "the first table is not that of the first culture"
	text=$(grep LANGUAGE "$work/takes.rc" | tr '\n' ' ')
	[[ $text == 'LANGUAGE 0x0,0x4 LANGUAGE 0x9,0x1 LANGUAGE 0x0,0x8 ' ]] || echo "$text"
	text=$(tr -d '\0' <"$work/takesTEMP.BIN" | tr -c '[:print:]' ' ')
	[[ $text == *QTAB*Paths*'%1 of %2'*Users* ]] || echo "no named query"
	build/etw manifest show selftests/mc/takes.man 2>&1 | grep -q TakesStart || echo "is not shown"
}

space='xmlns="http://schemas.microsoft.com/win/2004/08/events"'

check_empty() {
	local inner

	for inner in '' '<instrumentation/>' '<instrumentation><events/></instrumentation>'; do
		echo "<instrumentationManifest $space>$inner</instrumentationManifest>" >"$work/empty.man"
		compile "$work/empty.man"
		[[ $(stat -c %s "$work/emptyTEMP.BIN") == 18 ]] || echo "no 18 bytes of: $inner"
	done
	printf '#include "empty.h"\nint main(void) { return 0; }\n' >"$work/none.c"
	program none "${CC:-gcc} -x c -std=c11"
	echo "<instrumentationManifest $space><instrumentation><counters xmlns='urn:x'/></instrumentation></instrumentationManifest>" \
		>"$work/empty.man"
	compile "$work/empty.man" | grep -q 'empty.man:1: error: no events here' || echo "counters are taken"
}

# fault NAME LINE TEXT ELEMENTS...: the compiler refuses a provider with these elements, in
# which line 2 is the first, and says so in this line
fault() {
	local file=$work/faults/$1.man

	printf '%s\n' "<instrumentationManifest $space xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'><instrumentation><events><provider name='P' symbol='P' guid='{11111111-2222-3333-4444-555555555555}'>" \
		"${@:4}" "</provider></events></instrumentation></instrumentationManifest>" >"$file"
	[[ $1 == good* ]] && return
	! build/mc -h "$work" -r "$work" "$file" >"$work/log" 2>&1 || echo "$1: taken"
	grep -qF -- "$1.man:$2: error: " "$work/log" && grep -qF -- "$3" "$work/log" ||
		echo "$1: $(<"$work/log")"
}

# Each fault has a line and, where a character is wrong, that character.
check_faults() {
	local i

	mkdir -p "$work/faults"
	fault symbol 3 'character 4 is "-"' '<events>' '<event value="1" symbol="abc-d"/>' '</events>'
	fault utf8 3 'character 3 is "ß"' '<events>' '<event value="1" symbol="a_ß"/>' '</events>'
	fault number 2 'character 3 is "x"' '<events><event value="12x"/></events>'
	fault guid 2 'character 10 is "g"' '<traits groupGuid="{01234567g89ab-cdef-0123-456789abcdef}"/>'
	fault channel 2 'character 2 is "?"' '<channels><channel name="a?" type="Debug"/></channels>'
	fault twice 3 'symbol is that of another event' '<events><event value="1" symbol="S"/>' \
		'<event value="2" symbol="S"/></events>'
	fault fields 2 'can write 127 pieces' "<templates><template tid='T'>$(for i in {1..128}; do
		echo "<data name='d$i' inType='win:UInt8'/>"; done)</template></templates><events><event value='1' template='T'/></events>"
	fault messages 3 'two messages have the number' '<levels><level name="a" value="16" message="a"/></levels>' \
		'<filters><filter name="f" value="1" message="b"/><filter name="g" value="1" version="1" message="c"/></filters><tasks><task name="t" value="1"><opcodes><opcode name="o" value="16" message="d"/></opcodes></task><task name="u" value="257"><opcodes><opcode name="o" value="16" message="e"/></opcodes></task></tasks>'
	fault xml 3 'not well-formed XML' '<events>' '<event value="1" symbol=A/>' '</events>'
	fault good_words - - '<events><event value="1" symbol="class"/></events>'
}

# agree FILE: both report the same lines, and take or refuse it alike
agree() {
	local mc=0 check=0

	build/mc -um -z agree -h "$work" -r "$work" "$1" >"$work/mc" 2>&1 || mc=1
	build/etw manifest check "$1" >"$work/check" 2>/dev/null || check=1
	[[ $mc == "$check" ]] || echo "$1: mc $mc, check $check"
	diff <(grep -E ': (error|warning): ' "$work/check" | grep -v 'with -km an error') \
		<(grep -E ': (error|warning): ' "$work/mc") || echo "$1: other words"
}

check_agreement() {
	local file

	for file in "$work"/faults/*.man "$work/empty.man" selftests/mc/*.man "$corpus"/manifests/*; do
		[[ ! -e $file ]] || agree "$file"
	done
}

tap_result "$(check_constants)" "constants: maps, tasks, opcodes, channels, messages"
tap_result "$(check_warnings)" "what is not defined as given is a warning"
tap_result "$(check_resources)" "resources: lines, cultures, named queries"
tap_result "$(check_empty)" "an empty manifest makes empty resources"
tap_result "$(check_faults)" "a fault is named with its line and character"
tap_result "$(check_agreement)" "manifest check and mc agree"
echo "1..$tap_number"
exit "$tap_status"
