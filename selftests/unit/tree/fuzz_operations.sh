#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The fuzzer of the device has an operation for each command of the public headers,
# and reads every program of its corpus.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"
cd "$TOP"

fuzzer=$BUILD/fuzz/etw_fuzz
commands=$(sed -nE 's/^#define\s+(ETW_IOC_\w+)\s+ETW_IOC\((0x[0-9a-f]+)\).*/\1 \2/p' include/etw/abi*.h)

# without_operation: the commands that no operation calls.
without_operation() {
	local name number numbers

	numbers=$("$fuzzer" --operations | awk '{ print $3 }')
	while read -r name number; do
		# The magic number of etw's commands, see ETW_IOC().
		grep -qx "$(printf '0xe7%02x' "$number")" <<<"$numbers" || echo "no operation calls $name"
	done <<<"$commands"
}

echo "1..3"
tap_result "$([[ $(wc -l <<<"$commands") -ge 30 ]] || echo "found only: $commands")" \
	"the headers' commands are found"
tap_result "$(without_operation)" "each command has an operation"
tap_result "$("$fuzzer" --show selftests/fuzz/corpus/* | grep -E '^selftests/[^ ]*: .' || true)" \
	"each program of the corpus is read"
exit "$tap_status"
