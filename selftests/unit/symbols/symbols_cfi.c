// SPDX-License-Identifier: MIT
/*
 * symbols_cfi - unwind tables: each operation of their programs and of their expressions, the rules
 * that libdw reads from the files of this program, and tables that want to do harm
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/tap.h"
#include "symbols/cfi_cache.h"
#include "symbols/expression.h"

#define LOADED	0x400000u	/* where the section is */
#define BEGIN	0x1000u		/* the function */
#define SIZE	0x100u

/* ------------------------------------------------------------------------ a table */

static uint8_t section[1 << 20];
static size_t section_size, program_at;

static void put(const void *bytes, size_t len)
{
	memcpy(section + section_size, bytes, len);
	section_size += len;
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

static void put_length(size_t at)
{
	const uint32_t length = (uint32_t)(section_size - at - 4);

	memcpy(section + at, &length, sizeof(length));
}

/* What compilers write: offsets are multiplied by -8, the CFA is rsp + 8, rip lies below it. */
static void put_cie(const char *program, size_t len)
{
	const size_t at = section_size;

	put_u32(0);
	put_u32(0);
	put("\1zR\0\1\x78\x10\1\x1b", 9);
	put(program, len);
	put_length(at);
}

/* Of the first CIE */
static void put_fde(uint32_t begin, uint32_t size, const void *program, size_t len)
{
	const size_t at = section_size;

	put_u32(0);
	put_u32((uint32_t)at + 4);
	put_u32(begin - (LOADED + (uint32_t)section_size));
	put_u32(size);
	put("\0", 1);
	program_at = section_size;
	put(program, len);
	put_length(at);
}

static struct cfi_table *make(const void *program, size_t len)
{
	section_size = 0;
	put_cie("\x0c\7\x08\x90\1\0\0", 7);
	put_fde(BEGIN, SIZE, program, len);
	return cfi_table_new(section, section_size, LOADED);
}

/* --------------------------------------------------------------------- operations */

#define P(bytes)	bytes, sizeof(bytes) - 1
#define CFA(reg, off)	{ CFI_REGISTER, reg, 0, off }
#define USUAL		CFA(7, 8)
#define HUGE_NUMBER	"\xff\xff\xff\xff\x0f"

static const struct {
	const char *name, *program;
	size_t len;
	unsigned int at;	/* from the begin */
	int found;
	struct cfi_rule cfa;
	unsigned int number;	/* of the register whose rule is compared: */
	struct cfi_rule rule;	/* the value of an expression is from the program's begin */
} programs[] = {
	{ "nothing", P(""), 0, CFI_FOUND, USUAL, 16, { CFI_OFFSET, 0, 0, -8 } },
	{ "nop", P("\0\0"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "advance_loc, before", P("\x44\x0e\x10"), 3, CFI_FOUND, USUAL, 3, { 0 } },
	{ "advance_loc, there", P("\x44\x0e\x10"), 4, CFI_FOUND, CFA(7, 16), 3, { 0 } },
	{ "advance_loc1", P("\2\x80\x0e\x10"), 0x80, CFI_FOUND, CFA(7, 16), 3, { 0 } },
	{ "advance_loc2", P("\3\x80\0\x0e\x10"), 0x7f, CFI_FOUND, USUAL, 3, { 0 } },
	{ "advance_loc4", P("\4\x80\0\0\0\x0e\x10"), 0x80, CFI_FOUND, CFA(7, 16), 3, { 0 } },
	{ "advance_loc4, far", P("\4\xff\xff\xff\xff\x0e\x10"), 0xff, CFI_FOUND, USUAL, 3, { 0 } },
	{ "offset", P("\x83\2"), 0, CFI_FOUND, USUAL, 3, { CFI_OFFSET, 0, 0, -16 } },
	{ "restore", P("\x83\2\xc3"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "restore what all have", P("\x90\2\xd0"), 0, CFI_FOUND, USUAL, 16, { CFI_OFFSET, 0, 0, -8 } },
	{ "offset_extended", P("\5\3\2"), 0, CFI_FOUND, USUAL, 3, { CFI_OFFSET, 0, 0, -16 } },
	{ "offset_extended_sf", P("\x11\3\x7e"), 0, CFI_FOUND, USUAL, 3, { CFI_OFFSET, 0, 0, 16 } },
	{ "GNU_negative_offset_extended", P("\x2f\3\2"), 0, CFI_FOUND, USUAL, 3,
	  { CFI_OFFSET, 0, 0, 16 } },
	{ "restore_extended", P("\5\3\2\6\3"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "undefined", P("\7\x10"), 0, CFI_FOUND, USUAL, 16, { CFI_UNDEFINED, 0, 0, 0 } },
	{ "same_value", P("\x08\3"), 0, CFI_FOUND, USUAL, 3, { CFI_SAME, 0, 0, 0 } },
	{ "register", P("\x09\x10\5"), 0, CFI_FOUND, USUAL, 16, { CFI_REGISTER, 5, 0, 0 } },
	{ "register that is not kept", P("\x09\x10\x20"), 0, CFI_FOUND, USUAL, 16,
	  { CFI_UNDEFINED, 0, 0, 0 } },
	{ "remember_state, restore_state", P("\x0a\x0e\x20\x83\2\x0b"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "states in states", P("\x0a\x0e\x10\x0a\x0e\x18\x0b"), 0, CFI_FOUND, CFA(7, 16), 3, { 0 } },
	{ "def_cfa", P("\x0c\6\x10"), 0, CFI_FOUND, CFA(6, 16), 3, { 0 } },
	{ "def_cfa_sf", P("\x12\6\x7e"), 0, CFI_FOUND, CFA(6, 16), 3, { 0 } },
	{ "def_cfa_register", P("\x0d\6"), 0, CFI_FOUND, CFA(6, 8), 3, { 0 } },
	{ "def_cfa_offset", P("\x0e\x90\1"), 0, CFI_FOUND, CFA(7, 144), 3, { 0 } },
	{ "def_cfa_offset_sf", P("\x13\x7f"), 0, CFI_FOUND, CFA(7, 8), 3, { 0 } },
	{ "def_cfa_expression", P("\x0f\2\x77\x08"), 0, CFI_FOUND, { CFI_VAL_EXPRESSION, 0, 2, 2 },
	  3, { 0 } },
	{ "expression", P("\x10\3\2\x77\x08"), 0, CFI_FOUND, USUAL, 3, { CFI_EXPRESSION, 0, 2, 3 } },
	{ "val_expression", P("\x16\3\1\x30"), 0, CFI_FOUND, USUAL, 3, { CFI_VAL_EXPRESSION, 0, 1, 3 } },
	{ "val_offset", P("\x14\3\1"), 0, CFI_FOUND, USUAL, 3, { CFI_VAL_OFFSET, 0, 0, -8 } },
	{ "val_offset_sf", P("\x15\3\x7f"), 0, CFI_FOUND, USUAL, 3, { CFI_VAL_OFFSET, 0, 0, 8 } },
	{ "GNU_args_size", P("\x2e\x20\x0e\x18"), 0, CFI_FOUND, CFA(7, 24), 3, { 0 } },
	{ "behind the function", P(""), SIZE, CFI_NONE, { 0 }, 3, { 0 } },
	/* Harm: registers that are not kept are passed over, all else refuses the function. */
	{ "offset of register 63", P("\xbf\1"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "restore of register 63", P("\xff"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "offset of a huge register", P("\5" HUGE_NUMBER "\1\x0e\x10"), 0, CFI_FOUND, CFA(7, 16), 3, { 0 } },
	{ "expression of a huge register", P("\x10" HUGE_NUMBER "\1\x30"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "register into a huge one", P("\x09" HUGE_NUMBER "\3"), 0, CFI_FOUND, USUAL, 3, { 0 } },
	{ "a CFA by a huge register", P("\x0c" HUGE_NUMBER "\1"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "a CFA by register 17", P("\x0d\x11"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "a huge offset", P("\x83" HUGE_NUMBER), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "an offset that overflows", P("\x83\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0, CFI_REFUSED,
	  { 0 }, 3, { 0 } },
	{ "a number of too many bytes", P("\x0e\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0"), 0,
	  CFI_FOUND, CFA(7, 0), 3, { 0 } },
	{ "a number that does not end", P("\x0e\xff"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "a state that was not remembered", P("\x0b"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "an expression that does not end", P("\x0f\x20\x30"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "an expression of all memory", P("\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), 0, CFI_REFUSED,
	  { 0 }, 3, { 0 } },
	{ "an offset for an expression", P("\x0f\1\x30\x0e\x10"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "set_loc, which nothing writes", P("\1\0\0\0\0"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
	{ "no operation", P("\x3f"), 0, CFI_REFUSED, { 0 }, 3, { 0 } },
};

static bool same_rule(const struct cfi_rule *have, const struct cfi_rule *want)
{
	const bool expression = want->how == CFI_EXPRESSION || want->how == CFI_VAL_EXPRESSION;
	const int32_t value = want->value + (expression ? (int32_t)program_at : 0);

	return have->how == want->how && have->number == want->number &&
	       have->length == want->length && have->value == value;
}

static void test_programs(void)
{
	struct cfi_table *table;
	struct cfi_rules rules;
	size_t i;
	bool same;

	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		table = make(programs[i].program, programs[i].len);
		memset(&rules, 0xff, sizeof(rules));
		if (table)
			cfi_find(table, BEGIN + programs[i].at, &rules);
		same = rules.found == programs[i].found &&
		       (rules.found != CFI_FOUND ||
			(same_rule(&rules.cfa, &programs[i].cfa) &&
			 same_rule(&rules.registers[programs[i].number], &programs[i].rule)));
		ok(table && same, "%s", programs[i].name);
		cfi_table_free(table);
	}
}

/* -------------------------------------------------------------------- expressions */

#define BOTTOM	0x7000u		/* of the memory, a few words */
#define FAILS	0xdeadu

static const uint64_t memory[] = { 0x1122334455667788, BOTTOM + 8, 3 };

static const struct {
	const char *name, *bytes;
	size_t len;
	uint64_t want;		/* FAILS */
} expressions[] = {
	{ "lit0", P("\x30"), 0 },
	{ "lit31", P("\x4f"), 31 },
	{ "const1u", P("\x08\xff"), 255 },
	{ "const1s", P("\x09\xff"), -1ull },
	{ "const2u", P("\x0a\xfe\xff"), 0xfffe },
	{ "const2s", P("\x0b\xfe\xff"), -2ull },
	{ "const4u", P("\x0c\xfe\xff\xff\xff"), 0xfffffffe },
	{ "const4s", P("\x0d\xfe\xff\xff\xff"), -2ull },
	{ "const8u", P("\x0e\1\2\3\4\5\6\7\x08"), 0x0807060504030201 },
	{ "const8s", P("\x0f\xff\xff\xff\xff\xff\xff\xff\xff"), -1ull },
	{ "constu", P("\x10\x80\1"), 128 },
	{ "consts", P("\x11\x7f"), -1ull },
	{ "breg3", P("\x73\x7f"), 0x30000 - 1 },
	{ "bregx", P("\x92\x03\1"), 0x30001 },
	{ "deref", P("\x77\x08\x06"), BOTTOM + 8 },
	{ "deref_size", P("\x77\0\x94\2"), 0x7788 },
	{ "dup", P("\x32\x12\x22"), 4 },
	{ "drop", P("\x32\x33\x13"), 2 },
	{ "over", P("\x32\x33\x14"), 2 },
	{ "pick", P("\x32\x33\x34\x15\2"), 2 },
	{ "swap", P("\x32\x35\x16\x1c"), 3 },
	{ "rot", P("\x31\x32\x33\x17\x1c"), 1 - 2ull },
	{ "abs", P("\x11\x7b\x19"), 5 },
	{ "and", P("\x3d\x37\x1a"), 5 },
	{ "div, signed", P("\x11\x7a\x32\x1b"), -3ull },
	{ "div of the smallest number", P("\x0e\0\0\0\0\0\0\0\x80\x11\x7f\x1b"), 1ull << 63 },
	{ "minus", P("\x35\x32\x1c"), 3 },
	{ "mod", P("\x37\x34\x1d"), 3 },
	{ "mul", P("\x35\x33\x1e"), 15 },
	{ "neg", P("\x35\x1f"), -5ull },
	{ "not", P("\x30\x20"), -1ull },
	{ "or", P("\x35\x3a\x21"), 15 },
	{ "plus", P("\x35\x33\x22"), 8 },
	{ "plus_uconst", P("\x35\x23\x80\1"), 133 },
	{ "shl", P("\x31\x34\x24"), 16 },
	{ "shl by 64", P("\x31\x08\x40\x24"), 0 },
	{ "shr", P("\x11\x7f\x08\x3f\x25"), 1 },
	{ "shra", P("\x11\x70\x32\x26"), -4ull },
	{ "shra by 200", P("\x11\x70\x08\xc8\x26"), -1ull },
	{ "xor", P("\x35\x36\x27"), 3 },
	{ "bra, taken", P("\x31\x31\x28\1\0\x32\x33"), 3 },
	{ "bra, not taken", P("\x31\x30\x28\1\0\x32\x33\x22"), 5 },
	{ "eq", P("\x35\x35\x29"), 1 },
	{ "ge, signed", P("\x11\x7f\x31\x2a"), 0 },
	{ "gt", P("\x35\x34\x2b"), 1 },
	{ "le", P("\x35\x34\x2c"), 0 },
	{ "lt, signed", P("\x11\x7f\x31\x2d"), 1 },
	{ "ne", P("\x35\x34\x2e"), 1 },
	{ "skip", P("\x31\x2f\1\0\x32\x33"), 3 },
	{ "nop", P("\x96\x31"), 1 },
	{ "a loop that ends", P("\x35\x31\x1c\x12\x28\xfa\xff\x37"), 7 },
	/* That of the PLT: rsp + 8, and 8 more from the 11th byte of 16 on; rip is 0x100000. */
	{ "that of the PLT", P("\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"), BOTTOM + 8 },
	/* What must fail */
	{ "nothing", P(""), FAILS },
	{ "a register that is not known", P("\x75\0"), FAILS },
	{ "a register that is not kept", P("\x92\x20\0"), FAILS },
	{ "a huge register", P("\x92" HUGE_NUMBER "\0"), FAILS },
	{ "memory below", P("\x77\x7f\x06"), FAILS },
	{ "memory above", P("\x77\x11\x06"), FAILS },
	{ "the end of memory", P("\x0e\xff\xff\xff\xff\xff\xff\xff\xff\x06"), FAILS },
	{ "deref_size of 0", P("\x77\0\x94\0"), FAILS },
	{ "deref_size of 9", P("\x77\0\x94\x09"), FAILS },
	{ "addr, which lies elsewhere", P("\x03\0\x70\0\0\0\0\0\0"), FAILS },
	{ "no values", P("\x22"), FAILS },
	{ "one value", P("\x31\x22"), FAILS },
	{ "drop of nothing", P("\x13"), FAILS },
	{ "rot of two", P("\x31\x32\x17"), FAILS },
	{ "pick below all", P("\x31\x15\1"), FAILS },
	{ "division by 0", P("\x31\x30\x1b"), FAILS },
	{ "mod by 0", P("\x31\x30\x1d"), FAILS },
	{ "a constant that is cut off", P("\x0e\1\2"), FAILS },
	{ "a number that does not end", P("\x10\xff"), FAILS },
	{ "a loop without an end", P("\x2f\xfd\xff"), FAILS },
	{ "a loop that fills the stack", P("\x31\x2f\xfc\xff"), FAILS },
	{ "a branch before the begin", P("\x31\x2f\xfb\xff"), FAILS },
	{ "a branch behind the end", P("\x31\x2f\1\0"), FAILS },
	{ "call_frame_cfa, within which it is", P("\x9c"), FAILS },
	{ "piece", P("\x31\x93\1"), FAILS },
	{ "no operation", P("\xff"), FAILS },
};

static struct unwind_state make_state(void)
{
	struct unwind_state s = {
		.memory = (const uint8_t *)memory, .begin = BOTTOM, .size = sizeof(memory),
	};
	unsigned int i;

	for (i = 0; i < CFI_REGISTERS; i++)
		s.registers[i] = i * 0x10000;
	s.registers[7] = BOTTOM;
	s.known = 0x1ffff & ~(1u << 5);
	return s;
}

static void test_expressions(void)
{
	static uint8_t many[4096];
	const struct unwind_state s = make_state();
	const uint64_t cfa = 0x7100;
	uint64_t value;
	size_t i;
	bool got;

	for (i = 0; i < sizeof(expressions) / sizeof(expressions[0]); i++) {
		got = expression_evaluate(&s, (const uint8_t *)expressions[i].bytes,
					  expressions[i].len, NULL, &value);
		ok(got == (expressions[i].want != FAILS) && (!got || value == expressions[i].want),
		   "expression: %s", expressions[i].name);
	}
	got = expression_evaluate(&s, (const uint8_t *)"\x23\x08", 2, &cfa, &value);
	ok(got && value == cfa + 8, "the CFA is on the stack of a register's expression");
	memset(many, DW_OP_lit1, sizeof(many));
	ok(!expression_evaluate(&s, many, EXPRESSION_VALUES_MAX + 1, NULL, &value) &&
	   expression_evaluate(&s, many, EXPRESSION_VALUES_MAX, NULL, &value), "too many values");
	memset(many, DW_OP_nop, sizeof(many));
	many[0] = DW_OP_lit1;
	ok(!expression_evaluate(&s, many, EXPRESSION_STEPS_MAX + 1, NULL, &value) &&
	   expression_evaluate(&s, many, EXPRESSION_STEPS_MAX, NULL, &value), "too many operations");
}

/* --------------------------------------------------------------------------- harm */

static enum cfi_found found_in(const void *program, size_t len)
{
	struct cfi_table *table = make(program, len);
	struct cfi_rules rules = { .found = CFI_NONE };

	if (table)
		cfi_find(table, BEGIN + SIZE - 1, &rules);
	cfi_table_free(table);
	return rules.found;
}

static void test_limits(void)
{
	static uint8_t program[CFI_PROGRAM_MAX + 1];
	struct cfi_rules rules;
	struct cfi_table *table;
	clock_t before;
	unsigned int i;

	memset(program, DW_CFA_remember_state, CFI_STATES_MAX + 1);
	ok(found_in(program, CFI_STATES_MAX) == CFI_FOUND &&
	   found_in(program, CFI_STATES_MAX + 1) == CFI_REFUSED, "too many states are remembered");
	for (i = 0; i < CFI_PROGRAM_MAX; i++)
		program[i] = i % 2 ? DW_CFA_restore_state : DW_CFA_remember_state;
	program[i] = DW_CFA_nop;
	is(found_in(program, CFI_PROGRAM_MAX + 1), CFI_REFUSED, "a program that is too long");
	table = make(program, CFI_PROGRAM_MAX);
	before = clock();
	for (i = 0; table && i < 100; i++)
		cfi_find(table, BEGIN + i, &rules);
	ok(table && rules.found == CFI_FOUND && clock() - before < 5 * CLOCKS_PER_SEC,
	   "the longest one takes %ld us", (long)((clock() - before) * 10000 / CLOCKS_PER_SEC));
	cfi_table_free(table);
}

/* Look up whatever can be; true: the table was taken. */
static bool look_around(size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);	/* so that ASan sees each byte too many */
	struct cfi_table *table;
	struct unwind_state s = make_state();
	struct cfi_rules rules;
	uint64_t at, begin, end, value;
	unsigned int i;

	if (!copy)
		abort();
	memcpy(copy, section, size);
	table = cfi_table_new(copy, size, LOADED);
	for (at = BEGIN - 8; table && at < BEGIN + SIZE + 8; at += 8) {
		cfi_extent(table, at, &begin, &end);
		cfi_find(table, at, &rules);
		for (i = 0; rules.found == CFI_FOUND && i < CFI_REGISTERS; i++)
			if (rules.registers[i].length)
				expression_evaluate(&s, cfi_expression(table, &rules.registers[i]),
						    rules.registers[i].length, &at, &value);
	}
	cfi_table_free(table);
	free(copy);
	return table;
}

static void test_damage(void)
{
	static const char program[] = "\x44\x0e\x10\x83\2\x0a\x10\6\4\x77\x08\x12\x06\2\x20\x0b\x11\3\x7e\x16"
				      "\x0c\3\x35\x12\x22\x0f\2\x77\x10\x2e\x20";
	unsigned int taken = 0, i, k;
	size_t len, whole;

	cfi_table_free(make(P(program)));
	put_fde(BEGIN + 0x80, 0x80, P("\x0e\x18"));
	whole = section_size;
	for (len = 0; len <= whole; len++)
		taken += look_around(len);
	ok(taken >= 2, "cut anywhere: %u of %zu are tables", taken, whole + 1);
	srandom(1);
	for (taken = i = 0; i < 20000; i++) {
		uint8_t saved[256];

		memcpy(saved, section, whole);
		for (k = random() % 4 + 1; k; k--)
			section[(size_t)random() % whole] = (uint8_t)random();
		taken += look_around(whole);
		memcpy(section, saved, whole);
	}
	ok(taken > 1000, "damaged anywhere: %u of 20,000 are tables", taken);
}

static void test_cache(void)
{
	struct cfi_cache *cache = cfi_cache_new();
	struct cfi_table *one = make(P("\x44\x0e\x10")), *other;
	struct cfi_rules rules;
	unsigned int i, bad = 0;

	for (i = 0; i < 4 * CFI_CACHE_ENTRIES; i++) {
		cfi_find(one, BEGIN + i % 0x120, &rules);
		bad += !!memcmp(&rules, cfi_cache_find(cache, one, BEGIN + i % 0x120), sizeof(rules));
	}
	ok(!bad, "what is kept is what the table says");
	bad = cfi_cache_find(cache, one, BEGIN + 8)->cfa.value != 16;
	cfi_table_free(one);
	other = make(P("\x0e\x20"));
	ok(!bad && cfi_cache_find(cache, other, BEGIN + 8)->cfa.value == 32,
	   "another table, which may lie at the same place, has its own");
	cfi_table_free(other);
	cfi_cache_free(cache);
}

/* ------------------------------------------------------------------- against libdw */

static unsigned int compared, differ;

/* Is it the CFA + value, or what lies there? */
static bool is_offset(const Dwarf_Op *ops, size_t count, int32_t value, bool lies)
{
	const size_t own = value ? 2 : 1;

	return count == own + !lies && ops[0].atom == DW_OP_call_frame_cfa &&
	       (!value || (ops[1].atom == DW_OP_plus_uconst &&
			   (int64_t)ops[1].number == value)) &&
	       (lies || ops[own].atom == DW_OP_stack_value);
}

static bool same_register(Dwarf_Frame *frame, unsigned int number, const struct cfi_rule *rule)
{
	Dwarf_Op own[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, (int)number, own, &ops, &count))
		return false;
	switch (rule->how) {
	case CFI_UNSPECIFIED:
		/* libdw has rax for the one that a function keeps, not rbx. */
		return number == 0 || number == 3 || number == 7 || !count;
	case CFI_SAME:
		return !count && !ops;
	case CFI_UNDEFINED:
		return !count && ops;
	case CFI_OFFSET:
	case CFI_VAL_OFFSET:
		return is_offset(ops, count, rule->value, rule->how == CFI_OFFSET);
	case CFI_REGISTER:
		return count == 1 && ops[0].atom == DW_OP_regx && ops[0].number == rule->number;
	}
	return count > 1;
}

static void compare_at(const struct cfi_table *table, Dwarf_CFI *cfi, uint64_t address)
{
	struct cfi_rules rules;
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	unsigned int i;
	size_t count;
	bool same;

	cfi_find(table, address, &rules);
	compared++;
	if (dwarf_cfi_addrframe(cfi, address, &frame)) {
		differ += rules.found != CFI_NONE;
		return;
	}
	same = rules.found == CFI_FOUND && !dwarf_frame_cfa(frame, &ops, &count) && count &&
	       (rules.cfa.how == CFI_VAL_EXPRESSION ||
		(ops[0].atom == DW_OP_bregx && ops[0].number == rules.cfa.number &&
		 (int64_t)ops[0].number2 == rules.cfa.value));
	for (i = 0; same && i < CFI_REGISTERS; i++)
		same = same_register(frame, i, &rules.registers[i]);
	if (!same && differ++ < 5)
		printf("# at 0x%llx: found %d, register %u\n", (unsigned long long)address,
		       rules.found, i);
	free(frame);
}

static void compare_section(Elf *elf, Elf_Scn *scn, uint64_t address, Dwarf_CFI *cfi)
{
	const unsigned char *ident = (const void *)elf_getident(elf, NULL);
	Elf_Data *data = elf_rawdata(scn, NULL);
	struct cfi_table *table = cfi_table_new(data->d_buf, data->d_size, address);
	Dwarf_CFI_Entry entry;
	Dwarf_Off at = 0, next;
	uint64_t begin, end;
	int32_t relative;

	ok(table, "the table of a file is taken");
	for (; table && !dwarf_next_cfi(ident, data, true, at, &next, &entry); at = next) {
		if (dwarf_cfi_cie_p(&entry))
			continue;
		memcpy(&relative, (const char *)data->d_buf + at + 8, sizeof(relative));
		begin = address + at + 8 + (uint64_t)(int64_t)relative;
		if (!cfi_extent(table, begin, &begin, &end))
			continue;
		compare_at(table, cfi, begin);
		compare_at(table, cfi, begin + 4);
		compare_at(table, cfi, begin + (end - begin) / 2);
		compare_at(table, cfi, end - 1);
		compare_at(table, cfi, end);
	}
	cfi_table_free(table);
}

static void compare_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = (elf_version(EV_CURRENT), elf_begin(fd, ELF_C_READ_MMAP, NULL));
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t names;

	compared = differ = 0;
	elf_getshdrstrndx(elf, &names);
	while (cfi && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) &&
		    !strcmp(elf_strptr(elf, names, header.sh_name), ".eh_frame"))
			compare_section(elf, scn, header.sh_addr, cfi);
	ok(compared > 100 && !differ, "%s: at %u places the rules are those of libdw, but %u",
	   path, compared, differ);
	dwarf_cfi_end(cfi);
	elf_end(elf);
	close(fd);
}

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size, (void)context;
	if (strstr(info->dlpi_name, "/libc.so") || strstr(info->dlpi_name, "/ld-linux"))
		compare_file(info->dlpi_name);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1) {		/* compare any file */
		compare_file(argv[1]);
		return done_testing();
	}
	test_programs();
	test_expressions();
	test_limits();
	test_damage();
	test_cache();
	compare_file("/proc/self/exe");
	dl_iterate_phdr(compare_loaded, NULL);
	return done_testing();
}
