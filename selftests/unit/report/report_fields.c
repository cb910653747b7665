// SPDX-License-Identifier: MIT
/* report_fields - which numeric fields etw report counts, where events differ in theirs */
#define _GNU_SOURCE
#include <sys/resource.h>

#include "report_make.h"
#include "report_run.h"

#define RARE	500	/* kinds of events, more than fields have room for */
#define OFTEN	5000
#define EVENTS	400000
#define MEMORY_KB	(64 * 1024)

/* fields: name, NUL and type of each */
static void put(const char *name, const char *fields, size_t fields_len, const void *data,
		uint32_t len)
{
	const struct made made = { .name = name, .fields = fields, .fields_len = fields_len,
				   .data = data, .len = len };

	report_make(&made, made_at + 1000);
}

/* Two schemas of one name */
static void test_schemas(void)
{
	const uint32_t pair[2] = { 5, 7 };
	int i;

	report_begin();
	for (i = 0; i < 100; i++) {
		put("both", "a\0" U32, 3, pair, 4);
		put("both", "b\0" U32 "a\0" U32, 6, pair, 8);
	}
	report_end();
	says(made_file.path, "sorted((f['field'], f['count'], f['sum'], f['missed']) for f in r['fields'])",
	     "[('a', 200, 1200, 0), ('b', 100, 500, 0)]", "fields of all schemas of a name");
	says(made_file.path, "[(k['name'], k['events']) for k in r['events']]", "[('both', 200)]",
	     "are those of one kind of event");
	unlink(made_file.path);
}

/* What is frequent comes when all room is taken. */
static void test_room(void)
{
	char name[16];
	uint32_t value;
	int i;

	report_begin();
	for (i = 0; i < RARE; i++) {
		snprintf(name, sizeof(name), "rare%d", i);
		value = (uint32_t)i;
		put(name, "value\0" U32, 7, &value, 4);
	}
	for (value = 1; value <= OFTEN; value++)
		put("often", "value\0" U32, 7, &value, 4);
	report_end();
	says(made_file.path, "[(f['field'], f['count'] + f['missed'], f['count'] > 4000, f['max']) "
	     "for f in r['fields'] if 'often' in f['event']]", "[('value', 5000, True, 5000)]",
	     "a frequent event's fields get room");
	says(made_file.path, "r['fields'][0]['event'], len(r['fields']) + r['fields_more'] >= 500",
	     "Maker/often True", "and are listed first; the others are counted");
	unlink(made_file.path);
}

/* One that has given its place to another gets it back by an event of another schema. */
static void test_back(void)
{
	const uint32_t pair[2] = { 1, 2 };
	char name[24];
	int i, k;

	report_begin();
	for (i = 0; i < 10; i++)
		put("early", "a\0" U32 "b\0" U32, 6, pair, 8);
	for (k = 0; k < 198; k++) {
		snprintf(name, sizeof(name), "other%d", k);
		for (i = 0; i < 20; i++)
			put(name, "value\0" U32, 7, pair, 4);
	}
	for (i = 0; i < 300; i++)
		put("often", "value\0" U32, 7, pair, 4);
	for (i = 0; i < 1000; i++)
		put("early", "a\0" I32, 3, pair, 4);
	report_end();
	says(made_file.path, "[(f['field'], f['count'], f['missed']) for f in r['fields'] "
	     "if 'early' in f['event']]", "[('a', 1000, 10)]", "what a field has missed is counted");
	unlink(made_file.path);
}

/* Sums and means of large numbers */
static void test_large(void)
{
	const uint64_t large = UINT64_MAX;
	const int64_t least = INT64_MIN;
	int i;

	report_begin();
	for (i = 0; i < 3; i++) {
		put("large", "value\0\x0A", 7, &large, 8);
		put("small", "value\0\x09", 7, &least, 8);
	}
	report_end();
	says(made_file.path, "[(f['max'], f['sum']) for f in r['fields'] if 'large' in f['event']]",
	     "[(18446744073709551615, 55340232221128654845)]", "large sums are exact");
	says(made_file.path, "[(f['min'], f['sum']) for f in r['fields'] if 'small' in f['event']]",
	     "[(-9223372036854775808, -27670116110564327424)]", "those below 0, too");
	says(made_file.path, "all(abs(m / f['mean'] - 1) < 1e-9 for f in r['fields'] for m in f['over_time'] if m)",
	     "True", "and means over time do not wrap");
	unlink(made_file.path);
}

/* Numbers of all sizes and both signs, processes, threads and operations without end */
static void test_memory(void)
{
	struct rusage usage;
	char name[16];
	unsigned int i;

	srand(1);
	report_begin();
	for (i = 0; i < EVENTS; i++) {
		const int64_t value = (int64_t)((uint64_t)rand() << 33 ^ (uint64_t)rand() << 11) >> (rand() % 63);
		const struct etw_guid activity = { .data1 = i + 1 };
		const struct made made = { .name = name, .fields = "value\0\x09", .fields_len = 7,
					   .data = &value, .len = 8, .pid = 100 + i % 9000,
					   .tid = 20000 + i, .opcode = i % 4 != 0, .activity = &activity };

		snprintf(name, sizeof(name), "kind%u", i % RARE);
		report_make(&made, made_at + (uint64_t)rand() % 10000);
	}
	report_end();
	is(run("report --replace -o /tmp/etw-report.%d.html %s; rm -f /tmp/etw-report.%d.html", getpid(),
	       made_file.path, getpid()), 0, "all there can be of everything");
	getrusage(RUSAGE_CHILDREN, &usage);
	ok(usage.ru_maxrss < MEMORY_KB, "takes %ld KB", usage.ru_maxrss);
	unlink(made_file.path);
}

/* Results of system calls are counted, although errors have names. */
static void test_results(void)
{
	struct made made = {
		.name = "sys_exit_read", .fields = "ret\0\x09", .fields_len = 5, .len = 8,
		.provider = "tracepoint:syscalls:sys_exit_read",
	};
	static const int64_t results[] = { 7, -2, 100 };
	size_t i;

	report_begin();
	for (i = 0; i < 3; i++) {
		made.data = &results[i];
		report_make(&made, made_at + 1000);
	}
	report_end();
	says(made_file.path, "[(f['field'], f['count'], f['min'], f['max'], f['sum']) for f in r['fields']]",
	     "[('ret', 3, -2, 100, 105)]", "results of system calls are numbers");
	unlink(made_file.path);
}

/* More events of one value than a narrow count holds */
static void test_wide(void)
{
	static const uint32_t counts[] = { 65534, 65535, 65536, 70000 };
	uint32_t value, i;

	report_begin();
	for (value = 0; value < 4; value++)
		for (i = 0; i < counts[value]; i++)
			put("many", "value\0" U32, 7, &value, 4);
	report_end();
	says(made_file.path, "[(f['count'], [n for _, _, n in f['histogram']]) for f in r['fields']]",
	     "[(266605, [65534, 65535, 65536, 70000])]", "counts of any size");
	unlink(made_file.path);
}

int main(void)
{
	test_memory();	/* before other children, which may be larger */
	test_schemas();
	test_results();
	test_room();
	test_back();
	test_large();
	test_wide();
	return done_testing();
}
