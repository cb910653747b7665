// SPDX-License-Identifier: GPL-2.0-only
/*
 * values.c - generates a program that writes each event of a manifest
 *
 *	values MANIFEST HEADER
 *
 * prints the program, in C that is also C++: for each event the expected output (see
 * runtime.h), then the macro call.  Values are the same in each run.  The rules of macros
 * and arguments come from the documentation, not from the compiler.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mc/values.h"

static unsigned int seed;

unsigned int values_random(unsigned int below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

void values_word(char *to, const char *from)
{
	if (*from >= '0' && *from <= '9')
		*to++ = '_';
	for (; *from; from++) {
		if ((*from & 0xC0) == 0x80)
			continue;
		*to++ = (*from >= 'a' && *from <= 'z') || (*from >= 'A' && *from <= 'Z') ||
			(*from >= '0' && *from <= '9') ? *from : '_';
	}
	*to = '\0';
}

/* Does an earlier provider have an event with this symbol? */
static bool taken(const struct etw_mf_provider *p, const char *symbol)
{
	const struct etw_mf_provider *q = p->manifest->providers;
	unsigned int i;

	for (; q < p; q++)
		for (i = 0; i < q->event_count; i++)
			if (q->events[i].symbol && !strcmp(q->events[i].symbol, symbol))
				return true;
	return false;
}

static void event_symbol(const struct etw_mf_provider *p, const struct etw_mf_event *e, char *to,
			 size_t size)
{
	const EVENT_DESCRIPTOR *d = &e->desc;

	if (e->symbol && !taken(p, e->symbol))
		snprintf(to, size, "%s", e->symbol);
	else
		snprintf(to, size, "%s_EVENT_0x%x_%x_%x_%x_%x_%x_%llx", p->symbol, d->Id,
			 d->Version, d->Channel, d->Level, d->Opcode, d->Task, d->Keyword);
}

static void event(const struct etw_mf_provider *p, const struct etw_mf_event *e, unsigned int n)
{
	char symbol[512];

	event_symbol(p, e, symbol, sizeof(symbol));
	seed = n * 7919u + e->desc.Id;
	printf("static void event%u(void)\n{\n\tULONG result;\n\n", n);
	values_template(e->template);
	printf("\n\tresult = EventWrite%s(%s);\n", symbol, values_arguments());
	printf("\tmc_written(\"%s\", &%s, EventEnabled%s(), result);\n}\n\n", symbol, symbol,
	       symbol);
}

static void main_of(const struct etw_manifest *m)
{
	unsigned int i, j, n = 0, first;
	char symbol[512];

	printf("int main(int argc, char **argv)\n{\n\tif (mc_begin(argc, argv))\n\t\treturn 2;\n");
	for (i = 0; i < m->provider_count; i++) {
		const struct etw_mf_provider *p = &m->providers[i];

		first = n;
		printf("\tmc_provider(\"%s\", &%s, %s_Traits);\n", p->symbol, p->symbol, p->symbol);
		for (j = 0; j < p->event_count; j++) {
			event_symbol(p, &p->events[j], symbol, sizeof(symbol));
			if (!p->events[j].not_logged)
				printf("\tmc_disabled(\"%s\", EventEnabled%s());\n", symbol, symbol);
		}
		printf("\tMcGenControlCallbackV2(NULL, 1, 255, ~0ULL, 0, NULL, &%s_Context);\n",
		       p->symbol);
		for (j = 0, n = first; j < p->event_count; j++)
			if (!p->events[j].not_logged)
				printf("\tevent%u();\n", n++);
	}
	printf("\treturn mc_end();\n}\n");
}

int main(int argc, char **argv)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m;
	unsigned int i, j, n = 0;

	if (argc != 3 || etw_manifest_read_file(argv[1], &m, &problems)) {
		fprintf(stderr, "values: cannot read %s\n", argc > 1 ? argv[1] : "nothing");
		return 1;
	}
	printf("#include <string.h>\n#include <etw/decode.h>\n#include \"mc/runtime.h\"\n"
	       "#define MCGEN_EVENTWRITETRANSFER mc_capture\n#include \"%s\"\n\n", argv[2]);
	for (i = 0; i < m->provider_count; i++)
		for (j = 0; j < m->providers[i].event_count; j++)
			if (!m->providers[i].events[j].not_logged)
				event(&m->providers[i], &m->providers[i].events[j], n++);
	main_of(m);
	etw_problems_free(&problems);
	etw_manifest_put(m);
	return 0;
}
