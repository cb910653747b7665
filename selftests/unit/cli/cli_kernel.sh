#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel logger's events in Windows' own files are shown with names and fields.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"

etw=${ETW_BUILD:-$BUILD}/etw
corpus=${ETW_CORPUS:-$TOP/../shared/corpus}/etl
images=$corpus/google__sawbuck__image_data_32_v1.etl
processes=$corpus/google__sawbuck__process_data_64_v2.etl

if [[ ! -e $images || ! -e $processes ]]; then
	echo "1..0 # SKIP no real log files in $corpus"
	exit 0
fi

# wrong FILE COUNT PATTERN: print any difference from COUNT events with fields that match.
wrong() {
	local all

	all=$("$etw" dump "$1" --no-names 2>&1 | grep -vF ' EventTrace/Header ')
	grep -vE "$3" <<<"$all" || true
	grep -F ' rest=' <<<"$all" || true
	[[ $(wc -l <<<"$all") -eq $2 ]] || echo "$(wc -l <<<"$all") events, not $2"
}

tap_result "$(wrong "$images" 26 ' Image/(Load|UnLoad|DCStart) info ImageBase=0x[0-9a-f]+ ImageSize=0x[0-9a-f]+ ProcessId=7644 FileName="C:[^"]+"$')" \
	"images of version 1, of 32 bits"
tap_result "$(wrong "$processes" 8 ' Process/(Start|End|DCStart|DCEnd) info .* UserSID=S-1-5-[-0-9]+ ImageFileName="(Idle|System|smss\.exe|notepad\.exe)" CommandLine=".*"$')" \
	"processes of version 2, of 64 bits"
echo "1..$tap_number"
exit "$tap_status"
