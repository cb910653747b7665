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

int main(void)
{
	types();
	kinds();
	structures();
	odd_names();
	values();
	circles();
	btf__free(btf);
	return done_testing();
}
