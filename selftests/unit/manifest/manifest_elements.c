/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * manifest_elements.c - every element and attribute of a manifest, and its place in the
 * model
 */
#include "manifest.h"
#include "base/guid.h"

/* All elements, most before those they refer to; tests below check the lines. */
static const char whole[] =
"<instrumentationManifest " NAMESPACES " xmlns:xsi='i' xsi:schemaLocation='a b'>\n"
"<localization><resources culture='de-DE'><stringTable><string id='e' value='%1 von %2'/>\n"
"<string id='p' value='Anbieter'/></stringTable></resources>\n"
"<resources culture='en-US'><stringTable><string id='e' value='%1 of %2'/>\n"
"<string id='p' value='provider'/></stringTable></resources></localization>\n"
"<instrumentation><events>\n"
"<messageTable><message value='0x100' symbol='MSG' mid='m.1' message='$(string.p)'/></messageTable>\n"
"<provider name='Org-Thing.111111112222333344445555 55555555' symbol='PROV' guid='" GUID_TEXT "'\n"
" controlGuid='{aaaaaaaa-0000-0000-0000-000000000001}' namespace='NS' source='Xml' message='$(mc.MSG)'\n"
" resourceFileName='r.dll' messageFileName='m.dll' parameterFileName='p.dll' helpLink='http://h'\n"
" warnOnApplicationCompatibilityError='true'>\n"
"<events>\n"
"<event value='7' version='1' symbol='EV' channel='op' level='loud' task='job' opcode='begin'\n"
" keywords='k1 k2 win:ResponseTime' template='T' message='$(string.e)' name='Seven' attributes='FILE=a.c'/>\n"
"<event value='8' opcode='begin' task='rest' level='win:Error' channel='Org/Debug' notLogged='true'/>\n"
"<event value='9' message='literal'/>\n"
"</events>\n"
"<templates><template tid='T' name='Tee'>\n"
"<data name='Len' inType='win:UInt16' tags='0x123'/>\n"
"<data name='Text' inType='win:UnicodeString' length='Len' outType='win:Xml'/>\n"
"<struct name='Part' count='Len'>\n"
"<data name='N' inType='win:UInt8' map='colours'/><data name='V' inType='win:UInt32' count='N'/>\n"
"<data name='W' inType='win:Binary' length='Len'/></struct>\n"
"<data name='Flags' inType='win:HexInt32' map='bits' count='4'/>\n"
"<UserData>\n <x:Own xmlns:x='urn:x' a='&lt;1&gt;'><y>%1</y> <z/></x:Own>\n</UserData>\n"
"</template></templates>\n"
"<maps><valueMap name='colours' symbol='CM'><map value='2' message='red'/><map value='1' symbol='BLUE'\n"
" message='blue'/><map value='0xFFFFFFFF' message='none'/></valueMap><bitMap name='bits'><map value='0x10' message='b4'/></bitMap></maps>\n"
"<namedQueries><patternMap name='pat' format='f'><map name='in' value='out'/></patternMap></namedQueries>\n"
"<keywords><keyword name='k1' mask='0x1' symbol='K1' message='m'/><keyword name='k2' mask='0x400000000000'/></keywords>\n"
"<opcodes><opcode name='begin' value='30' symbol='OB'/></opcodes>\n"
"<tasks><task name='job' value='5' symbol='JOB' eventGUID='{00000000-0000-0000-0000-000000000005}'>\n"
"<opcodes><opcode name='begin' value='20'/></opcodes></task><task name='rest' value='6'/></tasks>\n"
"<levels><level name='loud' value='17' symbol='LOUD'/></levels>\n"
"<channels><importChannel name='Application' chid='app'/>\n"
"<channel name='Org/Operational' chid='op' type='Operational' enabled='true' isolation='Custom' access='O:BA'/>\n"
"<channel name='Org/Debug' type='Debug' value='16' symbol='CD' message='dbg'/>\n"
"<importChannel name='Second/Admin' chid='sec'/></channels>\n"
"<filters><filter name='F' value='3' version='2' tid='T' symbol='FS' message='fm'/></filters>\n"
"<traits groupGuid='{bbbbbbbb-0000-0000-0000-000000000001}' includeName='true'/>\n"
"</provider>\n"
"<provider name='Second' symbol='SEC' guid='{cccccccc-0000-0000-0000-000000000001}'>\n"
"<channels><channel name='Second/Admin' type='Analytic' isolation='System'/></channels></provider>\n"
"</events></instrumentation></instrumentationManifest>\n";

static bool same(const char *got, const char *want)
{
	if (!got || !want)
		return got == want;
	return !strcmp(got, want);
}

/* Strings, shown when they differ */
#define str(got, want) \
	do { \
		const char *str_got = (got); \
		if (!ok(same(str_got, want), #got)) \
			printf("# %s\n", str_got ? str_got : "(none)"); \
	} while (0)

static void guid_is(const GUID *guid, const char *text, const char *what)
{
	struct etw_guid want;

	etw_guid_parse(text, &want);
	ok(!memcmp(guid, &want, sizeof(want)), "%s", what);
}

static void check_provider(const struct etw_mf_provider *p)
{
	str(p->name, "Org-Thing.111111112222333344445555 55555555");
	str(p->symbol, "PROV");
	guid_is(&p->guid, GUID_TEXT, "guid");
	guid_is(&p->control_guid, "aaaaaaaa-0000-0000-0000-000000000001", "control GUID");
	guid_is(&p->group_guid, "bbbbbbbb-0000-0000-0000-000000000001", "group");
	ok(p->has_control_guid && p->has_traits && p->include_name, "traits");
	str(p->namespace_name, "NS");
	str(p->source, "Xml");
	str(p->resource_file, "r.dll");
	str(p->message_file, "m.dll");
	str(p->parameter_file, "p.dll");
	str(p->help_link, "http://h");
	str(p->message->id, "p");
	is(p->line, 8, "its line");
	ok(p->manifest == manifest && p->index == 0, "its manifest");
	p = &manifest->providers[1];
	ok(!p->has_control_guid && !memcmp(&p->guid, &p->control_guid, sizeof(GUID)) &&
	   !p->has_traits && !p->source && !p->message && p->index == 1, "a provider with less");
}

static void check_channels(const struct etw_mf_provider *p)
{
	const struct etw_mf_channel *c = p->channels;

	is(p->channel_count, 4, "channels");
	ok(c->imported && c->value == 9 && c->type == ETW_CHANNEL_ADMIN &&
	   c->keyword == 1ull << 63 && same(c->id, "app"), "an imported one of Windows");
	c++;
	ok(!c->imported && c->value == 17 && c->type == ETW_CHANNEL_OPERATIONAL && c->enabled &&
	   c->isolation == 2 && same(c->access, "O:BA") && c->keyword == 1ull << 62,
	   "a channel gets the first free value");
	c++;
	ok(c->value == 16 && c->type == ETW_CHANNEL_DEBUG && same(c->id, "Org/Debug") &&
	   same(c->symbol, "CD") && same(etw_mf_text(manifest, c->message), "dbg") &&
	   c->keyword == 1ull << 61, "a channel without chid");
	c++;
	ok(c->imported && c->value == 18 && c->type == ETW_CHANNEL_ANALYTIC && c->isolation == 1,
	   "an imported one of another provider");
	ok(etw_mf_part(p, ETW_PART_CHANNEL, 17) == &p->channels[1] &&
	   !etw_mf_part(p, ETW_PART_CHANNEL, 30) &&
	   etw_mf_part(p, ETW_PART_CHANNEL, 11) == etw_standard(ETW_PART_CHANNEL, 11), "by value");
}

static const char *name_of(const struct etw_mf_provider *p, enum etw_part part, uint64_t value)
{
	const struct etw_mf_named *named = etw_mf_part(p, part, value);

	return named ? named->name : NULL;
}

static void check_named(const struct etw_mf_provider *p)
{
	const struct etw_mf_task *t = p->tasks;

	ok(p->level_count == 1 && p->levels[0].value == 17 && same(p->levels[0].symbol, "LOUD") &&
	   etw_mf_part(p, ETW_PART_LEVEL, 17) == p->levels &&
	   same(name_of(p, ETW_PART_LEVEL, 2), "win:Error") &&
	   !etw_mf_part(p, ETW_PART_LEVEL, 99), "levels");
	ok(p->task_count == 2 && t->value == 5 && same(t->symbol, "JOB") && t->opcode_count == 1 &&
	   t->opcodes[0].value == 20 && !t[1].opcode_count && !t[1].opcodes, "tasks");
	guid_is(&t->event_guid, "00000000-0000-0000-0000-000000000005", "a task's GUID");
	ok(p->opcode_count == 1 && p->opcodes[0].value == 30, "opcodes");
	ok(etw_mf_opcode(p, 5, 20) == t->opcodes && etw_mf_opcode(p, 6, 30) == p->opcodes &&
	   !etw_mf_opcode(p, 6, 20) && same(etw_mf_opcode(p, 5, 1)->name, "win:Start"),
	   "opcodes by task and value");
	ok(etw_mf_part(p, ETW_PART_TASK, 6) == &t[1] &&
	   same(name_of(p, ETW_PART_TASK, 0), "win:None") &&
	   !etw_mf_part(p, ETW_PART_TASK, 7), "tasks by value");
	ok(p->keyword_count == 2 && p->keywords[0].value == 1 && same(p->keywords[0].symbol, "K1") &&
	   p->keywords[1].value == 1ull << 46 && etw_mf_part(p, ETW_PART_KEYWORD, 1) == p->keywords &&
	   same(name_of(p, ETW_PART_KEYWORD, 1ull << 48), "win:ResponseTime") &&
	   !etw_mf_part(p, ETW_PART_KEYWORD, 4),
	   "keywords");
}

static void check_maps(const struct etw_mf_provider *p)
{
	const struct etw_mf_map *m = p->maps;

	is(p->map_count, 3, "maps");
	ok(m->kind == ETW_MAP_VALUE && m->count == 3 && same(m->symbol, "CM") &&
	   m->entries[0].value == 2 && same(m->entries[1].symbol, "BLUE") && !m->entries[0].name,
	   "a value map");
	ok(etw_mf_map_find(m, 1) == &m->entries[1] && etw_mf_map_find(m, 2) == m->entries &&
	   etw_mf_map_find(m, 0xFFFFFFFF) == &m->entries[2] && !etw_mf_map_find(m, 3) &&
	   !etw_mf_map_find(m, 0), "its entries by value");
	ok(m[1].kind == ETW_MAP_BITS && m[1].entries[0].value == 16 &&
	   same(etw_mf_text(manifest, m[1].entries[0].message), "b4"), "a bit map");
	ok(m[2].kind == ETW_MAP_PATTERN && same(m[2].format, "f") &&
	   same(m[2].entries[0].name, "in") && same(m[2].entries[0].text, "out") &&
	   !etw_mf_map_find(&m[2], 0), "a pattern map");
}

static void check_template(const struct etw_mf_provider *p)
{
	const struct etw_mf_template *t = p->templates;
	const struct etw_mf_field *f = t->fields;

	ok(same(t->id, "T") && same(t->name, "Tee") && t->count == 7 && t->top == 4, "a template");
	str(t->user_data,
	    "<UserData><x:Own xmlns:x=\"urn:x\" a=\"&lt;1&gt;\"><y>%1</y><z/></x:Own></UserData>");
	ok(same(f[0].name, "Len") && f[0].tags == 0x123 && f[0].flags == ETW_MF_TAGS &&
	   f[0].count == 1, "a field with tags");
	ok(f[1].flags == ETW_MF_LENGTH_FIELD && f[1].length == 0 && f[1].out_type == TDH_OUTTYPE_XML &&
	   f[1].in_type == TDH_INTYPE_UNICODESTRING, "a length by a field");
	ok(f[2].flags == (ETW_MF_STRUCT | ETW_MF_COUNT_FIELD) && f[2].count == 0 && f[2].first == 4 &&
	   f[2].members == 3 && !f[2].in_type, "a structure, its members after the top level");
	ok(f[3].flags == ETW_MF_COUNT_FIXED && f[3].count == 4 && f[3].map == &p->maps[1],
	   "an array with a map");
	ok(same(f[4].name, "N") && f[4].map == p->maps && f[5].flags == ETW_MF_COUNT_FIELD &&
	   f[5].count == 4, "a member's count by another member");
	ok(f[6].flags == ETW_MF_LENGTH_FIELD && f[6].length == 0, "or a length by a field before");
	is(f[5].line, 22, "a field's line");
}

static void check_events(const struct etw_mf_provider *p)
{
	const struct etw_mf_event *e = p->events;

	is(p->event_count, 3, "events");
	ok(e->desc.Id == 7 && e->desc.Version == 1 && e->desc.Channel == 17 && e->desc.Level == 17 &&
	   e->desc.Task == 5 && e->desc.Opcode == 20, "a descriptor");
	ok(e->keywords == (1ull | 1ull << 46 | 1ull << 48) &&
	   e->desc.Keyword == (e->keywords | 1ull << 62), "its keyword with the channel's bit");
	ok(e->channel == &p->channels[1] && e->level == p->levels && e->task == p->tasks &&
	   e->opcode == p->tasks[0].opcodes && e->template == p->templates, "its references");
	str(e->symbol, "EV");
	str(e->name, "Seven");
	str(e->attributes, "FILE=a.c");
	str(e->message->id, "e");
	ok(e->message->text[0] && same(e->message->text[1], "%1 of %2"), "a text in each culture");
	is(e->line, 13, "its line");
	e++;
	ok(e->not_logged && e->desc.Opcode == 30 && e->desc.Level == 2 && e->desc.Channel == 16 &&
	   !e->symbol && !e->message, "the provider's opcode, a channel by its name");
	e++;
	ok(!e->level && !e->task && !e->opcode && !e->template && e->desc.Channel == 12 &&
	   e->channel == etw_standard(ETW_PART_CHANNEL, 12) && !e->desc.Keyword,
	   "without a channel, and decoded by another GUID: ProviderMetadata");
	ok(!e->message->id && same(e->message->text[0], "literal"), "text as it stands");
	ok(etw_mf_event_find(p, 7, 1) == p->events && !etw_mf_event_find(p, 7, 0) &&
	   etw_mf_event_find(p, 9, 0) == e && !etw_mf_event_find(&manifest->providers[1], 7, 1),
	   "by id and version");
}

static void check_rest(const struct etw_mf_provider *p)
{
	ok(p->filter_count == 1 && p->filters[0].value == 3 && p->filters[0].version == 2 &&
	   p->filters[0].template == p->templates && same(p->filters[0].symbol, "FS"), "a filter");
	ok(manifest->culture_count == 2 && same(manifest->cultures[0], "de-DE") &&
	   same(manifest->cultures[1], "en-US"), "cultures");
	ok(manifest->message_count == 2 && same(manifest->messages[1].id, "p"), "messages");
	ok(manifest->entry_count == 1 && manifest->entries[0].value == 0x100 &&
	   same(manifest->entries[0].mid, "m.1") && same(manifest->entries[0].symbol, "MSG") &&
	   manifest->entries[0].message == p->message, "the message table");
	str(manifest->file, "test.man");
}

/* The same provider below other root elements, and with other namespace prefixes */
static void check_roots(void)
{
#define PROVIDER \
	"<provider name='P' symbol='P' guid='" GUID_TEXT "'><templates><template tid='t'>" \
	"<data name='d' inType='w:UInt8' outType='x:unsignedByte'/></template></templates><events>" \
	"<event value='1' level='w:Error' keywords=' w:SQM  w:AuditSuccess' template='t'/></events></provider>"
#define PREFIXES \
	"xmlns:w='http://manifests.microsoft.com/win/2004/08/windows/events' " \
	"xmlns:x='http://www.w3.org/2001/XMLSchema'"
	const char *roots[] = {
		"<instrumentationManifest " NAMESPACES "><instrumentation " PREFIXES "><events>" PROVIDER
		"</events></instrumentation></instrumentationManifest>",
		"<instrumentation " NAMESPACES " " PREFIXES "><events>" PROVIDER "</events></instrumentation>",
		"<assembly xmlns='urn:schemas-microsoft-com:asm.v3'><assemblyIdentity name='n'/>"
		"<instrumentation><counters xmlns='http://schemas.microsoft.com/win/2005/12/counters'><provider/></counters>"
		"<events " NAMESPACES " " PREFIXES ">" PROVIDER "</events></instrumentation></assembly>",
		"<e:instrumentation xmlns:e='http://schemas.microsoft.com/win/2004/08/events'><e:events "
		NAMESPACES " " PREFIXES ">" PROVIDER "</e:events></e:instrumentation>",
	};
	const struct etw_mf_event *e;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (!ok(!read_text(roots[i]) && !problems.warnings, "a root of kind %u", i)) {
			show_problems();
			continue;
		}
		e = manifest->providers[0].events;
		ok(e->desc.Level == 2 && e->keywords == (1ull << 51 | 1ull << 53) &&
		   e->template->fields[0].in_type == TDH_INTYPE_UINT8,
		   "prefixes have the names they are bound to");
	}
	ok(!manifest->culture_count, "no culture without messages");
	ok(!read_text("<instrumentation " NAMESPACES "><events><provider name='P' symbol='P'"
		      " guid='" GUID_TEXT "' message='text'/></events></instrumentation>") &&
	   manifest->culture_count == 1 && same(manifest->cultures[0], "en-US") &&
	   same(etw_mf_text(manifest, manifest->providers[0].message), "text"),
	   "text without a string table counts as English");
	is(read_text("<instrumentation><events><provider name='P' symbol='P' guid='" GUID_TEXT
		     "'/></events></instrumentation>"), 0, "no namespace at all");
	ok(problems.warnings == 1 && strstr(problems.list[0].text, "no namespace"),
	   "is warned of once");
}

/* Irregularities that mc.exe accepts, found by its output */
static void check_lenient(void)
{
	static const uint8_t channels[] = { 21, 21, 23, 23, 8 };
	const struct etw_mf_provider *p;
	unsigned int i;

	if (!ok(!read_text(HEAD "<channels>"
			   "<channel name='N1' chid='I1' type='Debug' value='21'/>"
			   "<channel name='I1' chid='N1' type='Debug' value='22'/>"
			   "<channel name='I2' chid='N2' type='Debug' value='23'/>"
			   "<channel name='N2' chid='I2' type='Debug' value='24'/>"
			   "<importChannel name='System'/></channels>"
			   "<opcodes><opcode name='o' value='10' mofValue='3'/></opcodes>"
			   "<maps><bitMap name='b'><map value='0x0' message='$(string.s)'/></bitMap></maps>"
			   "<events><event value='0' channel='N1'/><event value='1' channel='I1'/>"
			   "<event value='2' channel='N2'/><event value='3' channel='I2'/>"
			   "<event value='4' channel='System' level='win:Error' message='$(string.s)'/></events>" TAIL) &&
		!problems.count, "crossed names, no chid, a bit map's 0, mofValue")) {
		show_problems();
		return;
	}
	p = manifest->providers;
	for (i = 0; i < 5; i++)
		is(p->events[i].desc.Channel, channels[i],
		   "the first channel of that name or chid");
	ok(p->maps[0].count == 1 && !p->maps[0].entries[0].value, "0 has a name");
}

int main(void)
{
	const struct etw_mf_provider *p;

	if (!ok(!read_text(whole) && !problems.count, "a manifest of all elements is read")) {
		show_problems();
		return done_testing();
	}
	is(manifest->provider_count, 2, "providers");
	p = manifest->providers;
	check_provider(p);
	check_channels(p);
	check_named(p);
	check_maps(p);
	check_template(p);
	check_events(p);
	check_rest(p);
	check_roots();
	check_lenient();
	read_end();
	return done_testing();
}
