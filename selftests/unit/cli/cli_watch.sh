#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw watch as far as it goes without a device.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

check_watch() {
	local guid=01234567-89ab-cdef-0001-020304050607 option

	wrong 'give the providers: -p' watch
	wrong 'give the providers: -p' watch --level info
	wrong 'give the providers: -p' watch sleep -p a
	wrong 'PROVIDER: the name is empty' watch -p ''
	wrong '--session: the name is empty' watch -p a --session ''
	wrong '--duration: "0"' watch -p a --duration 0
	wrong '--count: "0"' watch -p a -n 0
	wrong "-p \"$guid:256\": \"256\" is not a level" watch -p "$guid:256"
	wrong '--filter: column 4' watch -p a --filter 'a >> '
	wrong '--show: column' watch -p a --show 'a >> '
	wrong '--show: duration: only operations have one' watch -p a --show 'duration > 1ms'
	wrong 'filter it with --show' watch -p "$guid" --filter 'process == dd'
	wrong 'filter it with etw dump --filter' enable s "$guid" --filter 'process == dd'
	wrong '--show: process: --no-names' watch -p a --show 'process == dd' --no-names
	wrong '--json cannot be combined with' watch -p a --json --message
	wrong '--format: column 1' watch -p a --format '%q'
	wrong 'unknown option "--file"' watch -p a --file x
	wrong 'unknown option "--output"' watch -p a --output x
	wrong 'unknown option "--provider-x"' watch -p a --provider-x
	fails '--pid: no process 2147483647' watch -p a --pid 2147483647
	fails '--manifest: "/nonexistent"' watch --manifest /nonexistent -p a
	for option in "$guid" "{$guid}:4" "$guid:info:0xFF" 'Sample-Block:255' 'Some:loud:Read,Write' '*A'; do
		right watch -p "$option"
	done
	right watch --level 3 --exe a -p a:4 --any 1 -p b --stack --duration 0.5 -n 3 --strict -- ls -l
	right watch -p a --json --show 'cpu == 0' --session s --buffer-size 4 --clock system true
	right watch -p a --format '%t %e' --time utc --no-names --no-losses --color never
	prints 'start, enable, dump and stop in one' watch --help
}

check_watch
finish
