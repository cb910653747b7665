#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dlclose.sh - the shared library stays in memory once it is loaded
#
# Its thread ends a moment after a callback that ended the last registration: were
# the code unmapped by then, as dlclose() does, the process would die.  Prints TAP.
set -uo pipefail

cd "$(dirname "$0")/../../.." || exit 1
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
library=$PWD/build/libetw.so

says_nodelete() {
	readelf -d "$library" >"$work/dynamic"
	cat "$work/dynamic"
	grep -qw NODELETE "$work/dynamic"
}

cat >"$work/prog.c" <<-'EOF'
	#include <dlfcn.h>
	#include <stdio.h>
	#include <evntprov.h>

	int main(int argc, char **argv)
	{
		static const GUID guid = { 1, 2, 3, { 4 } };
		ULONG (EVNTAPI *add)(LPCGUID, PENABLECALLBACK, PVOID, PREGHANDLE);
		ULONG (EVNTAPI *end)(REGHANDLE);
		void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
		REGHANDLE handle;

		if (!lib)
			return puts("not loaded"), 1;
		*(void **)&add = dlsym(lib, "EventRegister");
		*(void **)&end = dlsym(lib, "EventUnregister");
		if (!add || !end || add(&guid, NULL, NULL, &handle) || end(handle))
			return puts("does not work"), 2;
		if (dlclose(lib))
			return puts("not closed"), 3;
		/* Only if it is there. */
		if (!dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD))
			return puts("was unloaded"), 4;
		return 0;
	}
EOF

# This test must run without the module.
stays() {
	gcc -std=gnu11 -Wall -Wextra -Werror -Iinclude -o "$work/prog" "$work/prog.c" -ldl &&
		ETW_DEVICE=/nonexistent/etw "$work/prog" "$library"
}

check "libetw.so is marked as NODELETE" says_nodelete
check "after dlclose() it is still there" stays
finish
