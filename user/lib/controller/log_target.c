/* SPDX-License-Identifier: MIT */
/*
 * log_target.c - open the file that a session writes to
 *
 * The kernel does not resolve paths. It truncates the file itself once nothing else can
 * fail, so a failed call leaves an existing file unchanged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/absolute_path.h"
#include "device/kdev.h"
#include "etl/logfile_header.h"
#include "log_target.h"

_Static_assert(sizeof(TIME_ZONE_INFORMATION) == 172, "struct etw_time_zone");

static int open_file(struct etw_log_target *t)
{
	int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = open(t->name, flags | O_CREAT | O_EXCL, 0666);

	t->made = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(t->name, flags | O_CREAT, 0666);
	return fd < 0 ? -errno : fd;
}

static int open_dir(const char *name)
{
	char dir[ETW_FILE_NAME_MAX + 1];
	size_t len = strrchr(name, '/') - name;
	int fd;

	memcpy(dir, name, len);
	strcpy(dir + len, len ? "" : "/");
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* The mode of a new file, without changing the umask, which all threads share. */
static uint32_t file_mode(void)
{
	unsigned int mask = 022;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Umask: %o", &mask) == 1)
			break;
	if (f)
		fclose(f);
	return 0666 & ~mask;
}

/* Modes in which the kernel creates the file itself, in its directory */
#define MADE_LATER	(ETW_MODE_NEWFILE | ETW_MODE_DELAY_OPEN | ETW_MODE_BUFFERING)

int etw_log_target_open(struct etw_log_target *t, const char *name, uint32_t mode,
			uint32_t max_size)
{
	int saved = errno, err;

	memset(t, 0, sizeof(*t));
	t->file.fd = -1;
	t->file.dir = -1;
	/* Other processes see the name. */
	err = etw_absolute_path(name, t->name, sizeof(t->name));
	if (!err)
		err = mode & MADE_LATER ? open_dir(t->name) : open_file(t);
	errno = saved;
	if (err < 0)
		return err;
	if (mode & MADE_LATER)
		t->file.dir = err;
	else
		t->file.fd = err;
	etw_logfile_zone(&t->zone);
	t->file.size = sizeof(t->file);
	t->file.name = (uintptr_t)t->name;
	t->file.name_len = strlen(t->name);
	t->file.file_mode = file_mode();
	t->file.max_size = max_size;
	t->file.zone = (uintptr_t)&t->zone;
	errno = saved;
	return 0;
}

void etw_log_target_close(struct etw_log_target *t, bool keep)
{
	int saved = errno;

	if (t->made && !keep)
		unlink(t->name);
	if (t->file.fd >= 0)
		close(t->file.fd);
	if (t->file.dir >= 0)
		close(t->file.dir);
	errno = saved;
}

void etw_log_status_init(struct etw_log_status *status)
{
	memset(status, 0, sizeof(*status));
	status->log.size = sizeof(status->log);
	status->log.name = (uintptr_t)status->name;
	status->log.name_cap = ETW_FILE_NAME_MAX;
}

void etw_log_status_done(struct etw_log_status *status)
{
	if (status->log.name_len > ETW_FILE_NAME_MAX)
		status->log.name_len = ETW_FILE_NAME_MAX;
	status->name[status->log.name_len] = '\0';
}

ULONG etw_win32_from_file(int err)
{
	static const struct etw_win32_errors table[] = {
		{ ERROR_BAD_PATHNAME, { ENOENT, ENAMETOOLONG, ENXIO } },
		{ ERROR_DISK_FULL, { ENOSPC } },
		{ 0, { 0 } },
	};

	return etw_win32_find(table, err);
}
