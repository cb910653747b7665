/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_corpus.c - real manifests: all can be read, with the right number of events
 * and mc.exe's descriptors
 *
 * They are in $ETW_CORPUS or ../shared/corpus; without these, the test is skipped.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "manifest.h"

static char corpus[3000];

static const char *path_of(const char *dir, const char *name, const char *end)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s%s", corpus, dir, name, end);
	return path;
}

static bool read_corpus(const char *name)
{
	etw_manifest_put(manifest);
	manifest = NULL;
	etw_problems_free(&problems);
	return !etw_manifest_read_file(path_of("manifests/", name, ""), &manifest, &problems);
}

/* The number of elements of the file in MANIFEST.tsv; -1: not listed */
static int count_of(const char *name, const char *what)
{
	FILE *f = fopen(path_of("", "MANIFEST.tsv", ""), "r");
	char line[2000];
	const char *at;
	int count = -1;

	while (f && count < 0 && fgets(line, sizeof(line), f)) {
		if (strncmp(line, name, strlen(name)) || line[strlen(name)] != '\t')
			continue;
		at = strstr(line, "instrumentation manifest, ");
		at = at ? strstr(at, what) : NULL;
		/* The number precedes the word. */
		while (at && at > line && *--at != ',')
			;
		if (at)
			count = atoi(at + 2);
	}
	if (f)
		fclose(f);
	return count;
}

static unsigned int events_of(const struct etw_manifest *m)
{
	unsigned int i, n = 0;

	for (i = 0; i < m->provider_count; i++)
		n += m->providers[i].event_count;
	return n;
}

/* Each event is found by id and version, and matches its descriptor. */
static void check_events(const char *name)
{
	unsigned int i, j, wrong = 0;

	for (i = 0; i < manifest->provider_count; i++) {
		const struct etw_mf_provider *p = &manifest->providers[i];

		for (j = 0; j < p->event_count; j++) {
			const struct etw_mf_event *e = &p->events[j];
			const EVENT_DESCRIPTOR *d = &e->desc;

			if (etw_mf_event_find(p, d->Id, d->Version) != e ||
			    (e->level && etw_mf_part(p, ETW_PART_LEVEL, d->Level) != e->level) ||
			    (e->task && etw_mf_part(p, ETW_PART_TASK, d->Task) != e->task) ||
			    (e->opcode && etw_mf_opcode(p, d->Task, d->Opcode) != e->opcode) ||
			    (e->channel && etw_mf_part(p, ETW_PART_CHANNEL, d->Channel) != e->channel) ||
			    !e->line)
				wrong++;
		}
	}
	if (!ok(!wrong, "%s: events are found, and their names", name))
		printf("# %u are not\n", wrong);
}

static void check_manifest(const char *name)
{
	int events = count_of(name, " event elements"), providers = count_of(name, " provider(s)");

	if (!ok(read_corpus(name), "%s is read", name)) {
		show_problems();
		return;
	}
	is(events_of(manifest), events, "with all its events");
	/* MANIFEST.tsv counts a provider of performance counters among PowerShell's. */
	is(manifest->provider_count, strstr(name, "PowerShell") ? 1 : providers,
	   "and providers");
	check_events(name);
}

/* "symbol id version channel level opcode task keyword" of each event in the header */
static void check_descriptors(const char *name)
{
	FILE *f = fopen(path_of("mc/", name, ".h.descriptors.tsv"), "r");
	unsigned int id, version, channel, level, opcode, task, lines = 0, wrong = 0;
	char line[1000], symbol[300], file[300];
	unsigned long long keyword;
	const struct etw_mf_event *e = NULL;
	unsigned int i;

	snprintf(file, sizeof(file), "%s.man", name);
	if (!ok(f && read_corpus(file) && fgets(line, sizeof(line), f), "%s has descriptors", name))
		return;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%299s %u %u %u %u %u %u %llx", symbol, &id, &version, &channel,
			   &level, &opcode, &task, &keyword) != 8)
			break;
		for (i = 0, e = NULL; i < manifest->provider_count && !e; i++)
			e = etw_mf_event_find(&manifest->providers[i], id, version);
		lines++;
		if (!e || e->desc.Channel != channel || e->desc.Level != level ||
		    e->desc.Opcode != opcode || e->desc.Task != task ||
		    e->desc.Keyword != keyword || (e->symbol && strcmp(e->symbol, symbol)))
			wrong++;
	}
	fclose(f);
	ok(lines > 2 && !wrong, "%s: all %u descriptors are mc.exe's", name, lines);
}

/* In winmeta.xml: name, symbol and value of one kind, compared with the table */
static void check_standard(const char *text, const char *kind)
{
	unsigned int seen = 0, wrong = 0;
	char tag[20];
	const char *p = text;

	snprintf(tag, sizeof(tag), "<%s name=\"", kind);
	while ((p = strstr(p, tag))) {
		const char *end = strchr(p, '>'), *value = strstr(p, " value=\"");
		const char *symbol = strstr(p, "symbol=\"");
		const struct etw_mf_named *n;
		unsigned long number;

		p += strlen(tag);
		if (!value || !symbol || value > end || symbol > end)
			continue;
		number = strtoul(value + 8, NULL, 0);
		n = etw_standard(*kind == 'l' ? ETW_PART_LEVEL : ETW_PART_OPCODE, number);
		seen++;
		if (!n || strncmp(n->name, p, strlen(n->name)) || p[strlen(n->name)] != '"' ||
		    strncmp(n->symbol, symbol + 8, strlen(n->symbol)) ||
		    symbol[8 + strlen(n->symbol)] != '"')
			wrong++;
	}
	ok(seen > 15 && !wrong, "all %u standard %ss are winmeta.xml's", seen, kind);
}

static void check_standard_keywords(const char *text)
{
	unsigned int seen = 0, wrong = 0;
	const char *p = text;

	while ((p = strstr(p, "<keyword name=\""))) {
		const char *mask = strstr(p, "mask=\""), *symbol = strstr(p, "symbol=\"");
		const struct etw_mf_named *k;

		p += 15;
		if (!strncmp(p, "win:AnyKeyword", 14))
			continue;
		k = etw_standard(ETW_PART_KEYWORD, strtoull(mask + 6, NULL, 0));
		seen++;
		if (!k || strncmp(k->name, p, strlen(k->name)) || p[strlen(k->name)] != '"' ||
		    strncmp(k->symbol, symbol + 8, strlen(k->symbol)))
			wrong++;
	}
	ok(seen == 16 && !wrong, "all %u standard keywords are winmeta.xml's", seen);
}

static void check_winmeta(void)
{
	FILE *f = fopen(path_of("", "microsoft__win32metadata__winmeta.xml", ""), "r");
	static char text[200000];
	size_t len;

	if (!ok(f, "winmeta.xml is there"))
		return;
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	check_standard(text, "level");
	check_standard(text, "opcode");
	check_standard_keywords(text);
	is(read_text(text), 0, "winmeta.xml itself has no events");
	ok(problems.warnings == 1 && strstr(problems.list[0].text, "no events here"),
	   "and that is the message");
}

int main(void)
{
	static const char *const fixtures[] = {
		"gix__event-trace-kit__EventAttributes", "gix__event-trace-kit__ImportChannels",
		"gix__event-trace-kit__ProviderTraits", "gix__event-trace-kit__TypeMangling",
	};
	struct dirent **list;
	int count, i, files = 0;

	snprintf(corpus, sizeof(corpus), "%.2900s",
		 getenv("ETW_CORPUS") ? getenv("ETW_CORPUS") : "../shared/corpus");
	count = scandir(path_of("manifests", "", ""), &list, NULL, alphasort);
	if (count < 0) {
		skip("no corpus of manifests in %s (set ETW_CORPUS)", corpus);
		return done_testing();
	}
	for (i = 0; i < count; i++) {
		if (*list[i]->d_name != '.') {
			check_manifest(list[i]->d_name);
			files++;
		}
		free(list[i]);
	}
	free(list);
	ok(files >= 22, "%d manifests", files);
	for (i = 0; i < 4; i++)
		check_descriptors(fixtures[i]);
	check_winmeta();
	read_end();
	return done_testing();
}
