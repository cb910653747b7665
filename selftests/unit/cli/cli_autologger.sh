#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# etw autologger as far as it goes without a device, and the unit that systemd runs.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh
conf=$work/conf
export ETW_AUTOLOGGER_DIR=$conf
guid=01234567-89ab-cdef-0001-020304050607

sessions=0

# session NAME OPTIONS [LINE...]: a file whose start line has a GUID and these options.
session() {
	local name=$1 options=$2
	shift 2

	sessions=$((sessions + 1))
	printf '%s\n' "start --guid 11111111-89ab-cdef-0001-$(printf %012d "$sessions") $options" \
		"$@" >"$conf/$name.conf"
}

# refused LINE TEXT NAME: the check fails with one line, which names the place.
refused() {
	fails "etw: $conf/$3.conf${1:+:$1}: $2" autologger check "$3"
}

# all CODE NAME PLACE...: the check exits with CODE and reports these places, in this order.
all() {
	local good=no want=$1 name=$2
	shift 2

	run autologger check "$name"
	printf '%s' "${@/%/$'\n'}" | sed "s,^,etw: $conf/$name.conf," >"$work/want"
	[[ $code -ne $want ]] || ! diff "$work/want" "$work/err" >"$work/diff" || good=yes
	report "$good" "$name: $# reported at once"
	[[ $good == yes ]] || sed 's/^/# /' "$work/diff"
}

check_usage() {
	wrong 'missing ACTION' autologger
	wrong 'ACTION: "frob" is none of start, stop, list, check' autologger frob
	wrong '--json: goes with list only' autologger check --json
	wrong 'NAME: the name is empty' autologger start ''
	wrong '"a/b" is not the name of a session here' autologger start a/b
	wrong '".a" is not the name' autologger stop .a
	wrong 'longer than 200 bytes' autologger check "$(printf 'x%.0s' {1..201})"
	prints 'no sessions in ' autologger list
	fails 'No such file' autologger check none
}

check_files() {
	mkdir "$conf"
	session good '' '# a comment' \
		"enable {6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8a71} --level info --exe bash --exe sh --not-id 1,5-6 \\" \
		"  --fields 'id=7: u32 Size' --filter 'Size >= 4096' --stack-id 7 --with sid"
	prints "$conf/good.conf: good" autologger check good
	prints "$conf/good.conf: good" autologger check
	session bad '--file-max 17'
	refused 1 '--file-max: "17" is not within 1 to 16' bad
	session early ''
	printf 'start\n' >"$conf/early.conf"
	refused 1 '--guid is missing' early
	# The options of a provider are checked, too.
	session exe '' "enable *Some-Name \\" '--exe /bin/sh'
	refused 2 '--exe: "/bin/sh": give the name' exe
	session payload '' "enable $guid --fields u32"
	refused 2 '--fields: column' payload
	session keyword '' "enable $guid --keyword Read"
	refused 2 '--keyword: no manifest of provider' keyword
	session zero '' 'enable 00000000-0000-0000-0000-000000000000'
	refused 2 'PROVIDER: the zero GUID is none' zero
	session group '' 'enable *Some-Name --group'
	refused 2 '--group: "*Some-Name" is not a GUID' group
	session pid '' "enable $guid --pid 1"
	refused 2 '--pid: not in a file' pid
	session manifest '' "enable $guid --manifest x.man"
	refused 2 '--manifest: not in a file' manifest
	session none '' enable
	refused 2 'missing PROVIDER' none
	session old '' '[provider x]' 'EnableLevel = 4'
	all 1 old \
		':2: [provider x] is the old format: write "enable PROVIDER" and its options in one line' \
		':3: EnableLevel = is the old format: write --level LEVEL in the enable line'
	rm "$conf/none.conf" "$conf/old.conf" "$conf/pid.conf" "$conf/manifest.conf"
	mkdir "$conf/dir.conf"
	refused '' 'Is a directory' dir
	# Files of editors and packages are ignored.
	touch "$conf/x.conf~" "$conf/.y.conf" "$conf/z"
	right autologger start
	right autologger start good
	right autologger stop good
}

check_all() {
	rm -r "$conf"
	mkdir "$conf"
	session many '--file /nonexistent/dir/x.etl' 'Frob = 1' 'enable --level 5' \
		"enable $guid --exe /bin/sh" "enable $guid --id 70000" "enable $guid --with nonsense" \
		"enable {${guid^^}}" "enable $guid" 'enable 0123-45' "enable 'Some Name'"
	all 1 many \
		":2: \"Frob =\" is the old format: write --Frob 'VALUE' in the enable line" \
		':3: missing PROVIDER' \
		':4: --exe: "/bin/sh": give the name of the file, without directory and wildcards' \
		':5: --id: "70000" is not within 0 to 65535' \
		':6: --with: "nonsense" is none of sid, login, stack, app, process-key, event-key, container, context, user-stack, none' \
		':1: --file: folder "/nonexistent/dir": No such file or directory' \
		":8: provider \"$guid\": line 7 has it already" \
		':9: provider "0123-45" is not a complete GUID (8-4-4-4-12 hexadecimal digits)' \
		':10: warning: no manifest has a provider "Some Name": it is enabled only if it is registered by then'
	session warn "--file $work/x.etl" "enable 'Some Name'"
	all 0 warn \
		':2: warning: no manifest has a provider "Some Name": it is enabled only if it is registered by then'
	session file "--file $work/err/x.etl"
	all 1 file ":1: --file: \"$work/err\" is not a folder"
	session root '--file /x.etl'
	all 0 root
	# The GUIDs of all files are compared, also of those that are not checked.
	session one ''
	{ cat "$conf/one.conf"; echo 'Frob = 1'; } >"$conf/two.conf"
	all 1 one ":1: --guid: the session of $conf/two.conf has it"
	# A session that is not started at boot does not conflict.
	sed 's/^start/start --manual/' "$conf/one.conf" >"$conf/two.conf"
	all 0 one
	session two ''
	all 0 one
	session ONE ''
	all 1 one ": the session's name is that of $conf/ONE.conf: case makes no difference"
}

check_list() {
	local good=no

	prints '"session":"good","path":"'"$conf"'/good.conf","start":true,"problem":null,"running":false}' \
		autologger list good --json
	prints '"problem":"line 1: --file-max: \"17\" is not within 1 to 16"' autologger list -j
	run autologger list
	[[ $code -ne 0 || $(wc -l <"$work/out") -ne 10 ]] ||
		! grep -qE '^bad +\? +no +- +line 1: --file-max: "17" is' "$work/out" ||
		! grep -qE '^good +yes +no +-' "$work/out" || good=yes
	report "$good" "the list has good ones and bad ones"
}

# The installed systemd unit is valid.
check_unit() {
	local good=no unit=$work/etw-autologger.service

	: >"$work/out"
	code=0
	if ! command -v systemd-analyze >/dev/null; then
		skip "no systemd-analyze"
		return
	fi
	sed -e "s,@PREFIX@/bin,$PWD/build," packaging/systemd/etw-autologger.service.in >"$unit"
	systemd-analyze verify --man=no "$unit" >"$work/err" 2>&1 || code=$?
	# Problems of other units on this machine do not count.
	[[ $code -ne 0 ]] || grep -q etw-autologger "$work/err" || good=yes
	report "$good" "systemd-analyze verifies the unit"
	good=no
	sed -i 's/^ExecStart=.*/ExecStart=nonsense/' "$unit"
	systemd-analyze verify --man=no "$unit" >"$work/err" 2>&1 || good=yes
	report "$good" "and it refuses a wrong one"
}

check_usage
check_files
check_list
check_all
check_unit
finish
