// SPDX-License-Identifier: GPL-2.0-only
/*
 * tdh_kernel_filter - expressions run by the kernel: the same result as in user space, or
 * a refusal with the reason
 */
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "lib/pick.h"
#include "lib/tap.h"
#include "tdh/decode/decoder.h"
#include "tdh/expr/kernel_filter.h"
#include "tdh/store/store.h"

static const char manifest_text[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events>"
	"<provider name='Prov' symbol='P' resourceFileName='k' messageFileName='k'"
	" guid='{89abcdef-0001-0002-0102-030405060708}'>"
	"<levels><level name='Loud' symbol='LOUD' value='17'/></levels>"
	"<keywords><keyword name='Read' mask='0x1'/><keyword name='Write' mask='0x2'/></keywords>"
	"<tasks><task name='Disk' symbol='DISK' value='5'/></tasks>"
	"<maps><valueMap name='Op'><map value='0' message='$(string.Read)'/>"
	"<map value='1' message='$(string.Write)'/><map value='2' message='$(string.Twice)'/>"
	"<map value='3' message='$(string.Twice)'/><map value='255' message='$(string.Last)'/>"
	"</valueMap><valueMap name='Far'><map value='0xffffffff' message='$(string.Minus)'/>"
	"<map value='0x80000000' message='$(string.Low)'/></valueMap>"
	"<bitMap name='Bits'><map value='1' message='$(string.Read)'/>"
	"<map value='2' message='$(string.Write)'/><map value='4' message='$(string.Twice)'/>"
	"<map value='8' message='$(string.Twice)'/><map value='0x70' message='$(string.Group)'/>"
	"<map value='0x20' message='$(string.Last)'/><map value='0x80000000' message='$(string.Low)'/>"
	"</bitMap></maps>"
	"<templates><template tid='A'>"
	"<data name='Op' inType='win:UInt8' map='Op'/>"
	"<data name='Small' inType='win:Int8'/><data name='Big' inType='win:UInt64' map='Bits'/>"
	"<data name='Deep' inType='win:Int64' map='Far'/><data name='Done' inType='win:Boolean'/>"
	"<data name='Who' inType='win:GUID'/><data name='When' inType='win:FILETIME'/>"
	"<data name='Host' inType='win:UInt32' outType='win:IPv4'/>"
	"<data name='Port' inType='win:UInt16' outType='win:Port'/>"
	"<data name='Error' inType='win:Int32' outType='win:HResult'/>"
	"<data name='Wide' inType='win:UnicodeString'/>"
	"<data name='Narrow' inType='win:AnsiString'/>"
	"<struct name='In'><data name='Size' inType='win:UInt16'/></struct>"
	"<data name='Size' inType='win:UInt32'/>"
	"<data name='Ratio' inType='win:Double'/>"
	"<data name='List' inType='win:UInt8' count='2'/>"
	"<data name='Flags' inType='win:UInt32' map='Bits'/>"
	"<struct name='Parts' count='2'><data name='Size' inType='win:UInt8'/></struct>"
	"<data name='Behind' inType='win:UInt8'/>"
	"</template>"
	"<template tid='B'><data name='Count' inType='win:UInt16'/>"
	"<data name='Wide' inType='win:UnicodeString' length='Count'/>"
	"<data name='Size' inType='win:UInt32'/></template>"
	"<template tid='C'><data name='Count' inType='win:UInt8'/>"
	"<struct name='Many' count='Count'><data name='X' inType='win:UInt8'/></struct>"
	"<data name='Hidden' inType='win:UInt32'/></template></templates>"
	"<events><event value='1' symbol='Opened' name='Open' level='Loud' keywords='Read' template='A'/>"
	"<event value='2' symbol='Spun' task='Disk' level='win:Error' keywords='Write' template='B'/>"
	"<event value='2' version='1' symbol='Spun_V1' task='Disk' level='win:Error' template='A'/>"
	"<event value='3' symbol='Idle' level='win:Verbose'/>"
	"<event value='4' symbol='Hid' level='win:Error' template='C'/>"
	"</events></provider></events></instrumentation>"
	"<localization><resources culture='en-US'><stringTable>"
	"<string id='Read' value='read'/><string id='Write' value='Write it'/>"
	"<string id='Twice' value='twice'/><string id='Last' value='last'/>"
	"<string id='Minus' value='minus'/><string id='Low' value='low'/>"
	"<string id='Group' value='group'/>"
	"</stringTable></resources></localization></instrumentationManifest>";

static const GUID known = { 0x89abcdef, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const GUID other = { 0x12345678, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const GUID nobody = { 0x12345678, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 9 } };
#define OTHER	"12345678-0001-0002-0102-030405060708"
#define TIME	133000000000000000LL	/* 2022-06-18T04:26:40Z */

static const struct etw_mf_provider *provider;
static struct etw_decoder *decoder;

/* ------------------------------------------------------------------------ events */

struct event {
	EVENT_DESCRIPTOR desc;
	unsigned char payload[512];
	size_t len;
};

static void put(struct event *e, const void *data, size_t len)
{
	memcpy(e->payload + e->len, data, len);
	e->len += len;
}

static void put_number(struct event *e, uint64_t value, size_t len)
{
	put(e, &value, len);
}

static void put_wide(struct event *e, const char *text, bool end)
{
	for (; *text; text++)
		put_number(e, (unsigned char)*text, 2);
	if (end)
		put_number(e, 0, 2);
}

/* Few values, which the expressions also use */
static const char *const numbers[] = {
	"0", "1", "2", "3", "7", "127", "0xff", "-1", "-128", "255", "256", "65535", "4294967295",
	"-2147483648", "18446744073709551615", "9223372036854775807", "-9223372036854775808",
	"0.25K", "64K",
};
static const uint64_t values[] = {
	0, 1, 2, 3, 7, 127, 255, (uint64_t)-1, (uint64_t)-128, 256, 65535, 4294967295, 1ull << 31,
	INT64_MAX, 1ull << 63,
};
static const char *const texts[] = { "", "a", "log", "LOG", "var/log", "lo", "a log b", "~" };

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static uint64_t any_value(void)
{
	return values[pick(COUNT(values))];
}

static void put_a(struct event *e)
{
	static const uint64_t times[] = { 0, TIME, TIME + 1, TIME - 1, INT64_MAX, 1ull << 63 };
	static const double ratio = 0.5;
	const char *text = texts[pick(COUNT(texts))];

	put_number(e, any_value(), 1);
	put_number(e, any_value(), 1);
	put_number(e, any_value(), 8);
	put_number(e, any_value(), 8);
	put_number(e, any_value(), 4);
	put(e, pick(2) ? &other : &known, 16);
	put_number(e, times[pick(COUNT(times))], 8);
	put_number(e, pick(2) ? 0x0100007f : any_value(), 4);
	put_number(e, pick(2) ? 0x5000 : any_value(), 2);
	put_number(e, any_value(), 4);
	put_wide(e, texts[pick(COUNT(texts))], true);
	put(e, text, strlen(text) + 1);
	put_number(e, any_value(), 2);
	put_number(e, any_value(), 4);
	put(e, &ratio, 8);
	put(e, "\1\2", 2);
	put_number(e, any_value(), 4);
	put(e, "\3\4", 2);
	put_number(e, any_value(), 1);
}

static void make_event(struct event *e)
{
	static const EVENT_DESCRIPTOR descs[] = {
		{ .Id = 1, .Level = 17, .Keyword = 1 },
		{ .Id = 2, .Level = 2, .Task = 5, .Keyword = 2 },
		{ .Id = 2, .Version = 1, .Level = 2, .Task = 5 },
		{ .Id = 3, .Level = 5 },
	};
	const char *text;

	memset(e, 0, sizeof(*e));
	e->desc = descs[pick(COUNT(descs))];
	if (e->desc.Id == 1 || e->desc.Version) {
		put_a(e);
	} else if (e->desc.Id == 2) {
		text = texts[pick(COUNT(texts))];
		/* Half of the texts have NULs after them */
		put_number(e, strlen(text) + 2 * (pick(2)), 2);
		put_wide(e, text, false);
		if (e->payload[0] != strlen(text))
			put_number(e, 0, 4);
		put_number(e, any_value(), 4);
	}
}

/* ------------------------------------------------------------------ kernel and user space */

static bool kernel_passes(const struct etw_kernel_filter *filter, const void *program,
			  const struct event *e)
{
	const struct etw_event_descriptor desc = { .id = e->desc.Id, .version = e->desc.Version };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)e->payload, .size = e->len };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = ETW_TYPE_EVENT64 };
	unsigned int i = 0;

	if (filter->level && e->desc.Level > filter->level)
		return false;
	if (e->desc.Keyword ? filter->any && !(e->desc.Keyword & filter->any) :
			      filter->ignore_keyword0)
		return false;
	if (e->desc.Keyword && (e->desc.Keyword & filter->all) != filter->all)
		return false;
	while (i < filter->id_count && filter->ids[i] != e->desc.Id)
		i++;
	if (filter->ids_are != ETW_KERNEL_ALL_IDS &&
	    (i < filter->id_count) != (filter->ids_are == ETW_KERNEL_ONLY_IDS))
		return false;
	if (!program)
		return true;
	etw_record_measure(&source);
	return etw_payload_pass(program, &source, false);
}

static bool dump_passes(struct etw_expr *expr, const struct event *e)
{
	EVENT_RECORD record = {
		.EventHeader = { .ProviderId = known, .EventDescriptor = e->desc },
		.UserData = (void *)(uintptr_t)e->payload, .UserDataLength = (USHORT)e->len,
	};
	const struct etw_decoded *decoded;

	etw_decode(decoder, &record, &decoded);
	return etw_expr_match(expr, &record, decoded, decoder);
}

struct compiled {
	struct etw_expr *expr;
	struct etw_kernel_filter filter;
	struct etw_kernel_error error;
	uint64_t program[ETW_PAYLOAD_SIZE_MAX / 8];
	bool good;
};

static void compile_for(struct compiled *c, const char *text, const struct etw_kernel_schema *schema)
{
	struct etw_kernel_source source = { .text = text };
	const char *error = "";
	size_t column = 0;

	memset(c, 0, sizeof(*c));
	source.expr = c->expr = etw_expr_parse(text, &error, &column);
	if (!c->expr) {
		ok(false, "%s: column %zu: %s", text, column, error);
		return;
	}
	c->good = etw_kernel_filter_make(&source, 1, schema, &c->filter, &c->error);
	if (c->good && c->filter.program) {
		memcpy(c->program, c->filter.program, c->filter.size);
		if (etw_payload_load(c->program, c->filter.size))
			ok(false, "%s: the kernel refuses the program", text);
	}
}

static void compile(struct compiled *c, const char *text, const struct etw_mf_provider *of)
{
	const struct etw_kernel_schema schema = { .guid = of ? &known : &nobody,
						  .providers = { &of, of != NULL } };

	compile_for(c, text, &schema);
}

static void done(struct compiled *c)
{
	etw_expr_free(c->expr);
	free(c->filter.program);
}

static bool agree(struct compiled *c, const char *text, const struct event *e)
{
	const bool kernel = kernel_passes(&c->filter, c->filter.program ? c->program : NULL, e);

	if (dump_passes(c->expr, e) == kernel)
		return true;
	printf("# %s: event %u.%u: the kernel says %d\n", text, e->desc.Id, e->desc.Version, kernel);
	return false;
}

/* A fixed expression on events that give all of its results */
static void same(const char *text)
{
	unsigned int i, agreed = 0, passed = 0;
	struct compiled c;
	struct event e;

	compile(&c, text, provider);
	for (i = 0; c.good && i < 2000; i++) {
		make_event(&e);
		agreed += agree(&c, text, &e);
		passed += dump_passes(c.expr, &e);
	}
	ok(c.good && agreed == 2000 && passed && passed < 2000, "%s: %s%u of %u pass", text,
	   c.good ? "" : c.error.text, passed, i);
	done(&c);
}

static void test_same(void)
{
	static const char *const list[] = {
		"Op == read", "Op != 'Write IT'", "Op == twice", "Op != twice", "Op in (read, last, 7)",
		"Op not in (read, twice)", "Op > 1", "Op", "Small < 0", "Small in -128..-1",
		"Small not in (-1, 1..3)", "Small % 2", "Small == -1", "Big >= 9223372036854775807",
		"Deep < 0 && Deep != -9223372036854775808", "Done == true", "Done != true", "Done == 1",
		"!Done", "Who == " OTHER, "Who != {" OTHER "}", "Who in (" OTHER ")",
		"When == 2022-06-18T04:26:40Z", "When > 2022-06-18T04:26:40Z",
		"When >= 2022-06-18T04:26:40Z", "When < 2022-06-18T04:26:40Z",
		"When not in 2022-06-18T04:26:40Z..2022-06-19", "When in 2022-06-18..2022-06-19",
		"When > 7", "Host == 127.0.0.1", "Host != 127.0.0.1", "Host in (127.0.0.1, 7.0.0.0)",
		"Port == 80", "Port != 80", "Port in (80, 256)", "Port", "Error == 0xffffffff",
		"Error > 0x7fffffff", "Wide == Log", "Wide != log", "Wide contains LO",
		"Wide not contains lo", "Wide in (a, log)", "Wide not in ('', log)", "Wide", "not Wide",
		"Narrow == 'var/log'", "Narrow contains log", "In.Size == 7", "Size == 7",
		"exists(Op)", "not exists(Op)", "exists(In)", "exists(List)", "not exists(Op) || Op == 1",
		"id == 1", "id != 2 || version == 1", "id in 1..2", "not (id == 2 && Size == 7)",
		"event == Open", "event == disk && Size > 3", "event != Open && Size == 1",
		"level <= error", "level == Loud", "level <= 2 && Small < 3", "keyword & 1",
		"keyword & Read", "keyword & 3 && Size != 1", "keyword & 2 == 2", "task == Disk",
		"level <= error || Size == 7", "provider == prov && id == 3", "Behind == 7",
		"Size == 1 && (Small == 1 || Op == 1)", "Small == 1 || Op == 1 && Size == 1",
		"(Op == 1 || Small == 2 && Size != 3) && Behind != 7", "!(Op == 1 || Small in 1..3)",
		"Small == 1 && Small == 1", "Op == 1 || !(Op == 1)  && Size == 1",
		"Flags == read", "Flags != read", "Flags == 'READ|write it'", "Flags == 'read|Write it|twice'",
		"Flags in ('read|write it', low, 'read|write it|twice|group|twice')", "Flags == '0x100'",
		"Flags == 'group|read|write it|twice|twice'", "Flags not in ('read', 'write it')",
		"Flags == 'group|read|write it|twice|twice|0x80'", "Flags == 'low' || Flags == 'read'",
		"Big == 'read|write it|twice'", "Big == low", "Big != '0x100'",
		"Big == 'group|read|write it|twice|twice|low|0xffffffff7fffff80'",
		"Deep == minus", "Deep != minus", "Deep in (minus, -128, low)", "Error == ERROR_SUCCESS || Op == 1",
		"Error != S_OK", "Error in (S_FALSE, '0x1(s_false)', 0xff)",
		"Op in (0,1,2,3,7,127,255,9,10)", "Op not in (0,1,2,3,7,9,10,11,12)",
	};
	size_t i;

	for (i = 0; i < COUNT(list); i++)
		same(list[i]);
}

/* ---------------------------------------------------------------- random expressions */

static void add(char **to, const char *text)
{
	*to = stpcpy(*to, text);
}

static void random_list(char **to, const char *const *list, size_t count)
{
	unsigned int n = 1 + pick(3);

	add(to, "(");
	while (n--) {
		add(to, list[pick((uint32_t)count)]);
		if (n)
			add(to, ", ");
	}
	add(to, ")");
}

static void random_test(char **to)
{
	static const char *const fields[] = {
		"Op", "Small", "Big", "Deep", "Done", "When", "Port", "Error", "In.Size", "Size", "Behind",
	}, *const strings[] = { "Wide", "Narrow" }, *const quoted[] = {
		"''", "'a'", "log", "LOG", "'var/log'", "lo", "'~'", "'a log b'",
	}, *const ops[] = { " == ", " != ", " < ", " <= ", " > ", " >= ", " % " }, *const words[] = {
		"id == 1", "id in 2..3", "version != 1", "event == Open", "level <= 2", "level == Loud",
		"keyword & 1", "keyword & Write", "task == 5", "exists(Narrow)", "exists(Count)",
		"Op == read", "Op != twice", "Flags == 'read|write it'", "Big != low", "Who == " OTHER, "Host != 127.0.0.1", "Done == true",
		"When >= 2022-06-18T04:26:40Z", "Wide", "Size",
	};

	switch (pick(8)) {
	case 0:
	case 1:
		add(to, words[pick(COUNT(words))]);
		return;
	case 2:
		add(to, strings[pick(2)]);
		add(to, pick(2) ? " contains " : " not contains ");
		add(to, quoted[1 + pick(COUNT(quoted) - 1)]);
		return;
	case 3:
		add(to, strings[pick(2)]);
		add(to, pick(2) ? " in " : " not in ");
		random_list(to, quoted, COUNT(quoted));
		return;
	case 4:
		add(to, fields[pick(COUNT(fields))]);
		add(to, pick(2) ? " in " : " not in ");
		random_list(to, numbers, COUNT(numbers));
		return;
	case 5:
		add(to, strings[pick(2)]);
		add(to, pick(2) ? " == " : " != ");
		add(to, quoted[pick(COUNT(quoted))]);
		return;
	default:
		add(to, fields[pick(COUNT(fields))]);
		add(to, ops[pick(COUNT(ops))]);
		add(to, numbers[1 + pick(6)]);
	}
}

static void random_expression(char **to, unsigned int depth)
{
	unsigned int n, kind = pick(6);

	if (!depth || kind < 2) {
		random_test(to);
		return;
	}
	if (kind == 2)
		add(to, "not ");
	add(to, "(");
	random_expression(to, depth - 1);
	for (n = pick(3); n; n--) {
		add(to, pick(2) ? " && " : " || ");
		random_expression(to, depth - 1);
	}
	add(to, ")");
}

static void test_random(void)
{
	unsigned int i, j, taken = 0, differ = 0, passed = 0, programs = 0;
	struct compiled c;
	struct event e;
	char text[8192], *to;

	for (i = 0; i < 20000; i++) {
		to = text;
		random_expression(&to, 3);
		*to = '\0';
		compile(&c, text, provider);
		for (j = 0; c.good && j < 20; j++) {
			make_event(&e);
			differ += !agree(&c, text, &e);
			passed += dump_passes(c.expr, &e);
		}
		taken += c.good;
		programs += c.filter.program != NULL;
		done(&c);
	}
	is(differ, 0, "the kernel and etw dump agree on random expressions and events");
	ok(taken > 8000 && programs > 4000,
	   "of 20,000 expressions the kernel accepts %u, %u with a program",
	   taken, programs);
	ok(passed > taken && passed < 19 * taken, "%u of %u events pass", passed, 20 * taken);
}

/* Events without a description pass, unless their id excludes it. */
static void test_undescribed(void)
{
	static const struct {
		const char *text;
		bool passes, dump;
	} list[] = {
		{ "Size == 7", false, false }, { "not exists(Size) || Size == 7", true, true },
		{ "id != 1 || Op == 1", true, true }, { "id in 7..9", true, true },
		{ "id in 1..3", false, false }, { "not event == Open || Op == 1", true, true },
		{ "version == 3", true, false }, { "task == 5 || Size == 7", true, false },
		{ "level <= 2", false, false }, { "level <= 4", true, true },
	};
	struct event e = { .desc = { .Id = 9, .Level = 4 } };
	struct compiled c;
	size_t i;

	for (i = 0; i < COUNT(list); i++) {
		compile(&c, list[i].text, provider);
		ok(c.good && dump_passes(c.expr, &e) == list[i].dump &&
		   kernel_passes(&c.filter, c.filter.program ? c.program : NULL, &e) == list[i].passes,
		   "an event that the manifest lacks: %s", list[i].text);
		done(&c);
	}
}

/* If the payload ends before a field, all tests of that field fail. */
static void test_short(void)
{
	static const char *const texts_[] = { "Size == 7", "Size != 7", "Size in 0..9", "Size not in (7)" };
	struct event e = { .desc = { .Id = 2, .Level = 2, .Task = 5, .Keyword = 2 }, .payload = { 1, 0, 'a' },
			   .len = 6 };
	struct compiled c;
	size_t i;

	for (i = 0; i < COUNT(texts_); i++) {
		compile(&c, texts_[i], provider);
		ok(c.good && !kernel_passes(&c.filter, c.program, &e) && !dump_passes(c.expr, &e),
		   "a payload that is too short: %s", texts_[i]);
		done(&c);
	}
}

/* ------------------------------------------------------------------------ refusals */

static void wrong_for(const struct etw_mf_provider *of, const char *text, size_t column,
		      const char *part)
{
	struct compiled c;

	compile(&c, text, of);
	if (!ok(c.expr && !c.good && c.error.column == column && strstr(c.error.text, part),
		"%s: %s", text, part))
		printf("# column %zu: %s\n", c.error.column, c.error.text);
	done(&c);
}

static void wrong(const char *text, size_t column, const char *part)
{
	wrong_for(provider, text, column, part);
}

static void test_refused(void)
{
	wrong("Size == 1 && Wide startswith x", 14,
	      "the kernel cannot test Wide startswith x, because");
	wrong("Wide =~ 'x'", 1, "filter it with etw dump --filter");
	wrong("Wide matches 'x*'", 1, "the kernel cannot test Wide matches 'x*'");
	wrong("Wide > x", 1, "the kernel cannot test");
	wrong("Wide in a..b", 1, "no ranges of texts");
	wrong("Flags & 1", 1, "single bits");
	wrong("Flags & 6 == 2", 1, "single bits");
	wrong("Flags == reed", 10, "Flags has no value reed; did you mean read?");
	wrong("Flags == 'read|wrong'", 10, "Flags has no value 'read|wrong'; it has 1 read, 2 Write it");
	wrong("Flags == 'read|read'", 10, "Flags has no value");
	wrong("Flags > read", 9, "is not a number");
	wrong("Error == E_FALI", 10, "Error has no value E_FALI; did you mean E_FAIL?");
	wrong("Error == green", 10, "it has names of common errors only");
	wrong("pid == 4", 1, "the kernel cannot test pid == 4");
	wrong("id == 1 && time > 2022-01-01", 12, "the kernel cannot test time > 2022-01-01");
	wrong("process == sh", 1, "the kernel cannot test");
	wrong("Ratio > 0", 1, "no such type");
	wrong("List == 1", 1, "arrays");
	wrong("List[1] == 1", 1, "one field");
	wrong("Parts.Size == 1", 1, "arrays");
	wrong("* contains x", 1, "one field");
	wrong("Size contains 1", 1, "this is a number");
	wrong("Size < 1.5", 1, "whole numbers");
	wrong("id % 2", 1, "only compares ids");
	wrong("not Small % 2", 13, "not a multiple");
	wrong("Port < 80", 1, "ports");
	wrong("Host == x", 9, "not an IPv4 address");
	wrong("Who == x", 8, "is not a GUID");
	wrong("Who < x", 1, "for GUIDs");
	wrong("Small == 128", 10, "128 is out of range, which is -128 to 127");
	wrong("Size == -1", 9, "-1 is out of range, which is 0 to 4294967295");
	wrong("Size in 5..3", 9, "upside down");
	wrong("Size == x", 9, "x is not a number");
	wrong("Done > true", 8, "no order");
	wrong("Op == green", 7, "Op has no value green; it has 0 read, 1 Write it");
	wrong("Wide contains ''", 15, "texts of 1 to 255");
	wrong("Nothing == 1", 1, "no event of Prov has a field Nothing");
	wrong("Size == 1 && Other", 14, "no event of Prov has a field Other");
	wrong("Hidden == 1", 11, "cannot reach Hidden");
	wrong("id == 1 && Count == 1", 0, "no event of the provider can pass");
	wrong("event == Closed", 0, "no event of the provider can pass");
	wrong("id not in 100..200 && id not in 300..400", 0, "at most 64 ids");
	wrong("Size in (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", 0, "at most 16 tests");
	wrong_for(NULL, "Size == 1", 1, "no manifest of the provider");
	wrong_for(NULL, "task == 1", 1, "no manifest describes");
	wrong_for(NULL, "event == Open", 1, "no manifest describes");
}

/* The kernel's own level and keywords, without a manifest */
static void test_header(void)
{
	struct compiled c;

	compile(&c, "level <= warning && keyword & 6 && keyword & 8 && id == 5", NULL);
	ok(c.good && c.filter.level == 3 && c.filter.any == 6 && c.filter.all == 8 &&
	   c.filter.ignore_keyword0 && !c.filter.program, "level and keywords");
	ok(c.filter.ids_are == ETW_KERNEL_ONLY_IDS && c.filter.id_count == 1 && c.filter.ids[0] == 5,
	   "and ids");
	done(&c);
	compile(&c, "level < 3 && id not in (7, 9..11)", NULL);
	ok(c.good && c.filter.level == 2 && c.filter.ids_are == ETW_KERNEL_NOT_IDS &&
	   c.filter.id_count == 4 && c.filter.ids[3] == 11, "all but some ids");
	done(&c);
}

/* Two providers of one event each: every one gets a filter, and one of them has the field. */
static void test_only_event(void)
{
	struct etw_mf_event events[] = { provider->events[1], provider->events[3] };
	struct event has = { .desc = events[0].desc }, lacks = { .desc = events[1].desc };
	struct etw_kernel_schema both = { .guid = &nobody, .events = events, .event_count = 2 };
	struct etw_kernel_schema one = { .guid = &nobody, .event_count = 1, .only_event = true };
	struct etw_kernel_source source = { .expr = NULL };
	struct etw_kernel_filter filter = { .program = NULL };
	struct etw_kernel_error error;
	const char *message = "";
	size_t column = 0;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		source.text = i ? "Count == 3" : "Count == 3 || Cuont == 3";
		source.expr = etw_expr_parse(source.text, &message, &column);
		is(etw_kernel_filter_check(&source, 1, &both, &error), i,
		   i ? "one of the two events has the field" : "none has the other one");
		if (i)
			break;
		ok(strstr(error.text, "has a field Cuont"), "which the error names: %s", error.text);
		etw_expr_free(source.expr);
	}
	memcpy(has.payload, "\3\0a\0b\0c\0\1\0\0\0", 12);
	has.len = 12;
	for (i = 0; i < 2; i++) {
		one.events = &events[i];
		ok(etw_kernel_filter_make(&source, 1, &one, &filter, &error) && filter.program &&
		   !etw_payload_load(filter.program, filter.size) &&
		   filter.ids_are == ETW_KERNEL_ALL_IDS, "a filter for event %u", i);
		is(kernel_passes(&filter, filter.program, i ? &lacks : &has), !i,
		   i ? "the event without the field fails" : "the event with it passes");
		free(filter.program);
	}
	etw_expr_free(source.expr);
}

/* A trace event's fields, whose names are in a manifest of their own, and in no manifest */
static void test_value_names(void)
{
	static const char text[] =
		"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
		" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
		"<instrumentation><events><provider name='N' symbol='N' resourceFileName='' messageFileName=''"
		" guid='{89abcdef-0001-0002-0102-030405060709}'>"
		"<maps><bitMap name='state'><map value='1' message='S'/><map value='2' message='D'/>"
		"<map value='0' message='R'/></bitMap></maps><templates><template tid='t'>"
		"<data name='state' inType='win:Int64' map='state'/></template></templates>"
		"<events><event value='0' symbol='E' template='t'/></events>"
		"</provider></events></instrumentation></instrumentationManifest>";
	static const struct etw_mf_field fields[] = {
		{ .name = "state", .in_type = TDH_INTYPE_INT64, .count = 1 },
		{ .name = "ret", .in_type = TDH_INTYPE_INT64, .count = 1 },
	};
	static const struct etw_mf_template template = { .fields = fields, .count = 2, .top = 2 };
	static const struct {
		const char *text;
		int64_t state, ret;
		bool passes;
	} list[] = {
		{ "state == D", 2, 0, true }, { "state == D", 1, 0, false }, { "state == 'S|D'", 3, 0, true },
		{ "state == R", 0, 0, true }, { "state != R && ret == ENOENT", 1, -2, true },
		{ "state != R && ret == ENOENT", 1, 2, false }, { "ret in (EAGAIN, EINTR)", 0, -11, true },
	};
	const struct etw_mf_event event = { .template = &template };
	struct etw_kernel_schema schema = { .guid = &nobody, .events = &event, .event_count = 1,
					    .only_event = true };
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;
	struct etw_value_names names;
	struct compiled c;
	struct event e;
	size_t i;

	is(etw_manifest_read_memory(text, sizeof(text) - 1, "names", &manifest, &problems), 0, "names");
	etw_value_names_take(&names, "tracepoint:syscalls:sys_exit_open", manifest);
	etw_manifest_put(manifest);
	schema.value_names = &names;
	for (i = 0; i < COUNT(list); i++) {
		compile_for(&c, list[i].text, &schema);
		memset(&e, 0, sizeof(e));
		put_number(&e, (uint64_t)list[i].state, 8);
		put_number(&e, (uint64_t)list[i].ret, 8);
		ok(c.good && c.filter.program && kernel_passes(&c.filter, c.program, &e) == list[i].passes,
		   "%s: %d%s", list[i].text, list[i].passes, c.good ? "" : c.error.text);
		done(&c);
	}
	compile_for(&c, "ret == ENONET", &schema);
	ok(c.good, "an error of no system call");
	done(&c);
	compile_for(&c, "ret == ENOENTT", &schema);
	ok(!c.good && strstr(c.error.text, "did you mean ENOENT?"), "a wrong one: %s", c.error.text);
	done(&c);
	etw_value_names_put(&names);
	etw_problems_free(&problems);
}

int main(void)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;

	setenv("TZ", "UTC", 1);
	setenv("HOME", "/nonexistent", 1);
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	if (etw_manifest_read_memory(manifest_text, sizeof(manifest_text) - 1, "test", &manifest,
				     &problems) || etw_store_add(manifest)) {
		printf("# %s\n", problems.count ? problems.list[0].text : "");
		return 1;
	}
	provider = &manifest->providers[0];
	decoder = etw_decoder_new();
	test_same();
	test_random();
	test_undescribed();
	test_short();
	test_refused();
	test_header();
	test_only_event();
	test_value_names();
	etw_decoder_free(decoder);
	etw_store_remove(manifest);
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	return done_testing();
}
