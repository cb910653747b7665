// SPDX-License-Identifier: GPL-2.0-only
/*
 * core_payload_quick.c - the short form of a payload program says what the program says
 */
#include "core/payload.h"
#include "lib/tap.h"
#include "core_payload.h"

#define AROUND	3	/* a number, and those next to it */

/* Numbers at which a comparison may err: the ends of each length's range, and a few others. */
static u64 number(void)
{
	static const u64 ends[] = { 0, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffff,
				    0x7fffffffffffffff, 0x8000000000000000 };

	return pick(8) ? ends[pick(9)] + pick(AROUND) - 1 :
			 (u64)pick(0x10000) << 48 | (u64)pick(0x10000) << pick(48);
}

/* As the ABI wants a test's value: extended to 64 bits; but not always one that the field has. */
static u64 value_for(u32 type, u32 bytes)
{
	u64 value = number();
	u32 unused = 64 - 8 * bytes;

	if (!pick(10))
		return value;
	return type == ETW_PAYLOAD_SIGNED ? (u64)((s64)(value << unused) >> unused) :
					    value << unused >> unused;
}

/* A test of a number, behind up to three fields of a constant length. */
static u8 *number_program(u32 *bytes, u32 *at, u32 *len)
{
	struct program p = { .event = { .tests = 1, .steps = 1 + pick(4) } };
	struct etw_payload_test *test = &p.tests[0];
	u64 swap;
	u32 i;

	p.event.all = pick(2);
	p.event.any = !p.event.all;
	p.event.ors = pick(2);
	*at = 0;
	for (i = 0; i + 1 < p.event.steps; i++) {
		p.steps[i] = (struct etw_payload_step){
			.kind = ETW_PAYLOAD_FIXED, .count = 1 + pick(3), .length = pick(9) };
		*at += p.steps[i].count * p.steps[i].length;
	}
	*bytes = 1u << pick(4);
	p.steps[i] = (struct etw_payload_step){ .kind = ETW_PAYLOAD_FIXED, .count = 1,
						.length = *bytes };
	*test = (struct etw_payload_test){ .step = i, .op = pick(9), .type = pick(2) };
	test->value[0] = value_for(test->type, *bytes);
	if (test->op == ETW_PAYLOAD_BETWEEN || test->op == ETW_PAYLOAD_NOTBETWEEN) {
		test->value[1] = value_for(test->type, *bytes);
		if (test->type == ETW_PAYLOAD_SIGNED ?
		    (s64)test->value[0] > (s64)test->value[1] : test->value[0] > test->value[1]) {
			swap = test->value[0];
			test->value[0] = test->value[1];
			test->value[1] = swap;
		}
	}
	if (test->op == ETW_PAYLOAD_MODULO && !test->value[0])
		test->value[0] = 1;
	return bytes_of(&p, len);
}

/* The payload in up to 4 pieces, each in an allocation of its own, so that ASan sees its end. */
static u32 cut(const u8 *payload, u32 len, struct etw_data_descriptor *pieces)
{
	u32 n = 0, part;
	u8 *copy;

	do {
		part = n == 3 ? len : pick(len + 1);
		copy = malloc(part);
		memcpy(copy, payload, part);
		pieces[n++] = (struct etw_data_descriptor){ .ptr = (uintptr_t)copy, .size = part };
		payload += part;
		len -= part;
	} while (len);
	return n;
}

struct counts {
	u32 shortened, decided, passed, wrong;
};

static void compare(const u8 *program, const struct etw_payload_quick *quick, const u8 *payload,
		    u32 len, struct counts *counts)
{
	const struct etw_event_descriptor desc = { .id = 7 + !pick(20), .version = !pick(20) };
	struct etw_data_descriptor pieces[4];
	struct etw_record_source source = { .desc = &desc, .data = pieces,
					    .type = ETW_TYPE_EVENT64 };
	enum etw_payload_answer answer;
	bool pass;
	u32 i;

	source.count = cut(payload, len, pieces);
	etw_record_measure(&source);
	pass = etw_payload_pass(program, &source, false);
	answer = etw_payload_try(quick, source.desc, source.data, source.count);
	counts->decided += answer != ETW_PAYLOAD_RUN;
	counts->passed += pass;
	counts->wrong += answer != ETW_PAYLOAD_RUN && answer != (pass ? ETW_PAYLOAD_HOLDS :
									 ETW_PAYLOAD_FAILS);
	for (i = 0; i < source.count; i++)
		free((void *)(uintptr_t)pieces[i].ptr);
}

static void test_same(void)
{
	u32 round, i, n, bytes, at, len;
	struct etw_payload_quick quick;
	struct counts counts = { 0 };
	u8 payload[96], *program;
	u64 value;

	for (round = 0; round < 200000; round++) {
		program = number_program(&bytes, &at, &len);
		if (etw_payload_load(program, len)) {
			counts.wrong++;
		} else if (etw_payload_shorten(program, &quick)) {
			counts.shortened++;
			for (i = 0; i < sizeof(payload); i++)
				payload[i] = pick(256);
			value = pick(2) ? number() :
				((const struct etw_payload_test *)(program + len))[-1].value[pick(2)] +
				pick(AROUND) - 1;
			memcpy(payload + at, &value, bytes);
			n = pick(4) ? at + bytes + pick(8) : pick(at + bytes);
			compare(program, &quick, payload, n, &counts);
		}
		free(program);
	}
	ok(counts.shortened > 150000, "of 200000 programs %u have a short form", counts.shortened);
	ok(counts.decided > counts.shortened / 2 && counts.passed > 20000 &&
	   counts.passed < counts.shortened - 20000,
	   "which decides %u times, and %u times the event passes", counts.decided, counts.passed);
	is(counts.wrong, 0, "it says what the program says");
}

#define LONG(name, change)						\
	do {								\
		struct program p = {					\
			.event = { .steps = 2, .tests = 1, .all = 1 },	\
			.steps = { { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 4 },	\
				   { .kind = ETW_PAYLOAD_FIXED, .count = 1, .length = 4 } },	\
			.tests = { { .step = 1 } },			\
		};							\
		struct etw_payload_quick quick;				\
		u32 len;						\
		u8 *program;						\
									\
		change;							\
		program = bytes_of(&p, &len);				\
		ok(!etw_payload_load(program, len) &&			\
		   !etw_payload_shorten(program, &quick), name);	\
		free(program);						\
	} while (0)

static void test_long(void)
{
	LONG("two tests have no short form",
	     p.event.tests = 2; p.tests[1] = p.tests[0]; p.tests[0].step = 0);
	LONG("nor has a field behind a text", p.steps[0].kind = ETW_PAYLOAD_STRING8;
	     p.steps[0].length = 0);
	LONG("nor one behind a pointer", p.steps[0].kind = ETW_PAYLOAD_POINTER;
	     p.steps[0].length = 0);
	LONG("nor one behind an array of a counted length",
	     p.event.steps = 3; p.steps[2] = p.steps[1]; p.steps[0].save = 1;
	     p.steps[1].flags = ETW_PAYLOAD_COUNT_FIELD; p.steps[1].count = 0;
	     p.tests[0].step = 2);
	LONG("nor a text", p.tests[0].type = ETW_PAYLOAD_TEXT8; p.tests[0].length = 2;
	     p.tests[0].op = ETW_PAYLOAD_IS; p.texts[0] = "ab");
	LONG("nor a GUID", p.tests[0].type = ETW_PAYLOAD_GUID; p.steps[1].length = 16;
	     p.tests[0].op = ETW_PAYLOAD_IS);
	LONG("nor MODULO", p.tests[0].op = ETW_PAYLOAD_MODULO; p.tests[0].value[0] = 2);
	LONG("nor a number that the field never has", p.tests[0].value[0] = 1ull << 32);
	LONG("nor one at a place where no event has a field",
	     p.event.steps = 5; p.tests[0].step = 4; p.steps[4] = p.steps[1];
	     p.steps[0].count = 65535; p.steps[0].length = 65535; p.steps[1].length = 65535;
	     p.steps[2] = p.steps[1]; p.steps[3] = p.steps[1]; p.steps[3].length = 1);
	LONG("nor less than the least", p.tests[0].op = ETW_PAYLOAD_LT);
}

int main(void)
{
	test_same();
	test_long();
	return done_testing();
}
