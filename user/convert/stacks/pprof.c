/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - format "pprof": a profile in Protocol Buffers, compressed, as pprof takes it
 *
 * Source: profile.proto of github.com/google/pprof. A function is a location of its own, without an
 * address; the process is a label of the sample. Parts may stand in any order, so each string,
 * function and mapping is written when it is first needed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "convert/proto.h"
#include "gzip.h"
#include "sums.h"

#define TEXTS_MAX	65536	/* files and names of processes that are kept */

/* Fields of Profile, ValueType, Sample, Label, Mapping, Location, Line and Function */
enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
       PROFILE_FUNCTION, PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION };
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME };

/* The first strings */
enum { STRING_EMPTY, STRING_EVENTS, STRING_COUNT, STRING_PROCESS, STRINGS };

struct pprof {
	struct stack_sums *sums;
	struct gzip *gzip;
	struct etw_text out, scratch;
	uint64_t strings;		/* that were written */
	struct etw_interner texts, mappings;
	uint64_t *text_strings;		/* the number of each text's string */
	bool *has;			/* functions that were written */
};

static uint64_t put_string(struct pprof *p, const char *s, size_t len)
{
	proto_string(&p->out, PROFILE_STRING, s, len);
	return p->strings++;
}

/* The number of a text that may come often; 0, which is empty: there is no room. */
static uint64_t text_string(struct pprof *p, const char *text)
{
	bool is_new;
	uint32_t number = etw_intern(&p->texts, text, strlen(text), &is_new);

	if (is_new)
		p->text_strings[number - 1] = put_string(p, text, strlen(text));
	return number ? p->text_strings[number - 1] : STRING_EMPTY;
}

/* 0: it has none. */
static uint64_t mapping_of(struct pprof *p, const char *image)
{
	uint32_t number;
	uint64_t file;
	bool is_new;
	size_t begun;

	if (!image)
		return 0;
	number = etw_intern(&p->mappings, image, strlen(image), &is_new);
	if (!is_new)
		return number;
	file = text_string(p, image);
	begun = proto_begin(&p->out, PROFILE_MAPPING);
	proto_uint(&p->out, MAPPING_ID, number);
	proto_uint(&p->out, MAPPING_FILE, file);
	proto_uint(&p->out, MAPPING_HAS_FUNCTIONS, 1);
	proto_end(&p->out, begun);
	return number;
}

/* The number of a function's location, which is that of the function, too */
static uint64_t location_of(struct pprof *p, uint32_t number)
{
	const struct frame_name *name = frame_names_get(stack_sums_names(p->sums), number);
	const uint64_t id = (uint64_t)number + 1;
	uint64_t string, mapping;
	size_t begun, line;

	if (p->has[number])
		return id;
	p->has[number] = true;
	etw_text_cut(&p->scratch, 0);
	frame_names_title(name, &p->scratch);
	string = put_string(p, p->scratch.error ? "" : p->scratch.data, p->scratch.len);
	mapping = mapping_of(p, name->image);
	begun = proto_begin(&p->out, PROFILE_FUNCTION);
	proto_uint(&p->out, FUNCTION_ID, id);
	proto_uint(&p->out, FUNCTION_NAME, string);
	proto_end(&p->out, begun);
	begun = proto_begin(&p->out, PROFILE_LOCATION);
	proto_uint(&p->out, LOCATION_ID, id);
	if (mapping)
		proto_uint(&p->out, LOCATION_MAPPING, mapping);
	line = proto_begin(&p->out, LOCATION_LINE);
	proto_uint(&p->out, LINE_FUNCTION, id);
	proto_end(&p->out, line);
	proto_end(&p->out, begun);
	return id;
}

static int pprof_write(struct convert *c, const struct stack_sum *sum)
{
	struct pprof *p = c->state;
	const uint64_t process = text_string(p, sum->process);
	size_t begun, inner;
	unsigned int i;

	for (i = 0; i < sum->count; i++)
		location_of(p, sum->frames[i]);
	begun = proto_begin(&p->out, PROFILE_SAMPLE);
	for (i = 0; i < sum->count; i++)
		proto_uint(&p->out, SAMPLE_LOCATION, (uint64_t)sum->frames[i] + 1);
	proto_uint(&p->out, SAMPLE_VALUE, sum->events);
	inner = proto_begin(&p->out, SAMPLE_LABEL);
	proto_uint(&p->out, LABEL_KEY, STRING_PROCESS);
	proto_uint(&p->out, LABEL_STRING, process);
	proto_end(&p->out, inner);
	proto_end(&p->out, begun);
	return gzip_flush(p->gzip, c, &p->out, CONVERT_BLOCK, false);
}

static int pprof_open(struct convert *c)
{
	static const char *const first[STRINGS] = { "", "events", "count", "process" };
	struct pprof *p = c->state;
	size_t begun, i;

	p->texts.max = p->mappings.max = TEXTS_MAX;
	p->sums = stack_sums_new(c, pprof_write);
	p->gzip = gzip_new();
	p->text_strings = calloc(TEXTS_MAX, sizeof(*p->text_strings));
	p->has = calloc(FRAME_NAMES_MAX, sizeof(*p->has));
	if (!p->sums || !p->gzip || !p->text_strings || !p->has)
		return convert_no_memory(c);
	for (i = 0; i < STRINGS; i++)
		put_string(p, first[i], strlen(first[i]));
	begun = proto_begin(&p->out, PROFILE_SAMPLE_TYPE);
	proto_uint(&p->out, VALUE_TYPE, STRING_EVENTS);
	proto_uint(&p->out, VALUE_UNIT, STRING_COUNT);
	proto_end(&p->out, begun);
	return 0;
}

static int pprof_event(struct convert *c, const struct convert_event *e)
{
	struct pprof *p = c->state;

	return stack_sums_event(p->sums, e);
}

static int finish(struct convert *c)
{
	struct pprof *p = c->state;
	int err = stack_sums_end(p->sums);

	proto_int(&p->out, PROFILE_TIME, stack_sums_first(p->sums));
	proto_int(&p->out, PROFILE_DURATION, stack_sums_last(p->sums) - stack_sums_first(p->sums));
	return err ? err : gzip_flush(p->gzip, c, &p->out, 0, true);
}

static int pprof_close(struct convert *c, bool ok)
{
	struct pprof *p = c->state;
	int err = ok ? finish(c) : 0;

	stack_sums_free(p->sums);
	gzip_free(p->gzip);
	etw_interner_clear(&p->texts);
	etw_interner_clear(&p->mappings);
	free(p->text_strings);
	free(p->has);
	etw_text_free(&p->out);
	etw_text_free(&p->scratch);
	return err;
}

const struct convert_format convert_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "a profile of stacks: go tool pprof",
	.binary = true,
	.stacks = true,
	.size = sizeof(struct pprof),
	.open = pprof_open,
	.event = pprof_event,
	.close = pprof_close,
};
