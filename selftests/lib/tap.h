/* SPDX-License-Identifier: MIT */
/*
 * tap.h - results of a test program in TAP
 *
 *	int main(void)
 *	{
 *		ok(1 + 1 == 2, "%d and %d", 1, 1);
 *		return done_testing();
 *	}
 *
 * ok() may be called from several threads.  A failed test shows where it is.
 */
#ifndef ETW_TAP_H
#define ETW_TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

__attribute__((__format__(__printf__, 4, 5), __unused__))
static int tap_ok(int good, const char *file, int line, const char *format, ...)
{
	int number = __atomic_add_fetch(&tap_count, 1, __ATOMIC_RELAXED);
	char name[512];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	if (!good)
		__atomic_add_fetch(&tap_failed, 1, __ATOMIC_RELAXED);
	/* One write, so that lines of threads and children do not mix. */
	if (good)
		printf("ok %d - %s\n", number, name);
	else
		printf("not ok %d - %s\n# at %s:%d\n", number, name, file, line);
	fflush(stdout);
	return good;
}

#define ok(cond, ...)	tap_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

/* Both sides as integers, shown when they differ. */
#define is(got, want, name)						\
	do {								\
		long long tap_got = (long long)(got);			\
		long long tap_want = (long long)(want);			\
									\
		if (!ok(tap_got == tap_want, "%s", name))		\
			printf("# got %lld, want %lld\n", tap_got, tap_want); \
	} while (0)

__attribute__((__format__(__printf__, 1, 2), __unused__))
static void skip(const char *format, ...)
{
	va_list args;

	printf("ok %d # SKIP ", __atomic_add_fetch(&tap_count, 1, __ATOMIC_RELAXED));
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* The exit status of main() */
__attribute__((__unused__))
static int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* ETW_TAP_H */
