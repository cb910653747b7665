// SPDX-License-Identifier: GPL-2.0-only
/*
 * cli_symbols - samples of a program whose functions are known: their names, what was inlined into
 * them, and who calls them, by what etw record says that was mapped
 */
#include "lib/vm.h"
#include "lib/command/vm_cli.h"
#include "lib/vm_log.h"

#include <limits.h>

#define OUT	LOG_DIR "/samples.etl"
#define SPIN	"CLI_SYMBOLS_SPIN"	/* set: run so, for samples */
#define SPIN_MS	1500

/* The kernel walks by frame pointers: have one, whatever the rest is compiled with. */
#define FRAME()	asm volatile("" : : "r" (__builtin_frame_address(0)))

/* Its name comes from debug information alone. */
static inline __attribute__((always_inline)) unsigned int sample_inlined(unsigned int x)
{
	int i;

	for (i = 0; i < 1000; i++)
		x = x * 1103515245 + 12345;
	return x;
}

__attribute__((__noinline__)) static unsigned int sample_inner(unsigned int x)
{
	FRAME();
	x = sample_inlined(x);
	asm volatile("" : "+r" (x));
	return x;
}

__attribute__((__noinline__)) static unsigned int sample_outer(unsigned int x)
{
	FRAME();
	x = sample_inner(x) + 1;
	asm volatile("" : "+r" (x));
	return x;
}

/* Instead of the tests */
__attribute__((constructor)) static void spin(void)
{
	struct timespec begin, now;
	unsigned int x = 1;
	int i;

	if (!getenv(SPIN))
		return;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (i = 0; i < 100; i++)
			x = sample_outer(x);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
		 SPIN_MS);
	_exit(0);
}

FIXTURE(symbols) {
	int fd;
	struct vc_run r;
	char self[PATH_MAX];
};

FIXTURE_SETUP(symbols)
{
	ssize_t n = readlink("/proc/self/exe", self->self, sizeof(self->self) - 1);

	ASSERT_LT(0, n);
	self->self[n] = '\0';
	self->fd = vm_open();
	ASSERT_LE(0, self->fd);
	vm_stop_all(self->fd);
	ASSERT_TRUE(vl_log_dir(32768));
}

FIXTURE_TEARDOWN(symbols)
{
	vm_stop_all(self->fd);
	close(self->fd);
	vl_log_dir_end();
}

#define RUN(...)	vc_run(&self->r, __VA_ARGS__, (char *)NULL)

/* Are these functions of a stack, each calling the one before? */
static bool has_stack(const char *text)
{
	static const char *const lines[] = {
		" sample_inlined [cli_symbols] (inlined)", " sample_inner+0x", " sample_outer+0x",
		" spin+0x",
	};
	const char *at = strstr(text, lines[0]), *end;
	size_t i;

	for (i = 0; at && i < ARRAY_SIZE(lines); i++, at = end + 1) {
		end = strchr(at, '\n');
		if (!end || !memmem(at, (size_t)(end - at), lines[i], strlen(lines[i])))
			return false;
	}
	return i == ARRAY_SIZE(lines);
}

TEST_F(symbols, of_samples)
{
	ASSERT_EQ(0, RUN("record", "-q", "-o", OUT, "-p", "profile:200", "--stack", "--exe",
			 "cli_symbols", "--", "env", SPIN "=1", self->self)) {
		TH_LOG("%s", self->r.err);
	}
	ASSERT_EQ(0, RUN("dump", OUT, "-n", "100", "--stack"));
	EXPECT_LE(20, vc_lines_with(self->r.out, "sample_inlined", "(inlined)"));
	EXPECT_TRUE(has_stack(self->r.out)) TH_LOG("%s", self->r.out);
	EXPECT_STREQ("", self->r.err);
	ASSERT_EQ(0, RUN("convert", OUT, "-q", "--to", "folded"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "cli_symbols;",
				   ";spin;sample_outer;sample_inner;sample_inlined "));
	/* With names of the kernel, too, which nobody can look up elsewhere. */
	ASSERT_EQ(0, RUN("symbolize", OUT)) TH_LOG("%s", self->r.err);
	ASSERT_EQ(0, RUN("dump", OUT, "--machine", "-p", "Etw-Machine"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "Functions", "sample_inlined")) TH_LOG("%s", self->r.out);
	/* What was mapped is in the trace, and not among its events unless they are asked for. */
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "Etw-Image"));
	EXPECT_LE(1, vc_lines_with(self->r.out, "ImageLoad", "cli_symbols")) TH_LOG("%s", self->r.out);
	ASSERT_EQ(0, RUN("record", "-q", "--no-processes", "-o", OUT, "-p", "profile:200", "--stack",
			 "--exe", "cli_symbols", "--", "env", SPIN "=1", self->self));
	ASSERT_EQ(0, RUN("dump", OUT, "-p", "Etw-Image"));
	EXPECT_EQ(0, vc_lines(self->r.out));
}

/* A program of the distribution, which has none: from the system call to where it began */
TEST_F(symbols, without_frame_pointers)
{
	const char *at, *end;
	unsigned int stacks = 0;

	ASSERT_EQ(0, RUN("record", "-p", "tracepoint:syscalls:sys_enter_write", "--exe", "ls", "--with",
			 "user-stack", "-o", OUT, "--", "/bin/ls", "/"));
	ASSERT_EQ(0, RUN("dump", "--stack", "-p", "tracepoint:syscalls:sys_enter_write", OUT));
	for (at = self->r.out; (at = strstr(at, " sys_enter_write/")); at = end, stacks++) {
		end = strstr(at, " __libc_start_main+0x");
		ASSERT_NE(NULL, end)
			TH_LOG("%.2000s", at);
		EXPECT_NE(NULL, memmem(at, (size_t)(end - at), " [libc.so.6]\n", 13));
		/* ls has no symbols: where it began is the last line. */
		end = strchr(end, '\n');
		ASSERT_NE(NULL, end);
		EXPECT_NE(NULL, memmem(end, 80, " ls+0x", 6));
		end += 1 + strcspn(end + 1, "\n");
		EXPECT_NE(0, strncmp(end, "\n ", 2));
	}
	EXPECT_LT(0, stacks);
	EXPECT_EQ(NULL, strstr(self->r.out, "not known"));
}

TEST_HARNESS_MAIN
