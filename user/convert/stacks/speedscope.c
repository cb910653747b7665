/* SPDX-License-Identifier: MIT */
/*
 * speedscope.c - format "speedscope": the JSON of speedscope.app
 *
 * Source: speedscope's file-format-schema.json. Each round of sums is a profile of its own, so that
 * no list has to be kept to the end; the functions, which all share, come last.
 */
#include <string.h>

#include "base/json_writer.h"
#include "base/table.h"
#include "sums.h"

#define PROCESSES_MAX	65536	/* names of processes that are told apart */

struct speedscope {
	struct stack_sums *sums;
	struct etw_text out, weights, title;
	struct etw_interner processes;
	struct etw_text process_names;	/* each with its NUL, in order */
	uint64_t round, events;		/* of the profile that is open */
	bool open;
};

/* The writer of JSON looks at the last character for whether a comma comes next: it stays. */
static int flush(struct convert *c, struct etw_text *text)
{
	char last;
	int err;

	if (text->error || text->len < CONVERT_BLOCK)
		return convert_flush(c, text, CONVERT_BLOCK);
	last = text->data[text->len - 1];
	etw_text_cut(text, text->len - 1);
	err = convert_flush(c, text, 0);
	etw_text_char(text, last);
	return err;
}

static void begin_profile(struct speedscope *s)
{
	struct etw_text *to = &s->out;

	json_writer_open(to, NULL, '{');
	json_writer_word(to, "type", "sampled");
	json_writer_key(to, "name");
	etw_text_printf(to, "\"stacks of events %llu\"", (unsigned long long)s->round + 1);
	json_writer_word(to, "unit", "none");
	json_writer_unsigned(to, "startValue", 0);
	json_writer_open(to, "samples", '[');
	s->open = true;
	s->events = 0;
}

static void end_profile(struct speedscope *s)
{
	struct etw_text *to = &s->out;

	if (!s->open)
		return;
	json_writer_close(to, ']');
	json_writer_open(to, "weights", '[');
	etw_text_add(to, s->weights.len ? s->weights.data : "", s->weights.len);
	json_writer_close(to, ']');
	json_writer_unsigned(to, "endValue", s->events);
	json_writer_close(to, '}');
	etw_text_cut(&s->weights, 0);
	s->open = false;
}

/* Processes are frames, too: their numbers are odd, and those of functions even. */
static uint64_t process_frame(struct speedscope *s, const char *name)
{
	const size_t len = strlen(name) + 1;
	bool is_new;
	uint32_t number;

	s->processes.max = PROCESSES_MAX;
	number = etw_intern(&s->processes, name, len, &is_new);
	if (is_new)
		etw_text_add(&s->process_names, name, len);
	return number;
}

static int speedscope_write(struct convert *c, const struct stack_sum *sum)
{
	struct speedscope *s = c->state;
	unsigned int i;

	if (s->open && s->round != stack_sums_rounds(s->sums))
		end_profile(s);
	s->round = stack_sums_rounds(s->sums);
	if (!s->open)
		begin_profile(s);
	json_writer_open(&s->out, NULL, '[');
	etw_text_unsigned(&s->out, 2 * process_frame(s, sum->process), 1);
	for (i = sum->count; i; i--) {
		etw_text_char(&s->out, ',');
		etw_text_unsigned(&s->out, 2 * (uint64_t)sum->frames[i - 1] + 1, 1);
	}
	json_writer_close(&s->out, ']');
	if (s->weights.len)
		etw_text_char(&s->weights, ',');
	etw_text_unsigned(&s->weights, sum->events, 1);
	s->events += sum->events;
	if (s->weights.error || s->process_names.error)
		return convert_no_memory(c);
	return flush(c, &s->out);
}

static int speedscope_open(struct convert *c)
{
	struct speedscope *s = c->state;
	struct etw_text *to = &s->out;

	s->sums = stack_sums_new(c, speedscope_write);
	json_writer_open(to, NULL, '{');
	json_writer_word(to, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_writer_word(to, "exporter", "etw");
	json_writer_unsigned(to, "activeProfileIndex", 0);
	json_writer_open(to, "profiles", '[');
	return s->sums ? 0 : convert_no_memory(c);
}

static int speedscope_event(struct convert *c, const struct convert_event *e)
{
	struct speedscope *s = c->state;

	return stack_sums_event(s->sums, e);
}

static void put_frame(struct speedscope *s, const char *name, size_t len, const char *image)
{
	json_writer_open(&s->out, NULL, '{');
	json_writer_string(&s->out, "name", name, len);
	if (image)
		json_writer_word(&s->out, "file", image);
	json_writer_close(&s->out, '}');
}

/* A frame for each number, those of processes and functions in turn */
static int put_frames(struct convert *c)
{
	struct speedscope *s = c->state;
	const struct frame_names *names = stack_sums_names(s->sums);
	const uint32_t count = frame_names_count(names);
	const char *process = s->process_names.data, *end = process + s->process_names.len;
	const struct frame_name *name;
	uint32_t i;
	int err = 0;

	for (i = 0; (i < count || process < end) && !err; i++) {
		/* The first process has number 1; 0 is for those that there was no room for. */
		if (i && process < end) {
			put_frame(s, process, strlen(process), NULL);
			process += strlen(process) + 1;
		} else {
			put_frame(s, "[other]", strlen("[other]"), NULL);
		}
		name = frame_names_get(names, i < count ? i : 0);
		etw_text_cut(&s->title, 0);
		frame_names_title(name, &s->title);
		if (s->title.error)
			return convert_no_memory(c);
		put_frame(s, s->title.data, s->title.len, name->image);
		err = flush(c, &s->out);
	}
	return err;
}

static int finish(struct convert *c)
{
	struct speedscope *s = c->state;
	int err = stack_sums_end(s->sums);

	/* A profile has to be there. */
	if (!err && !s->open)
		begin_profile(s);
	end_profile(s);
	json_writer_close(&s->out, ']');
	json_writer_open(&s->out, "shared", '{');
	json_writer_open(&s->out, "frames", '[');
	if (!err)
		err = put_frames(c);
	json_writer_close(&s->out, ']');
	json_writer_close(&s->out, '}');
	json_writer_close(&s->out, '}');
	etw_text_char(&s->out, '\n');
	return err ? err : convert_flush(c, &s->out, 0);
}

static int speedscope_close(struct convert *c, bool ok)
{
	struct speedscope *s = c->state;
	int err = ok ? finish(c) : 0;

	stack_sums_free(s->sums);
	etw_interner_clear(&s->processes);
	etw_text_free(&s->out);
	etw_text_free(&s->weights);
	etw_text_free(&s->title);
	etw_text_free(&s->process_names);
	return err;
}

const struct convert_format convert_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "speedscope's JSON: speedscope.app",
	.stacks = true,
	.size = sizeof(struct speedscope),
	.open = speedscope_open,
	.event = speedscope_event,
	.close = speedscope_close,
};
