/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_events.c - each rule about events, symbols, messages and the whole
 * document, broken alone
 */
#include "manifest.h"

#define E(events)	"<events>\n" events "</events>"
#define TEMPLATE	"<templates><template tid='t'><data name='d' inType='win:UInt8'/></template></templates>"
#define ADMIN		"<channels><channel name='A' type='Admin'/><importChannel name='Security' chid='S'/>" \
			"<importChannel name='Other' chid='O'/></channels>"

static const struct rule events[] = {
	{ TEMPLATE E("<event value='0' version='255' level='win:LogAlways' task='win:None'"
		     " opcode='win:Info' keywords='win:AuditSuccess  win:SQM' template='t'"
		     " message='$(string.one)' symbol='EV' name='N' notLogged='false'"
		     " attributes='FILE=a.c;MJ=\"a \"\"b\"\";\"'/>"
		     "<event value='0xFFFF' channel='TraceLogging' suppressProjection='true'/>"),
	  0, NULL },
	{ E("<event/>"), 5, "event: attribute value is missing" },
	{ E("<event symbol='A'/>"), 5, "event \"A\": attribute value is missing" },
	{ E("<event value='65536' symbol='A'/>"),
	  5, "event \"A\": value \"65536\" must be a number from 0 to 65535" },
	{ E("<event value='1' version='256'/>"),
	  5, "event: version \"256\" must be a number from 0 to 255" },
	{ E("<event value='1' symbol='A'/>\n<event\n value='1' symbol='B'/>"),
	  6, "event \"B\": another event has value 1 and version 0, too: the first one counts" },
	{ E("<event value='1' level='l'/>"),
	  5, "event \"value 1, version 0\": level \"l\" is not defined" },
	{ E("<event value='1' level='win:Loud'/>"),
	  5, "event \"value 1, version 0\": level \"win:Loud\" is not defined" },
	{ E("<event value='1' task='t'/>"),
	  5, "event \"value 1, version 0\": task \"t\" is not defined" },
	{ E("<event value='1' opcode='o'/>"),
	  5, "event \"value 1, version 0\": opcode \"o\" is not defined" },
	{ "<tasks><task name='t' value='1'><opcodes><opcode name='o' value='10'/></opcodes></task>"
	  "<task name='u' value='2'/></tasks>" E("<event value='1' opcode='o' task='u'/>"),
	  5, "event \"value 1, version 0\": opcode \"o\" is not defined" },
	{ E("<event value='1' channel='c'/>"),
	  5, "event \"value 1, version 0\": channel \"c\" is not defined" },
	{ E("<event value='1' keywords='win:SQM k'/>"),
	  5, "event \"value 1, version 0\": keyword \"k\" is not defined" },
	{ E("<event value='1' template='t'/>"),
	  5, "event \"value 1, version 0\": template \"t\" is not defined" },
	{ E("<event value='1' notLogged='perhaps'/>"),
	  5, "event: notLogged \"perhaps\" must be true or false" },
	{ E("<event value='1' symbol='a-b'/>"),
	  5, "event: symbol \"a-b\" must be a C identifier: letters, digits and _, and no digit first; character 2 is \"-\"" },
	{ E("<event value='1' attributes='a'/>"),
	  5, "event \"value 1, version 0\": attributes must be KEY=VALUE;..., with quotes around a value that has ; or \" in it" },
	{ E("<event value='1' attributes='a=\"b'/>"),
	  5, "event \"value 1, version 0\": attributes must be KEY=VALUE;..., with quotes around a value that has ; or \" in it" },
	{ E("<event value='1' attributes='a=b\"c\"'/>"),
	  5, "event \"value 1, version 0\": attributes must be KEY=VALUE;..., with quotes around a value that has ; or \" in it" },
};

static const struct rule messages[] = {
	{ TEMPLATE E("<event value='1' template='t' message='%% %%99 %n %1!u! %0 100%'/>"), 0, NULL },
	{ E("<event value='1' message='$(string.no)'/>"),
	  5, "event \"value 1, version 0\": message $(string.no) is in no string table" },
	{ E("<event value='1' message='$(mc.NO)'/>"),
	  5, "event \"value 1, version 0\": message $(mc.NO) is not in the message table" },
	{ E("<event value='1' message='see $(string.s)'/>"),
	  5, "event \"value 1, version 0\": message \"see $(string.s)\" must be $(string.ID), $(mc.SYMBOL) or text" },
	{ E("<event value='1' message='$(string.one)'/>"),
	  5, "event \"value 1, version 0\": message has %1, and the event 0 fields" },
	{ TEMPLATE E("<event value='1' template='t' message='%1 %2'/>"),
	  5, "event \"value 1, version 0\": message has %2, and the event 1 fields" },
	{ TEMPLATE E("<event value='1' template='t' message='%100'/>"),
	  5, "event \"value 1, version 0\": message has %100, and inserts are %1 to %99" },
};

static const struct rule admin[] = {
	{ ADMIN E("<event value='1' channel='A' level='win:Critical' message='m'/>"
		  "<event value='2' channel='S' level='win:Informational' message='m'/>"
		  "<event value='3' channel='O'/>"), 0, NULL },
	{ ADMIN E("<event value='1' channel='A' level='win:Error'/>"),
	  5, "event \"value 1, version 0\": events in channel \"A\" of type Admin need a message" },
	{ ADMIN E("<event value='1' channel='A' message='m'/>"),
	  5, "event \"value 1, version 0\": events in channel \"A\" of type Admin need a level from win:Critical to win:Informational" },
	{ ADMIN E("<event value='1' channel='A' message='m' level='win:Verbose'/>"),
	  5, "event \"value 1, version 0\": events in channel \"A\" of type Admin need a level from win:Critical to win:Informational" },
	{ ADMIN E("<event value='1' channel='S' level='win:Error'/>"),
	  5, "event \"value 1, version 0\": events in channel \"Security\" of type Admin need a message" },
};

static const struct rule symbols[] = {
	/* Constants of one kind and value may share a symbol; P is the provider's. */
	{ "<tasks><task name='t' value='1'><opcodes><opcode name='o' value='10' symbol='S'/>"
	  "</opcodes></task></tasks><opcodes><opcode name='o' value='10' symbol='S'/></opcodes>"
	  E("<event value='1'/>"), 0, NULL },
	{ "<opcodes><opcode name='o' value='10' symbol='S'/>\n"
	  "<opcode name='q' value='11' symbol='S'/></opcodes>",
	  5, "opcode \"S\": symbol is that of another opcode, too (line 4)" },
	{ "<levels><level name='l' value='16' symbol='S'/></levels>\n"
	  "<opcodes><opcode name='o' value='16' symbol='S'/></opcodes>",
	  5, "opcode \"S\": symbol is that of another level, too (line 4)" },
	{ E("<event value='1' symbol='S'/>\n<event value='2' symbol='S'/>"),
	  6, "event \"S\": symbol is that of another event, too (line 5)" },
	{ E("<event value='1' symbol='P'/>"),
	  5, "event \"P\": symbol is that of another provider, too (line 3)" },
	{ "<keywords><keyword name='k' mask='1' symbol='S'/></keywords>" E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another keyword, too (line 4)" },
	{ "<channels><channel name='a' type='Debug' symbol='S'/></channels>"
	  E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another channel, too (line 4)" },
	{ "<tasks><task name='a' value='1' symbol='S'/></tasks>" E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another task, too (line 4)" },
	{ "<filters><filter name='a' value='1' symbol='S'/></filters>" E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another filter, too (line 4)" },
	{ "<maps><valueMap name='v'><map value='1' message='m' symbol='S'/></valueMap></maps>"
	  E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another map entry, too (line 4)" },
	{ "<maps><valueMap name='v' symbol='S'><map value='1' message='m'/></valueMap></maps>"
	  E("<event value='1' symbol='S'/>"),
	  5, "event \"S\": symbol is that of another map, too (line 4)" },
};

#define ROOT(inner)	"<instrumentationManifest " NAMESPACES ">\n" inner "</instrumentationManifest>"
#define EVENTS(inner)	ROOT("<instrumentation><events>\n" inner "</events></instrumentation>")
#define PROVIDER(attributes)	EVENTS("<provider " attributes "/>")

static const struct rule wholes[] = {
	{ PROVIDER("guid='" GUID_TEXT "' symbol='P'"), 3, "provider: attribute name is missing" },
	{ PROVIDER("name='P' symbol='P'"), 3, "provider \"P\": attribute guid is missing" },
	{ PROVIDER("name='P' guid='" GUID_TEXT "'"), 3, "provider \"P\": attribute symbol is missing" },
	{ PROVIDER("name='P' symbol='P' guid='1-2-3'"),
	  3, "provider \"P\": guid \"1-2-3\" must be a GUID: {01234567-89ab-cdef-0123-456789abcdef}; character 2 is \"-\"" },
	{ PROVIDER("name='P' symbol='P' guid='{00000000-0000-0000-0000-000000000000}'"),
	  3, "provider \"P\": guid must not be zero" },
	{ PROVIDER("name='P' symbol='P-1' guid='" GUID_TEXT "'"),
	  3, "provider \"P\": symbol \"P-1\" must be a C identifier: letters, digits and _, and no digit first; character 2 is \"-\"" },
	{ PROVIDER("name='P' symbol='P' guid='" GUID_TEXT "' source='Other'"),
	  3, "provider \"P\": source \"Other\" must be Xml, Wbem or WPP" },
	{ PROVIDER("name='P' symbol='P' guid='" GUID_TEXT "' message='$(string.no)'"),
	  3, "provider \"P\": message $(string.no) is in no string table" },
	{ PROVIDER("name='P' symbol='P' guid='" GUID_TEXT "'"
		   " controlGuid='{11111111-2222-3333-4444-666666666666}'"),
	  3, "provider \"P\": with a controlGuid the name must end in the provider's guid" },
	{ PROVIDER("name='a&#1;' symbol='P' guid='" GUID_TEXT "'"),
	  3, "not well-formed XML: xmlParseCharRef: invalid xmlChar value 1" },
	{ PROVIDER("name='a&#9;b' symbol='P' guid='" GUID_TEXT "'"),
	  3, "provider \"a\\tb\": a name has no control characters: character 2 is U+0009" },
	{ EVENTS("<provider name='P' guid='" GUID_TEXT "' symbol='P'/>\n"
		 "<provider name='P' guid='{11111111-2222-3333-4444-666666666666}' symbol='Q'/>"),
	  4, "provider \"P\": another provider has this name, too" },
	{ EVENTS("<provider name='P' guid='" GUID_TEXT "' symbol='P'/>\n"
		 "<provider name='Q' guid='" GUID_TEXT "' symbol='Q'/>"),
	  4, "provider \"Q\": provider \"P\" has this guid, too" },
	{ EVENTS("<provider name='P' guid='" GUID_TEXT "' symbol='P'/>\n"
		 "<provider name='Q' guid='{11111111-2222-3333-4444-666666666666}' symbol='P'/>"),
	  4, "provider \"P\": symbol is that of another provider, too (line 3)" },
	{ EVENTS("<messageTable>\n<message message='m'/></messageTable>"),
	  4, "message: attribute value is missing" },
	{ EVENTS("<messageTable>\n<message value='1' symbol='M'/></messageTable>"),
	  4, "message \"M\": attribute message is missing" },
	{ EVENTS("<messageTable><message value='1' message='m'/>\n<message value='1' message='m'/></messageTable>"),
	  4, "message: another message has value 1, too" },
	{ EVENTS("<messageTable><message value='1' message='m' mid='a'/>\n<message value='2' message='m' mid='a'/></messageTable>"),
	  4, "message \"a\": another message has this name, too" },
	{ EVENTS("<messageTable><message value='1' message='m'/></messageTable>")
	  "<x/>", 3, "not well-formed XML: Extra content at the end of the document" },
	{ ROOT("<instrumentation><counters xmlns='http://schemas.microsoft.com/win/2005/12/counters'>"
	       "<provider/></counters></instrumentation>"),
	  1, "no events here: there is no element provider, only instrumentation of other kinds" },
	{ "\n<html " NAMESPACES "/>",
	  2, "the root element html is not a manifest: it must be instrumentationManifest, instrumentation or assembly" },
	{ ROOT("<instrumentation><events><messageTable><message value='1' message='m'/></messageTable></events></instrumentation>"
	       "<localization>\n<resources/></localization>"),
	  3, "resources: attribute culture is missing" },
	{ ROOT("<instrumentation><events><messageTable><message value='1' message='m'/></messageTable></events></instrumentation>"
	       "<localization><resources culture='en-US'><stringTable>\n<string id='a'/></stringTable></resources></localization>"),
	  3, "string \"a\": attribute value is missing" },
	{ ROOT("<instrumentation><events><messageTable><message value='1' message='m'/></messageTable></events></instrumentation>"
	       "<localization><resources culture='en-US'><stringTable>\n<string value='a'/></stringTable></resources></localization>"),
	  3, "string: attribute id is missing" },
	{ ROOT("<instrumentation><events><messageTable><message value='1' message='m'/></messageTable></events></instrumentation>"
	       "<localization><resources culture='en-US'><stringTable><string id='a' value='b'/>\n"
	       "<string id='a' value='c'/></stringTable></resources></localization>"),
	  3, "string \"a\": is there twice for culture en-US: the first one counts" },
};

/* Of these mc.exe makes empty resources. */
static const struct rule empties[] = {
	{ ROOT(""), 1, "no events here: there is no element provider" },
	{ ROOT("<instrumentation/>"), 1, "no events here: there is no element provider" },
	{ EVENTS(""), 1, "no events here: there is no element provider" },
	{ "\n\n" ROOT("<metadata name='m'><channels/></metadata>"),
	  3, "no events here: there is no element provider" },
};

static void check_empty(const struct rule *rule)
{
	check_said(rule, read_text(rule->what), 0, true);
}

/* Symbols are those of one provider: mc.exe takes them again in another. */
static void check_symbols_of_two(void)
{
	is(read_text(EVENTS("<provider name='P' symbol='P' guid='" GUID_TEXT "'><keywords>"
			    "<keyword name='k' mask='1' symbol='S'/></keywords></provider>"
			    "<provider name='Q' symbol='Q' guid='{11111111-2222-3333-4444-666666666666}'>"
			    "<keywords><keyword name='k' mask='2' symbol='S'/></keywords><events>"
			    "<event value='1' symbol='P'/></events></provider>")), 0,
	   "symbols of another provider");
	is(problems.errors + problems.warnings, 0, "are no problem");
	is(read_inner("<maps><valueMap name='a' symbol='A'><map value='1' message='m' symbol='S'/></valueMap>"
		      "<valueMap name='b' symbol='B'><map value='2' message='m' symbol='S'/></valueMap></maps>"),
	   0, "entries of two maps");
	check_rule(&(struct rule){
		"<maps><valueMap name='a' symbol='A'><map value='1' message='m' symbol='S'/></valueMap>"
		"</maps>\n<levels><level name='l' value='17' symbol='AS'/></levels>", 4,
		"map entry \"AS\": symbol is that of another level, too (line 5)" });
}

static void check_many_providers(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fprintf(f, "<instrumentationManifest " NAMESPACES "><instrumentation><events>\n");
	for (i = 1; i <= 17; i++)
		fprintf(f, "<provider name='P%d' symbol='P%d' guid='{000000%02d-2222-3333-4444-666666666666}'/>\n",
			i, i, i);
	fprintf(f, "</events></instrumentation></instrumentationManifest>");
	fclose(f);
	check_whole(&(struct rule){ text, 18,
		"provider \"P17\": a manifest has at most 16 providers" });
	free(text);
}

#define TABLE	"<instrumentationManifest " NAMESPACES "><instrumentation><events><messageTable>\n" \
		"<message value='1' message='$(string.a)'/></messageTable></events></instrumentation>" \
		"<localization>"

static void check_cultures(void)
{
	const char *two = TABLE "<resources culture='de-DE'><stringTable>\n<string id='a' value='b'/>"
		"</stringTable></resources><resources culture='EN-us'/><resources culture='en-US'/>"
		"</localization></instrumentationManifest>";
	char *text = NULL;
	size_t size;
	FILE *f;
	int i;

	is(read_text(two), 0, "a string missing in one culture");
	ok(problems.warnings == 1 && problems.list[0].line == 3 && manifest->culture_count == 2 &&
	   !strcmp(problems.list[0].text, "string \"a\": is not in the string table of EN-us"),
	   "is warned of");
	f = open_memstream(&text, &size);
	fputs(TABLE, f);
	for (i = 0; i < 257; i++)
		fprintf(f, "\n<resources culture='c%d'><stringTable><string id='a' value='b'/>"
			"</stringTable></resources>", i);
	fputs("</localization></instrumentationManifest>", f);
	fclose(f);
	is(read_text(text), -EINVAL, "257 cultures");
	ok(problems.list[0].line == 259 &&
	   !strcmp(problems.list[0].text, "resources \"c256\": more than 256 cultures"), "%s",
	   problems.list[0].text);
	free(text);
	f = open_memstream(&text, &size);
	fputs(TABLE, f);
	for (i = 0; i < 256; i++)
		fprintf(f, "<resources culture='c%d'/>", i);
	fputs("<resources culture='c0'><stringTable>", f);
	for (i = 0; i <= 32768; i++)
		fprintf(f, "<string id='%d' value=''/>", i);
	fputs("</stringTable></resources></localization></instrumentationManifest>", f);
	fclose(f);
	is(read_text(text), -EINVAL, "strings times cultures");
	ok(!strcmp(problems.list[0].text, "32769 strings in 256 cultures are too many"), "%s",
	   problems.list[0].text);
	free(text);
}

static void check_many_fields(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fputs("<templates>\n<template tid='T'><struct name='s' count='2'>", f);
	for (i = 0; i < 65535; i++)
		fprintf(f, "<data name='d%d' inType='win:UnicodeString'/>", i);
	fputs("</struct></template></templates>", f);
	fclose(f);
	check_rule(&(struct rule){ text, 5, "template \"T\": more than 65535 fields" });
	free(text);
}

static void check_long_name(void)
{
	char text[1200], want[600], name[301];

	memset(name, 'n', 300);
	name[300] = '\0';
	snprintf(text, sizeof(text), "<instrumentationManifest " NAMESPACES "><instrumentation><events>\n"
		 "<provider name='%s' symbol='P' guid='" GUID_TEXT "'/></events></instrumentation></instrumentationManifest>",
		 name);
	snprintf(want, sizeof(want), "provider \"%.197s...\": a name has at most 255 characters", name);
	check_whole(&(struct rule){ text, 2, want });
}

/* Long values in messages are cut, wherever they end. */
static void check_long_text(void)
{
	unsigned int len, wrong = 0;
	char text[1000];

	for (len = 500; len < 700; len++) {
		int at = sprintf(text, "<events><event value='1' notLogged='");

		memset(text + at, 'x', len);
		strcpy(text + at + len, "'/></events>");
		wrong += read_inner(text) != -EINVAL || problems.count != 1 ||
			 strlen(problems.list[0].text) > 700 ||
			 !strstr(problems.list[0].text, "event: notLogged \"xxx");
	}
	is(wrong, 0, "a long value does not make a long sentence");
}

/* Problems beyond the limit are counted, and an error replaces a warning. */
static void check_many_problems(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	fprintf(f, "<events>");
	for (i = 0; i < 100; i++)
		fprintf(f, "<event value='%d' colour='red'/>\n", i);
	for (i = 0; i < 100; i++)
		fprintf(f, "<event value='%d' level='no'/>\n", i + 100);
	fprintf(f, "</events>");
	fclose(f);
	is(read_inner(text), -EINVAL, "a manifest with 200 problems is wrong");
	is(problems.count, ETW_PROBLEMS_MAX, "50 of them are kept");
	is(problems.errors, 100, "all errors are counted");
	is(problems.warnings, 100, "all warnings are counted");
	ok(!problems.list[49].warning && problems.list[49].line == 104,
	   "the first error is among those kept");
	free(text);
}

int main(void)
{
	EACH(events, check_rule);
	EACH(messages, check_rule);
	EACH(admin, check_rule);
	EACH(symbols, check_rule);
	EACH(wholes, check_whole);
	EACH(empties, check_empty);
	check_symbols_of_two();
	check_many_providers();
	check_many_fields();
	check_cultures();
	check_long_name();
	check_long_text();
	check_many_problems();
	read_end();
	return done_testing();
}
