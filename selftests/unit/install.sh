#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs into an empty directory, builds programs against what was
# installed, the pkg-config file as their only guide, and uninstalls.
set -euo pipefail

cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
dest=$work/root
version=$(basename "$(realpath build/cache/kernel/6.1)")
number=0 status=0

# check NAME COMMAND...: one test.
check() {
	local name=$1
	shift

	number=$((number + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$work/log"
		status=1
	fi
}

# pc ARGS...: pkg-config, seeing only what was installed.
pc() {
	PKG_CONFIG_LIBDIR=$dest/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest pkg-config "$@"
}

run_make() {
	env -u MAKEFLAGS -u MAKELEVEL make -s DESTDIR="$dest" PREFIX=/usr KERNEL="$version" "$@"
}

# build COMPILER FLAGS...: compiles the sample program.
build() {
	local -a flags

	read -ra flags < <(pc --cflags --libs libetw)
	"$@" -Wall -Wextra -Werror -o "$work/prog" "$work/prog.c" "${flags[@]}"
}

run_shared() {
	LD_LIBRARY_PATH=$dest/usr/lib "$work/prog"
}

build_win32() {
	local -a flags

	read -ra flags < <(pc --cflags libetw-win32)
	echo '#include <windows.h>' | gcc -fsyntax-only -x c - "${flags[@]}"
}

nothing_left() {
	find "$dest" ! -type d | tee "$work/left"
	[[ ! -s $work/left ]]
}

cat >"$work/prog.c" <<-'EOF'
	#include <evntprov.h>
	#include <evntrace.h>
	#include <evntcons.h>

	int main(void)
	{
		return EventProviderEnabled(0, 0, 0);
	}
EOF

echo "1..8"
check "make install" run_make install
check "the module is in place" test -s "$dest/lib/modules/$version/extra/etw.ko"
check "the command runs" "$dest/usr/bin/etw" --help
check "a C program builds" build gcc -std=c11
check "it runs with the shared library" run_shared
check "a C++ program builds" build g++ -std=c++17 -x c++
if [[ -e include/win32/windows.h ]]; then
	check "windows.h is found" build_win32
else
	number=$((number + 1))
	echo "ok $number # SKIP no include/win32"
fi
run_make uninstall >/dev/null
check "make uninstall leaves nothing" nothing_left
exit "$status"
