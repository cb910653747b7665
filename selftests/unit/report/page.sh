#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Opens pages of reports in a headless Chromium, and clicks, types and reads what a person would.
# Pictures of them and what they print as remain in build/report.
set -euo pipefail

cd "$(dirname "$0")/../../.."
here=selftests/unit/report
out=$PWD/build/report

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

browser=$(command -v chromium || command -v chromium-browser) || skip_all "no chromium"
command -v python3 >/dev/null || skip_all "no python3"
[[ -x build/unit/report_html ]] || skip_all "no build/unit/report_html: run make units"

rm -rf "$out"
mkdir -p "$out"
for kind in rich empty single hostile large; do
	python3 "$here/fixtures.py" "$kind" >"$out/$kind.json"
done
printf '{"version":1, "files":[' >"$out/torn.json"
printf '{"version":2}' >"$out/newer.json"
: >"$out/nothing.json"
for json in "$out"/*.json; do
	build/unit/report_html "$json" >"${json%.json}.html"
done
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/page.py" "$browser" "$out"
