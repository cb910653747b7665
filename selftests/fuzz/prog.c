// SPDX-License-Identifier: GPL-2.0-only
/*
 * prog.c - programs as files and as text
 *
 * A file is "ETWF", a version, the program's flags, the number of calls, the calls, and a
 * CRC-32 of all that.  A call is its id, thread, flags, fail_nth and number of arguments;
 * an argument is its mode and, unless it is the default one, its value in 7-bit groups,
 * the lowest first.  Arguments missing in a file have their defaults, so fields may be
 * added at the end.
 */
#define _GNU_SOURCE

#include "fuzz.h"

#define VERSION	1

/* --------------------------------------------------------------------- random */

static uint64_t state = 1;

uint64_t rnd_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

void rnd_seed(uint64_t seed)
{
	state = rnd_mix(seed);
}

uint64_t rnd(void)
{
	state += 0x9e3779b97f4a7c15ull;
	return rnd_mix(state);
}

/* ---------------------------------------------------------------------- bytes */

static uint32_t crc32(const uint8_t *bytes, size_t len)
{
	uint32_t crc = ~0u;
	int bit;

	while (len--) {
		crc ^= *bytes++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static uint8_t *put_value(uint8_t *to, uint64_t value)
{
	for (; value > 127; value >>= 7)
		*to++ = 128 | (value & 127);
	*to++ = value;
	return to;
}

size_t prog_save(const struct prog *p, uint8_t *bytes)
{
	uint8_t *to = bytes;
	unsigned int i, j, n;
	uint32_t crc;

	memcpy(to, "ETWF", 4);
	to += 4;
	*to++ = VERSION;
	*to++ = p->flags;
	*to++ = p->count;
	for (i = 0; i < p->count; i++) {
		const struct call *c = &p->calls[i];

		for (n = ARGS_MAX; n && c->args[n - 1].mode == ARG_DEFAULT; n--)
			;
		*to++ = c->op;
		*to++ = c->thread;
		*to++ = c->flags;
		*to++ = c->fail_nth;
		*to++ = n;
		for (j = 0; j < n; j++) {
			*to++ = c->args[j].mode;
			if (c->args[j].mode != ARG_DEFAULT)
				to = put_value(to, c->args[j].value);
		}
	}
	crc = crc32(bytes, to - bytes);
	memcpy(to, &crc, 4);
	return to + 4 - bytes;
}

struct reader {
	const uint8_t *at, *end;
	bool bad;
};

static unsigned int get_byte(struct reader *r, unsigned int below)
{
	unsigned int byte = r->at < r->end ? *r->at : 256;

	r->at++;
	if (byte >= below)
		r->bad = true;
	return r->bad ? 0 : byte;
}

static uint64_t get_value(struct reader *r)
{
	unsigned int shift = 0, byte;
	uint64_t value = 0;

	do {
		byte = get_byte(r, 256);
		if (shift > 63)
			r->bad = true;
		value |= (uint64_t)(byte & 127) << (shift & 63);
		shift += 7;
	} while (byte & 128 && !r->bad);
	return value;
}

static void get_call(struct reader *r, struct call *c)
{
	unsigned int n, j;

	c->op = get_byte(r, OPS_MAX);
	c->thread = get_byte(r, THREADS);
	c->flags = get_byte(r, CALL_FLAGS + 1);
	c->fail_nth = get_byte(r, 256);
	n = get_byte(r, ARGS_MAX + 1);
	for (j = 0; j < n && !r->bad; j++) {
		c->args[j].mode = get_byte(r, ARG_MODES);
		if (c->args[j].mode != ARG_DEFAULT)
			c->args[j].value = get_value(r);
	}
	if (!r->bad && !op_by_id(c->op))
		r->bad = true;
}

/* NULL, or a description of the error in the bytes. */
const char *prog_load(struct prog *p, const uint8_t *bytes, size_t len)
{
	struct reader r = { bytes + 5, bytes, false };
	unsigned int i, count;
	uint32_t crc;

	memset(p, 0, sizeof(*p));
	if (len < 11 || memcmp(bytes, "ETWF", 4))
		return "not a program of the fuzzer";
	if (bytes[4] != VERSION)
		return "of another version";
	memcpy(&crc, bytes + len - 4, 4);
	if (crc != crc32(bytes, len - 4))
		return "damaged";
	r.end = bytes + len - 4;
	p->flags = get_byte(&r, PROG_FLAGS + 1);
	count = get_byte(&r, CALLS_MAX + 1);
	for (i = 0; i < count && !r.bad; i++)
		get_call(&r, &p->calls[i]);
	p->count = count;
	if (r.bad || r.at != r.end) {
		p->count = 0;
		return "malformed";
	}
	return NULL;
}

const char *prog_read(struct prog *p, const char *path)
{
	uint8_t bytes[PROG_BYTES];
	FILE *f = fopen(path, "re");
	size_t len;

	if (!f)
		return strerror(errno);
	len = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	return prog_load(p, bytes, len);
}

/* Write the file under a temporary name and rename it: an existing file is complete. */
bool prog_write(const struct prog *p, const char *path)
{
	uint8_t bytes[PROG_BYTES];
	size_t len = prog_save(p, bytes);
	char temp[512];
	FILE *f;
	bool ok;

	snprintf(temp, sizeof(temp), "%s.new", path);
	f = fopen(temp, "we");
	if (!f)
		return false;
	ok = fwrite(bytes, 1, len, f) == len;
	ok = !fclose(f) && ok;
	return ok && !rename(temp, path);
}

uint64_t prog_hash(const struct prog *p)
{
	uint8_t bytes[PROG_BYTES];
	size_t len = prog_save(p, bytes), i;
	uint64_t hash = len;

	for (i = 0; i < len; i++)
		hash = rnd_mix(hash ^ bytes[i]);
	return hash;
}

/* ----------------------------------------------------------------------- text */

static void show_arg(const struct field *f, const struct arg *a, FILE *to)
{
	if (f->kind == KIND_PLACE)
		fprintf(to, ", in %s memory", place_names[a->value % PLACES]);
	else if (a->mode == ARG_RAW)
		fprintf(to, ", %s = %#lx", f->name, a->value);
	else if (f->kind == KIND_NAME || f->kind == KIND_OUT || f->kind == KIND_PIECES ||
		 f->kind == KIND_FILTERS || f->kind == KIND_ENTRIES)
		fprintf(to, ", %s = #%lu in %s memory", f->name, a->value >> 4,
			place_names[(a->value & 15) % PLACES]);
	else if (f->kind == KIND_ENUM)
		fprintf(to, ", %s = %#lx", f->name,
			enum_tables[f->param].values[a->value % enum_tables[f->param].count]);
	else if (f->kind == KIND_FLAGS)
		fprintf(to, ", %s = %#lx", f->name, a->value & f->param);
	else
		fprintf(to, ", %s = choice %lu", f->name, a->value);
}

void prog_show(const struct prog *p, FILE *to)
{
	unsigned int i, j, n;

	fprintf(to, "# %u calls%s%s\n", p->count, p->flags & PROG_THREADED ? ", several threads" : "",
		p->flags & PROG_FLIP ? ", arguments change meanwhile" : "");
	for (i = 0; i < p->count; i++) {
		const struct call *c = &p->calls[i];
		const struct op *op = op_by_id(c->op);

		fprintf(to, "%2u [%u] %s(", i, c->thread, op->name);
		n = op_fields(op);
		fprintf(to, "%s", op->cmd ? "ioctl" : "plain");
		for (j = 0; j < n; j++)
			if (c->args[j].mode != ARG_DEFAULT)
				show_arg(&op->fields[j], &c->args[j], to);
		fprintf(to, ")%s", c->flags & CALL_COMPAT ? " 32-bit" : "");
		if (c->fail_nth)
			fprintf(to, " failing allocation %u", c->fail_nth);
		fputc('\n', to);
	}
}
