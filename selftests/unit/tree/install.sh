#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs into an empty directory, builds programs against what was
# installed, the pkg-config file as their only guide, and uninstalls.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
dest=$work/root
version=$(basename "$(realpath build/cache/kernel/6.1)")

# pc ARGS...: run pkg-config with the installed files only
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
	printf '#include <%s>\n' windows.h Windows.h WinNT.h EvnTrace.h TDH.h |
		gcc -fsyntax-only -x c - "${flags[@]}"
}

nothing_left() {
	find "$dest" ! -type d | tee "$work/left"
	[[ ! -s $work/left ]]
}

# all_there FILE...: each file exists below the prefix, and is not empty
all_there() {
	local file bad=0

	for file; do
		[[ -s $dest/usr/$file ]] || { echo "no $file"; bad=1; }
	done
	return "$bad"
}

# others_there FILE...: the same, and the udev rule runs the installed command
others_there() {
	all_there "$@" && grep -q 'RUN+="/usr/bin/etw access load"' "$dest/usr/lib/udev/rules.d/90-etw.rules" &&
		grep -qx 'ExecStart=/usr/bin/etw autologger start' "$dest/usr/lib/systemd/system/etw-autologger.service"
}

headers_there() {
	local -a headers

	mapfile -t headers < <(find include -name '*.h')
	[[ ${#headers[@]} -gt 0 ]] && all_there "${headers[@]/#include/include\/etw-linux}"
}

# exports_agree MAP LIBRARY PACKAGE: the library exports exactly the symbols of its map, and Debian's
# package says the same of it
exports_agree() {
	sed -nE 's/^[[:space:]]+([A-Za-z_][A-Za-z0-9_]*);.*/\1/p' "$1" | sort >"$work/map"
	nm -D --defined-only "$dest/usr/lib/$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
		sort >"$work/exports"
	sed -nE 's/^ ([A-Za-z_0-9]+)@.*/\1/p' "packaging/debian/$3.symbols" | grep -vE '^LIB[A-Z]+_1$' |
		sort >"$work/symbols"
	[[ -s $work/map ]] && diff "$work/map" "$work/exports" && diff "$work/map" "$work/symbols"
}

# headers_export: what our headers declare as exported is in the map
headers_export() {
	grep -hA2 'visibility("default")' include/etw/bpf.h | grep -oE '^.*\b(etw_[a-z_]+)\(' |
		sed -E 's/.*\b(etw_[a-z_]+)\(/\1/' | sort -u >"$work/declared"
	[[ -s $work/declared && -z $(comm -23 "$work/declared" "$work/map") ]]
}

# build_tdh: build a program that decodes, linked with libtdh only
build_tdh() {
	local -a flags

	cat >"$work/tdh.c" <<-'END'
		#include <tdh.h>
		#include <etw/decode.h>

		int main(void)
		{
			struct etw_decoder *decoder = etw_decoder_new();
			ULONG size = 0;

			etw_decoder_free(decoder);
			return !decoder || TdhEnumerateProviders(NULL, &size) != ERROR_INSUFFICIENT_BUFFER;
		}
	END
	read -ra flags < <(pc --cflags --libs libtdh)
	gcc -std=c11 -Wall -Wextra -Werror -o "$work/prog" "$work/tdh.c" "${flags[@]}"
}

build_tdh_static() {
	local -a flags

	build_tdh
	read -ra flags < <(pc --cflags --libs --static libtdh)
	gcc -o "$work/prog-static" "$work/tdh.c" "${flags[@]/-ltdh/-l:libtdh.a}" -l:libetw.a &&
		"$work/prog-static"
}

# dlls_load: the libraries have the names that other languages open, all of one library
dlls_load() {
	cat >"$work/dll.c" <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>

		/* Python's ctypes opens the name itself, LuaJIT and JNA lib*.so, .NET any of them. */
		static const char *const names[][9] = {
			{ "advapi32", "advapi32.dll", "libadvapi32.so", "Advapi32", "Advapi32.dll",
			  "libAdvapi32.so", "ADVAPI32.dll", "sechost.dll" },
			{ "tdh", "tdh.dll", "libtdh.so", "Tdh", "Tdh.dll", "libTdh.so", "TDH.dll" },
		};
		static const char *const functions[][10] = {
			{ "StartTraceW", "ControlTraceW", "EnableTraceEx2", "OpenTraceW", "ProcessTrace",
			  "CloseTrace", "EventRegister", "EventWrite", "EventUnregister" },
			{ "TdhGetEventInformation", "TdhGetPropertySize", "TdhGetProperty",
			  "TdhGetEventMapInformation", "TdhFormatProperty",
			  "TdhEnumerateProviderFieldInformation" },
		};

		int main(void)
		{
			for (int i = 0; i < 2; i++) {
				void *first = NULL, *one = NULL;

				for (int n = 0; names[i][n]; n++) {
					one = dlopen(names[i][n], RTLD_NOW);
					first = first ? first : one;
					if (!one || one != first)
						return puts(one ? names[i][n] : dlerror()), 1;
				}
				for (int n = 0; functions[i][n]; n++)
					if (!dlsym(one, functions[i][n]))
						return puts(functions[i][n]), 1;
			}
			return 0;
		}
	END
	gcc -std=c11 -Wall -Wextra -Werror -o "$work/dll" "$work/dll.c" &&
		[[ $(pc --variable=dlldir libetw-win32) == */usr/lib/etw-dll ]] &&
		LD_LIBRARY_PATH=$dest/usr/lib/etw-dll "$work/dll"
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

# driver_builds: the driver of docs/porting.md, from the installed headers and symbols alone
driver_builds() {
	local symbols=$dest/lib/modules/$version/extra/etw.symvers

	mkdir "$work/driver"
	printf '%s\n' 'obj-m := mydriver.o' 'mydriver-y := driver.o' "etw := $dest/usr/include/etw-linux" \
		"ccflags-y += -I\$(src) -I\$(etw) -I\$(etw)/win32-km -DETW_DRIVER_LICENSE='\"GPL\"'" \
		>"$work/driver/Kbuild"
	printf '%s\n' '#include <ntddk.h>' 'static const GUID id = { 1 };' \
		'NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)' '{' \
		'	REGHANDLE handle;' '	return EtwRegister(&id, NULL, NULL, &handle);' '}' \
		>"$work/driver/driver.c"
	make -C "build/cache/kernel/$version/lib/modules/$version/build" M="$work/driver" \
		KBUILD_EXTRA_SYMBOLS="$symbols" modules && ! grep -q "$PWD" "$symbols" &&
		modinfo -F depends "$work/driver/mydriver.ko" | grep -qx etw
}

# reader_runs: the installed command finds the reader, and the reader finds its libraries
reader_runs() {
	all_there libexec/etw/etw-ctf-reader && mkdir "$work/empty" &&
		[[ $("$dest/usr/bin/etw" convert --from ctf "$work/empty" -o "$work/x.etl" 2>&1) == \
			*'no CTF trace'* ]]
}

# python_imports: the installed module finds the installed libraries
python_imports() {
	local folder=$dest/usr/lib/python3/dist-packages

	[[ $(PYTHONPATH=$folder LD_LIBRARY_PATH=$dest/usr/lib /usr/bin/python3 -B -c \
		'import etw; etw.Provider("Test").write("Event"); print(etw.__file__)') == "$folder/etw/__init__.py" ]]
}

check "make install" run_make install
check "the module is in place" test -s "$dest/lib/modules/$version/extra/etw.ko"
check "a driver builds with the installed symbols" driver_builds
check "the headers are in place" headers_there
check "the manual pages are in place" all_there share/man/man4/etw.4 share/man/man8/etw.8 \
	share/man/man5/etw-access.conf.5 \
	share/man/man5/etw-autologger.conf.5 share/man/man1/etw-record.1
check "the other installed files are in place" others_there lib/udev/rules.d/90-etw.rules \
	lib/modules-load.d/etw.conf lib/systemd/system/etw-autologger.service \
	lib/systemd/system/sysinit.target.wants/etw-autologger.service lib/pkgconfig/libetw.pc lib/pkgconfig/libetw-win32.pc \
	lib/pkgconfig/libtdh.pc lib/libtdh.a
check "the library exports the names in its map" exports_agree user/lib/libetw.map libetw.so libetw0
check "and those that a header declares" headers_export
check "libtdh too" exports_agree user/tdh/libtdh.map libtdh.so libtdh0
check "the command runs" "$dest/usr/bin/etw" --help
if [[ -e build/etw-ctf-reader ]]; then
	check "it starts the reader of CTF traces" reader_runs
else
	skip "no libbabeltrace2-dev"
fi
check "a C program builds" build gcc -std=c11
check "it runs with the shared library" run_shared
check "the libraries load under Windows' names" dlls_load
check "a program that decodes builds with libtdh" build_tdh
check "it runs with libtdh, and without libetw.so" run_shared
check "it builds with the archives, and runs" build_tdh_static
check "a C++ program builds" build g++ -std=c++17 -x c++
if [[ -e include/win32/windows.h ]]; then
	check "windows.h is found" build_win32
else
	skip "no include/win32"
fi
if [[ -x /usr/bin/python3 ]]; then
	check "the Python module works" python_imports
else
	skip "no python3"
fi
run_make uninstall >/dev/null
check "make uninstall leaves nothing" nothing_left
finish
