/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - the callers in a copy of a program's stack, by the unwind tables of its files
 */
#include <elf.h>
#include <string.h>

#include "expression.h"
#include "symbolizer.h"
#include "unwind.h"

#define RBX		3
#define RBP		6
#define RSP		7
#define R12		12
#define RIP		16	/* also the column of the return address */
/* What functions keep for their callers */
#define KEPT		(1u << RBX | 1u << RBP | 0xfu << R12)

_Static_assert(CFI_REGISTERS == ETW_USER_STACK_REGISTERS, "the registers that a copy has");

struct walk {
	struct unwind_state s;
	struct cfi_cache *cache;
	unwind_find *find;
	void *context;
	bool exact;		/* the processor was at the frame's address */
	bool by_pointer;	/* the frame was found by a frame pointer */
};

enum step { STEP_DONE, STEP_END, STEP_LOST };

/* Be the caller's frame. */
static enum step enter(struct walk *w, const uint64_t *registers, uint32_t known)
{
	memcpy(w->s.registers, registers, sizeof(w->s.registers));
	w->s.known = known | 1u << RSP | 1u << RIP;
	w->by_pointer = false;
	return registers[RIP] ? STEP_DONE : STEP_END;
}

/* ------------------------------------------------------------------------ tables */

/* The register's value in the caller; false: it is not known there. */
static bool caller_register(const struct unwind_state *s, const struct cfi_table *table,
			    const struct cfi_rules *rules, uint64_t cfa, unsigned int number,
			    uint64_t *value)
{
	const struct cfi_rule *rule = &rules->registers[number];
	const uint64_t at = cfa + (uint64_t)(int64_t)rule->value;

	switch (rule->how) {
	case CFI_UNSPECIFIED:
		return KEPT >> number & 1 && unwind_state_register(s, number, value);
	case CFI_SAME:
		return unwind_state_register(s, number, value);
	case CFI_OFFSET:
		return unwind_state_read(s, at, sizeof(*value), value);
	case CFI_VAL_OFFSET:
		*value = at;
		return true;
	case CFI_REGISTER:
		return unwind_state_register(s, rule->number, value);
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
		return expression_evaluate(s, cfi_expression(table, rule), rule->length, &cfa,
					   value) &&
		       (rule->how == CFI_VAL_EXPRESSION ||
			unwind_state_read(s, *value, sizeof(*value), value));
	}
	return false;
}

static bool find_cfa(const struct unwind_state *s, const struct cfi_table *table,
		     const struct cfi_rule *rule, uint64_t *cfa)
{
	if (rule->how == CFI_VAL_EXPRESSION)
		return expression_evaluate(s, cfi_expression(table, rule), rule->length, NULL, cfa);
	if (!unwind_state_register(s, rule->number, cfa))
		return false;
	*cfa += (uint64_t)(int64_t)rule->value;
	return true;
}

static enum step step_by_table(struct walk *w, const struct cfi_table *table,
			       const struct cfi_rules *rules)
{
	uint64_t registers[CFI_REGISTERS] = { 0 }, cfa;
	uint32_t known = 0;
	unsigned int i;

	w->exact = rules->signal;
	if (rules->found != CFI_FOUND || !find_cfa(&w->s, table, &rules->cfa, &cfa))
		return STEP_LOST;
	/* Callers' frames do not lie lower; but a signal may have come on another stack. */
	if (!rules->signal && cfa < w->s.registers[RSP])
		return STEP_LOST;
	if (rules->registers[RIP].how == CFI_UNDEFINED)
		return STEP_END;
	if (!caller_register(&w->s, table, rules, cfa, RIP, &registers[RIP]))
		return STEP_LOST;
	for (i = 0; i < RIP; i++)
		if (caller_register(&w->s, table, rules, cfa, i, &registers[i]))
			known |= 1u << i;
	if (!(known & 1u << RSP))
		registers[RSP] = cfa;
	return enter(w, registers, known);
}

/* -------------------------------------------------------------------- no tables */

/*
 * By the frame pointer, which points to that of the caller; the return address is above. The kernel
 * starts a program with 0, which is the end where code keeps frame pointers, or in_file is where a
 * program begins.
 */
static enum step step_by_pointer(struct walk *w, bool in_file)
{
	struct unwind_state *s = &w->s;
	uint64_t at, next, returns;

	if (!unwind_state_register(s, RBP, &at))
		return STEP_LOST;
	if (!at)
		return w->by_pointer || in_file ? STEP_END : STEP_LOST;
	if (at < s->registers[RSP] || at % sizeof(at) ||
	    !unwind_state_read(s, at, sizeof(next), &next) ||
	    !unwind_state_read(s, at + sizeof(next), sizeof(returns), &returns) || (next && next <= at))
		return STEP_LOST;
	s->registers[RBP] = next;
	s->registers[RSP] = at + 2 * sizeof(at);
	s->registers[RIP] = returns;
	s->known = 1u << RBP | 1u << RSP | 1u << RIP;
	w->by_pointer = true;
	return returns ? STEP_DONE : STEP_END;
}

/* A call of five bytes: its operation, and how far it leads from its end */
#define CALL		0xe8
#define CALL_BYTES	5
#define CALL_NEAR	256

/* From an address up to another there is no function of the table but one that begins there. */
static bool is_one_function(const struct cfi_table *table, uint64_t from, uint64_t to)
{
	uint64_t at, begin, end;

	for (at = from; to - at <= CALL_NEAR; at++) {
		if (!cfi_extent(table, at, &begin, &end))
			continue;
		if (begin != from)
			return false;
		at = end - 1;
	}
	return true;
}

/*
 * A function's entry may end before its system call, as in clone3() of glibc, where the thread that
 * it starts has no caller. In the thread that calls it the return address is at the stack pointer:
 * accept only an address behind a call that leads to the begin of this function.
 */
static enum step step_by_call(struct walk *w, struct elf_functions *file,
			      const struct cfi_table *table, uint64_t in_file)
{
	const uint64_t sp = w->s.registers[RSP];
	uint64_t registers[CFI_REGISTERS], returns, returns_in_file, target;
	struct elf_functions *caller;
	uint8_t call[CALL_BYTES];
	int32_t by;

	if (!unwind_state_read(&w->s, sp, sizeof(returns), &returns) || !returns ||
	    returns >= SYMBOLIZER_KERNEL ||
	    !w->find(w->context, returns - 1, &caller, &returns_in_file) || caller != file)
		return STEP_LOST;
	/* Both in one mapping of the file */
	returns_in_file++;
	if (returns - returns_in_file != w->s.registers[RIP] - in_file ||
	    !elf_functions_read(file, returns_in_file - CALL_BYTES, call, sizeof(call)) ||
	    call[0] != CALL)
		return STEP_LOST;
	memcpy(&by, call + 1, sizeof(by));
	target = returns_in_file + (uint64_t)(int64_t)by;
	if (in_file < target || in_file - target > CALL_NEAR ||
	    !is_one_function(table, target, in_file))
		return STEP_LOST;
	memcpy(registers, w->s.registers, sizeof(registers));
	registers[RSP] = sp + sizeof(returns);
	registers[RIP] = returns;
	w->exact = false;
	return enter(w, registers, w->s.known & KEPT);
}

static enum step step(struct walk *w)
{
	const bool exact = w->exact;
	const uint64_t pc = w->s.registers[RIP] - !exact;
	const struct cfi_table *table;
	const struct cfi_rules *rules;
	struct elf_functions *file;
	uint64_t in_file;

	w->exact = false;
	if (!w->find(w->context, pc, &file, &in_file))
		return step_by_pointer(w, false);
	table = file ? elf_functions_cfi(file) : NULL;
	if (!table)	/* as in debug information that lies apart */
		return STEP_LOST;
	rules = cfi_cache_find(w->cache, table, in_file);
	if (rules->found != CFI_NONE)
		return step_by_table(w, table, rules);
	if (exact && step_by_call(w, file, table, in_file) == STEP_DONE)
		return STEP_DONE;
	return step_by_pointer(w, true);
}

unsigned int unwind(const void *item, size_t len, struct cfi_cache *cache, unwind_find *find,
		    void *context, struct unwound *frames, unsigned int room, bool *whole)
{
	struct walk w = { .cache = cache, .find = find, .context = context, .exact = true };
	struct etw_ext_user_stack head;
	enum step ret = STEP_DONE;
	unsigned int count = 0;

	*whole = false;
	if (len < sizeof(head))
		return 0;
	memcpy(&head, item, sizeof(head));
	if (head.machine != EM_X86_64)
		return 0;
	memcpy(w.s.registers, head.registers, sizeof(w.s.registers));
	w.s.known = (1u << ETW_USER_STACK_REGISTERS) - 1;
	w.s.memory = (const uint8_t *)item + sizeof(head);
	w.s.size = len - sizeof(head);
	w.s.begin = w.s.registers[RSP];
	w.s.absent = head.absent;
	while (ret == STEP_DONE && count < room && w.s.registers[RIP] < SYMBOLIZER_KERNEL) {
		frames[count++] = (struct unwound){ w.s.registers[RIP], w.exact };
		ret = step(&w);
	}
	*whole = ret == STEP_END;
	return count;
}
