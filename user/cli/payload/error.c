/* SPDX-License-Identifier: MIT */
/*
 * error.c - what is wrong with a predicate that the library refused
 *
 * Its functions have one code for a value that is none of the field's type and
 * for an operator that the type does not have.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/guid.h"
#include "base/utf.h"
#include "error.h"

enum test { NO_TEST, A_NUMBER, A_TEXT, A_GUID };

static const struct type {
	uint16_t in_type;
	enum test test;
	unsigned int bits;	/* of numbers */
	bool is_signed;
	bool is_wide;		/* text of 2 bytes a unit */
} types[] = {
	{ TDH_INTYPE_INT8, A_NUMBER, 8, true, false },
	{ TDH_INTYPE_UINT8, A_NUMBER, 8, false, false },
	{ TDH_INTYPE_INT16, A_NUMBER, 16, true, false },
	{ TDH_INTYPE_UINT16, A_NUMBER, 16, false, false },
	{ TDH_INTYPE_INT32, A_NUMBER, 32, true, false },
	{ TDH_INTYPE_UINT32, A_NUMBER, 32, false, false },
	{ TDH_INTYPE_INT64, A_NUMBER, 64, true, false },
	{ TDH_INTYPE_UINT64, A_NUMBER, 64, false, false },
	{ TDH_INTYPE_BOOLEAN, A_NUMBER, 32, false, false },
	{ TDH_INTYPE_FILETIME, A_NUMBER, 64, false, false },
	{ TDH_INTYPE_HEXINT32, A_NUMBER, 32, false, false },
	{ TDH_INTYPE_HEXINT64, A_NUMBER, 64, false, false },
	{ TDH_INTYPE_GUID, A_GUID, 0, false, false },
	{ TDH_INTYPE_ANSISTRING, A_TEXT, 0, false, false },
	{ TDH_INTYPE_MANIFEST_COUNTEDANSISTRING, A_TEXT, 0, false, false },
	{ TDH_INTYPE_NONNULLTERMINATEDANSISTRING, A_TEXT, 0, false, false },
	{ TDH_INTYPE_UNICODESTRING, A_TEXT, 0, false, true },
	{ TDH_INTYPE_MANIFEST_COUNTEDSTRING, A_TEXT, 0, false, true },
	{ TDH_INTYPE_NONNULLTERMINATEDSTRING, A_TEXT, 0, false, true },
};

static const struct type *find_type(uint16_t in_type)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].in_type == in_type)
			return &types[i];
	return NULL;
}

/* Whether a number is one of the type's; sets *value to its bits if so. */
static bool number_ok(struct scan *s, size_t column, const struct type *type,
		      const char *text, int len, uint64_t *value)
{
	const uint64_t most = UINT64_MAX >> (64 - type->bits + type->is_signed);
	const bool negative = *text == '-';
	const char *digits = text + negative;
	const int n = len - negative;
	const bool hex = n > 2 && digits[0] == '0' && (digits[1] | 32) == 'x';
	char *end;

	errno = 0;
	*value = n && *digits >= '0' && *digits <= '9' ?
		 strtoull(digits, &end, hex ? 16 : 10) : 0;
	if (!n || *digits < '0' || *digits > '9' || end != text + len)
		return scan_fail(s, column, "%.*s is not a number", len, text);
	if (!errno && (!negative || type->is_signed) && *value <= most + negative) {
		*value = negative ? -*value : *value;
		return true;
	}
	if (type->is_signed)
		return scan_fail(s, column, "%.*s is out of range, which is -%" PRIu64 " to %" PRIu64,
				 len, text, most + 1, most);
	return scan_fail(s, column, "%.*s is out of range, which is 0 to %" PRIu64, len, text, most);
}

static bool explain_number(struct scan *s, const struct etw_payload_predicate *p,
			   const struct type *type, const struct payload_place *place)
{
	const bool range = p->op == ETW_PAYLOAD_BETWEEN || p->op == ETW_PAYLOAD_NOTBETWEEN;
	const char *comma = strchr(p->value, ',');
	uint64_t low, high;

	if (p->op > ETW_PAYLOAD_MODULO)
		return scan_fail(s, place->field, "%s is a number, for == != < <= > >= %% and in", p->field);
	if (type->in_type == TDH_INTYPE_BOOLEAN && (!strcmp(p->value, "true") ||
						!strcmp(p->value, "false")))
		return scan_fail(s, place->high, "%s goes with == and !=", p->value);
	if (!range)
		return number_ok(s, place->high, type, p->value, strlen(p->value), &low) &&
		       scan_fail(s, place->high, p->op == ETW_PAYLOAD_MODULO && !low ?
				 "nothing is a multiple of 0" : "the number is too long");
	if (!number_ok(s, place->low, type, p->value, comma - p->value, &low) ||
	    !number_ok(s, place->high, type, comma + 1, strlen(comma + 1), &high))
		return false;
	if (type->is_signed ? (int64_t)low > (int64_t)high : low > high)
		return scan_fail(s, place->low, "the range is upside down: it begins behind its end");
	return scan_fail(s, place->low, "a number is too long");
}

static bool explain_text(struct scan *s, const struct etw_payload_predicate *p,
			 const struct type *type, const struct payload_place *place)
{
	WCHAR wide[ETW_PAYLOAD_TEXT_MAX];

	if (p->op <= ETW_PAYLOAD_MODULO)
		return scan_fail(s, place->field,
				 "%s is text, for contains, is, == and != with a string in double quotes",
				 p->field);
	if (!p->value[0])
		return scan_fail(s, place->high, "the text is empty: everything contains that");
	if (type->is_wide && strlen(p->value) <= ETW_PAYLOAD_TEXT_MAX &&
	    etw_utf8_to_utf16(p->value, strlen(p->value), wide, ETW_PAYLOAD_TEXT_MAX) < 0)
		return scan_fail(s, place->high, "the text is not UTF-8");
	return scan_fail(s, place->high, "the text has more than %d %s", ETW_PAYLOAD_TEXT_MAX,
			 type->is_wide ? "characters" : "bytes");
}

static bool explain_guid(struct scan *s, const struct etw_payload_predicate *p,
			 const struct payload_place *place)
{
	if (p->op != ETW_PAYLOAD_IS && p->op != ETW_PAYLOAD_ISNOT)
		return scan_fail(s, place->field,
				 "%s is a GUID, for is, == and != with one in braces", p->field);
	return scan_fail(s, place->high, "%.64s is not a GUID in braces", p->value);
}

bool payload_explain(struct scan *s, const struct etw_payload_field *field,
		     const struct etw_payload_predicate *predicate,
		     const struct payload_place *place)
{
	const struct type *type = find_type(field->in_type);

	if (field->count_field >= 0 || field->count != 1)
		return scan_fail(s, place->field, "%s is an array, which cannot be tested", field->name);
	switch (type ? type->test : NO_TEST) {
	case A_NUMBER:
		return explain_number(s, predicate, type, place);
	case A_TEXT:
		return explain_text(s, predicate, type, place);
	case A_GUID:
		return explain_guid(s, predicate, place);
	default:
		return scan_fail(s, place->field, "%s has a type that cannot be tested", field->name);
	}
}
