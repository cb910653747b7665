// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - between programs: nothing of the last one is left
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>

#include "exec.h"
#include "kmod/etw_test/etw_test.h"

#define SETTLE_MS	20000	/* for what ends in the background */

static int device = -1, test = -1, log_fd = -1;
static unsigned int base_providers, base_refs;

void finding(const char *fmt, ...)
{
	va_list ap;

	if (shared->finding[0])
		return;
	va_start(ap, fmt);
	vsnprintf(shared->finding, sizeof(shared->finding), fmt, ap);
	va_end(ap);
}

static int own_fd(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC), high = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS);

	if (fd >= 0)
		close(fd);
	return high;
}

/* References on etw.ko: files, sessions, modules that use it. */
static unsigned int references(void)
{
	FILE *f = fopen("/sys/module/etw/refcnt", "re");
	unsigned int n = 0;

	if (f) {
		if (fscanf(f, "%u", &n) != 1)
			n = 0;
		fclose(f);
	}
	return n;
}

static int providers(void)
{
	struct etw_provider_enum e = { .size = sizeof(e) };

	return ioctl(device, ETW_IOC_PROVIDER_ENUM, &e) ? -1 : (int)e.count;
}

/* Stop what runs; how many sessions there still are. */
static int stop_sessions(void)
{
	uint64_t handles[ETW_SESSIONS_MAX];
	struct etw_session_enum e = { .size = sizeof(e), .handles = (uintptr_t)handles,
				      .capacity = ETW_SESSIONS_MAX };
	uint32_t i;

	if (ioctl(device, ETW_IOC_SESSION_ENUM, &e))
		return -1;
	for (i = 0; i < e.count && i < ETW_SESSIONS_MAX; i++) {
		struct etw_session s = { .size = sizeof(s), .handle = handles[i] };

		ioctl(device, ETW_IOC_SESSION_STOP, &s);
	}
	return ioctl(device, ETW_IOC_SESSION_ENUM, &e) ? -1 : (int)e.count;
}

/* Callbacks of the test module wait no longer. */
void check_open_gate(void)
{
	int open = 1;

	if (test >= 0)
		ioctl(test, ETW_TEST_GATE, &open);
}

/* Open the gate of the test module and unregister its providers. */
void check_restore(void)
{
	uint32_t i;

	if (test < 0)
		return;
	check_open_gate();
	for (i = 0; i < ETW_TEST_PROVIDERS; i++) {
		struct etw_test_register r = { .index = i, .result = -1 };

		ioctl(test, ETW_TEST_UNREGISTER, &r);
	}
}

bool check_init(bool has_test)
{
	device = own_fd(ETW_DEVICE_PATH, O_RDWR);
	if (device < 0) {
		fprintf(stderr, "etw_fuzz: %s: %s\n", ETW_DEVICE_PATH, strerror(errno));
		return false;
	}
	test = has_test ? own_fd("/dev/etw_test", O_RDWR) : -1;
	log_fd = own_fd("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (log_fd >= 0)
		lseek(log_fd, 0, SEEK_END);
	check_restore();
	stop_sessions();
	base_providers = providers();
	base_refs = references();
	return true;
}

/*
 * What a kernel says when something is wrong in it and it goes on.  Each kind
 * has a headline of its own: a call trace alone is that of an allocation that
 * was made to fail.
 */
bool check_log(void)
{
	static const char *const bad[] = {
		"WARNING:", "BUG:", "BUG at", "INFO: ", "UBSAN:", "KASAN:", "KCSAN:", "Oops",
		"refcount_t", "suspicious RCU", "possible recursive",
		"possible circular", "general protection", "blocked for more than", "soft lockup",
		"scheduling while atomic", "sleeping function", "corruption", "bad page", "Bad page",
		"use-after-free", "unable to handle",
	};
	char text[8192];
	unsigned int i;
	ssize_t n;

	while (log_fd >= 0) {
		n = read(log_fd, text, sizeof(text) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		text[n] = 0;
		/* The emulated machine is slow. */
		if (strstr(text, "took too long"))
			continue;
		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			if (strstr(text, bad[i]))
				finding("the kernel's log: %.300s",
					strchr(text, ';') ? strchr(text, ';') + 1 : text);
	}
	return !shared->finding[0];
}

/* Everything back to where it was before the program; false: a finding. */
bool check_after(void)
{
	struct timespec pause = { 0, 10 * 1000 * 1000 };
	int tries, left = 0, known = 0;
	unsigned int refs = 0;

	for (tries = 0; tries < SETTLE_MS / 10; tries++) {
		check_restore();
		left = stop_sessions();
		known = providers();
		refs = references();
		if (!left && known == (int)base_providers && refs == base_refs)
			return check_log();
		nanosleep(&pause, NULL);
	}
	check_log();
	finding("left behind: %d sessions, %d providers instead of %u, %u references instead of %u",
		left, known, base_providers, refs, base_refs);
	return false;
}
