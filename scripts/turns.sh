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
}

# tests_of: the folders of selftests/vm, and programs, that test the files on stdin.
tests_of() {
	local file name

	while read -r file; do
		case $file in
		selftests/vm/*/*.c) name=${file##*/}; echo "${name%.c}" ;;
		module/core/*) echo session/ filter/ ;;
		module/write/*) echo provider/ session/ ;;
		module/control/* | module/*.c) echo abi/ fault/ ;;
		module/session/*) echo session/ consumer/ ;;
		module/provider/*filter*) echo filter/ ;;
		module/provider/*) echo provider/ ;;
		module/access/*) echo access/ ;;
		module/logfile/*) echo logfile/ ;;
		module/system/*) echo system/ ;;
		user/bridge/*) echo system/ cli_probe cli_tracepoint ;;
		user/cli/doctor/*) echo cli_doctor ;;
		user/cli/request/*) echo cli_log cli_probe cli_tracepoint ;;
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

# turn_number: another one for every commit.
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

# of_turn PARTS: of the programs on stdin those that the changes concern, and one of so many parts
# of the others.
of_turn() {
	local -a all others
	local i part

	mapfile -t all
	mapfile -t others < <(printf '%s\n' "${all[@]}" | concerned no)
	part=$(($(turn_number) % $1))
	printf '%s\n' "${all[@]}" | concerned yes
	for ((i = part; i < ${#others[@]}; i += $1)); do
		printf '%s\n' "${others[i]}"
	done
}

# files_of_turn PARTS: of the files on stdin those that have changed, and one of so many parts of
# the others.
files_of_turn() {
	awk -v parts="$1" -v part="$(($(turn_number) % $1))" '
		NR == FNR { changed[$0] = 1; next }
		$0 in changed || n++ % parts == part' <(echo; changed_files) -
}
