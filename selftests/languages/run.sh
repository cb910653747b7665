#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selftests/languages/run.sh: "make check-languages". Builds the samples and the conformance
# programs of Rust, Go and Node with Debian's compilers, and runs the suite and the samples in a
# virtual machine. A language that is not installed is skipped; scripts/setup --languages
# installs all. --guest DIR is the part in the virtual machine, which runs a copy: nobody, as
# whom some programs run, need not be able to enter the folders of this tree.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"
cd "$TOP"

# program LANGUAGE FILE: the one that docs/languages.md shows.
program() {
	awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next } /^```/ { inside = 0 } inside' docs/languages.md >"$2"
	[[ -s $2 ]] || die "no program of $1 in docs/languages.md"
}

# build_rust DIR, build_go DIR, build_node DIR
build_rust() {
	[[ -x /usr/bin/rustc ]] || return 0
	/usr/bin/rustc -D warnings -O user/samples/rust/sample.rs -L build -l etw -l tdh -o "$1/sample-rust"
	mkdir -p "$1/rust" && cp user/samples/rust/etw.rs "$1/rust/" && program rust "$1/rust/shown.rs"
	/usr/bin/rustc -D warnings "$1/rust/shown.rs" -L build -o "$1/shown-rust"
	/usr/bin/rustc -D warnings -O "$here/conformance.rs" -L build -o "$1/conformance-rust"
}

build_go() (
	[[ -x /usr/bin/go ]] || exit 0
	export CGO_ENABLED=0 GOPROXY=off GOFLAGS=-mod=mod GOCACHE=$1/go-cache
	(cd user/samples/go && /usr/bin/go vet ./... && /usr/bin/go build -o "$1/sample-go" .)
	rm -rf "$1/go" && mkdir -p "$1/go" && cp -r user/samples/go/go.mod user/samples/go/etw "$1/go/"
	program go "$1/go/shown.go" && (cd "$1/go" && /usr/bin/go build -o "$1/shown-go" .)
	cd "$here/go" && /usr/bin/go vet . && /usr/bin/go build -o "$1/conformance-go" .
)

# koffi comes from npm once, with the hashes of package-lock.json.
build_node() (
	if [[ ! -x /usr/bin/node ]] || ! command -v npm >/dev/null; then
		rm -rf "$1/node"
		exit
	fi
	mkdir -p "$1/node"
	# With its time, the lock file is older than what npm made of it.
	cp -p user/samples/node/{etw.mjs,sample.mjs,package.json,package-lock.json} "$1/node/"
	program js "$1/node/shown.mjs"
	cd "$1/node"
	[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --ignore-scripts --no-audit --no-fund --silent
	touch node_modules/.package-lock.json
)

# copy_for_nobody FROM TO: what the suite runs, readable to all
copy_for_nobody() {
	mkdir -p "$2/lib" "$2/python" "$2/suite" "$2/programs"
	cp -P build/libetw.so* build/libtdh.so* "$2/lib/"
	cp -r user/python/etw "$2/python/"
	cp "$here"/{conformance.py,conformance.mjs,tap.py,events.txt} "$2/suite/"
	tar -c -C "$1" --exclude=./go --exclude=./go-cache --exclude=./rust . | tar -x --no-same-owner -C "$2/programs"
	chmod -R a+rX "$2"
}

if [[ ${1-} == --guest ]]; then
	copy=$(mktemp -d /run/languages.XXXXXX)
	copy_for_nobody "$2" "$copy"
	export ETW_BUILD=$TOP/build LD_LIBRARY_PATH=$copy/lib PYTHONPATH=$copy/python
	export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1
	exec /usr/bin/python3 "$copy/suite/conformance.py" all "$copy/programs"
fi
dir=$BUILD/languages
mkdir -p "$dir"
# Programs of a language that is no longer installed would run all the same.
find "$dir" -mindepth 1 -maxdepth 1 ! -name node ! -name go-cache -exec rm -rf {} +
[[ -x /usr/bin/python3 ]] || die "no /usr/bin/python3: scripts/setup --languages installs it"
make -s lib tdh cli modules KERNEL=6.1
program python "$dir/shown.py"
build_rust "$dir"
build_go "$dir"
build_node "$dir"
scripts/vm --kernel 6.1 --append pti=off -- selftests/languages/run.sh --guest "$dir"
