#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/bench/lttng/measure.sh: prints how many ns an event costs LTTng-UST on this machine, for
# comparison with private sessions (selftests/bench/private.c). Nothing is installed: Debian's packages
# are unpacked into build/lttng, and a session daemon of our own runs as long as
# the measurement. Where that is not possible, it says why and prints nothing.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/fetch.sh
. "$TOP/scripts/fetch.sh"

packages=(lttng-tools liblttng-ust1 liblttng-ust-dev liblttng-ust-common1 liblttng-ust-ctl5
	liblttng-ctl0 liburcu8 liburcu-dev libpopt0)
dir=$BUILD/lttng
root=$dir/root
libs=$root/usr/lib/x86_64-linux-gnu
daemon=''

# unavailable WHY: the comparison is left out.
unavailable() {
	say "LTTng-UST is not measured: $*"
	exit 0
}

fetch() {
	[[ ! -e $dir/.stamp ]] || return 0
	(update_index && download "$dir/debs" "${packages[@]}") >&2 || return 1
	mkdir -p "$root"
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb -x "$deb" "$root"
	done
	touch "$dir/.stamp"
}

build() {
	(cd "$TOP/selftests/bench/lttng" &&
		"${CC:-cc}" -O2 -I. -I"$root/usr/include" -I"$root/usr/include/x86_64-linux-gnu" -o "$dir/event" event.c \
			-L"$libs" -Wl,-rpath,"$libs" -Wl,--allow-shlib-undefined -llttng-ust -ldl) >&2
}

lttng() { "$root/usr/bin/lttng" --no-sessiond "$@" >>"$dir/log" 2>&1; }

stop_daemon() {
	[[ -z $daemon ]] || { kill "$daemon" && wait "$daemon"; } 2>/dev/null || true
	rm -rf "$run"
}

# A session in memory, as the one of ours.
start_session() {
	local try

	"$root/usr/bin/lttng-sessiond" --no-kernel \
		--consumerd64-path="$libs/lttng/libexec/lttng-consumerd" --consumerd64-libdir="$libs" >"$dir/log" 2>&1 &
	daemon=$!
	for ((try = 0; try < 100; try++)); do
		! lttng list || break
		sleep 0.1
	done
	lttng create etw-bench --snapshot --output="$run/out" &&
		lttng enable-channel -u --subbuf-size 64K --num-subbuf 8 --overwrite channel &&
		lttng enable-event -u -c channel etw_bench:event && lttng start
}

[[ ${1-} != --help ]] || { head_comment; exit 0; }
fetch || unavailable "its packages cannot be had"
build || unavailable "the program does not build"
# A socket's path must be short.
run=$(mktemp -d)
trap stop_daemon EXIT
export LD_LIBRARY_PATH=$libs LTTNG_HOME=$run LTTNG_RUNDIR=$run/run LTTNG_UST_REGISTER_TIMEOUT=5000
export LTTNG_SESSION_CONFIG_XSD_PATH=$root/usr/share/xml/lttng/
mkdir -p "$LTTNG_RUNDIR"
start_session || unavailable "its session does not start, see $dir/log"
"$dir/event" || unavailable "the event was not enabled"
