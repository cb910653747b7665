#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# .ci/run takes no arguments, and starts nothing if it is given one.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"

# run ARGUMENT: its output and exit status; the limit is for one that starts the tests.
run() {
	local status=0

	timeout -k 1 10 "$TOP/.ci/run" "$@" 2>&1 </dev/null || status=$?
	echo "exit status $status"
}

echo "1..3"
text=$(run --help)
tap_result "$(grep -q '^Runs the tests' <<<"$text" && grep -qx 'exit status 0' <<<"$text" || echo "$text")" \
	"--help prints what it does"
text=$(run "")
tap_result "$(grep -qx "exit status 2" <<<"$text" || echo "$text")" "it refuses an empty argument"
text=$(run --quick)
tap_result "$(grep -q '^usage: .ci/run' <<<"$text" && grep -qx 'exit status 2' <<<"$text" || echo "$text")" \
	"it refuses another argument"
exit "$tap_status"
