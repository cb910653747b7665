/* SPDX-License-Identifier: GPL-2.0-only */
/* manifest.h - reads small manifests and checks the problems reported */
#ifndef ETW_UNIT_MANIFEST_H
#define ETW_UNIT_MANIFEST_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "tdh/model/model.h"

#define NAMESPACES \
	"xmlns=\"http://schemas.microsoft.com/win/2004/08/events\" " \
	"xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\" " \
	"xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" " \
	"xmlns:trace=\"http://schemas.microsoft.com/win/2004/08/events/trace\""
#define GUID_TEXT	"{11111111-2222-3333-4444-555555555555}"

/* The text around the elements of one provider, which begin in line 4. */
#define HEAD \
	"<instrumentationManifest " NAMESPACES ">\n" \
	"<instrumentation><events>\n" \
	"<provider name=\"P\" guid=\"" GUID_TEXT "\" symbol=\"P\">\n"
#define TAIL \
	"\n</provider></events></instrumentation>\n" \
	"<localization><resources culture=\"en-US\"><stringTable>\n" \
	"<string id=\"s\" value=\"text\"/><string id=\"one\" value=\"is %1\"/>\n" \
	"</stringTable></resources></localization></instrumentationManifest>\n"

/* A manifest that breaks one rule, and the expected problem */
struct rule {
	const char *what;	/* elements of the provider, or the whole manifest, see below */
	unsigned int line;
	const char *text;	/* NULL: it is valid */
};

static struct etw_problems problems;
static struct etw_manifest *manifest;

__attribute__((__unused__))
static void show_problems(void)
{
	unsigned int i;

	for (i = 0; i < problems.count; i++)
		printf("# %u: %s: %s\n", problems.list[i].line,
		       problems.list[i].warning ? "warning" : "error", problems.list[i].text);
}

/* Read these bytes and return the result; frees the last manifest and its problems. */
__attribute__((__unused__))
static int read_bytes(const void *data, size_t size)
{
	void *exact = malloc(size ? size : 1);
	int err;

	etw_manifest_put(manifest);
	manifest = NULL;
	etw_problems_free(&problems);
	/* A block of the exact size exposes reads beyond it. */
	memcpy(exact, data, size);
	err = etw_manifest_check_memory(exact, size, "test.man", &manifest, &problems);
	free(exact);
	return err;
}

__attribute__((__unused__))
static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* The same for elements inside a provider */
__attribute__((__unused__))
static int read_inner(const char *inner)
{
	char *text = malloc(strlen(HEAD) + strlen(inner) + strlen(TAIL) + 1);
	int err;

	strcpy(stpcpy(stpcpy(text, HEAD), inner), TAIL);
	err = read_text(text);
	free(text);
	return err;
}

__attribute__((__unused__))
static void read_end(void)
{
	etw_manifest_put(manifest);
	manifest = NULL;
	etw_problems_free(&problems);
}

/* Reading reported exactly this problem. */
static void check_said(const struct rule *rule, int err, int want, bool warning)
{
	bool same = err == want && problems.errors == !warning && problems.warnings == warning &&
		    problems.count == 1 && problems.list[0].line == rule->line &&
		    problems.list[0].warning == warning &&
		    !strcmp(problems.list[0].text, rule->text);

	if (!ok(same, "%u: %s", rule->line, rule->text)) {
		printf("# returned %d\n", err);
		show_problems();
	}
}

__attribute__((__unused__))
static void check_rule(const struct rule *rule)
{
	int err = read_inner(rule->what);

	if (rule->text) {
		check_said(rule, err, -EINVAL, false);
		return;
	}
	if (!ok(!err && !problems.errors && !problems.warnings, "right: %.*s",
		(int)strcspn(rule->what, "\n"), rule->what))
		show_problems();
}

/* A warning; the manifest is read nevertheless. */
__attribute__((__unused__))
static void check_warning(const struct rule *rule)
{
	check_said(rule, read_inner(rule->what), 0, true);
}

/* The rule's elements are the whole manifest. */
__attribute__((__unused__))
static void check_whole(const struct rule *rule)
{
	check_said(rule, read_text(rule->what), -EINVAL, false);
}

/* Every rule of an array */
#define EACH(list, check) \
	do { \
		size_t each; \
		for (each = 0; each < sizeof(list) / sizeof((list)[0]); each++) \
			check(&(list)[each]); \
	} while (0)

#endif /* ETW_UNIT_MANIFEST_H */
