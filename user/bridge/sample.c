/* SPDX-License-Identifier: MIT */
/*
 * sample.c - perf's counters as providers of samples
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <etw/tracelogging/base.h>
#include "sample.h"

#define PROFILE	"profile:"
#define PMU	"pmu:"
#define MILLION	1000000

static const struct counter {
	const char *name;
	uint32_t type;
	uint64_t config, period;	/* the usual one */
} counters[] = {
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, 1 },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 10000 },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, MILLION },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, MILLION },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 10000 },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 100000 },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1 },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1 },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, MILLION },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, 1 },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, MILLION },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1 },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, 1 },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1 },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, MILLION },
};

bool sample_named(const char *text)
{
	return !strncmp(text, PROFILE, strlen(PROFILE)) || !strncmp(text, PMU, strlen(PMU));
}

const char *sample_name_end(const char *text)
{
	const char *at = strchr(text, ':') + 1, *digits;

	at += strcspn(at, ":");
	digits = *at ? at + 1 : at;
	if (!strncmp(text, PMU, strlen(PMU)) && *at && *digits >= '0' && *digits <= '9')
		at = digits + strcspn(digits, ":");
	return at;
}

const char *sample_counter(size_t i)
{
	return i < sizeof(counters) / sizeof(*counters) ? counters[i].name : NULL;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *number && *number <= max;
}

static int parse_counter(const char *text, char name[SAMPLE_NAME], struct trace_schema *s)
{
	size_t len = strcspn(text, ":"), i = 0;

	while (sample_counter(i) && (strncmp(counters[i].name, text, len) || counters[i].name[len]))
		i++;
	if (!sample_counter(i))
		return -ENOENT;
	s->counter = counters[i].type;
	s->config = counters[i].config;
	s->period = counters[i].period;
	if (text[len] && !parse_number(text + len + 1, INT64_MAX, &s->period))
		return -EINVAL;
	snprintf(name, SAMPLE_NAME, PMU "%s:%" PRIu64, counters[i].name, s->period);
	return 0;
}

static int parse_frequency(const char *text, char name[SAMPLE_NAME], struct trace_schema *s)
{
	if (!parse_number(text, ETW_TRACE_FREQUENCY_MAX, &s->period))
		return -EINVAL;
	s->flags |= ETW_TRACE_FREQUENCY;
	s->counter = PERF_TYPE_SOFTWARE;
	s->config = PERF_COUNT_SW_CPU_CLOCK;
	snprintf(name, SAMPLE_NAME, PROFILE "%" PRIu64, s->period);
	return 0;
}

/* What the module would find only when a session enables it */
static int try_counter(const struct trace_schema *s)
{
	struct perf_event_attr attr = { .type = s->counter, .size = sizeof(attr),
					.config = s->config, .sample_period = s->period,
					.freq = !!(s->flags & ETW_TRACE_FREQUENCY), .disabled = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	int err = errno;

	if (fd < 0)
		return err == EOPNOTSUPP || err == ENODEV ? -ENOENT : err == EPERM ? -EACCES : -err;
	close((int)fd);
	return 0;
}

static void describe(struct trace_schema *s)
{
	static const unsigned char fields[] =
		"\0\0\0sample\0"
		"address\0\x8a\x04" "counted\0\x0a" "in_kernel\0\x84\x03";

	_Static_assert(TlgInUINT64 == 10 && TlgInUINT8 == 4 && TlgInChain == 128 &&
		       TlgOutHEX == 4 && TlgOutBOOLEAN == 3, "the bytes above");
	s->metadata_len = sizeof(fields) - 1;
	memcpy(s->metadata, fields, s->metadata_len);
	s->metadata[0] = (unsigned char)s->metadata_len;
	strcpy(s->fields, "id=0: u64 address, u64 counted, u8 in_kernel");
	s->pieces[0] = (struct etw_trace_piece){ .size = 16, .kind = ETW_TRACE_COPY };
	s->pieces[1] = (struct etw_trace_piece){
		.offset = offsetof(struct etw_trace_sample, in_kernel), .size = 1,
		.kind = ETW_TRACE_COPY };
	s->piece_count = 2;
}

int sample_read(const char *text, char name[SAMPLE_NAME], struct trace_schema *schema)
{
	int err;

	memset(schema, 0, sizeof(*schema));
	schema->flags = ETW_TRACE_SAMPLE;
	err = strncmp(text, PMU, strlen(PMU)) ?
	      parse_frequency(text + strlen(PROFILE), name, schema) :
	      parse_counter(text + strlen(PMU), name, schema);
	if (err)
		return err;
	describe(schema);
	return try_counter(schema);
}
