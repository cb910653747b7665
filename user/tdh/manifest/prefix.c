/* SPDX-License-Identifier: MIT */
/*
 * prefix.c - namespace prefixes of names in attribute values
 *
 * "win:Error" is Windows' name Error under the prefix that the document binds to its
 * namespace. Such prefixes are replaced with the usual ones, win:, xs: and trace:, as
 * soon as they are read; prefixes of other namespaces are part of the name.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "manifest.h"

/* The innermost first. The strings belong to the parser and stay valid as long as it does. */
struct manifest_prefix {
	struct manifest_prefix *next;
	const char *prefix;
	const char *standard;	/* NULL: another namespace */
	unsigned int depth;	/* of the element that binds the prefix */
};

static const struct {
	const char *uri, *prefix;
} known[] = {
	{ "http://manifests.microsoft.com/win/2004/08/windows/events", "win" },
	{ "http://www.w3.org/2001/XMLSchema", "xs" },
	{ "http://schemas.microsoft.com/win/2004/08/events/trace", "trace" },
};

void etw_mx_prefix_bind(struct etw_mx *x, const char *prefix, const char *uri)
{
	struct manifest_prefix *binding;
	size_t i;

	if (!prefix || !uri)
		return;
	binding = calloc(1, sizeof(*binding));
	if (!binding) {
		etw_mx_no_memory(x);
		return;
	}
	binding->prefix = prefix;
	binding->depth = x->depth + 1;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(uri, known[i].uri))
			binding->standard = known[i].prefix;
	if (binding->standard && strcmp(binding->standard, prefix))
		x->odd_prefix = true;
	binding->next = x->prefixes;
	x->prefixes = binding;
}

/* The element at x->depth + 1 has ended. */
void etw_mx_prefix_unbind(struct etw_mx *x)
{
	struct manifest_prefix *binding;

	while (x->prefixes && x->prefixes->depth > x->depth) {
		binding = x->prefixes;
		x->prefixes = binding->next;
		free(binding);
	}
}

void etw_mx_prefix_free(struct etw_mx *x)
{
	x->depth = 0;
	etw_mx_prefix_unbind(x);
}

static const char *standard(const struct etw_mx *x, const char *prefix, size_t len)
{
	const struct manifest_prefix *p;

	for (p = x->prefixes; p; p = p->next)
		if (strlen(p->prefix) == len && !memcmp(p->prefix, prefix, len))
			return p->standard;
	return NULL;
}

/* The names, separated by blanks, with the usual prefixes; in the draft's arena */
const char *etw_mx_standard_prefix(struct etw_mx *x, const char *names)
{
	/* The longest prefix has 5 characters, the shortest one name 2: "a:". */
	char *out = etw_manifest_alloc(x->draft, strlen(names) * 3 + 8), *to = out;

	if (!out)
		return etw_mx_no_memory(x);
	while (*names) {
		size_t blanks = strspn(names, " \t\r\n"), len;
		const char *usual = NULL, *colon;

		to = mempcpy(to, names, blanks);
		names += blanks;
		len = strcspn(names, " \t\r\n");
		colon = memchr(names, ':', len);
		if (colon)
			usual = standard(x, names, colon - names);
		if (usual) {
			to = stpcpy(to, usual);
			len -= colon - names;
			names = colon;
		}
		to = mempcpy(to, names, len);
		names += len;
	}
	return out;
}
