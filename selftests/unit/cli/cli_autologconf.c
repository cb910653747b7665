/* SPDX-License-Identifier: MIT */
/*
 * cli_autologconf - autologger sessions as text: what is taken, what is refused, where
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <evntrace.h>
#include "lib/tap.h"
#include "cli/autologger/session_conf.h"

#define GUID_1	"{01234567-89ab-cdef-0123-456789abcdef}"
#define GUID_2	"89abcdef-0123-4567-89ab-cdef01234567"
#define HEAD	"Start=1\nGuid=" GUID_1 "\n"

static struct etw_autolog_conf conf;
static struct etw_autolog_error error;

static int parse_bytes(const char *text, size_t len)
{
	/* A copy of its own size, so that reading beyond it shows. */
	char *copy = malloc(len ? len : 1);
	int ret;

	memcpy(copy, text, len);
	etw_autolog_free(&conf);
	ret = etw_autolog_parse(copy, len, &conf, &error);
	free(copy);
	return ret;
}

static int parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* B164: the values of a session, and their defaults */
static void test_defaults(void)
{
	is(parse(HEAD), 0, "the two that are required");
	ok(conf.start == 1 && conf.guid.data1 == 0x01234567, "are taken");
	is(conf.clock, 1, "ClockType 1");
	is(conf.mode, EVENT_TRACE_FILE_MODE_SEQUENTIAL, "LogFileMode sequential");
	is(conf.max_size, 100, "MaxFileSize 100 MB");
	ok(!conf.file_name && !conf.file_max && !conf.flush_s && !conf.buffer_kb &&
	   !conf.min_buffers && !conf.max_buffers && !conf.no_persistence, "the others 0");
	ok(etw_autolog_has_file(&conf), "it has a file");
	is(parse(HEAD "LogFileMode=0x100\n"), 0, "real time");
	ok(!etw_autolog_has_file(&conf) && !conf.max_size, "has none");
	is(parse(HEAD "LogFileMode=0x400\nFileName=/a"), 0, "buffering with a name");
	ok(etw_autolog_has_file(&conf) && conf.max_size == 100, "has one");
	is(parse(HEAD "LogFileMode=0x2001\n"), 0, "in KB");
	is(conf.max_size, 102400, "100 MB as well");
	is(parse(HEAD "MaxFileSize=0\n"), 0, "without limit");
	is(conf.max_size, 0, "is 0");
}

/* B164, B166: all values */
static void test_values(void)
{
	const struct etw_autolog_provider *p;

	is(parse("# comment\r\n  ; another\n\t\n Start = 0 \t\r\nguid\t=" GUID_1 "\n"
		 "BUFFERSIZE = 0x40\nClockType=3\nDisableRealtimePersistence=1\n"
		 "FileName = /var/log/a b.etl\nFileMax=16\nFlushTimer=5\n"
		 "LogFileMode = EVENT_TRACE_FILE_MODE_CIRCULAR|use_kbytes_for_size | SECURE_MODE\n"
		 "MaxFileSize=4096\nMaximumBuffers=60000\nMinimumBuffers=8\n"
		 "[provider " GUID_2 "]\nEnabled=1\nEnableLevel=255\nEnableProperty=0x11\n"
		 "MatchAnyKeyword=0xFFFFFFFFFFFFFFFF\nMatchAllKeyword=2\n"
		 "exe = bash;a=b\nid=1,5-9\nfilter = a == \"x\" # y\nfilter = b\n"
		 "[ PROVIDER\t Some Name ]\n enableflags = 7"), 0, "every value");
	ok(conf.start == 0 && conf.buffer_kb == 64 && conf.clock == 3 && conf.no_persistence == 1 &&
	   conf.file_max == 16 && conf.flush_s == 5 && conf.max_size == 4096 &&
	   conf.max_buffers == 60000 && conf.min_buffers == 8, "numbers");
	ok(!strcmp(conf.file_name, "/var/log/a b.etl"), "the file");
	is(conf.mode, 0x2082, "names of modes");
	is(conf.provider_count, 2, "two providers");
	p = &conf.providers[0];
	ok(!strcmp(p->name, GUID_2) && p->line == 16 && p->enabled == 1 && p->level == 255 &&
	   p->property == 0x11 && p->any == UINT64_MAX && p->all == 2, "the first");
	is(p->option_count, 4, "its options");
	ok(!strcmp(p->options[0].name, "exe") && !strcmp(p->options[0].value, "bash;a=b") &&
	   p->options[0].line == 22 && !strcmp(p->options[2].value, "a == \"x\" # y"),
	   "as they were written");
	p = &conf.providers[1];
	ok(!strcmp(p->name, "Some Name") && !p->enabled && !p->level && !p->property &&
	   p->any == 7 && !p->all && !p->option_count, "the second, not enabled by default");
}

static void bad(const char *text, unsigned int line, const char *what)
{
	int ret = parse(text);

	ok(ret == -EINVAL && error.line == line && strstr(error.what, what),
	   "line %u: %s", error.line, error.what);
}

static void test_bad(void)
{
	bad("", 0, "Start is missing");
	bad("Start=1\n", 0, "Guid is missing");
	bad(HEAD "start=1\n", 3, "Start is given twice");
	bad("\n\nFrobnicate=1", 3, "\"Frobnicate\" is no value of a session");
	bad(HEAD "EnableLevel=1", 3, "is no value of a session");
	bad(HEAD "exe=a", 3, "is no value of a session");
	bad(HEAD "[provider a]\nStart=1", 4, "is no value of a provider");
	bad(HEAD "[provider a]\nExe=a", 4, "is no value of a provider");
	bad(HEAD "[provider a]\npid=1", 4, "is no value of a provider");
	bad("Start=2", 1, "Start: not within 0 to 1");
	bad("Start=-1", 1, "not a number");
	bad("Start=0x", 1, "not a number");
	bad("Start=1 1", 1, "not a number");
	bad("Start=99999999999999999999", 1, "not a number");
	bad("Start=4294967297", 1, "not within");
	bad("Start=", 1, "the value is missing");
	bad("Start", 1, "expected a name");
	bad("=1", 1, "expected a name");
	bad("Guid={01234567}", 1, "Guid: not a GUID");
	bad("Guid={00000000-0000-0000-0000-000000000000}", 1, "not a GUID");
	bad("ClockType=0", 1, "not within 1 to 3");
	bad("ClockType=4", 1, "not within 1 to 3");
	bad("BufferSize=16385", 1, "not within");
	bad("FileMax=17", 1, "not within 0 to 16");
	bad("FileName=a.etl", 1, "not an absolute path");
	bad("FileCounter=1", 1, "not to be set");
	bad("Status=0", 1, "it is an outcome");
	bad("Boot=1", 1, "no earlier");
	bad(HEAD "LogFileMode=0x100\nFileMax=2", 0, "the session has no file");
	/* B167: not these modes */
	bad("LogFileMode=8", 1, "not with EVENT_TRACE_FILE_MODE_NEWFILE");
	bad("LogFileMode=FILE_MODE_NEWFILE", 1, "not with EVENT_TRACE_FILE_MODE_NEWFILE");
	bad("LogFileMode=0x2000000", 1, "kernel logger");
	bad("EnableKernelFlags=1", 1, "kernel logger");
	bad("LogFileMode=0x800", 1, "private sessions");
	bad("LogFileMode=CIRCULAR", 1, "\"CIRCULAR\" is no mode");
	bad("LogFileMode=REAL_TIME_MODE SECURE_MODE", 1, "a | is missing");
	bad("LogFileMode=REAL_TIME_MODE|", 1, "\"\" is no mode");
	bad("LogFileMode=0x100000000", 1, "is no mode");
}

static void test_bad_providers(void)
{
	bad("[provider a\nStart=1", 1, "] is missing");
	bad("[provider]", 1, "expected [provider");
	bad("[session]", 1, "expected [provider");
	bad("[]", 1, "expected [provider");
	bad("[", 1, "] is missing");
	bad("[provider a]\n\n[provider A]\n", 3, "has a section already, in line 1");
	bad("[provider a]\nEnabled=1\nenabled=0\n", 3, "Enabled is given twice");
	bad("[provider a]\nEnableLevel=256", 2, "not within 0 to 255");
	bad("[provider a]\nEnableProperty=0x40", 2, "not known here: 0x40");
	bad("[provider a]\nMatchAnyKeyword=0x10000000000000000", 2, "not a number of 64 bits");
	bad("[provider a]\nStatus=0", 2, "it is an outcome");
	bad(HEAD "[provider a]\nEnableFlags=1\nMatchAnyKeyword=1\n", 3, "give one");
}

static unsigned int told_lines[8], told;

static void tell(void *context, const struct etw_autolog_error *e)
{
	(void)context;
	if (told < 8)
		told_lines[told] = e->line;
	told++;
}

/* All of a text is read, and an error of one line is not blamed on others. */
static void test_all(void)
{
	static const unsigned int lines[] = { 2, 3, 4, 7, 9, 12, 14, 0 };
	static const char text[] =
		"Guid=" GUID_1 "\nStart=2\nFrob=1\nFileMax=x\nFileName=/a/b\n"
		"[provider a]\nexe\nexe=a\n[provider a]\nexe=b\nEnabled=1\nLogFileMode=1\n"
		"[provider b]\n[frob\nEnabled=1\n[provider c]\nEnableFlags=1\n";

	etw_autolog_free(&conf);
	is(etw_autolog_parse_all(text, strlen(text), &conf, tell, NULL), -EINVAL, "many errors");
	is(told, 7, "each is told");
	ok(!memcmp(told_lines, lines, sizeof(lines)), "in order");
	ok(conf.guid_line == 1 && conf.file_line == 5 && !strcmp(conf.file_name, "/a/b"),
	   "what is right is taken");
	is(conf.provider_count, 3, "so are the providers");
	ok(conf.providers[0].option_count == 1 && !conf.providers[0].enabled &&
	   !conf.providers[1].enabled && conf.providers[2].any == 1, "each with what is its own");
	told = 0;
	etw_autolog_free(&conf);
	is(etw_autolog_parse_all("[provider a]\nEnableFlags=1\nMatchAnyKeyword=1\n"
				 "[provider b]\nEnableFlags=1\nMatchAnyKeyword=1\n", 90, &conf,
				 tell, NULL), -EINVAL, "errors of the whole");
	is(told, 4, "are all told");
	ok(told_lines[0] == 1 && told_lines[1] == 4 && !told_lines[2] && !told_lines[3],
	   "sections first");
}

static void bad_bytes(const char *text, size_t len, unsigned int line, const char *what)
{
	int ret = parse_bytes(text, len);

	ok(ret == -EINVAL && error.line == line && strstr(error.what, what), "%s", error.what);
}

static void test_hostile(void)
{
	const size_t size = 200000;
	char *text = malloc(size), *at;
	int i;

	bad_bytes("Start=1\0\n", 9, 1, "control character 0x00");
	bad_bytes("a\0=", 3, 1, "control character 0x00");
	bad_bytes("#\033[31m", 6, 1, "control character 0x1b");
	bad_bytes("Start\r=1", 8, 1, "control character 0x0d");
	memset(text, 'x', size);
	bad_bytes(text, size, 1, "a line of more than 4096 bytes");
	bad_bytes(text, 4096, 1, "expected a name");
	memcpy(text, "[provider ", 10);
	text[4095] = ']';
	bad_bytes(text, 4096, 1, "longer than 1024 bytes");
	memcpy(text, "FileName=/", 10);
	bad_bytes(text, 4096, 1, "FileName: more than");
	for (i = 0, at = text; i < 1025; i++)
		at += sprintf(at, "[provider p%d]\n", i);
	bad_bytes(text, at - text, 1025, "more than 1024 providers");
	at = text + sprintf(text, "[provider a]\n");
	for (i = 0; i < 65; i++)
		at += sprintf(at, "exe=a\n");
	bad_bytes(text, at - text, 66, "more than 64 options");
	/* Every beginning of a whole file is taken or refused, and nothing is read beyond. */
	strcpy(text, HEAD "LogFileMode=REAL_TIME_MODE | SECURE_MODE\nFileName=/a\n"
	       "[provider " GUID_1 "]\nEnabled=1\nexe=a\nname-level=\t4 \n");
	for (i = 0; text[i]; i++)
		parse_bytes(text, i);
	is(parse(text), 0, "the whole of it");
	free(text);
}

int main(void)
{
	test_defaults();
	test_values();
	test_bad();
	test_bad_providers();
	test_all();
	test_hostile();
	etw_autolog_free(&conf);
	return done_testing();
}
