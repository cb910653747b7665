#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tree of links that kbuild is given (scripts/mirror): made beside a kbuild
# that makes and removes folders in it, and without links to what is gone.
set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../../scripts/common.sh"
# shellcheck source=scripts/tap.sh
. "$TOP/scripts/tap.sh"

work=$(mktemp -d)
busy=
trap '[[ -z $busy ]] || kill "$busy" 2>/dev/null; wait; rm -rf "$work"' EXIT

mirror() {
	"$TOP/scripts/mirror" "$work/tree" 2>&1
}

what=$(mirror) || what+=" exit status $?"
[[ $work/tree/module/core/ring.c -ef $TOP/module/core/ring.c ]] || what+=' no link to module/core/ring.c'
tap_result "$what" 'links to the sources'

# Like kbuild, which makes a folder for every compiler check.
while mkdir "$work/tree/module/.tmp" && rmdir "$work/tree/module/.tmp"; do :; done &
busy=$!
what=''
for ((i = 0; i < 20; i++)); do
	what+=$(mirror) || what+=" exit status $?"
done
kill "$busy"
wait "$busy" 2>/dev/null || true
busy=
tap_result "$what" 'made again beside a running kbuild'

ln -s "$work/nothing" "$work/tree/module/gone.c"
ln -s "$work/nothing" "$work/tree/module/core/gone.h"
what=$(mirror) || what+=" exit status $?"
[[ -z $(find "$work/tree" -name 'gone.*') ]] || what+=' dangling links are left'
tap_result "$what" 'without links to removed files'

echo "1..$tap_number"
exit "$tap_status"
