# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests under the thread sanitizer share. Sourced in the tree's root: finds a
# compiler, or its replacement clang, whose sanitizer works, for $cc; $run starts the program,
# $dir is for files of the test. Without one the test is skipped.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# Some versions of the sanitizer do not work with randomised addresses.
run="setarch -R"
command -v setarch >/dev/null 2>&1 || run=

# tsan_works COMPILER: does a program with its thread sanitizer run here?
tsan_works() {
	$1 -fsanitize=thread -o "$dir/empty" "$dir/empty.c" 2>/dev/null &&
		$run "$dir/empty" 2>/dev/null
}

echo 'int main(void) { return 0; }' >"$dir/empty.c"
cc=${CC:-gcc}
tsan_works "$cc" || cc=clang
if ! tsan_works "$cc"; then
	echo "1..0 # SKIP no compiler with a working thread sanitizer"
	exit 0
fi

# tsan_judge NUMBER NAME STATUS: the result of a program that printed to $dir/out; 1: it failed.
tsan_judge() {
	if [ "$3" -eq 0 ] && ! grep -q 'ThreadSanitizer' "$dir/out"; then
		echo "ok $1 - no data race in $2"
		return
	fi
	echo "not ok $1 - no data race in $2"
	sed 's/^/# /' "$dir/out"
	return 1
}
