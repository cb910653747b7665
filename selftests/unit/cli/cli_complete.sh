#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shell completion: what "etw __complete" prints, and what bash makes of it.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/cli.sh
. selftests/lib/cli.sh

# completes 'WORD...' CANDIDATE...: the shells get these candidates, without their help.
completes() {
	local good=no
	local -a words

	IFS=' ' read -ra words <<<"$1"
	[[ $1 != *' ' ]] || words+=("")
	run __complete "${words[@]}"
	shift
	[[ $code -ne 0 || -s $work/err || $(cut -f1 "$work/out") != "$(printf '%s\n' "$@")" ]] || good=yes
	report "$good" "completed: ${words[*]}"
}

check_completion() {
	local command good shell

	completes st start stop stat
	completes 'start --cl' --clock
	completes 'start --clock ' qpc system cycles
	completes 'start --clock=s' --clock=system
	completes 'start --clock = s' system
	completes 'start --min-buffers 4 --sequence g' global
	completes 'update demo --max-b' --max-buffers
	completes 'list p' providers
	completes 'access ' show set add remove load
	completes 'autologger ' start stop list check
	completes 'manifest i' install
	completes 'manifest install ' :files
	completes 'mc ' :files
	completes 'merge -o ' :files
	completes 'verify one.etl ' :files
	completes 'stop demo --s' --strict
	completes 'merge one.etl ' :files
	completes 'enable demo --level w' warning
	completes 'dump demo --time de' delta
	completes 'help sto' stop
	completes 'nothing '
	ETW_MANIFEST_PATH=$work/manifests run manifest install user/samples/etw_blk/etw_blk.man
	ETW_MANIFEST_PATH=$work/manifests completes 'enable demo Sample-B' Sample-Block
	ETW_MANIFEST_PATH=$work/manifests completes 'record -p Sample-B' Sample-Block
	completes 'watch -p kp' kprobe:
	while read -r command; do
		[[ $command != mc && $command != help ]] || continue
		good=no
		run "$command" --help
		sed -nE 's/^ +(-[A-Za-z], +)?(--[a-z0-9-]*).*/\2/p' "$work/out" | sort >"$work/options"
		run __complete "$command" --
		[[ $(cut -f1 "$work/out" | sort) != "$(<"$work/options")" ]] || good=yes
		report "$good" "completion has the options of etw $command"
	done <"$work/commands"
	# shellcheck disable=SC2016
	shell='. user/completion/etw; COMP_WORDS=(build/etw start demo --cl); COMP_CWORD=3; _etw; echo "$COMPREPLY"'
	good=no
	[[ $(bash -c "$shell" 2>&1) != --clock ]] || good=yes
	report "$good" "bash completes --clock"
}

run help
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out" >"$work/commands"
check_completion
finish
