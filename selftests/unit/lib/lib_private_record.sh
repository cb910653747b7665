#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw record --private: programs record themselves, without a device.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

guid=2f0d8f2c-7a1b-4c0e-9a34-1d52c6b7e8a1	# of the sample
other=01234567-89ab-cdef-0001-020304050607
file=$work/'a *b.etl'

# holds NAME COMMAND...: one test of what the command says.
holds() {
	local name=$1 good=no
	shift

	! "$@" >"$work/held" 2>&1 || good=yes
	report "$good" "$name"
}

count() {
	"$etw" dump "$1" 2>/dev/null | grep -c Sample-TraceLogging
}

check_usage() {
	wrong '--private: give the COMMAND' record --private -p "$guid"
	for option in --buffering --independent --secure '--sequence local' '--user-budget 1M' --append \
		--real-time --with-manifests --progress --delay-open; do
		# shellcheck disable=SC2086
		wrong '--private: of the options of the session' record --private $option -p "$guid" -- true
	done
	wrong '--private: of the options for providers' record --private -p "$guid" --stack -- true
	wrong '--private: of the options for providers' record --private -p "$guid" --id 1 -- true
	fails 'no manifest has this name' record --private -p Sample-TraceLogging -- true
}

# What the variable cannot hold is refused, since programs would ignore it.
check_limits() {
	local list='' long i

	for i in {1..65}; do
		list+=" -p 00000000-0000-0000-0000-0000000000$(printf %02x "$i")"
	done
	wrong 'cannot have spaces' record --private --session 'my run' -p "$guid" -o "$file" -- "$work/app"
	# shellcheck disable=SC2086
	wrong 'more than 64 providers' record --private $list -o "$file" -- "$work/app"
	long=$work/$(printf 'd%.0s' {1..240})
	long=$long/${long##*/}/${long##*/}/${long##*/}
	mkdir -p "$long"
	wrong 'is longer than' record --private -p "$guid" -o "$long/$(printf 'f%.0s' {1..60})" -- "$work/app"
	rm -f "$file"
	# shellcheck disable=SC2086
	run record --private --session "$(printf 'n%.0s' {1..1000})" -p "$guid" ${list% -p*-p*} -o "$file" -- "$work/app"
	holds 'the longest variable is understood' [ "$(count "$file")" -eq 4 ]
	rm -f "$file"
}

check_one() {
	run record --private -p "$guid" -o "$file" -- "$work/app"
	holds "the exit status is the command's" [ "$code" -eq 0 ]
	holds 'all events of the program' [ "$(count "$file")" -eq 4 ]
	holds 'it saw that it was enabled' grep -q 'enabled by a session' "$work/app.out"
	holds 'etw verify: complete' "$etw" verify "$file"
	run record --private -p "$guid:warning" -o "$file" -- "$work/app"
	holds 'up to a level' [ "$(count "$file")" -eq 1 ]
	holds 'the older file is kept' [ "$(count "$file.old")" -eq 4 ]
	run record --private -p "$guid::0x1000000000000" -o "$file" -- "$work/app"
	holds 'by keyword' [ "$(count "$file")" -eq 2 ]
	rm -f "$file"
	run record --private -p "$other" -o "$file" -- "$work/app"
	holds 'a program without that provider makes no file' [ ! -e "$file" ]
	holds 'and that is said' grep -q 'there is no file' "$work/err"
	run record --private -j -p "$other" -o "$file" -- "$work/app"
	holds 'also with --json' grep -q 'there is no file' "$work/err"
	holds 'where the numbers are unknown' \
		grep -qx '{"events":null,"events_lost":null,"buffers_lost":null,"files":\[\]}' "$work/out"
	run record --private -p "$guid" -o "$file" -- sh -c 'exit 7'
	holds 'the exit status of a command that records nothing' [ "$code" -eq 7 ]
	run record --private -p "$guid" -o "$file" -- /nonexistent/command
	holds 'a command that cannot be run' [ "$code" -eq 127 ]
}

check_several() {
	local files

	run record --private -j -p "$guid" -o "$file" -- sh -c "$work/app; $work/app; $work/app"
	files=("$file"_*)
	holds 'a file for each process' [ ${#files[@]} -eq 2 ]
	holds 'the first has the name, with all its events' [ "$(count "$file")" -eq 4 ]
	holds 'so has another one' [ "$(count "${files[1]}")" -eq 4 ]
	fails 'of an earlier recording' record --private -p "$guid" -o "$file" -- "$work/app"
	holds 'nothing has changed' [ "$(count "$file")" -eq 4 ]
	run record --private --json --replace -p "$guid" -o "$file" -- "$work/app"
	holds 'the summary as JSON' grep -q '^{"events":4,"events_lost":0,"buffers_lost":0,"files":\["[^"]*"\]}$' "$work/out"
	files=("$file"_*)
	holds 'its files are replaced' [ ! -e "${files[0]}" ]
	rm -f "$file"
}

# Only what libetw calls so is of an earlier recording.
check_others() {
	local other others=("${file}_2024-notes.txt" "${file}_1_2_3" "${file}_7x" "${file}_8_")

	touch "${others[@]}"
	mkdir "${file}_9"
	run record --private -j -p "$guid" -o "$file" -- "$work/app"
	holds 'other files are not in the way' [ "$code" -eq 0 ]
	holds 'nor read' grep -q '"files":\["[^"]*"\]' "$work/out"
	touch "${file}_11" "${file}_11_2"
	run record --private --replace -p "$guid" -o "$file" -- /nonexistent/command
	holds 'a command that cannot be run' [ "$code" -eq 127 ]
	holds 'removes none of the files' ls "${file}_11" "${file}_11_2"
	holds 'and leaves the events' [ "$(count "$file")" -eq 4 ]
	run record --private --replace -p "$guid" -o "$file" -- "$work/app"
	holds 'a file of an earlier recording is removed' [ ! -e "${file}_11" ]
	holds 'so is another one of its process' [ ! -e "${file}_11_2" ]
	for other in "${others[@]}" "${file}_9"; do
		holds "${other##*/} is not" [ -e "$other" ]
	done
}

# What is no file stays, and what cannot be written is found before the command runs.
check_refused() {
	mkfifo "$work/pipe"
	ln -s pipe "$work/link"
	ln -s /proc/self/fd/1 "$work/stdout"
	fails 'is not written to a pipe or a device' record --private -p "$guid" -o "$work/pipe" -- "$work/app"
	fails 'is not written to a pipe or a device' record --private --replace -p "$guid" -o "$work/link" -- true
	fails 'is a descriptor' record --private -p "$guid" -o "$work/stdout" -- "$work/app"
	fails 'Is a directory' record --private -p "$guid" -o "$work" -- "$work/app"
	fails 'No such file or directory' record --private -p "$guid" -o "$work/none/a.etl" -- "$work/app"
	holds 'a pipe stays' [ -p "$work/pipe" ]
	holds 'so does a link' [ -L "$work/link" ]
	run record --private -q -p "$guid" -o "$file" -- "$work/app"
	rm -f "$file.old"
	mkfifo "$file.old"
	fails 'that is a device or a pipe' record --private -p "$guid" -o "$file" -- "$work/app"
	holds 'nor does a file take the name of one' [ -p "$file.old" ]
	holds 'and it stays' [ "$(count "$file")" -eq 4 ]
	rm -f "$file" "$file.old"
}

# --strict judges the files, and does not take no file for a whole one.
check_strict() {
	run record --private --strict -q -p "$guid" -o "$file" -- "$work/app"
	holds 'a whole file' [ "$code" -eq 0 ]
	rm -f "$file"
	run record --private --strict -p "$guid" -o "$file" -- true
	holds 'no file' [ "$code" -eq 3 ]
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n%s\n: >"%s"\n' "$work/app" "$file" >"$work/spoiler"
	chmod +x "$work/spoiler"
	run record --private --strict -p "$guid" -o "$file" -- "$work/spoiler"
	holds 'a file that is not one any more' [ "$code" -ne 0 ]
	rm -f "$file"
}

cc -Iinclude -o "$work/sample" user/samples/sample_tracelogging.c build/libetw.a -pthread
printf '#!/bin/sh\nexec %s/sample >%s/app.out\n' "$work" "$work" >"$work/app"
chmod +x "$work/app"
check_usage
check_one
check_several
check_others
check_limits
check_refused
check_strict
finish
