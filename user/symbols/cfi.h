/* SPDX-License-Identifier: MIT */
/*
 * cfi.h - the call frame information of a file (.eh_frame): how to get from an address to its
 * caller, on x86-64
 *
 * libdw reads such tables, too, but a file can make it allocate gigabytes, by the number of a
 * register or by states that it remembers, at each address anew. The file may be anybody's: here
 * nothing in it is believed, and all that one address costs is bounded.
 */
#ifndef ETW_SYMBOLS_CFI_H
#define ETW_SYMBOLS_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CFI_REGISTERS		17	/* rax to r15, and the return address; others have no rules */
#define CFI_PROGRAM_MAX		65536	/* bytes of the rules of a function */
#define CFI_STATES_MAX		16	/* that are remembered at once */
#define CFI_ENTRIES_MAX		(1u << 22)	/* functions of a file */

enum cfi_how {
	CFI_UNSPECIFIED,	/* as the ABI has it */
	CFI_UNDEFINED,		/* lost; of the return address: the function has no caller */
	CFI_SAME,
	CFI_OFFSET,		/* it lies at the CFA + value */
	CFI_VAL_OFFSET,		/* it is the CFA + value */
	CFI_REGISTER,		/* it is in that register; the CFA is that register + value */
	CFI_EXPRESSION,		/* it lies where the expression says */
	CFI_VAL_EXPRESSION,	/* it is what the expression says */
};

struct cfi_rule {
	uint8_t how;
	uint8_t number;		/* of the register */
	uint16_t length;	/* of the expression ... */
	int32_t value;		/* ... which lies at this offset of the table */
};

enum cfi_found {
	CFI_NONE,	/* no entry has the address */
	CFI_FOUND,
	CFI_REFUSED,	/* its entry cannot be used */
};

/* The canonical frame address is the stack pointer before the call. */
struct cfi_rules {
	struct cfi_rule cfa, registers[CFI_REGISTERS];
	uint8_t found;
	bool signal;	/* a signal's frame: the processor was where it returns to */
};

struct cfi_table;

/*
 * Index a section, which is loaded at this address and must stay. NULL: something in it is not
 * understood, or there is no memory.
 */
struct cfi_table *cfi_table_new(const void *bytes, size_t size, uint64_t address);
void cfi_table_free(struct cfi_table *table);	/* NULL is fine */
/* No other table of this process has had this number; not 0. */
uint64_t cfi_table_id(const struct cfi_table *table);

/* The rules at an address */
void cfi_find(const struct cfi_table *table, uint64_t address, struct cfi_rules *rules);
/* Where the function's entry begins that has the address, and where it ends; false: none has it. */
bool cfi_extent(const struct cfi_table *table, uint64_t address, uint64_t *begin, uint64_t *end);
/* The bytes of a rule's expression */
const uint8_t *cfi_expression(const struct cfi_table *table, const struct cfi_rule *rule);

#endif /* ETW_SYMBOLS_CFI_H */
