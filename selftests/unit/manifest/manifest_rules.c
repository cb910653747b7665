/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_rules.c - each rule about providers and their definitions, broken alone: the
 * message and its line
 */
#include "manifest.h"

/* A valid event, because one is required */
#define EVENT	"<events><event value='1'/></events>"

static const struct rule channels[] = {
	{ "<channels><channel name='P/Admin' chid='a' type='Admin' isolation='System' enabled='true'"
	  " value='16' symbol='CH' message='$(string.s)'><logging><autoBackup>true</autoBackup>"
	  "<retention>false</retention><maxSize>1048576</maxSize></logging></channel>"
	  "<channel name='P/Debug' type='Debug'><publishing><bufferSize>64</bufferSize>"
	  "<clockType>QPC</clockType><controlGuid>" GUID_TEXT "</controlGuid><fileMax>2</fileMax>"
	  "<keywords>0x10</keywords><latency>1000</latency><level>0</level>"
	  "<minBuffers>2</minBuffers><maxBuffers> 4 </maxBuffers><sidType>None</sidType>"
	  "</publishing></channel><importChannel name='System' chid='SYS'/></channels>" EVENT,
	  0, NULL },
	{ "<channels><channel name='a' type='Operational'><publishing><controlGuid>" GUID_TEXT
	  "</controlGuid></publishing></channel></channels>" EVENT, 0, NULL },
	{ "<channels>\n<channel type='Debug'/></channels>",
	  5, "channel: attribute name is missing" },
	{ "<channels>\n<channel\n name='' type='Debug'/></channels>",
	  5, "channel: attribute name is empty" },
	{ "<channels>\n<channel name='a'/></channels>",
	  5, "channel \"a\": attribute type is missing" },
	{ "<channels>\n<channel name='a' type='Best'/></channels>",
	  5, "channel \"a\": type \"Best\" must be Admin, Operational, Analytic or Debug" },
	{ "<channels>\n<channel name='a' type='Debug' isolation='No'/></channels>",
	  5, "channel \"a\": isolation \"No\" must be Application, System or Custom" },
	{ "<channels>\n<channel name='a' type='Debug' enabled='ja'/></channels>",
	  5, "channel \"a\": enabled \"ja\" must be true or false" },
	{ "<channels>\n<channel name='a' type='Debug' value='15'/></channels>",
	  5, "channel \"a\": value \"15\" must be a number from 16 to 255" },
	{ "<channels>\n<channel name='a' type='Debug' value='256'/></channels>",
	  5, "channel \"a\": value \"256\" must be a number from 16 to 255" },
	{ "<channels>\n<channel name='a?' type='Debug'/></channels>",
	  5, "channel \"a?\": a name has no character ?: character 2 is \"?\"" },
	{ "<channels>\n<channel name='a&#9;b' type='Debug'/></channels>",
	  5, "channel \"a\\tb\": a name has no control characters: character 2 is U+0009" },
	{ "<channels>\n<channel name='a' type='Debug' symbol='1a'/></channels>",
	  5, "channel \"a\": symbol \"1a\" must be a C identifier: letters, digits and _, and no digit first; character 1 is \"1\"" },
	{ "<channels>\n<channel name='a' type='Debug' message='$(string.no)'/></channels>",
	  5, "channel \"a\": message $(string.no) is in no string table" },
	{ "<channels><channel name='a' type='Debug' value='20'/>\n"
	  "<channel name='b' type='Debug' value='20'/></channels>",
	  5, "channel \"b\": channel \"a\" has value 20, too" },
	{ "<channels><channel name='a' type='Debug' chid='c'/>\n"
	  "<channel name='b' type='Debug' chid='c'/></channels>",
	  5, "channel \"b\": channel \"a\" has chid \"c\", too" },
	{ "<channels><channel name='a' type='Debug' chid='c'/>\n"
	  "<channel name='a' type='Debug' chid='d'/></channels>",
	  5, "channel \"a\": channel \"a\" has this name, too" },
	{ "<channels>\n<importChannel chid='System'/></channels>",
	  5, "importChannel: attribute name is missing" },
	{ "<channels><channel name='a' type='Debug'/><channel name='b' type='Debug'/>"
	  "<channel name='c' type='Debug'/><channel name='d' type='Debug'/>"
	  "<channel name='e' type='Debug'/><channel name='f' type='Debug'/>"
	  "<channel name='g' type='Debug'/><importChannel name='System' chid='S'/>\n"
	  "<channel name='i' type='Debug'/></channels>",
	  5, "provider \"P\": has more than 8 channels" },
	{ "<channels><channel name='a' type='Debug'><logging>\n<maxSize>big</maxSize>"
	  "</logging></channel></channels>",
	  5, "channel \"a\": maxSize \"big\" must be a number; character 1 is \"b\"" },
	{ "<channels><channel name='a' type='Debug'><logging>\n<retention/>"
	  "</logging></channel></channels>",
	  5, "channel \"a\": retention \"\" must be true or false" },
	{ "<channels><channel name='a' type='Debug'><publishing>\n<level>win:Error</level>"
	  "</publishing></channel></channels>",
	  5, "channel \"a\": level \"win:Error\" must be a number; character 1 is \"w\"" },
	{ "<channels><channel name='a' type='Debug'><publishing>\n<clockType>Sun</clockType>"
	  "</publishing></channel></channels>",
	  5, "channel \"a\": clockType \"Sun\" must be SystemTime or QPC" },
	{ "<channels><channel name='a' type='Debug'><publishing>\n<sidType>All</sidType>"
	  "</publishing></channel></channels>",
	  5, "channel \"a\": sidType \"All\" must be None or Publishing" },
	{ "<channels><channel name='a' type='Debug'><publishing>\n<controlGuid>1</controlGuid>"
	  "</publishing></channel></channels>",
	  5, "channel \"a\": controlGuid \"1\" must be a GUID: {01234567-89ab-cdef-0123-456789abcdef}; it ends after character 1" },
};

static const struct rule named[] = {
	{ "<levels><level name='l' value='16' symbol='L' message='$(string.s)'/></levels>"
	  "<tasks><task name='t' value='65535' symbol='T' eventGUID='" GUID_TEXT "'><opcodes>"
	  "<opcode name='o' value='10' symbol='O1'/></opcodes></task><task name='u' value='0'>"
	  "<opcodes><opcode name='o' value='10'/></opcodes></task></tasks>"
	  "<opcodes><opcode name='o' value='239'/></opcodes>"
	  "<keywords><keyword name='k' mask='0x800000000000' symbol='K'/></keywords>" EVENT,
	  0, NULL },
	{ "<levels>\n<level value='16'/></levels>", 5, "level: attribute name is missing" },
	{ "<levels>\n<level name='l'/></levels>", 5, "level \"l\": attribute value is missing" },
	{ "<levels>\n<level name='l' value='15'/></levels>",
	  5, "level \"l\": value \"15\" must be a number from 16 to 255" },
	{ "<levels>\n<level name='l' value='0x100'/></levels>",
	  5, "level \"l\": value \"0x100\" must be a number from 16 to 255" },
	{ "<levels>\n<level name='l' value='-1'/></levels>",
	  5, "level \"l\": value \"-1\" must be a number from 16 to 255; character 1 is \"-\"" },
	{ "<levels>\n<level name='win:Mine' value='16'/></levels>",
	  5, "level \"win:Mine\": names with win: are Windows' own" },
	{ "<levels><level name='l' value='16'/>\n<level name='l' value='17'/></levels>",
	  5, "level \"l\": another level has this name, too" },
	{ "<levels><level name='l' value='16'/>\n<level name='m' value='16'/></levels>",
	  5, "level \"m\": another level has value 16, too" },
	{ "<tasks>\n<task name='t' value='65536'/></tasks>",
	  5, "task \"t\": value \"65536\" must be a number from 0 to 65535" },
	{ "<tasks>\n<task name='t'/></tasks>", 5, "task \"t\": attribute value is missing" },
	{ "<tasks>\n<task name='t' value='1' eventGUID='x'/></tasks>",
	  5, "task \"t\": eventGUID \"x\" must be a GUID: {01234567-89ab-cdef-0123-456789abcdef}; character 1 is \"x\"" },
	{ "<tasks><task name='t' value='1'/>\n<task name='t' value='2'/></tasks>",
	  5, "task \"t\": another task has this name, too" },
	{ "<tasks><task name='t' value='1'/>\n<task name='u' value='1'/></tasks>",
	  5, "task \"u\": another task has value 1, too" },
	{ "<opcodes>\n<opcode name='o' value='9'/></opcodes>",
	  5, "opcode \"o\": value \"9\" must be a number from 10 to 239" },
	{ "<opcodes>\n<opcode name='o' value='240'/></opcodes>",
	  5, "opcode \"o\": value \"240\" must be a number from 10 to 239" },
	{ "<opcodes><opcode name='o' value='10'/>\n<opcode name='q' value='10'/></opcodes>",
	  5, "opcode \"q\": another opcode has value 10, too" },
	{ "<tasks><task name='t' value='1'><opcodes><opcode name='o' value='10'/>\n"
	  "<opcode name='o' value='11'/></opcodes></task></tasks>",
	  5, "opcode \"o\": another opcode has this name, too" },
	{ "<keywords>\n<keyword name='k'/></keywords>",
	  5, "keyword \"k\": attribute mask is missing" },
	{ "<keywords>\n<keyword name='k' mask='0x3'/></keywords>",
	  5, "keyword \"k\": mask \"0x3\" must be one bit of 0x1 to 0x800000000000" },
	{ "<keywords>\n<keyword name='k' mask='0'/></keywords>",
	  5, "keyword \"k\": mask \"0\" must be one bit of 0x1 to 0x800000000000" },
	{ "<keywords>\n<keyword name='k' mask='0x1000000000000'/></keywords>",
	  5, "keyword \"k\": mask \"0x1000000000000\" must be one bit of 0x1 to 0x800000000000" },
	{ "<keywords><keyword name='k' mask='1'/>\n<keyword name='l' mask='0x1'/></keywords>",
	  5, "keyword \"l\": another keyword has mask 0x1, too" },
	{ "<keywords><keyword name='k' mask='1'/>\n<keyword name='k' mask='2'/></keywords>",
	  5, "keyword \"k\": another keyword has this name, too" },
};

static const struct rule maps[] = {
	{ "<maps><valueMap name='v' symbol='V'><map value='0' message='zero' symbol='V0'/>"
	  "<map value='0xFFFFFFFF' message='$(string.s)'/></valueMap><bitMap name='b'>"
	  "<map value='0x80000000' message='high'/></bitMap></maps><namedQueries>"
	  "<patternMap name='p' format='%1'><map name='a' value='b'/></patternMap></namedQueries>"
	  "<valueMap name='w'><map value='1' message='one'/></valueMap>" EVENT, 0, NULL },
	{ "<maps>\n<valueMap><map value='0' message='m'/></valueMap></maps>",
	  5, "valueMap: attribute name is missing" },
	{ "<maps>\n<valueMap name='v'>\n</valueMap></maps>",
	  5, "valueMap \"v\": has no element map" },
	{ "<maps><valueMap name='v'>\n<map message='m'/></valueMap></maps>",
	  5, "valueMap \"v\": map: attribute value is missing" },
	{ "<maps><valueMap name='v'>\n<map value='1'/></valueMap></maps>",
	  5, "valueMap \"v\": map: attribute message is missing" },
	{ "<maps><valueMap name='v'>\n<map value='4294967296' message='m'/></valueMap></maps>",
	  5, "valueMap \"v\": map: value \"4294967296\" must be a number from 0 to 4294967295" },
	{ "<maps><bitMap name='b'>\n<map value='3' message='m'/></bitMap></maps>",
	  5, "bitMap \"b\": map: value \"3\" must be one bit of 0x1 to 0x80000000, or 0" },
	{ "<maps><bitMap name='b'>\n<map value='1' message='$(string.no)'/></bitMap></maps>",
	  5, "bitMap \"b\": map: message $(string.no) is in no string table" },
	{ "<maps><bitMap name='b'><map value='1' message='m'/></bitMap>\n"
	  "<valueMap name='b'><map value='1' message='m'/></valueMap></maps>",
	  5, "map \"b\": another map has this name, too" },
	{ "<namedQueries><patternMap name='p'>\n<map name='a'/></patternMap></namedQueries>",
	  5, "patternMap \"p\": map: attribute value is missing" },
	{ "<namedQueries><patternMap name='p'>\n<map value='a'/></patternMap></namedQueries>",
	  5, "patternMap \"p\": map: attribute name is missing" },
};

static const struct rule filters[] = {
	{ "<templates><template tid='t'><data name='d' inType='win:UInt8'/></template></templates>"
	  "<filters><filter name='f' value='1' version='2' tid='t' symbol='F'"
	  " message='$(string.s)'/><filter name='g' value='1'/></filters>" EVENT, 0, NULL },
	{ "<filters>\n<filter value='1'/></filters>", 5, "filter: attribute name is missing" },
	{ "<filters>\n<filter name='f'/></filters>", 5, "filter \"f\": attribute value is missing" },
	{ "<filters>\n<filter name='f' value='256'/></filters>",
	  5, "filter \"f\": value \"256\" must be a number from 0 to 255" },
	{ "<filters>\n<filter name='f' value='1' version='x'/></filters>",
	  5, "filter \"f\": version \"x\" must be a number from 0 to 255; character 1 is \"x\"" },
	{ "<filters>\n<filter name='f' value='1' tid='t'/></filters>",
	  5, "filter \"f\": template \"t\" is not defined" },
	{ "<filters><filter name='f' value='1'/>\n<filter name='f' value='2'/></filters>",
	  5, "filter \"f\": another filter has this name, too" },
	{ "<filters><filter name='f' value='1'/>\n<filter name='g' value='1'/></filters>",
	  5, "filter \"g\": another filter has value 1 and version 0, too" },
};

static const struct rule traits[] = {
	{ "<traits groupGuid='" GUID_TEXT "' includeName='true'/>" EVENT, 0, NULL },
	{ "<traits/>\n<traits/>", 5, "provider \"P\": has a second element traits" },
	{ "\n<traits groupGuid='g'/>",
	  5, "traits \"P\": groupGuid \"g\" must be a GUID: {01234567-89ab-cdef-0123-456789abcdef}; character 1 is \"g\"" },
	{ "\n<traits includeName='maybe'/>",
	  5, "traits \"P\": includeName \"maybe\" must be true or false" },
};

static const struct rule warnings[] = {
	{ "\n<novelty/>" EVENT, 5, "provider: element novelty is not known here: ignored" },
	{ "<events>\n<event value='1' colour='red'/></events>",
	  5, "event: attribute colour is not known: ignored" },
	{ "<channels>\n<channel name='a' type='Debug' access='O:BA'/></channels>" EVENT,
	  5, "channel \"a\": access has a meaning only where isolation is Custom" },
	{ "<channels><channel name='a' type='Debug'><logging>\n<maxSize>1000000</maxSize>"
	  "</logging></channel></channels>" EVENT,
	  5, "channel \"a\": maxSize 1000000 is less than 1 MB, which is what Windows takes then" },
	{ "<maps><valueMap name='v'><map value='1' message='a'/>\n<map value='1' message='b'/>"
	  "</valueMap></maps>" EVENT,
	  5, "valueMap \"v\": value 0x1 is there twice: the first one counts" },
};

/* Problems of several passes, with a warning, in the order of the file */
static void check_order(void)
{
	static const unsigned int lines[] = { 5, 6, 7, 8, 8 };
	unsigned int i;

	is(read_inner("<channels>\n<channel name='a' type='Debug' access='O:BA'/></channels>\n"
		      "<keywords><keyword name='k' mask='3'/></keywords>\n"
		      "<filters><filter name='f' value='1' tid='t'/></filters>\n"
		      "<events><event value='1' template='t'/><event value='x'/></events>"),
	   -EINVAL, "wrong in four lines");
	if (!ok(problems.count == 5, "five problems")) {
		show_problems();
		return;
	}
	for (i = 0; i < 5; i++)
		ok(problems.list[i].line == lines[i], "line %u: %s", lines[i], problems.list[i].text);
}

/* Problems of one line keep their order, and problems of the whole file come first. */
static void check_sorting(void)
{
	static const unsigned int lines[] = { 33, 30, 0, 38, 30, 0 };
	static const char order[] = "cfbead";
	struct etw_problems mine = { .count = 0 };
	unsigned int i;

	etw_problems_sort(&mine);
	for (i = 0; i < 6; i++)
		etw_problem_add(&mine, lines[i], i & 1, "%c", "abcdef"[i]);
	etw_problems_sort(&mine);
	for (i = 0; i < 6; i++)
		ok(mine.list[i].text[0] == order[i], "line %u: %s", mine.list[i].line,
		   mine.list[i].text);
	etw_problems_free(&mine);
}

int main(void)
{
	check_order();
	check_sorting();
	EACH(channels, check_rule);
	EACH(named, check_rule);
	EACH(maps, check_rule);
	EACH(filters, check_rule);
	EACH(traits, check_rule);
	EACH(warnings, check_warning);
	read_end();
	return done_testing();
}
