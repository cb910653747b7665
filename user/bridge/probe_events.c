/* SPDX-License-Identifier: MIT */
/*
 * probe_events.c - the dynamic trace events that this project makes, all in the group "etw"
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>
#include "base/sha256.h"
#include "probe_events.h"

#define LOCK_TRIES	1000	/* of 10 ms */
#define READABLE	21	/* bytes of a name */
#define GUID_DIGITS	32
#define HASH_DIGITS	8

static int open_file(const char *name, int flags)
{
	const char *dir = tracefs_tracing_dir();
	char path[512];
	int fd;

	if (!dir)
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int probe_lock(void)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	int fd = open_file("", O_RDONLY | O_DIRECTORY), tries;

	for (tries = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB); tries++) {
		if (errno != EWOULDBLOCK || tries == LOCK_TRIES) {
			close(fd);
			return errno == EWOULDBLOCK ? -ETIMEDOUT : -errno;
		}
		nanosleep(&pause, NULL);
	}
	return fd;
}

void probe_unlock(int lock)
{
	close(lock);
}

/* ----------------------------------------------------------------------- names */

static char *put_hex(char *to, const void *data, size_t len)
{
	const unsigned char *at = data;

	while (len--)
		to += sprintf(to, "%02x", *at++);
	return to;
}

void probe_event_name(const struct etw_guid *provider, const char *readable, const char *hashed,
		      char name[PROBE_EVENT_SIZE])
{
	unsigned char hash[32];
	char *to = name;

	*to++ = 'p';
	for (; *readable && to < name + READABLE; readable++)
		*to++ = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
			       *readable) ? *readable : '_';
	*to++ = '_';
	to = put_hex(to, provider, sizeof(*provider));
	etw_sha256(hashed, strlen(hashed), hash);
	put_hex(to, hash, HASH_DIGITS / 2);
}

static bool take_hex(const char *from, void *data, size_t len)
{
	unsigned char *to = data;
	unsigned int byte;

	for (; len--; from += 2) {
		if (strspn(from, "0123456789abcdef") < 2 || sscanf(from, "%2x", &byte) != 1)
			return false;
		*to++ = (unsigned char)byte;
	}
	return true;
}

bool probe_event_provider(const char *name, struct etw_guid *provider)
{
	const size_t end = 1 + GUID_DIGITS + HASH_DIGITS;
	size_t len = strlen(name);
	unsigned char hash[HASH_DIGITS / 2];

	return len > end && *name == 'p' && name[len - end] == '_' &&
	       take_hex(name + len - end + 1, provider, sizeof(*provider)) &&
	       take_hex(name + len - HASH_DIGITS, hash, sizeof(hash));
}

/* ---------------------------------------------------------------------- kernel */

static int write_line(const char *file, const char *line)
{
	int fd = open_file(file, O_WRONLY | O_APPEND), err = 0;
	size_t len = strlen(line);

	if (fd < 0)
		return fd == -ENOENT ? -EOPNOTSUPP : fd;
	if (write(fd, line, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	close(fd);
	return err;
}

/*
 * The last of the kernel's messages, "[TIME] trace_kprobe: error: TEXT" and the line with the
 * command below it, if it is about this line.
 */
static void last_error(const char *line, char why[PROBE_TEXT])
{
	char *all = tracefs_error_last(NULL), *at = NULL, *next;
	char command[PROBE_EVENT_SIZE + 32];

	*why = '\0';
	snprintf(command, sizeof(command), "%.*s", (int)strcspn(line, " "), line);
	for (next = all; next && (next = strstr(next, "error: ")); next++)
		at = next + strlen("error: ");
	if (at && strstr(at, command))
		snprintf(why, PROBE_TEXT, "%.*s", (int)strcspn(at, "\n"), at);
	free(all);
}

int probe_event_define(bool kernel, const char *line, char why[PROBE_TEXT])
{
	int err;

	*why = '\0';
	errno = 0;
	err = write_line(kernel ? "kprobe_events" : "uprobe_events", line);
	if (err)
		last_error(line, why);
	return err;
}

int probe_event_hold(const char *name)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .disabled = 1,
	};
	char *text = tracefs_event_file_read(NULL, PROBE_GROUP, name, "id", NULL);
	long fd;

	if (!text)
		return -ENOENT;
	attr.config = strtoul(text, NULL, 10);
	free(text);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int probe_event_remove(const char *name)
{
	char line[PROBE_EVENT_SIZE + 16];

	errno = 0;
	snprintf(line, sizeof(line), "-:" PROBE_GROUP "/%s", name);
	return write_line("dynamic_events", line);
}

/* Every command asks: libtracefs would mount what is not mounted. */
static bool has_group(void)
{
	return !access("/sys/kernel/tracing/events/" PROBE_GROUP, F_OK) ||
	       !access("/sys/kernel/debug/tracing/events/" PROBE_GROUP, F_OK);
}

void probe_events_each(bool (*take)(void *context, const char *name,
				    const struct etw_guid *provider), void *context)
{
	const char *dir = has_group() ? tracefs_tracing_dir() : NULL;
	struct etw_guid provider;
	const struct dirent *entry;
	char path[512];
	DIR *events;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/events/" PROBE_GROUP, dir);
	events = opendir(path);
	while (events && (entry = readdir(events)))
		if (probe_event_provider(entry->d_name, &provider) &&
		    !take(context, entry->d_name, &provider))
			break;
	if (events)
		closedir(events);
}

unsigned long long probe_event_missed(const char *name)
{
	unsigned long long missed = 0, value;
	char line[512], found[256];
	FILE *file;
	int fd = open_file("kprobe_profile", O_RDONLY);

	file = fd < 0 ? NULL : fdopen(fd, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " %255s %*u %llu", found, &value) == 2 && !strcmp(found, name))
			missed = value;
	if (file)
		fclose(file);
	return missed;
}
