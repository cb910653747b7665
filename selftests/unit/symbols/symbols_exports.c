// SPDX-License-Identifier: MIT
/*
 * symbols_exports - the stacks that etw convert adds up, folded, for speedscope and for pprof, or
 * leaves with their events, for Perfetto: all have to say the same of one trace
 */
#include "symbols_make.h"

#define FUNCTIONS	300
#define MANY		(FUNCTIONS * FUNCTIONS)	/* stacks: more than are added up at once */

static const char inlined[] =
	"main;shop::Cart<int>::check_out;shop::Cart<int>::price;shop::Cart<int>::add";

/* Convert to all four; false: the command fails. */
static bool convert(const char *options)
{
	return !run("convert -q --replace %s -o %s/a.folded %s", options, known_dir, known_file) &&
	       !run("convert -q --replace %s -o %s/a.speedscope.json %s", options, known_dir,
		    known_file) &&
	       !run("convert -q --replace %s -o %s/a.pb.gz %s", options, known_dir, known_file) &&
	       !run("convert -q --replace %s -o %s/a.perfetto-trace %s", options, known_dir,
		    known_file);
}

/* Have they these stacks, as words? then: what the list of them goes through, or "" */
static bool compare(const char *want, const char *then)
{
	run("--version >/dev/null; python3 selftests/unit/symbols/exports.py %s/a.folded "
	    "%s/a.speedscope.json %s/a.pb.gz %s/a.perfetto-trace%s", known_dir, known_dir,
	    known_dir, known_dir, then);
	return run_printed(want);
}

static void check_same(void)
{
	const uint64_t deep[] = { known_address("in_add"), known_address("in_main") + 1, 0 };
	const uint64_t flat[] = { known_address("in_main"), 0 }, lost[] = { 0x1234, 0 };
	const uint64_t kernel[] = { 0xffffffff81000010, known_address("in_main"), 0 };
	char want[512];
	int i;

	report_begin();
	known_map(1000, known_path, known_id, sizeof(known_id));
	for (i = 0; i < 3; i++)
		known_stack(2000 + i, KNOWN_PID, deep);
	known_stack(3000, KNOWN_PID, flat);
	known_stack(4000, 77, lost);
	known_stack(5000, KNOWN_PID, kernel);
	known_end();
	ok(convert(""), "four formats");
	snprintf(want, sizeof(want), "process 20;main 1 process 20;main;[kernel] 1 process 20;%s 3 "
		 "process 77;[unknown] 1", inlined);
	ok(compare(want, ""), "the same stacks in all of them");
	run("convert --to folded --pid 77 %s", known_file);
	ok(known_said("process 77;[unknown] 1\n") && !strstr(run_out, "main"), "a selection");
	run("convert --to folded %s >/dev/null", known_file);
	ok(strstr(run_err, "addresses of the kernel have no name: the trace is of another boot") ||
	   strstr(run_err, "address of the kernel has no name: the trace is of another boot"),
	   "addresses without a name are reported");
}

/* Names that would end a line, a stack or a page */
static void check_hostile(void)
{
	const uint64_t jit[] = { JIT + 5, 0 };
	char options[128];

	report_begin();
	known_stack(2000, KNOWN_PID, jit);
	known_end();
	known_shell("mkdir -p root/tmp && printf '%llx 10 [u8; 4]::f</script>\\033[1m\\r\"\\n' "
		    ">root/tmp/perf-%d.map", JIT, KNOWN_PID);
	snprintf(options, sizeof(options), "--symbols %s/root", known_dir);
	ok(convert(options), "hostile names");
	ok(compare("process 20;[u8: 4]::f</script>\\u001b[1m\\r\" 1", ""),
	   "are escaped where they have to be");
}

/* Each of these stacks is another one, and all come twice. */
static void check_many(void)
{
	uint64_t stack[] = { 0, 0, 0 };
	char want[64], options[128];
	unsigned int i, round;

	report_begin();
	for (round = 0; round < 2; round++)
		for (i = 0; i < MANY; i++) {
			stack[0] = JIT + i % FUNCTIONS * 16;
			stack[1] = JIT + i / FUNCTIONS * 16 + 1;
			known_stack(2000 + round * MANY + i, KNOWN_PID, stack);
		}
	known_end();
	known_shell("for i in $(seq 0 %d); do printf '%%x 10 f%%d\\n' $((0x%llx + i * 16)) $i; done "
		    ">root/tmp/perf-%d.map", FUNCTIONS - 1, JIT, KNOWN_PID);
	snprintf(options, sizeof(options), "--symbols %s/root", known_dir);
	ok(convert(options), "more stacks than are added up at once");
	snprintf(want, sizeof(want), "%u %u", MANY, 2 * MANY);
	ok(compare(want, " | awk '{ n++; sum += $NF } END { print n, sum }'"),
	   "none is lost, and those that come again are the same");
}

int main(void)
{
	known_build();
	check_same();
	check_hostile();
	check_many();
	known_remove();
	return done_testing();
}
