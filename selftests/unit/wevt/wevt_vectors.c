// SPDX-License-Identifier: GPL-2.0-only
/*
 * wevt_vectors - the message compiler's binaries, byte by byte
 *
 * The small ones were written by hand from docs/wevt.md; mc.exe made the large ones from
 * manifests of the corpus.
 */
#include <ctype.h>
#include <errno.h>

#include "tdh/model/langid.h"
#include "lib/wevt/test.h"

#define XMLNS	"xmlns=\"http://schemas.microsoft.com/win/2004/08/events\" " \
		"xmlns:win=\"http://manifests.microsoft.com/win/2004/08/windows/events\""
#define MANIFEST(providers, strings)	\
	"<instrumentationManifest " XMLNS "><instrumentation><events>" providers	\
	"</events></instrumentation><localization><resources culture=\"en-US\">"	\
	"<stringTable>" strings "</stringTable></resources></localization>"	\
	"</instrumentationManifest>"
#define PROVIDER(name, number)	\
	"<provider name=\"" name "\" symbol=\"S_" name "\" resourceFileName=\"r\" "	\
	"messageFileName=\"m\" guid=\"{00112233-4455-6677-8899-AABBCCDDEE" number "}\""

static const char small[] = MANIFEST(
	PROVIDER("P", "FF") "><events><event value=\"7\" level=\"win:Error\" template=\"t\" "
	"message=\"$(string.hi)\"/></events><templates><template tid=\"t\">"
	"<data name=\"N\" inType=\"win:UInt32\"/></template></templates></provider>",
	"<string id=\"hi\" value=\"Hi %1\"/>");

static const char small_binary[] =
	"'CRIM' c8010000 0500 0100 01000000"
	" 33221100554477668899aabbccddeeff 24000000"
	/* 0x024 */ "'WEVT' a4010000 ffffffff 07000000"
	" 07000000 6c000000 0d000000 18010000 02000000 30010000 00000000 3c010000"
	" 01000000 6c010000 03000000 78010000 04000000 88010000"
	/* 0x06c */ "'TTBL' ac000000 01000000"
	/* 0x078 */ "'TEMP' a0000000 01000000 01000000 fc000000 01000000"
	" cd2dfdf38d28c757b092a6afb15e0bf4"
	/* 0x0a0 */ "0f010100"
	" 01ffff 4e000000 4482 0900 'E'00'v'00'e'00'n'00't'00'D'00'a'00't'00'a'00 0000 02"
	" 41ffff 2d000000 8a6f 0400 'D'00'a'00't'00'a'00 0000 15000000"
	" 06 4b95 0400 'N'00'a'00'm'00'e'00 0000 05 01 0100 'N'00 02 0d 0000 08 04"
	" 04 00 0000"
	/* 0x0fc */ "00000000 08 08 0000 00000000 0000 0000 10010000 08000000 'N'00 0000"
	/* 0x118 */ "'PRVA' 18000000 01000000 01000010 2c010000 'P'00 0000"
	/* 0x130 */ "'OPCO' 00000000 00000000"
	/* 0x13c */ "'LEVL' 30000000 01000000 02000000 02000050 54010000"
	" 18000000 'w'00'i'00'n'00':'00'E'00'r'00'r'00'o'00'r'00 0000"
	/* 0x16c */ "'TASK' 00000000 00000000 'KEYW' 00000000 00000000 00000000"
	/* 0x188 */ "'EVNT' 40000000 01000000 00000000"
	" 0700 00 00 02 00 0000 0000000000000000 070000b0 78000000 00000000 48010000"
	" 00000000 00000000 00000000 00000000"
	/* 0x1c8 */ "0000";

static const char small_messages[] =
	"02000000 02000050 02000050 1c000000 070000b0 070000b0 30000000"
	" 1400 0100 'E'00'r'00'r'00'o'00'r'00 0d00 0a00 0000"
	" 1400 0100 'H'00'i'00' '00'%'00'1'00 0d00 0a00 0000";

/* Hexadecimal digits, and 'text' verbatim. */
static size_t bytes_of(const char *s, unsigned char *out)
{
	size_t n = 0;
	int quoted = 0;

	for (; *s; s++) {
		if (*s == '\'')
			quoted = !quoted;
		else if (quoted)
			out[n++] = *s;
		else if (isxdigit((unsigned char)*s) && sscanf(s, "%2hhx", &out[n]) == 1)
			n++, s++;
	}
	return n;
}

static void has_bytes(const struct etw_bytes *got, const char *want, const char *what)
{
	unsigned char bytes[2048];
	size_t n = bytes_of(want, bytes), i;

	for (i = 0; i < n && i < got->len && got->data[i] == bytes[i]; i++)
		;
	if (!ok(got->len == n && i == n, "%s", what))
		printf("# differs at 0x%zx; %zu bytes, not %zu\n", i, got->len, n);
}

static void test_small(void)
{
	struct etw_manifest *m = read_xml(small);
	struct etw_bytes out = { .len = 0 };
	const char *names[] = { "MSG00001.bin" };

	if (!ok(m, "the small manifest is read"))
		return;
	ok(!etw_wevt_write(m, 5, &out, NULL), "it is written");
	has_bytes(&out, small_binary, "WEVT_TEMPLATE is as it should be");
	etw_bytes_free(&out);
	ok(!etw_msgtable_write(m, 0, &out, NULL), "its messages are written");
	has_bytes(&out, small_messages, "the message table is as it should be");
	etw_bytes_free(&out);
	ok(!etw_rc_write(m, names, "smallTEMP.BIN", &out, NULL) &&
	   out.len == strlen("LANGUAGE 0x9,0x1\n1 11 \"MSG00001.bin\"\n"
			     "1 WEVT_TEMPLATE \"smallTEMP.BIN\"\n") &&
	   !memcmp(out.data, "LANGUAGE 0x9,0x1\n1 11 \"MSG00001.bin\"\n"
		   "1 WEVT_TEMPLATE \"smallTEMP.BIN\"\n", out.len), "the resource script");
	/* The output is appended to existing bytes; on failure nothing is. */
	is(etw_wevt_write(m, 4, &out, NULL), -EINVAL, "version 4 is not written");
	ok(out.len && out.data[0] == 'L', "existing bytes stay");
	etw_bytes_free(&out);
	etw_manifest_put(m);
}

/* Version 3 has no list 13, and room for eleven lists. */
static void test_version_3(void)
{
	struct etw_manifest *m = read_xml(small), *back = NULL;
	struct etw_bytes out = { .len = 0 }, table = { .len = 0 };

	if (!m)
		return;
	ok(!etw_wevt_write(m, 3, &out, NULL) && !etw_msgtable_write(m, 0, &table, NULL),
	   "version 3 is written");
	ok(out.data[8] == 3 && out.data[0x24 + 12] == 6, "its header has version 3 and six lists");
	is(out.data[0x24 + 16 + 4], 0x24 + 16 + 8 * 11, "the first begins after eleven places");
	is(out.len, 458 - 24 + 8 * 4, "and its length agrees");
	ok(!read_resource(out.data, out.len, table.data, table.len, NULL, "x", &back, NULL),
	   "it is read");
	ok(back && !strcmp(back->providers[0].name, "00112233-4455-6677-8899-aabbccddeeff"),
	   "the provider is found by its GUID");
	etw_bytes_free(&out);
	etw_bytes_free(&table);
	etw_manifest_put(back);
	etw_manifest_put(m);
}

static void test_languages(void)
{
	static const struct etw_mf_message none;
	static const char *const cultures[] = { "tlh-QO", "en-US", "x-a", "x-b", "x-c", "x-d", "x-e",
		"x-f", "x-g", "x-h", "x-i", "x-j", "x-k", "x-l", "x-m" };
	const struct etw_manifest m = { .cultures = cultures, .culture_count = 3, .messages = &none };
	const struct etw_manifest many = { .cultures = cultures, .culture_count = 15 };
	static const char script[] = "LANGUAGE 0x0,0x4\n1 11 \"M.bin\"\nLANGUAGE 0x9,0x1\n"
		"1 11 \"M.bin\"\nLANGUAGE 0x0,0x8\n1 11 \"M.bin\"\n1 WEVT_TEMPLATE \"T.BIN\"\n";
	struct etw_problems problems = { .count = 0 };
	struct etw_bytes out = { .len = 0 };
	const char *files[15];
	unsigned int id, named = 0;

	is(etw_langid("en-US"), 0x409, "en-US");
	is(etw_langid("DE-de"), 0x407, "DE-de");
	is(etw_langid("pt-PT"), 0x816, "pt-PT");
	is(etw_langid("zh-Hant"), 0x7c04, "zh-Hant");
	is(etw_langid("fr"), 0x0c, "fr");
	is(etw_langid("e"), 0, "e is nothing");
	is(etw_langid(""), 0, "nothing is nothing");
	ok(!strcmp(etw_langid_culture(0x0411), "ja-JP"), "0x411 is ja-JP");
	ok(!strcmp(etw_langid_culture(0x09), "en-US"), "English alone is en-US");
	ok(!etw_langid_culture(0) && !etw_langid_culture(0xfc09), "no culture has 0 and 0xfc09");
	for (id = 0x400; id < 0x10000; id++) {
		const char *culture = etw_langid_culture(id);

		named += culture && etw_langid(culture) == id;
		if (culture && etw_langid(culture) != id)
			ok(0, "%s has one number", culture);
	}
	ok(named > 150, "%u cultures there and back", named);
	for (id = 0; id < 15; id++)
		files[id] = "M.bin";
	is(etw_rc_write(&m, files, "T.BIN", &out, &problems), 0, "cultures without number");
	ok(out.len == strlen(script) && !memcmp(out.data, script, out.len), "get one each");
	etw_bytes_free(&out);
	is(etw_rc_write(&many, files, "T.BIN", &out, &problems), -EINVAL, "more than there are");
	ok(problems.errors == 1 && strstr(problems.list[0].text, "\"x-m\"") && !out.len,
	   "the problem names the first of them");
	etw_problems_free(&problems);
	etw_bytes_free(&out);
}

static uint32_t id_of(const struct etw_message_ids *ids, const char *string)
{
	unsigned int i;

	for (i = 0; i < ids->count; i++) {
		const char *id = ids->list[i].message->id;

		if (id && !strcmp(id, string))
			return ids->list[i].id;
	}
	return ETW_MESSAGE_NONE;
}

static void test_numbers(void)
{
	static const struct {
		const char *string;
		uint32_t id;
	} want[] = {
		{ "p", 0x90000001 }, { "c.op", 0x90000002 }, { "l.loud", 0x50000014 },
		{ "t.walk", 0x70000007 }, { "o.left", 0x3007001e }, { "o.jump", 0x3000001e },
		{ "k.net", 0x10000003 }, { "m.5", 0xd0000001 }, { "m.1", 0xd0000002 },
		{ "m.f", 0xd0000003 }, { "b.8", 0xf0000001 }, { "b.2", 0xf0000002 },
		{ "e.9", 0xb0010009 }, { "e.9.0", 0x00000009 }, { "shared", 0xb0000001 },
		{ "f", 0x50800203 }, { "e2", 0xb1000001 }, { "nobody", ETW_MESSAGE_NONE },
		{ "level.Error", 0x50000002 }, { "opcode.Start", 0x30000001 },
		{ "keyword.ResponseTime", 0x10000031 }, { "channel.System", 0x90000003 },
		{ "channel.TraceLogging", 0x90000004 },
	};
	struct etw_manifest *m = read_xml(rich_manifest);
	struct etw_message_ids ids;
	size_t i;

	if (!m || !ok(!etw_message_ids_make(m, &ids, NULL), "messages are numbered"))
		return;
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		is(id_of(&ids, want[i].string), want[i].id, want[i].string);
	for (i = 1; i < ids.count && ids.list[i - 1].id < ids.list[i].id; i++)
		;
	is(i, ids.count, "by ascending number");
	is(etw_message_ids_find(&ids, m->providers[0].message), 0x90000001, "found by message");
	is(etw_message_ids_find(&ids, NULL), ETW_MESSAGE_NONE, "no message has no number");
	is(etw_message_ids_find(&ids, m->providers[0].events[5].message), 0xb0000001,
	   "an event that shares its message");
	etw_message_ids_free(&ids);
	etw_manifest_put(m);
}

/* The XML reader accepts at most 16; other code that fills a manifest may use more. */
static void test_seventeenth(void)
{
	struct etw_manifest *m = read_xml(small), many;
	struct etw_problems problems = { .count = 0 };
	struct etw_mf_provider p;
	struct etw_message_ids ids;

	if (!m)
		return;
	many = *m;
	p = m->providers[0];
	p.index = 16;
	many.providers = &p;
	is(etw_message_ids_make(&many, &ids, &problems), -EINVAL, "a seventeenth provider");
	ok(problems.errors && strstr(problems.list[0].text, "only the first 16 providers"),
	   "the problem is reported");
	etw_problems_free(&problems);
	etw_manifest_put(m);
}

/* Message tables that a manifest cannot have */
static void refused(const char *xml, const char *why, const char *what)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *m = read_xml(xml);
	struct etw_bytes out = { .len = 0 };

	if (!ok(m, "%s: the manifest itself is read", what))
		return;
	is(etw_msgtable_write(m, 0, &out, &problems), -EINVAL, what);
	ok(problems.errors && strstr(problems.list[0].text, why), "%s: \"%s\"", what, why);
	is(out.len, 0, "nothing is written");
	etw_problems_free(&problems);
	etw_bytes_free(&out);
	etw_manifest_put(m);
}

static void test_refused(void)
{
	static char longest[160000];
	size_t n;

	/* Opcodes contain only the low byte of their task's value. */
	refused(MANIFEST(PROVIDER("P", "FF") "><tasks><task name=\"A\" value=\"1\"><opcodes>"
			 "<opcode name=\"O\" value=\"20\" message=\"$(string.a)\"/></opcodes></task>"
			 "<task name=\"B\" value=\"257\"><opcodes>"
			 "<opcode name=\"O\" value=\"20\" message=\"$(string.b)\"/></opcodes></task>"
			 "</tasks><events><event value=\"1\"/></events></provider>",
			 "<string id=\"a\" value=\"a\"/><string id=\"b\" value=\"b\"/>"),
		"have the number 0x30010014", "two messages of one number");

	n = snprintf(longest, sizeof(longest), "<instrumentationManifest " XMLNS
		     "><instrumentation><events>" PROVIDER("P", "FF") "><events><event value=\"1\" "
		     "message=\"$(string.a)\"/></events></provider></events></instrumentation>"
		     "<localization><resources culture=\"en-US\"><stringTable>"
		     "<string id=\"a\" value=\"");
	memset(longest + n, 'x', 32763);
	strcpy(longest + n + 32763, "\"/></stringTable></resources></localization>"
	       "</instrumentationManifest>");
	refused(longest, "longer than a message table", "a text of 32,763 characters");
}

/* mc.exe's own output for the same manifests. */
static void test_fixture(const char *where, const char *name, int has_messages)
{
	static const char prefix[] = "gix__event-trace-kit__";
	struct etw_problems problems = { .count = 0 };
	struct etw_bytes out = { .len = 0 };
	struct etw_manifest *m = NULL;
	unsigned char *want;
	char path[512];
	size_t size;

	snprintf(path, sizeof(path), "%s/manifests/%s%s.man", where, prefix, name);
	if (!ok(!etw_manifest_read_file(path, &m, &problems), "%s is read", name)) {
		show(&problems);
		return;
	}
	snprintf(path, sizeof(path), "%s/mc/%s%s.wevt.v5.bin", where, prefix, name);
	want = load(path, &size);
	ok(want && !etw_wevt_write(m, 5, &out, &problems), "%s is written", name);
	ok(want && out.len == size && !memcmp(out.data, want, size),
	   "%s: WEVT_TEMPLATE is mc.exe's, to the byte (%zu)", name, out.len);
	ok(want && well_formed(want, size), "%s: mc.exe's is well-formed", name);
	free(want);
	etw_bytes_free(&out);
	snprintf(path, sizeof(path), "%s/mc/%s%s.msg.bin", where, prefix, name);
	want = has_messages ? load(path, &size) : NULL;
	if (!has_messages)
		is(etw_msgtable_write(m, 0, &out, &problems), -ENOENT, "without messages");
	else
		ok(want && !etw_msgtable_write(m, 0, &out, &problems) && out.len == size &&
		   !memcmp(out.data, want, size),
		   "%s: the message table is mc.exe's, to the byte (%zu)", name, out.len);
	free(want);
	etw_bytes_free(&out);
	etw_problems_free(&problems);
	etw_manifest_put(m);
}

int main(void)
{
	const char *where = corpus();

	test_small();
	test_version_3();
	test_languages();
	test_numbers();
	test_seventeenth();
	test_refused();
	if (!where) {
		skip("no ../shared/corpus, and ETW_CORPUS names none");
		return done_testing();
	}
	test_fixture(where, "EventAttributes", 1);
	test_fixture(where, "ImportChannels", 1);
	test_fixture(where, "ProviderTraits", 1);
	test_fixture(where, "TypeMangling", 0);
	return done_testing();
}
