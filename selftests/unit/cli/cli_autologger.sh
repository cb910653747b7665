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

# session NAME LINE...: a file with the values that are required, and these lines.
session() {
	local name=$1
	shift

	sessions=$((sessions + 1))
	printf '%s\n' 'Start = 1' "Guid = 11111111-89ab-cdef-0001-$(printf %012d "$sessions")" \
		"$@" >"$conf/$name.conf"
}

# told LINE TEXT NAME: the check fails with one line, which names the place.
told() {
	fails "etw: $conf/$3.conf${1:+:$1}: $2" autologger check "$3"
}

check_usage() {
	wrong 'missing ACTION' autologger
	wrong '"frob": no such action' autologger frob
	wrong '--json: goes with list only' autologger check --json
	wrong 'NAME: the name is empty' autologger start ''
	wrong '"a/b" is no name of a session here' autologger start a/b
	wrong '".a" is no name' autologger stop .a
	wrong 'longer than 200 bytes' autologger check "$(printf 'x%.0s' {1..201})"
	prints 'no sessions in ' autologger list
	fails 'No such file' autologger check none
}

check_files() {
	mkdir "$conf"
	session good '[provider {6a5c2f0e-8a43-4d35-9b7e-2f1d0c9b8a71}]' 'Enabled=1' 'EnableLevel = 4' \
		'exe = bash' 'exe = sh' 'not-id = 1,5-9' 'fields = id=7: u32 Size' \
		'filter = Size >= 4096' 'stack-id = 7' 'with = sid'
	prints "$conf/good.conf: good" autologger check good
	prints "$conf/good.conf: good" autologger check
	session bad 'FileMax = 17'
	told 3 'FileMax: not within 0 to 16' bad
	session early
	printf 'Guid = %s\n' "$guid" >"$conf/early.conf"
	told '' 'Start is missing' early
	# What an option of a provider says is looked at, too, and where.
	session exe '[provider *Some-Name]' 'Enabled = 1' 'exe = /bin/sh'
	told 5 '--exe: "/bin/sh": give the name' exe
	session payload "[provider $guid]" 'fields = u32'
	told 4 '--fields: column' payload
	session keyword "[provider $guid]" 'keyword = Read'
	told 3 '--keyword: no manifest of provider' keyword
	session zero '[provider 00000000-0000-0000-0000-000000000000]'
	told 3 'PROVIDER: the zero GUID is none' zero
	session group '[provider *Some-Name]' 'EnableProperty = 0x20'
	told 3 '--group: "*Some-Name" is not a GUID' group
	mkdir "$conf/dir.conf"
	told '' 'Is a directory' dir
	# Files of editors and packages are none of ours.
	touch "$conf/x.conf~" "$conf/.y.conf" "$conf/z"
	right autologger start
	right autologger start good
	right autologger stop good
}

# all CODE NAME PLACE...: the check ends so, and tells of these in this order and no others.
all() {
	local good=no want=$1 name=$2
	shift 2

	run autologger check "$name"
	printf '%s' "${@/%/$'\n'}" | sed "s,^,etw: $conf/$name.conf," >"$work/want"
	[[ $code -ne $want ]] || ! diff "$work/want" "$work/err" >"$work/diff" || good=yes
	report "$good" "$name: $# told at once"
	[[ $good == yes ]] || sed 's/^/# /' "$work/diff"
}

check_all() {
	rm -r "$conf"
	mkdir "$conf"
	session many 'FileMax = 17' 'Frob = 1' 'FileName = /nonexistent/dir/x.etl' '[provider]' \
		'Enabled = 2' 'exe = a' "[provider $guid]" 'Enabled = 1' 'exe = /bin/sh' 'id = 70000' \
		'with = nonsense' "[provider {${guid^^}}]" '[provider 0123-45]' '[provider Some Name]'
	all 1 many \
		':3: FileMax: not within 0 to 16' \
		':4: "Frob" is no value of a session' \
		':6: expected [provider GUID] or [provider NAME]' \
		':7: Enabled: not within 0 to 1' \
		':11: --exe: "/bin/sh": give the name of the file, without directory and wildcards' \
		':12: --id: "70000" is not within 0 to 65535' \
		':13: --with: "nonsense" is none of sid, login, stack, app, process-key, event-key, container' \
		':5: FileName: folder "/nonexistent/dir": No such file or directory' \
		":14: provider \"{${guid^^}}\": line 9 has it already" \
		':15: provider "0123-45" is no whole GUID (8-4-4-4-12 hexadecimal digits)' \
		':16: warning: no manifest has a provider "Some Name": it is enabled only if it is registered by then'
	session warn "FileName = $work/x.etl" '[provider Some Name]'
	all 0 warn \
		':4: warning: no manifest has a provider "Some Name": it is enabled only if it is registered by then'
	session file "FileName = $work/err/x.etl"
	all 1 file ":3: FileName: \"$work/err\" is no folder"
	session root 'FileName = /x.etl'
	all 0 root
	# A file that is not named has the same right to its name and its Guid.
	session one
	{ cat "$conf/one.conf"; echo 'Frob = 1'; } >"$conf/two.conf"
	all 1 one ":2: Guid: the session of $conf/two.conf has it"
	# One that is not started at boot waits until the other one's time is over.
	session two
	sed 's/^Start *= *1/Start = 0/' "$conf/one.conf" >"$conf/two.conf"
	all 0 one
	session two
	all 0 one
	session ONE
	all 1 one ": the session's name is that of $conf/ONE.conf: case makes no difference"
}

check_list() {
	local good=no

	prints '"session":"good","path":"'"$conf"'/good.conf","start":true,"problem":null,"running":false}' \
		autologger list good --json
	prints '"problem":"line 3: FileMax: not within 0 to 16"' autologger list -j
	run autologger list
	[[ $code -ne 0 || $(wc -l <"$work/out") -ne 10 ]] ||
		! grep -qE '^bad +\? +no +- +line 3: FileMax' "$work/out" ||
		! grep -qE '^good +yes +no +-' "$work/out" || good=yes
	report "$good" "the list has good ones and bad ones"
}

# A unit that systemd takes, of what is installed.
check_unit() {
	local good=no unit=$work/etw-autologger.service

	: >"$work/out"
	code=0
	if ! command -v systemd-analyze >/dev/null; then
		number=$((number + 1))
		echo "ok $number # SKIP no systemd-analyze"
		return
	fi
	sed -e "s,@PREFIX@/bin,$PWD/build," packaging/systemd/etw-autologger.service.in >"$unit"
	systemd-analyze verify --man=no "$unit" >"$work/err" 2>&1 || code=$?
	# Of other units on this machine nothing is said here.
	[[ $code -ne 0 ]] || grep -q etw-autologger "$work/err" || good=yes
	report "$good" "systemd-analyze verifies the unit"
	good=no
	sed -i 's/^ExecStart=.*/ExecStart=nonsense/' "$unit"
	systemd-analyze verify --man=no "$unit" >"$work/err" 2>&1 || good=yes
	report "$good" "and it would tell of a wrong one"
}

check_usage
check_files
check_list
check_all
check_unit
finish
