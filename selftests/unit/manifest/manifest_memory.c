/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_memory.c - reading a manifest without memory: each allocation fails once, ours
 * and the parser's; and how much reading takes
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

static unsigned int calls, failing;
static size_t taken;	/* bytes that were allocated */

/* Does this allocation fail? failing is its number, 0: none. */
static int fails(void)
{
	return ++calls == failing;
}

static void *failing_calloc(size_t count, size_t size)
{
	taken += count * size;
	return fails() ? NULL : calloc(count, size);
}

static void *failing_malloc(size_t size)
{
	taken += size;
	return fails() ? NULL : malloc(size);
}

static void *failing_realloc(void *p, size_t size)
{
	return fails() ? NULL : realloc(p, size);
}

/* Bytes that model.c allocated, now and at most */
static size_t held, peak;

static void *arena_calloc(size_t count, size_t size)
{
	void *p = failing_calloc(count, size);

	held += p ? malloc_usable_size(p) : 0;
	peak = held > peak ? held : peak;
	return p;
}

static void arena_free(void *p)
{
	held -= p ? malloc_usable_size(p) : 0;
	free(p);
}

/* The files that allocate, instead of those in the library */
#define calloc failing_calloc
#define malloc failing_malloc
#define realloc failing_realloc
#include "tdh/manifest/input.c"
#include "tdh/manifest/userdata.c"
#include "tdh/model/names.c"
#undef calloc
#undef malloc
#define calloc arena_calloc
#define malloc(size) arena_calloc(1, size)
#define free arena_free
#include "tdh/model/model.c"
#undef calloc
#undef malloc
#undef free
#undef realloc

#include <libxml/parser.h>

#include "manifest.h"

/* libxml2 2.9 leaks an empty buffer when it cannot fill it. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:xmlBufCreateSize\n";
}

/* Channels, of which the memory is taken from another chunk for some lengths of the link */
static char *channels(size_t link, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	int i;

	fprintf(f, "<instrumentationManifest " NAMESPACES "><instrumentation><events>"
		"<provider name='P' symbol='P' guid='" GUID_TEXT "' helpLink='%0*d'><channels>",
		(int)link, 0);
	for (i = 0; i < 8; i++)
		fprintf(f, "<channel name='c%d' type='Debug'/>", i);
	fputs("</channels></provider></events></instrumentation></instrumentationManifest>", f);
	fclose(f);
	return text;
}

/* Large enough that tables and buffers grow */
static char *sample(size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	int i;

	fprintf(f, "%s<channels><channel name='c' type='Debug'/></channels><templates>"
		"<template tid='u'><data name='d' inType='win:UInt8'/><UserData><a xmlns='b'>", HEAD);
	for (i = 0; i < 100; i++)
		fprintf(f, "<e%d>text &amp; text</e%d>", i, i);
	fprintf(f, "</a></UserData></template></templates><maps><valueMap name='v'>"
		"<map value='1' message='m'/></valueMap></maps><events>\n");
	for (i = 0; i < 300; i++)
		fprintf(f, "<event value='%d' symbol='E%d' channel='c' template='u' message='%%1 of it'/>\n",
			i, i);
	fprintf(f, "</events>%s", TAIL);
	fclose(f);
	return text;
}

/* A map with a long symbol and many entries, each of whose names begins with that */
static char *long_map(size_t symbol, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);
	int i;

	fprintf(f, "%s<maps><valueMap name='v' symbol='S%0*d'>", HEAD, (int)symbol - 1, 0);
	for (i = 0; i < 2000; i++)
		fprintf(f, "<map value='%d' symbol='E%d' message='$(string.s)'/>", i, i);
	fprintf(f, "</valueMap></maps>%s", TAIL);
	fclose(f);
	return text;
}

static void check_long_map(void)
{
	size_t size;
	char *text = long_map(100000, &size);

	read_end();
	taken = 0;
	is(etw_manifest_read_memory(text, size, "n", &manifest, &problems), 0, "a long symbol");
	ok(taken < 64 * size, "%zu bytes for %zu", taken, size);
	read_end();
	is(etw_manifest_check_memory(text, size, "n", &manifest, &problems), -EINVAL, "is refused");
	ok(problems.count && strstr(problems.list[0].text, "symbol has more than 255 characters"),
	   "%s", problems.count ? problems.list[0].text : "");
	read_end();
	free(text);
	text = long_map(255, &size);
	is(etw_manifest_check_memory(text, size, "n", &manifest, &problems), 0, "255 are right");
	read_end();
	free(text);
}

static void *xml_malloc(size_t size)
{
	return failing_malloc(size);
}

static char *xml_strdup(const char *s)
{
	return fails() ? NULL : strdup(s);
}

/* The number of attempts until no allocation failed; 0: one attempt went wrong */
static unsigned int all_turns(const void *data, size_t size, const char *what)
{
	unsigned int turn;
	int err;

	for (turn = 1; turn < 5000; turn++) {
		read_end();
		calls = 0;
		failing = turn;
		err = etw_manifest_read_memory(data, size, "n", &manifest, &problems);
		failing = 0;
		if (!err)
			return turn;
		if (err != -ENOMEM || manifest) {
			printf("# %s, turn %u: %d\n", what, turn, err);
			show_problems();
			break;
		}
	}
	return 0;
}

/* The peak of reading many events between these texts */
static size_t peak_of(const char *begin, const char *end)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fprintf(f, "%s%s", HEAD, begin);
	for (i = 0; i < 20000; i++)
		fputs("<event value='1' name='of an event' attributes='that nobody needs'/>", f);
	fprintf(f, "%s%s", end, TAIL);
	fclose(f);
	read_end();
	peak = held;
	is(etw_manifest_read_memory(text, size, "n", &manifest, &problems), 0, "20,000 events");
	free(text);
	return peak;
}

static void check_peak(void)
{
	size_t once = peak_of("<events>", "</events>"), twice = peak_of("<events>", "");

	ok(twice < once + once / 4, "%zu bytes read twice, %zu once", twice, once);
	read_end();
}

int main(void)
{
	size_t size, small;
	unsigned int turns;
	char *utf8 = sample(&size), *utf16, *channels8;
	size_t i;

	/* Must be set before the parser allocates. */
	if (xmlMemSetup(free, xml_malloc, failing_realloc, xml_strdup))
		abort();
	xmlInitParser();
	utf16 = malloc(2 * size);
	for (i = 0; i < size; i++) {
		utf16[2 * i] = utf8[i];
		utf16[2 * i + 1] = 0;
	}
	turns = all_turns(utf8, size, "UTF-8");
	ok(turns > 40, "%u allocations failed, one each time, and reading reported it", turns);
	ok(manifest && manifest->providers[0].event_count == 300, "then all is read");
	turns = all_turns(utf16, 2 * size, "UTF-16");
	ok(turns > 40, "the same of UTF-16: %u", turns);
	for (i = 0, turns = 1; i < 4096 && turns; i += 512) {
		channels8 = channels(i, &small);
		turns = all_turns(channels8, small, "channels");
		free(channels8);
	}
	ok(turns, "the same of channels");
	small = strlen(HEAD) / 2;
	is(etw_manifest_read_memory(HEAD, small, "n", &manifest, &problems), -EINVAL,
	   "and errors are still reported");
	read_end();
	check_long_map();
	check_peak();
	free(utf8);
	free(utf16);
	xmlCleanupParser();
	return done_testing();
}
