// SPDX-License-Identifier: MIT
/* tdh_exprnames - expressions find named values of manifests by name, in any language */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "tdh/expr/expr.h"
#include "tdh/manifest/manifest.h"
#include "tdh/store/store.h"

#define STRINGS(culture, more)								\
	"<resources culture='" culture "'><stringTable>"				\
	"<string id='K' value='" more "Requests that complete'/>"			\
	"<string id='T' value='" more "The disk'/><string id='L' value='" more "Shouted'/>"	\
	"<string id='O' value='" more "It spins'/><string id='C' value='" more "Log of all'/>"	\
	"</stringTable></resources>"

static const char text[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events>"
	"<provider name='P' symbol='P' resourceFileName='k' messageFileName='k'"
	" guid='{89abcdef-0001-0002-0102-030405060708}'>"
	"<channels><channel name='P/Operational' chid='ops' symbol='CH_OPS' type='Operational'"
	" value='16' message='$(string.C)'/></channels>"
	"<levels><level name='Loud' symbol='LV_LOUD' value='17' message='$(string.L)'/></levels>"
	"<tasks><task name='Disk' symbol='TASK_DISK' value='5' message='$(string.T)'/></tasks>"
	"<opcodes><opcode name='Spin' symbol='OP_SPIN' value='20' message='$(string.O)'/></opcodes>"
	"<keywords><keyword name='Complete' symbol='KW_COMPLETE' mask='0x2'"
	" message='$(string.K)'/></keywords>"
	"<events>"
	"<event value='1' task='Disk' opcode='Spin' level='Loud' keywords='Complete' channel='ops'/>"
	"<event value='2' task='Disk' opcode='win:Stop' level='win:Error'/>"
	"</events></provider></events></instrumentation><localization>"
	STRINGS("en-US", "") STRINGS("de-DE", "de: ") "</localization></instrumentationManifest>";

static EVENT_RECORD record = {
	.EventHeader.ProviderId = { 0x89abcdef, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 8 } },
};
static struct etw_decoder *decoder;
static const struct etw_decoded *decoded;

static bool match(const char *what)
{
	const char *error = NULL;
	size_t column = 0;
	struct etw_expr *expr = etw_expr_parse(what, &error, &column);
	bool holds = expr && etw_expr_match(expr, &record, decoded, decoder);

	if (!expr)
		printf("# %s: column %zu: %s\n", what, column, error);
	etw_expr_free(expr);
	return holds;
}

static void check(const char *const *texts, bool want)
{
	for (; *texts; texts++)
		ok(match(*texts) == want, "%s: %s", want ? "holds" : "does not", *texts);
}

static const char *const of_own[] = {
	"keyword & Complete", "keyword == complete", "keyword in (nope, Complete)",
	"keyword & KW_COMPLETE", "keyword startswith compl", "keyword =~ '^Complete$'",
	"keyword & ops", "keyword & 'P/Operational'",
	"opcode == Spin", "opcode == OP_SPIN", "opcode in (1, spin)", "opcode in (20, nope)",
	"task == disk", "task == TASK_DISK", "task matches 'D?sk'", "task in (4, 5..6, x)",
	"level == Loud", "level == LV_LOUD", "level in (error, loud)",
	"channel == P/Operational", "channel == ops", "channel == CH_OPS",
	"task not contains nope", "task != Disc", "opcode == 20", "level >= 17", NULL
};

static const char *const not_own[] = {
	"keyword != Complete", "keyword & Comp", "opcode != spin", "opcode == win:Spin",
	"opcode not in (spin)", "task not contains isk", "task != TASK_DISK", "task == dis",
	"level != loud", "level == error", "channel != ops", "keyword & win:Complete", NULL
};

static const char *const of_windows[] = {
	"opcode == win:Stop", "opcode == Stop", "opcode matches 'win:*'", "level == error",
	"level == win:Error", "level startswith win:", "level matches err*", NULL
};

static const char *const not_windows[] = {
	"opcode != win:Stop", "opcode == win:Start", "level == win:Warning", "opcode != stop",
	"channel == ops", "channel != ops", "keyword & Complete", NULL
};

static const char *const english[] = {
	"keyword & 'Requests that complete'", "opcode == 'it spins'", "task == 'The disk'",
	"level == Shouted", "channel == 'Log of all'", NULL
};

static const char *const german[] = {
	"keyword & 'de: Requests that complete'", "opcode == 'de: it spins'",
	"task == 'de: The disk'", "level == 'de: Shouted'", "channel == 'de: Log of all'", NULL
};

static void take(USHORT id, UCHAR level, UCHAR opcode, ULONGLONG keyword, UCHAR channel)
{
	record.EventHeader.EventDescriptor = (EVENT_DESCRIPTOR){
		.Id = id, .Level = level, .Opcode = opcode, .Task = 5, .Keyword = keyword,
		.Channel = channel,
	};
	etw_decode(decoder, &record, &decoded);
}

static void test_language(const char *language, const char *const *own, const char *const *other)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest;
	USHORT id;

	setenv("LC_ALL", language, 1);
	if (etw_manifest_read_memory(text, sizeof(text) - 1, "test", &manifest, &problems) ||
	    etw_store_add(manifest)) {
		printf("# %s\n", problems.count ? problems.list[0].text : "");
		abort();
	}
	etw_problems_free(&problems);
	decoder = etw_decoder_new();
	/* For the second event only the provider is known. */
	for (id = 1; id <= 9; id += 8) {
		take(id, 17, 20, 0x8000000000000002, 16);
		printf("# %s, event %u\n", language, id);
		check(of_own, true);
		check(not_own, false);
		check(own, true);
		check(other, false);
	}
	for (id = 2; id <= 9; id += 7) {
		take(id, 2, 2, 0, 0);
		check(of_windows, true);
		check(not_windows, false);
	}
	etw_decoder_free(decoder);
	etw_store_remove(manifest);
	etw_manifest_put(manifest);
}

/* Without a schema the standard names are available. */
static void test_standard(void)
{
	decoder = etw_decoder_new();
	take(2, 2, 2, 0, 0);
	check(of_windows, true);
	check(not_windows, false);
	etw_decoder_free(decoder);
}

/* With opcode 1, the event is shown as "Work/Start". */
static void test_tracelogging(void)
{
	static const char *const holds[] = {
		"event == Work", "event == Work/Start", "event in (Other, Work)", "event =~ '^Work/S'",
		"event != Works", "event matches 'w*k'", "event not in (Works)",
		"event endswith start", NULL
	};
	static const char *const fails[] = {
		"event != Work", "event != Work/Start", "event not in (Work)", "event == Start",
		"event not contains ork", "event == Work/Stop", NULL
	};
	static const char meta[] = { 8, 0, 0, 'W', 'o', 'r', 'k', 0 };
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL,
		.DataSize = sizeof(meta), .DataPtr = (uintptr_t)meta,
	};

	decoder = etw_decoder_new();
	record.ExtendedData = &item;
	record.ExtendedDataCount = 1;
	take(0, 4, 1, 0, 11);
	check(holds, true);
	check(fails, false);
	take(0, 4, 0, 0, 11);
	ok(match("event == Work") && !match("event == Work/Info"), "opcode 0 adds nothing");
	record.ExtendedDataCount = 0;
	etw_decoder_free(decoder);
}

/* Classic events have no task; their class is shown in its place. */
static void test_classic(void)
{
	static const char *const holds[] = {
		"event == Process/DCStart", "event startswith process/", NULL
	};
	static const char *const fails[] = { "event != Process/DCStart", "event == Process", NULL };
	const GUID before = record.EventHeader.ProviderId;

	decoder = etw_decoder_new();
	record.EventHeader.ProviderId = (GUID){ 0x3d6fa8d0, 0xfe05, 0x11d0,
						{ 0x9d, 0xda, 0, 0xc0, 0x4f, 0xd7, 0xba, 0x7c } };
	record.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER;
	record.EventHeader.EventDescriptor = (EVENT_DESCRIPTOR){ .Version = 2, .Opcode = 3 };
	etw_decode(decoder, &record, &decoded);
	check(holds, true);
	check(fails, false);
	record.EventHeader.ProviderId = before;
	record.EventHeader.Flags = 0;
	etw_decoder_free(decoder);
}

int main(void)
{
	test_tracelogging();
	test_classic();
	test_standard();
	test_language("C", english, german);
	test_language("de_DE.UTF-8", german, english);
	return done_testing();
}
