// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge_btf - what a probe fetches follows from the types of the function's parameters
 */
#include <bpf/btf.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "bridge/probe_btf.h"
#include "lib/tap.h"

static struct btf *btf;
static struct probe_args args;
static int t_int, t_uint, t_char, t_uchar, t_long, t_bool, t_pid, t_enum, t_text, t_bytes, t_file,
	   t_pair, t_one, t_big, t_wide;

static void types(void)
{
	int t_const, t_struct;

	btf = btf__new_empty();
	t_int = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	t_uint = btf__add_int(btf, "unsigned int", 4, 0);
	t_char = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	t_uchar = btf__add_int(btf, "unsigned char", 1, 0);
	t_long = btf__add_int(btf, "long int", 8, BTF_INT_SIGNED);
	t_bool = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	t_wide = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	t_pid = btf__add_typedef(btf, "pid_t", btf__add_typedef(btf, "__kernel_pid_t", t_int));
	t_enum = btf__add_enum(btf, "kind", 4);
	t_const = btf__add_const(btf, t_char);
	t_text = btf__add_const(btf, btf__add_ptr(btf, t_const));
	t_bytes = btf__add_ptr(btf, t_uchar);
	t_struct = btf__add_fwd(btf, "file", BTF_FWD_STRUCT);
	t_file = btf__add_ptr(btf, t_struct);
	t_one = btf__add_struct(btf, "one", 8);
	t_pair = btf__add_struct(btf, "pair", 16);
	t_big = btf__add_struct(btf, "big", 40);
}

/* NAME, TYPE, ..., NULL */
static void function(const char *name, int ret, ...)
{
	const char *param;
	int proto;
	va_list list;

	proto = btf__add_func_proto(btf, ret);
	va_start(list, ret);
	while ((param = va_arg(list, const char *)))
		btf__add_func_param(btf, param, va_arg(list, int));
	va_end(list);
	btf__add_func(btf, name, BTF_FUNC_STATIC, proto);
}

static int is_arg(unsigned int i, const char *name, const char *fetch, unsigned int out)
{
	const struct probe_arg *a = &args.list[i];

	if (i < args.count && !strcmp(a->name, name) && !strcmp(a->fetch, fetch) && a->out == out)
		return 1;
	printf("# %u of %u: %s=%s %u\n", i, args.count, a->name, a->fetch, a->out);
	return 0;
}

static void kinds(void)
{
	function("f", t_int, "dfd", t_int, "name", t_text, "yes", t_bool, "pid", t_pid, "file",
		 t_file, "kind", t_enum, NULL);
	is(probe_btf_args(btf, "f", false, &args), 0, "a function");
	ok(is_arg(0, "dfd", "$arg1:s32", 0), "int");
	ok(is_arg(1, "name", "+0($arg2):string", TlgOutUTF8), "const char *");
	ok(is_arg(2, "yes", "$arg3:u8", TlgOutBOOLEAN), "bool");
	ok(is_arg(3, "pid", "$arg4:u32", TlgOutPID), "pid_t");
	ok(is_arg(4, "file", "$arg5:x64", TlgOutHEX), "a pointer");
	ok(is_arg(5, "kind", "$arg6:u32", 0), "an enumeration");
	is(args.missing, 0, "that is all");
	function("g", t_long, "c", t_uchar, "bytes", t_bytes, "buf", t_text, "n", t_long, NULL);
	is(probe_btf_args(btf, "g", false, &args), 0, "a second one");
	ok(is_arg(0, "c", "$arg1:u8", 0), "unsigned char");
	ok(is_arg(1, "bytes", "$arg2:x64", TlgOutHEX), "bytes are no text");
	ok(is_arg(2, "buf", "$arg3:x64", TlgOutHEX), "nor is a buffer");
	ok(is_arg(3, "n", "$arg4:s64", 0), "long");
	is(probe_btf_args(btf, "no", false, &args), -ENOENT, "a function that is not there");
	function("m", t_int, "dev", t_text, "dir", t_text, NULL);
	is(probe_btf_args(btf, "m", false, &args), 0, "two texts");
	ok(is_arg(0, "dev", "+0($arg1):string", TlgOutUTF8) &&
	   is_arg(1, "dir", "$arg2:x64", TlgOutHEX), "of which one fits into a record");
}

static void structures(void)
{
	function("s", 0, "one", t_one, "pair", t_pair, "big", t_big, "n", t_int, NULL);
	is(probe_btf_args(btf, "s", false, &args), 0, "structures");
	ok(args.count == 1 && is_arg(0, "n", "$arg4:s32", 0), "take registers up to 16 bytes");
	is(args.missing, 3, "and are missing");
	function("t", 0, "a", t_int, "b", t_int, "c", t_int, "d", t_int, "e", t_int, "wide", t_wide,
		 "f", t_int, "g", t_int, NULL);
	is(probe_btf_args(btf, "t", false, &args), 0, "more than there are registers");
	ok(args.count == 6 && is_arg(5, "f", "$arg6:s32", 0), "what does not fit leaves its room");
	is(args.missing, 2, "and is missing");
}

static void odd_names(void)
{
	function("o", 0, "", t_int, "common_pid", t_int, "__probe_ip", t_int,
		 "a_name_that_is_longer_than_the_kernel_takes", t_int, "x", t_int, "x", t_int, NULL);
	is(probe_btf_args(btf, "o", false, &args), 0, "odd names");
	ok(is_arg(0, "arg1", "$arg1:s32", 0), "no name");
	ok(is_arg(1, "arg2", "$arg2:s32", 0), "a name that all events have");
	ok(is_arg(2, "arg3", "$arg3:s32", 0), "one that all probes have");
	ok(is_arg(3, "arg4", "$arg4:s32", 0), "one that is too long");
	ok(is_arg(4, "x", "$arg5:s32", 0) && is_arg(5, "arg6", "$arg6:s32", 0), "the same twice");
	function("v", 0, "fmt", t_text, "", 0, NULL);
	is(probe_btf_args(btf, "v", false, &args), 0, "a variable number");
	is(args.count, 1, "ends the arguments");
}

static void values(void)
{
	is(probe_btf_args(btf, "f", true, &args), 0, "the value of a function");
	ok(args.count == 1 && is_arg(0, "ret", "$retval:s32", 0), "an int");
	is(probe_btf_args(btf, "s", true, &args), 0, "void");
	ok(!args.count && !args.missing, "is none");
	function("p", t_pair, NULL);
	is(probe_btf_args(btf, "p", true, &args), 0, "a structure");
	ok(!args.count && args.missing == 1, "is missing");
	function("q", t_text, NULL);
	is(probe_btf_args(btf, "q", true, &args), 0, "a text");
	ok(is_arg(0, "ret", "+0($retval):string", TlgOutUTF8), "is read");
}

/* A type that is made of itself must come to an end. */
static void circles(void)
{
	int next = (int)btf__type_cnt(btf);

	function("c", 0, "x", btf__add_typedef(btf, "loop", next), "y", t_int, NULL);
	is(probe_btf_args(btf, "c", false, &args), 0, "a circle of types");
	is(args.count, 0, "is no argument");
}

/* ------------------------------------------------------------------------- members */

static char why[512];

static int fields(const char *function_name, bool returns, const char *list)
{
	*why = '\0';
	return probe_btf_fields(btf, function_name, returns, list, &args, why, sizeof(why));
}

/* NAME, TYPE, bit offset, bits, ..., NULL */
static int structure(const char *name, uint32_t size, ...)
{
	int id = btf__add_struct(btf, name, size), type;
	const char *member;
	uint32_t offset;
	va_list list;

	va_start(list, size);
	while ((member = va_arg(list, const char *))) {
		type = va_arg(list, int);
		offset = va_arg(list, uint32_t);
		btf__add_field(btf, member, type, offset, va_arg(list, uint32_t));
	}
	va_end(list);
	return id;
}

/* struct open { struct node *node; struct { int in_it; }; struct name { u64; char *text; } name; ... } */
static void members_of(void)
{
	const int name = structure("name", 16, "len", t_uint, 0u, 0u, "text", t_text, 64u, 0u, NULL);
	const int node = structure("node", 4096, "number", t_long, 256u, 0u, "far", t_int, 32000u, 0u,
				   NULL);
	const int hidden = structure("", 8, "in_it", t_int, 32u, 0u, NULL);
	const int comm = btf__add_array(btf, t_int, t_char, 16);
	const int rows = btf__add_array(btf, t_int, btf__add_typedef(btf, "row", btf__add_array(btf, t_int,
												t_int, 4)), 3);
	const int places = btf__add_array(btf, t_int, name, 4);
	const int to_node = btf__add_ptr(btf, node);
	const int to_open = btf__add_ptr(btf, (int)btf__type_cnt(btf) + 1);
	const int t_open = structure("open", 256, "node", to_node, 0u, 0u, "", hidden, 64u,
				     0u, "name", name, 128u, 0u, "comm", comm, 256u, 0u, "low", t_uint,
				     384u, 5u, "high", t_uint, 413u, 7u, "places", places, 512u, 0u, "next",
				     to_open, 1024u, 0u, "bytes", t_bytes, 1152u, 0u, "rows", rows, 1280u, 0u, "unknown", t_file, 1088u, 0u, NULL);

	is(t_open, to_open + 1, "a structure that points to others of its kind");
	function("open", to_open, "n", t_int, "open", to_open, "pair", t_pair, NULL);
}

static void fields_of(void)
{
	members_of();
	is(fields("open", false, "n, open->node->number,open->in_it , open->name.len"), 0, "members");
	ok(is_arg(0, "n", "$arg1:s32", 0), "an argument");
	ok(is_arg(1, "number", "+32(+0($arg2)):s64", 0), "through a pointer");
	ok(is_arg(2, "in_it", "+12($arg2):s32", 0), "of a structure without a name");
	ok(is_arg(3, "len", "+16($arg2):u32", 0), "of a structure inside");
	ok(args.count == 4 && !args.missing, "and nothing else");
	is(fields("open", false, "open.name->text"), 0, "a point or an arrow");
	ok(is_arg(0, "text", "+0(+24($arg2)):string", TlgOutUTF8), "a text");
	is(fields("open", false, "open->comm, open->node"), 0, "an array of char");
	ok(is_arg(0, "comm", "+32($arg2):string", TlgOutUTF8) &&
	   is_arg(1, "node", "+0($arg2):x64", TlgOutHEX), "is a text, a pointer an address");
	is(fields("open", false, "str(open->bytes) , n"), 0, "bytes");
	ok(is_arg(0, "bytes", "+0(+144($arg2)):string", TlgOutUTF8) && is_arg(1, "n", "$arg1:s32", 0),
	   "are a text where that is said");
	is(fields("open", false, "str(open->comm)"), 0, "an array");
	ok(is_arg(0, "comm", "+32($arg2):string", TlgOutUTF8), "may be said to be one");
	is(fields("open", false, "open->low, open->high"), 0, "bit fields");
	ok(is_arg(0, "low", "+48($arg2):b5@0/32", 0) && is_arg(1, "high", "+48($arg2):b7@29/64", 0),
	   "of a word, and over the end of one");
	is(fields("open", false, "open->places[3].len, open->comm[1], open[1].in_it"), 0, "indices");
	ok(is_arg(0, "len", "+112($arg2):u32", 0) && is_arg(1, "comm", "+33($arg2):s8", 0) &&
	   is_arg(2, "in_it", "+268($arg2):s32", 0), "of arrays and of a pointer");
	is(fields("open", false, "open->rows[2][1], open->rows[0][3]"), 0, "arrays of arrays");
	ok(is_arg(0, "rows", "+196($arg2):s32", 0) && is_arg(1, "arg2", "+172($arg2):s32", 0),
	   "are as long as their elements are together");
	is(fields("f", false, "dfd, dfd, dfd"), 0, "one name thrice");
	ok(is_arg(0, "dfd", "$arg1:s32", 0) && is_arg(1, "arg2", "$arg1:s32", 0) &&
	   is_arg(2, "arg3", "$arg1:s32", 0), "is told apart");
	is(fields("open", true, "ret->in_it"), 0, "of a value");
	ok(is_arg(0, "in_it", "+12($retval):s32", 0), "is fetched");
	is(fields("open", false, ""), 0, "none");
	is(args.count, 0, "are no fields");
}

static void refuses(const char *list, const char *what)
{
	ok(fields("open", false, list) == -EINVAL && !strcmp(why, what), "%s", list);
	if (strcmp(why, what))
		printf("# %s\n", why);
}

static void bad_fields(void)
{
	refuses("m", "the function has no argument m");
	refuses("opem", "the function has no argument opem; did you mean open?");
	refuses("open->nod", "there is no member nod; did you mean node?");
	refuses("open->xyzzy", "there is no member xyzzy");
	refuses("open->in_itt", "there is no member in_itt; did you mean in_it?");
	refuses("n->x", "n is no structure");
	refuses("open->name", "open->name is a structure: name one of its members");
	refuses("open->unknown->x", "the type that open->unknown points to is not known");
	refuses("pair.a", "pair is in registers, of which members cannot be fetched");
	refuses("open->comm[x]", "the index of open->comm is not a number");
	refuses("open->comm[-1]", "the index of open->comm is not a number");
	refuses("open->comm[99999999999]", "the index of open->comm is not a number");
	refuses("n[1]", "n is neither an array nor a pointer");
	refuses("open->comm, open->name.text, open->comm", "open->comm is a second text: the kernel has room for one");
	refuses("str(open->low)", "open->low is neither a pointer nor an array");
	refuses("open[2147483647].in_it", "open[2147483647] is too far from where it begins");
	refuses("str(n)", "n is neither a pointer nor an array");
	refuses("str(open->name.text", "\")\" is missing behind open->name.text");
	refuses("open->", "a name is missing at \"\"");
	refuses(",n", "a name is missing at \",n\"");
	refuses("n,", "a name is missing behind the last comma");
	refuses("n n", "\"n\" follows n");
	refuses("n+1", "\"+1\" follows n");
	refuses("open->next->next->next->next->next->next->next->next->next->in_it",
		"open->next->next->next->next->next->next->next->next->next->in_it has more steps than the kernel takes");
	refuses("n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n,n", "there are more than 16 fields");
	is(fields("open", true, "n"), -EINVAL, "an argument at the return");
	is(fields("t", false, "g"), -EINVAL, "an argument that is in memory");
	ok(!strcmp(why, "the argument g is in no register"), "is in no register");
	is(fields("t", false, "f, a"), 0, "others are fetched");
	ok(is_arg(0, "f", "$arg6:s32", 0) && is_arg(1, "a", "$arg1:s32", 0), "by what they leave");
	is(fields("s", true, "ret"), -EINVAL, "nothing is returned");
	is(fields("none", false, "n"), -ENOENT, "of a function that is not there");
}

int main(void)
{
	types();
	kinds();
	structures();
	odd_names();
	values();
	circles();
	fields_of();
	bad_fields();
	btf__free(btf);
	return done_testing();
}
