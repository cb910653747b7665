// SPDX-License-Identifier: MIT
/* tdh_expr - event filter expressions: their meaning and their errors */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "tdh/expr/expr.h"
#include "tdh/manifest/manifest.h"
#include "tdh/store/store.h"
#include "tdh/expr/time_expr.h"

static const char manifest_text[] =
	"<instrumentationManifest xmlns='http://schemas.microsoft.com/win/2004/08/events'"
	" xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'>"
	"<instrumentation><events>"
	"<provider name='Known-Provider' symbol='KNOWN' resourceFileName='k' messageFileName='k'"
	" guid='{89abcdef-0001-0002-0102-030405060708}'>"
	"<levels><level name='Loud' symbol='LOUD' value='17'/></levels>"
	"<keywords><keyword name='Read' mask='0x1'/><keyword name='Write' mask='0x2'/></keywords>"
	"<tasks><task name='Disk' symbol='DISK' value='5'>"
	"<opcodes><opcode name='Spin' symbol='SPIN' value='20'/></opcodes></task></tasks>"
	"<maps><valueMap name='Op'><map value='0' message='$(string.Read)'/>"
	"<map value='1' message='$(string.Write)'/></valueMap>"
	"<bitMap name='Bits'><map value='1' message='$(string.Read)'/>"
	"<map value='4' message='$(string.Write)'/></bitMap>"
	"<bitMap name='Groups'><map value='6' message='Pair'/><map value='2' message='Second'/>"
	"<map value='9' message='Ends'/></bitMap></maps>"
	"<templates><template tid='T'>"
	"<data name='Op' inType='win:UInt32' map='Op'/>"
	"<data name='Flags' inType='win:UInt32' map='Bits'/>"
	"<data name='Path' inType='win:UnicodeString'/>"
	"<data name='Small' inType='win:Int8'/><data name='Big' inType='win:UInt64'/>"
	"<data name='Ratio' inType='win:Double'/><data name='Done' inType='win:Boolean'/>"
	"<data name='Who' inType='win:GUID'/><data name='When' inType='win:FILETIME'/>"
	"<data name='Host' inType='win:UInt32' outType='win:IPv4'/>"
	"<data name='Error' inType='win:UInt32' outType='win:Win32Error'/>"
	"<data name='List' inType='win:UInt8' count='3'/>"
	"<struct name='Parts' count='2'><data name='Size' inType='win:UInt16'/>"
	"<data name='Label' inType='win:AnsiString'/></struct>"
	"<data name='Then' inType='win:SYSTEMTIME'/>"
	"<data name='took_us' inType='win:UInt32'/><data name='ReadKB' inType='win:UInt32'/>"
	"<data name='Groups' inType='win:UInt64' map='Groups'/></template></templates>"
	"<events><event value='1' symbol='Spun' task='Disk' opcode='Spin' level='Loud'"
	" keywords='Read Write' template='T'/></events></provider></events></instrumentation>"
	"<localization><resources culture='en-US'><stringTable>"
	"<string id='Read' value='read'/><string id='Write' value='write'/>"
	"</stringTable></resources></localization></instrumentationManifest>";

static const GUID known = { 0x89abcdef, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 8 } };
static const GUID other = { 0x12345678, 1, 2, { 1, 2, 3, 4, 5, 6, 7, 8 } };

#define TIME	133000000000000000LL	/* 2022-06-18T04:26:40Z */

static unsigned char payload[256];
static size_t payload_len;
static EVENT_RECORD record;
static EVENT_HEADER_EXTENDED_DATA_ITEM item = {
	.ExtType = EVENT_HEADER_EXT_TYPE_RELATED_ACTIVITYID, .DataSize = sizeof(GUID),
	.DataPtr = (uintptr_t)&other,
};
static struct etw_decoder *decoder;
static const struct etw_decoded *decoded;

static void put(const void *data, size_t len)
{
	memcpy(payload + payload_len, data, len);
	payload_len += len;
}

static void put_number(uint64_t value, size_t len)
{
	put(&value, len);
}

static void make_event(void)
{
	static const uint16_t then[8] = { 2024, 2, 4, 29, 23, 59, 58, 500 };
	double ratio = -0.25;

	put_number(1, 4);
	put_number(5, 4);
	put(u"C:\\Tmp\\\u00dcber.log", 32);
	put_number((uint64_t)-7, 1);
	put_number(UINT64_MAX, 8);
	put(&ratio, 8);
	put_number(1, 4);
	put(&other, 16);
	put_number(TIME, 8);
	put_number(0x0100007f, 4);
	put_number(5, 4);
	put("\1\2\3", 3);
	put_number(10, 2);
	put("one", 4);
	put_number(20, 2);
	put("TWO", 4);
	put(then, sizeof(then));
	put_number(1500, 4);
	put_number(64, 4);
	put_number(7, 8);
	record.EventHeader = (EVENT_HEADER){
		.ThreadId = 43, .ProcessId = 42, .TimeStamp.QuadPart = TIME, .ProviderId = known,
		.EventDescriptor = { .Id = 1, .Level = 17, .Opcode = 20, .Task = 5, .Keyword = 3 },
		.ActivityId = known,
	};
	record.BufferContext.ProcessorNumber = 3;
	record.ExtendedData = &item;
	record.ExtendedDataCount = 1;
	record.UserData = payload;
	record.UserDataLength = (USHORT)payload_len;
	decoder = etw_decoder_new();
	ok(!etw_decode(decoder, &record, &decoded), "the event is decoded");
}

static bool match(const char *text)
{
	const char *error = NULL;
	size_t column = 0;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);
	bool holds;

	if (!expr) {
		printf("# %s: column %zu: %s\n", text, column, error);
		return false;
	}
	holds = etw_expr_match(expr, &record, decoded, decoder);
	/* Again: cached results must not matter. */
	if (etw_expr_match(expr, &record, decoded, decoder) != holds)
		ok(0, "%s: another outcome the second time", text);
	etw_expr_free(expr);
	return holds;
}

static void test_true(void)
{
	static const char *const texts[] = {
		"pid == 42", "pid=42", "tid != 42", "id in (2, 1)", "id in 0..3", "id not in (3..9)",
		"version == 0", "cpu == 3", "level == 17", "level == Loud", "level > verbose",
		"keyword & 2", "keyword & 0x2 == 2", "keyword & write", "keyword == Read",
		"keyword != Other", "keyword in (nope, write)", "opcode == spin", "task == DISK",
		"task == 5", "event == disk/spin", "event matches 'disk/*'", "event =~ '^Disk/S'",
		"provider == Known-Provider", "provider == 'known-provider'",
		"provider == {89abcdef-0001-0002-0102-030405060708}",
		"provider = 89ABCDEF-0001-0002-0102-030405060708", "provider contains known",
		"provider != 12345678-0001-0002-0102-030405060708",
		"activity == 89abcdef-0001-0002-0102-030405060708",
		"related == '{12345678-0001-0002-0102-030405060708}'",
		"time == 2022-06-18T04:26:40Z", "time < '2022-06-18 04:26:40.0000001Z'",
		"time in 2022-06-18T04:26:40+00:00..2022-06-18T06:26:41+02:00", "time > '@1000'",
		"Op == 1", "Op == Write", "Op != read", "Op in (read, write)", "Flags == 'read|write'",
		"Flags & read", "Groups & pair", "Groups & Second", "!(Groups & ends)", "Flags & 4", "Flags & 6 == 4", "!(Flags & 2)", "Flags contains writ",
		"Path contains tmp", "Path endswith '.LOG'", "Path startswith 'c:\\\\'",
		"Path matches *.log", "Path matches 'c:\\\\tmp\\\\?ber.log'", "Path =~ '[.]log$'",
		"Path =~ '\\.log'", "Path !~ LOG", "Path not contains nope", "Path is 'c:\\\\tmp\\\\\\u00dcber.log'",
		"Path is not x", "Small == -7", "Small < 0", "Small >= -7.5", "Small % 7", "Small & 0x80",
		"Big == 18446744073709551615", "Big == 0xffffffffffffffff", "Big > 1e19", "Big > -1",
		"Ratio < 0", "Ratio == -0.25", "Ratio in (-1..0)", "Done", "Done == true",
		"Done != false", "Done == 1", "Who == 12345678-0001-0002-0102-030405060708",
		"When == time_is_not_a_word || When == 2022-06-18T04:26:40Z", "When > 2022-01-01",
		"Host == 127.0.0.1", "Host matches 127.*", "Error == 5", "Error == ERROR_ACCESS_DENIED",
		"List == 3", "List[2] == 3", "List[0] == 1", "List[*] > 2", "List != 3",
		"Parts.Size == 20", "Parts[1].Size == 20", "Parts[0].Label == ONE", "Parts.* == two",
		"Parts[].Label in (two)", "exists(Parts)", "exists(Parts[1])", "exists(Parts.Size)",
		"exists(Path) and not exists(Nope)", "`Path` contains tmp", "* contains ber",
		"Then > 2024-02-29T23:59:58.4Z && Then < 2024-02-29T23:59:58.6Z",
		"pid == 1 || pid == 2 || pid == 42", "pid == 42 && tid == 43 && (cpu == 1 or cpu == 3)",
		"not pid == 1", "!!(pid == 42)", "!(pid == 1 || tid == 1)", "!(pid == 42 && tid == 1)",
		"pid == 1 && tid == 1 || pid == 42", "pid == 42 || pid == 1 && tid == 1",
		"(pid == 42 || pid == 1) && !(tid == 1)", " ( ( pid==42 ) ) ",
		"took_us == 1500us", "took_us == 1.5ms", "took_us > 1ms", "took_us < 2ms",
		"took_us >= 0.0015s", "took_us in 1ms..2ms", "took_us in (7, 1500000ns)",
		"took_us < 1min", "took_us < 1h && took_us < 1m", "took_us > 1499999ns",
		"took_us > -1ms", "ReadKB == 64K", "ReadKB == 0.0625MiB", "ReadKB < 1GB", "Big >= 4G", "Big > 64K", "Parts.Size == 20",
		"Parts.Size < 1K", "Path != 5ms", "Path != 64K", "took_us % 1500us",
		"Op==1&&Path contains tmp", "Op == 1 and(Op == 2 or Small < 0)",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ok(match(texts[i]), "%s", texts[i]);
}

/* The paths that no event had, each in < >; after matching the event if matched. */
static void missing(const char *text, bool matched, const char *expected)
{
	const char *error;
	struct etw_expr_place place;
	size_t column, next = 0;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);
	char list[256];
	int end = 0;

	list[0] = '\0';
	if (expr && matched)
		etw_expr_match(expr, &record, decoded, decoder);
	while (expr && etw_expr_missing(expr, &next, &place))
		end += sprintf(list + end, "%s<%.*s>", !place.what ? "test" :
			       strcmp(place.what, "field") ? place.what : "",
			       (int)place.len, text + place.at);
	ok(expr && !strcmp(list, expected), "missing in %s: %s", text, list);
	etw_expr_free(expr);
}

static void test_missing(void)
{
	missing("Nope == 1", false, "");
	missing("Nope == 1", true, "<Nope>");
	missing("pid == 42 && Nope == 1", true, "<Nope>");
	missing("pid == 1 && Nope == 1", true, "");
	missing("Path == x || path == x", true, "<path>");
	missing("Parts.Size == 1 || Parts[7].Size == 1 || Parts.size[0] > 1 || Parts", true,
		"<Parts.size[0]>");
	missing("took_us == '5ms' || took_us == 5ms", true, "test<took_us == '5ms'>");
	missing("Small == 5ms || Path % 2 || Path & 1", true,
		"test<Small == 5ms>test<Path % 2>test<Path & 1>");
	missing("Small == abc && Small in (a, 3) && Done == yes && Op == nope", true,
		"test<Small == abc>");
	missing("Size == 1 || Parts.* == 7 || * == 7 || Parts.Size.x", true,
		"<Size><Parts.Size.x>");
	missing("task == Disk && level != Loud || opcode == Nope", true, "opcode<Nope>");
	missing("keyword & nope || channel == x || keyword in (no, Read, never)", true,
		"keyword<nope>channel<x>keyword<no>keyword<never>");
	missing("keyword & nope", false, "");
	missing("not exists ( `Nope` ) && List[9] == 1", true, "<`Nope`>");
}

static void test_false(void)
{
	static const char *const texts[] = {
		"pid == 43", "pid != 42", "id in (2, 3..9)", "id not in (1)", "level <= 5",
		"level == error", "keyword & 4", "keyword & 3 == 1", "keyword == Other",
		"keyword != Read", "provider == Other", "provider == 12345678-0001-0002-0102-030405060708",
		"time < 2022-06-18T04:26:40Z", "event == Disk", "event == Spun", "process == init",
		"process != init", "Nope == 1", "Nope != 1", "Nope", "!(exists(Path))", "op == 1",
		"Op == read", "Op < write", "Op > read", "Flags & nope", "Flags & 2", "Flags == read",
		"Path == 'C:'", "Path contains nope", "Path matches log", "Path =~ LOG",
		"Path not contains tmp", "Small == 249", "Small > 0", "Small % 2", "Big < 1e19",
		"Big == -1", "Ratio & 1", "Ratio == 0", "Done == false", "!Done", "Host == 127.0.0.2",
		"Who < zzz", "When < 2022-01-01", "List == 4", "List[3] == 3", "List[0] == 3",
		"Parts[0].Size == 20", "Parts == 20", "Parts.Label[0] == one", "exists(Parts[2])",
		"Path in (a, b)", "Path % 2", "Path & 1", "Then == 2024-02-29",
		"took_us == 1500ns", "took_us > 2ms", "took_us == '1500us'", "Small == 5ms",
		"ReadKB == 65K", "took_us == 1500US", "took_us == 1.5.0ms", "took_us == 64K",
		"pid == 42 && tid == 1", "pid == 1 || tid == 1", "not (pid == 42)",
		"pid == 1 && (tid == 43 || pid == 42)", "!(pid == 1) && !(pid == 42)",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *error;
		size_t column;
		struct etw_expr *expr = etw_expr_parse(texts[i], &error, &column);

		ok(expr && !match(texts[i]), "not: %s", texts[i]);
		etw_expr_free(expr);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *text;
		size_t column;
	} wrong[] = {
		{ "", 1 }, { "  ", 3 }, { "pid", 4 }, { "pid ==", 7 }, { "pid == abc", 8 },
		{ "pid == 1 &&", 12 }, { "pid == 1 tid == 2", 10 }, { "(pid == 1", 10 },
		{ "pid == 1)", 9 }, { "pid === 1", 7 }, { "&& pid == 1", 1 }, { "pid in (1, 2", 13 },
		{ "pid in (1 2)", 11 }, { "pid in ()", 9 }, { "pid in 1..", 11 }, { "id & x", 6 },
		{ "id & 1 == x", 11 }, { "id & -1", 6 }, { "id % 0", 6 }, { "id % 1.5", 6 },
		{ "Name == \"abc", 9 }, { "Name == 'ab\\", 12 }, { "Name == '\\xg0'", 10 },
		{ "Name == '\\ud800'", 10 }, { "Name == {1234}", 9 }, { "Name == {1234", 9 },
		{ "Name =~ '('", 9 }, { "Name =~ '(", 9 }, { "Name == and", 9 }, { "provider < x", 12 },
		{ "provider & 1", 12 }, { "activity == x", 13 }, { "activity contains x", 19 },
		{ "time == 12", 9 }, { "time == 12:30", 9 }, { "level < Loud", 9 }, { "A[x]", 3 },
		{ "A[99999999999]", 3 }, { "A.", 3 }, { "A..B", 2 }, { "`A", 1 }, { "exists A", 8 },
		{ "exists(A", 9 }, { "exists(pid)", 8 }, { "A not", 6 }, { "A not B", 7 },
		{ "A ~ B", 3 }, { "Flags & 1 contains x", 20 }, { "Flags & read == 1", 17 },
		{ "A == 1 & B == 2", 8 }, { "A | B", 3 }, { "mode == usr", 9 }, { "mode & 1", 8 },
		{ "took > 5ms", 8 }, { "Size in 1..5ms", 12 }, { "keys < 5s", 8 }, { "pid == 4K", 8 },
		{ "* > 5ms", 5 }, { "Bytes_us.Total > 5ms", 18 }, { "mode < user", 8 }, { "context == irq", 12 }, { "context in (task, 1)", 19 },
	};
	const char *error;
	size_t column, i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct etw_expr *expr = etw_expr_parse(wrong[i].text, &error, &column);

		ok(!expr && error && column == wrong[i].column, "wrong: %s: %zu: %s",
		   wrong[i].text, column, expr ? "is taken" : error);
		etw_expr_free(expr);
	}
}

/* Build a text with a repeated part: as deep, long and numerous as allowed, and beyond. */
static char *repeat(const char *begin, const char *part, unsigned int count, const char *end)
{
	size_t len = strlen(part), at = strlen(begin);
	char *text = malloc(at + count * len + strlen(end) + 1);

	memcpy(text, begin, at);
	for (; count--; at += len)
		memcpy(text + at, part, len);
	strcpy(text + at, end);
	return text;
}

static bool is_taken(char *text, const char *want)
{
	const char *error = "";
	size_t column;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);
	bool taken = expr;

	free(text);
	etw_expr_free(expr);
	return want ? !taken && strstr(error, want) : taken;
}

static void test_bounds(void)
{
	char *open = repeat("", "(", 63, "pid == 42"), *text = repeat(open, ")", 63, "");

	ok(match(text), "63 parentheses");
	free(open);
	free(text);
	ok(is_taken(repeat("", "(", 64, "pid == 42"), "nested deeper"),
	   "64 parentheses are too many");
	ok(is_taken(repeat("", "!", 70000, "pid == 42"), "longer than"), "so is a text of 70,000");
	ok(is_taken(repeat("", "!", 60000, "pid == 42"), "nested deeper"), "and 60,000 nots");
	text = repeat("pid == 1", " or pid == 1", 1022, " or pid == 42");
	ok(match(text), "1,024 tests in a row");
	free(text);
	ok(is_taken(repeat("A", " && A", 1024, ""), "more than 1024"), "no more");
	ok(is_taken(repeat("A =~ 'a", "+", 20, "'"), "repeats or refers") &&
	   is_taken(strdup("A =~ '((a{99}){99}){99}'"), "repeats or refers") &&
	   is_taken(strdup("A =~ 'a{255}{255}{20}'"), "repeats or refers") &&
	   is_taken(strdup("A =~ '(a|b)*\\1'"), "repeats or refers") &&
	   is_taken(repeat("A =~ '", "(", 40, "a"), "has no end") &&
	   is_taken(repeat("A =~ '", "(", 40, "a'"), "repeats or refers"),
	   "regular expressions that would take much memory");
	ok(is_taken(strdup("A =~ '^[^]a+]{3,5}(b|c+)?\\+[[:alpha:]]*$'"), NULL), "usual ones");
	ok(is_taken(repeat("A matches ", "*", 256, ""), NULL), "a pattern of 256 bytes");
	ok(is_taken(repeat("A matches ", "*", 257, ""), "longer than 256"), "no more");
	text = repeat("id in (9", ",9", 30000, ",1)");
	ok(match(text), "30,000 values");
	free(text);
}

/* The mode is in flags of the header that only events of etw.ko have. */
static void test_mode(void)
{
	const USHORT flags = record.EventHeader.Flags;

	ok(!match("mode == user") && !match("mode == kernel") && !match("mode != user"),
	   "an event without a mode");
	record.EventHeader.Flags = flags | ETW_EVENT_KERNEL_MODE;
	ok(match("mode == kernel") && match("mode != User") && !match("mode == user"),
	   "the kernel's");
	record.EventHeader.Flags = flags | ETW_EVENT_USER_MODE;
	ok(match("mode is user") && match("mode in (kernel, USER)") && !match("mode == kernel"),
	   "a process's");
	ok(match("pid == 42 && not (mode == kernel)"), "among other tests");
	record.EventHeader.Flags = flags;
}

/* The context is in an item that only events of etw.ko have. */
static void test_context(void)
{
	struct etw_ext_context context = {
		.context = ETW_CONTEXT_NMI, .flags = ETW_CONTEXT_IN_HARDIRQ };
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_CONTEXT, .DataSize = sizeof(context),
		.DataPtr = (uintptr_t)&context };
	const EVENT_RECORD before = record;

	ok(!match("context == nmi") && !match("context != nmi"), "an event without a context");
	record.ExtendedDataCount = 1;
	record.ExtendedData = &item;
	ok(match("context == nmi") && match("context != hardirq") && !match("context == task") &&
	   match("context in (hardirq, NMI)"), "an NMI");
	context.context = ETW_CONTEXT_TASK;
	ok(match("context is task") && match("pid == 42 && not (context == softirq)"), "a task");
	item.DataSize--;
	ok(!match("context == task"), "an item that is cut off");
	record = before;
}

static const char *ask_provider(void *context, const GUID *guid)
{
	return memcmp(guid, &other, sizeof(other)) ? NULL : context;
}

static bool ask_process(void *context, const EVENT_RECORD *r, bool parent,
			struct etw_process *process)
{
	(void)context;
	*process = (struct etw_process){ .name = parent ? "Login" : "Shell",
					 .path = parent ? NULL : "/bin/Shell" };
	return r->EventHeader.ProcessId == 42;
}

static bool asked_match(const char *text, const struct etw_expr_ask *ask)
{
	const char *error;
	size_t column;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);
	bool is;

	if (!expr)
		return false;
	etw_expr_ask(expr, ask);
	is = etw_expr_match(expr, &record, NULL, NULL);
	etw_expr_free(expr);
	return is;
}

static void test_asking(void)
{
	static char name[] = "Asked";
	const struct etw_expr_ask ask = { ask_provider, ask_process, name };
	const char *error;
	size_t column;
	struct etw_expr *expr = etw_expr_parse("process == shell && provider == asked", &error, &column);

	ok(expr && etw_expr_asks_process(expr), "the word process");
	ok(!etw_expr_match(expr, &record, NULL, NULL), "an unknown process");
	etw_expr_ask(expr, &ask);
	ok(!etw_expr_match(expr, &record, NULL, NULL), "another provider");
	record.EventHeader.ProviderId = other;
	ok(etw_expr_match(expr, &record, NULL, NULL), "names that are asked for");
	ok(asked_match("process_path endswith '/shell' && process_parent == login", &ask) &&
	   !asked_match("process_path == shell || process_parent == shell", &ask),
	   "its executable and its parent");
	record.EventHeader.ProcessId = 1;
	ok(!etw_expr_match(expr, &record, NULL, NULL), "another process");
	record.EventHeader.ProcessId = 42;
	record.EventHeader.ProviderId = known;
	etw_expr_free(expr);
}

static bool decodes(const char *text)
{
	const char *error;
	size_t column;
	struct etw_expr *expr = etw_expr_parse(text, &error, &column);
	bool is = etw_expr_decodes(expr);

	etw_expr_free(expr);
	return is;
}

static void test_decodes(void)
{
	ok(!decodes("provider == 12345678-0001-0002-0102-030405060708 && level <= error &&"
		    " keyword & 2 && pid in (1, 2) && time > 2022-01-01 && process == x"),
	   "header fields need no decoding");
	ok(decodes("provider == Name") && decodes("level == Loud") && decodes("keyword & Read") &&
	   decodes("event contains x") && decodes("A == 1") && decodes("exists(A)") &&
	   decodes("task =~ x"), "names and fields do");
}

/* Provided by the sanitizer's run time */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

static unsigned int allocations;

static void count_malloc(const volatile void *p, size_t size)
{
	(void)p;
	(void)size;
	allocations++;
}

static void ignore_free(const volatile void *p)
{
	(void)p;
}

static void test_memory(void)
{
	const char *error;
	size_t column, i;
	struct etw_expr *expr = etw_expr_parse("Path contains x || Op == read || event == x || * == x",
					       &error, &column);
	unsigned int before;

	ok(__sanitizer_install_malloc_and_free_hooks(count_malloc, ignore_free),
	   "allocations are counted");
	ok(!etw_expr_match(expr, &record, decoded, decoder), "an event");
	ok(allocations, "for which there is memory");
	before = allocations;
	for (i = 0; i < 1000; i++)
		etw_expr_match(expr, &record, decoded, decoder);
	is(allocations, before, "a thousand more take none");
	etw_expr_free(expr);
}

static bool when_is(const char *text, enum etw_time_expr_kind kind, int64_t value)
{
	struct etw_time_expr when = { .value = 0 };

	if (etw_time_expr_parse(text, strlen(text), &when) && when.kind == kind && when.value == value)
		return true;
	printf("# %s: kind %d, %lld\n", text, (int)when.kind, (long long)when.value);
	return false;
}

static void test_when(void)
{
	static const char *const wrong[] = {
		"", "x", "1", "1.5", "2026", "2026-13-01", "2026-02-30", "2026-01-31T", "2026-01-31T25:00",
		"2026-01-31T12:34:56.Z", "2026-01-31T12:34:56Z ", "1500-01-01T00:00Z", "12:60", "12:3",
		"+", "+x", "-", "-x", "-1d", "--5s", "-+5s", "+-5s", "+1d", "@", "@1x", "+99999999999h", "1..2", "2026-01-31T12:00+99:00",
	};
	struct etw_time_expr when;
	size_t i;

	setenv("TZ", "XYZ-2", 1);	/* two hours east */
	ok(when_is("2022-06-18T04:26:40Z", ETW_TIME_EXPR_TIME, TIME), "a time in UTC");
	ok(when_is("2022-06-18 06:26:40.0000001", ETW_TIME_EXPR_TIME, TIME + 1), "a local one");
	ok(when_is("2022-06-18T00:26:40-0400", ETW_TIME_EXPR_TIME, TIME), "one from elsewhere");
	ok(when_is("2022-06-18", ETW_TIME_EXPR_TIME, TIME - (6 * 3600 + 1600) * 10000000LL),
	   "a day");
	ok(when_is("@1655526400.5", ETW_TIME_EXPR_TIME, TIME + 5000000), "of Unix");
	ok(when_is("1601-01-01T00:00Z", ETW_TIME_EXPR_TIME, 0), "the first one");
	ok(when_is("12:34", ETW_TIME_EXPR_OF_DAY, (12 * 60 + 34) * 600000000LL), "of any day");
	ok(when_is("+1.5", ETW_TIME_EXPR_SINCE, 15000000), "seconds");
	ok(when_is("1.5ms", ETW_TIME_EXPR_SINCE, 15000) && when_is("+20us", ETW_TIME_EXPR_SINCE, 200) &&
	   when_is("1m", ETW_TIME_EXPR_SINCE, 600000000) && when_is("0.5h", ETW_TIME_EXPR_SINCE, 18000000000) &&
	   when_is("3s", ETW_TIME_EXPR_SINCE, 30000000) && when_is("250ns", ETW_TIME_EXPR_SINCE, 2),
	   "units");
	ok(when_is("-5s", ETW_TIME_EXPR_BEFORE_END, 50000000) &&
	   when_is("-1.5", ETW_TIME_EXPR_BEFORE_END, 15000000) &&
	   when_is("-20ms", ETW_TIME_EXPR_BEFORE_END, 200000), "before the end");
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(!etw_time_expr_parse(wrong[i], strlen(wrong[i]), &when), "no time: '%s'", wrong[i]);
	when = (struct etw_time_expr){ ETW_TIME_EXPR_SINCE, 10 };
	is(etw_time_expr_at(&when, TIME, TIME + 50), TIME + 10, "since the start");
	is(etw_time_expr_at(&when, INT64_MAX, INT64_MAX), INT64_MAX, "of a trace in the far future");
	when = (struct etw_time_expr){ ETW_TIME_EXPR_BEFORE_END, 10 };
	is(etw_time_expr_at(&when, TIME, TIME + 50), TIME + 40, "before the end");
	is(etw_time_expr_at(&when, TIME, INT64_MIN), INT64_MIN, "of a trace in the far past");
	when = (struct etw_time_expr){ ETW_TIME_EXPR_OF_DAY, 0 };
	is(etw_time_expr_at(&when, TIME, TIME + 50), TIME - (6 * 3600 + 1600) * 10000000LL, "midnight");
	etw_time_expr_at(&when, INT64_MIN, INT64_MIN);
	etw_time_expr_at(&when, INT64_MAX, INT64_MAX);
}

int main(void)
{
	struct etw_problems problems = { .count = 0 };
	struct etw_manifest *manifest = NULL;

	setenv("TZ", "UTC", 1);
	if (etw_manifest_read_memory(manifest_text, sizeof(manifest_text) - 1, "test", &manifest,
				     &problems) || etw_store_add(manifest)) {
		printf("# %s\n", problems.count ? problems.list[0].text : "");
		return 1;
	}
	make_event();
	test_true();
	test_false();
	test_missing();
	test_errors();
	test_mode();
	test_context();
	test_bounds();
	test_asking();
	test_decodes();
	test_memory();
	etw_decoder_free(decoder);
	etw_store_remove(manifest);
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	test_when();
	return done_testing();
}
