/* SPDX-License-Identifier: MIT */
/*
 * xml_write_data.c - maps and templates as XML
 */
#include "manifest.h"
#include "xml_write.h"

/* ----------------------------------------------------------------------- maps */

static void map(struct etw_xml *x, const struct etw_mf_map *m)
{
	static const char *const kinds[] = {
		[ETW_MAP_VALUE] = "valueMap", [ETW_MAP_BITS] = "bitMap",
		[ETW_MAP_PATTERN] = "patternMap",
	};
	const struct etw_mf_map_entry *e;

	etw_text_printf(x->out, " <%s", kinds[m->kind]);
	etw_xml_attr(x, "name", m->name);
	etw_xml_attr(x, "symbol", m->symbol);
	etw_xml_attr(x, "format", m->format);
	etw_text_puts(x->out, ">\n");
	for (e = m->entries; e < m->entries + m->count; e++) {
		etw_text_puts(x->out, "  <map");
		etw_xml_attr(x, "symbol", e->symbol);
		if (m->kind == ETW_MAP_PATTERN) {
			etw_xml_attr(x, "name", e->name);
			etw_xml_attr(x, "value", e->text);
		} else {
			etw_xml_number(x, "value", e->value);
			if (e->message)
				etw_xml_message(x, e->message);
			else
				etw_xml_attr(x, "message", "");
		}
		etw_text_puts(x->out, "/>\n");
	}
	etw_text_printf(x->out, " </%s>\n", kinds[m->kind]);
}

static void some_maps(struct etw_xml *x, const char *element, bool patterns)
{
	const struct etw_mf_provider *p = x->provider;
	bool any = false;
	unsigned int i;

	for (i = 0; i < p->map_count; i++) {
		if ((p->maps[i].kind == ETW_MAP_PATTERN) != patterns)
			continue;
		if (!any)
			etw_text_printf(x->out, "<%s>\n", element);
		any = true;
		map(x, &p->maps[i]);
	}
	if (any)
		etw_text_printf(x->out, "</%s>\n", element);
}

void etw_xml_maps(struct etw_xml *x)
{
	some_maps(x, "maps", false);
	some_maps(x, "namedQueries", true);
}

/* ------------------------------------------------------------------ templates */

/* Those that XML Schema defines, too */
static bool is_xs(uint16_t out_type)
{
	return out_type <= TDH_OUTTYPE_HEXBINARY;
}

static void field(struct etw_xml *x, const struct etw_mf_template *t, const struct etw_mf_field *f)
{
	if (f->flags & ETW_MF_COUNT_FIELD)
		etw_xml_attr(x, "count", t->fields[f->count].name);
	else if (f->flags & ETW_MF_COUNT_FIXED)
		etw_xml_number(x, "count", f->count);
	if (f->flags & ETW_MF_STRUCT)
		return;
	etw_text_printf(x->out, " inType=\"win:%s\"", etw_mx_in_type_name(f->in_type));
	if (f->out_type && f->out_type != etw_mx_default_out_type(f->in_type))
		etw_text_printf(x->out, " outType=\"%s:%s\"", is_xs(f->out_type) ? "xs" : "win",
				etw_mx_out_type_name(f->out_type));
	if (f->flags & ETW_MF_LENGTH_FIELD)
		etw_xml_attr(x, "length", t->fields[f->length].name);
	else if (f->length)
		etw_xml_number(x, "length", f->length);
	if (f->map)
		etw_xml_attr(x, "map", f->map->name);
	if (f->flags & ETW_MF_TAGS)
		etw_xml_number(x, "tags", f->tags);
}

static void fields(struct etw_xml *x, const struct etw_mf_template *t)
{
	const struct etw_mf_field *f, *member;

	for (f = t->fields; f < t->fields + t->top; f++) {
		bool is_struct = f->flags & ETW_MF_STRUCT;

		etw_text_puts(x->out, is_struct ? "  <struct" : "  <data");
		etw_xml_attr(x, "name", f->name);
		field(x, t, f);
		if (!is_struct) {
			etw_text_puts(x->out, "/>\n");
			continue;
		}
		etw_text_puts(x->out, ">\n");
		member = t->fields + f->first;
		for (; member < t->fields + f->first + f->members; member++) {
			etw_text_puts(x->out, "   <data");
			etw_xml_attr(x, "name", member->name);
			field(x, t, member);
			etw_text_puts(x->out, "/>\n");
		}
		etw_text_puts(x->out, "  </struct>\n");
	}
}

void etw_xml_templates(struct etw_xml *x)
{
	const struct etw_mf_provider *p = x->provider;
	const struct etw_mf_template *t;

	if (!p->template_count)
		return;
	etw_text_puts(x->out, "<templates>\n");
	for (t = p->templates; t < p->templates + p->template_count; t++) {
		etw_text_puts(x->out, " <template");
		etw_xml_attr(x, "tid", t->id);
		etw_xml_attr(x, "name", t->name);
		etw_text_puts(x->out, ">\n");
		fields(x, t);
		etw_text_puts(x->out, " </template>\n");
	}
	etw_text_puts(x->out, "</templates>\n");
}
