#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The etw command as far as it goes without a device: help, wrong usage (one
# line, exit 2, nothing on stdout), and right usage, which gets as far as
# opening the device (exit 1).
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

# Options that take lists take them alike: blanks, repetition, ranges, empty parts.
check_lists() {
	local option value guid=01234567-89ab-cdef-0001-020304050607

	for option in --id --not-id --stack-id --stack-not-id --pid; do
		right enable a b "$option" ' 1, 3-5 ,7' "$option" 2
		for value in '1,5-3' 1-2-3 1x '1-'; do
			wrong "$option: \"" enable a b "$option" "$value"
		done
	done
	for option in --exe --container --package --app --name --not-name --stack-name; do
		right enable a b "$option" 'one , two' "$option" three
	done
	right enable a b --with 'sid , login' --with app
	wrong '--with: "sid login" is none of' enable a b --with 'sid login'
	for option in --id --stack-not-id --pid --exe --container --package --app --name --stack-name \
		--with; do
		for value in '' ' ' ',' 'a,' ',a' 'a,,a' 'a, ,a'; do
			[[ $option != --*id ]] || value=${value//a/1}
			[[ $option != --with ]] || value=${value//a/sid}
			wrong "$option: \"$value\": the list has an empty part" enable a b "$option" "$value"
		done
	done
	right dump a --id ' 1, 3-5 ,7' --id 2 --pid ' 1, 3-5 ,7' --pid 2
	for option in --id --pid; do
		wrong "$option: \"1,,2\": the list has an empty part" dump a "$option" 1,,2
		wrong "$option: \"5-3\" is not a range" dump a "$option" 1,5-3
	done
	wrong '--fields: "a,,b": the list has an empty part' convert x.etl --to csv --fields a,,b
	right access set "$guid" --allow 'everyone=log, consume'
	wrong '--allow: "log,": the list has an empty part' access set "$guid" --allow everyone=log,
}

# Every subcommand in the summary has a help text that fits a terminal.
check_help() {
	local command good

	run help
	cp "$work/out" "$work/summary"
	sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/summary" >"$work/commands"
	while read -r command; do
		good=no
		run "$command" --help
		cp "$work/out" "$work/long"
		[[ $code -ne 0 || -s $work/err ]] || ! grep -q "^usage: etw $command" "$work/out" ||
			! grep -q '^options:' "$work/out" || ! grep -q "^  etw $command" "$work/out" ||
			grep -q '.\{81\}' "$work/out" || good=yes
		report "$good" "etw $command --help: usage, options, example, 80 columns"
		[[ $command != help ]] || continue
		good=no
		run help "$command"
		! cmp -s "$work/out" "$work/long" || good=yes
		report "$good" "etw help $command is the same"
	done <"$work/commands"
	for command in start update stop query flush list enable disable capture disallow record dump \
		stat verify merge split convert access autologger manifest mc help; do
		good=no
		! grep -q "^  $command " "$work/summary" || good=yes
		report "$good" "etw help lists $command"
	done
}

check_commands() {
	local good=no

	# One place has the version: the Makefile.
	prints "etw $(sed -n 's/^VERSION := //p' Makefile)" --version
	prints 'usage: etw COMMAND' --help
	run
	[[ $code -ne 2 || -s $work/out ]] || ! grep -q '^usage: etw COMMAND' "$work/err" || good=yes
	report "$good" "no command: the summary on stderr"
	wrong '"strat": no such command' strat
	wrong '"sta": no such command' sta
	wrong '"--json": no such command' --json
	wrong 'no such command: did you mean "start"?' help strat
	# The nearest one, if it is near; two letters exchanged are one mistake.
	wrong '"dmup": no such command: did you mean "dump"? (try' dmup
	wrong '"xyz": no such command (try' xyz
	wrong '"ls": no such command (try' ls
	wrong 'unknown option "--opreations": did you mean "--operations"? (try' dump a --opreations
	wrong 'unknown option "--Cuont=3": did you mean "--count"? (try' dump a --Cuont=3
	wrong 'unknown option "--oper": did you mean "--operations"? (try' dump a --oper
	wrong 'unknown option "--quux" (try' dump a --quux
	wrong 'unknown option "-Q" (try' dump a -Q
	wrong 'unexpected argument "x"' help start x
	wrong '"\u001b[31mx\n\xff": no such command' $'\e[31mx\n\xff'
}

check_operands() {
	local command

	for command in start stop query flush dump; do
		wrong 'missing SESSION' "$command"
		wrong 'unexpected argument "b"' "$command" a b
		wrong 'the name is empty' "$command" ''
		right "$command" a
	done
	for command in enable disable capture; do
		wrong 'missing SESSION' "$command"
		wrong 'missing PROVIDER' "$command" a
		wrong 'unexpected argument "c"' "$command" a b c
		wrong 'SESSION: the name is empty' "$command" '' b
		wrong 'PROVIDER: the name is empty' "$command" a ''
		wrong 'is not a GUID' "$command" a '{6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8a7}'
		wrong 'is not a GUID' "$command" a '{6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8ag1}'
		right "$command" a Sample-App
		right "$command" a -p Sample-App
		right "$command" --provider Sample-App a
		wrong 'PROVIDER: the name is empty' "$command" a -p ''
		right "$command" a '{6A5C2F0E-8a43-4d35-9b7e-2f1d0c9b8a71}'
	done
	wrong 'longer than 1024 bytes' start "$(printf 'x%.0s' {1..1025})"
	right start "$(printf 'x%.0s' {1..1024})"
	for command in enable disable capture disallow; do
		wrong 'the zero GUID is none' "$command" a 00000000-0000-0000-0000-000000000000
		wrong 'the zero GUID is none' "$command" a '{00000000-0000-0000-0000-000000000000}'
	done
	right start -- --odd-name
	right start 'Grüße'
	right list
	right list sessions
	right list providers --json
	right list providers -v
	right list --verbose groups
	right list -vj
	right list groups
	right list --columns session,Events-Lost,enabled-by
	right list sessions --columns 'size-kb, id'
	wrong '--columns: there is no column "guid"' list sessions --columns guid
	wrong '--columns: there is no column "session id"' list --columns 'session id'
	wrong '--columns: "a,": the list has an empty part' list --columns a,
	wrong '--columns: not with --json' list --columns id --json
	right stat --columns events,per-second,lost-events
	wrong '--columns: there is no column "x"' stat --columns events,x
	wrong '--columns: not with --json' stat --columns events --json
	wrong '--stack cannot be combined with --format' dump a --stack --format %t
	wrong '--stack: not with chrome' convert a.etl --stack --to chrome
	wrong '"session" is none of sessions, providers, groups' list session
	wrong 'missing SESSION' verify
	wrong 'unexpected argument "b"' verify a b
	wrong '"a" is neither a file' verify x.etl a
	wrong 'the name is empty' verify ''
	right verify a
	right stop a --strict
	right dump a --strict
	right stat
	right stat a
	wrong 'the name is empty' stat ''
}

# -p gives the provider in every command that has one.
check_providers() {
	right enable a -p Sample-App:info:0x3
	right enable a -p Sample-App --level 4 --filter 'id == 5'
	wrong '-p "b:256": "256" is not a level' enable a -p b:256
	wrong 'unexpected argument "c": -p gave the provider' enable a -p b c
	right enable a --level info -p b -p c:error --id 3
	wrong '-p "c:256": "256" is not a level' enable a -p b -p c:256
	right disable a -p b -p c d
	right capture a -p b -p c
	right capture a b -p c --every 5
	right disallow a -p b c
	wrong '--clear: give no provider' disallow a -p b --clear
}

check_access() {
	local guid=6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8a71 option
	local -a many=()

	wrong 'missing ACTION' access
	wrong 'ACTION: "frob" is none of show, set, add, remove, load' access frob
	wrong 'set: missing GUID' access set --allow everyone=all
	wrong 'remove: missing GUID' access remove
	wrong 'add: the name is empty' access add '' --allow everyone=all
	wrong 'set: give --allow or --deny' access set "$guid"
	wrong 'show: takes no --allow' access show --deny everyone=all
	wrong 'load: prints nothing' access load --json
	wrong 'remove: the zero GUID is none' access remove 00000000-0000-0000-0000-000000000000
	wrong 'unexpected argument "x"' access show "$guid" x
	for option in everyone all=everyone 'user:0' user=all everyone= =all \
		everyone:=all user:=all cap:99=all 'everyone=all,'; do
		wrong '--allow: "' access set "$guid" --allow "$option"
	done
	right access show
	right access show default -j
	right access load
	right access load /nonexistent
	right access remove Sample-App
	right access set "{$guid}" --allow everyone=log --deny user:root=all --allow cap:perfmon=0x81
	right access add default --allow group:0=query,control,control-file,enable,log,consume,register,join
	for option in {0..64}; do
		many+=(--allow "user:$option=all")
	done
	wrong 'more than 64 entries' access set default "${many[@]}"
	right start a --secure --guid "$guid"
	wrong '--guid: "x" is not a GUID' start a --guid x
}

check_start() {
	local option

	right start a --buffer-size 4 --min-buffers 1 --max-buffers=60000 --flush 1.5 \
		--clock Cycles --buffering --independent --json
	right start --flush 1 a -j
	right start --flush 1ms --buffer-size 256k --user-budget 1MiB a
	right start --flush 2m --buffer-size 64KB --sync 1h --file x --max-size 100MB a
	right enable a b --timeout 1.5s
	right capture a b --every 2m
	wrong '--buffer-size: "1K" is not within' start a --buffer-size 1K
	wrong '--buffer-size: "64X" is not a size' start a --buffer-size 64X
	wrong '--flush: "1.5.5" is not a time' start a --flush 1.5.5
	wrong '--timeout: "1d" is not a time' enable a b --timeout 1d
	right flush a --file x.etl
	right update a --real-time
	for option in --buffer-size --min-buffers --max-buffers --flush --clock; do
		wrong "\"$option\" needs a value" start a "$option"
		wrong "$option: \"x\"" start a "$option" x
		wrong "$option: \"\"" start a "$option="
		wrong "$option: \"-1\"" start a "$option" -1
	done
	for option in '3' '16385' ' 4' '+4' '0x10' '3k' '4x' '99999999999999999999' '4294967300'; do
		wrong "--buffer-size: \"$option\"" start a --buffer-size "$option"
	done
	for option in 0 0.0009 1.2345 1. .5 1e3 1.5.5 -1.0 '1 ' 86401 nan; do
		wrong "--flush: \"$option\"" start a --flush "$option"
	done
	wrong 'unknown option "--buffer"' start a --buffer 4
	wrong 'unknown option "--buffer=4"' start a --buffer=4
	wrong 'unknown option "--no-such"' start a --no-such
	wrong 'unknown option "-x"' start a -jx
	wrong '"--json=1": the option takes no value' start a --json=1
	wrong '"--help=1": the option takes no value' start a --help=1
	wrong 'unknown option "--jso=1"' start a --jso=1
	wrong 'option "-n" needs a value' dump a -jn
}

check_enable() {
	local value command

	for value in critical Error WARNING info information informational verbose always 0 255; do
		right enable a b --level "$value"
	done
	for value in 256 -1 1.0 '' 0x4; do
		wrong "--level: \"$value\" is not a level" enable a b --level "$value"
	done
	for value in 0 ff 0xFF 0Xff ffffffffffffffff 0xffffffffffffffff; do
		right enable a b --any "$value" --all "$value"
	done
	for value in 10000000000000000 0xg 0x '' -1 '1 2' 0x0x1; do
		wrong "--any: \"$value\"" enable a b --any "$value"
		wrong "--all: \"$value\"" enable a b --all "$value"
	done
	right enable a b --pid 1 --pid 2 --pid 3 --pid 4 --pid 5 --pid 6 --pid 7 --pid 8
	wrong 'more than 8 processes' enable a b --pid 1 --pid 2 --pid 3 --pid 4 --pid 5 \
		--pid 6 --pid 7 --pid 8 --pid 9
	for value in 0 -1 2147483648 self; do
		wrong "--pid: \"$value\"" enable a b --pid "$value"
	done
	right enable a b --exe bash --exe 'a;b' --container /system.slice
	for value in /usr/bin/bash 'bash*' '*' a/b 'a;b*'; do
		wrong "--exe: \"$value\": give the name of the file" enable a b --exe "$value"
	done
	right enable a b --ignore-keyword-0 --timeout 0
	right enable a b --name Start,Stop --name Other --stack-name 'A name'
	right enable a b --not-name Start --id 1
	wrong 'either the events wanted' enable a b --name a --not-name b
	right enable a b --name "$(printf '%04075d' 0)"
	wrong 'more than 4076 bytes of names' enable a b --name "$(printf '%04076d' 0)"
	value=01234567-89ab-cdef-0001-020304050607
	right enable a "$value" --group --level 3
	right disable a "$value" --group
	right capture a "$value" --group
	wrong '--group: "b" is not a GUID' enable a b --group
	wrong '--group: "b" is not a GUID' disable a b --group
	wrong '--group: its members' enable a "$value" --group --name a
	wrong '--group: its members' enable a "$value" --group --not-id 1
	for command in enable disable capture; do
		right "$command" a b --timeout 5 --source "$value"
		wrong '--timeout: "4294967295"' "$command" a b --timeout 4294967295
		wrong '--source: "x" is not a GUID' "$command" a b --source x
	done
	right enable a b --capture --data 7:00
	right enable a b --name A --name-level 3 --name-any 6 --name-all 0x2
	wrong '--name-level: no names are given' enable a b --name-level 3
	wrong '--name-any: "x"' enable a b --name A --name-any x
	right enable a b --stack-not-name A --stack-name-level info --stack-name-any f
	wrong '--stack-name-all: no names are given' enable a b --name A --stack-name-all 3
	wrong 'either the events wanted' enable a b --stack-name A --stack-not-name B
	right enable a b --stack-not-level 3 --stack-any 6 --stack-all 2
	wrong 'either the events wanted' enable a b --stack-not-level 3 --stack-level 3
	wrong '--stack-not-level: "6-7" is not a level' enable a b --stack-not-level 6-7
}

# Names of a provider's own come from its manifest.
check_names() {
	local guid=01234567-89ab-cdef-0001-020304050607 option
	local good=$work/good.man bad=$work/bad.man

	for option in '--level high' '--keyword Read' '--id 1,Start' '--not-id Start' \
		'--stack-id Start' '--stack-level loud' '--any Read' '--all 1,Write' \
		'--stack-any Read'; do
		# shellcheck disable=SC2086
		right enable a b $option
		# shellcheck disable=SC2086
		wrong "${option%% *}: no manifest of provider \"$guid\" is installed" enable a "$guid" $option
	done
	wrong '--level: no manifest of provider "*Some-Name"' enable a '*Some-Name' --level high
	right enable a '*Some-Name' --level 3
	right disable a '*Some-Name'
	cat >"$good" <<-EOF
		<instrumentationManifest xmlns="http://schemas.microsoft.com/win/2004/08/events">
		 <instrumentation xmlns:win="http://manifests.microsoft.com/win/2004/08/windows/events">
		  <events><provider name="A-Provider" symbol="A" guid="{$guid}"
		    resourceFileName="a" messageFileName="a">
		   <levels><level name="Loud" symbol="LOUD" value="17"/></levels>
		   <keywords><keyword name="Read" mask="0x1"/><keyword name="Write" mask="0x2"/></keywords>
		   <templates><template tid="T"><data name="Number" inType="win:UInt32"/></template>
		    <template tid="U"><data name="Text" inType="win:UnicodeString"/></template></templates>
		   <events><event value="1" symbol="Start" template="T"/>
		    <event value="2" symbol="Stop" template="U"/>
		    <event value="2" version="1" symbol="Stop_V1" template="T"/></events>
		  </provider></events></instrumentation></instrumentationManifest>
	EOF
	for option in '--level Loud' '--level LOUD' '--level win:Error' '--keyword read,Write' \
		'--keyword Read,0x30,7' '--any Read,ff' '--any ff' '--all write' '--stack-any Write' \
		'--id 1,Stop' '--not-id stop_v1,7-9' '--stack-id Start' '--stack-not-level Loud' \
		'--filter Number>=3' '--filter !exists(Number)' '--filter id!=2||Number<5'; do
		# shellcheck disable=SC2086
		right enable a "$guid" --manifest "$good" $option
	done
	right enable a "$guid" --manifest "$good" --filter 'not exists(Text) || Text == "x y"' \
		--filter 'event != Start || Number == 1'
	wrong '--level: "A-Provider" has no level "high"; it has Loud' enable a "$guid" \
		--manifest "$good" --level high
	wrong '--keyword: "A-Provider" has no keyword "Seek"; it has Read, Write' enable a "$guid" \
		--manifest "$good" --keyword Read,Seek
	wrong '--any: "A-Provider" has no keyword "Seek"; it has Read, Write' enable a "$guid" \
		--manifest "$good" --any Seek
	right enable a "$guid" --any ff --keyword 0x10
	right enable a "$guid" --manifest "$good" --keyword ' Read , Write' --id 'Start , Stop'
	wrong '--keyword: "Read,,Write": the list has an empty part' enable a "$guid" \
		--manifest "$good" --keyword Read,,Write
	wrong '--id: "A-Provider" has no event "Pause"' enable a "$guid" --manifest "$good" --id Pause
	wrong '--filter: column 12: no event of A-Provider has a field Other' enable a "$guid" \
		--manifest "$good" --filter 'Number==1&&Other==2'
	wrong '--filter: no event of the provider can pass' enable a "$guid" --manifest "$good" \
		--filter 'event == Start && Text=="x"'
	wrong '--filter: column 9: x is not a number' enable a "$guid" --manifest "$good" \
		--filter 'Number==x'
	wrong '--filter: column 1: the kernel cannot test Text startswith x' enable a "$guid" \
		--manifest "$good" --filter 'Text startswith x'
	wrong '--filter: no event passes this and --id' enable a "$guid" --manifest "$good" \
		--filter 'Text=="x"' --id Start
	right enable a "$guid" --manifest "$good" --filter 'Text=="x"' --id Start,Stop
	right enable a b --filter 'level <= 3 && id in 1..9' --not-id 3
	right enable a "$guid" --filter 'level <= 3 && id in 1..9' --not-id 3
	right enable a "$guid" --filter 'id == 7 && Size > 3' --fields 'id=7: u32 Size'
	wrong '--filter: column 1: the fields of events are not known: no manifest' enable a "$guid" \
		--filter 'Number==1'
	wrong '--filter: column 1: the kernel cannot test task == 1' enable a "$guid" --filter 'task == 1'
	wrong '--fields describes events for --filter' enable a b --fields 'id=7: u32 Size'
	wrong '--fields: event 7.0 is described twice' enable a b --fields 'id=7: u32 A' --fields 'id=7: u8 B'
	echo '<instrumentationManifest>' >"$bad"
	fails '--manifest: "'"$bad"'":' enable a "$guid" --manifest "$bad"
	fails '--manifest: "/nonexistent": No such file' dump a --manifest /nonexistent
	right dump a --manifest "$good"
}

# The old option --payload had another language than --filter.
check_payload() {
	wrong "write --filter 'id != 7 || (A == 1)'" enable a b --payload '7: A == 1'
	wrong "write --filter 'id != 7 || version != 2 || (A == 1)'" enable a b --payload '7.2:A == 1'
	wrong "write --filter 'not event == \"Disk/Read\" || (A == 1)'" enable a b \
		--payload 'Disk/Read: A == 1'
	wrong "write --filter 'A == 1'; if events without" enable a b --payload 'A == 1'
}

check_sessions() {
	local guid=01234567-89ab-cdef-0001-020304050607
	local -a many=()
	local option

	wrong 'missing SESSION' update
	wrong 'give --max-buffers, --flush, --user-budget or --real-time' update a
	wrong '--user-budget: "18446744073709551615K" is not a size' update a --user-budget 18446744073709551615K
	wrong '--max-buffers: "0"' update a --max-buffers 0
	wrong '--max-buffers: "60001"' update a --max-buffers 60001
	for option in 0 86401; do
		wrong "--flush: \"$option\" is not within 0.001 to 86400 seconds" update a --flush "$option"
		wrong "--flush: \"$option\" is not within 0.001 to 86400 seconds" start a --flush "$option"
	done
	wrong 'unexpected argument "b"' update a b --flush 1
	right update a --max-buffers 60000 --flush 86400 -j
	wrong 'missing SESSION' disallow
	wrong 'the name is empty' disallow ''
	wrong 'the name is empty' disallow a "$guid" ''
	wrong '"{x" is not a GUID' disallow a "$guid" '{x'
	wrong '--clear: give no provider' disallow a "$guid" --clear
	wrong '--json: only without providers' disallow a "$guid" --json
	right disallow a
	right disallow a --json
	right disallow a "$guid" Sample-App
	right disallow a --clear
	for option in x 0.3 -1 500ms 5x; do
		wrong "--every: \"$option\" is not a number of whole seconds" capture a b --every "$option"
	done
	wrong 'missing PROVIDER' capture a --every 5
	wrong '--every: 0 is for all, give no provider' capture a b --every 0
	wrong 'either --every or --show' capture a --every 0 --show
	wrong '--show: give no provider' capture a b --show
	wrong '--json: only with --show' capture a b --json
	wrong 'cannot be combined with other options' capture a b --every 5 --group
	wrong 'cannot be combined with other options' capture a --show --data 1:00
	wrong 'the name is empty' capture a '' --every 5
	right capture a b c Sample-App --every 4294967295
	right capture a --every 0
	right capture a --show --json
	mapfile -t many < <(seq 65)
	wrong 'more than 64 providers' capture a --every 5 "${many[@]}"
}

check_readers() {
	right dump a --json --raw --count 1 --duration 0.001
	right dump a -n 5 -j
	for option in local utc relative delta raw; do
		right dump a --time "$option"
	done
	wrong '--time: "gmt" is none of local, utc, relative, delta, raw' dump a --time gmt
	for option in auto always never; do
		right dump a --color "$option"
		right dump a "--color=$option"
	done
	wrong '--color: "yes" is none of auto, always, never' dump a --color yes
	right dump a --no-names --message
	for option in '' '%t %P %-20e|%04i%%\n' '%{Number} %{A.B c}' '\\%x'; do
		right dump a --format "$option"
	done
	wrong '--format: column 4: no such directive' dump a --format '%t %y'
	wrong '--format: column 1: no such directive' dump a --format '%'
	wrong '--format: column 3: } is missing' dump a --format '%{a'
	wrong '--format: column 3: the name of a field is missing' dump a --format '%{}'
	wrong '--format: column 5: a width is 999' dump a --format '%1000p'
	wrong '--format: column 2: a backslash goes with' dump a --format 'a\e'
	wrong '--json cannot be combined with --format, --message or --time' dump a --json --format %t
	wrong '--json cannot be combined with --format, --message or --time' dump a --json --time utc
	wrong '--json cannot be combined with --format, --message or --time' dump a --json --message
	wrong '--json cannot be combined with --color always' dump a --json --color always
	wrong '--format cannot be combined with --message' dump a --format %t --message
	wrong '--count: "0"' dump a --count 0
	wrong '--count: "4294967296"' dump a -n 4294967296
	wrong '--duration: "0"' dump a --duration 0
	wrong '--duration: "0.0001"' dump a --duration 0.0001
	wrong '--duration: "99999999999999999999999999999999"' dump a --duration \
		99999999999999999999999999999999
	right stat a --interval 0.1 --count 3 --once --json
	wrong '--interval: "3601"' stat --interval 3601
	wrong '--count: "0"' stat --count 0
}

# The device exists but is not /dev/etw.
check_device() {
	local good=no

	: >"$work/device"
	ETW_DEVICE=$work/device run list
	[[ $code -ne 1 ]] || ! one_error_line || good=yes
	report "$good" "a file that is not a device"
	good=no
	ETW_DEVICE=$work run list
	[[ $code -ne 1 ]] || ! one_error_line || ! grep -qF "etw: list: $work: " "$work/err" || good=yes
	report "$good" "a directory in place of the device"
	good=no code=0
	"$etw" help >/dev/full 2>"$work/err" || code=$?
	: >"$work/out"
	[[ $code -ne 1 ]] || ! one_error_line || good=yes
	report "$good" "a full disk is an error"
}

check_help
check_commands
check_operands
check_lists
check_start
check_enable
check_names
check_payload
check_sessions
check_readers
check_providers
check_access
check_device
finish
