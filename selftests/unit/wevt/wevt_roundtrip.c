// SPDX-License-Identifier: GPL-2.0-only
/* wevt_roundtrip - a manifest, its binaries, and the manifest read from them decode alike */
#include <errno.h>

#include "lib/wevt/test.h"
#include "tdh/manifest/xml_write.h"

/* All tables of a manifest's cultures, in one */
struct built {
	struct etw_bytes wevt;
	struct etw_bytes messages;
	struct etw_manifest *back;
};

static void forget(struct built *b)
{
	etw_bytes_free(&b->wevt);
	etw_bytes_free(&b->messages);
	etw_manifest_put(b->back);
}

static int build(const struct etw_manifest *m, unsigned int version, struct built *b)
{
	struct etw_problems problems = { .count = 0 };
	int ret, texts;

	memset(b, 0, sizeof(*b));
	ret = etw_wevt_write(m, version, &b->wevt, &problems);
	texts = ret ? ret : etw_msgtable_write(m, 0, &b->messages, &problems);
	if (!ret && (!texts || texts == -ENOENT))
		ret = read_resource(b->wevt.data, b->wevt.len,
				    texts ? NULL : b->messages.data, b->messages.len,
				    m->culture_count ? m->cultures[0] : "en-US", "binary",
				    &b->back, &problems);
	show(&problems);
	return ret;
}

/* Binary to binary: nothing that a binary can hold is lost. */
static void test_again(const struct built *first, const char *name)
{
	struct built again;

	ok(!build(first->back, 5, &again), "%s: what was read is written", name);
	ok(again.wevt.len == first->wevt.len, "%s: it is as long", name);
	ok(same_manifest(first->back, again.back), "%s: and reads alike", name);
	forget(&again);
}

/* Write the binary's contents as a manifest per provider: it decodes alike. */
static void test_xml(const struct etw_manifest *m, const char *name)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *again = NULL;
	struct etw_text xml = { 0 };
	unsigned int i, bad = 0;

	for (i = 0; i < m->provider_count; i++) {
		bad += etw_manifest_xml(&m->providers[i], &xml) ||
		       etw_manifest_read_memory(xml.data, xml.len, "", &again, &problems);
		show(&problems);
		etw_problems_free(&problems);
		if (m->provider_count == 1 && again && !bad)
			bad += !same_manifest(m, again);
		etw_manifest_put(again);
		again = NULL;
		etw_text_cut(&xml, 0);
	}
	ok(!bad, "%s: is written as XML and decodes as the binary does", name);
	etw_text_free(&xml);
}

static void test_manifest(const struct etw_manifest *m, const char *name)
{
	struct built b;

	ok(!build(m, 5, &b), "%s: version 5 is written and read", name);
	ok(well_formed(b.wevt.data, b.wevt.len), "%s: it is well-formed", name);
	if (ok(same_manifest(m, b.back), "%s: it decodes as the XML does", name))
		test_again(&b, name);
	if (b.back)
		test_xml(b.back, name);
	forget(&b);
	ok(!build(m, 3, &b), "%s: version 3 is written and read", name);
	ok(well_formed(b.wevt.data, b.wevt.len), "%s: version 3 is well-formed", name);
	forget(&b);
}

static void test_file(const char *path)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m = NULL;
	const char *name = strrchr(path, '/');
	int ret = etw_manifest_read_file(path, &m, &problems);

	name = name ? name + 1 : path;
	if (ok(!ret, "%s: is read", name))
		test_manifest(m, name);
	else
		show(&problems);
	etw_problems_free(&problems);
	etw_manifest_put(m);
}

static void test_glob(const char *pattern)
{
	glob_t found;
	size_t i;

	if (!glob(pattern, 0, NULL, &found)) {
		for (i = 0; i < found.gl_pathc; i++)
			test_file(found.gl_pathv[i]);
	}
	globfree(&found);
}

static void test_own(void)
{
	struct etw_manifest *m = read_xml(rich_manifest);

	if (ok(m, "the rich manifest is read"))
		test_manifest(m, "rich");
	etw_manifest_put(m);
}

/* Both cultures have their texts; a culture that lacks a text uses the first one's. */
static void test_cultures(void)
{
	struct etw_manifest *m = read_xml(rich_manifest), *back = NULL;
	struct etw_bytes wevt = { .len = 0 }, de = { .len = 0 };
	const struct etw_mf_event *e;

	if (!m)
		return;
	ok(!etw_wevt_write(m, 5, &wevt, NULL) && !etw_msgtable_write(m, 1, &de, NULL),
	   "the second culture has a table");
	ok(!read_resource(wevt.data, wevt.len, de.data, de.len, "de-DE", "x", &back, NULL),
	   "it is read");
	e = back ? etw_mf_event_find(&back->providers[0], 9, 1) : NULL;
	ok(e && !strcmp(etw_mf_text(back, e->message), "Größe %1 \xf0\x9f\x98\x80"),
	   "and has its own text");
	e = back ? etw_mf_event_find(&back->providers[0], 3, 0) : NULL;
	ok(e && !strcmp(etw_mf_text(back, e->message), "shared text"), "texts that are shared");
	etw_bytes_free(&wevt);
	etw_bytes_free(&de);
	etw_manifest_put(back);
	etw_manifest_put(m);
}

int main(void)
{
	const char *where = corpus();
	char pattern[512];

	setenv("LC_ALL", "C", 1);
	test_own();
	test_cultures();
	test_glob("user/samples/*/*.man");
	if (!where) {
		skip("no ../shared/corpus, and ETW_CORPUS names none");
		return done_testing();
	}
	snprintf(pattern, sizeof(pattern), "%s/manifests/*", where);
	test_glob(pattern);
	return done_testing();
}
