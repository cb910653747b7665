# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches kernels, kernel headers, QEMU and a few files of the kernel source from
# Debian into build/cache. Part of scripts/setup, which sources it.
#
# apt runs with its own sources, lists and cache below build/cache/apt, so
# the machine's apt configuration is neither used (but for the address of its
# mirror) nor changed, and no root is needed.

APT=$CACHE/apt
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
# The suites to read; scripts/kernel also reads a newer one.
SUITES=(bookworm bookworm-updates bookworm-backports)
SECURITY=bookworm-security

# Parts of the modules tree that no test needs, to save time and disk.
unwanted=(sound drivers/gpu drivers/media drivers/net/wireless drivers/infiniband drivers/staging)

# mirrors: URIs in the machine's sources that look like Debian's, one a line,
# from one-line (.list) and deb822 (.sources) files.
mirrors() {
	local -a lists=() stanzas=()
	local file

	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ ! -r $file ]] || lists+=("$file")
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[[ ! -r $file ]] || stanzas+=("$file")
	done
	{
		[[ ${#lists[@]} -eq 0 ]] || sed -nE 's/^[[:space:]]*deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]].*/\2/p' "${lists[@]}"
		[[ ${#stanzas[@]} -eq 0 ]] || sed -nE 's/^URIs:[[:space:]]*//p' "${stanzas[@]}" | tr -s '[:blank:]' '\n'
	} | sed 's,/*$,,' | grep -E '^(https?|file|mirror\+[a-z]+|copy|cdrom):?' | grep -E '/debian(-security)?$' | sort -u
}

# write_sources DEBIAN SECURITY: our private sources.list.
write_sources() {
	local suite

	for suite in "${SUITES[@]}"; do
		echo "deb [arch=amd64 signed-by=$KEYRING] $1 $suite main"
	done >"$APT/sources.list"
	[[ -z $SECURITY ]] ||
		echo "deb [arch=amd64 signed-by=$KEYRING] $2 $SECURITY main" >>"$APT/sources.list"
}

# papt TOOL ARGS...: apt-get or apt-cache on the private sources.
papt() {
	local tool=$1
	shift
	local -a opts=(
		-q -o "Dir::Etc::SourceList=$APT/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
		-o "Dir::State=$APT" -o "Dir::State::Lists=$APT/lists" -o "Dir::State::status=$APT/status"
		-o "Dir::Cache=$APT" -o Acquire::Languages=none -o Acquire::Retries=3
		-o "APT::Architecture=amd64" -o "APT::Architectures=amd64"
	)
	[[ $EUID -ne 0 ]] || opts+=(-o APT::Sandbox::User=root)
	"$tool" "${opts[@]}" "$@" </dev/null
}

# forget_index: the next update_index reads the lists again.
forget_index() { rm -f "$APT/.fresh"; }

# update_index: reads the package lists, from the machine's mirror if that
# has all suites, else from deb.debian.org; once, until forget_index.
update_index() {
	local debian security log=$APT/update.log

	[[ ! -e $APT/.fresh ]] || return 0
	mkdir -p "$APT/lists/partial" "$APT/archives/partial"
	: >"$APT/status"
	debian=$(mirrors | grep -E '/debian$' | head -n1 || true)
	security=$(mirrors | grep -E '/debian-security$' | head -n1 || true)
	write_sources "${debian:-http://deb.debian.org/debian}" "${security:-http://deb.debian.org/debian-security}"
	say "reading Debian's package index"
	if ! papt apt-get update --error-on=any >"$log" 2>&1; then
		write_sources http://deb.debian.org/debian http://deb.debian.org/debian-security
		papt apt-get update >"$log" 2>&1 || { cat "$log" >&2; die "cannot read Debian's package index"; }
	fi
	: >"$APT/.fresh"
}

# newest_kernel KERNEL_SERIES: the newest stock kernel of it, as uname -r prints it.
newest_kernel() {
	papt apt-cache pkgnames "linux-image-$1" |
		sed -nE "s/^linux-image-(${1//./\\.}\.[0-9]+([+a-z0-9.]*)(-[0-9]+)?-amd64)\$/\1/p" |
		sort -V | tail -n1
}

# package_deps PACKAGE PATTERN: its dependencies whose names match.
package_deps() {
	papt apt-cache --no-all-versions show "$1" | sed -n 's/^Depends: //p' |
		sed 's/[,|]/\n/g' | sed -E 's/^ *([^ ]+).*/\1/' | grep -E "$2" | sort -u
}

# download DIR PACKAGE...: the packages' .deb files, into DIR.
download() {
	local dir=$1 log=$APT/download.log
	shift

	rm -rf "$dir"
	mkdir -p "$dir"
	(cd "$dir" && papt apt-get download "$@") >"$log" 2>&1 || { cat "$log" >&2; die "cannot download $*"; }
}

# unpack_kernel DEBS ROOT: image, modules and headers below ROOT.
unpack_kernel() {
	local deb dir
	local -a exclude=()

	for dir in "${unwanted[@]}"; do
		exclude+=("--exclude=./lib/modules/*/kernel/$dir" "--exclude=./usr/lib/modules/*/kernel/$dir")
	done
	for deb in "$1"/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x -C "$2" --no-same-owner --exclude=./usr/share "${exclude[@]}"
	done
	if [[ ! -d $2/lib/modules && -d $2/usr/lib/modules ]]; then
		mkdir -p "$2/lib"
		ln -s ../usr/lib/modules "$2/lib/modules"
	fi
}

# relocate_headers ROOT VERSION: headers packages name each other by absolute
# paths below /usr; make those relative, so that the tree works where it is.
relocate_headers() {
	local hdr=$1/usr/src/linux-headers-$2 link target common

	# shellcheck disable=SC2016
	sed -i -E 's,^include /usr/src/,include $(dir $(lastword $(MAKEFILE_LIST)))../,' "$hdr/Makefile"
	while read -r link; do
		target=$(readlink "$link")
		ln -sfn "$(realpath -m --relative-to="${link%/*}" "$1$target")" "$link"
	done < <(find "$1/usr/src" "$1/usr/lib" -type l -lname '/usr/*')
	common=$(cd "$1/usr/src" && echo linux-headers-*-common*)
	rm -f "$1/lib/modules/$2/build" "$1/lib/modules/$2/source"
	ln -s "../../../usr/src/linux-headers-$2" "$1/lib/modules/$2/build"
	ln -s "../../../usr/src/$common" "$1/lib/modules/$2/source"
}

# fetch_kernel KERNEL_SERIES: the newest kernel of a series into build/cache/kernel.
fetch_kernel() {
	local series=$1 version root tmp
	local -a headers

	update_index
	version=$(newest_kernel "$series")
	[[ -n $version ]] || die "no $series kernel in Debian's package index"
	root=$CACHE/kernel/$version
	if [[ ! -e $root/.stamp ]]; then
		say "fetching kernel $version and its headers"
		mapfile -t headers < <(package_deps "linux-headers-$version" '^linux-(headers|kbuild)-')
		download "$APT/debs" "linux-image-$version" "linux-headers-$version" "${headers[@]}"
		tmp=$root.tmp
		rm -rf "$root" "$tmp"
		mkdir -p "$tmp"
		unpack_kernel "$APT/debs" "$tmp"
		relocate_headers "$tmp" "$version"
		ln -s "boot/vmlinuz-$version" "$tmp/vmlinuz"
		PATH=$PATH:/sbin:/usr/sbin depmod -b "$tmp" "$version"
		: >"$tmp/.stamp"
		mv "$tmp" "$root"
		rm -rf "$APT/debs"
	fi
	ln -sfn "$version" "$CACHE/kernel/$series"
}

# What the tests use of the kernel's source.
source_files=(
	tools/testing/selftests/{lib.mk,kselftest.h,kselftest_harness.h,run_kselftest.sh}
	tools/testing/selftests/kselftest
	scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch,kernel-doc}
)

# fetch_source: those files, unless the cache holds them all. The stamp lists what was
# fetched.
fetch_source() {
	local out=$CACHE/linux-source name=linux-source-6.1

	! printf '%s\n' "${source_files[@]}" | cmp -s - "$out/.stamp" || return 0
	update_index
	say "fetching the kernel's test harness and style checker ($name)"
	download "$APT/debs" "$name"
	rm -rf "$out.tmp"
	mkdir -p "$out.tmp"
	dpkg-deb --fsys-tarfile "$APT"/debs/*.deb | tar -xO "./usr/src/$name.tar.xz" |
		xz -dc -T0 | tar -x -C "$out.tmp" --strip-components=1 --no-same-owner \
		"${source_files[@]/#/$name/}" || die "cannot unpack $name"
	printf '%s\n' "${source_files[@]}" >"$out.tmp/.stamp"
	rm -rf "$out" "$APT/debs"
	mv "$out.tmp" "$out"
}

# qemu_is_sound: can the machine's own QEMU run code that another CPU of the guest is
# patching? Before version 8.1 it may translate an instruction in the moment at which the
# kernel has a breakpoint there, and never looks again: that CPU stops there for ever.
qemu_is_sound() {
	local version

	version=$(qemu-system-x86_64 --version 2>/dev/null | sed -nE 's/^QEMU emulator version ([0-9.]+).*/\1/p')
	printf '%s\n' 8.1 "${version:-0}" | sort -CV
}

# fetch_qemu: a sound QEMU into build/cache/qemu, unless the machine has one.
fetch_qemu() {
	local out=$CACHE/qemu deb suite=bookworm-backports

	[[ ! -e $out/.stamp ]] || return 0
	! qemu_is_sound || return 0
	update_index
	say "fetching QEMU from $suite"
	download "$APT/debs" {qemu-system-{x86,common,data},seabios}/$suite
	rm -rf "$out.tmp"
	mkdir -p "$out.tmp"
	for deb in "$APT"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$out.tmp" --no-same-owner
	done
	! ldd "$out.tmp/usr/bin/qemu-system-x86_64" | grep 'not found' || die "QEMU lacks these libraries"
	: >"$out.tmp/.stamp"
	rm -rf "$out" "$APT/debs"
	mv "$out.tmp" "$out"
}

# fetch_kernels SERIES...: fetch the kernels that are not in the cache yet.
fetch_kernels() {
	local series

	forget_index
	for series; do
		[[ -e $CACHE/kernel/$series/.stamp ]] || fetch_kernel "$series"
	done
}

# fetch_newer: the newest kernel of every series, and what goes with them.
fetch_newer() {
	local series

	forget_index
	for series in "${KERNEL_SERIES[@]}"; do
		fetch_kernel "$series"
	done
	fetch_qemu
	fetch_source
}
