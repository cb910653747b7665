/* SPDX-License-Identifier: MIT */
/*
 * expression.h - expressions of DWARF in unwind tables, and what they read
 *
 * Both the expression and the memory may be anybody's: nothing in them is believed, and what an
 * expression costs is bounded.
 */
#ifndef ETW_SYMBOLS_EXPRESSION_H
#define ETW_SYMBOLS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/format.h>

#define EXPRESSION_VALUES_MAX	64	/* on the stack of an expression */
#define EXPRESSION_STEPS_MAX	256	/* operations, repeated ones included */

/* The registers of one frame, and all the memory there is */
struct unwind_state {
	uint64_t registers[ETW_USER_STACK_REGISTERS];
	uint32_t known;		/* a bit for each */
	const uint8_t *memory;
	uint64_t begin;		/* its address */
	size_t size;
	uint16_t absent;	/* a bit for each of its pages that was not present */
};

/* false: it is not known. */
bool unwind_state_read(const struct unwind_state *s, uint64_t at, size_t size, uint64_t *value);
bool unwind_state_register(const struct unwind_state *s, uint64_t number, uint64_t *value);

/*
 * The value of an expression; first: the CFA, on its stack at the begin, or NULL. false: it needs
 * what is not known, is too long, or is none.
 */
bool expression_evaluate(const struct unwind_state *s, const uint8_t *bytes, size_t size,
			 const uint64_t *first, uint64_t *value);

#endif /* ETW_SYMBOLS_EXPRESSION_H */
