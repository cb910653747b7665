/* SPDX-License-Identifier: MIT */
/*
 * probe_spec.c - the name of a probe, taken apart
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probe_spec.h"

static const struct kind {
	const char *prefix;
	unsigned int parts;
	bool kernel;
} kinds[] = {
	[PROBE_KPROBE] = { "kprobe:", 1, true },
	[PROBE_KRETPROBE] = { "kretprobe:", 1, true },
	[PROBE_UPROBE] = { "uprobe:", 2, false },
	[PROBE_URETPROBE] = { "uretprobe:", 2, false },
	[PROBE_USDT] = { "usdt:", 3, false },
};

static const struct kind *find_kind(const char *text)
{
	const struct kind *k, *end = kinds + sizeof(kinds) / sizeof(*kinds);

	for (k = kinds; k < end; k++)
		if (!strncmp(text, k->prefix, strlen(k->prefix)))
			return k;
	return NULL;
}

bool probe_named(const char *text)
{
	return find_kind(text);
}

const char *probe_name_end(const char *text)
{
	const struct kind *k = find_kind(text);
	const char *at = text + strlen(k->prefix);
	unsigned int i;

	for (i = 0; i < k->parts; i++) {
		at += strcspn(at, ":");
		if (*at && i + 1 < k->parts)
			at++;
	}
	return at;
}

__attribute__((format(printf, 2, 3)))
static bool refuse(char *why, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, PROBE_TEXT, fmt, args);
	va_end(args);
	return false;
}

/* Returns where the next part begins; NULL: this one is too long. */
static const char *take_part(const char *at, char part[PROBE_TEXT])
{
	size_t len = strcspn(at, ":");

	if (len >= PROBE_TEXT)
		return NULL;
	snprintf(part, PROBE_TEXT, "%.*s", (int)len, at);
	return at[len] ? at + len + 1 : at + len;
}

static bool take_offset(struct probe_spec *spec, char *why)
{
	char *plus = strchr(spec->symbol, '+'), *end;

	if (!plus)
		return true;
	if (probe_spec_returns(spec) || spec->kind == PROBE_USDT)
		return refuse(why, "an offset is only possible for kprobe and uprobe");
	*plus++ = '\0';
	errno = 0;
	spec->offset = strtoull(plus, &end, 0);
	if (*plus < '0' || *plus > '9' || *end || errno)
		return refuse(why, "the offset %.64s is not a number", plus);
	if (spec->offset && probe_spec_is_pattern(spec))
		return refuse(why, "an offset is not possible with a pattern");
	return true;
}

/* What is in parentheses behind the symbol */
static bool take_fields(struct probe_spec *spec, char *why)
{
	char *open = strchr(spec->symbol, '(');
	size_t len = strlen(spec->symbol);

	if (!open)
		return true;
	if (spec->kind == PROBE_USDT)
		return refuse(why, "a static probe has its own arguments");
	if (spec->symbol[len - 1] != ')')
		return strchr(open, ')') ? refuse(why, "nothing may follow the fields") :
		       refuse(why, "\")\" is missing at the end");
	spec->symbol[len - 1] = '\0';
	spec->has_fields = true;
	strcpy(spec->fields, open + 1);
	*open = '\0';
	if (strchr(spec->symbol, '+'))
		return refuse(why, "fields are only possible at a function's begin and return");
	return true;
}

bool probe_spec_parse(const char *text, struct probe_spec *spec, char why[PROBE_TEXT])
{
	const struct kind *k = find_kind(text);
	char *const all[] = { spec->path, spec->provider, spec->symbol };
	char *const file[] = { spec->path, spec->symbol };
	char *const *to = k->parts == 3 ? all : file + (k->parts == 1);
	const char *at = text + strlen(k->prefix);
	unsigned int i;

	memset(spec, 0, sizeof(*spec));
	spec->kind = k - kinds;
	for (i = 0; i < k->parts; i++) {
		at = take_part(at, to[i]);
		if (!at)
			return refuse(why, "the name is too long");
		if (to[i] == spec->symbol && !take_fields(spec, why))
			return false;
		if (!*to[i] && to[i] != spec->path && !k->kernel)
			strcpy(to[i], "*");
	}
	if (*at)
		return refuse(why, "it has more than the %u part%s of such a name", k->parts,
			      k->parts == 1 ? "" : "s");
	if (k->kernel ? !*spec->symbol : !*spec->path)
		return refuse(why, "the name of the %s is missing", k->kernel ? "function" : "file");
	return take_offset(spec, why);
}

bool probe_spec_name(const struct probe_spec *spec, char *name, size_t size)
{
	const struct kind *k = &kinds[spec->kind];
	char offset[32] = "";
	int len;

	if (spec->offset)
		snprintf(offset, sizeof(offset), "+%#llx", (unsigned long long)spec->offset);
	len = snprintf(name, size, "%s%s%s%s%s%s%s%s%s%s", k->prefix, spec->path,
		       k->parts > 1 ? ":" : "", spec->provider, k->parts > 2 ? ":" : "",
		       spec->symbol, offset, spec->has_fields ? "(" : "", spec->fields,
		       spec->has_fields ? ")" : "");
	return len >= 0 && (size_t)len < size;
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[");
}

bool probe_spec_is_pattern(const struct probe_spec *spec)
{
	return is_pattern(spec->provider) || is_pattern(spec->symbol);
}

bool probe_spec_returns(const struct probe_spec *spec)
{
	return spec->kind == PROBE_KRETPROBE || spec->kind == PROBE_URETPROBE;
}
