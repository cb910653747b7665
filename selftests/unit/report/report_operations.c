// SPDX-License-Identifier: MIT
/* report_operations - which operations etw report lists, in which order, and which failed */
#define _GNU_SOURCE
#include "report_make.h"
#include "report_run.h"

#define START	1
#define STOP	2
#define MS	1000000

static uint32_t serial;

/* An operation of ns whose stop has one field */
static void put_pair(const char *name, uint64_t ns, const char *field, const char *type, int32_t value)
{
	const struct etw_guid activity = { .data1 = ++serial };
	char fields[32];
	const struct made start = { .name = name, .opcode = START, .activity = &activity };
	struct made stop = { .name = name, .opcode = STOP, .activity = &activity, .data = &value,
			     .len = 4, .fields = fields, .fields_len = strlen(field) + 2 };

	memcpy(fields, field, strlen(field) + 1);
	fields[strlen(field) + 1] = *type;
	report_make(&start, made_at + MS);
	report_make(&stop, made_at + ns);
}

/* A status of 200 is no failure; a negative one is. */
static void test_failed(void)
{
	report_begin();
	put_pair("web", MS, "status", U32, 200);
	put_pair("io", MS, "status", I32, -5);
	put_pair("io", MS, "status", I32, 4096);
	put_pair("call", MS, "error", U32, 2);
	put_pair("com", MS, "hresult", U32, 1);
	put_pair("com", MS, "hresult", I32, (int32_t)0x80004005);
	report_end();
	says(made_file.path, "sorted((o['name'], o['failed']) for o in r['operations'])",
	     "[('call', 1), ('com', 1), ('io', 1), ('web', None)]", "what means failure");
	unlink(made_file.path);
}

/* Stops of one name whose fields differ: whichever comes first */
static void test_failed_sometimes(void)
{
	unsigned int i;

	report_begin();
	for (i = 0; i < 3; i++) {
		put_pair("late", MS, "n", U32, 1);
		put_pair("late", MS, "status", I32, -5);
		put_pair("early", MS, "status", I32, -5);
		put_pair("early", MS, "n", U32, 1);
	}
	report_end();
	says(made_file.path, "sorted((o['name'], o['failed']) for o in r['operations'])",
	     "[('early', 3), ('late', 3)]", "only some of them say what failed");
	unlink(made_file.path);
}

/* Stops of one name whose status is at different places */
static void test_failed_places(void)
{
	static const char first[] = "status\0" I32 "n\0" U32, last[] = "n\0" U32 "status\0" I32;
	const int32_t failed[] = { -5, 1 }, fine[] = { 1, -5 };
	unsigned int i;

	report_begin();
	for (i = 0; i < 12; i++) {
		const struct made start = { .name = "io", .opcode = START };
		const struct made stop = {
			.name = "io", .opcode = STOP, .fields = i / 2 % 2 ? last : first,
			.fields_len = sizeof(first) - 1, .data = i % 2 ? failed : fine, .len = 8,
		};

		report_make(&start, made_at + MS);
		report_make(&stop, made_at + MS);
	}
	report_end();
	says(made_file.path, "[o['failed'] for o in r['operations']]", "[6]",
	     "the status is read where each schema has it");
	unlink(made_file.path);
}

/* By the sum of their times, not by their number */
static void test_order(void)
{
	unsigned int i;

	report_begin();
	for (i = 0; i < 50; i++)
		put_pair("often", 1000, "n", U32, 1);
	put_pair("long", 40 * MS, "n", U32, 1);
	report_end();
	says(made_file.path, "[(o['name'], o['count'], o['sum_ns'], o['mean_ns']) for o in r['operations']]",
	     "[('long', 1, 40000000, 40000000.0), ('often', 50, 50000, 1000.0)]",
	     "the longest in all comes first");
	unlink(made_file.path);
}

/* A stop with another name than its start's is no operation of its own. */
static void test_names(void)
{
	const struct etw_guid activity = { .data1 = ++serial };
	const struct made start = { .name = "Begin", .opcode = START, .activity = &activity };
	const struct made stop = { .name = "End", .opcode = STOP, .activity = &activity };
	const struct made alone = { .name = "Alone", .opcode = STOP, .pid = 77, .tid = 78 };

	report_begin();
	report_make(&start, made_at + MS);
	report_make(&stop, made_at + MS);
	report_make(&alone, made_at + MS);
	report_end();
	says(made_file.path, "[(o['name'], o['count'], o['unpaired_stops']) for o in r['operations']], "
	     "r['operations_other']['count']", "[('Begin', 1, 0), ('Alone', 0, 1)] 0",
	     "a stop of another name is none of its own, unless it is alone");
	is(run("report %s", made_file.path), 0, "as text");
	ok(strstr(run_out, "Begin: 1") && !strstr(run_out, "End: 0"), "the same");
	ok(strstr(run_err, "1 operation ended that had not begun") != NULL, "what is alone is reported");
	unlink(made_file.path);
}

/* What the thread did around its slowest operations, and nothing of others */
static void test_context(void)
{
	const struct made before = { .name = "before" }, inside = { .name = "inside" };
	const struct made after = { .name = "after" }, other = { .name = "other", .tid = 99 };
	const struct made start = { .name = "Work", .opcode = START };
	const struct made stop = { .name = "Work", .opcode = STOP };
	unsigned int i;

	report_begin();
	report_make(&before, made_at + MS);
	for (i = 0; i < 6; i++)
		report_make(&before, made_at + 1000 * MS + MS * i);
	report_make(&other, made_at + 1);
	report_make(&start, made_at + MS);
	for (i = 0; i < 10; i++)
		report_make(&inside, made_at + MS);
	report_make(&other, made_at + 1);
	report_make(&stop, made_at + MS);
	for (i = 0; i < 6; i++)
		report_make(&after, made_at + 40 * MS);
	report_end();
	says(made_file.path, "[w['event'][6:] for w in r['operations'][0]['slowest'][0]['context']]",
	     "['before', 'Work/Start', 'inside', 'inside', 'inside', 'inside', 'Work/Stop', 'after', 'after']",
	     "the context of an operation");
	says(made_file.path, "r['operations'][0]['slowest'][0]['skipped'], "
	     "r['operations'][0]['slowest'][0]['skipped_at']", "6 5", "says what it leaves out");
	says(made_file.path, "[(s['start_ns'], s['start_ns'] + s['duration_ns']) == "
	     "tuple(w['t_ns'] for w in s['context'] if 'Work' in w['event']) for s in r['operations'][0]['slowest']]",
	     "[True]", "and begins and ends with its events");
	unlink(made_file.path);
}

/* So many events of another thread, which fill buffers */
static void put_others(unsigned int count)
{
	const struct made other = { .name = "other", .tid = 99 };

	while (count--)
		report_make(&other, made_at + 100000);
}

/* Buffers say that they were delivered before their events. */
static void deliver_early(const char *path)
{
	const int64_t early = 1000;
	FILE *file = fopen(path, "r+");
	long at;

	fseek(file, 0, SEEK_END);
	for (at = ftell(file) - MAKE_SIZE; at > 0; at -= MAKE_SIZE) {
		fseek(file, at + (long)offsetof(struct etw_buffer_header, timestamp), SEEK_SET);
		fwrite(&early, sizeof(early), 1, file);
	}
	fclose(file);
}

/* Buffers without any of the events are left out, but not if it is not known which these are. */
static void test_context_far(bool early)
{
	const struct made before = { .name = "before" }, inside = { .name = "inside" };
	const struct made after = { .name = "after" };
	const struct made start = { .name = "Work", .opcode = START };
	const struct made stop = { .name = "Work", .opcode = STOP };
	unsigned int i, j;

	report_begin();
	for (j = 0; j < 3; j++) {
		put_others(300);
		for (i = 0; i < 6; i++) {
			report_make(&before, made_at + 3 * MS * i);
			put_others(60);
		}
		report_make(&start, made_at + MS);
		for (i = 0; i < 10; i++) {
			report_make(&inside, made_at + MS * j);
			put_others(60);
		}
		report_make(&stop, made_at + MS);
		for (i = 0; i < 6; i++) {
			put_others(60);
			report_make(&after, made_at + MS);
		}
		put_others(2000);
	}
	report_end();
	if (early)
		deliver_early(made_file.path);
	says(made_file.path, "[(s['duration_ns'] // 1000000, s['skipped'], s['skipped_at'], "
	     "''.join(w['event'][6] for w in s['context'])) for s in r['operations'][0]['slowest']]",
	     "[(81, 6, 8, 'bbbbWiiiiWaaaa'), (71, 6, 8, 'bbbbWiiiiWaaaa'), (61, 6, 8, 'bbbbWiiiiWaaaa')]",
	     early ? "the context if buffers lie about their time" : "contexts far from each other");
	unlink(made_file.path);
}

int main(void)
{
	test_failed();
	test_failed_sometimes();
	test_failed_places();
	test_order();
	test_names();
	test_context();
	test_context_far(false);
	test_context_far(true);
	return done_testing();
}
