/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_names.c - names from manifests on the command line: levels, keywords, events, and
 * fields in expressions; and how many providers are counted
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/tap.h"
#include "cli/cli.h"
#include "cli/provider_counts.h"
#include "cli/request/enable_request.h"
#include "cli/schema.h"
#include "core/payload.h"
#include "base/guid.h"

#define DECODE	"89abcdef-0001-0002-0102-030405060708"
/* CONTROL enables the provider; its name ends with the decode GUID. */
#define NAME	"Names.89abcdef000100020102030405060708"
#define CONTROL	"89abcdef-0001-0002-0102-030405060709"

static const char manifest[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events>"
	"<provider name='" NAME "' symbol='NAMES' resourceFileName='n' messageFileName='n'"
	" guid='{" DECODE "}' controlGuid='{" CONTROL "}'>"
	"<levels><level name='Loud' symbol='LEVEL_LOUD' value='17'/></levels>"
	"<keywords><keyword name='Read' symbol='K_READ' mask='0x1'/>"
	"<keyword name='Write' mask='0x20'/></keywords>"
	"<tasks><task name='Disk' symbol='TASK_DISK' value='5'/>"
	"<task name='Order-In/Out' value='6' message='$(string.order)'><opcodes>"
	"<opcode name='Paid' symbol='OP_PAID' value='11'/></opcodes></task></tasks>"
	"<maps><valueMap name='Colors'><map value='1' message='$(string.red)'/>"
	"<map value='2' message='$(string.blue)'/><map value='3' message='$(string.seven)'/>"
	"<map value='4' message='$(string.twice)'/><map value='5' message='$(string.twice)'/>"
	"</valueMap></maps>"
	"<templates>"
	"<template tid='Flat'><data name='Size' inType='win:UInt32'/>"
	"<data name='Mask' inType='win:HexInt32'/>"
	"<data name='Path' inType='win:UnicodeString'/></template>"
	"<template tid='Deep'><data name='Count' inType='win:UInt16'/>"
	"<data name='Bytes' inType='win:Binary' length='Count'/>"
	"<struct name='Pair'><data name='A' inType='win:UInt8'/>"
	"<data name='B' inType='win:UInt8'/></struct>"
	"<data name='Address' inType='win:Binary' outType='win:IPv6'/>"
	"<data name='Size' inType='win:UInt32'/></template>"
	"<template tid='Many'><data name='Count' inType='win:UInt8'/>"
	"<data name='List' inType='win:UInt16' count='Count'/>"
	"<data name='Size' inType='win:UInt32'/>"
	"<struct name='Pairs' count='2'><data name='A' inType='win:UInt8'/></struct>"
	"<data name='Last' inType='win:UInt8'/></template>"
	"<template tid='Paint'><data name='Color' inType='win:UInt8' map='Colors'/></template>"
	"</templates>"
	"<events><event value='1' symbol='Opened' name='Open' template='Flat'/>"
	"<event value='1' version='1' symbol='Opened_V1' name='Open' template='Deep'/>"
	"<event value='2' symbol='Spun' task='Disk' template='Many'/>"
	"<event value='3' symbol='Stopped' task='Disk'/>"
	"<event value='4' symbol='Paid' task='Order-In/Out' opcode='Paid' template='Paint'/>"
	"<event value='5' symbol='Begun' task='Disk' opcode='win:Start'/>"
	"</events></provider></events></instrumentation>"
	"<localization><resources culture='en-US'><stringTable>"
	"<string id='order' value='Our orders'/><string id='red' value='Red'/>"
	"<string id='blue' value='Dark \"blue\"'/><string id='seven' value='7'/>"
	"<string id='twice' value='Twice'/>"
	"</stringTable></resources></localization></instrumentationManifest>";

static const struct etw_mf_provider *provider;
static struct etw_providers providers;

static void test_names(void)
{
	uint64_t mask = 0, level = 0;

	ok(schema_value(&providers, ETW_PART_LEVEL, "loud", &level) && level == 17, "a level of its own");
	ok(schema_value(&providers, ETW_PART_LEVEL, "LEVEL_LOUD", &level) && level == 17, "by its symbol");
	ok(schema_value(&providers, ETW_PART_LEVEL, "win:Error", &level) && level == 2, "a standard one");
	ok(schema_value(&providers, ETW_PART_LEVEL, "Verbose", &level) && level == 5, "without its prefix");
	ok(!schema_value(&providers, ETW_PART_LEVEL, "Quiet", &level) && level == 5, "none");
	ok(schema_value(&providers, ETW_PART_KEYWORD, "READ", &mask) && mask == 1, "a keyword");
	ok(schema_value(&providers, ETW_PART_KEYWORD, "k_read", &mask) && mask == 1, "by its symbol");
	ok(schema_value(&providers, ETW_PART_KEYWORD, "Write", &mask) && mask == 0x20, "another one");
	ok(!schema_value(&providers, ETW_PART_KEYWORD, "Seek", &mask) && mask == 0x20, "none");
}

/* The ids and versions of the events of a name, as id.version,... */
static void events(const char *name, const char *want)
{
	const struct etw_mf_event *event = NULL;
	char got[64] = "";

	while ((event = schema_event(&providers, name, event)) && strlen(got) < 48)
		sprintf(got + strlen(got), "%u.%u,", event->desc.Id, event->desc.Version);
	ok(!strcmp(got, want), "%s: %s", name, got);
}

static void test_events(void)
{
	events("Open", "1.0,1.1,");
	events("open", "1.0,1.1,");
	events("Opened", "1.0,");
	events("Opened_V1", "1.1,");
	events("Disk", "2.0,3.0,5.0,");
	events("Disk/Start", "5.0,");
	events("disk/win:start", "5.0,");
	events("Disk/Stop", "");
	events("Order-In/Out", "4.0,");
	events("Order-In/Out/Paid", "4.0,");
	events("Our orders/OP_PAID", "4.0,");
	events("Our orders", "4.0,");
	events("Our orders/", "");
	events("TASK_DISK", "2.0,3.0,5.0,");
	events("Spun", "2.0,");
	events("Closed", "");
}

static void test_providers(void)
{
	struct etw_guid decode, control, guid;

	etw_guid_parse(DECODE, &decode);
	etw_guid_parse(CONTROL, &control);
	ok(schema_provider(&control) == provider, "the same by the GUID that enables it");
	ok(!strcmp(schema_provider_name(&decode), NAME), "its name");
	control.data1++;
	ok(!schema_provider(&control) && !schema_provider_name(&control), "none");
	is(schema_find_name("names.89ABCDEF000100020102030405060708", &guid), 1, "by its name");
	ok(schema_provider(&guid) == provider, "the same");
	is(schema_find_name("Other", &guid), 0, "an unknown name");
}

static unsigned int late;

/* Take an option of etw enable; late counts those that wait for the manifest. */
static void take(struct enable_request *r, int option, const char *value)
{
	ok(enable_request_take(r, option, (char *)value), "%s", value);
	late = r->late_count;
}

static void test_options(void)
{
	struct enable_request *r = calloc(1, sizeof(*r));
	const struct filter_ids *ids = &r->filters.ids;
	struct etw_guid guid;

	memcpy(&guid, &provider->guid, sizeof(guid));
	enable_request_init(r);
	take(r, ENABLE_OPT_LEVEL, "error");
	is(r->enable.level, 2, "the command's own names take precedence");
	take(r, ENABLE_OPT_LEVEL, "200");
	is(r->enable.level, 200, "a number");
	take(r, ENABLE_OPT_ALL, "ff,1");
	is(r->enable.all, 0xff, "digits that are letters");
	take(r, ENABLE_OPT_KEYWORD, "0x10");
	is(r->enable.any, 0x10, "a mask as a keyword");
	r->enable.any = 0;
	take(r, ENABLE_OPT_STACK_ID, "1,2-3");
	is(r->filters.stack_ids.ids.count, 3, "a range of ids");
	is(late, 0, "no names so far");
	take(r, ENABLE_OPT_LEVEL, "Loud");
	take(r, ENABLE_OPT_KEYWORD, "read,WRITE,0x100");
	take(r, ENABLE_OPT_ALL, "8,Read");
	take(r, ENABLE_OPT_ID, "7,Open,1,Disk,3");
	is(late, 4, "names wait for the manifest");
	enable_request_prepare(r, &guid);
	is(r->enable.level, 17, "a level");
	is(r->enable.any, 0x121, "keywords");
	is(r->enable.all, 0x9, "those that are needed");
	is(ids->ids.count, 5, "ids once each");
	ok(ids->ids.ids[0] == 7 && ids->ids.ids[1] == 1 && ids->ids.ids[2] == 2 &&
	   ids->ids.ids[3] == 3 && ids->ids.ids[4] == 5, "in their order");
	is(r->enable.property, ETW_ENABLE_STACK_TRACE, "a list of stacks asks for them");
	is(r->enable.filter_count, 2, "two filters");
	enable_request_free(r);
	free(r);
}

/* -------------------------------------------------------------------- filters */

/* The kernel filter of the expression; on error its column, else 0 */
static struct etw_kernel_filter kernel;
static struct etw_kernel_error refused;

static bool filter_of(const char *expression)
{
	const struct etw_kernel_schema schema = { .guid = &provider->control_guid,
						  .providers = { &provider, 1 } };
	struct etw_kernel_source source = { .text = expression };
	const char *error = "";
	bool good;

	free(kernel.program);
	memset(&kernel, 0, sizeof(kernel));
	memset(&refused, 0, sizeof(refused));
	source.expr = etw_expr_parse(expression, &error, &refused.column);
	strcpy(refused.text, error);
	good = source.expr && etw_kernel_filter_make(&source, 1, &schema, &kernel, &refused);
	etw_expr_free(source.expr);
	return good;
}

static bool passes(uint16_t id, uint8_t version, const void *data, uint32_t size)
{
	const struct etw_event_descriptor desc = { .id = id, .version = version };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = size };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = ETW_TYPE_EVENT64 };
	unsigned int i = 0;

	while (i < kernel.id_count && kernel.ids[i] != id)
		i++;
	if (kernel.ids_are != ETW_KERNEL_ALL_IDS &&
	    (i < kernel.id_count) != (kernel.ids_are == ETW_KERNEL_ONLY_IDS))
		return false;
	etw_record_measure(&source);
	return !kernel.program || etw_payload_pass(kernel.program, &source, false);
}

static const char flat[] = "\x10\0\0\0" "\xff\0\0\0" "a\0b\0\0";	/* and a NUL */
static const char deep[] = "\3\0" "xyz" "\1\2" "0123456789abcdef" "\x10\0\0";
static const char paint[] = "\2";
static const char many[] = "\2" "\1\0\2\0" "\x10\0\0\0" "\5\6" "\7";

/* Which of the three events with a Size pass: bits 0 to 2; bit 3: the event with a Color of 2 */
static void means(const char *expression, unsigned int want)
{
	unsigned int got;

	if (!filter_of(expression)) {
		ok(false, "%s: column %zu: %s", expression, refused.column, refused.text);
		return;
	}
	if (kernel.program && etw_payload_load(kernel.program, kernel.size)) {
		ok(false, "%s: the program is wrong", expression);
		return;
	}
	got = passes(1, 0, flat, sizeof(flat)) | passes(1, 1, deep, sizeof(deep)) << 1 |
	      passes(2, 0, many, sizeof(many) - 1) << 2 |
	      passes(4, 0, paint, 1) << 3;
	ok(got == want, "%s: %#x", expression, got);
}

static void wrong(const char *expression, size_t column, const char *part)
{
	const bool good = filter_of(expression);

	if (!ok(!good && refused.column == column && strstr(refused.text, part), "%s: %s", expression,
		part))
		printf("# column %zu: %s\n", refused.column, refused.text);
}

static void test_filters(void)
{
	means("Size == 16", 7);
	means("Size == 17", 0);
	means("not exists(Size) || Size == 17", 8);
	means("not event == Open || Size == 17", 12);
	means("id != 1 || Size == 17", 12);
	means("id != 1 || version != 0 || Size == 17", 14);
	means("not (id == 1 && version == 1) || Size == 17", 13);
	means("not task == Disk || Size == 17", 11);
	means("Path == \"AB\"", 1);
	means("not exists(Path) or Path == \"b\"", 14);
	means("Mask == 0xff && Size < 17", 1);
	means("Pair.A == 1 && Pair.B == 2", 2);
	means("not exists(Pair) || Pair.A == 2", 13);
	means("Last == 7", 4);
	means("event == 'Our orders/Paid' && Color == 2", 8);
	wrong("Size == x", 9, "x is not a number");
	wrong("Nothing == 1", 1, "no event of " NAME " has a field Nothing");
	wrong("event == Closed && Size == 1", 0, "no event of the provider can pass");
	wrong("List == 1", 1, "arrays");
	wrong("Bytes == 1", 1, "no such type");
	wrong("Size == 1 &&", 13, "the name of a field is missing");
	wrong("Open: Size == 1", 5, "&&, || or the end is expected here");
}

static void test_maps(void)
{
	means("Color == red", 0);
	means("Color != Red", 8);
	means("Color is \"Dark \\\"blue\\\"\"", 8);
	means("(Color is not \"Dark \\\"blue\\\"\" || Size == 16)", 7);
	means("Color==Red||Color == 2", 8);
	means("Color != \"7\" && Color < 3", 8);
	means("Color == 7 || Size == 16", 7);
	means("Color != Twice", 8);
	wrong("Color == green", 10, "Color has no value green; it has 1 Red, 2 Dark ");
	wrong("Color == \"Red", 10, "a quote is missing");
	wrong("Color > Red", 9, "Red is not a number");
}

/* ------------------------------------------------------- events of each provider */

#define ALL	300000

static struct etw_guid guid_of(uint32_t number)
{
	return (struct etw_guid)ETW_GUID(number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

/* A program can make any number of providers. */
static void test_counts(void)
{
	struct provider_counts counts = { .list = NULL };
	const struct provider_count *p;
	struct etw_guid guid;
	uint64_t sum = 0;
	uint32_t i, wrong = 0;

	for (i = 0; i < ALL; i++) {
		guid = guid_of(i);
		provider_counts_add(&counts, &guid, 1);
		/* Among them those of the first few */
		guid = guid_of(i % 10);
		p = provider_counts_add(&counts, &guid, 2);
		wrong += memcmp(&p->guid, &guid, sizeof(guid)) != 0;
	}
	is((int)wrong, 0, "an event is of its provider");
	is((int)counts.count, PROVIDER_COUNTS_MAX, "so many providers are kept");
	for (i = 0; i < counts.count; i++)
		sum += counts.list[i].events;
	ok(counts.list[3].events == 1 + 2 * ALL / 10 && counts.list[20].events == 1,
	   "their events are counted");
	ok(counts.rest.events == ALL - PROVIDER_COUNTS_MAX, "and those of the others together");
	ok(sum + counts.rest.events == 3 * ALL, "none is missing");
	provider_counts_free(&counts);
	ok(!counts.list && !counts.count && !counts.rest.events, "all is freed");
}

int main(void)
{
	char path[] = "/tmp/cli_names.XXXXXX";
	int fd = mkstemp(path);
	struct etw_guid guid;

	ok(write(fd, manifest, sizeof(manifest) - 1) == sizeof(manifest) - 1, "a file");
	close(fd);
	/* Ignore manifests installed on this machine. */
	setenv("HOME", "/nonexistent", 1);
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	schema_load("--manifest", path, true);
	unlink(path);
	etw_guid_parse(DECODE, &guid);
	provider = schema_provider(&guid);
	providers = schema_providers(&guid);
	if (!ok(provider, "its provider"))
		return done_testing();
	test_providers();
	test_names();
	test_events();
	test_options();
	test_filters();
	test_maps();
	test_counts();
	free(kernel.program);
	schema_unload();
	return done_testing();
}
