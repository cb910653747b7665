#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh - scripts/deb replaces what an earlier build made, and touches no other file
#
# What builds the packages is replaced by a command that makes one file. Prints TAP.
set -euo pipefail

cd "$(dirname "$0")/../../.."
top=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
count=0 status=0

# report NAME COMMAND...: a test that passes if the command succeeds.
report() {
	local name=$1

	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		status=1
	fi
}

mkdir -p "$work/bin" "$out/etw-notes" "$out/my-etw"
cat >"$work/bin/dpkg-buildpackage" <<'END'
#!/bin/sh
: >../libetw0_2_amd64.deb
END
chmod +x "$work/bin/dpkg-buildpackage"
touch "$out"/{etw.txt,libetw.so,libtdh.deb,etw-1.deb,other_1.deb} \
	"$out"/{etw-tools_1_amd64.deb,libetw0_1_amd64.deb,libtdh0-dbgsym_1_amd64.deb} \
	"$out"/etw_1_amd64.{changes,buildinfo}
export PATH=$work/bin:$PATH

builds() { scripts/deb "$out" >"$work/printed" 2>/dev/null; }

report "it builds" builds
report "it prints the packages" test "$(cat "$work/printed")" = "$out/libetw0_2_amd64.deb"
ls "$out" >"$work/left"
printf '%s\n' build.log etw-1.deb etw-notes etw-source etw.txt libetw.so libetw0_2_amd64.deb libtdh.deb my-etw \
	other_1.deb | LC_ALL=C sort | diff - <(LC_ALL=C sort "$work/left") >"$work/difference" || true
report "older packages are gone, other files stay" test ! -s "$work/difference"
sed 's/^/# /' "$work/difference"

# refused DIR [WHY]: by default a folder that holds this tree.
refused() {
	! scripts/deb "$1" >/dev/null 2>"$work/err" && grep -qF "${2-contains this tree}" "$work/err"
}

report "it builds again" builds
mkdir -p "$work"/mine/etw-source "$work/logs"
echo mine | tee "$work/mine/etw-source/file" "$work/logs/build.log" >"$work/logs/libetw0_1_amd64.deb"
report "another etw-source is refused" refused "$work/mine" "not made by this program"
report "and stays" grep -qx mine "$work/mine/etw-source/file"
report "another build.log is refused" refused "$work/logs" "not made by this program"
report "and stays, as does all else" grep -qx mine "$work/logs/build.log" "$work/logs/libetw0_1_amd64.deb"

# The copy has its own scripts, which do no harm there.
mkdir -p "$work/outer/etw-tree"
cp -a Makefile NEWS.md scripts packaging "$work/outer/etw-tree"
cd "$work/outer/etw-tree"
report "the folder above is refused" refused ..
report "the tree is refused" refused .
report "nothing is gone" test -e "$work/outer/etw-tree/Makefile"
cd "$top"
echo "1..$count"
exit "$status"
