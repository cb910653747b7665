/* SPDX-License-Identifier: MIT */
/*
 * attributes.c - the attributes of an element, and their valid values
 */
#include <string.h>
#include <strings.h>

#include "manifest.h"
#include "base/guid.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct manifest_value etw_mx_trim(struct manifest_value v)
{
	while (v.len && is_blank(v.s[0])) {
		v.s++;
		v.len--;
	}
	while (v.len && is_blank(v.s[v.len - 1]))
		v.len--;
	return v;
}

bool etw_mx_is(struct manifest_value v, const char *s)
{
	return strlen(s) == v.len && !strncasecmp(v.s, s, v.len);
}

/* The attribute's name, for messages */
static const char *name_of(const struct etw_mx *x, unsigned int slot)
{
	return x->stack[x->depth - 1]->attributes[slot];
}

static const char *copy(struct etw_mx *x, struct etw_manifest *to, struct manifest_value v)
{
	const char *s;

	if (!v.s)
		return NULL;
	s = etw_manifest_strdup(to, v.s, v.len);
	return s ? s : etw_mx_no_memory(x);
}

const char *etw_mx_keep(struct etw_mx *x, unsigned int slot)
{
	return copy(x, x->manifest, etw_mx_trim(x->values[slot]));
}

const char *etw_mx_note(struct etw_mx *x, unsigned int slot)
{
	return copy(x, x->draft, etw_mx_trim(x->values[slot]));
}

const char *etw_mx_keep_raw(struct etw_mx *x, unsigned int slot)
{
	return copy(x, x->manifest, x->values[slot]);
}

const char *etw_mx_note_raw(struct etw_mx *x, unsigned int slot)
{
	return copy(x, x->draft, x->values[slot]);
}

const char *etw_mx_note_names(struct etw_mx *x, unsigned int slot)
{
	const char *names = etw_mx_note(x, slot);

	return names && x->odd_prefix ? etw_mx_standard_prefix(x, names) : names;
}

const char *etw_mx_require(struct etw_mx *x, unsigned int slot, const char *kind)
{
	const char *s = etw_mx_keep(x, slot);

	if (x->err)
		return "";
	if (!s)
		etw_mx_error(x, x->line, kind, NULL, "attribute %s is missing", name_of(x, slot));
	else if (!*s)
		etw_mx_error(x, x->line, kind, NULL, "attribute %s is empty", name_of(x, slot));
	return s ? s : "";
}

bool etw_mx_is_symbol(const char *s)
{
	if (*s >= '0' && *s <= '9')
		return false;
	return *s && s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				 "0123456789_")] == '\0';
}

const char *etw_mx_symbol(struct etw_mx *x, unsigned int slot, const char *kind,
			  const char *name)
{
	const char *s = etw_mx_keep(x, slot);

	if (s && !etw_mx_is_symbol(s))
		etw_mx_error(x, x->line, kind, name,
			     "%s \"%s\" must be a C identifier: "
			     "letters, digits and _, and no digit first",
			     name_of(x, slot), s);
	return s;
}

/* Decimal, or hexadecimal with 0x in front */
bool etw_mx_parse_number(struct manifest_value v, uint64_t *out)
{
	unsigned int base = 10;
	uint64_t number = 0;

	if (v.len > 2 && v.s[0] == '0' && (v.s[1] == 'x' || v.s[1] == 'X')) {
		base = 16;
		v.s += 2;
		v.len -= 2;
	}
	if (!v.len)
		return false;
	for (; v.len; v.s++, v.len--) {
		unsigned int digit;

		if (*v.s >= '0' && *v.s <= '9')
			digit = *v.s - '0';
		else if (base == 16 && (*v.s | 0x20) >= 'a' && (*v.s | 0x20) <= 'f')
			digit = (*v.s | 0x20) - 'a' + 10;
		else
			return false;
		if (__builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*out = number;
	return true;
}

bool etw_mx_number(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		   uint64_t least, uint64_t most, uint64_t *out)
{
	struct manifest_value v = etw_mx_trim(x->values[slot]);
	uint64_t number;

	if (!v.s)
		return false;
	if (!etw_mx_parse_number(v, &number) || number < least || number > most) {
		etw_mx_error(x, x->line, kind, name,
			     "%s \"%.*s\" must be a number from %llu to %llu", name_of(x, slot),
			     (int)v.len, v.s, (unsigned long long)least,
			     (unsigned long long)most);
		return false;
	}
	*out = number;
	return true;
}

bool etw_mx_required_number(struct etw_mx *x, unsigned int slot, const char *kind,
			    const char *name, uint64_t least, uint64_t most, uint64_t *out)
{
	if (!x->values[slot].s)
		etw_mx_error(x, x->line, kind, name, "attribute %s is missing",
			     name_of(x, slot));
	return etw_mx_number(x, slot, kind, name, least, most, out);
}

bool etw_mx_bool(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		 bool *out)
{
	struct manifest_value v = etw_mx_trim(x->values[slot]);

	if (!v.s)
		return false;
	if (etw_mx_is(v, "true") || etw_mx_is(v, "1")) {
		*out = true;
	} else if (etw_mx_is(v, "false") || etw_mx_is(v, "0")) {
		*out = false;
	} else {
		etw_mx_error(x, x->line, kind, name, "%s \"%.*s\" must be true or false",
			     name_of(x, slot), (int)v.len, v.s);
		return false;
	}
	return true;
}

bool etw_mx_guid(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		 GUID *out)
{
	struct manifest_value v = etw_mx_trim(x->values[slot]);
	struct etw_guid guid;
	char text[ETW_GUID_TEXT];

	if (!v.s)
		return false;
	if (v.len < sizeof(text)) {
		memcpy(text, v.s, v.len);
		text[v.len] = '\0';
		if (!etw_guid_parse(text, &guid)) {
			memcpy(out, &guid, sizeof(*out));
			return true;
		}
	}
	etw_mx_error(x, x->line, kind, name,
		     "%s \"%.*s\" must be a GUID: {01234567-89ab-cdef-0123-456789abcdef}",
		     name_of(x, slot), (int)v.len, v.s);
	return false;
}

/* list as text: "a, b or c" */
static void enumerate(const char *const *list, char *out, size_t size)
{
	size_t used = 0;

	for (; *list && used < size; list++) {
		const char *before = !used ? "" : list[1] ? ", " : " or ";
		size_t len = strlen(before) + strlen(*list);

		if (len >= size - used)
			break;
		strcpy(stpcpy(out + used, before), *list);
		used += len;
	}
}

int etw_mx_choice(struct etw_mx *x, unsigned int slot, const char *kind, const char *name,
		  const char *const *list)
{
	struct manifest_value v = etw_mx_trim(x->values[slot]);
	char known[200] = "";
	int i;

	if (!v.s)
		return -1;
	for (i = 0; list[i]; i++)
		if (etw_mx_is(v, list[i]))
			return i;
	enumerate(list, known, sizeof(known));
	etw_mx_error(x, x->line, kind, name, "%s \"%.*s\" must be %s", name_of(x, slot),
		     (int)v.len, v.s, known);
	return -1;
}
