// SPDX-License-Identifier: MIT
/*
 * symbols_report - the tree of stacks that etw report makes, against the stacks of etw convert
 */
#include "symbols_make.h"

#define FUNCTIONS	300
#define MANY		(FUNCTIONS * FUNCTIONS)	/* more branches than the tree keeps */

/* The tree of the report in r.json; files: a.folded, b.folded in the folder, or one of them */
static bool compare(const char *files, const char *want)
{
	run("--version >/dev/null; cd %s && python3 $OLDPWD/selftests/unit/symbols/tree.py r.json %s",
	    known_dir, files);
	return run_printed(want);
}

static bool report(const char *options)
{
	return !run("report -q --replace %s -o %s/r.json %s", options, known_dir, known_file) &&
	       !run("convert -q --replace %s -o %s/a.folded %s", options, known_dir, known_file);
}

static void make_file(unsigned int deep, unsigned int flat, bool kernel)
{
	const uint64_t deep_stack[] = { known_address("in_add"), known_address("in_main") + 1, 0 };
	const uint64_t flat_stack[] = { known_address("in_main"), 0 };
	const uint64_t kernel_stack[] = { 0xffffffff81000010, known_address("in_main"), 0 };
	unsigned int i;

	report_begin();
	known_map(1000, known_path, known_id, sizeof(known_id));
	for (i = 0; i < deep + flat; i++)
		known_stack(2000 + i, KNOWN_PID, i < deep ? deep_stack : flat_stack);
	if (kernel)
		known_stack(5000, KNOWN_PID, kernel_stack);
	known_end();
}

static void check_tree(void)
{
	make_file(30, 9, true);
	ok(report("") && compare("a.folded", "same"), "the tree has the stacks of the trace");
	run("report -q %s", known_file);
	ok(known_said("\nStacks\n40 events with a stack\n") &&
	   known_said(" 100.0% process 20\n 100.0%  main\n  75.0%   shop::Cart<int>::check_out\n"
		      "  75.0%    shop::Cart<int>::price\n  75.0%     shop::Cart<int>::add\n"
		      "   2.5%   [kernel]\n"), "as text, the largest first");
	run("report -q --pid 77 %s", known_file);
	ok(!strstr(run_out, "Stacks"), "no stacks, no heading");
	is(run("report -q --replace -o %s/r.html %s", known_dir, known_file), 0, "in a page");
}

static void check_diff(void)
{
	make_file(10, 30, false);
	known_shell("cp known.etl b.etl");
	is(run("convert -q --replace -o %s/b.folded %s", known_dir, known_file), 0, "another trace");
	make_file(30, 10, true);
	report("");
	is(run("report -q --replace --diff -o %s/r.json %s %s/b.etl", known_dir, known_file,
	       known_dir), 0, "the difference of two");
	ok(compare("a.folded b.folded", "same"), "has the stacks of both");
	run("report -q --diff %s %s/b.etl", known_file, known_dir);
	ok(known_said("\nStacks: share of events in A and B\n") &&
	   known_said("  73.2%  25.0%   shop::Cart<int>::check_out\n") &&
	   known_said("   2.4%   0.0%   [kernel]\n"), "as text");
}

static void check_hostile(void)
{
	const uint64_t jit[] = { JIT + 5, 0 };
	char options[128];

	report_begin();
	known_stack(2000, KNOWN_PID, jit);
	known_end();
	known_shell("mkdir -p root/tmp && printf '%llx 10 </script><b>\\033[1m\\r\\342\\200\\256\\n' "
		    ">root/tmp/perf-%d.map", JIT, KNOWN_PID);
	snprintf(options, sizeof(options), "--symbols %s/root", known_dir);
	run("report -q %s %s", options, known_file);
	ok(!strchr(run_out, '\033') && known_said("</script><b>\\u001b[1m\\r\\u{202e}\n"),
	   "a hostile name in the terminal");
	run("report -q --json %s %s", options, known_file);
	ok(!strchr(run_out, '<') && !strchr(run_out, '\033') && known_said("\\u003c/script\\u003e"),
	   "in JSON and the page, which holds it");
}

static void check_many(void)
{
	uint64_t stack[] = { 0, 0, 0 };
	char options[128];
	unsigned int i;

	report_begin();
	for (i = 0; i < MANY; i++) {
		stack[0] = JIT + i % FUNCTIONS * 16;
		stack[1] = JIT + i / FUNCTIONS * 16 + 1;
		known_stack(2000 + i, KNOWN_PID, stack);
	}
	known_end();
	known_shell("for i in $(seq 0 %d); do printf '%%x 10 f%%d\\n' $((0x%llx + i * 16)) $i; done "
		    ">root/tmp/perf-%d.map", FUNCTIONS - 1, JIT, KNOWN_PID);
	snprintf(options, sizeof(options), "--symbols %s/root", known_dir);
	ok(report(options) && compare("a.folded", "less"),
	   "of too many branches the small ones are left out, and counted");
}

int main(void)
{
	known_build();
	check_tree();
	check_diff();
	check_hostile();
	check_many();
	known_remove();
	return done_testing();
}
