/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_lenient.c - what the decoder takes of manifests that the compiler refuses: each
 * rule broken alone, the warning, and what is left of the provider
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "manifest.h"

#define E(events)	"<events>\n" events "</events>"
#define T(fields)	"<templates><template tid='t'>\n" fields "</template></templates>"
/* Ends the provider, to define a string, and begins another one. */
#define STRING(id)	"</provider></events></instrumentation><localization><resources culture='en-US'>" \
	"<stringTable><string id='" id "' value='found'/></stringTable></resources></localization>" \
	"<instrumentation><events>" OTHER
#define OTHER		"<provider name='Q' guid='{11111111-2222-3333-4444-555555555556}' symbol='Q'>"
#define USES		"<events><event value='1' template='t'/></events>"

static int read_leniently(const char *text, size_t size)
{
	void *exact = malloc(size);
	int err;

	read_end();
	memcpy(exact, text, size);
	err = etw_manifest_read_memory(exact, size, "test.man", &manifest, &problems);
	free(exact);
	return err;
}

static int inner(const char *elements)
{
	char *text = malloc(strlen(HEAD) + strlen(elements) + strlen(TAIL) + 1);
	int err;

	strcpy(stpcpy(stpcpy(text, HEAD), elements), TAIL);
	err = read_leniently(text, strlen(text));
	free(text);
	return err;
}

static const struct etw_mf_provider *first(void)
{
	return &manifest->providers[0];
}

static bool said(const char *what)
{
	unsigned int i;

	for (i = 0; i < problems.count; i++)
		if (strstr(problems.list[i].text, what))
			return true;
	return false;
}

/* A rule of the compiler; the decoder only warns, in the same words, perhaps with a cost. */
struct tolerated {
	const char *what;
	unsigned int line, events;
	const char *text;
};

static const struct tolerated tolerated[] = {
	{ E("<event value='1' symbol='a-b'/>"), 5, 1,
	  "event: symbol \"a-b\" must be a C identifier: letters, digits and _, and no digit first; character 2 is \"-\"" },
	{ E("<event value='1' symbol=''/>"), 5, 1,
	  "event: symbol \"\" must be a C identifier: letters, digits and _, and no digit first; it is empty" },
	{ E("<event value='1'/>\n<event value='1' version='0'/>"), 6, 2,
	  "event: another event has value 1 and version 0, too: the first one counts" },
	{ E("<event value='70000'/><event value='1'/>"), 5, 1,
	  "event: value \"70000\" must be a number from 0 to 65535: left out" },
	{ E("<event value='1'/>\n<event symbol='A'/>"), 6, 1,
	  "event \"A\": attribute value is missing: left out" },
	{ E("<event value='1' version='x'/><event value='2'/>"), 5, 1,
	  "event: version \"x\" must be a number from 0 to 255; character 1 is \"x\": left out" },
	{ E("<event value='1' level='l'/>"), 5, 1,
	  "event \"value 1, version 0\": level \"l\" is not defined" },
	{ E("<event value='1' task='t'/>"), 5, 1,
	  "event \"value 1, version 0\": task \"t\" is not defined" },
	{ E("<event value='1' channel='c'/>"), 5, 1,
	  "event \"value 1, version 0\": channel \"c\" is not defined" },
	{ E("<event value='1' template='t'/>"), 5, 1,
	  "event \"value 1, version 0\": template \"t\" is not defined" },
	{ E("<event value='1' message='$(string.no)'/>"), 5, 1,
	  "event \"value 1, version 0\": message $(string.no) is in no string table" },
	{ E("<event value='1' message='$(string.one)'/>"), 5, 1,
	  "event \"value 1, version 0\": message has %1, and the event 0 fields" },
	{ "<opcodes><opcode name='Receive' value='240'/></opcodes>" E("<event value='1'/>"), 4, 1,
	  "opcode \"Receive\": value \"240\" must be a number from 10 to 239" },
	{ "<opcodes><opcode name='win:Start' value='11'/></opcodes>" E("<event value='1'/>"), 4, 1,
	  "opcode \"win:Start\": names with win: are Windows' own" },
	{ "<levels><level name='L' value='4'/></levels>" E("<event value='1' level='L'/>"), 4, 1,
	  "level \"L\": value \"4\" must be a number from 16 to 255" },
	{ "<levels><level name='L' value='256'/></levels>" E("<event value='1'/>"), 4, 1,
	  "level \"L\": value \"256\" must be a number from 16 to 255: left out" },
	{ "<keywords><keyword name='K' mask='0x8000000000000000'/></keywords>" E("<event value='1' keywords='K'/>"),
	  4, 1, "keyword \"K\": mask \"0x8000000000000000\" must be one bit of 0x1 to 0x800000000000" },
	{ "<channels><channel name='C'/></channels>" E("<event value='1' channel='C'/>"), 4, 1,
	  "channel \"C\": attribute type is missing" },
	{ T("<data name='b' inType='win:Binary'/>") USES, 5, 1,
	  "template \"t\": field \"b\": inType Binary needs a length: without one it is the rest of the event" },
	{ T("<data name='b' inType='win:Binary'/><data name='c' inType='win:UInt8'/>") USES, 5, 1,
	  "template \"t\": field \"b\": inType Binary needs a length: without one it is the rest of the event: "
	  "the event's rest is shown as bytes" },
	{ E("<event value='1' message='$(string.a(b))'/>") STRING("a(b)"), 5, 1,
	  "event \"value 1, version 0\": message \"$(string.a(b))\" must be $(string.ID), $(mc.SYMBOL) or text" },
	{ E("<event value='1' message='$(string.a[b])'/>") STRING("a[b]"), 5, 1,
	  "event \"value 1, version 0\": message \"$(string.a[b])\" must be $(string.ID), $(mc.SYMBOL) or text" },
	{ T("<data name='a' inType='win:Odd'/><data name='b' inType='win:UInt8'/>") USES, 5, 1,
	  "data \"a\": inType \"win:Odd\" is not a known type: the event's rest is shown as bytes" },
	{ T("<data name='a' inType='win:7'/>") USES, 5, 1, "data \"a\": inType \"win:7\" is not a known type" },
	{ T("<data name='a' inType='win:Int16' outType='win:HexInt16'/>") USES, 5, 1,
	  "data \"a\": outType \"win:HexInt16\" does not go with inType Int16" },
	{ T("<data name='a' inType='win:UInt8' map='m'/>") USES, 5, 1,
	  "template \"t\": field \"a\": map \"m\" is not defined" },
};

static void test_tolerated(void)
{
	size_t i;

	for (i = 0; i < sizeof(tolerated) / sizeof(tolerated[0]); i++) {
		const struct tolerated *t = &tolerated[i];
		bool good = !inner(t->what) && !problems.errors && problems.warnings == 1 &&
			    problems.list[0].line == t->line && !strcmp(problems.list[0].text, t->text) &&
			    first()->event_count == t->events;

		if (!ok(good, "%u: %s", t->line, t->text))
			show_problems();
		ok(read_inner(t->what) == -EINVAL && problems.errors == 1, "which the compiler refuses");
	}
}

/* --------------------------------------------------------------------- references */

static void test_names(void)
{
	const struct etw_mf_event *e;

	is(inner("<tasks><task name='T' value='5'><opcodes><opcode name='O' value='20'/></opcodes></task></tasks>"
		 "<keywords><keyword name='K' mask='0x4'/></keywords>"
		 E("<event value='1' level='win:Always'/><event value='2' level='Error' opcode='Stop'/>"
		   "<event value='3' opcode='DCStart' task='win:T'/>"
		   "<event value='4' level='4' task='5' opcode='0x14' keywords='0x10 K' channel='9'/>"
		   "<event value='5' opcode='240' task='77'/><event value='6' level='300'/>")), 0,
	   "names as dumps have them");
	e = first()->events;
	ok(e[0].level && !strcmp(e[0].level->name, "win:LogAlways") && !e[0].desc.Level, "win:Always");
	ok(e[1].desc.Level == 2 && e[1].desc.Opcode == 2, "without win:");
	ok(e[2].desc.Opcode == 3 && e[2].desc.Task == 5, "DCStart, and win: too much");
	ok(e[3].desc.Level == 4 && e[3].desc.Task == 5 && e[3].task && e[3].desc.Opcode == 20 &&
	   e[3].opcode && e[3].desc.Channel == 9 && (e[3].desc.Keyword & 0x14) == 0x14, "numbers");
	ok(e[4].desc.Opcode == 240 && e[4].desc.Task == 77 && !e[4].task, "numbers without a definition");
	ok(!e[5].level && !e[5].desc.Level, "a number that no event has");
}

static void test_numbers(void)
{
	const struct etw_mf_map *map;

	is(inner("<maps><valueMap name='m'><map value='-1' message='minus'/>"
		 "<map value='0xFFFFFFFFFFFFFFFE' message='x'/><map value='zz' message='lost'/></valueMap></maps>"
		 "<keywords><keyword name='K' mask='8000000000000'/></keywords>"
		 E("<event value='1'/>")), 0, "values of a map");
	map = &first()->maps[0];
	ok(map->count == 2 && map->entries[0].value == 0xFFFFFFFF && map->entries[1].value == 0xFFFFFFFE,
	   "negative ones, and one that is not a number");
	ok(first()->keywords[0].value == 0x8000000000000, "a mask in plain hexadecimal");
}

static void test_strings(void)
{
	static const char text[] =
		"<instrumentationManifest " NAMESPACES "><instrumentation><events>"
		"<provider name='P' guid='" GUID_TEXT "'><events>"
		"<event value='1' message='$(string.a (b) [c])'/></events></provider></events></instrumentation>"
		"<localization><resources culture='en-US'><stringTable>"
		"<string id='a (b) [c]' value='first'/><string id='a (b) [c]' value='second'/>"
		"</stringTable></resources></localization></instrumentationManifest>";

	is(read_leniently(text, strlen(text)), 0, "no symbol, and a string given twice");
	ok(!strcmp(etw_mf_text(manifest, first()->events[0].message), "first"),
	   "an id with blanks, brackets and parentheses; the first text counts");
	is(problems.warnings, 3, "three warnings");
}

/* --------------------------------------------------------------------- templates */

/* "a/1 b/14 ..." */
static const char *fields(void)
{
	static char text[200];
	const struct etw_mf_template *t = &first()->templates[0];
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < t->count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s/%u", i ? " " : "",
			 i == t->top ? "| " : "", t->fields[i].name, t->fields[i].in_type);
	return text;
}

static void check_fields(const char *elements, const char *want)
{
	if (!ok(!inner(elements) && !strcmp(fields(), want), "%s", want))
		printf("# got %s\n", fields());
}

static void test_templates(void)
{
	check_fields(T("<data name='a' inType='win:Int32'/><data name='b' inType='win:Odd'/>"
		       "<data name='c' inType='win:Int32'/>"), "a/7 b/14");
	check_fields(T("<data name='a' inType='win:Int32'/><data name='b' inType='win:UInt8' count='c'/>"
		       "<data name='c' inType='win:Int32'/>"), "a/7 b/14");
	check_fields(T("<data inType='win:Int32'/><data name='b'/>"), "field1/7 b/14");
	check_fields(T("<data name='n' inType='win:UInt16'/><struct name='s' count='n'>"
		       "<data name='k' inType='win:UInt8'/><data name='v' inType='win:UInt8' count='k'/></struct>"
		       "<data name='x' inType='win:Odd'/><struct name='u'><data name='w' inType='win:GUID'/></struct>"),
		     "n/6 s/0 x/14 | k/4 v/4");
	ok(first()->templates[0].fields[1].first == 3 && first()->templates[0].fields[4].count == 3,
	   "members and what they refer to have moved");
	check_fields(T("<struct name='s'><data name='a' inType='win:UInt8'/><struct name='t'/></struct>"
		       "<data name='z' inType='win:UInt8'/>"), "s/14");
	check_fields(T("<data name='a' inType='win:UInt8'/><binary name='q'/><data name='z' inType='win:UInt8'/>"),
		     "a/4 field2/14");
	/* Binary without a length is the event's rest, so that nothing can follow it. */
	check_fields(T("<data name='a' inType='win:Binary'/><data name='b' inType='win:UInt8'/>"), "a/14");
	check_fields(T("<data name='n' inType='win:UInt8'/><data name='a' inType='win:Binary' count='n'/>"),
		     "n/4 a/14");
	ok(!first()->templates[0].fields[1].flags, "nor is it an array");
	check_fields(T("<struct name='s'><data name='a' inType='win:Binary'/></struct>"), "s/0 | a/14");
	check_fields(T("<struct name='s'><data name='a' inType='win:Binary'/><data name='b' inType='win:UInt8'/></struct>"),
		     "s/14");
	check_fields(T("<struct name='s'><data name='a' inType='win:Binary'/></struct><data name='b' inType='win:UInt8'/>"),
		     "s/14");
	check_fields(T("<struct name='s' count='2'><data name='a' inType='win:Binary'/></struct>"), "s/14");
	check_fields(T("<data name='a' inType='win:Binary' outType='win:IPv6'/><data name='b' inType='win:UInt8'/>"),
		     "a/14 b/4");
	check_fields(T("<data name='n' inType='win:UInt64'/><data name='b' inType='win:Binary' length='n'/>"),
		     "n/10 b/14");
	ok(first()->templates[0].fields[1].flags & ETW_MF_LENGTH_FIELD, "a length of 64 bits");
}

/* ---------------------------------------------------------------------- documents */

/* As "wevtutil gp NAME /ge /gm:true /f:xml" prints a provider */
static void test_wevtutil(void)
{
	static const char text[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n"
		"<provider name=\"P\" guid=\"11111111-2222-3333-4444-555555555555\" helpLink=\"x\" "
		"resourceFileName=\"C:\\p.dll\" messageFileName=\"C:\\p.dll\" message=\"P\" "
		"xmlns=\"http://schemas.microsoft.com/win/2004/08/events\">\r\n"
		"<channels><channel name=\"P/Debug\" id=\"18\" flags=\"0\" message=\"\">\r\n</channel>"
		"<channel name=\"System\" id=\"8\" flags=\"1\" message=\"System\">\r\n</channel>"
		"<channel name=\"P/Other\" id=\"16\" flags=\"0\" message=\"\">\r\n</channel></channels>"
		"<levels><level name=\"win:Error\" value=\"2\" message=\"Error\">\r\n</level></levels>"
		"<opcodes><opcode name=\"win:Info\" value=\"0\" message=\"Info\"></opcode></opcodes>"
		"<tasks><task name=\"T\" value=\"7\" eventGUID=\"00000000-0000-0000-0000-000000000000\" message=\"Task\">"
		"<opcodes><opcode name=\"O\" value=\"11\" message=\"\"></opcode></opcodes></task></tasks>"
		"<keywords><keyword name=\"K\" mask=\"10\" message=\"\"></keyword>"
		"<keyword name=\"P/Debug\" mask=\"8000000000000000\" message=\"\"></keyword></keywords>"
		"<events><event value=\"3\" version=\"1\" opcode=\"11\" channel=\"16\" level=\"2\" task=\"7\" "
		"keywords=\"0x4000000000000010\" message=\"Text %1\"></event></events></provider>\r\n";
	const struct etw_mf_event *e;

	is(read_leniently(text, strlen(text)), 0, "wevtutil's provider");
	ok(first()->channel_count == 3 && first()->channels[0].value == 18 &&
	   first()->channels[1].value == 8 && first()->channels[2].value == 16, "channels have their ids");
	ok(!first()->channels[0].imported && first()->channels[1].imported, "and flags");
	ok(first()->keyword_count == 2 && first()->keywords[0].value == 0x10 &&
	   first()->keywords[1].value == 1ull << 63, "masks are hexadecimal");
	e = etw_mf_event_find(first(), 3, 1);
	ok(e && e->channel && !strcmp(e->channel->name, "P/Other") && e->desc.Channel == 16, "a channel by its id");
	ok(e && e->task && e->opcode && !strcmp(e->opcode->name, "O") && e->desc.Level == 2, "and other numbers");
	ok(e && e->message && !strcmp(etw_mf_text(manifest, e->message), "Text %1"), "a message as text");
}

static void test_providers(void)
{
	char *text = malloc(1 << 16), *p;
	unsigned int i;

	p = text + sprintf(text, "<instrumentationManifest " NAMESPACES "><instrumentation><events>");
	for (i = 0; i < 40; i++)
		p += sprintf(p, "<provider name='P%u' guid='{%08x-2222-3333-4444-555555555555}' symbol='S%u'/>",
			     i, i + 1, i);
	sprintf(p, "<provider name='bad' guid='none'><events><event value='1'/></events></provider>"
		"<provider guid='" GUID_TEXT "'/></events></instrumentation></instrumentationManifest>");
	is(read_leniently(text, strlen(text)), 0, "many providers, one without a GUID");
	is(manifest->provider_count, 41, "the others are there");
	ok(!strcmp(manifest->providers[40].name, GUID_TEXT),
	   "one without a name has its GUID's");
	free(text);
}

static void test_damage(void)
{
	static const char twice[] = HEAD "<events><event value='1'/></events>" TAIL "<other/>";
	static const char provider[] =
		"<provider xmlns='http://schemas.microsoft.com/win/2004/08/events' name='P' guid='" GUID_TEXT "'>"
		"<events><event value='7' level='2'/></events></provider>";
	static const char labelled[] = "<?xml version='1.0' encoding='utf-16'?>\n" HEAD
		"<events><event value='1'/></events>" TAIL;
	static const char latin[] = HEAD "<events><event value='1' message='\xE4 \xC3\xA4'/></events>" TAIL;
	static const char converted[] = "<?xml version='1.0' encoding='UTF-16LE'?>" HEAD TAIL;
	static const char control[] = "<provider name='P' guid='" GUID_TEXT "' controlGuid='x'/>";
	size_t len = strlen(HEAD) + 60;

	is(inner(E("<event value='1' symbol='A\x01' />\n<event value='2' message='a & b'/>"
		   "<event value='3'/>")), 0, "characters and entities that XML does not have");
	ok(etw_mf_event_find(first(), 3, 0), "what follows is read");
	check_fields(T("<data name='a' inType='win:UInt8'/>\n<data name='b<' inType='win:UInt8'/>"
		       "<data name='c' inType='win:UInt8'/>") E("<event value='1' template='t'/>"),
		     first()->template_count ? fields() : "a/4 field2/14");
	is(first()->templates[0].fields[1].in_type, TDH_INTYPE_BINARY,
	   "fields after a damaged one are not taken to be where they may not be");
	is(read_leniently(twice, strlen(twice)), 0, "something behind the root");
	is(first()->event_count, 1, "the root is taken");
	is(read_leniently(provider, strlen(provider)), 0, "a provider alone");
	is(first()->events[0].desc.Level, 2, "as Windows exports it");
	is(read_leniently(labelled, strlen(labelled)), 0, "UTF-8 that says to be UTF-16");
	is(read_leniently(converted, strlen(converted)), -EINVAL, "an encoding of what follows");
	is(read_leniently(control, strlen(control)), 0, "a controlGuid that is none");
	ok(!first()->has_control_guid &&
	   !memcmp(&first()->control_guid, &first()->guid, sizeof(GUID)), "is not the GUID 0");
	is(read_leniently(latin, strlen(latin)), 0, "bytes of a code page");
	ok(!strcmp(etw_mf_text(manifest, first()->events[0].message), "\xC3\xA4 \xC3\xA4"),
	   "become characters");
	is(read_leniently(twice, len), 0, "a manifest that ends in the middle");
	is(read_leniently("<a>b</a>", 8), -EINVAL, "another document");
	is(read_leniently("plain text", 10), -EINVAL, "no XML");
	ok(problems.errors && strstr(problems.list[0].text, "not well-formed XML"), "which says why");
}

/* ------------------------------------------------------------------------- nesting */

#define ALL	T("<data name='a' inType='win:Int32'/><data name='b' inType='win:UInt8'/>") \
		"<tasks><task name='T' value='5'/></tasks>" \
		"<maps><valueMap name='m'><map value='1' message='one'/></valueMap></maps>" \
		E("<event value='1' template='t' level='win:Error'/>\n<event value='2' task='T'/>")

/* What is read if one part of ALL is replaced */
struct damage {
	const char *what, *by, *fields;
	unsigned int events, tasks;
};

static const struct damage damages[] = {
	{ "'win:Int32'/>", "'win:Int32'>", "a/7 b/4", 2, 1 },
	{ "'win:UInt8'/>", "'win:UInt8'>", "a/7 b/4", 2, 1 },
	{ "'win:Int32'/>", "'win:Int32'><odd>", "a/7 b/4", 2, 1 },
	{ "'win:Int32'/>", "'win:Int32'/><odd><even>", "a/7 b/4", 2, 1 },
	{ "'win:Int32'/>", "'win:Int32'/></data>", "a/7 b/4", 2, 1 },
	{ "</template>", "", "a/7 b/4", 2, 1 },
	{ "</template>", "</template></template>", "a/7 b/4", 2, 1 },
	{ "</templates>", "", "a/7 b/4", 2, 1 },
	{ "</events>", "</events></events>", "a/7 b/4", 2, 1 },
	{ "</tasks>", "</tasks></events>", "a/7 b/4", 2, 1 },
	{ "</templates>", "</Templates>", "a/7 b/4", 2, 1 },
	{ "value='5'/>", "value='5'>", "a/7 b/4", 2, 1 },
	{ "message='one'/>", "message='one'>", "a/7 b/4", 2, 1 },
	{ "</valueMap>", "", "a/7 b/4", 2, 1 },
	{ "level='win:Error'/>", "level='win:Error'>", "a/7 b/4", 2, 1 },
	{ "task='T'/>", "task='T'>", "a/7 b/4", 2, 1 },
	{ "task='T'/>", "task='T'", "a/7 b/4", 2, 1 },
	{ "'win:UInt8'/>", "'win:UInt8'/><UserData><x>%1</UserData>", "a/7 b/4", 2, 1 },
	{ "'win:UInt8'/>", "'win:UInt8'/><UserData><x>%1", "a/7 b/4", 2, 1 },
};

static void test_nesting(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		const struct damage *d = &damages[i];
		const char *at = strstr(ALL, d->what);
		char *text;
		bool good;

		if (asprintf(&text, "%.*s%s%s</provider>" OTHER E("<event value='3'/>"), (int)(at - ALL), ALL,
			     d->by, at + strlen(d->what)) < 0)
			abort();
		good = !inner(text) && manifest->provider_count == 2 && !strcmp(fields(), d->fields) &&
		       first()->event_count == d->events && first()->task_count == d->tasks &&
		       first()->events[0].template && first()->map_count == 1 &&
		       manifest->providers[1].event_count == 1 && manifest->message_count == 2;
		if (!ok(good, "%s for %s", d->by, d->what)) {
			show_problems();
			printf("# %s\n", text);
		}
		free(text);
	}
}

/* Fields behind a structure without an end could be its members or not. */
static void test_struct(void)
{
	check_fields(T("<data name='n' inType='win:UInt8'/><struct name='s' count='n'><data name='k' inType='win:UInt8'/>"
		       "<data name='z' inType='win:Int32'/>") USES, "n/4 s/14");
	check_fields(T("<struct name='s' count='2'><data name='k' inType='win:UInt8'/>"
		       "<UserData><x>%1</x></UserData>"), "s/14");
	check_fields(T("<struct name='s' count='2'><data name='k' inType='win:UInt8'></struct>"
		       "<data name='z' inType='win:Int32'/>"), "s/0 z/7 | k/4");
}

static void test_documents(void)
{
	static const char one[] = HEAD E("<event value='1'/>") TAIL;
	static const char two[] = "<?xml version='1.0'?><instrumentationManifest " NAMESPACES "><instrumentation><events>"
		OTHER E("<event value='2'/>") TAIL "<provider name='R' guid='{11111111-2222-3333-4444-555555555557}'/>";
	char *text;

	if (asprintf(&text, "%s%s", one, two) < 0)
		abort();
	is(read_leniently(text, strlen(text)), 0, "one file of two manifests and a provider");
	is(manifest->provider_count, 3, "all are read");
	ok(etw_mf_event_find(&manifest->providers[1], 2, 0), "with their events");
	ok(said("a second root element instrumentationManifest") && said("a second root element provider"),
	   "which the compiler refuses");
	is(read_text(text), -EINVAL, "it does");
	free(text);
}

/* Well-formed elements in the wrong place are ignored as before. */
static void test_misplaced(void)
{
	is(inner("<tasks><task name='A' value='1'><keywords/></task><task name='B' value='2'/></tasks>"
		 E("<event value='1'/>")), 0, "well-formed");
	is(first()->task_count, 2, "keywords in a task do not end the tasks");
}

/* begin, then one part many times, then end */
static int read_many(const char *begin, const char *part, unsigned int count, const char *end)
{
	size_t len = strlen(part), size = strlen(HEAD) + strlen(begin) + count * len + strlen(end) + strlen(TAIL);
	char *text = malloc(size + 1), *p = stpcpy(stpcpy(text, HEAD), begin);
	int err;

	for (; count; count--)
		p = mempcpy(p, part, len);
	strcpy(stpcpy(p, end), TAIL);
	read_end();
	err = etw_manifest_read_memory(text, size, "test.man", &manifest, &problems);
	free(text);
	return err;
}

static void test_many_errors(void)
{
	is(read_many("<templates><template tid='t'><data name='a' inType='win:UInt8'/>", "&", 31000000, ""), 0,
	   "millions of errors");
	ok(said("more than 1000 errors in the XML: the rest is not read"), "reading ends");
	ok(problems.warnings < 1100 && !strcmp(fields(), "a/4 field2/14"), "what came before is kept");
	is(inner("<events><event value='1'></evt <event value='2' </evt <x </event>"), 0,
	   "ends that are not finished");
	is(read_many("<templates><template tid='t'>", "<data name='a' inType='win:UInt8'>", 30000,
		     "</template></templates>" E("<event value='1' template='t'/>")), 0, "thousands without an end");
	ok(first()->event_count == 1 && first()->templates[0].count == 30000, "all are read");
	is(read_many("<templates><template tid='t'>", "<data name='a' inType='win:UInt8'>", 70000, ""), -EINVAL,
	   "too many");
	ok(said("elements are nested deeper than 65536"), "says why");
}

static void test_channels(void)
{
	char *text = malloc(1 << 16), *p = stpcpy(text, "<channels>");
	unsigned int i, zero = 0;

	for (i = 0; i < 250; i++)
		p += sprintf(p, "<channel name='C%u' type='Debug'/>", i);
	strcpy(p, "</channels>");
	is(inner(text), 0, "250 channels without a value");
	for (i = 0; i < 240; i++)
		zero += first()->channels[i].value != i + 16;
	is(zero, 0, "240 get one");
	for (; i < 250; i++)
		zero += first()->channels[i].value == 0;
	is(zero, 10, "the others get none");
	ok(said("no value up to 255 is left"), "which is said");
	free(text);
}

/* An error takes the place of the last kept warning, but is none itself. */
static void test_problems(void)
{
	const struct etw_problem *last = &problems.list[ETW_PROBLEMS_MAX - 1];

	is(read_many("<channels><channel name='C' type='Debug'><logging><maxSize>1", "", 0, ""), 0,
	   "ends in a setting");
	is(read_many("<events>", "<event/>", 60, "</events>" "<![CDATA[]]>" "<!DOCTYPE a>"), 0, "60 errors");
	ok(last->warning && last->tolerated, "the last is tolerated");
	etw_problem_add(&problems, 1, false, "an error");
	ok(!last->warning && !last->tolerated, "an error in its place is not");
}

int main(void)
{
	test_tolerated();
	test_names();
	test_numbers();
	test_strings();
	test_templates();
	test_providers();
	test_wevtutil();
	test_damage();
	test_nesting();
	test_struct();
	test_documents();
	test_misplaced();
	test_many_errors();
	test_channels();
	test_problems();
	read_end();
	return done_testing();
}
