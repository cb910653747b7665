// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields.c - generated field values: as bytes, as C, and as the decoder's expected output
 *
 * Each value is generated as its payload bytes; the C text of the argument is derived
 * from them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mc/values.h"

#define REFERRED	3	/* default of a field that counts others */
#define PAYLOAD		20000

/* A value's bytes within the payload, and the part that is the value itself */
struct value {
	unsigned char bytes[PAYLOAD];
	size_t size;		/* in the payload */
	size_t at, len;		/* what the decoder shows */
	bool null;		/* a string passed as NULL */
};

/* All bytes of a top-level field, and the decoder steps that cover them */
struct whole {
	unsigned char bytes[65536];
	size_t size;
	size_t counted;		/* bytes of the only counted value */
	bool null;
	char *text;		/* calls of mc_expect() */
	size_t text_size;
	FILE *steps;
};

static unsigned long numbers[256];	/* values of the template's numeric fields, by index */

static size_t fixed_size(unsigned int in_type)
{
	switch (in_type) {
	case TDH_INTYPE_INT8:
	case TDH_INTYPE_UINT8:
		return 1;
	case TDH_INTYPE_INT16:
	case TDH_INTYPE_UINT16:
		return 2;
	case TDH_INTYPE_INT32:
	case TDH_INTYPE_UINT32:
	case TDH_INTYPE_HEXINT32:
	case TDH_INTYPE_FLOAT:
	case TDH_INTYPE_BOOLEAN:
		return 4;
	case TDH_INTYPE_SYSTEMTIME:
	case TDH_INTYPE_GUID:
		return 16;
	case TDH_INTYPE_SID:
		return 12;
	default:
		return 8;
	}
}

static bool is_wide(unsigned int in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING ||
	       in_type == TDH_INTYPE_MANIFEST_COUNTEDSTRING;
}

static bool is_string(unsigned int in_type)
{
	return in_type == TDH_INTYPE_UNICODESTRING || in_type == TDH_INTYPE_ANSISTRING;
}

static bool is_counted(unsigned int in_type)
{
	return in_type == TDH_INTYPE_MANIFEST_COUNTEDSTRING ||
	       in_type == TDH_INTYPE_MANIFEST_COUNTEDANSISTRING ||
	       in_type == TDH_INTYPE_MANIFEST_COUNTEDBINARY;
}

static unsigned long count_of(const struct etw_mf_field *f)
{
	if (f->flags & ETW_MF_COUNT_FIELD)
		return numbers[f->count];
	return f->count > 1 ? f->count : 1;
}

/* Macros: a constant count of 1 does not make an array. */
static bool is_array(const struct etw_mf_field *f)
{
	return f->flags & ETW_MF_COUNT_FIELD || f->count > 1;
}

/* Decoders: a constant count of 1 makes an array. */
static bool shows_array(const struct etw_mf_field *f)
{
	return is_array(f) || f->flags & ETW_MF_COUNT_FIXED;
}

/* In units; 0: no length given */
static unsigned long length_of(const struct etw_mf_field *f)
{
	if (f->flags & ETW_MF_LENGTH_FIELD)
		return numbers[f->length];
	if (f->in_type == TDH_INTYPE_BINARY && !f->length)
		return 16;
	return is_string(f->in_type) || f->in_type == TDH_INTYPE_BINARY ? f->length : 0;
}

static void characters(struct value *v, unsigned long units, bool wide)
{
	static const unsigned short some[] = { 'a', 'Z', '0', '"', '\\', '%', 0xE9, 0x4E2D };
	unsigned long i;

	for (i = 0; i < units; i++) {
		unsigned short c = some[values_random(wide ? 8 : 6)];

		v->bytes[v->size++] = c & 0xFF;
		if (wide)
			v->bytes[v->size++] = c >> 8;
	}
}

static unsigned int strings;	/* strings generated so far; every third is NULL */

static void make_string(const struct etw_mf_field *f, struct value *v)
{
	bool wide = is_wide(f->in_type), sized = length_of(f) || f->flags & ETW_MF_LENGTH_FIELD;
	unsigned long units = sized ? length_of(f) : values_random(6);

	v->null = !sized && !is_array(f) && strings++ % 3 == 0;
	if (v->null) {
		memcpy(v->bytes, wide ? "N\0U\0L\0L\0" : "NULL", wide ? 8 : 4);
		v->size = wide ? 8 : 4;
	} else {
		characters(v, units, wide);
	}
	v->len = v->size;
	if (!sized)
		v->size += wide ? 2 : 1;
}

static void make_counted(const struct etw_mf_field *f, struct value *v)
{
	unsigned long units = values_random(7);

	/* The out-type implies a size. */
	if (f->in_type == TDH_INTYPE_MANIFEST_COUNTEDBINARY)
		units = 16;
	v->at = v->size = 2;
	characters(v, units, is_wide(f->in_type));
	v->len = v->size - 2;
	v->bytes[0] = v->len & 0xFF;
	v->bytes[1] = (unsigned char)(v->len >> 8);
}

static void make_bytes(struct value *v, size_t size)
{
	while (v->size < size)
		v->bytes[v->size++] = (unsigned char)values_random(256);
	v->len = v->size;
}

/* Types whose values must have a given form */
static void make_special(unsigned int in_type, struct value *v)
{
	static const unsigned char sid[] = { 1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0 };
	static const unsigned short time[] = { 2024, 2, 4, 29, 23, 59, 58, 999 };
	float f = (float)values_random(1000) / 8 - 50;
	double d = values_random(100000) / 64.0 - 500;

	if (in_type == TDH_INTYPE_FLOAT)
		memcpy(v->bytes, &f, sizeof(f));
	else if (in_type == TDH_INTYPE_DOUBLE)
		memcpy(v->bytes, &d, sizeof(d));
	else if (in_type == TDH_INTYPE_SID)
		memcpy(v->bytes, sid, sizeof(sid));
	else if (in_type == TDH_INTYPE_SYSTEMTIME)
		memcpy(v->bytes, time, sizeof(time));
	else if (in_type == TDH_INTYPE_FILETIME)
		v->bytes[7] = 1;	/* the year 1829 */
	else if (in_type == TDH_INTYPE_BOOLEAN)
		memset(v->bytes + 1, 0, 3);
}

static void make(const struct etw_mf_field *f, unsigned int index, struct value *v)
{
	unsigned long number = index < 256 ? numbers[index] : 0;

	memset(v->bytes, 0, 64);
	v->size = v->at = v->len = 0;
	v->null = false;
	if (is_string(f->in_type)) {
		make_string(f, v);
	} else if (is_counted(f->in_type)) {
		make_counted(f, v);
	} else if (f->in_type == TDH_INTYPE_BINARY) {
		make_bytes(v, length_of(f));
		/* AF_INET */
		if (f->out_type == TDH_OUTTYPE_SOCKETADDRESS && v->size >= 2)
			memcpy(v->bytes, "\2", 2);
	} else {
		make_bytes(v, fixed_size(f->in_type));
		make_special(f->in_type, v);
		if (number) {
			memset(v->bytes, 0, 8);
			memcpy(v->bytes, &number, v->size < 8 ? v->size : 8);
		}
	}
}

static void step(struct whole *w, unsigned int top, const char *kind, const char *name,
		 unsigned int in_type, size_t at, unsigned long size)
{
	fprintf(w->steps, "\tmc_expect(ETW_FIELD_%s, \"", kind);
	for (; *name; name++)
		fprintf(w->steps, strchr("\"\\?", *name) ? "\\%c" : "%c", *name);
	fprintf(w->steps, "\", %u, d%u + %zu, %lu);\n", in_type, top, at, size);
}

static void one(struct whole *w, const struct etw_mf_template *t, unsigned int top,
		unsigned int index)
{
	const struct etw_mf_field *f = &t->fields[index];
	struct value v;

	make(f, index, &v);
	if (w->size + v.size > sizeof(w->bytes)) {
		fprintf(stderr, "values: template %s is too large\n", t->id);
		exit(1);
	}
	step(w, top, "VALUE", f->name, f->in_type, w->size + v.at, v.len);
	memcpy(w->bytes + w->size, v.bytes, v.size);
	w->size += v.size;
	w->counted = v.len;
	w->null = v.null;
}

/* A field, or a member of a structure, with all of its elements. */
static void elements(struct whole *w, const struct etw_mf_template *t, unsigned int top,
		     unsigned int index)
{
	const struct etw_mf_field *f = &t->fields[index];
	unsigned long count = count_of(f), i, j;

	if (shows_array(f))
		step(w, top, "ARRAY_BEGIN", f->name, 0, 0, count);
	for (i = 0; i < count; i++) {
		if (!(f->flags & ETW_MF_STRUCT)) {
			one(w, t, top, index);
			continue;
		}
		step(w, top, "STRUCT_BEGIN", f->name, 0, 0, 0);
		for (j = 0; j < f->members; j++)
			elements(w, t, top, f->first + j);
		step(w, top, "STRUCT_END", f->name, 0, 0, 0);
	}
	if (shows_array(f))
		step(w, top, "ARRAY_END", f->name, 0, 0, 0);
}

/* Give each count or length field a value that is valid for the field it describes. */
static void set_numbers(const struct etw_mf_template *t)
{
	unsigned int i;

	memset(numbers, 0, sizeof(numbers));
	for (i = 0; i < t->count && i < 256; i++) {
		const struct etw_mf_field *f = &t->fields[i];

		if (f->flags & ETW_MF_COUNT_FIELD && !numbers[f->count])
			numbers[f->count] = REFERRED;
		if (!(f->flags & ETW_MF_LENGTH_FIELD))
			continue;
		numbers[f->length] = f->in_type == TDH_INTYPE_SID ? 12 :
				     f->out_type == TDH_OUTTYPE_IPV6 ||
				     f->out_type == TDH_OUTTYPE_SOCKETADDRESS ? 16 : REFERRED;
	}
}

static const char *c_type(unsigned int in_type)
{
	switch (in_type) {
	case TDH_INTYPE_INT8: return "signed char";
	case TDH_INTYPE_UINT8: return "unsigned char";
	case TDH_INTYPE_INT16: return "signed short";
	case TDH_INTYPE_UINT16: return "unsigned short";
	case TDH_INTYPE_INT32:
	case TDH_INTYPE_BOOLEAN:
	case TDH_INTYPE_HEXINT32: return "signed int";
	case TDH_INTYPE_UINT32: return "unsigned int";
	case TDH_INTYPE_INT64:
	case TDH_INTYPE_HEXINT64: return "signed long long";
	case TDH_INTYPE_UINT64: return "unsigned long long";
	case TDH_INTYPE_FLOAT: return "float";
	case TDH_INTYPE_DOUBLE: return "double";
	case TDH_INTYPE_POINTER: return "const void *";
	case TDH_INTYPE_GUID: return "GUID";
	case TDH_INTYPE_FILETIME: return "FILETIME";
	case TDH_INTYPE_SYSTEMTIME: return "SYSTEMTIME";
	case TDH_INTYPE_UNICODESTRING:
	case TDH_INTYPE_MANIFEST_COUNTEDSTRING: return "WCHAR";
	case TDH_INTYPE_ANSISTRING:
	case TDH_INTYPE_MANIFEST_COUNTEDANSISTRING: return "char";
	case TDH_INTYPE_SID: return "SID";
	default: return "unsigned char";
	}
}

static bool by_value(const struct etw_mf_field *f)
{
	return !(f->flags & ETW_MF_STRUCT) && !is_array(f) && !is_string(f->in_type) &&
	       !is_counted(f->in_type) && f->in_type != TDH_INTYPE_BINARY &&
	       f->in_type != TDH_INTYPE_SID && f->in_type != TDH_INTYPE_GUID &&
	       f->in_type != TDH_INTYPE_FILETIME && f->in_type != TDH_INTYPE_SYSTEMTIME;
}

/* The macro takes a length before the argument, for packed and for counted values. */
static bool has_length(const struct etw_mf_field *f)
{
	if (f->flags & ETW_MF_STRUCT || is_counted(f->in_type))
		return true;
	return is_array(f) && (is_string(f->in_type) || f->in_type == TDH_INTYPE_SID) &&
	       !(f->flags & ETW_MF_LENGTH_FIELD) && !length_of(f);
}

static char *arguments;
static size_t arguments_size;
static FILE *arguments_text;

/* The argument, preceded by its length where the macro takes one */
static void argument(const struct etw_mf_field *f, unsigned int i, const struct whole *w)
{
	bool inner = is_counted(f->in_type) && !is_array(f);
	size_t bytes = inner ? w->counted : w->size;

	FILE *to = arguments_text;

	if (i)
		fputs(", ", to);
	if (has_length(f))
		fprintf(to, "%zu, ", is_wide(f->in_type) && !(f->flags & ETW_MF_STRUCT) ?
			bytes / 2 : bytes);
	if (w->null)
		fputs("NULL", to);
	else if (by_value(f))
		fprintf(to, "v%u", i);
	else if (f->flags & ETW_MF_STRUCT || (f->in_type == TDH_INTYPE_SID && is_array(f)))
		fprintf(to, "d%u", i);
	else if (f->in_type == TDH_INTYPE_POINTER)
		fprintf(to, "(const void **)(ULONG_PTR)d%u", i);
	else
		fprintf(to, "(const %s *)(const void *)(d%u + %d)", c_type(f->in_type), i,
			inner ? 2 : 0);
}

static void declare(const struct etw_mf_template *t, unsigned int i)
{
	static struct whole w;
	size_t j;

	w.size = w.counted = 0;
	w.null = false;
	w.steps = open_memstream(&w.text, &w.text_size);
	if (!w.steps)
		exit(1);
	elements(&w, t, i, i);
	if (fclose(w.steps))
		exit(1);
	printf("\tstatic const unsigned char d%u[] __attribute__((aligned(16))) = {", i);
	for (j = 0; j < w.size; j++)
		printf("%u,", w.bytes[j]);
	printf("0};\n%s", w.text);
	if (by_value(&t->fields[i]))
		printf("\t%s v%u;\n\tmemcpy(&v%u, d%u, sizeof(v%u));\n", c_type(t->fields[i].in_type),
		       i, i, i, i);
	argument(&t->fields[i], i, &w);
	free(w.text);
}

void values_template(const struct etw_mf_template *t)
{
	unsigned int i;

	free(arguments);
	arguments_text = open_memstream(&arguments, &arguments_size);
	if (!arguments_text)
		exit(1);
	if (t)
		set_numbers(t);
	for (i = 0; t && i < t->top; i++)
		declare(t, i);
	if (fclose(arguments_text))
		exit(1);
}

const char *values_arguments(void)
{
	return arguments;
}
