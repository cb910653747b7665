// SPDX-License-Identifier: MIT
/*
 * symbols_dump - the functions in the stacks that etw dump prints: of the right build or none, with
 * and without debug information, compiled at run time, and with hostile names
 */
#include "symbols_make.h"

#include <dlfcn.h>

static uint64_t in_add, in_main;
static char server[128];

/* A stack that was caught in the inlined function, as the kernel would write it */
static void make_file(const char *path, const uint8_t *id, uint16_t id_len)
{
	/* Return addresses are behind their calls. */
	const uint64_t stack[] = { in_add, in_main + 1, 0 };

	report_begin();
	known_map(1000, path, id, id_len);
	known_stack(2000, KNOWN_PID, stack);
	known_end();
}

static void check_inlined(void)
{
	make_file(known_path, known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "stacks are printed");
	ok(known_said(" shop::Cart<int>::add [known] (inlined)\n") &&
	   known_said(" shop::Cart<int>::price [known] (inlined)\n") &&
	   known_said(" shop::Cart<int>::check_out+0x") && known_said(" main+0x"),
	   "inlined functions, and names as they were written");
	ok(strstr(run_out, "::add [known]") < strstr(run_out, "::price [known]") &&
	   strstr(run_out, "::price [known]") < strstr(run_out, "check_out+0x") &&
	   strstr(run_out, "check_out+0x") < strstr(run_out, "main+0x"), "from the innermost on");
	ok(!strstr(run_out, "ImageLoad") && run_reported(""),
	   "what was mapped is not printed, and there is nothing to report");
	run("dump --processes %s", known_file);
	ok(known_said("8856b9a4-b242-5735-0cfa-86d7c56d3266"), "--processes prints it");
}

/* A server that is asked only if the user says so; here it is a folder, and its cache another. */
static void check_server(void)
{
	char hex[41];
	size_t i;

	if (!dlopen("libdebuginfod.so.1", RTLD_NOW)) {
		skip("no libdebuginfod.so.1");
		return;
	}
	for (i = 0; i < sizeof(known_id); i++)
		sprintf(hex + 2 * i, "%02x", known_id[i]);
	known_shell("mkdir -p server/buildid/%s && cp known.debug server/buildid/%s/debuginfo",
		    hex, hex);
	setenv("DEBUGINFOD_CACHE_PATH", known_dir, 1);
	snprintf(server, sizeof(server), "file://%s/server", known_dir);
	setenv("DEBUGINFOD_URLS", server, 1);
	run("dump --stack %s", known_file);
	ok(known_said(" known+0x") && !strstr(run_out, "check_out"),
	   "no server is asked because of a variable");
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1", 1);
	run("dump --stack --debuginfod %s %s", server, known_file);
	ok(known_said("::add [known] (inlined)") && known_said("check_out+0x"),
	   "the server that is named has the debug information");
}

static void check_stripped(void)
{
	char hex[41];
	size_t i;

	for (i = 0; i < sizeof(known_id); i++)
		sprintf(hex + 2 * i, "%02x", known_id[i]);
	known_shell("objcopy --only-keep-debug known known.debug && strip known");
	run("dump --stack %s", known_file);
	ok(known_said(" known+0x") && !strstr(run_out, "check_out"), "a file without symbols");
	known_shell("mkdir -p root/usr/lib/debug/.build-id/%.2s && "
		    "cp known.debug root/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex, hex + 2);
	run("dump --stack --symbols %s/root %s", known_dir, known_file);
	ok(known_said("::add [known] (inlined)") && known_said("check_out+0x"),
	   "its debug information lies apart");
	known_shell("mv known away");
	run("dump --stack %s", known_file);
	ok(known_said(" known+0x") && strstr(run_err, "/known: no names: this build is not here\n"),
	   "a file that is gone");
	run("dump --stack --symbols %s/root %s", known_dir, known_file);
	ok(known_said("::add [known] (inlined)") && run_reported(""),
	   "the debug information is enough");
	/* As on the traced machine, below another folder */
	known_shell("mkdir -p root%s && cp away root%s/known && rm -r root/usr", known_dir, known_dir);
	run("dump --stack --symbols %s/root %s", known_dir, known_file);
	ok(known_said(" known+0x") && run_reported(""), "the file of another machine");
	known_shell("mv away known && rm -r root");
	check_server();
}

static void check_builds(void)
{
	uint8_t other[sizeof(known_id)];

	memcpy(other, known_id, sizeof(other));
	other[7]++;
	make_file(known_path, other, sizeof(other));
	run("dump --stack %s", known_file);
	ok(!strstr(run_out, "check_out") && known_said(" known+0x") &&
	   strstr(run_err, "/known: no names: the file here is another build than the traced one\n"),
	   "no names by another build, which is said");
	make_file(known_path, known_id, 0);
	run("dump --stack %s", known_file);
	ok(!strstr(run_out, "check_out") &&
	   strstr(run_err, "no names: the trace does not say of which build it was\n"),
	   "no names if the build is not known");
}

static void check_hostile(void)
{
	make_file("/\033[31m\xff\n/\033]0;x\a", known_id, sizeof(known_id));
	run("dump --stack %s", known_file);
	ok(!strchr(run_out, '\033') && !strchr(run_err, '\033') && !strchr(run_out, '\a') &&
	   known_said(" \\u001b]0;x\\u0007+0x"), "a path with control characters");
	/* Files that are none, or would never end */
	known_shell("mkfifo fifo && head -c 3000 known >cut && head -c 9000 /dev/zero >zero");
	make_file("/dev/zero", known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "a device is not read");
	make_file("/proc/kallsyms", known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "nor what the kernel makes");
	snprintf(known_path, sizeof(known_path), "%s/fifo", known_dir);
	make_file(known_path, known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "nor a pipe");
	snprintf(known_path, sizeof(known_path), "%s/cut", known_dir);
	make_file(known_path, known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "a program that is cut off");
	snprintf(known_path, sizeof(known_path), "%s/zero", known_dir);
	make_file(known_path, known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "a file of zeroes");
	/* Of another user, who may cut it off while it is mapped */
	known_shell("chmod o+w known");
	snprintf(known_path, sizeof(known_path), "%s/known", known_dir);
	make_file(known_path, known_id, sizeof(known_id));
	is(run("dump --stack %s", known_file), 0, "a program that others may change");
	ok(!strstr(run_err, "no names"), "is copied, and read");
}

/* A compiler at run time leaves a map; it is taken from the folder that is given. */
static void check_compiled(void)
{
	const uint64_t stack[] = { JIT + 0x15, JIT + 0x101, JIT + 0x5000, 0 };

	report_begin();
	known_stack(2000, KNOWN_PID, stack);
	known_end();
	known_shell("mkdir -p root/tmp && printf '%llx 40 LazyCompile:*old a.js:1\\n"
		    "%llx 40 LazyCompile:*f a.js:1\\nnonsense\\n%llx zz\\n%llx 10 g\\033[1m\\n' "
		    ">root/tmp/perf-%d.map", JIT, JIT, JIT, JIT + 0xf8, KNOWN_PID);
	run("dump --stack --symbols %s/root %s", known_dir, known_file);
	ok(known_said(" LazyCompile:*f a.js:1+0x15\n") && !strstr(run_out, "*old"),
	   "a function that was compiled at run time, the latest of its place");
	ok(known_said(" g\\u001b[1m+0x9\n"), "where a call returns to, and a hostile name");
	ok(known_said("0x0000660000005000\n"), "an address that nobody knows has none");
	run("dump --stack %s", known_file);
	ok(!strstr(run_out, "LazyCompile"), "no map of this machine for another boot");
}

int main(void)
{
	known_build();
	in_add = known_address("in_add");
	in_main = known_address("in_main");
	check_inlined();
	check_stripped();
	check_builds();
	check_hostile();
	check_compiled();
	known_remove();
	return done_testing();
}
