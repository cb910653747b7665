/* SPDX-License-Identifier: MIT */
/*
 * expression.c - expressions of DWARF in unwind tables
 *
 * DW_OP_addr is refused: it names an address of the file, which lies elsewhere in the process.
 */
#include <dwarf.h>

#include "dwarf_reader.h"
#include "expression.h"

#define PAGE	4096u

bool unwind_state_read(const struct unwind_state *s, uint64_t at, size_t size, uint64_t *value)
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

bool unwind_state_register(const struct unwind_state *s, uint64_t number, uint64_t *value)
{
	if (number >= ETW_USER_STACK_REGISTERS || !(s->known & 1u << number))
		return false;
	*value = s->registers[number];
	return true;
}

struct values {
	uint64_t list[EXPRESSION_VALUES_MAX];
	unsigned int count;
};

static bool push(struct values *values, uint64_t value)
{
	if (values->count == EXPRESSION_VALUES_MAX)
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

static bool rotate(struct values *values)
{
	uint64_t *top = values->list + values->count, last;

	if (values->count < 3)
		return false;
	last = top[-1];
	top[-1] = top[-2];
	top[-2] = top[-3];
	top[-3] = last;
	return true;
}

/* Division, which may fail: DW_OP_div is signed, DW_OP_mod is not. */
static bool divide(uint8_t op, uint64_t a, uint64_t b, uint64_t *to)
{
	if (!b)
		return false;
	if (op == DW_OP_mod)
		*to = a % b;
	else	/* the smallest number has no positive counterpart */
		*to = b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
	return true;
}

/* An operation on the last two values; false: it fails, or is none. */
static bool combine(uint8_t op, uint64_t a, uint64_t b, uint64_t *to)
{
	const int64_t x = (int64_t)a, y = (int64_t)b;

	switch (op) {
	case DW_OP_plus: *to = a + b; break;
	case DW_OP_minus: *to = a - b; break;
	case DW_OP_mul: *to = a * b; break;
	case DW_OP_div:
	case DW_OP_mod: return divide(op, a, b, to);
	case DW_OP_and: *to = a & b; break;
	case DW_OP_or: *to = a | b; break;
	case DW_OP_xor: *to = a ^ b; break;
	case DW_OP_shl: *to = b < 64 ? a << b : 0; break;
	case DW_OP_shr: *to = b < 64 ? a >> b : 0; break;
	case DW_OP_shra: *to = (uint64_t)(x >> (b < 64 ? b : 63)); break;
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

static bool is_constant(uint8_t op, struct dwarf_reader *r, uint64_t *value)
{
	switch (op) {
	case DW_OP_const1u: *value = dwarf_unsigned(r, 1); break;
	case DW_OP_const1s: *value = (uint64_t)dwarf_signed(r, 1); break;
	case DW_OP_const2u: *value = dwarf_unsigned(r, 2); break;
	case DW_OP_const2s: *value = (uint64_t)dwarf_signed(r, 2); break;
	case DW_OP_const4u: *value = dwarf_unsigned(r, 4); break;
	case DW_OP_const4s: *value = (uint64_t)dwarf_signed(r, 4); break;
	case DW_OP_const8u:
	case DW_OP_const8s: *value = dwarf_unsigned(r, 8); break;
	case DW_OP_constu: *value = dwarf_uleb(r); break;
	case DW_OP_consts: *value = (uint64_t)dwarf_sleb(r); break;
	default:
		*value = (uint64_t)op - DW_OP_lit0;
		return op >= DW_OP_lit0 && op <= DW_OP_lit31;
	}
	return true;
}

/* An operation that reads a register or memory; false: it fails, or is none of them. */
static bool fetch(const struct unwind_state *s, uint8_t op, struct dwarf_reader *r,
		  struct values *values)
{
	uint64_t number = (uint64_t)op - DW_OP_breg0, value;
	bool got;

	if (op == DW_OP_deref || op == DW_OP_deref_size) {
		number = op == DW_OP_deref ? sizeof(value) : dwarf_unsigned(r, 1);
		return number <= sizeof(value) && pop(values, &value) &&
		       unwind_state_read(s, value, number, &value) && push(values, value);
	}
	if (op == DW_OP_bregx)
		number = dwarf_uleb(r);
	else if (op < DW_OP_breg0 || op > DW_OP_breg31)
		return false;
	got = unwind_state_register(s, number, &value);
	return got && push(values, value + (uint64_t)dwarf_sleb(r));
}

/* An operation that only changes the stack, or one of those above */
static bool compute(const struct unwind_state *s, uint8_t op, struct dwarf_reader *r,
		    struct values *values)
{
	uint64_t a, b;

	if (is_constant(op, r, &a))
		return push(values, a);
	switch (op) {
	case DW_OP_nop: return true;
	case DW_OP_dup: return pick(values, 0);
	case DW_OP_over: return pick(values, 1);
	case DW_OP_pick: return pick(values, dwarf_unsigned(r, 1));
	case DW_OP_drop: return pop(values, &a);
	case DW_OP_rot: return rotate(values);
	case DW_OP_swap:
		return pop(values, &b) && pop(values, &a) && push(values, b) && push(values, a);
	case DW_OP_neg: return pop(values, &a) && push(values, -a);
	case DW_OP_not: return pop(values, &a) && push(values, ~a);
	case DW_OP_abs: return pop(values, &a) && push(values, (int64_t)a < 0 ? -a : a);
	case DW_OP_plus_uconst: return pop(values, &a) && push(values, a + dwarf_uleb(r));
	}
	if (fetch(s, op, r, values))
		return true;
	return pop(values, &b) && pop(values, &a) && combine(op, a, b, &a) && push(values, a);
}

/* Go on elsewhere in the expression, if the branch is taken. */
static bool branch(uint8_t op, struct dwarf_reader *r, const uint8_t *begin, struct values *values)
{
	const int64_t by = dwarf_signed(r, 2);
	uint64_t condition = 1;

	if (op == DW_OP_bra && !pop(values, &condition))
		return false;
	if (!condition)
		return true;
	if (by < begin - r->at || by > r->end - r->at)
		return false;
	r->at += by;
	return true;
}

bool expression_evaluate(const struct unwind_state *s, const uint8_t *bytes, size_t size,
			 const uint64_t *first, uint64_t *value)
{
	struct dwarf_reader r = { bytes, bytes + size, false };
	struct values values = { .count = 0 };
	unsigned int steps = 0;
	uint8_t op;
	bool done;

	if (first)
		push(&values, *first);
	while (r.at < r.end) {
		if (steps++ == EXPRESSION_STEPS_MAX)
			return false;
		op = (uint8_t)dwarf_unsigned(&r, 1);
		done = op == DW_OP_skip || op == DW_OP_bra ? branch(op, &r, bytes, &values) :
							     compute(s, op, &r, &values);
		if (!done || r.bad)
			return false;
	}
	return pop(&values, value);
}
