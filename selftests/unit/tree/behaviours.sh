#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# behaviours.sh - scripts/behaviours finds the tags of tests, and what is wrong
#
# Runs it in a small tree of its own and changes one thing at a time. Prints
# TAP.
#
set -u

top=$(cd "$(dirname "$0")/../../.." && pwd) || exit 1
# shellcheck source=scripts/tap.sh
. "$top/scripts/tap.sh"
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT

# fresh: write a tree without errors
fresh() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/scripts" "$tree/docs/behaviours.d" "$tree/selftests/vm" "$tree/selftests/unit"
	cp "$top"/scripts/{behaviours,common.sh,tap.sh} "$tree/scripts"
	printf '# head\n\nB1 one\nB2 two\nB3 three\nB4 four\nB17 more\nB20 last\nb30 later\nb31 much later\n' \
		>"$tree/scripts/behaviours.txt"
	cat >"$tree/selftests/vm/a.c" <<-'END'
		/* B1: holds */
		TEST_F(fix, first)
		{
			/* B2, B17: hold here */
			int x;
		}

		/*
		 * B2 to B4, of which
		 * much is said; B17: as well, but B20 is only spoken of. B4
		 */
		TEST_F_TIMEOUT(fix, second, 900)
		{
		}
	END
	cat >"$tree/selftests/unit/b.c" <<-'END'
		/* B17 and B1: of a function; B30: too soon */
		static void test_it(int x)
		{
		}

		static int test_more(void)
		{
			/* B3 */
			return 0;
		}
	END
	printf '| B20 | last | cannot be here |\n| B4 | four | differs: %s |\n' 'a\|b' >"$tree/docs/behaviours.d/x.md"
	"$tree/scripts/behaviours"
}

# row NUMBER: print its row of the table
row() {
	sed -n "s/^| B$1 | [a-z]* | \(.*\) |\$/\1/p" "$tree/docs/behaviours.md"
}

# same GOT WANT NAME
same() {
	tap_result "$([[ $1 == "$2" ]] || printf 'got:  %s\nwant: %s\n' "$1" "$2")" "$3"
}

# failing [OPTION...]: print the numbers of the checks that fail
failing() {
	"$tree/scripts/behaviours" --check "$@" 2>&1 | sed -n 's/^not ok \([0-9]*\).*/\1/p' | tr '\n' ' '
}

echo "1..18"
fresh
same "$(row 1)" "unit/b: test_it; vm/a: first" "of two files"
same "$(row 2)" "vm/a: first, second" "in the body, and of a range"
same "$(row 3)" "unit/b: test_more; vm/a: second" "within a range"
same "$(row 4)" "vm/a: second; exception: four: differs: a\|b" "with a test and an exception"
same "$(row 17)" "unit/b: test_it; vm/a: first, second" "with a colon further on"
same "$(row 20)" "exception: last: cannot be here" "only mentioned"
same "$(row 30)$(row 31)" "unit/b: test_it" "of later behaviours the test"
same "$(failing --complete)" "" "all is well"

sed -i 's/first/renamed/' "$tree/selftests/vm/a.c"
same "$(failing)" "3 " "a test of another name"
fresh
sed -i 's/B1: holds/B5: holds/' "$tree/selftests/vm/a.c"
same "$(failing)" "2 3 " "a number that is none"
fresh
sed -i 's/^TEST_F(fix, first)/static void helper(void)/' "$tree/selftests/vm/a.c"
same "$(failing)" "1 3 " "a tag before what is no test"
fresh
printf '/* B1: of nothing */\n' >>"$tree/selftests/unit/b.c"
same "$(failing)" "1 " "a tag at the end"
fresh
printf '| B9 | what | why |\n' >>"$tree/docs/behaviours.d/x.md"
same "$(failing)" "2 " "an exception to nothing"
fresh
printf '| B1 | what |\n' >>"$tree/docs/behaviours.d/x.md"
same "$(failing)" "2 3 " "an exception without a reason"
fresh
printf '| B1 |  | why |\n' >>"$tree/docs/behaviours.d/x.md"
same "$(failing)" "2 3 " "an exception to what?"
fresh
printf '| B20 | it | Is slow. |\n' >"$tree/docs/behaviours.d/w.md"
printf '| B20 | last | cannot be here |\n' >"$tree/docs/behaviours.d/y.md"
"$tree/scripts/behaviours"
same "$(row 20)" "exception: it: Is slow; exception: last: cannot be here" \
	"several exceptions, and one said twice"
printf '| B20 | last | is dear |\n' >"$tree/docs/behaviours.d/w.md"
"$tree/scripts/behaviours"
same "$(row 20)" "exception: last: is dear; exception: last: cannot be here" "without full stops"
fresh
: >"$tree/docs/behaviours.d/x.md"
"$tree/scripts/behaviours"
same "$(failing --complete)" "4 " "one without test and exception"
exit "$tap_status"
