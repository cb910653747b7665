#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# core_tsan.sh - core_pool.c and core_ring_shared.c under the thread sanitizer of
# the compiler, or clang's

set -u

cd "$(dirname "$0")/../../.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# Some versions of the sanitizer do not work with randomised addresses.
run="setarch -R"
command -v setarch >/dev/null 2>&1 || run=

# works COMPILER: does a program with its thread sanitizer run here?
works() {
	$1 -fsanitize=thread -o "$dir/empty" "$dir/empty.c" 2>/dev/null &&
		$run "$dir/empty" 2>/dev/null
}

echo 'int main(void) { return 0; }' >"$dir/empty.c"
cc=${CC:-gcc}
works "$cc" || cc=clang
if ! works "$cc"; then
	echo "1..0 # SKIP no compiler with a working thread sanitizer"
	exit 0
fi

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
	if [ "$status" -eq 0 ] && ! grep -q 'ThreadSanitizer' "$dir/out"; then
		echo "ok $1 - no data race in $2"
	else
		echo "not ok $1 - no data race in $2"
		sed 's/^/# /' "$dir/out"
		failed=1
	fi
}

failed=0
check 1 core_pool
check 2 core_ring_shared
echo "1..2"
exit "$failed"
