// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge_dwarf - what a probe fetches follows from the debug information of a program: of this one
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <etw/tracelogging/base.h>
#include "bridge/probe_dwarf.h"
#include "lib/tap.h"

struct pair {
	long a, b;
};

struct big {
	long a[5];
};

struct member {
	short number;
	const char *name;
	unsigned int low : 3, high : 11;
	struct {
		int in_it;
	};
	char comm[16];
	struct pair pairs[2];
	struct member *next;
};

enum kind { ONE, TWO };
enum level { LOW = -1, HIGH };
typedef unsigned short port;

static volatile long sink;

/* Each with and without optimization, which leaves other traces in the debug information */
#define FUNCTIONS(SUFFIX, ATTRIBUTE)								\
ATTRIBUTE static int plain_##SUFFIX(int n, const char *path, unsigned long len, bool yes,	\
				    pid_t pid, port p)						\
{												\
	sink += n + (long)len + yes + pid + p + *path;						\
	return n;										\
}												\
ATTRIBUTE static char *text_##SUFFIX(char *buf, double ratio, enum kind kind,			\
				     enum level level, const char *one, const char *two)	\
{												\
	sink += (long)ratio + kind + level + *one + *two;					\
	return buf;										\
}												\
ATTRIBUTE static struct pair pair_##SUFFIX(struct pair p, int after)				\
{												\
	sink += p.a + after;									\
	return p;										\
}												\
ATTRIBUTE static double real_##SUFFIX(float f)							\
{												\
	return f * (double)sink;								\
}												\
ATTRIBUTE static struct big *big_##SUFFIX(struct big by_value, long after)			\
{												\
	sink += by_value.a[1] + after;								\
	return NULL;										\
}												\
ATTRIBUTE static void nothing_##SUFFIX(void)							\
{												\
	sink++;											\
}												\
ATTRIBUTE static struct member *member_##SUFFIX(int n, struct member *m)			\
{												\
	sink += n + m->number + m->in_it;							\
	return m;										\
}												\
ATTRIBUTE static long seven_##SUFFIX(int a, int b, int c, int d, int e, int f, int g)		\
{												\
	return sink + a + b + c + d + e + f + g;						\
}

FUNCTIONS(fast, __attribute__((noinline, noclone)))
FUNCTIONS(slow, __attribute__((noinline, noclone, optimize("O0"))))

static struct probe_args args;
static uint64_t base;		/* of this program in memory */
static char path[4096];

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	base = info->dlpi_addr;
	return 1;
}

static int find(void *function, bool returns)
{
	return probe_dwarf_args(path, (uint64_t)(uintptr_t)function - base, returns, &args);
}

static int is_arg(unsigned int i, const char *name, const char *fetch, unsigned int out)
{
	const struct probe_arg *a = &args.list[i];

	if (i < args.count && !strcmp(a->name, name) && !strcmp(a->fetch, fetch) && a->out == out)
		return 1;
	printf("# %u of %u: %s=%s, shown by %u\n", i, args.count, a->name, a->fetch, a->out);
	return 0;
}

static void integers(void *function)
{
	is(find(function, false), 0, "integers");
	ok(is_arg(0, "n", "%di:s32", 0), "with a sign");
	ok(is_arg(1, "path", "+0(%si):string", TlgOutUTF8), "a text");
	ok(is_arg(2, "len", "%dx:u64", 0), "without");
	ok(is_arg(3, "yes", "%cx:u8", TlgOutBOOLEAN), "a truth value");
	ok(is_arg(4, "pid", "%r8:u32", TlgOutPID), "a process");
	ok(is_arg(5, "p", "%r9:u16", 0), "by another name");
	ok(args.count == 6 && !args.missing, "that is all");
	is(find(function, true), 0, "the value");
	ok(args.count == 1 && is_arg(0, "ret", "$retval:s32", 0), "has a sign");
}

static void pointers(void *function)
{
	is(find(function, false), 0, "pointers and floats");
	ok(is_arg(0, "buf", "%di:x64", TlgOutHEX), "a buffer is no text");
	ok(is_arg(1, "kind", "%si:u32", 0), "a float takes no register of the others");
	ok(is_arg(2, "level", "%dx:s32", 0), "an enumeration with a sign");
	ok(is_arg(3, "one", "+0(%cx):string", TlgOutUTF8), "a text");
	ok(is_arg(4, "two", "%r8:x64", TlgOutHEX), "of several texts the first");
	ok(args.count == 5 && args.missing == 1, "the float is missing");
	is(find(function, true), 0, "a pointer to char");
	ok(is_arg(0, "ret", "+0($retval):string", TlgOutUTF8), "is a text");
}

static void few(void *function, unsigned int count, unsigned int missing, const char *what)
{
	is(find(function, false), 0, what);
	ok(args.count == count && args.missing == missing, "%u, and %u missing", args.count, args.missing);
}

static int fields(void *function, bool returns, const char *list)
{
	char why[512] = "";
	int err = probe_dwarf_fields(path, (uint64_t)(uintptr_t)function - base, returns, list, &args,
				     why, sizeof(why));

	if (*why)
		printf("# %s\n", why);
	return err;
}

static void members(void *function)
{
	char want[64];

	is(fields(function, false, "n, m->number, m->next->in_it, m->name"), 0, "members");
	ok(is_arg(0, "n", "%di:s32", 0) && is_arg(1, "number", "+0(%si):s16", 0), "of an argument");
	snprintf(want, sizeof(want), "+%zu(+%zu(%%si)):s32", offsetof(struct member, in_it),
		 offsetof(struct member, next));
	ok(is_arg(2, "in_it", want, 0), "through a pointer, in a structure without a name");
	ok(is_arg(3, "name", "+0(+8(%si)):string", TlgOutUTF8), "a text");
	is(fields(function, false, "m->low, m->high, m->comm, m->pairs[1].b"), 0, "more of them");
	ok(is_arg(0, "low", "+16(%si):b3@0/32", 0) && is_arg(1, "high", "+16(%si):b11@3/32", 0),
	   "bit fields");
	snprintf(want, sizeof(want), "+%zu(%%si):string", offsetof(struct member, comm));
	ok(is_arg(2, "comm", want, TlgOutUTF8), "an array of char");
	snprintf(want, sizeof(want), "+%zu(%%si):s64", offsetof(struct member, pairs[1].b));
	ok(is_arg(3, "b", want, 0), "an index");
	is(fields(function, true, "ret->number"), 0, "of the value");
	ok(is_arg(0, "number", "+0($retval):s16", 0), "is fetched");
	is(fields(function, false, "m->nummer"), -EINVAL, "one that is not there");
	is(fields(function, false, "m->pairs[1]"), -EINVAL, "a whole structure");
}

int main(void)
{
	static struct member member = { .name = "" };

	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		return 1;
	dl_iterate_phdr(take_base, NULL);
	/* So that all of them are there */
	plain_fast(1, "", 0, true, 1, 2);
	plain_slow(1, "", 0, true, 1, 2);
	text_fast(path, 1, ONE, LOW, "", "");
	text_slow(path, 1, TWO, HIGH, "", "");
	sink += pair_fast((struct pair){ 1, 2 }, 3).b + pair_slow((struct pair){ 1, 2 }, 3).b;
	sink += (long)(real_fast(1) + real_slow(1));
	sink += !big_fast((struct big){ { 0 } }, 1) + !big_slow((struct big){ { 0 } }, 1);
	nothing_fast();
	nothing_slow();
	sink += seven_fast(1, 2, 3, 4, 5, 6, 7) + seven_slow(1, 2, 3, 4, 5, 6, 7);
	sink += member_fast(1, &member)->number + member_slow(1, &member)->number;
	members(member_fast);
	members(member_slow);
	integers(plain_fast);
	integers(plain_slow);
	pointers(text_fast);
	pointers(text_slow);
	/* What follows a structure is known only if the compiler says it. */
	few(pair_fast, 1, 1, "behind a structure");
	ok(is_arg(0, "after", "%dx:s32", 0), "is what the compiler says");
	few(pair_slow, 0, 2, "behind a structure, without optimization");
	is(find(pair_fast, true), 0, "a structure as value");
	ok(!args.count && args.missing == 1, "is missing");
	few(big_fast, 1, 1, "behind a large structure");
	ok(is_arg(0, "after", "%di:s64", 0), "which takes no register");
	few(real_fast, 0, 1, "a float");
	few(real_slow, 0, 1, "a float, without optimization");
	few(nothing_fast, 0, 0, "no parameter");
	few(nothing_slow, 0, 0, "no parameter, without optimization");
	is(find(nothing_fast, true), 0, "no value");
	ok(!args.count && !args.missing, "is none");
	few(seven_fast, 6, 1, "more parameters than registers");
	few(seven_slow, 6, 1, "more of them, without optimization");
	is(find((char *)plain_fast + 1, false), -ENOENT, "not at a function's begin");
	is(probe_dwarf_args("/etc/hostname", 0, false, &args), -ENOENT, "no program");
	is(probe_dwarf_args("/nonexistent", 0, false, &args), -ENOENT, "no file");
	return done_testing();
}
