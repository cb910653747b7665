/* SPDX-License-Identifier: MIT */
/*
 * path.c - a field's path: the names of everything that contains it
 */
#include "decoder.h"
#include "base/text.h"

static void add_name(struct etw_text *text, const char *name, ULONG flags)
{
	if (flags & ETW_FORMAT_RAW)
		etw_text_utf8(text, name, strlen(name));
	else
		etw_text_escape(text, name, strlen(name));
}

/* Add one part: the index in the enclosing array, or the name. */
static void add_part(struct etw_text *text, const struct etw_level *around, const char *name,
		     unsigned int index, ULONG flags)
{
	if (around->is_array) {
		etw_text_char(text, '[');
		etw_text_unsigned(text, index, 1);
		etw_text_char(text, ']');
	} else {
		etw_text_char(text, '.');
		add_name(text, name, flags);
	}
}

/*
 * levels[1] to levels[depth] are open around a field at that depth; a field that has
 * just begun is one level higher.
 */
void etw_decode_path(struct etw_text *text, const struct etw_decoder *decoder,
		     const struct etw_field *field, ULONG flags)
{
	unsigned int depth = field->depth < decoder->depth ? field->depth : decoder->depth, i;
	const struct etw_level *levels = decoder->levels;
	const struct etw_mf_field *fields;

	if (!decoder->plan || !decoder->plan->template)
		return;
	fields = decoder->plan->template->fields;
	if (!depth) {
		add_name(text, field->name, flags);
		return;
	}
	add_name(text, fields[levels[1].field].name, flags);
	for (i = 2; i <= depth; i++)
		add_part(text, &levels[i - 1], fields[levels[i].field].name, levels[i].index,
			 flags);
	add_part(text, &levels[depth], field->name, field->index, flags);
}
