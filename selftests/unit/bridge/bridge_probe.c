// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge_probe - the names of probes, of their events, and what their events consist of
 */
#include <errno.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "bridge/probe_args.h"
#include "bridge/probe_events.h"
#include "bridge/probe_spec.h"
#include "bridge/trace_schema.h"
#include "lib/tap.h"

static struct probe_spec spec;
static char why[PROBE_TEXT];

static int is_spec(const char *text, enum probe_kind kind, const char *path, const char *provider,
		   const char *symbol, unsigned long long offset)
{
	return probe_spec_parse(text, &spec, why) && spec.kind == kind &&
	       !strcmp(spec.path, path) && !strcmp(spec.provider, provider) &&
	       !strcmp(spec.symbol, symbol) && spec.offset == offset;
}

static int is_refused(const char *text, const char *because)
{
	return !probe_spec_parse(text, &spec, why) && strstr(why, because);
}

static void names(void)
{
	char name[2 * PROBE_TEXT];

	ok(is_spec("kprobe:vfs_read", PROBE_KPROBE, "", "", "vfs_read", 0), "kprobe");
	ok(is_spec("kprobe:f+0x1c", PROBE_KPROBE, "", "", "f", 0x1c), "an offset");
	ok(is_spec("kretprobe:f.isra.0", PROBE_KRETPROBE, "", "", "f.isra.0", 0), "kretprobe");
	ok(is_spec("uprobe:/bin/sh:main+8", PROBE_UPROBE, "/bin/sh", "", "main", 8), "uprobe");
	ok(is_spec("uretprobe:libc:malloc", PROBE_URETPROBE, "libc", "", "malloc", 0), "uretprobe");
	ok(is_spec("usdt:/x:a:b", PROBE_USDT, "/x", "a", "b", 0), "usdt");
	ok(is_spec("usdt:/x", PROBE_USDT, "/x", "*", "*", 0) && probe_spec_is_pattern(&spec),
	   "what is missing is any");
	ok(is_spec("uprobe:/x:", PROBE_UPROBE, "/x", "", "*", 0), "the same of a function");
	ok(is_refused("kprobe:", "function is missing"), "no function");
	ok(is_refused("usdt::a:b", "file is missing"), "no file");
	ok(is_refused("kprobe:f+x", "not a number"), "an offset that is not a number");
	ok(is_refused("kprobe:f+-1", "not a number"), "a negative offset");
	ok(is_refused("kprobe:f+99999999999999999999", "not a number"), "one that is too large");
	ok(is_refused("kretprobe:f+1", "only possible for"), "an offset of a return");
	ok(is_refused("kprobe:vfs_*+4", "not possible with a pattern"), "an offset of a pattern");
	ok(is_refused("kprobe:f(a", "is missing at the end"), "fields without an end");
	ok(is_refused("kprobe:f+4(a)", "begin and return"), "fields at an offset");
	ok(is_refused("usdt:a:b:c(d)", "its own arguments"), "fields of a static probe");
	ok(is_refused("kprobe:a:b", "more than the 1 part"), "too many parts");
	ok(is_spec("kprobe:f(a->b[2], c.d)", PROBE_KPROBE, "", "", "f", 0) && spec.has_fields &&
	   !strcmp(spec.fields, "a->b[2], c.d") && !probe_spec_is_pattern(&spec), "fields");
	ok(probe_spec_name(&spec, name, sizeof(name)) && !strcmp(name, "kprobe:f(a->b[2], c.d)"),
	   "are part of the name");
	ok(is_spec("uretprobe:/x:f*()", PROBE_URETPROBE, "/x", "", "f*", 0) && spec.has_fields &&
	   !*spec.fields && probe_spec_is_pattern(&spec), "no fields, of a pattern");
	ok(probe_named("usdt:") && !probe_named("tracepoint:a:b") && !probe_named("Sample-Block"),
	   "which names are those of probes");
}

static void ends(void)
{
	ok(!strcmp(probe_name_end("kprobe:f"), ""), "the whole text");
	ok(!strcmp(probe_name_end("kprobe:f:info"), ":info"), "a level behind a function");
	ok(!strcmp(probe_name_end("kprobe:f(a->b):info"), ":info"), "and behind fields");
	ok(!strcmp(probe_name_end("uprobe:/x:f:5:0x1"), ":5:0x1"), "behind a program's");
	ok(!strcmp(probe_name_end("usdt:/x:a:b:info"), ":info"), "behind a static probe");
	ok(!strcmp(probe_name_end("usdt:/x"), ""), "of a file alone");
}

static void long_names(void)
{
	char text[2 * PROBE_TEXT] = "kprobe:", name[PROBE_TEXT];

	memset(text + 7, 'x', sizeof(text) - 8);
	ok(is_refused(text, "too long"), "a name that is too long");
	ok(is_spec("uprobe:/x:f+16", PROBE_UPROBE, "/x", "", "f", 16) &&
	   probe_spec_name(&spec, name, sizeof(name)) && !strcmp(name, "uprobe:/x:f+0x10"),
	   "a name is made of its parts");
	ok(!probe_spec_name(&spec, name, 8), "if there is room");
}

static void events(void)
{
	const struct etw_guid guid = ETW_GUID(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	char a[PROBE_EVENT_SIZE], b[PROBE_EVENT_SIZE];
	struct etw_guid found;

	probe_event_name(&guid, "a.very-long_function_name_that_is_cut", "x", a);
	probe_event_name(&guid, "a.very-long_function_name_that_is_cut", "y", b);
	ok(strlen(a) < PROBE_EVENT_SIZE && !strncmp(a, "pa_very_long_function", 20), "%s", a);
	ok(strcmp(a, b), "another definition is another event");
	ok(probe_event_provider(a, &found) && !memcmp(&found, &guid, sizeof(guid)),
	   "the provider is in the name");
	ok(!probe_event_provider("myprobe", &found) && !probe_event_provider("p_1234", &found),
	   "other names are another tool's");
	memset(a + strlen(a) - 40, 'g', 2);
	ok(!probe_event_provider(a, &found), "digits that are none");
}

#define FORMAT								\
	"name: p_x\nID: 9\nformat:\n"					\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"	\
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"	\
	"\tfield:u8 yes;\toffset:16;\tsize:1;\tsigned:0;\n"		\
	"\tfield:u64 file;\toffset:17;\tsize:8;\tsigned:0;\n"		\
	"\tfield:s32 dfd;\toffset:25;\tsize:4;\tsigned:1;\n"		\
	"\tfield:__data_loc char[] name;\toffset:29;\tsize:4;\tsigned:1;\n"	\
	"\nprint fmt: \"(%lx)\", REC->__probe_ip\n"

static void schema(void)
{
	static const struct probe_args args = {
		.list = { { "yes", "", TlgOutBOOLEAN }, { "file", "", TlgOutHEX }, { "dfd", "", 0 },
			  { "name", "", TlgOutUTF8 } },
		.count = 4,
	};
	static const char expected[] =
		"\0sys_enter_x\0" "yes\0\x84\x03" "file\0\x8a\x04" "dfd\0\x07" "name\0\x97\x23";
	static struct trace_schema s;

	is(trace_schema_parse_probe(FORMAT, strlen(FORMAT), "sys_enter_x", &args, &s), 0,
	   "the format of a probe");
	is(s.id, 9, "its id");
	is(s.metadata_len, 2 + sizeof(expected) - 1, "the size of the metadata");
	ok(TlgInUINT8 == 4 && TlgInUINT64 == 10 && TlgInINT32 == 7 && TlgOutBOOLEAN == 3 &&
	   TlgOutHEX == 4 && !memcmp(s.metadata + 2, expected, 20),
	   "fields have the types of the arguments, and none says where the probe is");
	ok(s.piece_count == 2 && s.pieces[0].offset == 16 && s.pieces[0].size == 13 &&
	   s.pieces[1].kind == ETW_TRACE_TEXT_AT, "and the parts of the record");
}

int main(void)
{
	names();
	ends();
	long_names();
	events();
	schema();
	return done_testing();
}
