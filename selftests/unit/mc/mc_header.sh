#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mc_header.sh - the message compiler: its options, its errors, what macros do
#
# The macros are tried by selftests/mc/features.c, in several shapes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
# shellcheck source=scripts/tap.sh
. scripts/tap.sh

mc=build/mc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warn='-Wall -Wextra -Werror'

# report GOOD NAME
report() {
	local problem=''

	[[ $1 == yes ]] || problem=$(echo "the output is:"; head -n 30 "$work/log")
	tap_result "$problem" "$2"
}

# run ARG...: run mc in an empty folder $work/out; its exit status in $code
run() {
	code=0
	rm -rf "$work/out"
	mkdir "$work/out"
	"$mc" "$@" >"$work/log" 2>&1 </dev/null || code=$?
}

files() {
	(cd "$work/out" && find . -type f -printf '%P\n' | LC_ALL=C sort | tr '\n' ' ')
}

# makes FILES ARG...: valid arguments; mc makes exactly these files
makes() {
	local want=$1 good=no
	shift

	run "$@"
	[[ $code -ne 0 || $(files) != "$want" ]] || good=yes
	report "$good" "makes $want: $*"
	[[ $good == yes ]] || { files | sed 's/^/# made: /'; echo; }
}

# refuses CODE TEXT ARG...: invalid arguments; a line contains TEXT, and no file is left
refuses() {
	local want=$1 text=$2 good=no
	shift 2

	run "$@"
	[[ $code -ne $want || -n $(files) ]] || ! grep -qF -- "$text" "$work/log" || good=yes
	report "$good" "refused, $text: $*"
}

# has TEXT FILE NAME
has() {
	local good=no

	cp "$work/out/$2" "$work/log" 2>/dev/null || : >"$work/log"
	! grep -qF -- "$1" "$work/log" || good=yes
	report "$good" "$3"
}

# lacks TEXT FILE NAME
lacks() {
	local good=no

	cp "$work/out/$2" "$work/log"
	grep -qF -- "$1" "$work/log" || good=yes
	report "$good" "$3"
}

check_options() {
	local out=$work/out man=selftests/mc/names.man dirs good

	dirs="-h $out -r $out"
	# shellcheck disable=SC2086 # words
	{
		makes 'MSG00001.bin MSG00002.bin names.h names.rc namesTEMP.BIN ' -um $dirs $man
		has 'EventWriteClash(' names.h "-um: macros"
		makes 'MSG00001.bin MSG00002.bin names.h names.rc namesTEMP.BIN ' $dirs $man
		lacks 'EventWriteClash(' names.h "no mode: no macros"
		has 'EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR Clash = {' names.h "no mode: descriptors"
		makes 'MSG00001.bin MSG00002.bin x.hpp x.rc xTEMP.BIN ' /um $dirs /z x /e hpp $man
		makes 'names.h names.rc namesTEMP.BIN names_MSG00001.bin names_MSG00002.bin ' -b -um $dirs $man
		has 'names_MSG00002.bin' names.rc "-b: the script names the tables"
		run -um $dirs -p Trace $man
		has 'define TraceClash(' names.h "-p: prefix of macros that write"
		has 'define EventEnabledClash()' names.h "-p: no other macro"
		run -um $dirs -P Cl $man
		has 'define EventWriteash(' names.h "-P: symbols lose their begin in macros"
		has 'EXTERN_C __declspec(selectany) const EVENT_DESCRIPTOR Clash = {' names.h "-P: descriptors do not"
		run -um $dirs -m 8 $man
		cp "$work/log" "$out/log"
		has 'names.man:59: warning: string "event" (en-US) is longer than 8 characters' log "-m: warns"
		lacks 'string "event3" (en-US)' log "-m: only of longer ones"
		run -um $dirs -v $man
		cp "$work/log" "$out/log"
		has "wrote $out/names.h" log "-v: names the files"
		makes 'MSG00001.bin MSG00002.bin names.h names.rc namesTEMP.BIN ' -um $dirs -c -cp utf-8 -w x \
			-W y -x z -a -A -d -n -o -u -U $man
	}
	"$mc" --help >"$work/log"
	good=no
	! "$mc" '-?' | cmp -s - "$work/log" || ! build/etw mc '/?' | cmp -s - "$work/log" || good=yes
	report "$good" "-?, /?, --help"
}

check_wrong_usage() {
	local man=selftests/mc/names.man dirs

	dirs="-h $work/out -r $work/out"
	# shellcheck disable=SC2086
	{
		refuses 2 'etw: mc: which manifest?' $dirs
		refuses 2 '-z: NAME is missing' $man -z
		refuses 2 '-y: no such option' $dirs -y $man
		refuses 2 'text-message files (.mc) are not supported' $dirs a.mc
		refuses 2 'there is one manifest already' $dirs $man $man
		refuses 2 '-cs: makes C#' $dirs -cs N $man
		refuses 2 '/mof: is for classic providers' $dirs /mof $man
		refuses 2 '-s: no baselines' $dirs -s d $man
		refuses 2 '-cp: C compilers do not read UTF-16' $dirs -cp utf-16 $man
		refuses 2 '"latin" is neither ansi nor utf-8' $dirs -cp latin $man
		refuses 2 '-m: "0x1" is not a length' $dirs -m 0x1 $man
		refuses 2 'cannot begin an identifier' $dirs -p 'a b' $man
		refuses 2 '-z: "a/b" is not a file name' $dirs -z a/b $man
		refuses 1 'No such file or directory' -um $dirs "$work/none.man"
		refuses 1 'No such file or directory' -um -h "$work/nowhere" -r "$work/out" $man
		refuses 1 'No such file or directory' -um -h "$work/out" -r "$work/nowhere" $man
	}
}

# manifest EVENTS...: print a manifest with templates T (a field of a type) and these
# events
manifest() {
	cat <<-END
	<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events"
	 xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
	<instrumentation><events><provider name="P" symbol="P" resourceFileName="p" messageFileName="p"
	 guid="{11111111-2222-3333-4444-555555555555}">
	<keywords><keyword name="K" mask="1" symbol="Same"/></keywords>
	<templates><template tid="Big">
	$(for i in {1..130}; do echo "<data name=\"d$i\" inType=\"win:UInt8\"/>"; done)
	</template></templates><events>
	$1
	</events></provider></events></instrumentation></instrumentationManifest>
	END
}

check_wrong_manifests() {
	local dirs

	dirs="-h $work/out -r $work/out"
	# shellcheck disable=SC2086
	{
		manifest '<event value="1" symbol="Same"/>' >"$work/bad.man"
		refuses 1 'bad.man:138: error: event "Same": symbol is that of another' -um $dirs "$work/bad.man"
		manifest '<event value="1" template="Big"/>' >"$work/bad.man"
		refuses 1 'bad.man:6: error: template "Big": generated code can write 127 pieces of data, this has 130' \
			-um $dirs "$work/bad.man"
		manifest '<event value="1" symbol="AxB"/><event value="2" symbol="B"/>' >"$work/bad.man"
		refuses 1 'bad.man:138: error: without "Ax" the symbols "B" and "AxB"' -um $dirs -P Ax "$work/bad.man"
		manifest '<event value="1" symbol="class"/>' >"$work/bad.man"
		run -um $dirs "$work/bad.man"
		has 'const EVENT_DESCRIPTOR P_EVENT_0x1_0_0_0_0_0_0 = ' bad.h "a symbol that is a word of C++"
		refuses 1 'names.rc: error: File exists' -um $dirs -e rc selftests/mc/names.man
		echo '<a>' >"$work/bad.man"
		refuses 1 'bad.man:' -um $dirs "$work/bad.man"
	}
}

# If one of the files cannot be made, existing files and link targets stay.
check_old_files() {
	local good=no dir=$work/old

	mkdir -p "$dir/names.rc"
	echo old >"$work/kept"
	ln -s ../kept "$dir/names.h"
	run -um -h "$dir" -r "$dir" selftests/mc/names.man
	[[ $code -ne 1 || $(<"$work/kept") != old || $(ls "$dir") != $'names.h\nnames.rc' ]] || good=yes
	report "$good" "nothing is made or changed if one of the files cannot be"
	rmdir "$dir/names.rc"
	run -um -h "$dir" -r "$dir" selftests/mc/names.man
	good=no
	[[ $code -ne 0 || ! -L $dir/names.h || $(<"$work/kept") == old || $(ls "$dir") == *part* ]] || good=yes
	report "$good" "a link stays one, and what it leads to is replaced"
	echo old >"$work/kept"
	ln -sf ../kept "$dir/names.rc"
	run -um -h "$dir" -r "$dir" selftests/mc/names.man
	good=no
	[[ $code -ne 1 || $(<"$work/kept") != old || $(<"$work/log") != *"names.rc: error: File ex"* ]] ||
		good=yes
	report "$good" "two files that are one by links are refused"
}

# plain NAME: the last messages are plain ASCII, and each line is ours.
plain() {
	local good=no

	[[ ! -s $work/log ]] || LC_ALL=C grep -q '[^ -~]' "$work/log" ||
		grep -qvE "^(etw: |$work/|MSG00001.bin: )" "$work/log" || good=yes
	report "$good" "no control characters, no other lines: $1"
}

# A manifest's contents cannot forge messages or reach the terminal.
check_hostile_names() {
	local bad=$work/bad.man name=$'\e[31m\n.man'
	local escaped='\u009b31mRED\nevil.c:1: error: forged\u{202e}'

	manifest '<event value="1" template="T&#x9b;31mRED&#10;evil.c:1: error: forged&#x202e;"/>' >"$bad"
	refuses 1 "$escaped" -um -h "$work/out" -r "$work/out" "$bad"
	plain "etw mc"
	build/etw dump --manifest "$bad" "$work/none.etl" >"$work/log" 2>&1 && true
	grep -qF "$escaped" "$work/log" || : >"$work/log"
	plain "etw dump --manifest"
	cp selftests/mc/names.man "$work/$name"
	run -um -h "$work/out" -r "$work/nowhere" "$work/$name"
	plain "the name of a file that cannot be made"
	run -um -h "$work/out" -r "$work/out" "$work/none$name"
	plain "the name of a file that is not there"
	run -um -h "$work/out" -r "$work/out" -m 9 "$work/$name"
	plain "the name of a manifest with warnings"
}

# features NAME MC-OPTIONS COMPILER FLAG...: the program built from the header passes.
features() {
	local name=$1 options=$2 compiler=$3 good=no
	shift 3

	rm -rf "$work/out"
	mkdir "$work/out"
	# shellcheck disable=SC2086
	{
		{ "$mc" -um $options -h "$work/out" -r "$work/out" selftests/mc/names.man &&
			"$mc" -um $options -h "$work/out" -r "$work/out" selftests/mc/types.man &&
			$compiler $warn -Iinclude -Iselftests -I"$work/out" "$@" -fsanitize=address,undefined \
				-o "$work/features" selftests/mc/features.c selftests/mc/features2.c \
				-x none build/libetw.a -pthread &&
			"$work/features"; } >"$work/log" 2>&1 && good=yes
	}
	report "$good" "macros, $name"
}

check_features() {
	local c="${CC:-gcc} -std=c11" cxx="${CXX:-g++} -x c++ -std=c++17"

	features "C" "" "$c"
	features "C++" "" "$cxx"
	features "16-bit wchar_t" "" "$c" -fshort-wchar
	features "optimized" "" "$c" -O2
	features "with an activity" "" "$c" -DTestTypes_EventWriteActivity=1 -DTestTraits_EventWriteActivity=1
	features "without EventSetInformation" "" "$c" -DMCGEN_HAVE_EVENTSETINFORMATION=0
	features "a bit test of its own" "" "$c" -DWITH_BIT_SET
	features "-co" "-co" "$c" -DWITH_CALLOUT
	if command -v clang++ >/dev/null; then
		features "clang" "" "clang -std=c11"
		features "clang++" "" "clang++ -x c++ -std=c++17"
	fi
}

# Constants alone: from a header without a mode, and from one with its code disabled
check_constants() {
	local good=no mode

	for mode in -um -v; do
		run "$mode" -h "$work/out" -r "$work/out" selftests/mc/names.man
		cat >"$work/constants.c" <<-END
		#define MCGEN_DISABLE_PROVIDER_CODE_GENERATION
		#include "names.h"
		#ifdef EventWriteClash
		#error "code"
		#endif
		int main(void) { return Clash.Id != 1 || TEST_IO != 1 || TestNames.Data1 != 0x0c5f8a11; }
		END
		good=no
		# shellcheck disable=SC2086
		"${CC:-gcc}" -std=c11 $warn -Iinclude -I"$work/out" -o "$work/constants" "$work/constants.c" \
			>"$work/log" 2>&1 && "$work/constants" && good=yes
		report "$good" "constants alone, without libetw: $mode"
	done
}

check_options
check_wrong_usage
check_wrong_manifests
check_old_files
check_hostile_names
check_features
check_constants
echo "1..$tap_number"
exit "$tap_status"
