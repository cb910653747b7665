// SPDX-License-Identifier: MIT
/*
 * symbols_symbolize - the names that etw symbolize writes into a log file: read where the programs
 * are not, by all commands, kept by merge, and bounded by the file's buffers
 */
#include "symbols_make.h"

#define FUNCTIONS	200

/* The stacks of the file, as etw convert writes them; to be freed */
static char *folded(void)
{
	if (run("convert -q --to folded --symbols %s/root %s", known_dir, known_file))
		printf("# %s\n", run_err);
	return strdup(run_out);
}

static void make_file(void)
{
	const uint64_t deep[] = { known_address("in_add"), known_address("in_main") + 1, 0 };
	uint64_t jit[] = { 0, 0 };
	unsigned int i;

	report_begin();
	known_map(1000, known_path, known_id, sizeof(known_id));
	known_stack(2000, KNOWN_PID, deep);
	for (i = 0; i < FUNCTIONS; i++) {
		jit[0] = JIT + i * 16;
		known_stack(3000 + i, KNOWN_PID, jit);
	}
	known_end();
	known_shell("mkdir -p root/tmp && for i in $(seq 0 %d); do printf '%%x 10 f%%0100d\\n' "
		    "$((0x%llx + i * 16)) $i; done >root/tmp/perf-%d.map", FUNCTIONS - 1, JIT,
		    KNOWN_PID);
}

static void check_elsewhere(void)
{
	char *before, *after;

	make_file();
	before = folded();
	is(run("symbolize --symbols %s/root %s", known_dir, known_file), 0, "names are written");
	ok(strstr(run_err, "201 events with a stack, new names of functions for 202 addresses"),
	   "how many");
	known_shell("mv known away && rm -r root");
	after = folded();
	ok(strstr(before, "check_out;shop::Cart<int>::price;shop::Cart<int>::add 1\n") &&
	   !strcmp(before, after), "where the programs are not all stacks have the same names");
	ok(run_reported(""), "and no file is missed");
	free(before);
	free(after);
	run("dump --stack %s", known_file);
	ok(known_said(" shop::Cart<int>::add [known] (inlined)\n") && known_said(" main+0x") &&
	   !strstr(run_out, "Functions"), "etw dump prints them, and not the events with them");
	run("dump --machine %s", known_file);
	ok(known_said("Etw-Machine Functions info FileName="), "but for --machine");
	run("report -q --json %s", known_file);
	ok(known_said("\"shop::Cart\\u003cint\\u003e::check_out\""), "etw report has them, too");
}

static void check_file(void)
{
	is(run("verify %s", known_file), 0, "the file is complete");
	ok(known_said("201 events"), "with the events that it had");
	is(run("symbolize --json -q %s", known_file), 0, "once more");
	ok(known_said("\"stacks\":201,\"addresses\":0,\"left_out\":0"), "nothing is new");
	is(run("merge -q --replace -o %s/merged.etl %s", known_dir, known_file), 0, "a copy");
	run("dump --stack %s/merged.etl", known_dir);
	ok(known_said(" shop::Cart<int>::add [known] (inlined)\n"), "has the names");
	known_shell("mv away known");
}

/* What cannot be appended to stays as it is. */
static void check_refused(void)
{
	memset(&made_file.head, 0, sizeof(made_file.head));
	make_begin(&made_file, 2);	/* circular */
	make_buffer(&made_file, 0, 1);
	made_at = 1000;
	known_map(1000, known_path, known_id, sizeof(known_id));
	known_stack(2000, KNOWN_PID, (const uint64_t []){ known_address("in_main"), 0 });
	known_end();
	known_shell("cp known.etl same.etl");
	is(run("symbolize %s", known_file), 1, "a circular file");
	ok(run_reported("it is not a log file that is complete"), "is refused, which is said");
	known_shell("cmp known.etl same.etl");
	is(run("symbolize %s/none.etl", known_dir), 1, "a file that is not there");
	is(run("symbolize"), 2, "no file");
}

int main(void)
{
	known_build();
	check_elsewhere();
	check_file();
	check_refused();
	known_remove();
	return done_testing();
}
