// SPDX-License-Identifier: GPL-2.0-only
/* check.c - checks between programs that nothing of the last one is left */
#define _GNU_SOURCE
#include <regex.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>

#include "exec.h"
#include "kmod/etw_test/etw_test.h"

#define SETTLE_MS	20000	/* time limit for background work */
#define GUIDS_SEEN	256

static int device = -1, test = -1, log_fd = -1;
static unsigned int base_providers, base_refs;
static regex_t bad, harmless_log;

void finding(const char *fmt, ...)
{
	va_list ap;

	if (shared->finding[0])
		return;
	va_start(ap, fmt);
	vsnprintf(shared->finding, sizeof(shared->finding), fmt, ap);
	va_end(ap);
}

long long now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000LL + ts.tv_nsec / 1000;
}

long long now_ms(void)
{
	return now_us() / 1000;
}

/* Open a descriptor of the fuzzer itself at a number that programs do not use; -1: errno. */
int own_fd(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC), high;

	if (fd < 0)
		return -1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, OWN_FDS);
	close(fd);
	return high;
}

/* References to etw.ko: files, sessions, modules that use it. */
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

/* Disable every provider, so that no event reaches the session. */
static void silence(uint64_t handle)
{
	static struct etw_guid guids[GUIDS_SEEN];
	struct etw_provider_enum e = { .size = sizeof(e), .guids = (uintptr_t)guids,
				       .capacity = GUIDS_SEEN };
	uint32_t i;

	if (ioctl(device, ETW_IOC_PROVIDER_ENUM, &e))
		return;
	for (i = 0; i < e.count && i < GUIDS_SEEN; i++) {
		struct etw_enable en = { .size = sizeof(en), .session = handle,
					 .provider = guids[i], .control = ETW_CONTROL_DISABLE };

		ioctl(device, ETW_IOC_ENABLE, &en);
	}
}

/*
 * When all writers are gone and all buffers handed over, every event that was written has
 * been delivered or overwritten.
 */
static void check_accounts(uint64_t handle)
{
	struct etw_session s = { .size = sizeof(s), .handle = handle };
	struct etw_session_stat t = { .size = sizeof(t), .handle = handle };

	silence(handle);
	if (ioctl(device, ETW_IOC_SESSION_FLUSH, &s) || ioctl(device, ETW_IOC_SESSION_STAT, &t))
		return;
	if (t.written != t.events_delivered + t.overwritten_events || t.abandoned_buffers)
		finding("a session wrote %lu events, delivered %lu and overwrote %lu",
			(long)t.written, (long)t.events_delivered, (long)t.overwritten_events);
	shared->accounts++;
}

/* Stop all sessions; returns how many still exist. */
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

		check_accounts(handles[i]);
		ioctl(device, ETW_IOC_SESSION_STOP, &s);
	}
	return ioctl(device, ETW_IOC_SESSION_ENUM, &e) ? -1 : (int)e.count;
}

/* Remove the access list of every GUID. */
static void remove_lists(void)
{
	struct etw_access a = { .size = sizeof(a), .flags = ETW_ACCESS_NEXT };

	while (!ioctl(device, ETW_IOC_ACCESS_QUERY, &a)) {
		a = (struct etw_access){ .size = sizeof(a), .guid = a.guid };
		ioctl(device, ETW_IOC_ACCESS_REMOVE, &a);
		a.flags = ETW_ACCESS_NEXT;
	}
}

/* Release callbacks that wait in the test module. */
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

/* Patterns for grep -E; NULL: do not check the log. */
static bool open_log(const char *bad_log, const char *harmless)
{
	const int flags = REG_EXTENDED | REG_NOSUB;

	if (!bad_log)
		return true;
	if (regcomp(&bad, bad_log, flags) ||
	    regcomp(&harmless_log, harmless ? harmless : "^$", flags)) {
		fprintf(stderr, "etw_fuzz: not a pattern: %s or %s\n", bad_log, harmless);
		return false;
	}
	log_fd = own_fd("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	if (log_fd < 0) {
		fprintf(stderr, "etw_fuzz: /dev/kmsg: %s\n", strerror(errno));
		return false;
	}
	lseek(log_fd, 0, SEEK_END);
	return true;
}

bool check_init(bool has_test, const char *bad_log, const char *harmless)
{
	device = own_fd(ETW_DEVICE_PATH, O_RDWR);
	if (device < 0) {
		fprintf(stderr, "etw_fuzz: %s: %s\n", ETW_DEVICE_PATH, strerror(errno));
		return false;
	}
	test = has_test ? own_fd("/dev/etw_test", O_RDWR) : -1;
	if (!open_log(bad_log, harmless))
		return false;
	check_restore();
	remove_lists();
	stop_sessions();
	base_providers = providers();
	base_refs = references();
	return true;
}

/*
 * Messages of a kernel that detects an error and continues, matched with the patterns of
 * selftests/lib/kernel_log.sh, which guest.sh passes on.
 */
bool check_log(void)
{
	char text[8192];
	ssize_t n;

	while (log_fd >= 0) {
		n = read(log_fd, text, sizeof(text) - 1);
		if (n < 0 && errno == EPIPE)
			continue;
		if (n <= 0)
			break;
		text[n] = 0;
		if (!regexec(&bad, text, 0, NULL, 0) && regexec(&harmless_log, text, 0, NULL, 0))
			finding("the kernel's log: %.300s",
				strchr(text, ';') ? strchr(text, ';') + 1 : text);
	}
	return !shared->finding[0];
}

/* Restore the state from before the program; false: a finding. */
bool check_after(void)
{
	struct timespec pause = { 0, 10 * 1000 * 1000 };
	int tries, left = 0, known = 0;
	unsigned int refs = 0;

	for (tries = 0; tries < SETTLE_MS / 10; tries++) {
		check_restore();
		remove_lists();
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
