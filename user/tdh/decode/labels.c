/* SPDX-License-Identifier: MIT */
/*
 * labels.c - names of fields as printed
 *
 * They are escaped once, when the plan is built. In JSON, if fields of one object share
 * a name, the second "a" becomes "a_2" and the third "a_3", skipping names that other
 * fields have.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "base/text.h"

struct entry {
	const char *name;
	unsigned int index;
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	return by_name ? by_name : (x->index > y->index) - (x->index < y->index);
}

struct suffixed {
	const char *name;
	size_t len;
	char suffix[16];	/* "_2" */
};

static int compare_suffixed(const void *key, const void *entry)
{
	const struct suffixed *s = key;
	const char *name = ((const struct entry *)entry)->name;
	int order = strncmp(s->name, name, s->len);

	return order ? order : strcmp(s->suffix, name + s->len);
}

/* Does one of the sorted entries have the name name_suffix? */
static bool is_taken(const struct entry *entries, unsigned int count, const char *name,
		     unsigned int suffix)
{
	struct suffixed key = { .name = name, .len = strlen(name) };

	snprintf(key.suffix, sizeof(key.suffix), "_%u", suffix);
	return bsearch(&key, entries, count, sizeof(*entries), compare_suffixed);
}

static void fill_object(struct etw_field_step *steps, const struct etw_mf_field *fields,
			unsigned int first, unsigned int count, struct entry *entries)
{
	unsigned int i, suffix = 1;

	for (i = 0; i < count; i++)
		entries[i] = (struct entry){ fields[first + i].name, first + i };
	qsort(entries, count, sizeof(*entries), compare);
	for (i = 1; i < count; i++) {
		if (strcmp(entries[i].name, entries[i - 1].name)) {
			suffix = 1;
			continue;
		}
		do
			suffix++;
		while (suffix < UINT16_MAX &&
		       is_taken(entries, count, entries[i].name, suffix));
		steps[entries[i].index].suffix = (uint16_t)suffix;
	}
}

static int fill_suffixes(struct etw_field_step *steps, const struct etw_mf_template *template)
{
	struct entry *entries = malloc((template->count + 1) * sizeof(*entries));
	unsigned int i, members = 0;

	if (!entries)
		return -ENOMEM;
	fill_object(steps, template->fields, 0,
		    template->top < template->count ? template->top : template->count, entries);
	/* A valid field belongs to one structure; hostile templates may differ. */
	for (i = 0; i < template->count; i++) {
		if (steps[i].how != ETW_HOW_STRUCT)
			continue;
		members += template->fields[i].members;
		if (members > template->count)
			break;
		fill_object(steps, template->fields, template->fields[i].first,
			    template->fields[i].members, entries);
	}
	free(entries);
	return 0;
}

static int fill_labels(struct etw_schema_plan *plan)
{
	const struct etw_mf_template *template = plan->template;
	struct etw_text text = { 0 };
	unsigned int i;

	for (i = 0; i < template->count; i++) {
		const char *name = template->fields[i].name;
		struct etw_field_step *step = &plan->steps[i];

		step->label = (uint32_t)text.len;
		etw_text_char(&text, ' ');
		etw_text_escape(&text, name, strlen(name));
		etw_text_char(&text, '=');
		step->label_len = (uint32_t)text.len - step->label;
		etw_text_add(&text, ",\"", 2);
		etw_text_json_inside(&text, name, strlen(name));
		if (step->suffix)
			etw_text_printf(&text, "_%u", step->suffix);
		etw_text_add(&text, "\":", 2);
		step->json_len = (uint32_t)text.len - step->label - step->label_len;
	}
	plan->labels = text.data;
	plan->bytes += text.cap;
	return text.error;
}

int etw_plan_finish(struct etw_schema_plan *plan)
{
	int error;

	if (!plan->template)
		return 0;
	plan->keeps = etw_field_steps_fill(plan->steps, plan->template);
	error = fill_suffixes(plan->steps, plan->template);
	return error ? error : fill_labels(plan);
}
