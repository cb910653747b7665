// SPDX-License-Identifier: GPL-2.0-only
/*
 * args.c - converts the values of a call to the kernel's input: numbers, pointers to
 * memory of all kinds, and the struct
 */
#define _GNU_SOURCE
#include "exec.h"

static const uint64_t interesting[] = {
	0, 1, 2, 3, 4, 7, 8, 16, 64, 65, 127, 128, 129, 192, 193, 255, 256, 1023, 1024, 1025, 4095, 4096,
	4097, 8192, 32768, 65454, 65455, 65456, 65535, 65536, 131072, 131073, 0x7fffffff,
	0x80000000, 0xfffffffe, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
	0x8000000000000000, 0xfffffffffffff000, 0xffffffffffffffff,
};

static const uint64_t keywords[] = {
	0, 1, 2, 3, 5, 0x8000000000000001, 0xffffffffffffffff, 0x100000001,
};

static const uint8_t levels[] = { 0, 1, 4, 5, 255, 3, 254, 6 };

#define PICK(table, value) ((table)[(value) % (sizeof(table) / sizeof((table)[0]))])

/* --------------------------------------------------------------------- places */

/*
 * Place len bytes of content: the caller writes them at *to and passes the return value
 * to the kernel.
 */
static uint64_t place(struct room *r, unsigned int where, uint32_t len, uint8_t **to)
{
	uint8_t *a = arena(r->thread), *own;

	if (r->used + len + 8 > DATA_ROOM)
		r->used = 0;
	own = a + AT_DATA + r->used;
	*to = own;
	switch (where % PLACES) {
	case 1: /* up to the inaccessible page */
		*to = a + AT_GUARD2 - len;
		return (uintptr_t)*to;
	case 2:
		return UNMAPPED;
	case 3:
		return (uintptr_t)(a + AT_CONST);
	case 4:
		return (uintptr_t)map_area(0);
	case 5:
		*to = own + 1;
		r->used += (len + 8) & ~7u;
		return (uintptr_t)*to;
	case 6:
		return 0;
	case 7:
		return 0xffff888000001000ull;
	case 8:
		return 0x8000000000001000ull;
	case 9:
		return (uintptr_t)(a + AT_GUARD);
	case 10:
		return (uintptr_t)(a + AT_GUARD2 - len / 2);
	case 11:
		return (uintptr_t)(a + AT_STRUCT);
	case 12: /* next to the struct, which may be in the same page; results may not fit */
		*to = a + AT_FLEETING + ALIAS + PAGE / 2;
		if (len <= PAGE / 2)
			return (uintptr_t)(*to - ALIAS);
		*to = own;
		return (uintptr_t)(a + AT_FLEETING + PAGE / 2);
	}
	r->used += (len + 7) & ~7u;
	return (uintptr_t)own;
}

/* A raw pointer must not point into this program's own memory. */
uint64_t raw_pointer(uint64_t value)
{
	if (value < ARENAS_BASE || value >= 1ull << 47)
		return value;
	if (value >= ARENAS_BASE && value < ARENAS_BASE + (THREADS + 1) * ARENA)
		return value;
	return UNMAPPED + (value & 0xfff);
}

uint64_t put(struct room *r, unsigned int where, const void *bytes, uint32_t len)
{
	uint8_t *to;
	uint64_t ptr = place(r, where, len, &to);

	memcpy(to, bytes, len);
	return ptr;
}

/* ------------------------------------------------------------------- pointers */

static uint64_t name_arg(struct exec *x, struct room *r, const struct arg *arg, bool needed)
{
	char text[1100];
	unsigned int what = arg->mode == ARG_PICK ? arg->value >> 4 & 15 : 12;
	uint32_t len;

	memset(text, 'n', sizeof(text));
	if (arg->mode == ARG_RAW) {
		r->len = 8;
		return raw_pointer(arg->value);
	}
	switch (what) {
	case 4: len = 1024; break;
	case 5: len = 1025; break;
	case 6: len = 9; text[4] = 0; break;
	case 7: len = sprintf(text, "FUZZ-1"); break;
	case 8: len = sprintf(text, "fu\xc3\xa4z\xe2\x82\xac"); break;
	case 9: len = 1; break;
	case 10: len = 0; break;
	case 11: len = 60; break;
	case 12:
		len = needed ? sprintf(text, "fuzz-%u", atomic_load(&x->handle_count)) : 0;
		if (!len)
			return r->len = 0;
		break;
	default:
		len = sprintf(text, "fuzz-%u", what % 4);
	}
	r->len = len;
	return put(r, arg->mode == ARG_PICK ? arg->value & 15 : 0, text, len);
}

static uint64_t out_arg(struct room *r, const struct arg *arg, bool large)
{
	uint32_t len = large ? 16 * PAGE : 2 * PAGE;
	uint8_t *to;

	r->len = len;
	r->outs++;
	if (arg->mode == ARG_RAW)
		return raw_pointer(arg->value);
	return place(r, arg->mode == ARG_PICK ? arg->value & 15 : 0, len, &to);
}

/* Address of a piece of payload */
static uint64_t piece_ptr(struct room *r, uint64_t seed, uint32_t size)
{
	switch (seed >> 8 & 0x3f) {
	case 1: return UNMAPPED;
	case 2: return PAYLOAD_BASE + PAYLOAD_ROOM - (size < PAYLOAD_ROOM ? size : 0);
	case 3: return PAYLOAD_BASE + PAYLOAD_ROOM - (size < PAYLOAD_ROOM ? size / 2 : 1);
	case 4: return (uintptr_t)map_area(0);
	case 5: return (uintptr_t)(arena(r->thread) + AT_CONST);
	case 6: return 0xffff888000001000ull;
	case 7: return 0;
	case 8: return 0x8000000000001000ull;
	}
	return PAYLOAD_BASE + (seed >> 16 & 7);
}

static uint64_t pieces_arg(struct room *r, const struct arg *arg)
{
	static const uint8_t counts[] = { 1, 2, 3, 8, 9, 16, 0, 128, 129, 1, 4, 1, 2, 1, 60, 1 };
	static const uint32_t sizes[] = { 16, 0, 1, 7, 8, 100, 250, 256, 257, 1000, 3900, 4000,
					  8, 16, 20000, 65447, 65455, 65456, 65536, 0xffffffff };
	struct etw_data_descriptor d[129] = { { PAYLOAD_BASE, 16, 0 } };
	uint64_t seed = arg->value;
	unsigned int i, n = 1;

	if (arg->mode == ARG_RAW) {
		r->len = 1;
		return raw_pointer(arg->value);
	}
	if (arg->mode == ARG_PICK) {
		n = counts[seed >> 4 & 15];
		for (i = 0; i < n; i++) {
			uint64_t s = rnd_mix(seed + i * 0x9e37);
			bool small = n > 3 || (seed >> 9 & 1);

			d[i].size = sizes[(s >> 32) % (small ? 9 : 20)];
			d[i].ptr = seed >> 8 & 1 ? PAYLOAD_BASE : piece_ptr(r, s, d[i].size);
			d[i].reserved = s & 0xff;
		}
		bytes_typed(r, d, n, seed);
	}
	r->len = n;
	return put(r, arg->mode == ARG_PICK ? seed & 15 : 0, d, n * sizeof(d[0]));
}

static uint64_t entries_arg(struct room *r, const struct arg *arg)
{
	struct etw_access_entry e[ENTRIES_MOST];
	bool pick = arg->mode == ARG_PICK;

	r->len = entries_make(e, pick ? arg->value >> 4 : 0);
	if (arg->mode == ARG_RAW)
		return raw_pointer(arg->value);
	return put(r, pick ? arg->value & 15 : 0, e, sizeof(e));
}

/* -------------------------------------------------------------------- numbers */

static uint64_t len_arg(const struct room *r, const struct arg *arg, const struct field *f)
{
	uint64_t len = r->outs && f->param ? r->len / f->param : r->len;

	if (arg->mode == ARG_RAW)
		return arg->value;
	if (arg->mode == ARG_DEFAULT)
		return len;
	switch (arg->value % 12) {
	case 0: return len;
	case 1: return len - 1;
	case 2: return len + 1;
	case 3: return 0;
	case 4: return 1;
	case 5: return 0xffffffff;
	case 6: return 1024;
	case 7: return 1025;
	case 8: return len / 2;
	case 9: return len * 2;
	case 10: return 128;
	}
	return 13;
}

static uint64_t size_arg(const struct arg *arg, uint32_t size)
{
	const uint64_t picks[] = { size + 8, size + 8, size - 1, size - 8, size + 100, 4096, 4097,
				   0, 4, 0xffffffff, size + 1 };

	if (arg->mode == ARG_RAW)
		return arg->value;
	return arg->mode == ARG_DEFAULT ? size : PICK(picks, arg->value);
}

/* A value from a table of earlier results: the last one, or any. */
static uint64_t result_arg(const void *table, unsigned int width, atomic_uint *count,
			   const struct arg *arg)
{
	unsigned int n = atomic_load(count), i;
	uint64_t value = 0;

	if (arg->mode == ARG_RAW)
		return arg->value;
	if (!n)
		return width == 8 ? 0x100000001ull : 0;
	i = arg->mode == ARG_DEFAULT ? n - 1 : (arg->value & 0x7f) % (n < HANDLES ? n : HANDLES);
	memcpy(&value, (const uint8_t *)table + i % HANDLES * width, width);
	if (arg->mode == ARG_PICK && arg->value & 0x80)
		value += 1 + (arg->value >> 8 & 3);
	return value;
}

static uint64_t fd_arg(struct exec *x, const struct arg *arg, enum fd_kind kind)
{
	unsigned int n = atomic_load(&x->fd_count), i, found = 0, want;
	int last = -1;

	if (arg->mode == ARG_RAW)
		return arg->value % 3 == 0 ? (uint64_t)-1 : 1000 + arg->value % 7;
	if (arg->mode == ARG_PICK && arg->value & 0x80)
		kind = FD_ANY;
	n = n < FDS ? n : FDS;
	for (i = 0; i < n; i++)
		if (x->fds[i].fd >= 0 && (kind == FD_ANY || x->fds[i].kind == kind))
			found++;
	want = arg->mode == ARG_PICK && found ? (arg->value & 0x7f) % found : found - 1;
	for (i = 0, found = 0; i < n; i++)
		if (x->fds[i].fd >= 0 && (kind == FD_ANY || x->fds[i].kind == kind)) {
			last = x->fds[i].fd;
			if (found++ == want)
				break;
		}
	return (uint64_t)(int64_t)last;
}

static uint64_t simple_arg(struct exec *x, const struct arg *arg, const struct field *f)
{
	const struct enum_table *t = &enum_tables[f->kind == KIND_ENUM ? f->param : 0];
	bool usual = arg->mode == ARG_DEFAULT;

	if (f->kind == KIND_FD)
		return fd_arg(x, arg, f->param);
	if (f->kind == KIND_MAP)
		return (uintptr_t)map_area(usual ? 0 : arg->value);
	if (arg->mode == ARG_RAW)
		return f->kind == KIND_GUID ? 0x100 | arg->value % 0x60 : arg->value;
	switch (f->kind) {
	case KIND_RESERVED: return usual ? 0 : PICK(interesting, arg->value);
	case KIND_INT: return usual ? f->param : PICK(interesting, arg->value);
	case KIND_FLAGS: return usual ? 0 : arg->value & f->param;
	case KIND_ENUM: return t->values[usual ? 0 : arg->value % t->count];
	case KIND_GUID: return usual ? f->param : arg->value % GUIDS;
	case KIND_PLACE: return usual ? 0 : arg->value % PLACES;
	case KIND_KEYWORD: return usual ? 0 : PICK(keywords, arg->value);
	case KIND_LEVEL: return usual ? 0 : PICK(levels, arg->value);
	default: break;
	}
	return arg->value;
}

void args_resolve(struct exec *x, int thread, const struct call *c, const struct op *op,
		  uint64_t *v)
{
	unsigned int i, n = op_fields(op);
	static const struct arg newest = { .mode = ARG_DEFAULT };
	struct room r = { .thread = thread,
			  .handle = result_arg(x->handles, 8, &x->handle_count, &newest) };

	for (i = 0; i < n; i++) {
		const struct field *f = &op->fields[i];
		const struct arg *arg = &c->args[i];

		switch (f->kind) {
		case KIND_SIZE: v[i] = size_arg(arg, op->size); break;
		case KIND_NAME: v[i] = name_arg(x, &r, arg, op->done == done_start); break;
		case KIND_OUT: v[i] = out_arg(&r, arg, op->run); break;
		case KIND_PIECES: v[i] = pieces_arg(&r, arg); break;
		case KIND_FILTERS: v[i] = filters_arg(&r, arg); break;
		case KIND_ENTRIES: v[i] = entries_arg(&r, arg); break;
		case KIND_TRAITS: v[i] = traits_arg(&r, arg); break;
		case KIND_LOGFILE: v[i] = logfile_arg(&r, arg); break;
		case KIND_LOGOUT: v[i] = logout_arg(&r, arg); break;
		case KIND_LEN: v[i] = len_arg(&r, arg, f); break;
		case KIND_HANDLE:
			v[i] = result_arg(x->handles, 8, &x->handle_count, arg);
			break;
		case KIND_SLOT:
			v[i] = result_arg(x->slots, 4, &x->slot_count, arg);
			break;
		case KIND_INDEX:
			v[i] = result_arg(x->indices, 4, &x->index_count, arg);
			break;
		default: v[i] = simple_arg(x, arg, f);
		}
	}
}

/* ------------------------------------------------------------------ the struct */

static void put_field(uint8_t *to, const struct field *f, uint64_t value)
{
	if (f->kind == KIND_GUID) {
		if (value & 0x100)
			memset(to + f->offset, value, sizeof(struct etw_guid));
		else
			memcpy(to + f->offset, &fuzz_guids[value % GUIDS], sizeof(struct etw_guid));
	} else if (f->size) {
		memcpy(to + f->offset, &value, f->size < 8 ? f->size : 8);
	}
}

/* Words that audit.c takes for the kernel's: two fields may make one, or parts of them. */
static void soften(uint8_t *bytes, uint32_t len)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		word = harmless(word);
		memcpy(bytes + i, &word, sizeof(word));
	}
}

/*
 * Build the struct in the memory that its place selects; returns the address that the
 * kernel gets.
 */
uint8_t *args_struct(int thread, const struct call *c, const struct op *op, const uint64_t *v)
{
	uint8_t *a = arena(thread), bytes[PAGE] = { 0 }, *at;
	unsigned int i, n = op_fields(op), where = 0;
	uint32_t len = op->size;

	for (i = 0; i < n; i++) {
		const struct field *f = &op->fields[i];

		if (f->kind == KIND_FD)
			continue;
		if (f->kind == KIND_PLACE) {
			where = v[i];
			continue;
		}
		put_field(bytes, f, v[i]);
		if (f->kind != KIND_SIZE)
			continue;
		if (v[i] > op->size && v[i] <= PAGE)
			len = v[i];
		/* The second of size_arg()'s choices: a tail that is not zero. */
		if (c->args[i].mode == ARG_PICK && c->args[i].value % 11 == 1)
			bytes[op->size + 3] = 1;
	}
	soften(bytes, len);
	memset(a + AT_STRUCT, 0, PAGE);
	at = a + AT_STRUCT;
	switch (where) {
	case 1: at = a + AT_GUARD - len; break;
	case 2: at = (uint8_t *)UNMAPPED; break;
	case 3: /* the page was filled through its second mapping */
		memcpy(a + AT_CONST + ALIAS, bytes, len);
		return a + AT_CONST;
	case 4: return map_area(0);
	case 5: at = a + AT_STRUCT + (len < PAGE - 8 ? 1 + c->args[1].value / PLACES % 7 : 0); break;
	case 6: return NULL;
	case 7: return (uint8_t *)0xffff888000001000ull;
	case 8: return (uint8_t *)0x8000000000001000ull;
	case 9: return a + AT_GUARD;
	case 10:
		at = a + AT_GUARD - len / 2;
		memcpy(at, bytes, len / 2);
		soften(a + AT_STRUCT, PAGE);
		return at;
	case 12:
		memcpy(a + AT_FLEETING + ALIAS, bytes, len < PAGE / 2 ? len : PAGE / 2);
		return a + AT_FLEETING;
	}
	if (where != 2)
		memcpy(at, bytes, len);
	/* Where it is not aligned */
	soften(a + AT_STRUCT, PAGE);
	return at;
}
