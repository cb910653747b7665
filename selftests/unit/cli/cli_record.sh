#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw record as far as it goes without a device.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

check_record() {
	local guid=01234567-89ab-cdef-0001-020304050607 option

	wrong 'give the providers: -p' record
	wrong 'give the providers: -p' record --level info
	wrong 'give the providers: -p' record sleep -p a
	wrong '--output: the name is empty' record -p a -o ''
	wrong 'not written to standard output' record -p a -o -
	wrong 'PROVIDER: the name is empty' record -p ''
	wrong 'PROVIDER: the name is empty' record -p :4
	wrong 'the zero GUID is none' record -p 00000000-0000-0000-0000-000000000000
	wrong '--session: the name is empty' record -p a --session ''
	wrong '--duration: "0"' record -p a --duration 0
	wrong 'either --quiet or --progress' record -p a -q --progress
	# Messages quote the option given, not the options that it stands for.
	wrong "etw: record: -p \"$guid:256\": \"256\" is not a level" record -p "$guid:256"
	wrong '-p "*a:info:0x1:y": "0x1:y"' record -p "*a:info:0x1:y"
	wrong '-p "*a:x": no manifest of provider "*a"' record -p '*a:x'
	wrong "-p \"$guid:info:0xg\": \"0xg\"" record -p "$guid:info:0xg"
	wrong "-p \"$guid::Read\": no manifest of provider" record -p "$guid::Read"
	wrong '--level: "256" is not a level' record -p "$guid:info" --level 256
	wrong '--level: "256" is not a level' record --level 256 -p "$guid:info"
	wrong '--pid: "0"' record --pid 0 -p a
	wrong '--group: its members' record -p "$guid" --group --id 1
	wrong '--group: "b" is not a GUID' record --group -p b
	wrong 'need --max-size' record -p a --circular
	wrong 'less than three buffers, 192 KB' record --private -p a --max-size 191K -- true
	wrong 'less than three buffers, 48 KB' record --private -p a --buffer-size 16 --max-size 47K -- true
	wrong '--with-manifests: not with --circular' record -p a --circular --max-size 1M --with-manifests
	wrong 'exclude one another' record -p a --circular --append --max-size 1M
	wrong '--new-files: "trace.etl" has no %d' record -p a --new-files --max-size 1M
	wrong '--buffering takes no option of a log file' record -p a --buffering --max-size 1M
	right record -p a --buffering
	wrong 'unknown option "--file"' record -p a --file x
	fails '--pid: no process 2147483647' record -p a --pid 2147483647
	fails '--manifest: "/nonexistent"' record --manifest /nonexistent -p a
	for option in "$guid" "$guid:" "$guid::" "{$guid}:4" "$guid:info:0xFF" "$guid::0x1" \
		'Sample-Block:255' 'Some:loud:Read,Write' '*A'; do
		right record -p "$option"
	done
	right record --level 3 --exe a -p a:4 --any 1 -p b --stack -o x.etl --duration 0.5 -j true -x -p
	right record -p a --with-manifests --session s --buffer-size 4 --max-size 64K --append --sequence local -- ls -l
}

check_record
# Before a session exists, no file is created, moved or removed.
good=no
[[ -e trace.etl || -e x.etl ]] || good=yes
report "$good" "no file was made"
finish
