/* SPDX-License-Identifier: MIT */
/*
 * trace_names.c - the names of a trace event's flags and symbols, as maps of a manifest
 *
 * The kernel tells them in the text of the format file, which libtraceevent parses:
 *
 *	__print_symbolic(REC->state, {1, "ESTABLISHED"}, ...)		a valueMap
 *	__print_flags(REC->flags & 0xff, "|", {1, "S"}, ...)		a bitMap
 *	REC->flags ? __print_flags(REC->flags, ...) : "none"		with a name for 0
 *	REC->flags & 0x100 ? "+" : ""					with one more bit, which
 *									each name is there with
 *
 * A field has the map of the first call for it. A mask only hides bits, so a name is never
 * wrong: what a map does not know is shown as a number.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/xml_escape.h"
#include "trace_names.h"
#include "tracefs_library.h"

#define NAMED_MAX	16	/* fields of one event */

/* A field whose values have names */
struct named {
	const struct tep_format_field *field;
	const struct tep_print_flag_sym *list;
	bool bits;
	const char *zero;	/* the name of 0, or NULL */
	const char *more;	/* of a bit that the list lacks, or NULL */
	uint32_t more_bit;
};

struct search {
	const struct tep_event *event;
	struct named named[NAMED_MAX];
	unsigned int count;
};

/* ----------------------------------------------------------------- expressions */

static bool number_of(const char *text, uint64_t *value)
{
	char *end;

	/* Negative ones, too; C's suffixes may follow. */
	*value = strtoull(text, &end, 0);
	return end != text && !end[strspn(end, "uUlL")];
}

static bool is_op(const struct tep_print_arg *arg, const char *op)
{
	return arg && arg->type == TEP_PRINT_OP && !strcmp(arg->op.op, op);
}

/* libtraceevent gives an operator before its only operand another one that is nothing. */
static bool is_unary(const struct tep_print_arg *arg)
{
	return !arg->op.left || arg->op.left->type == TEP_PRINT_NULL;
}

/* The value of an expression without fields; false: it is none. */
static bool constant(const struct tep_print_arg *arg, uint64_t *value)
{
	uint64_t left, right;

	if (arg && arg->type == TEP_PRINT_TYPE)
		return constant(arg->typecast.item, value);
	if (arg && arg->type == TEP_PRINT_ATOM)
		return number_of(arg->atom.atom, value);
	if (!arg || arg->type != TEP_PRINT_OP || !constant(arg->op.right, &right))
		return false;
	if (is_unary(arg)) {
		*value = is_op(arg, "~") ? ~right : is_op(arg, "-") ? -right : right;
		return is_op(arg, "~") || is_op(arg, "-") || is_op(arg, "+");
	}
	if (!constant(arg->op.left, &left))
		return false;
	if (is_op(arg, "|"))
		*value = left | right;
	else if (is_op(arg, "&"))
		*value = left & right;
	else if (is_op(arg, "+"))
		*value = left + right;
	else if (is_op(arg, "-"))
		*value = left - right;
	else if (is_op(arg, "<<") && right < 64)
		*value = left << right;
	else if (is_op(arg, ">>") && right < 64)
		*value = left >> right;
	else
		return false;
	return true;
}

static const struct tep_format_field *find_field(const struct tep_event *event, const char *name)
{
	const struct tep_format_field *f = event->format.fields;

	while (f && strcmp(f->name, name))
		f = f->next;
	return f;
}

/* The field that this is, or some bits of; NULL: it is something else. */
static const struct tep_format_field *field_of(const struct search *s,
					       const struct tep_print_arg *arg, uint64_t *mask)
{
	uint64_t value;

	if (!arg)
		return NULL;
	switch (arg->type) {
	case TEP_PRINT_FIELD:
		return find_field(s->event, arg->field.name);
	case TEP_PRINT_TYPE:
		return field_of(s, arg->typecast.item, mask);
	case TEP_PRINT_OP:
		if (!is_op(arg, "&"))
			return NULL;
		if (constant(arg->op.right, &value)) {
			*mask &= value;
			return field_of(s, arg->op.left, mask);
		}
		if (!constant(arg->op.left, &value))
			return NULL;
		*mask &= value;
		return field_of(s, arg->op.right, mask);
	default:
		return NULL;
	}
}

static const char *text_of(const struct tep_print_arg *arg)
{
	uint64_t value;

	return arg && arg->type == TEP_PRINT_ATOM && !number_of(arg->atom.atom, &value) ?
	       arg->atom.atom : NULL;
}

/* -------------------------------------------------------------------- searching */

static struct named *named_of(struct search *s, const struct tep_format_field *field)
{
	unsigned int i;

	for (i = 0; i < s->count; i++)
		if (s->named[i].field == field)
			return &s->named[i];
	return NULL;
}

/* Is this the value, as maps have it: in 32 bits, of which narrow fields have fewer? */
static bool map_value(const struct tep_format_field *field, const struct tep_print_flag_sym *one,
		      uint32_t *value)
{
	uint64_t wide;

	if (!one->value || !one->str || !*one->str || !number_of(one->value, &wide) ||
	    (wide > UINT32_MAX && (int64_t)wide < INT32_MIN))
		return false;
	/* -1 of the kernel's text is all ones in a field without a sign. */
	if (wide > UINT32_MAX && field->size < 4 && !(field->flags & TEP_FIELD_IS_SIGNED))
		wide &= (1u << 8 * field->size) - 1;
	*value = (uint32_t)wide;
	return true;
}

/* Some kernels have names of constants in their format files, which nobody knows. */
static bool has_values(const struct tep_format_field *field, const struct tep_print_flag_sym *list)
{
	uint32_t value;

	while (list && !map_value(field, list, &value))
		list = list->next;
	return list;
}

static bool has_size(const struct tep_format_field *field)
{
	return field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
}

static void add(struct search *s, const struct tep_print_arg *arg,
		const struct tep_print_flag_sym *list, bool bits)
{
	uint64_t mask = UINT64_MAX;
	const struct tep_format_field *field = field_of(s, arg, &mask);

	/* A map is for one number. */
	if (!field || field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING |
				      TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_POINTER) ||
	    !has_size(field) || !has_values(field, list) || named_of(s, field) ||
	    s->count == NAMED_MAX)
		return;
	s->named[s->count++] = (struct named){ .field = field, .list = list, .bits = bits };
}

static void search(struct search *s, const struct tep_print_arg *arg);

/* CONDITION ? ONE : OTHER */
static void choice(struct search *s, const struct tep_print_arg *condition,
		   const struct tep_print_arg *one, const struct tep_print_arg *other)
{
	const unsigned int before = s->count;
	uint64_t mask = UINT64_MAX, shown = UINT64_MAX;
	const struct tep_format_field *field = field_of(s, condition, &mask);
	struct named *named;

	search(s, one);
	search(s, other);
	named = field ? named_of(s, field) : NULL;
	if (!named || !named->bits)
		return;
	if (s->count > before && one && one->type == TEP_PRINT_FLAGS && text_of(other) &&
	    field_of(s, one->flags.field, &shown) == field)
		named->zero = text_of(other);
	if (mask && !(mask & (mask - 1)) && mask <= UINT32_MAX && text_of(one) && *text_of(one) &&
	    !named->more) {
		named->more = text_of(one);
		named->more_bit = (uint32_t)mask;
	}
}

static void search(struct search *s, const struct tep_print_arg *arg)
{
	if (!arg)
		return;
	switch (arg->type) {
	case TEP_PRINT_FLAGS:
		add(s, arg->flags.field, arg->flags.flags, true);
		break;
	case TEP_PRINT_SYMBOL:
		add(s, arg->symbol.field, arg->symbol.symbols, false);
		break;
	case TEP_PRINT_TYPE:
		search(s, arg->typecast.item);
		break;
	case TEP_PRINT_OP:
		if (is_op(arg, "?") && is_op(arg->op.right, ":")) {
			choice(s, arg->op.left, arg->op.right->op.left, arg->op.right->op.right);
			break;
		}
		search(s, arg->op.left);
		search(s, arg->op.right);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------------- writing */

static void attribute(struct etw_text *to, const char *name, const char *value)
{
	etw_text_printf(to, " %s=\"", name);
	etw_text_xml(to, value, strlen(value), ETW_XML_ATTRIBUTE);
	etw_text_char(to, '"');
}

static void entry(struct etw_text *to, uint32_t value, const char *name, const char *suffix)
{
	etw_text_printf(to, "<map value=\"0x%x\" message=\"", value);
	etw_text_xml(to, name, strlen(name), ETW_XML_ATTRIBUTE);
	etw_text_xml(to, suffix, strlen(suffix), ETW_XML_ATTRIBUTE);
	etw_text_puts(to, "\"/>");
}

/* One more bit follows the name that the others have, be it that of 0. */
static void more(struct etw_text *to, const struct named *n)
{
	const struct tep_print_flag_sym *one;
	uint32_t value;

	entry(to, n->more_bit, n->zero ? n->zero : "", n->more);
	for (one = n->list; one; one = one->next)
		if (map_value(n->field, one, &value) && value && !(value & n->more_bit))
			entry(to, value | n->more_bit, one->str, n->more);
}

static void map(struct etw_text *to, const struct named *n)
{
	const char *kind = n->bits ? "bitMap" : "valueMap";
	const struct tep_print_flag_sym *one;
	bool has_zero = false, has_more = false;
	uint32_t value;

	etw_text_printf(to, "<%s", kind);
	attribute(to, "name", n->field->name);
	etw_text_char(to, '>');
	for (one = n->list; one; one = one->next) {
		if (!map_value(n->field, one, &value))
			continue;
		entry(to, value, one->str, "");
		has_zero |= !value;
		has_more |= value == n->more_bit;
	}
	if (n->zero && !has_zero)
		entry(to, 0, n->zero, "");
	if (n->more && !has_more)
		more(to, n);
	etw_text_printf(to, "</%s>", kind);
}

static const char *type_of(const struct tep_format_field *field)
{
	static const char *const types[][2] = {
		[1] = { "UInt8", "Int8" }, [2] = { "UInt16", "Int16" },
		[4] = { "UInt32", "Int32" }, [8] = { "UInt64", "Int64" },
	};

	return types[field->size][!!(field->flags & TEP_FIELD_IS_SIGNED)];
}

/* Those of the named fields that the bit mask selects */
static void sections(struct etw_text *to, const struct search *s, uint32_t taken, const char *name)
{
	unsigned int i;

	etw_text_puts(to, "<maps>");
	for (i = 0; i < s->count; i++)
		if (taken & 1u << i)
			map(to, &s->named[i]);
	etw_text_puts(to, "</maps><templates><template tid=\"t\">");
	for (i = 0; i < s->count; i++) {
		if (!(taken & 1u << i))
			continue;
		etw_text_puts(to, "<data");
		attribute(to, "name", s->named[i].field->name);
		etw_text_printf(to, " inType=\"win:%s\"", type_of(s->named[i].field));
		attribute(to, "map", s->named[i].field->name);
		etw_text_puts(to, "/>");
	}
	etw_text_puts(to, "</template></templates><events><event value=\"0\" symbol=\"E\" template=\"t\"");
	attribute(to, "name", name);
	etw_text_puts(to, "/></events>");
}

int trace_names_find(const struct tep_event *event, const char *name, struct trace_schema *schema)
{
	struct search s = { .event = event };
	const struct tep_print_arg *arg;
	struct etw_text text = { 0 };
	uint32_t taken = 0, i;
	int err = 0;

	schema->names[0] = '\0';
	for (arg = event->print_fmt.args; arg; arg = arg->next)
		search(&s, arg);
	for (i = 0; i < s.count && !err; i++) {
		etw_text_cut(&text, 0);
		sections(&text, &s, taken | 1u << i, name);
		if (text.error)
			err = -ENOMEM;
		else if (text.len < sizeof(schema->names))
			taken |= 1u << i;
	}
	if (!err && taken) {
		etw_text_cut(&text, 0);
		sections(&text, &s, taken, name);
		memcpy(schema->names, text.data, text.len + 1);
	}
	etw_text_free(&text);
	return err;
}

void trace_names_manifest(struct etw_text *to, const char *provider, const struct etw_guid *guid,
			  const char *names)
{
	etw_text_puts(to, "<instrumentationManifest "
		      "xmlns=\"http://schemas.microsoft.com/win/2004/08/events\"><instrumentation "
		      "xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\">"
		      "<events><provider symbol=\"P\"");
	attribute(to, "name", provider);
	etw_text_puts(to, " guid=\"{");
	etw_text_guid(to, guid);
	etw_text_printf(to, "}\" resourceFileName=\"\" messageFileName=\"\">%s", names);
	etw_text_puts(to, "</provider></events></instrumentation></instrumentationManifest>");
}
