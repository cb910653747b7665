// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge_schema - the format of a trace event becomes TraceLogging metadata, and says what is
 * copied of its record
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "base/text.h"
#include "bridge/trace_names.h"
#include "bridge/trace_pair.h"
#include "bridge/trace_schema.h"
#include "lib/tap.h"
#include "tdh/model/model.h"

#define COMMON								\
	"format:\n"							\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"	\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(declaration, offset, size, sign)				\
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define FORMAT(name, fields)						\
	"name: " name "\nID: 321\n" COMMON fields "\nprint fmt: \"%d\", REC->a\n"

static struct trace_schema s;

static int parse(const char *text, const char *name)
{
	return trace_schema_parse(text, strlen(text), name, false, &s);
}

/* Where the metadata of the field with this name lie, behind the name; NULL: there is none. */
static const unsigned char *field(const char *name)
{
	const unsigned char *at = s.metadata + 3, *end = s.metadata + s.metadata_len;
	const char *here;

	at += strlen((const char *)at) + 1;
	while (at < end) {
		here = (const char *)at;
		at += strlen(here) + 1;
		if (!strcmp(here, name))
			return at;
		at += 1 + (*at & TlgInChain ? 1 : 0) + ((*at & 0x60) == TlgInCcount ? 2 : 0);
	}
	return NULL;
}

static int is_type(const char *name, unsigned int in, unsigned int out)
{
	const unsigned char *at = field(name);

	return at && at[0] == (in | (out ? TlgInChain : 0)) && (!out || at[1] == out);
}

static int is_piece(unsigned int i, unsigned int kind, unsigned int offset, unsigned int size)
{
	return i < s.piece_count && s.pieces[i].kind == kind && s.pieces[i].offset == offset &&
	       s.pieces[i].size == size;
}

static void numbers(void)
{
	is(parse(FORMAT("n", FIELD("int a", 8, 4, 1) FIELD("u8 b", 12, 1, 0)
			FIELD("bool c", 13, 1, 0) FIELD("short d", 14, 2, 1)
			FIELD("pid_t e", 16, 4, 1) FIELD("void * f", 24, 8, 0)
			FIELD("unsigned long gfp_flags", 32, 8, 0) FIELD("s64 h", 40, 8, 1)), "n"),
	   0, "a format is parsed");
	is(s.id, 321, "its id");
	is(s.metadata[0] | s.metadata[1] << 8, s.metadata_len, "the metadata begin with their size");
	ok(!strcmp((char *)s.metadata + 3, "n"), "the event's name");
	ok(!field("common_pid"), "what all have in common is left out");
	ok(is_type("a", TlgInINT32, 0), "int");
	ok(is_type("b", TlgInUINT8, 0), "u8");
	ok(is_type("c", TlgInUINT8, TlgOutBOOLEAN), "bool");
	ok(is_type("d", TlgInINT16, 0), "short");
	ok(is_type("e", TlgInUINT32, TlgOutPID), "pid_t");
	ok(is_type("f", TlgInUINT64, TlgOutHEX), "a pointer");
	ok(is_type("gfp_flags", TlgInUINT64, TlgOutHEX), "flags are bits");
	ok(is_type("h", TlgInINT64, 0), "s64");
	is(s.piece_count, 2, "neighbours are one piece, the gap is left out");
	ok(is_piece(0, ETW_TRACE_COPY, 8, 12) && is_piece(1, ETW_TRACE_COPY, 24, 24), "the pieces");
	ok(!strcmp(s.fields, "id=0: i32 a, u8 b, u8 c, i16 d, u32 e, u64 f, u64 gfp_flags, i64 h"),
	   "the same for filters: %s", s.fields);
}

static void texts_and_arrays(void)
{
	const unsigned char *count;

	is(parse(FORMAT("t", FIELD("char comm[16]", 8, 16, 0) FIELD("__data_loc char[] name", 24, 4, 0)
			FIELD("__u8 bytes[4]", 28, 4, 0) FIELD("__data_loc unsigned long[] cpus", 32, 4, 0)
			FIELD("__rel_loc char[] late", 36, 4, 0)
			FIELD("struct thing x", 40, 12, 0)), "t"), 0, "a format with texts");
	ok(is_type("comm", TlgInCOUNTEDANSISTRING, TlgOutUTF8) &&
	   is_piece(0, ETW_TRACE_TEXT, 8, 16), "an array of characters");
	ok(is_type("name", TlgInCOUNTEDANSISTRING, TlgOutUTF8) &&
	   is_piece(1, ETW_TRACE_TEXT_AT, 24, 0), "a text that is elsewhere");
	count = field("bytes");
	ok(count && count[0] == (TlgInUINT8 | TlgInCcount) && count[1] == 4 &&
	   is_piece(2, ETW_TRACE_COPY, 28, 4), "an array of bytes");
	ok(is_type("cpus", TlgInUINT64 | TlgInVcount, 0) &&
	   is_piece(3, ETW_TRACE_ARRAY_AT, 32, 8), "an array that is elsewhere");
	ok(is_piece(4, ETW_TRACE_TEXT_AT, 36, 0) && s.pieces[4].flags == ETW_TRACE_RELATIVE,
	   "a relative location");
	ok(is_type("x", TlgInBINARY, 0) && is_piece(5, ETW_TRACE_BYTES, 40, 12), "a structure");
	ok(!strncmp(s.fields, "id=0: cstr comm, cstr name, u8[4] bytes, u16 _", 45),
	   "the same for filters: %s", s.fields);
	ok(strstr(s.fields, "] cpus, cstr late, cbin x"), "with the length of an array before it");
}

/* What the kernel declares as bytes; others of such sizes are bytes. */
static void addresses(void)
{
	is(parse(FORMAT("a", FIELD("__u8 saddr[4]", 8, 4, 0) FIELD("__u8 daddr[4]", 12, 4, 0)
			FIELD("__u8 saddr_v6[16]", 16, 16, 0)
			FIELD("__u8 daddr[sizeof(struct sockaddr_in6)]", 32, 28, 0)
			FIELD("__u8 saddr_mac[6]", 60, 6, 0) FIELD("__u8 key[16]", 66, 16, 0)
			FIELD("__u32 saddr", 84, 4, 0)), "a"), 0, "a format with addresses");
	ok(is_type("saddr", TlgInUINT32, TlgOutIPV4), "of IPv4");
	ok(is_piece(0, ETW_TRACE_COPY, 8, 8), "which is copied");
	ok(is_type("saddr_v6", TlgInBINARY, TlgOutIPV6) && is_piece(1, ETW_TRACE_BYTES, 16, 16),
	   "of IPv6");
	ok(is_piece(2, ETW_TRACE_BYTES, 32, 28), "of either");
	ok(field("saddr_mac")[0] == (TlgInUINT8 | TlgInCcount), "none of these");
	ok(field("key")[0] == (TlgInUINT8 | TlgInCcount), "a key");
	ok(!strcmp(s.fields, "id=0: u32 saddr, u32 daddr, cbin saddr_v6, cbin daddr, u8[6] saddr_mac, "
			     "u8[16] key, u32 saddr"), "the same for filters: %s", s.fields);
}

static void system_calls(void)
{
	is(parse(FORMAT("sys_enter_x", FIELD("int __syscall_nr", 8, 4, 1) FIELD("int dfd", 16, 8, 0)
			FIELD("const char * filename", 24, 8, 0) FIELD("umode_t mode", 32, 8, 0)
			FIELD("const char * buf", 40, 8, 0) FIELD("size_t count", 48, 8, 0)
			FIELD("const char * second", 56, 8, 0) FIELD("const char * third", 64, 8, 0)
			FIELD("unsigned int n", 72, 8, 0)), "sys_enter_x"), 0, "a system call");
	ok(!field("__syscall_nr"), "its number is left out");
	ok(is_type("dfd", TlgInINT32, 0) && is_piece(0, ETW_TRACE_COPY, 16, 4),
	   "an int is half of its register");
	ok(is_type("filename", TlgInCOUNTEDANSISTRING, TlgOutUTF8) &&
	   is_piece(1, ETW_TRACE_USER_TEXT, 24, 8), "a text is read");
	ok(is_type("buf", TlgInUINT64, TlgOutHEX), "a buffer is not");
	ok(is_type("second", TlgInCOUNTEDANSISTRING, TlgOutUTF8), "a second text");
	ok(is_type("third", TlgInUINT64, TlgOutHEX), "the third one is an address");
	ok(is_type("n", TlgInUINT32, 0), "unsigned int");
	ok(!s.cut, "nothing is missing");
}

#define CONNECT	FORMAT("sys_enter_connect",						\
		       FIELD("int __syscall_nr", 8, 4, 1) FIELD("int fd", 16, 8, 0)	\
		       FIELD("struct sockaddr * uservaddr", 24, 8, 0)			\
		       FIELD("int addrlen", 32, 8, 0))
#define ACCEPT	FORMAT("sys_enter_accept",						\
		       FIELD("int __syscall_nr", 8, 4, 1) FIELD("int fd", 16, 8, 0)	\
		       FIELD("struct sockaddr * upeer_sockaddr", 24, 8, 0)		\
		       FIELD("int * upeer_addrlen", 32, 8, 0))
#define SENDTO	FORMAT("sys_enter_sendto",						\
		       FIELD("int __syscall_nr", 8, 4, 1) FIELD("int fd", 16, 8, 0)	\
		       FIELD("void * buff", 24, 8, 0) FIELD("size_t len", 32, 8, 0)	\
		       FIELD("unsigned int flags", 40, 8, 0)				\
		       FIELD("struct sockaddr * addr", 48, 8, 0)			\
		       FIELD("int addr_len", 56, 8, 0))

/* Those that the caller gives, not those that the kernel fills in */
static void socket_addresses(void)
{
	is(parse(CONNECT, "sys_enter_connect"), 0, "a system call with a socket's address");
	ok(is_type("uservaddr", TlgInBINARY, TlgOutSOCKETADDRESS) &&
	   is_piece(1, ETW_TRACE_USER_BYTES, 24, 128) && s.pieces[1].length_offset == 32,
	   "which is read");
	ok(is_type("addrlen", TlgInINT32, 0) && is_piece(2, ETW_TRACE_COPY, 32, 4), "its length");
	ok(s.reads_bytes, "the module has to know how");
	ok(!strcmp(s.fields, "id=0: i32 fd, cbin uservaddr, i32 addrlen"),
	   "the same for filters: %s", s.fields);
	is(parse(SENDTO, "sys_enter_sendto"), 0, "one with data as well");
	ok(is_type("buff", TlgInUINT64, TlgOutHEX) && is_type("addr", TlgInBINARY, TlgOutSOCKETADDRESS),
	   "which are not read");
	is(parse(ACCEPT, "sys_enter_accept"), 0, "one that returns an address");
	ok(is_type("upeer_sockaddr", TlgInUINT64, TlgOutHEX) && !s.reads_bytes, "is not there yet");
	is(parse(FORMAT("sys_enter_z", FIELD("struct sockaddr * addr", 16, 8, 0)
			FIELD("struct sockaddr * other", 24, 8, 0)), "sys_enter_z"), 0,
	   "addresses without a length");
	ok(is_type("addr", TlgInUINT64, TlgOutHEX) && is_type("other", TlgInUINT64, TlgOutHEX),
	   "are numbers");
	is(parse(FORMAT("sys_enter_z", FIELD("const char * a", 16, 8, 0)
			FIELD("struct sockaddr * b", 24, 8, 0) FIELD("int blen", 32, 8, 0)
			FIELD("const char * c", 40, 8, 0)), "sys_enter_z"), 0, "with texts");
	ok(is_type("a", TlgInCOUNTEDANSISTRING, TlgOutUTF8) &&
	   is_type("b", TlgInBINARY, TlgOutSOCKETADDRESS) && is_type("c", TlgInUINT64, TlgOutHEX),
	   "the first two are read");
	is(parse(FORMAT("z", FIELD("struct sockaddr * a", 16, 8, 0) FIELD("int alen", 24, 8, 0)),
		 "z"), 0, "in an event that is no system call");
	ok(is_type("a", TlgInUINT64, TlgOutHEX), "it may be the kernel's");
	is(trace_schema_parse(CONNECT, strlen(CONNECT), "sys_enter_connect", true, &s), 0,
	   "for an older module");
	ok(is_type("uservaddr", TlgInUINT64, TlgOutHEX) && s.piece_count == 2 && !s.reads_bytes &&
	   is_piece(1, ETW_TRACE_COPY, 24, 8 + 4), "it stays a number");
}

/* What the kernel declares unsigned, and its callers know better */
static void signed_arguments(void)
{
	is(parse(FORMAT("sys_enter_y", FIELD("pid_t pid", 16, 8, 0) FIELD("off_t offset", 24, 8, 0)
			FIELD("long request", 32, 8, 0) FIELD("unsigned long addr", 40, 8, 0)
			FIELD("unsigned flags", 48, 8, 0) FIELD("unsigned n", 56, 8, 0)
			FIELD("const clockid_t clock", 64, 8, 0) FIELD("int flags", 72, 8, 0)
			FIELD("uid_t uid", 80, 8, 0)), "sys_enter_y"), 0, "arguments with signs");
	ok(is_type("pid", TlgInINT32, 0) && is_piece(0, ETW_TRACE_COPY, 16, 4), "-1 is any process");
	ok(is_type("offset", TlgInINT64, 0), "an offset goes back");
	ok(is_type("request", TlgInINT64, 0), "long");
	ok(is_type("addr", TlgInUINT64, 0), "unsigned long");
	ok(is_type("flags", TlgInUINT32, TlgOutHEX), "unsigned flags");
	ok(is_type("n", TlgInUINT32, 0), "unsigned alone is an int");
	ok(is_type("clock", TlgInINT32, 0), "the clock of a process is negative");
	ok(is_type("uid", TlgInUINT32, 0), "a user's id is not");
}

/* A command of SCSI is no text: it has NULs. */
static void bytes(void)
{
	const unsigned char *count;

	is(parse(FORMAT("b", FIELD("__data_loc unsigned char[] cmnd", 8, 4, 0)
			FIELD("unsigned char uuid[16]", 12, 16, 0)), "b"), 0, "arrays of bytes");
	ok(is_type("cmnd", TlgInBINARY, 0) && is_piece(0, ETW_TRACE_ARRAY_AT, 8, 1), "elsewhere");
	count = field("uuid");
	ok(count && count[0] == (TlgInUINT8 | TlgInCcount) && count[1] == 16 &&
	   is_piece(1, ETW_TRACE_COPY, 12, 16), "in the record");
}

static void limits(void)
{
	char *text = malloc(100000), *at = text;
	int i;

	at += sprintf(at, "name: big\nID: 1\n" COMMON);
	for (i = 0; i < 80; i++)
		at += sprintf(at, "\tfield:u8 f%d;\toffset:%d;\tsize:1;\tsigned:0;\n", i, 8 + 2 * i);
	sprintf(at, "\nprint fmt: \"%%d\", REC->f0\n");
	is(parse(text, "big"), 0, "more fields than pieces");
	ok(s.cut && s.piece_count == ETW_TRACE_PIECES_MAX, "are cut");
	ok(field("f59") && !field("f60"), "after those that there is room for");
	is(s.metadata[0] | s.metadata[1] << 8, s.metadata_len, "and the size is right");
	free(text);
	is(parse("nonsense", "x"), -EINVAL, "text that is no format");
	is(parse("", "x"), -EINVAL, "no text");
}

/* The format's last line need not be understood. */
static void prints_strangely(void)
{
	is(parse("name: p\nID: 7\n" COMMON FIELD("int a", 8, 4, 1)
		 "\nprint fmt: \"%s\", __no_such({(), %$, REC->a\n", "p"), 0, "a strange print format");
	ok(s.id == 7 && is_type("a", TlgInINT32, 0), "changes nothing");
}

#define PRINT(fields, arguments)					\
	"name: n\nID: 9\n" COMMON fields "\nprint fmt: \"%s\", " arguments "\n"
#define NAME(value, text)	"<map value=\"" value "\" message=\"" text "\"/>"
#define MASK	"((((0x00000000 | 0x00000001 | 0x00000002) + 1) << 1) - 1)"

/* What the kernel calls the values, as libraries of manifests read it */
static void names_of_values(void)
{
	const struct etw_guid guid = { 1, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } };
	struct etw_problems problems = { .count = 0 };
	struct etw_text text = { 0 };
	struct etw_manifest *manifest;

	is(parse(PRINT(FIELD("int state", 8, 4, 1) FIELD("long prev", 16, 8, 1)
		       FIELD("unsigned int gfp", 24, 4, 0) FIELD("int a[2]", 28, 8, 1)
		       FIELD("int none", 36, 4, 1) FIELD("u8 small", 40, 1, 0),
		       "__print_symbolic(REC->state, { 1, \"ON\" }, { -1, \"a<b\" }), "
		       "(REC->prev & " MASK ") ? __print_flags(REC->prev & " MASK ", \"|\", "
		       "{ 0x00000001, \"S\" }, { 0x00000002, \"D\" }) : \"R\", "
		       "REC->prev & (((0x00000000 | 0x00000001) + 1) << 1) ? \"+\" : \"\", "
		       "(REC->gfp) ? __print_flags(REC->gfp, \"|\", "
		       "{ (unsigned long)((0x400u|0x800u) | 0x40u), \"KERNEL\" }, "
		       "{ (unsigned long)0x40u, \"IO\" }) : \"none\", "
		       "__print_symbolic(REC->a, { 1, \"A\" }), "
		       "__print_symbolic(REC->none, { UNKNOWN_NAME, \"N\" }), "
		       "__print_symbolic(REC->small, { -1, \"ALL\" })"), "n"), 0,
	   "a format with names");
	ok(strstr(s.names, "<valueMap name=\"state\">" NAME("0x1", "ON") NAME("0xffffffff", "a&lt;b")
		  "</valueMap>"), "of symbols, negative ones, too: %s", s.names);
	ok(strstr(s.names, "<bitMap name=\"prev\">" NAME("0x1", "S") NAME("0x2", "D") NAME("0x0", "R")
		  NAME("0x4", "R+") NAME("0x5", "S+") NAME("0x6", "D+") "</bitMap>"), "of flags, of none of them, and of one more");
	ok(strstr(s.names, "<bitMap name=\"gfp\">" NAME("0xc40", "KERNEL") NAME("0x40", "IO")
		  NAME("0x0", "none") "</bitMap>"), "of several flags");
	ok(!strstr(s.names, "name=\"a\"") && !strstr(s.names, "name=\"none\""),
	   "none of arrays, and of what libtraceevent does not know");
	ok(strstr(s.names, NAME("0xff", "ALL")), "a narrow field has no sign");
	trace_names_manifest(&text, "tracepoint:a:n", &guid, s.names);
	is(etw_manifest_read_memory(text.data, text.len, "names", &manifest, &problems), 0,
	   "the manifest can be read");
	ok(manifest->providers[0].map_count == 4 && manifest->providers[0].events[0].template->top == 4 &&
	   !strcmp(manifest->providers[0].events[0].name, "n"), "and has the maps and the event");
	etw_manifest_put(manifest);
	etw_problems_free(&problems);
	etw_text_free(&text);
	parse(FORMAT("m", FIELD("int a", 8, 4, 1)), "m");
	ok(!*s.names, "an event without names has none");
}

/* Masks with operators that have one operand, and names of 0 of another field than the flags */
static void names_of_expressions(void)
{
	is(parse(PRINT(FIELD("unsigned int a", 8, 4, 0) FIELD("unsigned int b", 12, 4, 0)
		       FIELD("unsigned int c", 16, 4, 0),
		       "__print_flags(REC->a & ~0x1, \"|\", { 2, \"A\" }), "
		       "__print_flags(REC->b & -2, \"|\", { 4, \"B\" }), "
		       "REC->a ? __print_flags(REC->c, \"|\", { 8, \"C\" }) : \"none\""), "n"), 0,
	   "a format with expressions");
	ok(strstr(s.names, "<bitMap name=\"a\">" NAME("0x2", "A") "</bitMap>"), "not: %s", s.names);
	ok(strstr(s.names, "<bitMap name=\"b\">" NAME("0x4", "B") "</bitMap>"), "minus");
	ok(strstr(s.names, "<bitMap name=\"c\">" NAME("0x8", "C") "</bitMap>"),
	   "the name that is shown for 0 of one field is none of the other's");
}

/* There are as many as fit. */
static void too_many_names(void)
{
	char *text = malloc(200000), *at = text;
	int field, i;

	at += sprintf(at, "name: big\nID: 1\n" COMMON);
	for (field = 0; field < 3; field++)
		at += sprintf(at, "\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;\n", field,
			      8 + 4 * field);
	at += sprintf(at, "\nprint fmt: \"%%s\"");
	for (field = 0; field < 3; field++) {
		at += sprintf(at, ", __print_symbolic(REC->f%d", field);
		for (i = 0; i < (field == 1 ? 1000 : 10); i++)
			at += sprintf(at, ", { %d, \"%040d\" }", i, i);
		at += sprintf(at, ")");
	}
	sprintf(at, "\n");
	is(parse(text, "big"), 0, "names that exceed the room");
	ok(strstr(s.names, "name=\"f0\"") && !strstr(s.names, "name=\"f1\"") &&
	   strstr(s.names, "name=\"f2\""), "those that fit are there");
	free(text);
}

/* Whoever gave the provider its name must not choose files outside tracefs. */
static void names_of_files(void)
{
	static const char *const names[] = {
		"../../../../tmp/e:x", "..:x", ".:x", ":x", "a/b:x", "sched:", "sched:..", "sched:.",
		"sched:../signal/signal_deliver", "sched:/x",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		ok(trace_schema_read(names[i], &s) == -EINVAL, "\"%s\" is not read", names[i]);
	is(trace_schema_read("sched", &s), -ENOENT, "nor is a system alone");
}

static int is_pair(const char *name, const char *other, int ends_it)
{
	char text[64];
	bool ends;
	unsigned int i;

	for (i = 0; trace_pair_name(name, i, text, sizeof(text), &ends); i++)
		if (!strcmp(text, other))
			return ends == ends_it;
	return 0;
}

static void pairs(void)
{
	char text[64];
	bool ends;

	ok(is_pair("sys_enter_read", "sys_exit_read", 0), "the begin of a system call");
	ok(is_pair("sys_exit_read", "sys_enter_read", 1), "its end");
	ok(is_pair("softirq_entry", "softirq_exit", 0), "entry and exit");
	ok(is_pair("softirq_exit", "softirq_entry", 1), "exit and entry");
	ok(is_pair("x_start", "x_done", 0) && is_pair("x_start", "x_end", 0), "start and done or end");
	ok(is_pair("x_done", "x_begin", 1), "done and begin");
	ok(is_pair("block_rq_issue", "block_rq_complete", 0), "issue and complete");
	ok(!trace_pair_name("sched_switch", 0, text, sizeof(text), &ends), "no pair");
	ok(!trace_pair_name("_exit", 0, text, sizeof(text), &ends), "a name that is only the word");
}

int main(void)
{
	pairs();
	names_of_files();
	numbers();
	texts_and_arrays();
	addresses();
	system_calls();
	socket_addresses();
	signed_arguments();
	bytes();
	limits();
	prints_strangely();
	names_of_values();
	names_of_expressions();
	too_many_names();
	return done_testing();
}
