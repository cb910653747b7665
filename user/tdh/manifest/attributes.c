/* SPDX-License-Identifier: MIT */
/*
 * attributes.c - the lists of the tree, and their attributes as members of the model
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "manifest.h"
#include "base/guid.h"

const struct manifest_node *etw_manifest_of(const struct manifest_reader *r,
					    const struct manifest_node *node,
					    enum manifest_list list)
{
	while (node && node->element->list != list)
		node = node->next;
	return r->err ? NULL : node;
}

unsigned int etw_manifest_count(const struct manifest_reader *r, const struct manifest_node *parent,
				enum manifest_list list)
{
	const struct manifest_node *node;
	unsigned int count = 0;

	manifest_for_each(node, r, parent, list)
		count++;
	return count;
}

void *etw_manifest_array_of(struct manifest_reader *r, const struct manifest_node *parent,
			    enum manifest_list list, size_t size, unsigned int *count)
{
	*count = etw_manifest_count(r, parent, list);
	return etw_manifest_array(r, *count, size);
}

const char *etw_manifest_value(const struct manifest_node *node, const char *attribute)
{
	unsigned int i;

	for (i = 0; i < node->element->attribute_count; i++)
		if (!strcmp(node->element->attributes[i].name, attribute))
			return node->values[i];
	return NULL;
}

/* Decimal, or hexadecimal with 0x in front; strtoull() would also take blanks and a sign. */
bool etw_manifest_number(const char *s, uint64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	char *end;

	if (!isxdigit((unsigned char)s[hex ? 2 : 0]))
		return false;
	errno = 0;
	*out = strtoull(s, &end, hex ? 16 : 10);
	return !*end && !errno;
}

/* The first character that is not one of a symbol */
static size_t symbol_end(const char *s)
{
	if (*s >= '0' && *s <= '9')
		return 0;
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
}

bool etw_manifest_is_symbol(const char *s)
{
	return *s && !s[symbol_end(s)];
}

void etw_manifest_character(const char *text, size_t at, char *out, size_t size)
{
	size_t number = 1, len = 1, i;

	for (i = 0; i < at; i++)
		number += (text[i] & 0xC0) != 0x80;
	while (text[at] && (text[at + len] & 0xC0) == 0x80)
		len++;
	if (!text[at])
		snprintf(out, size, number > 1 ? "it ends after character %zu" : "it is empty",
			 number - 1);
	else if ((unsigned char)text[at] < ' ')
		snprintf(out, size, "character %zu is U+%04X", number, text[at]);
	else
		snprintf(out, size, "character %zu is \"%.*s\"", number, (int)len, text + at);
}

/* In the attribute's limits, and one bit where only that is right */
static bool is_number(const struct manifest_attribute *a, const char *s, uint64_t *number)
{
	return etw_manifest_number(s, number) && *number >= a->least && *number <= a->most &&
	       (a->type != MANIFEST_BIT || !(*number & (*number - 1)));
}

/* A mask of one bit in hexadecimal without 0x; no decimal number of one bit looks so. */
static bool is_plain_hex(const struct manifest_attribute *a, const char *s, uint64_t *number)
{
	char *end;

	if (a->type != MANIFEST_BIT || s[strspn(s, "0123456789")] || strlen(s) > 16)
		return false;
	*number = strtoull(s, &end, 16);
	return *number && !(*number & (*number - 1));
}

/*
 * A number that breaks the compiler's limits, but fits where events have it: the values
 * and bits of Windows' own definitions, or negative ones of a C program's enumeration.
 */
static bool is_readable(const struct manifest_attribute *a, const char *s, uint64_t *number)
{
	uint64_t most = a->widest ? a->widest : a->most;
	bool negative = s[0] == '-';

	if (is_plain_hex(a, s, number))
		return *number <= most;
	if (!etw_manifest_number(s + negative, number))
		return false;
	if (!negative)
		return (a->widest || *number >= a->least) &&
		       (*number <= most || (most == UINT32_MAX && *number >= INT32_MIN + 0ull));
	*number = 0 - *number;
	return most == UINT32_MAX && *number >= INT32_MIN + 0ull;
}

static bool is_bool(const char *s, uint64_t *value)
{
	*value = !strcasecmp(s, "true") || !strcmp(s, "1");
	return *value || !strcasecmp(s, "false") || !strcmp(s, "0");
}

static bool is_choice(const struct manifest_attribute *a, const char *s, uint64_t *index)
{
	for (*index = 0; a->choices && a->choices[*index]; ++*index)
		if (!strcasecmp(s, a->choices[*index]))
			return true;
	return !a->choices;
}

static void invalid(struct manifest_reader *r, const struct manifest_attribute *a,
		    const char *value, const char *must)
{
	etw_manifest_error(r, "%s \"%s\" must be %s", a->name, value, must);
}

/* Likewise; at: the offset of the first wrong character */
static void invalid_at(struct manifest_reader *r, const struct manifest_attribute *a,
		       const char *value, size_t at, const char *must)
{
	char which[48];

	etw_manifest_character(value, at, which, sizeof(which));
	etw_manifest_error(r, "%s \"%.100s\" must be %s; %s", a->name, value, must, which);
}

/* Is it no number at all?  at: the first character that is wrong */
static bool is_no_number(const char *value, size_t *at)
{
	bool hex = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
	const char *digits = value + 2 * hex;

	*at = 2 * hex + strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
	return value[*at] || !*digits;
}

/* The first character that is no part of a GUID; the value is none */
static size_t guid_end(const char *value)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	bool braces = value[0] == '{';
	size_t at = braces, i;

	for (i = 0; shape[i]; i++, at++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)value[at]) : value[at] != shape[i])
			return at;
	return at + (braces && value[at] == '}');
}

static void invalid_number(struct manifest_reader *r, const struct manifest_attribute *a,
			   const char *value)
{
	unsigned long long least = a->least, most = a->most;
	char must[80];
	size_t at;

	if (a->type == MANIFEST_BIT)
		snprintf(must, sizeof(must), "one bit of 0x1 to 0x%llx%s", most,
			 least ? "" : ", or 0");
	else if (most == UINT64_MAX)
		snprintf(must, sizeof(must), "a number");
	else
		snprintf(must, sizeof(must), "a number from %llu to %llu", least, most);
	if (is_no_number(value, &at))
		invalid_at(r, a, value, at, must);
	else
		invalid(r, a, value, must);
}

/* "a, b or c" */
static void invalid_choice(struct manifest_reader *r, const struct manifest_attribute *a,
			   const char *value)
{
	char known[200];
	size_t used = 0, i;

	for (i = 0; a->choices[i] && used < sizeof(known); i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s",
				 !i ? "" : a->choices[i + 1] ? ", " : " or ", a->choices[i]);
	invalid(r, a, value, known);
}

/* The members are little-endian, as this machine is. */
static void set_number(void *member, size_t size, uint64_t number)
{
	memcpy(member, &number, size);
}

static void convert_guid(struct manifest_reader *r, const struct manifest_attribute *a,
			 const char *value, void *member)
{
	struct etw_guid guid;

	if (etw_guid_parse(value, &guid))
		invalid_at(r, a, value, guid_end(value),
			   "a GUID: {01234567-89ab-cdef-0123-456789abcdef}");
	else if (a->least && etw_guid_is_zero(&guid))
		etw_manifest_error(r, "%s must not be zero", a->name);
	else
		memcpy(member, &guid, a->size);
}

static void convert_number(struct manifest_reader *r, const struct manifest_attribute *a,
			   const char *value, void *member)
{
	const char *cost = r->at.cost;
	uint64_t number = 0;
	bool right = is_number(a, value, &number);
	bool taken = right || (r->lenient && is_readable(a, value, &number));

	if (taken)
		set_number(member, a->size, number);
	if (right)
		return;
	if (taken)
		r->at.cost = NULL;
	invalid_number(r, a, value);
	r->at.cost = cost;
}

static void convert(struct manifest_reader *r, const struct manifest_attribute *a,
		    const char *value, void *member)
{
	uint64_t number;

	switch (a->type) {
	case MANIFEST_NAME:
		if (!*value)
			etw_manifest_error(r, "attribute %s is empty", a->name);
		break;
	case MANIFEST_TEXT:
		if (!is_choice(a, value, &number))
			invalid_choice(r, a, value);
		break;
	case MANIFEST_SYMBOL:
		if (!etw_manifest_is_symbol(value))
			invalid_at(r, a, value, symbol_end(value),
				   "a C identifier: letters, digits and _, and no digit first");
		else if (strlen(value) > MANIFEST_SYMBOL_MAX)
			etw_manifest_error(r, "%s has more than %u characters", a->name,
					   MANIFEST_SYMBOL_MAX);
		break;
	case MANIFEST_NUMBER:
	case MANIFEST_BIT:
		convert_number(r, a, value, member);
		break;
	case MANIFEST_BOOL:
		if (is_bool(value, &number))
			set_number(member, a->size, number);
		else
			invalid(r, a, value, "true or false");
		break;
	case MANIFEST_CHOICE:
		if (is_choice(a, value, &number))
			set_number(member, a->size, number);
		else
			invalid_choice(r, a, value);
		break;
	case MANIFEST_GUID:
		convert_guid(r, a, value, member);
		break;
	case MANIFEST_MESSAGE:
		*(const struct etw_mf_message **)member = etw_manifest_message(r, value);
		break;
	default:
		break;
	}
	/* An empty symbol of a dump is none. */
	if (a->type <= MANIFEST_SYMBOL && a->size &&
	    (*value || a->type != MANIFEST_SYMBOL || a->required || !r->lenient))
		*(const char **)member = value;
}

static const char *cost_of(const struct manifest_node *node, const struct manifest_attribute *a)
{
	if (!a->needed)
		return NULL;
	return node->element->list == MANIFEST_FIELDS ? MANIFEST_COST_FIELD : MANIFEST_COST_ELEMENT;
}

void etw_manifest_convert(struct manifest_reader *r, const struct manifest_node *node,
			  void *object)
{
	unsigned int i;

	for (i = 0; i < node->element->attribute_count; i++) {
		const struct manifest_attribute *a = &node->element->attributes[i];
		void *member = (char *)object + a->offset;

		r->at.cost = cost_of(node, a);
		if (node->values[i])
			convert(r, a, node->values[i], member);
		else if (a->required)
			etw_manifest_error(r, "attribute %s is missing", a->name);
		if (a->title && node->values[i])
			r->at.name = node->values[i];
		if (a->required && a->type <= MANIFEST_SYMBOL && a->size && !node->values[i])
			*(const char **)member = "";
	}
	r->at.cost = NULL;
}

bool etw_manifest_read_attributes(struct manifest_reader *r, const struct manifest_node *node,
				  void *object)
{
	etw_manifest_at(r, node->line, node->element->name, NULL);
	*(unsigned int *)((char *)object + node->element->line) = node->line;
	r->lost = false;
	etw_manifest_convert(r, node, object);
	return !r->lost;
}
