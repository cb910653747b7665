#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# core_tsan.sh - core_pool.c and core_ring_shared.c under the thread sanitizer of
# the compiler, or clang's

set -u

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=selftests/lib/tsan.sh
. selftests/lib/tsan.sh

# check NUMBER NAME: build and run the unit test of that name
check() {
	if $cc -std=gnu11 -g -O1 -fsanitize=thread -Iinclude -Imodule \
		-Iselftests -pthread -o "$dir/$2" "selftests/unit/core/$2.c" \
		module/core/pool.c module/core/ring.c module/core/record.c \
		>"$dir/out" 2>&1; then
		$run "$dir/$2" >"$dir/out" 2>&1
		status=$?
	else
		status=1
	fi
	tsan_judge "$1" "$2" "$status" || failed=1
}

failed=0
check 1 core_pool
check 2 core_ring_shared
echo "1..2"
exit "$failed"
