# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a run that has no time for all selftests chooses: those that the last changes concern, and
# of the others another part at every commit. Sourced by the checks.

# changed_files: since the commit that the main branch has, or of the last ten commits; those that
# are not committed yet, too.
changed_files() {
	local base

	base=$(git merge-base HEAD origin/main 2>/dev/null) || base=''
	if [[ -z $base || $base == "$(git rev-parse HEAD 2>/dev/null)" ]]; then
		base=$(git rev-parse -q --verify HEAD~10 2>/dev/null) || return 0
	fi
	git diff --name-only "$base" 2>/dev/null || true
	git ls-files --others --exclude-standard 2>/dev/null || true
}

# tests_of: the folders of selftests/vm, and programs, that test the files on stdin.
tests_of() {
	local file name

	while read -r file; do
		case $file in
		selftests/vm/*/*.c) name=${file##*/}; echo "${name%.c}" ;;
		module/core/*) echo session/ filter/ ;;
		module/write/*) echo provider/ session/ ;;
		module/session/*) echo session/ consumer/ ;;
		module/provider/*filter*) echo filter/ ;;
		module/provider/*) echo provider/ ;;
		module/access/*) echo access/ ;;
		module/logfile/*) echo logfile/ ;;
		module/system/*) echo system/ ;;
		module/*) echo abi/ fault/ ;;
		user/bridge/*) echo system/ cli_probe cli_tracepoint ;;
		user/cli/doctor/*) echo cli_doctor ;;
		user/cli/request/* | user/cli/record/*) echo cli_log cli_probe cli_tracepoint ;;
		user/cli/cmd/start.c | user/cli/cmd/flush.c | user/cli/cmd/update.c) echo cli_log ;;
		user/lib/controller/*) echo kernel_logger ;;
		selftests/lib/command/*) echo cli_doctor cli_log cli_probe cli_tracepoint ;;
		include/etw/bpf*) echo bpf/ ;;
		include/etw/*) echo abi/ session/ ;;
		esac
	done | tr ' ' '\n' | sort -u
}

# concerned yes|no: of the programs on stdin those that test what has changed, or the others.
concerned() {
	local name dir is
	local -A wanted=()

	while read -r name; do wanted[$name]=1; done < <(changed_files | tests_of)
	while read -r name; do
		[[ -n $name ]] || continue
		dir=$(cd "$TOP/selftests/vm" && echo */"$name.c")
		is=no
		[[ -z ${wanted[$name]-} && -z ${wanted[${dir%%/*}/]-} ]] || is=yes
		[[ $is != "$1" ]] || echo "$name"
	done
}

# turn_number: of this commit; the next one usually has another.
turn_number() {
	local commit

	commit=$(git -C "$TOP" rev-parse HEAD 2>/dev/null) || commit=$(date +%j)
	echo $((16#${commit:0:7}))
}

# turned NUMBER NAME...: the names as a circle that starts at the one with this number.
turned() {
	local number=$1 at
	shift

	at=$((number % ($# > 0 ? $# : 1)))
	printf '%s\n' "${@:at + 1}" "${@:1:at}" | grep .
}

# choose PARTS FILE: of the lines on stdin, in their order, those that FILE has, and one of so many
# parts of the others; no empty line, such as <<<"" makes of nothing.
choose() {
	awk -v parts="$1" -v part="$(($(turn_number) % $1))" -v file="$2" '
		BEGIN { while ((getline line < file) > 0) always[line] = 1 }
		/./ && ($0 in always || n++ % parts == part)'
}

# of_turn PARTS: of the programs on stdin those that the changes concern, and one of so many parts
# of the others.
of_turn() {
	local all

	all=$(cat)
	choose "$1" <(concerned yes <<<"$all") <<<"$all"
}

# files_of_turn PARTS: of the files on stdin those that have changed, and one of so many parts of
# the others.
files_of_turn() {
	choose "$1" <(changed_files)
}
