#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# syzkaller.sh - the descriptions in selftests/syzkaller agree with the headers
#
# Every command of abi.h is described, every constant has the headers' value,
# every struct its size: sizes are added up from the descriptions, whose
# structs have no holes, and compared with what a C program prints. Prints
# TAP; with --const, the file of constants instead.

set -u

top=$(CDPATH='' cd -- "$(dirname -- "$0")/../../.." && pwd) || exit 1
text=$top/selftests/syzkaller/dev_etw.txt
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# constants: the names that the descriptions use and do not define.
constants() {
	grep -v '^[#i][ n]' "$text" | grep -oE '\b(ETW|O|AT)_[A-Z0-9_]+' | sort -u
}

# sizes: "struct bytes" of each struct described.  Those of a variable size have
# capitals in their names.
sizes() {
	awk '
		BEGIN {
			known["etw_handle"] = 8; known["etw_slot"] = known["etw_index"] = 4
			known["fd_etw_consumer"] = 4
		}
		/^[a-z_0-9]+ \{/ { name = $1; total = 0; next }
		/^\}/ { if (name != "") { known[name] = total; print name, total }; name = ""; next }
		name != "" && NF {
			type = $0
			sub(/^[ \t]*[a-z_0-9]+[ \t]+/, "", type)
			sub(/[ \t]*\(.*\)$/, "", type)
			n = 1
			if (match(type, /^array\[.*, [0-9]+\]$/)) {
				n = type; sub(/.*, /, "", n); sub(/\]$/, "", n)
				sub(/^array\[/, "", type); sub(/, [0-9]+\]$/, "", type)
			}
			if (type in known) bytes = known[type]
			else if (type ~ /^ptr64/) bytes = 8
			else if (match(type, /int(8|16|32|64)/)) bytes = substr(type, RSTART + 3, RLENGTH - 3) / 8
			else { bytes = 0; print "unknown", name, type }
			total += n * bytes
		}' "$text"
}

# program LINES...: compiles a main() of these lines and runs it.
run_program() {
	{
		printf '#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <etw/abi.h>\n#include <etw/abi_filter.h>\n'
		printf 'struct etw_session_start { struct etw_session s; };\n'
		printf 'struct etw_payload_smallest { struct etw_payload_header h; struct etw_payload_event e;\n'
		printf 'struct etw_payload_step s; struct etw_payload_test t; };\n'
		printf 'struct etw_disallow_set { struct etw_disallow d; };\n'
		printf 'int main(void)\n{\n'
		cat
		printf '\treturn 0;\n}\n'
	} >"$tmp/p.c"
	"${CC:-cc}" -Wall -Werror -I"$top/include" -o "$tmp/p" "$tmp/p.c" && "$tmp/p"
}

const_file() {
	echo "# SPDX-License-Identifier: GPL-2.0-only"
	echo "# Made by selftests/unit/tree/syzkaller.sh --const"
	echo "arches = amd64, 386, arm64"
	constants | while read -r name; do
		printf '\tprintf("%%s = %%lld\\n", "%s", (long long)(%s));\n' "$name" "$name"
	done | run_program
}

if [ "${1-}" = --const ]; then
	const_file
	exit
fi

count=0
failed=0

# result NAME: what is in $tmp/log is wrong
result() {
	count=$((count + 1))
	if [ ! -s "$tmp/log" ]; then
		echo "ok $count - $1"
		return
	fi
	failed=1
	echo "not ok $count - $1"
	sed 's/^/# /' "$tmp/log"
}

echo 1..4
sed -nE 's/^#define (ETW_IOC_[A-Z_]+)[[:space:]]+ETW_IOC\(0x.*/\1/p' "$top/include/etw/abi.h" | sort >"$tmp/commands"
sed -nE 's/^ioctl.(ETW_IOC_[A-Z_]+)\(.*/\1/p' "$text" | sort >"$tmp/described"
[ -s "$tmp/commands" ] || echo "no command found in abi.h" >"$tmp/described"
diff "$tmp/commands" "$tmp/described" >"$tmp/log"
result "every command is described, and no other"

const_file >"$tmp/const" 2>&1
diff "$top/selftests/syzkaller/dev_etw.txt.const" "$tmp/const" >"$tmp/log"
result "constants have the headers' values"

sizes >"$tmp/sizes"
while read -r name _; do
	printf '\tprintf("%s %%zu\\n", sizeof(struct %s));\n' "$name" "$name"
done <"$tmp/sizes" | run_program >"$tmp/real" 2>&1
[ -s "$tmp/sizes" ] || echo "no struct found" >>"$tmp/real"
diff "$tmp/sizes" "$tmp/real" >"$tmp/log"
result "structs have the headers' sizes"

# What is a resource or a set of flags has to be defined.
: >"$tmp/log"
grep -oE '\b(flags|string)\[etw_[a-z_]+' "$text" | cut -d'[' -f2 | sort -u | while read -r name; do
	grep -q "^$name = " "$text" || echo "$name is not defined"
done >"$tmp/log"
result "sets of flags are defined"
exit $failed
