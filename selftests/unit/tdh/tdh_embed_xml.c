// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdh_embed_xml.c - manifests written from the model: reading them gives the same model
 *
 * The corpus is in $ETW_CORPUS or ../shared/corpus; without these, it is skipped.
 */
#include <dirent.h>

#include "unit/manifest/manifest.h"
#include "tdh/manifest/xml_write.h"

static unsigned int wrong;

static void differ(const char *what, const char *of)
{
	if (wrong++ < 5)
		printf("# %s of %s differs\n", what, of);
}

/* Both NULL, or the same text */
static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_message(const struct etw_manifest *am, const struct etw_mf_message *a,
			 const struct etw_manifest *bm, const struct etw_mf_message *b)
{
	unsigned int i;

	if (!a || !b || a->standard)
		return !a == !b;
	if (!a->id || !b->id)
		return same(a->text[0], b->text[0]);
	for (i = 0; i < am->culture_count; i++)
		if (i >= bm->culture_count || !same(am->cultures[i], bm->cultures[i]) ||
		    !same(a->text[i], b->text[i]))
			return false;
	return true;
}

static void same_map(const struct etw_mf_provider *pa, const struct etw_mf_map *a,
		     const struct etw_mf_provider *pb, const struct etw_mf_map *b)
{
	unsigned int i;

	if (a->kind != b->kind || a->count != b->count || !same(a->format, b->format) ||
	    !same(a->symbol, b->symbol)) {
		differ("map", a->name);
		return;
	}
	for (i = 0; i < a->count; i++)
		if (a->entries[i].value != b->entries[i].value ||
		    !same(a->entries[i].name, b->entries[i].name) ||
		    !same(a->entries[i].text, b->entries[i].text) ||
		    !same_message(pa->manifest, a->entries[i].message, pb->manifest,
				  b->entries[i].message))
			differ("an entry", a->name);
}

static void same_template(const struct etw_mf_provider *pa, const struct etw_mf_template *a,
			  const struct etw_mf_provider *pb, const struct etw_mf_template *b)
{
	unsigned int i;

	if (!a || !b) {
		if (a || b)
			differ("having a template", pa->name);
		return;
	}
	if (!same(a->id, b->id) || !same(a->name, b->name) || a->count != b->count ||
	    a->top != b->top) {
		differ("template", a->id);
		return;
	}
	for (i = 0; i < a->count; i++) {
		const struct etw_mf_field *x = &a->fields[i], *y = &b->fields[i];

		if (!same(x->name, y->name) || x->flags != y->flags || x->in_type != y->in_type ||
		    x->out_type != y->out_type || x->count != y->count || x->length != y->length ||
		    x->first != y->first || x->members != y->members || x->tags != y->tags ||
		    !x->map != !y->map)
			differ(x->name, a->id);
		if (x->map && y->map)
			same_map(pa, x->map, pb, y->map);
	}
}

static void same_event(const struct etw_mf_provider *pa, const struct etw_mf_event *a,
		       const struct etw_mf_provider *pb, const struct etw_mf_event *b)
{
	char name[32];

	snprintf(name, sizeof(name), "event %u.%u", a->desc.Id, a->desc.Version);
	if (memcmp(&a->desc, &b->desc, sizeof(a->desc)) || a->keywords != b->keywords)
		differ("descriptor", name);
	if (!same(a->symbol, b->symbol) || !same(a->name, b->name) ||
	    !same(a->attributes, b->attributes) || a->not_logged != b->not_logged)
		differ("attributes", name);
	if (!a->level != !b->level || (a->level && !same(a->level->name, b->level->name)) ||
	    !a->task != !b->task || (a->task && !same(a->task->name, b->task->name)) ||
	    !a->opcode != !b->opcode || (a->opcode && !same(a->opcode->name, b->opcode->name)) ||
	    !a->channel != !b->channel ||
	    (a->channel && !same(a->channel->name, b->channel->name)))
		differ("names", name);
	if (!same_message(pa->manifest, a->message, pb->manifest, b->message))
		differ("message", name);
	same_template(pa, a->template, pb, b->template);
}

static void same_lists(const struct etw_mf_provider *a, const struct etw_mf_provider *b)
{
	unsigned int i, j;

	for (i = 0; i < a->level_count; i++)
		if (!same(a->levels[i].name, b->levels[i].name) ||
		    a->levels[i].value != b->levels[i].value ||
		    !same_message(a->manifest, a->levels[i].message, b->manifest,
				  b->levels[i].message))
			differ("level", a->levels[i].name);
	for (i = 0; i < a->keyword_count; i++)
		if (!same(a->keywords[i].name, b->keywords[i].name) ||
		    a->keywords[i].value != b->keywords[i].value ||
		    !same_message(a->manifest, a->keywords[i].message, b->manifest,
				  b->keywords[i].message))
			differ("keyword", a->keywords[i].name);
	for (i = 0; i < a->task_count; i++) {
		const struct etw_mf_task *x = &a->tasks[i], *y = &b->tasks[i];

		if (!same(x->name, y->name) || x->value != y->value ||
		    memcmp(&x->event_guid, &y->event_guid, sizeof(GUID)) ||
		    x->opcode_count != y->opcode_count ||
		    !same_message(a->manifest, x->message, b->manifest, y->message))
			differ("task", x->name);
		for (j = 0; j < x->opcode_count && j < y->opcode_count; j++)
			if (!same(x->opcodes[j].name, y->opcodes[j].name))
				differ("opcode", x->name);
	}
	for (i = 0; i < a->channel_count; i++)
		if (!same(a->channels[i].name, b->channels[i].name) ||
		    a->channels[i].value != b->channels[i].value ||
		    a->channels[i].imported != b->channels[i].imported)
			differ("channel", a->channels[i].name);
}

static void same_provider(const struct etw_mf_provider *a, const struct etw_mf_provider *b)
{
	unsigned int i;

	wrong = 0;
	if (!same(a->name, b->name) || memcmp(&a->guid, &b->guid, sizeof(GUID)) ||
	    memcmp(&a->control_guid, &b->control_guid, sizeof(GUID)) ||
	    memcmp(&a->group_guid, &b->group_guid, sizeof(GUID)) ||
	    !same_message(a->manifest, a->message, b->manifest, b->message))
		differ("provider", a->name);
	if (a->level_count != b->level_count || a->keyword_count != b->keyword_count ||
	    a->task_count != b->task_count || a->opcode_count != b->opcode_count ||
	    a->channel_count != b->channel_count || a->map_count != b->map_count ||
	    a->event_count != b->event_count || a->template_count != b->template_count ||
	    a->filter_count != b->filter_count) {
		differ("a number", a->name);
		return;
	}
	same_lists(a, b);
	for (i = 0; i < a->event_count; i++)
		same_event(a, &a->events[i], b, &b->events[i]);
	for (i = 0; i < a->map_count; i++)
		same_map(a, &a->maps[i], b, &b->maps[i]);
}

/* Write and read each provider of the manifest by itself */
static void round_trip(struct etw_manifest *m, const char *name)
{
	unsigned int i;

	for (i = 0; i < m->provider_count; i++) {
		const struct etw_mf_provider *p = &m->providers[i];
		struct etw_problems none = { .count = 0 };
		struct etw_manifest *again;
		struct etw_text xml = { 0 };
		int err = etw_manifest_xml(p, &xml);

		is(err, 0, name);
		err = err ? err : etw_manifest_read_memory(xml.data, xml.len, "", &again, &none);
		if (ok(!err && !none.errors, "%s is read", p->name)) {
			is(again->provider_count, 1, "one provider");
			same_provider(p, &again->providers[0]);
			is(wrong, 0, "and the same");
			etw_manifest_put(again);
		}
		etw_problems_free(&none);
		etw_text_free(&xml);
	}
}

static void test_corpus(void)
{
	const char *corpus = getenv("ETW_CORPUS");
	char dir[2000], path[4000];
	struct dirent *d;
	unsigned int n = 0;
	DIR *dp;

	snprintf(dir, sizeof(dir), "%s/manifests", corpus ? corpus : "../shared/corpus");
	dp = opendir(dir);
	if (!dp) {
		skip("no corpus: %s", dir);
		return;
	}
	while ((d = readdir(dp))) {
		struct etw_manifest *m;

		snprintf(path, sizeof(path), "%s/%s", dir, d->d_name);
		if (d->d_name[0] == '.' || etw_manifest_read_file(path, &m, &problems))
			continue;
		round_trip(m, d->d_name);
		etw_manifest_put(m);
		n++;
	}
	closedir(dp);
	ok(n >= 20, "%u manifests of the corpus", n);
}

/* Characters that XML must escape */
static void test_escapes(void)
{
	static const char text[] = HEAD
		"<maps><bitMap name='B&lt;&quot;'><map value='0x80000000' message='a&#10;b'/>"
		"</bitMap></maps><namedQueries><patternMap name='Q' format='%1'>"
		"<map name='a(.*)' value='b &amp; c'/></patternMap></namedQueries>"
		"<templates><template tid='t'>"
		"<data name='n' inType='win:UInt16'/><data name='m' inType='win:UInt32' "
		"map='B&lt;&quot;' outType='win:HexInt32'/>"
		"<struct name='s' count='n'><data name='l' inType='win:UInt8'/>"
		"<data name='b' inType='win:Binary' length='l' tags='5'/>"
		"<data name='z' inType='win:UnicodeString' length='4' count='2'/></struct>"
		"</template></templates>"
		"<events><event value='7' version='3' template='t' message='x &lt; %1&#13;&#10;y'/>"
		"<event value='8' message='$(string.s)'/></events>" TAIL;

	ok(!read_bytes(text, sizeof(text) - 1), "a manifest with odd characters");
	show_problems();
	if (manifest)
		round_trip(manifest, "odd characters");
}

/* Manifests of Windows binaries may have any in-type in them. */
static void test_unknown_type(void)
{
	static const char text[] = HEAD "<templates><template tid='t'>"
		"<data name='n' inType='win:UInt16'/></template></templates>"
		"<events><event value='7' template='t'/></events>" TAIL;
	struct etw_text xml = { .data = NULL };

	if (!ok(!read_bytes(text, sizeof(text) - 1), "a manifest"))
		return;
	((struct etw_mf_field *)manifest->providers[0].templates[0].fields)->in_type = 255;
	is(etw_manifest_xml(&manifest->providers[0], &xml), 0, "an unknown in-type: bytes for the reader");
	etw_text_free(&xml);
}

int main(void)
{
	test_escapes();
	test_unknown_type();
	test_corpus();
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	return done_testing();
}
