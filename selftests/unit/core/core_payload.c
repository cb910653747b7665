// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_payload.c - payload programs: refused programs, running programs, and no read out
 * of bounds with any program or payload
 */
#include <stdlib.h>

#include "core/payload.h"
#include "lib/tap.h"
#include "core_payload.h"

static void test_bad_steps(void)
{
	struct program p = right();

	is(load(&p), 0, "a program that is right");
	REFUSED("no such step", p.steps[1].kind = 10);
	REFUSED("step 0", p.steps[1].kind = 0);
	REFUSED("unknown flag of a step", p.steps[0].flags = 8);
	REFUSED("reserved of a step", p.steps[0].reserved = 1);
	REFUSED("a string has no length", p.steps[1].length = 1);
	REFUSED("a string has no units", p.steps[1].flags = ETW_PAYLOAD_UNITS);
	REFUSED("a register that is not filled", p.steps[3].count = 1);
	REFUSED("a register that does not exist", p.steps[3].count = 16);
	REFUSED("a register that is filled later",
		p.steps[0].flags = ETW_PAYLOAD_LENGTH_FIELD; p.steps[0].length = 0);
	REFUSED("to save an array", p.steps[2].count = 2);
	REFUSED("to save three bytes", p.steps[2].length = 3);
	REFUSED("to save in a register that does not exist", p.steps[2].save = 17);
	REFUSED("the rest twice", p.steps[3] = ((struct etw_payload_step){
		.kind = ETW_PAYLOAD_REST, .count = 2 }));
	REFUSED("no steps", p.event.steps = 0);
}

static void test_bad_tests(void)
{
	REFUSED("a test of no step", p.tests[1].step = 4);
	REFUSED("tests in no order", p.tests[0].step = 2);
	REFUSED("no such operator", p.tests[0].op = 9);
	REFUSED("an operator of texts", p.tests[0].op = ETW_PAYLOAD_IS);
	REFUSED("an operator of numbers", p.tests[1].op = ETW_PAYLOAD_EQ);
	REFUSED("no such type", p.tests[0].type = 5);
	REFUSED("a number of three bytes", p.steps[0].length = 3);
	REFUSED("a test of an array", p.steps[0].count = 2);
	REFUSED("a wide text in a narrow string", p.tests[1].type = ETW_PAYLOAD_TEXT16;
		p.tests[1].length = 1; p.texts[1] = "a");
	REFUSED("a GUID of 4 bytes", p.tests[0].type = ETW_PAYLOAD_GUID;
		p.tests[0].op = ETW_PAYLOAD_IS);
	REFUSED("a second value", p.tests[0].value[1] = 1);
	REFUSED("from high to low", p.tests[0].op = ETW_PAYLOAD_BETWEEN);
	REFUSED("divided by 0", p.tests[0].op = ETW_PAYLOAD_MODULO; p.tests[0].value[0] = 0);
	REFUSED("a number with a length", p.tests[0].length = 1);
	REFUSED("a search for nothing", p.tests[1].length = 0);
	REFUSED("a text with a NUL", p.texts[1] = "L\0g");
	REFUSED("a text too long", p.tests[1].length = 256; p.texts[1] = NULL);
	REFUSED("a group that does not exist", p.tests[1].group = 1);
	REFUSED("group 8", p.tests[1].group = 8);
	REFUSED("a group without tests", p.event.any = 2);
	REFUSED("a group of both sorts", p.event.any = 1);
	REFUSED("an OR of no group", p.event.ors = 2);
	REFUSED("no tests", p.event.tests = 0);
	REFUSED("reserved of an event", p.event.reserved = 1);
}

/* B74: the maximum number of tests. */
static void test_too_many(void)
{
	struct program p = right();
	u32 i;

	for (i = 1; i < 18; i++)
		p.tests[i] = p.tests[0];
	p.event.tests = 8;
	is(load(&p), 0, "eight tests");
	p.event.tests = 9;
	is(load(&p), -EINVAL, "nine tests of a group");
	for (i = 8; i < 18; i++)
		p.tests[i].group = i / 8;
	p.event.all = 3;
	p.event.tests = 16;
	is(load(&p), 0, "sixteen tests of two groups");
	p.event.all = 7;
	p.event.tests = 17;
	is(load(&p), -EINVAL, "seventeen tests");
}

/* B44: a program contains its length, which must be right. */
static void test_cut(void)
{
	struct program p = right();
	u32 i, len, wrong = 0;
	u8 *bytes = bytes_of(&p, &len);

	for (i = 0; i < len; i++) {
		u8 *cut = malloc(i ? i : 1);

		memcpy(cut, bytes, i);
		wrong += etw_payload_load(cut, i) != -EINVAL;
		if (i >= 4) {
			memcpy(cut, &i, 4);	/* its header has the shorter length */
			wrong += etw_payload_load(cut, i) != -EINVAL;
		}
		free(cut);
	}
	is(wrong, 0, "whatever is cut off is missed");
	free(bytes);
}

/* ------------------------------------------------------------------------ run */

static bool run(const u8 *program, const void *payload, u32 len)
{
	const struct etw_event_descriptor desc = { .id = 7 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)payload, .size = len };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = ETW_TYPE_EVENT64 };

	etw_record_measure(&source);
	return etw_payload_pass(program, &source, false);
}

static void test_run(void)
{
	struct program p = right();
	struct etw_event_descriptor desc = { .id = 7 };
	struct etw_record_source source = { .desc = &desc, .type = ETW_TYPE_EVENT64 };
	u32 len;
	u8 *program = bytes_of(&p, &len);

	is(etw_payload_load(program, len), 0, "loaded");
	ok(run(program, "\0\x10\0\0my LOG file\0\1ab", 19), "both hold, case aside");
	ok(!run(program, "\xff\x0f\0\0my log file", 16), "the number is too small");
	ok(!run(program, "\0\x10\0\0my file\0", 13), "the text is not in it");
	ok(run(program, "\0\x10\0\0LOLOG", 9), "no NUL at the end of the payload");
	ok(!run(program, "\0\x10\0", 3) && !run(program, "\0\x10\0\0", 4) && !run(program, "", 0),
	   "a payload that is too short");
	source.count = 0;
	etw_record_measure(&source);
	ok(!etw_payload_pass(program, &source, false), "no payload");
	desc.id = 8;
	/* B69: the program does not decide about other events. */
	ok(etw_payload_pass(program, &source, false), "another event");
	desc.id = 7;
	desc.version = 1;
	ok(etw_payload_pass(program, &source, false), "another version");
	free(program);
}

/* B81: pieces that are not part of the payload are not read, wherever they are. */
static void test_typed(void)
{
	static const char part[] = "\0\x10\0\0my LOG", rest[] = " file", not[] = "\1\0";
	struct program p = right();
	struct etw_event_descriptor desc = { .id = 7 };
	struct etw_data_descriptor pieces[] = {
		{ .ptr = (uintptr_t)not, .size = 3, .reserved = ETW_DATA_EVENT_METADATA },
		{ .ptr = (uintptr_t)part, .size = 10 },
		{ .ptr = (uintptr_t)not, .size = 3, .reserved = ETW_DATA_PROVIDER_METADATA },
		{ .ptr = (uintptr_t)rest, .size = 6 },
	};
	struct etw_record_extra extra = { .typed = true };
	struct etw_record_items items = { .extra = &extra };
	struct etw_record_source source = { .desc = &desc, .data = pieces, .count = 4,
					    .type = ETW_TYPE_EVENT64 };
	u32 len;
	u8 *program = bytes_of(&p, &len);

	is(etw_payload_load(program, len), 0, "loaded");
	is(etw_record_measure_items(&source, &items), 0, "measured");
	ok(etw_payload_pass(program, &source, true), "the payload passes, in its two pieces");
	pieces[1].size = 9;
	etw_record_measure_items(&source, &items);
	ok(!etw_payload_pass(program, &source, true), "a text that is not in it");
	pieces[1].size = 10;
	source.count = 3;
	pieces[2].ptr = 0;	/* is not read */
	etw_record_measure_items(&source, &items);
	ok(etw_payload_pass(program, &source, true), "a type without data");
	etw_record_measure(&source);
	pieces[2].ptr = (uintptr_t)not;
	ok(!etw_payload_pass(program, &source, false), "without types all is payload");
	free(program);
}

/* Search for "xy" in len bytes, as one piece and as two: do both give the result of op? */
static bool search(const u8 *payload, u32 len, u32 type, u32 op, bool *same)
{
	static const u16 wide[] = { 'x', 'y' };
	struct program p = {
		.event = { .steps = 1, .tests = 1, .all = 1 },
		.steps = { { .kind = ETW_PAYLOAD_REST, .count = 1 } },
		.tests = { { .op = op, .type = type, .length = 2 } },
		.texts = { type == ETW_PAYLOAD_TEXT16 ? (const void *)wide : "xy" },
	};
	const struct etw_event_descriptor desc = { .id = 7 };
	struct etw_data_descriptor pieces[] = {
		{ .ptr = (uintptr_t)payload, .size = 4093 },
		{ .ptr = (uintptr_t)(payload + 4093), .size = len - 4093 } };
	struct etw_record_source source = { .desc = &desc, .data = pieces, .count = 2,
					    .type = ETW_TYPE_EVENT64 };
	u32 size;
	u8 *program = bytes_of(&p, &size);
	bool pass;

	*same = !etw_payload_load(program, size);
	pass = *same && run(program, payload, len);
	etw_record_measure(&source);
	*same = *same && etw_payload_pass(program, &source, false) == pass;
	free(program);
	return pass;
}

/* B71: a long text is not searched to its end; an undecided test then holds. */
static void test_long_text(void)
{
	static const struct {
		u32 len, text, nul;	/* offset; 0: not present */
		bool contains, lacks;
		const char *what;
	} cases[] = {
		{ 4096, 0, 0, false, true, "as long as is searched" },
		{ 4096, 4092, 0, true, false, "found at its end" },
		{ 60000, 0, 0, true, true, "longer" },
		{ 60000, 4092, 0, true, false, "found in what is searched" },
		{ 60000, 4096, 0, true, true, "behind what is searched" },
		{ 60000, 59996, 0, true, true, "far behind" },
		{ 60000, 4096, 4092, false, true, "it ends before that" },
		{ 60000, 0, 4096, true, true, "it ends behind what is searched" },
	};
	static u8 bytes[60000];
	u32 i, wide, contains, lacks;
	bool same[2];

	for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		wide = i & 1;
		memset(bytes, 'x', sizeof(bytes));
		if (cases[i / 2].text)
			memcpy(bytes + cases[i / 2].text, wide ? "x\0y" : "xxy", wide ? 4 : 3);
		if (cases[i / 2].nul)
			memset(bytes + cases[i / 2].nul, 0, 2);
		contains = search(bytes, cases[i / 2].len, ETW_PAYLOAD_TEXT8 + wide,
				  ETW_PAYLOAD_CONTAINS, &same[0]);
		lacks = search(bytes, cases[i / 2].len, ETW_PAYLOAD_TEXT8 + wide,
			       ETW_PAYLOAD_DOESNTCONTAIN, &same[1]);
		ok(contains == cases[i / 2].contains && lacks == cases[i / 2].lacks &&
		   same[0] && same[1], "%s%s", cases[i / 2].what, wide ? ", UTF-16" : "");
	}
}

/* A number test that fails, after a counted array of strings. */
static bool behind_strings(u32 count)
{
	static u8 payload[2 + ETW_PAYLOAD_ELEMENTS_MAX + 2 + 1];
	const struct program p = {
		.event = { .steps = 3, .tests = 1, .all = 1 },
		.steps = { { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 2, .save = 1 },
			   { .kind = ETW_PAYLOAD_STRING8, .flags = ETW_PAYLOAD_COUNT_FIELD },
			   { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 1 } },
		.tests = { { .op = ETW_PAYLOAD_NE, .step = 2 } },
	};
	u32 size;
	u8 *program = bytes_of(&p, &size);
	bool loaded = !etw_payload_load(program, size), pass;

	memcpy(payload, &count, 2);
	pass = run(program, payload, 2 + count + 1);
	free(program);
	return !loaded || pass;
}

/* Nor does an event search for the end of unlimited strings. */
/* What a filter counts as: its tests of texts, and arrays that have to be walked */
static void test_weight(void)
{
	struct program p = {
		.event = { .steps = 2, .tests = 3, .all = 1 },
		.steps = { { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 1 },
			   { .kind = ETW_PAYLOAD_STRING8, .count = 1 } },
		.tests = { { .op = ETW_PAYLOAD_EQ, .value = { 1 } },
			   { .step = 1, .op = ETW_PAYLOAD_IS, .type = ETW_PAYLOAD_TEXT8, .length = 2 },
			   { .step = 1, .op = ETW_PAYLOAD_CONTAINS, .type = ETW_PAYLOAD_TEXT8,
			     .length = 2 } },
		.texts = { NULL, "bc", "ab" },
	};
	u32 size;
	u8 *program = bytes_of(&p, &size);

	is(etw_payload_load(program, size), 0, "loaded");
	is(etw_payload_weight(program), 2, "two texts");
	free(program);
	p.event.tests = 1;
	p.steps[0].count = 7;
	p.tests[0].step = 1;
	p.tests[0].op = ETW_PAYLOAD_IS;
	p.tests[0].type = ETW_PAYLOAD_TEXT8;
	p.tests[0].length = 0;
	program = bytes_of(&p, &size);
	is(etw_payload_load(program, size), 0, "loaded");
	is(etw_payload_weight(program), 1, "an array of bytes is skipped at once");
	free(program);
	p.steps[0] = (struct etw_payload_step){ .kind = ETW_PAYLOAD_STRING16, .count = 2 };
	program = bytes_of(&p, &size);
	is(etw_payload_load(program, size), 0, "loaded");
	is(etw_payload_weight(program), 1 + ETW_PAYLOAD_ARRAYS, "one of strings is not");
	free(program);
}

static void test_many_elements(void)
{
	ok(!behind_strings(0), "after no string");
	ok(!behind_strings(ETW_PAYLOAD_ELEMENTS_MAX), "after as many as are searched");
	ok(behind_strings(ETW_PAYLOAD_ELEMENTS_MAX + 1), "one more, so it may hold");
}

/* ----------------------------------------------------------------------- fuzz */

#define PAYLOAD_MAX	64

static struct etw_payload_step random_step(u32 *known)
{
	static const u8 sizes[] = { 1, 2, 4, 8, 16, 3, 0 };
	struct etw_payload_step s = { .kind = pick(10), .count = 1 };

	if (s.kind <= ETW_PAYLOAD_FIXED) {
		s.kind = ETW_PAYLOAD_FIXED;
		s.length = sizes[pick(7)];
		if (!pick(8))
			s.flags = ETW_PAYLOAD_UNITS;
		else if (!pick(2) && s.length && s.length <= 8 && s.length != 3)
			s.save = 1 + pick(3);
		if (*known && !pick(4)) {
			s.flags |= ETW_PAYLOAD_LENGTH_FIELD;
			s.length = pick(3);
			s.save = 0;
		}
	}
	if (!pick(6)) {
		s.count = pick(4);
		s.save = 0;
	} else if (*known && !pick(4)) {
		s.flags |= ETW_PAYLOAD_COUNT_FIELD;
		s.count = pick(3);
		s.save = 0;
	}
	if (s.save)
		*known |= 1u << (s.save - 1);
	return s;
}

static struct etw_payload_test random_test(const struct etw_payload_step *s, u32 step)
{
	static const u8 text_ops[] = { ETW_PAYLOAD_CONTAINS, ETW_PAYLOAD_DOESNTCONTAIN,
				       ETW_PAYLOAD_IS, ETW_PAYLOAD_ISNOT };
	struct etw_payload_test t = { .step = step, .group = pick(2) };
	bool numeric = s->kind == ETW_PAYLOAD_FIXED && !s->flags && s->length <= 8;

	t.type = s->kind == ETW_PAYLOAD_STRING16 ? ETW_PAYLOAD_TEXT16 :
		 s->kind == ETW_PAYLOAD_FIXED && s->length == 16 ? ETW_PAYLOAD_GUID :
		 numeric ? pick(2) : ETW_PAYLOAD_TEXT8 + pick(2);
	if (t.type <= ETW_PAYLOAD_SIGNED) {
		t.op = pick(9);
		t.value[0] = pick(3) ? pick(4) : (u64)-(s64)pick(200);
		if (t.op == ETW_PAYLOAD_BETWEEN || t.op == ETW_PAYLOAD_NOTBETWEEN)
			t.value[1] = t.value[0] + pick(3);
	} else {
		t.op = text_ops[t.type == ETW_PAYLOAD_GUID ? 2 + pick(2) : pick(4)];
		if (t.type != ETW_PAYLOAD_GUID)
			t.length = pick(6);
	}
	return t;
}

static u8 *random_program(u32 *len)
{
	static const u8 texts[] = "aAaBabZ\1\1a\1b\1A\1";
	struct program p = { .event = { .steps = 1 + pick(8), .tests = 1 + pick(6) } };
	u32 i, known = 0, step = 0, used = 0;

	for (i = 0; i < p.event.steps; i++)
		p.steps[i] = random_step(&known);
	for (i = 0; i < p.event.tests; i++) {
		step += pick(p.event.steps - step);
		p.tests[i] = random_test(&p.steps[step], step);
		p.texts[i] = texts + pick(4);
		used |= 1u << p.tests[i].group;
	}
	p.event.all = used & pick(4);
	p.event.any = used & ~p.event.all;
	p.event.ors = used & pick(4);
	return bytes_of(&p, len);
}

/* Cut the payload into pieces, each in an allocation of its exact size. */
static u32 scatter(const u8 *payload, u32 len, struct etw_data_descriptor *pieces)
{
	u32 n = 0, part;
	u8 *copy;

	while (len || !n || (n < 8 && !pick(3))) {
		part = n == 15 ? len : pick(len + 1) % (1 + pick(9));
		copy = malloc(part ? part : 1);
		memcpy(copy, payload, part);
		pieces[n++] = (struct etw_data_descriptor){ .ptr = (uintptr_t)copy, .size = part };
		payload += part;
		len -= part;
		if (n == 16)
			break;
	}
	return n;
}

/* The result does not depend on the pieces, and no read is out of bounds. */
static void test_scattered(void)
{
	static const u8 bytes[] = { 0, 0, 1, 2, 3, 'a', 'A', 'b', 'B', 0xff, 'a', 1 };
	u32 round, i, n, accepted = 0, passed = 0, wrong = 0, len;

	for (round = 0; round < 200000; round++) {
		const struct etw_event_descriptor desc = { .id = 7 };
		u32 size = pick(PAYLOAD_MAX);
		struct etw_data_descriptor pieces[16], one;
		struct etw_record_source source = { .desc = &desc, .data = pieces };
		u8 *program = random_program(&len), *payload = malloc(size ? size : 1);
		bool first;

		for (i = 0; i < size; i++)
			payload[i] = bytes[pick(sizeof(bytes))];
		if (etw_payload_load(program, len)) {
			free(program);
			free(payload);
			continue;
		}
		accepted++;
		source.type = pick(2) ? ETW_TYPE_EVENT64 : ETW_TYPE_EVENT32;
		source.count = n = scatter(payload, size, pieces);
		etw_record_measure(&source);
		first = etw_payload_pass(program, &source, false);
		one = (struct etw_data_descriptor){ .ptr = (uintptr_t)payload, .size = size };
		source.data = &one;
		source.count = 1;
		passed += first;
		wrong += first != etw_payload_pass(program, &source, false);
		for (i = 0; i < n; i++)
			free((void *)(uintptr_t)pieces[i].ptr);
		free(program);
		free(payload);
	}
	ok(accepted > 50000 && passed > 5000 && passed < accepted - 5000,
	   "of 200000 random programs %u are accepted, %u let their event pass", accepted, passed);
	is(wrong, 0, "and the pieces make no difference");
}

/* A valid program with some bytes changed, and random bytes. */
static void test_noise(void)
{
	u32 round, i, len, accepted = 0;

	for (round = 0; round < 200000; round++) {
		u8 payload[32], *program = random_program(&len);

		for (i = pick(4); i; i--)
			program[pick(len)] ^= 1u << pick(8);
		if (!pick(10))
			for (i = 8; i < len; i++)
				program[i] = pick(256);
		for (i = 0; i < sizeof(payload); i++)
			payload[i] = pick(256);
		if (!etw_payload_load(program, len)) {
			accepted++;
			run(program, payload, pick(sizeof(payload)));
		}
		free(program);
	}
	ok(accepted > 10000, "%u of 200000 damaged programs run", accepted);
}

int main(void)
{
	test_bad_steps();
	test_bad_tests();
	test_too_many();
	test_cut();
	test_run();
	test_typed();
	test_long_text();
	test_weight();
	test_many_elements();
	test_scattered();
	test_noise();
	return done_testing();
}
