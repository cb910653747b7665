#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A trace that LTTng-UST has made of a program becomes a log file: the same events as
# babeltrace2 prints. Needs lttng-tools and liblttng-ust-dev, which the rest does not.
set -euo pipefail

cd "$(dirname "$0")/../../.."
etw=$PWD/build/etw
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
session=etw-test-$$
daemon=

# Stop only the daemon that this test started.
clean_up() {
	lttng --no-sessiond destroy "$session" >/dev/null 2>&1 || true
	if [[ -n $daemon ]] && kill "$daemon" 2>/dev/null; then
		timeout 10 tail --pid="$daemon" -f /dev/null || true
	fi
	rm -rf "$work"
}
trap clean_up EXIT

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

for tool in lttng lttng-sessiond babeltrace2 gcc; do
	command -v "$tool" >/dev/null || skip_all "no $tool"
done
echo "#include <lttng/tracepoint.h>" | gcc -E -x c - >/dev/null 2>&1 || skip_all "no liblttng-ust-dev"
export LTTNG_HOME=$work

cat >"$work/tp.h" <<'END'
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER etw_test
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./tp.h"
#if !defined(TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define TP_H
#include <lttng/tracepoint.h>
LTTNG_UST_TRACEPOINT_ENUM(etw_test, colour, LTTNG_UST_TP_ENUM_VALUES(
	lttng_ust_field_enum_value("RED", 0)
	lttng_ust_field_enum_range("OTHER", 1, 2)))
LTTNG_UST_TRACEPOINT_EVENT(etw_test, step,
	LTTNG_UST_TP_ARGS(int, i, const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, i, -i)
		lttng_ust_field_string(s, s)
		lttng_ust_field_float(double, d, i / 4.0)
		lttng_ust_field_integer_hex(unsigned long, h, i * 3UL)
		lttng_ust_field_enum(etw_test, colour, int, c, i % 3)
		lttng_ust_field_sequence_text(char, t, s, size_t, i % 4 + 1)
		lttng_ust_field_integer_network(unsigned short, be, i)))
#endif
#include <lttng/tracepoint-event.h>
END
cat >"$work/app.c" <<'END'
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tp.h"
int main(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		lttng_ust_tracepoint(etw_test, step, i, "text");
	return 0;
}
END
gcc -I"$work" "$work/app.c" -o "$work/app" -llttng-ust -ldl >"$work/log" 2>&1 ||
	skip_all "the compiler cannot make a program with LTTng"

if ! lttng --no-sessiond list >/dev/null 2>&1; then
	lttng-sessiond --no-kernel --daemonize --pidfile "$work/pid" >"$work/log" 2>&1 </dev/null ||
		skip_all "no LTTng session daemon can run here"
	daemon=$(cat "$work/pid")
fi

# Programs wait until the daemon has registered them.
record() {
	lttng --no-sessiond create "$session" --output "$work/trace"
	lttng --no-sessiond enable-event --session "$session" --userspace 'etw_test:*'
	lttng --no-sessiond add-context --session "$session" --userspace --type vpid --type vtid \
		--type procname
	lttng --no-sessiond start "$session"
	LTTNG_UST_REGISTER_TIMEOUT=-1 "$work/app"
	lttng --no-sessiond stop "$session"
}

record >"$work/log" 2>&1 </dev/null || { sed 's/^/# /' "$work/log"; echo "Bail out! LTTng does not trace"; exit 1; }

# Time in steps of 100 ns, CPU, process, thread, and the fields
babeltrace2 --clock-seconds --no-delta "$work/trace" | sed -nE \
	's/^\[([0-9]+\.[0-9]{7})[0-9]{2}\] .*etw_test:step: \{ cpu_id = ([0-9]+) \}, \{ vpid = ([0-9]+), vtid = ([0-9]+), procname = "([^"]*)" \}, \{ i = ([-0-9]+), s = "([^"]*)", d = ([^,]*), h = 0x([^,]*), c = \( "([A-Z]+)" : .* t = "([^"]*)", be = ([0-9]+) \}$/\1 \2 \3 \4 \5 \6 \7 \8 \9 \0/p' |
	sed -E 's/ \[.*c = \( "([A-Z]+)" : container = ([0-9]) .* t = "([^"]*)", be = ([0-9]+) \}$/ \2 \1 "\3" \4/' |
	tr 'A-F' 'a-f' >"$work/want"

same() {
	"$etw" convert --to csv --fields \
		time,cpu,pid,tid,fields.context,fields.i,fields.s,fields.d,fields.h,fields.c,fields.c_label,fields.t,fields.be,event,provider_name \
		"$work/lttng.etl" | sed 1d >"$work/csv"
	[[ $(grep -c 'step,etw_test' "$work/csv") -eq 1000 ]] || { head -n 3 "$work/csv"; return 1; }
	# The same columns of the csv
	tr -d '\r' <"$work/csv" | grep 'step,etw_test' |
		sed -E 's/^([^,]*),([0-9]+),([0-9]+),([0-9]+),.*procname=\\?"*([a-z]+).*\}"?,(-?[0-9]+),([a-z]+),([^,]*),0x([^,]*),([0-9]),([A-Z]+),([a-z]*),([0-9]+),.*$/\1 \2 \3 \4 \5 \6 \7 \8 \9 \0/' |
		sed -E 's/ [0-9T:.-]+Z,.*,([0-9]),([A-Z]+),([a-z]*),([0-9]+),step,etw_test$/ \1 \2 "\3" \4/' |
		while read -r time rest; do
			echo "$(date -u -d "$time" +%s).${time:20:7} $rest"
		done | tr 'A-F' 'a-f' >"$work/got"
	diff "$work/want" "$work/got"
}

check "babeltrace2 prints all events" test "$(wc -l <"$work/want")" -eq 1000
check "the trace is converted" "$etw" convert -q --from ctf "$work/trace" -o "$work/lttng.etl"
check "the same times, CPUs, processes and values" same
finish
