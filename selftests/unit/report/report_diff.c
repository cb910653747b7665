// SPDX-License-Identifier: MIT
/* report_diff - etw report --diff: two files side by side */
#define _GNU_SOURCE
#include "report_make.h"
#include "report_run.h"

#define START	1
#define STOP	2
#define MS	1000000

static char first[64], second[64];
static uint32_t serial;

static void put_pair(const char *name, uint64_t ns)
{
	const struct etw_guid activity = { .data1 = ++serial };
	const struct made start = { .name = name, .opcode = START, .activity = &activity };
	const struct made stop = { .name = name, .opcode = STOP, .activity = &activity };

	report_make(&start, made_at + MS);
	report_make(&stop, made_at + ns);
}

/* Of a second: so many events, with a value; operations of ns */
static void make_one(char *path, unsigned int events, uint32_t value, uint64_t ns, bool has_new)
{
	unsigned int i;

	report_begin();
	for (i = 0; i < events; i++) {
		const struct made made = { .name = "tick", .fields = "value\0" U32, .fields_len = 7,
					   .data = &value, .len = 4, .level = i % 10 ? 4 : 2 };

		report_make(&made, made_at + 500 * MS / events);
	}
	for (i = 0; i < 10; i++)
		put_pair("work", ns);
	if (has_new)
		put_pair("fresh", MS);
	report_end();
	strcpy(path, made_file.path);
}

static void test_json(void)
{
	is(run("report --diff --replace -o /tmp/etw-report.%d.json %s %s", getpid(), first, second), 0,
	   "two files");
	said("[(f['event'], f['a']['mean'], f['b']['mean']) for f in r['diff']['fields']]",
	     "[('Maker/tick', 10.0, 30.0)]", "means of fields");
	is(run("report --diff --replace -o /tmp/etw-report.%d.json %s %s", getpid(), first, second), 0,
	   "again");
	said("[(o['name'], o['a'] and o['a']['p50_ns'], o['b']['count']) for o in r['diff']['operations']]",
	     "[('work', 2000000, 10), ('fresh', None, 1)]", "latencies, what differs most first");
	is(run("report --diff --replace -o /tmp/etw-report.%d.json %s %s", getpid(), first, second), 0,
	   "again");
	said("[(e['key'], e['a']['events'], e['b']['events'], round(e['b']['per_second'] / "
	     "e['a']['per_second'], 1) > 1) for e in r['diff']['errors']], r['diff']['a']['errors'], "
	     "r['diff']['b']['complete'], r['totals']['events']",
	     "[('Maker/tick', 10, 40, True)] 10 True 422", "errors, totals; the report is that of the second");
}

/* Two ranges of time of one file, and of two; an event at the end of one is in both here. */
static void test_baseline(void)
{
	is(run("report --baseline 0s..100ms --since 100ms --until 400ms --replace "
	       "-o /tmp/etw-report.%d.json %s", getpid(), first), 0, "two times of one file");
	said("[sum(e[s]['events'] for e in r['diff']['events'] if e['key'] == 'Maker/tick') "
	     "for s in 'ab'], r['diff']['a']['title'].endswith(', 0s..100ms'), "
	     "r['diff']['b']['title'].endswith(', --since 100ms --until 400ms')",
	     "[20, 61] True True", "have the events of their times, and say which");
	is(run("report --baseline ..100ms --filter 'level == 2' %s %s", first, second), 0,
	   "the first of two files");
	ok(strstr(run_out, ", ..100ms\n   2 events in ") && strstr(run_out, ", all of it\n   40 events in ") &&
	   strstr(run_out, "only: --filter") && !strstr(run_out, "--since"),
	   "begins where it begins; the second is whole, and filters are for both");
	is(run("report --baseline 100ms %s", first), 2, "one time");
	ok(strstr(run_err, "--baseline: \"100ms\""), "is none");
	is(run("report --baseline .. %s", first), 2, "nor are two dots");
	is(run("report --baseline 1s..noon-ish %s", first), 2, "what is no time is refused");
	ok(strstr(run_err, "--baseline: \"noon-ish\" is not a time"), "by its name");
	is(run("report --baseline 1s..2s %s %s %s", first, second, first), 2, "three files");
}

static void test_text(void)
{
	is(run("report --diff %s %s | cut -c1-90", first, second), 0, "as text");
	ok(strstr(run_out, "A: /tmp/") && strstr(run_out, "   120 events in ") &&
	   strstr(run_out, "   422 events in "), "has both files");
	ok(strstr(run_out, "Maker/work\n  p50") && strstr(run_out, "gone") == NULL &&
	   strstr(run_out, "new\n") && strstr(run_out, "x3.0\n"), "and what changed");
	is(run("report --diff %s %s | awk '{ exit length > 80 }'", first, second), 0,
	   "no line is longer than 80 columns");
	is(run("report --diff -p %s --id 99 %s %s", "Maker", first, second), 0, "of nothing");
	is(run("report --diff --filter 'level == 2' --replace -o /tmp/etw-report.%d.json %s %s", getpid(),
	       first, second), 0, "of selected events");
	said("[e['a']['events'] for e in r['diff']['events']], r['totals']['events']", "[10] 40",
	     "of both");
	/* Both files are of a second, whichever of its events are selected. */
	is(run("report --diff --filter 'level == 2' --replace -o /tmp/etw-report.%d.json %s %s", getpid(),
	       first, second), 0, "their rates");
	said("[(e['a']['per_second'], e['b']['per_second']) for e in r['diff']['events']], "
	     "r['diff']['a']['duration_ns']", "[(10.0, 40.0)] 1000000000", "are those of the whole time");
	is(run("report --diff --filter 'level == 2' --since +0.25s --until +0.75s --replace "
	       "-o /tmp/etw-report.%d.json %s %s", getpid(), first, second), 0, "from then to then");
	said("r['diff']['b']['duration_ns'], all(e['b']['per_second'] == 2 * e['b']['events'] "
	     "for e in r['diff']['events'])", "500000000 True", "are those of this time");
}

/* One event of a value in a second; a moment has no rate. */
static void make_value(char *path, int32_t value)
{
	const struct made made = { .name = "value", .fields = "value\0" I32, .fields_len = 7,
				   .data = &value, .len = 4 };

	report_begin();
	report_make(&made, made_at + 500 * MS);
	report_end();
	strcpy(path, made_file.path);
}

static void test_values(void)
{
	char none[64], negative[64];

	make_value(none, 0);
	make_value(negative, -5);
	is(run("report --diff %s %s | tail -1 | tr -s ' '", none, negative), 0, "from 0");
	ok(run_printed("Maker/value: value 0.0 -5.0 less"), "to less");
	is(run("report --diff %s %s | tail -1 | tr -s ' '", negative, none), 0, "and back");
	ok(run_printed("Maker/value: value -5.0 0.0 +100.0%"), "to more");
	is(run("report --diff --since +0.5s --until +0.5s %s %s | grep 'Maker/value ' | tr -s ' '", none,
	       negative), 0, "in no time");
	ok(run_printed("Maker/value - - -"), "there is no rate");
	unlink(none);
	unlink(negative);
}

static void test_page(void)
{
	is(run("report --diff -o %s.html %s %s", first, first, second), 0, "a page");
	is(run("--version >/dev/null; grep -c '\"diff\":{\"a\":{' %s.html", first), 0, "has it");
	run("--version >/dev/null; rm %s.html", first);
}

static void test_usage(void)
{
	is(run("report --diff %s", first), 2, "one file is not enough");
	is(run("report --diff %s %s %s", first, second, second), 2, "three are too many");
	is(run("report --diff --json -o %s %s %s", first, first, second), 1,
	   "an input is not overwritten");
	is(run("report --diff /nonexistent/a.etl %s", second), 1, "no file");
}

int main(void)
{
	make_one(first, 100, 10, 2 * MS, false);
	make_one(second, 400, 30, 6 * MS, true);
	test_json();
	test_baseline();
	test_text();
	test_values();
	test_page();
	test_usage();
	unlink(first);
	unlink(second);
	return done_testing();
}
