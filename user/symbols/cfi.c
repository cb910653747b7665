/* SPDX-License-Identifier: MIT */
/*
 * cfi.c - the call frame information of a file
 *
 * Its entries are indexed by their address once; the rules of one address are then found by a
 * binary search, and by running its entry's program up to that address.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "base/grow.h"
#include "cfi.h"
#include "dwarf_reader.h"

#define EXTENDED	0xfffffff0u	/* lengths from here on mean 64-bit DWARF, which nothing writes */
#define RETURN_ADDRESS	16
#define FORMAT		0x0f		/* of the encoding of a pointer */
#define APPLICATION	0x70

struct entry {
	uint64_t begin;		/* the first address */
	uint32_t at;		/* offset in the section */
};

struct cfi_table {
	const uint8_t *bytes;
	size_t size;
	uint64_t address, id;
	struct entry *entries;
	size_t count;
};

/* What functions have in common (common information entry) */
struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	struct dwarf_reader program;
	uint8_t encoding;	/* of addresses */
	bool has_sizes;		/* its functions have the size of their augmentation */
	bool signal;
};

/* A function (frame description entry) */
struct fde {
	struct cie cie;
	uint64_t begin, size;
	struct dwarf_reader program;
};

/* ------------------------------------------------------------------------ entries */

static uint64_t read_pointer(const struct cfi_table *table, struct dwarf_reader *r, uint8_t encoding)
{
	const uint64_t here = table->address + (uint64_t)(r->at - table->bytes);
	uint64_t value = 0;

	switch (encoding & FORMAT) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: value = dwarf_unsigned(r, 8); break;
	case DW_EH_PE_udata2: value = dwarf_unsigned(r, 2); break;
	case DW_EH_PE_udata4: value = dwarf_unsigned(r, 4); break;
	case DW_EH_PE_sdata2: value = (uint64_t)dwarf_signed(r, 2); break;
	case DW_EH_PE_sdata4: value = (uint64_t)dwarf_signed(r, 4); break;
	default: r->bad = true;
	}
	if ((encoding & APPLICATION) == DW_EH_PE_pcrel)
		value += here;
	else if (encoding & (APPLICATION | DW_EH_PE_indirect))
		r->bad = true;
	return value;
}

/* The bytes of the entry at an offset in the section; false: it is damaged. */
static bool read_entry(const struct cfi_table *table, size_t at, struct dwarf_reader *r)
{
	uint64_t length;

	*r = (struct dwarf_reader){ table->bytes + at, table->bytes + table->size, false };
	length = dwarf_unsigned(r, 4);
	if (r->bad || length >= EXTENDED || length > (uint64_t)(r->end - r->at))
		return false;
	r->end = r->at + length;
	return true;
}

/* Behind "z", whose data has a size */
static void read_augmentation(const struct cfi_table *table, struct cie *cie, const char *letters,
			      struct dwarf_reader *r)
{
	uint8_t encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = (uint8_t)dwarf_unsigned(r, 1);
			break;
		case 'P':	/* of exceptions */
			encoding = (uint8_t)dwarf_unsigned(r, 1);
			read_pointer(table, r, encoding & FORMAT);
			break;
		case 'L':
			dwarf_unsigned(r, 1);
			break;
		case 'S':
			cie->signal = true;
			break;
		default:
			r->bad = true;
		}
	}
}

static bool read_cie(const struct cfi_table *table, size_t at, struct cie *cie)
{
	struct dwarf_reader r, data;
	const char *letters;
	const uint8_t *bytes;
	uint64_t version, returns, size;

	*cie = (struct cie){ .encoding = DW_EH_PE_absptr };
	if (!read_entry(table, at, &r) || dwarf_unsigned(&r, 4))
		return false;
	version = dwarf_unsigned(&r, 1);
	letters = (const char *)r.at;
	bytes = memchr(r.at, 0, (size_t)(r.end - r.at));
	if (!bytes || (version != 1 && version != 3))
		return false;
	r.at = bytes + 1;
	cie->code_factor = dwarf_uleb(&r);
	cie->data_factor = dwarf_sleb(&r);
	returns = version == 1 ? dwarf_unsigned(&r, 1) : dwarf_uleb(&r);
	if (*letters == 'z') {
		cie->has_sizes = true;
		size = dwarf_uleb(&r);
		bytes = dwarf_skip(&r, size);
		if (!bytes)
			return false;
		data = (struct dwarf_reader){ bytes, bytes + size, false };
		read_augmentation(table, cie, letters + 1, &data);
		r.bad |= data.bad;
	} else if (*letters) {
		return false;
	}
	cie->program = r;
	return !r.bad && returns == RETURN_ADDRESS && r.end - r.at <= CFI_PROGRAM_MAX;
}

static bool read_fde(const struct cfi_table *table, size_t at, struct fde *fde)
{
	struct dwarf_reader r;
	uint64_t back;
	size_t here;

	if (!read_entry(table, at, &r))
		return false;
	here = (size_t)(r.at - table->bytes);
	back = dwarf_unsigned(&r, 4);
	if (!back || back > here || !read_cie(table, here - back, &fde->cie))
		return false;
	fde->begin = read_pointer(table, &r, fde->cie.encoding);
	fde->size = read_pointer(table, &r, fde->cie.encoding & FORMAT);
	if (fde->cie.has_sizes)
		dwarf_skip(&r, dwarf_uleb(&r));
	fde->program = r;
	return !r.bad;
}

/* -------------------------------------------------------------------------- index */

static bool add_entry(struct cfi_table *table, uint64_t begin, size_t at)
{
	const size_t count = table->count;
	struct entry *grown;

	if (count == CFI_ENTRIES_MAX)
		return false;
	grown = etw_grow(table->entries, count, sizeof(*grown));
	if (!grown)
		return false;
	table->entries = grown;
	table->entries[table->count++] = (struct entry){ begin, (uint32_t)at };
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static bool index_entries(struct cfi_table *table)
{
	struct dwarf_reader r;
	struct fde fde;
	size_t at, next;

	for (at = 0; at < table->size; at = next) {
		if (!read_entry(table, at, &r))
			return false;
		next = (size_t)(r.end - table->bytes);
		/* Linkers leave empty entries, which end their part; another one's may follow. */
		if (r.at == r.end || !dwarf_unsigned(&r, 4))
			continue;
		if (!read_fde(table, at, &fde) || !add_entry(table, fde.begin, at))
			return false;
	}
	if (table->count)
		qsort(table->entries, table->count, sizeof(*table->entries), by_begin);
	return table->count;
}

struct cfi_table *cfi_table_new(const void *bytes, size_t size, uint64_t address)
{
	static uint64_t last_id;
	struct cfi_table *table;

	/* Rules have offsets of 31 bits. */
	if (!size || size > INT32_MAX)
		return NULL;
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->bytes = bytes;
	table->size = size;
	table->address = address;
	table->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	if (index_entries(table))
		return table;
	cfi_table_free(table);
	return NULL;
}

void cfi_table_free(struct cfi_table *table)
{
	if (!table)
		return;
	free(table->entries);
	free(table);
}

uint64_t cfi_table_id(const struct cfi_table *table)
{
	return table->id;
}

static bool find_fde(const struct cfi_table *table, uint64_t address, struct fde *fde)
{
	size_t low = 0, high = table->count, middle;

	/* The last one that does not begin behind it */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (table->entries[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && read_fde(table, table->entries[low - 1].at, fde) &&
	       address - fde->begin < fde->size;
}

bool cfi_extent(const struct cfi_table *table, uint64_t address, uint64_t *begin, uint64_t *end)
{
	struct fde fde;

	if (!find_fde(table, address, &fde))
		return false;
	*begin = fde.begin;
	if (__builtin_add_overflow(fde.begin, fde.size, end))
		*end = UINT64_MAX;
	return true;
}

const uint8_t *cfi_expression(const struct cfi_table *table, const struct cfi_rule *rule)
{
	return table->bytes + rule->value;
}

/* ----------------------------------------------------------------------- programs */

/* A program that runs. Without initial it is that of the CIE. */
struct run {
	const struct cfi_table *table;
	const struct cie *cie;
	struct dwarf_reader r;
	struct cfi_rules *rules;
	const struct cfi_rules *initial;
	struct cfi_rules states[CFI_STATES_MAX];
	unsigned int depth;
	uint64_t location, address;	/* the rules are those from the one on; wanted are the other's */
};

static bool fits(int64_t value, int32_t *to)
{
	*to = (int32_t)value;
	return *to == value;
}

/* Set a register's rule; value is multiplied. Registers that are not kept may have any. */
static bool set_rule(struct run *run, uint64_t number, enum cfi_how how, int64_t value, int64_t factor)
{
	struct cfi_rule rule = { .how = (uint8_t)how };

	if (number >= CFI_REGISTERS)
		return true;
	if (__builtin_mul_overflow(value, factor, &value) || !fits(value, &rule.value))
		return false;
	run->rules->registers[number] = rule;
	return true;
}

static bool set_expression(struct run *run, struct cfi_rule *rule, enum cfi_how how)
{
	const uint64_t length = dwarf_uleb(&run->r);
	const uint8_t *bytes = dwarf_skip(&run->r, length);

	if (!bytes || length > UINT16_MAX)
		return false;
	if (rule)
		*rule = (struct cfi_rule){ .how = (uint8_t)how, .length = (uint16_t)length,
					   .value = (int32_t)(bytes - run->table->bytes) };
	return true;
}

static bool set_cfa(struct run *run, uint64_t number, int64_t offset)
{
	struct cfi_rule rule = { .how = CFI_REGISTER, .number = (uint8_t)number };

	if (number >= CFI_REGISTERS || !fits(offset, &rule.value))
		return false;
	run->rules->cfa = rule;
	return true;
}

/* Keep the number of the register, or the offset, which there must be. */
static bool change_cfa(struct run *run, uint64_t number, int64_t offset, bool keep_number)
{
	const struct cfi_rule *old = &run->rules->cfa;

	if (old->how != CFI_REGISTER)
		return false;
	return keep_number ? set_cfa(run, old->number, offset) : set_cfa(run, number, old->value);
}

static bool advance(struct run *run, uint64_t by)
{
	if (!run->initial || __builtin_mul_overflow(by, run->cie->code_factor, &by))
		return false;
	/* Do not wrap around to addresses that were passed. */
	return !__builtin_add_overflow(run->location, by, &run->location);
}

static bool restore(struct run *run, uint64_t number)
{
	if (!run->initial)
		return false;
	if (number < CFI_REGISTERS)
		run->rules->registers[number] = run->initial->registers[number];
	return true;
}

static bool copy_register(struct run *run, uint64_t number, uint64_t from)
{
	if (number >= CFI_REGISTERS)
		return true;
	/* What is not kept is lost. */
	if (from >= CFI_REGISTERS)
		return set_rule(run, number, CFI_UNDEFINED, 0, 0);
	run->rules->registers[number] = (struct cfi_rule){ CFI_REGISTER, (uint8_t)from, 0, 0 };
	return true;
}

static bool run_state(struct run *run, uint8_t op)
{
	if (op == DW_CFA_remember_state) {
		if (run->depth == CFI_STATES_MAX)
			return false;
		run->states[run->depth++] = *run->rules;
		return true;
	}
	if (!run->depth)
		return false;
	*run->rules = run->states[--run->depth];
	return true;
}

/* The operations that change how the CFA is found */
static bool run_cfa(struct run *run, uint8_t op)
{
	struct dwarf_reader *r = &run->r;
	uint64_t number = 0;
	int64_t offset = 0;

	if (op == DW_CFA_def_cfa_expression)
		return set_expression(run, &run->rules->cfa, CFI_VAL_EXPRESSION);
	if (op != DW_CFA_def_cfa_offset && op != DW_CFA_def_cfa_offset_sf)
		number = dwarf_uleb(r);
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_offset)
		offset = (int64_t)dwarf_uleb(r);
	else if (op != DW_CFA_def_cfa_register &&
		 __builtin_mul_overflow(dwarf_sleb(r), run->cie->data_factor, &offset))
		return false;
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_sf)
		return set_cfa(run, number, offset);
	return change_cfa(run, number, offset, op != DW_CFA_def_cfa_register);
}

/* The operations that change the rule of a register */
static bool run_register(struct run *run, uint8_t op)
{
	struct dwarf_reader *r = &run->r;
	const int64_t factor = run->cie->data_factor;
	const uint64_t number = dwarf_uleb(r);

	switch (op) {
	case DW_CFA_restore_extended:
		return restore(run, number);
	case DW_CFA_undefined:
		return set_rule(run, number, CFI_UNDEFINED, 0, 0);
	case DW_CFA_same_value:
		return set_rule(run, number, CFI_SAME, 0, 0);
	case DW_CFA_register:
		return copy_register(run, number, dwarf_uleb(r));
	case DW_CFA_offset_extended:
		return set_rule(run, number, CFI_OFFSET, (int64_t)dwarf_uleb(r), factor);
	case DW_CFA_offset_extended_sf:
		return set_rule(run, number, CFI_OFFSET, dwarf_sleb(r), factor);
	case DW_CFA_GNU_negative_offset_extended:
		return set_rule(run, number, CFI_OFFSET, (int64_t)(0 - dwarf_uleb(r)), factor);
	case DW_CFA_val_offset:
		return set_rule(run, number, CFI_VAL_OFFSET, (int64_t)dwarf_uleb(r), factor);
	case DW_CFA_val_offset_sf:
		return set_rule(run, number, CFI_VAL_OFFSET, dwarf_sleb(r), factor);
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return set_expression(run, number < CFI_REGISTERS ?
					   &run->rules->registers[number] : NULL,
				      op == DW_CFA_expression ? CFI_EXPRESSION : CFI_VAL_EXPRESSION);
	}
	return false;
}

static bool run_operation(struct run *run)
{
	struct dwarf_reader *r = &run->r;
	const uint8_t op = (uint8_t)dwarf_unsigned(r, 1), low = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(run, low);
	case DW_CFA_offset:
		return set_rule(run, low, CFI_OFFSET, (int64_t)dwarf_uleb(r), run->cie->data_factor);
	case DW_CFA_restore:
		return restore(run, low);
	}
	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		return advance(run, dwarf_unsigned(r, 1));
	case DW_CFA_advance_loc2:
		return advance(run, dwarf_unsigned(r, 2));
	case DW_CFA_advance_loc4:
		return advance(run, dwarf_unsigned(r, 4));
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return run_state(run, op);
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_def_cfa_expression:
		return run_cfa(run, op);
	case DW_CFA_GNU_args_size:	/* only exceptions need it */
		dwarf_uleb(r);
		return true;
	}
	return run_register(run, op);
}

/* Run up to the address. */
static bool run_program(struct run *run, const struct dwarf_reader *program,
			const struct cfi_rules *initial)
{
	run->r = *program;
	run->initial = initial;
	run->depth = 0;
	while (run->r.at < run->r.end) {
		if (!run_operation(run) || run->r.bad)
			return false;
		if (initial && run->location > run->address)
			break;
	}
	return true;
}

void cfi_find(const struct cfi_table *table, uint64_t address, struct cfi_rules *rules)
{
	struct cfi_rules initial;
	struct fde fde;
	struct run run;

	memset(rules, 0, sizeof(*rules));
	if (!find_fde(table, address, &fde))
		return;
	rules->found = CFI_REFUSED;
	rules->signal = fde.cie.signal;
	if (fde.program.end - fde.program.at > CFI_PROGRAM_MAX)
		return;
	run.table = table;
	run.cie = &fde.cie;
	run.rules = rules;
	run.location = fde.begin;
	run.address = address;
	if (!run_program(&run, &fde.cie.program, NULL))
		return;
	initial = *rules;
	if (run_program(&run, &fde.program, &initial) && rules->cfa.how != CFI_UNSPECIFIED)
		rules->found = CFI_FOUND;
}
