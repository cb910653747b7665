#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh - scripts/deb replaces what an earlier build made, and touches no other file
#
# What builds the packages is replaced by a command that makes one file. Prints TAP.
set -euo pipefail

cd "$(dirname "$0")/../../.."
# shellcheck source=selftests/lib/check.sh
. selftests/lib/check.sh
top=$PWD
out=$work/out

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

check "it builds" builds
check "it prints the packages" test "$(cat "$work/printed")" = "$out/libetw0_2_amd64.deb"
find "$out" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort >"$work/left"
printf '%s\n' build.log etw-1.deb etw-notes etw-source etw.txt libetw.so libetw0_2_amd64.deb libtdh.deb my-etw \
	other_1.deb | LC_ALL=C sort >"$work/expected"
check "older packages are gone, other files stay" diff "$work/expected" "$work/left"

# refused DIR [WHY]: by default a folder that holds this tree.
refused() {
	! scripts/deb "$1" >/dev/null 2>"$work/err" && grep -qF "${2-contains this tree}" "$work/err"
}

check "it builds again" builds
mkdir -p "$work"/mine/etw-source "$work/logs"
echo mine | tee "$work/mine/etw-source/file" "$work/logs/build.log" >"$work/logs/libetw0_1_amd64.deb"
check "another etw-source is refused" refused "$work/mine" "not made by this program"
check "and stays" grep -qx mine "$work/mine/etw-source/file"
check "another build.log is refused" refused "$work/logs" "not made by this program"
check "and stays, as does all else" grep -qx mine "$work/logs/build.log" "$work/logs/libetw0_1_amd64.deb"

# The copy has its own scripts, which do no harm there.
mkdir -p "$work/outer/etw-tree"
cp -a Makefile NEWS.md scripts packaging "$work/outer/etw-tree"
cd "$work/outer/etw-tree"
check "the folder above is refused" refused ..
check "the tree is refused" refused .
check "nothing is gone" test -e "$work/outer/etw-tree/Makefile"

# version: builds, and prints the version that it gives.
version() { scripts/deb ../deb >/dev/null 2>&1; sed -n '1s/^etw (\(.*\)) .*/\1/p' ../deb/etw-source/debian/changelog; }

git init -q
git add .
git -c user.name=x -c user.email=x@x commit -qm x
commit=$(version)
echo >>NEWS.md
changed=$(version)
check "a commit's version has its hash" grep -q "$(git log -1 --abbrev=8 --format=%h)\$" <<<"$commit"
check "with changes it says so" test "$changed" = "$commit.changed"
check "and is the newer one" dpkg --compare-versions "$changed" gt "$commit"
cd "$top"
finish
