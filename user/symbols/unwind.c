/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - the callers in a copy of a program's stack, by the unwind tables of its files
 *
 * libdw reads the tables (.eh_frame); the rules for registers that it returns, expressions of
 * DWARF, are evaluated here, for only here is the memory that they read.
 */
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer.h"
#include "unwind.h"

#define PAGE		4096u
#define RAX		0
#define RBX		3
#define RBP		6
#define RSP		7
#define RIP		16	/* also the column of the return address */
#define EXPRESSION_MAX	64	/* values on an expression's stack, and operations of one */

/* The registers of one frame, and all the memory there is */
struct state {
	uint64_t registers[ETW_USER_STACK_REGISTERS];
	uint32_t known;		/* a bit for each */
	uint64_t cfa;		/* of the frame: the stack pointer before it was called ... */
	bool has_cfa;		/* ... is known */
	bool by_pointer;	/* the frame was found by a frame pointer */
	const uint8_t *memory;
	uint64_t begin;		/* its address */
	size_t size;
	uint16_t absent;	/* a bit for each of its pages that was not present */
};

static bool read_word(const struct state *s, uint64_t at, size_t size, uint64_t *value)
{
	uint64_t page;

	*value = 0;
	if (!size || at < s->begin || at - s->begin > s->size || s->size - (at - s->begin) < size)
		return false;
	for (page = at / PAGE; page <= (at + size - 1) / PAGE; page++)
		if (s->absent >> (page - s->begin / PAGE) & 1)
			return false;
	memcpy(value, s->memory + (at - s->begin), size);
	return true;
}

static bool get_register(const struct state *s, uint64_t number, uint64_t *value)
{
	if (number >= ETW_USER_STACK_REGISTERS || !(s->known & 1u << number))
		return false;
	*value = s->registers[number];
	return true;
}

/* ------------------------------------------------------------------ expressions */

struct values {
	uint64_t list[EXPRESSION_MAX];
	unsigned int count;
};

static bool push(struct values *values, uint64_t value)
{
	if (values->count == EXPRESSION_MAX)
		return false;
	values->list[values->count++] = value;
	return true;
}

static bool pop(struct values *values, uint64_t *value)
{
	if (!values->count)
		return false;
	*value = values->list[--values->count];
	return true;
}

static bool pick(struct values *values, uint64_t depth)
{
	return depth < values->count && push(values, values->list[values->count - 1 - depth]);
}

/* An operation on the last two values; false: there is no such. */
static bool combine(uint8_t atom, uint64_t a, uint64_t b, uint64_t *to)
{
	const int64_t x = (int64_t)a, y = (int64_t)b;

	switch (atom) {
	case DW_OP_plus: *to = a + b; break;
	case DW_OP_minus: *to = a - b; break;
	case DW_OP_mul: *to = a * b; break;
	case DW_OP_and: *to = a & b; break;
	case DW_OP_or: *to = a | b; break;
	case DW_OP_xor: *to = a ^ b; break;
	case DW_OP_shl: *to = b < 64 ? a << b : 0; break;
	case DW_OP_shr: *to = b < 64 ? a >> b : 0; break;
	case DW_OP_eq: *to = x == y; break;
	case DW_OP_ne: *to = x != y; break;
	case DW_OP_lt: *to = x < y; break;
	case DW_OP_le: *to = x <= y; break;
	case DW_OP_gt: *to = x > y; break;
	case DW_OP_ge: *to = x >= y; break;
	default: return false;
	}
	return true;
}

/* An operation that needs a register, memory or a constant; false: it fails, or is none of them. */
static bool fetch(const struct state *s, const Dwarf_Op *op, struct values *values)
{
	uint64_t value;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(values, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return get_register(s, op->atom - DW_OP_breg0, &value) &&
		       push(values, value + op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return get_register(s, op->number, &value) && push(values, value + op->number2);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(values, op->number);
	case DW_OP_call_frame_cfa:
		return s->has_cfa && push(values, s->cfa);
	case DW_OP_plus_uconst:
		return pop(values, &value) && push(values, value + op->number);
	case DW_OP_deref:
		return pop(values, &value) && read_word(s, value, sizeof(value), &value) &&
		       push(values, value);
	case DW_OP_deref_size:
		return op->number <= sizeof(value) && pop(values, &value) &&
		       read_word(s, value, op->number, &value) && push(values, value);
	}
	return false;
}

static bool compute(const struct state *s, const Dwarf_Op *op, struct values *values)
{
	uint64_t a, b;

	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_dup:
		return pick(values, 0);
	case DW_OP_over:
		return pick(values, 1);
	case DW_OP_pick:
		return pick(values, op->number);
	case DW_OP_drop:
		return pop(values, &a);
	case DW_OP_swap:
		return pop(values, &b) && pop(values, &a) && push(values, b) && push(values, a);
	case DW_OP_neg:
		return pop(values, &a) && push(values, -a);
	case DW_OP_not:
		return pop(values, &a) && push(values, ~a);
	}
	if (fetch(s, op, values))
		return true;
	return values->count >= 2 && combine(op->atom, values->list[values->count - 2],
					     values->list[values->count - 1],
					     &values->list[values->count - 2]) &&
	       pop(values, &a);
}

/* *is_value: the result is the register's value; else where that lies. */
static bool evaluate(const struct state *s, const Dwarf_Op *ops, size_t count, uint64_t *result,
		     bool *is_value)
{
	struct values values = { .count = 0 };
	size_t i;

	*is_value = false;
	if (count > EXPRESSION_MAX)
		return false;
	for (i = 0; i < count; i++) {
		if (ops[i].atom == DW_OP_stack_value)
			*is_value = true;
		else if (!compute(s, &ops[i], &values))
			return false;
	}
	return pop(&values, result);
}

/* ------------------------------------------------------------------------ frames */

/* The register's value in the caller; false: it is not known there. */
static bool caller_register(const struct state *s, Dwarf_Frame *frame, int number, uint64_t *value)
{
	Dwarf_Op own[3], *ops;
	bool is_value;
	size_t count;

	if (dwarf_frame_register(frame, number, own, &ops, &count))
		return false;
	/* Where tables do not say it, libdw takes rax for the one that a function keeps, not rbx. */
	if (!count && number == RBX)
		return get_register(s, RBX, value);
	if (!count)		/* no operations: kept, or not known */
		return !ops && number != RAX && get_register(s, (uint64_t)number, value);
	if (count == 1 && ops[0].atom == DW_OP_regx)
		return get_register(s, ops[0].number, value);
	if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return get_register(s, ops[0].atom - DW_OP_reg0, value);
	return evaluate(s, ops, count, value, &is_value) &&
	       (is_value || read_word(s, *value, sizeof(*value), value));
}

/* A rule that says that there is no return address marks the outermost function. */
static bool is_outermost(Dwarf_Frame *frame)
{
	Dwarf_Op own[3], *ops;
	size_t count;

	return !dwarf_frame_register(frame, RIP, own, &ops, &count) && !count && ops;
}

enum step { STEP_DONE, STEP_END, STEP_LOST };

/* Move to the caller. *signal: by a signal, so that the processor was where it returns to. */
static enum step step_by_table(struct state *s, Dwarf_Frame *frame, bool *signal)
{
	uint64_t registers[ETW_USER_STACK_REGISTERS] = { 0 }, sp = s->registers[RSP];
	uint32_t known = 0;
	Dwarf_Op *ops;
	bool is_value;
	size_t count;
	int i;

	s->has_cfa = false;
	if (dwarf_frame_info(frame, NULL, NULL, signal) != RIP ||
	    dwarf_frame_cfa(frame, &ops, &count) || !count ||
	    !evaluate(s, ops, count, &s->cfa, &is_value))
		return STEP_LOST;
	/* Callers' frames do not lie lower; but a signal may have come on another stack. */
	if (!*signal && s->cfa < sp)
		return STEP_LOST;
	s->has_cfa = true;
	if (!caller_register(s, frame, RIP, &registers[RIP]))
		return is_outermost(frame) ? STEP_END : STEP_LOST;
	for (i = 0; i < RIP; i++)
		if (caller_register(s, frame, i, &registers[i]))
			known |= 1u << i;
	if (!(known & 1u << RSP))
		registers[RSP] = s->cfa;
	memcpy(s->registers, registers, sizeof(registers));
	s->known = known | 1u << RSP | 1u << RIP;
	s->by_pointer = false;
	return registers[RIP] ? STEP_DONE : STEP_END;
}

/*
 * By the frame pointer, which points to that of the caller; the return address is above. The kernel
 * starts a program with 0, which is the end where code keeps frame pointers, or in_file is where a
 * program begins.
 */
static enum step step_by_pointer(struct state *s, bool in_file)
{
	uint64_t at, next, returns;

	if (!get_register(s, RBP, &at))
		return STEP_LOST;
	if (!at)
		return s->by_pointer || in_file ? STEP_END : STEP_LOST;
	if (at < s->registers[RSP] || at % sizeof(at) ||
	    !read_word(s, at, sizeof(next), &next) ||
	    !read_word(s, at + sizeof(next), sizeof(returns), &returns) || (next && next <= at))
		return STEP_LOST;
	s->registers[RBP] = next;
	s->registers[RSP] = at + 2 * sizeof(at);
	s->registers[RIP] = returns;
	s->known = 1u << RBP | 1u << RSP | 1u << RIP;
	s->by_pointer = true;
	return returns ? STEP_DONE : STEP_END;
}

static enum step step(struct state *s, bool exact, unwind_find *find, void *context, bool *signal)
{
	const uint64_t pc = s->registers[RIP] - !exact;
	struct elf_functions *file;
	Dwarf_Frame *frame;
	enum step ret;
	uint64_t in_file;
	bool has_tables;

	*signal = false;
	if (!find(context, pc, &file, &in_file))
		return step_by_pointer(s, false);
	if (!file)
		return STEP_LOST;
	frame = elf_functions_frame(file, in_file, &has_tables);
	if (!has_tables)	/* as in debug information that lies apart */
		return STEP_LOST;
	ret = frame ? step_by_table(s, frame, signal) : step_by_pointer(s, true);
	free(frame);
	return ret;
}

unsigned int unwind(const void *item, size_t len, unwind_find *find, void *context,
		    struct unwound *frames, unsigned int room, bool *whole)
{
	struct etw_ext_user_stack head;
	enum step ret = STEP_DONE;
	unsigned int count = 0;
	struct state s;
	bool exact = true;

	*whole = false;
	if (len < sizeof(head))
		return 0;
	memcpy(&head, item, sizeof(head));
	if (head.machine != EM_X86_64)
		return 0;
	memcpy(s.registers, head.registers, sizeof(s.registers));
	s.known = (1u << ETW_USER_STACK_REGISTERS) - 1;
	s.memory = (const uint8_t *)item + sizeof(head);
	s.size = len - sizeof(head);
	s.begin = s.registers[RSP];
	s.absent = head.absent;
	s.by_pointer = s.has_cfa = false;
	while (ret == STEP_DONE && count < room && s.registers[RIP] < SYMBOLIZER_KERNEL) {
		frames[count++] = (struct unwound){ s.registers[RIP], exact };
		ret = step(&s, exact, find, context, &exact);
	}
	*whole = ret == STEP_END;
	return count;
}
