/* SPDX-License-Identifier: MIT */
/*
 * start_options.c - the options of etw start, and why it fails
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "cli/cli.h"
#include "start_options.h"
#include "cli/text.h"
#include "base/guid.h"
#include "device/kdev.h"

#define SIZE_MAX_KB	((uint64_t)UINT32_MAX << 10)	/* more than that are MB, too many */

/* A size with a unit, in bytes; at least 1 KB, whole KBs. */
static uint64_t max_size(const char *text)
{
	uint64_t size;

	if (!cli_size(text, true, &size) || !size || size > SIZE_MAX_KB << 10)
		cli_usage("--max-size: %s is not a size like 64K, 100M or 2G", cli_quote(text));
	return size;
}

bool start_option(int option, const char *value, struct etw_session *s, struct startfile *file)
{
	static const char *const scopes[] = { "local", "global", NULL };

	switch (option) {
	case START_OPT_CLOCK:
		s->clock = cli_clock("--clock", value);
		break;
	case START_OPT_BUFFERING:
		s->mode = (s->mode & ~ETW_MODE_REAL_TIME) | ETW_MODE_BUFFERING;
		break;
	case START_OPT_GUID:
		if (etw_guid_parse(value, &s->guid))
			cli_usage("--guid: %s is not a GUID", cli_quote(value));
		break;
	case START_OPT_SEQUENCE:
		s->mode &= ~(ETW_MODE_LOCAL_SEQUENCE | ETW_MODE_GLOBAL_SEQUENCE);
		s->mode |= cli_choice("--sequence", value, scopes, sizeof(*scopes)) ?
			   ETW_MODE_GLOBAL_SEQUENCE : ETW_MODE_LOCAL_SEQUENCE;
		break;
	case START_OPT_MAX_SIZE:
		file->max_size = max_size(value);
		break;
	default:
		return false;
	}
	return true;
}

/* ------------------------------------------------------------------- log file */

void startfile_check(const struct startfile *file, const struct session *session)
{
	const uint32_t sized = ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE | ETW_MODE_PREALLOCATE;
	uint32_t kind = file->mode & (ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE | ETW_MODE_APPEND);

	if (!file->path && (file->mode || file->max_size || file->real_time || file->sync_ms ||
			    file->replace))
		cli_usage("options of a log file need --file");
	if (!file->path)
		return;
	if (session->s.mode & ETW_MODE_BUFFERING &&
	    (file->mode || file->max_size || file->real_time || file->sync_ms))
		cli_usage("--buffering takes no option of a log file but --file");
	if (kind & (kind - 1))
		cli_usage("--circular, --new-files and --append exclude one another");
	if (kind & ETW_MODE_APPEND && file->replace)
		cli_usage("--append and --replace exclude one another");
	if (kind & ETW_MODE_APPEND && file->mode & (ETW_MODE_DELAY_OPEN | ETW_MODE_PREALLOCATE))
		cli_usage("--append excludes --delay-open and --preallocate");
	if (file->mode & sized && !file->max_size)
		cli_usage("--circular, --new-files and --preallocate need --max-size");
	if (kind & ETW_MODE_NEWFILE && !strstr(file->path, "%d"))
		cli_usage("--new-files: %s has no %%d for the file's number",
			  cli_quote(file->path));
}

uint32_t startfile_mode(struct startfile *file, struct session *session)
{
	uint32_t size = 0;

	/* In MB if possible: a number of KB reaches 4 TB only. */
	if (file->max_size && file->max_size % (1 << 20) == 0 &&
	    file->max_size >> 20 <= UINT32_MAX) {
		size = file->max_size >> 20;
	} else if (file->max_size) {
		size = file->max_size >> 10;
		file->mode |= ETW_MODE_KBYTES;
	}
	session->s.mode = (session->s.mode & ~ETW_MODE_REAL_TIME) | file->mode;
	if (file->real_time)
		session->s.mode |= ETW_MODE_REAL_TIME;
	if (!(session->s.mode & (ETW_MODE_CIRCULAR | ETW_MODE_NEWFILE | ETW_MODE_APPEND |
				 ETW_MODE_BUFFERING)))
		session->s.mode |= ETW_MODE_SEQUENTIAL;
	return size;
}

/*
 * Open the file, and put it into what the session is started with; 0 or a negative errno,
 * -EDQUOT if its disk is full.
 */
static int open_file(struct startfile *file, struct session *session)
{
	uint32_t size = startfile_mode(file, session);
	int err = etw_log_target_open(&file->target, file->path, session->s.mode, size);

	if (!err) {
		file->target.file.first = file->first;
		file->target.file.sync_ms = file->sync_ms;
		session->s.file = (uintptr_t)&file->target.file;
	} else if (err == -ESPIPE) {
		cli_fail("%s: a log file is not written to a pipe or a device",
			 cli_quote(file->path));
	} else {
		cli_fail("%s: %s", cli_quote(file->path), strerror(-err));
	}
	return err == -ENOSPC ? -EDQUOT : err;
}

void startfile_close(struct startfile *file, bool keep)
{
	if (file->path)
		etw_log_target_close(&file->target, keep);
}

bool startfile_fail(const struct startfile *file, const char *name, int err)
{
	static const char appended[] =
		"--append goes on in a log of this boot with the same buffer size and clock, "
		"not in a circular one";
	static const char sized[] = "--max-size takes three buffers or more";
	const char *path = file->path ? cli_quote(file->path) : NULL;

	if (!path)
		return false;
	switch (-err) {
	case EPERM:
		session_fail(name, err, !file->real_time && !file->flush ? TAKES_FILE : TAKES_FILE_TOO);
		return true;
	case ETXTBSY:
		cli_fail("%s: another session writes to it", path);
		return true;
	case EDQUOT:
		cli_fail("%s: no space left on its device", path);
		return true;
	case EINVAL:
		cli_fail("session %s: %s: refused: %s%s%s", cli_quote(name), path,
			 file->mode & ETW_MODE_APPEND ? appended : "",
			 file->mode & ETW_MODE_APPEND && file->max_size ? "; " : "",
			 file->mode & ETW_MODE_APPEND && !file->max_size ? "" : sized);
		return true;
	case ESPIPE:
		cli_fail("%s: a log file is not written to a pipe or a device", path);
		return true;
	case EISDIR: case EROFS: case EACCES: case EIO: case ENAMETOOLONG:
		cli_fail("%s: %s", path, strerror(-err));
		return true;
	default:
		return false;
	}
}

/* ---------------------------------------------------------------------- start */

/* ENOSPC has two causes; which one it was shows in how many sessions there are. */
static int no_space(int fd, const char *name)
{
	struct etw_session_enum all = { .capacity = 0 };

	if (!etw_kdev_session_enum(fd, &all) && all.count >= all.limit)
		return cli_fail("session %s: too many sessions: %u run already, and %u may",
				cli_quote(name), all.count, all.limit);
	return session_too_large(name);
}

#define PARAMETERS	"/sys/module/etw/parameters/"

/* A number of the module's parameters; false: it cannot be read. */
static bool module_number(const char *path, unsigned long long *number)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fscanf(f, "%llu", number) == 1;

	if (f)
		fclose(f);
	return ok;
}

/* ENOBUFS: the buffers of all sessions would take too much. */
static int account_full(const char *name)
{
	unsigned long long limit_mb, used_kb;

	if (!module_number(PARAMETERS "max_memory_mb", &limit_mb) ||
	    !module_number(PARAMETERS "memory_kb", &used_kb))
		return cli_fail("session %s: the buffers of all sessions would take too much memory",
				cli_quote(name));
	return cli_fail("session %s: the buffers of all sessions may take %llu MB, and take %llu KB already: use fewer or smaller ones, or write a higher number of MB to "
			PARAMETERS "max_memory_mb", cli_quote(name), limit_mb, used_kb);
}

/* ENOMEM: of the machine, of the control group, or what the user may lock. */
static int no_memory(const char *name)
{
	struct rlimit locked;

	if (getrlimit(RLIMIT_MEMLOCK, &locked) || locked.rlim_cur == RLIM_INFINITY)
		return session_fail(name, -ENOMEM, TAKES_CONTROL);
	return cli_fail("session %s: out of memory: of the machine, of the control group, or without CAP_IPC_LOCK of the %llu KB that \"ulimit -l\" allows a user's sessions",
			cli_quote(name), (unsigned long long)locked.rlim_cur / 1024);
}

/*
 * EEXIST, too, has two causes: the name or the GUID.  Which one it was is unknown to a
 * caller who may not query the other session.
 */
static int taken(int fd, const char *name, const struct etw_guid *guid)
{
	struct session *list, same;
	char text[GUID_TEXT_SIZE];
	unsigned int count, i;
	int err;

	memset(&same, 0, sizeof(same));
	err = session_do(fd, etw_kdev_session_query, name, &same);
	if (!err || etw_guid_is_zero(guid))
		return session_fail(name, -EEXIST, NULL);
	guid_text(guid, text);
	if (session_list(fd, &list, &count))
		return cli_fail("session %s: another one has this name or GUID %s already",
				cli_quote(name), text);
	for (i = 0; i < count && !guid_equal(&list[i].s.guid, guid); i++)
		;
	if (i < count)
		cli_fail("session %s: session %s has GUID %s already", cli_quote(name),
			 cli_quote(list[i].name), text);
	else
		cli_fail("session %s: another one has %sGUID %s already", cli_quote(name),
			 err == -ENOENT ? "" : "this name or ", text);
	free(list);
	return 1;
}

/* Print why START failed, if it was not the file; guid: the one asked for. */
static void start_fail(int fd, const char *name, const struct etw_guid *guid, int err)
{
	if (err == -EEXIST)
		taken(fd, name, guid);
	else if (err == -ENOSPC)
		no_space(fd, name);
	else if (err == -ENOBUFS)
		account_full(name);
	else if (err == -ENOMEM)
		no_memory(name);
	else if (err == -EINVAL)
		cli_fail("session %s: name or settings refused", cli_quote(name));
	else
		session_fail(name, err, TAKES_CONTROL);
}

int start_session(int fd, const char *name, struct session *session, struct startfile *file)
{
	static struct startfile none;
	const struct etw_guid guid = session->s.guid;
	int err = 0;

	if (!file)
		file = &none;
	/* A session that buffers writes its file at each flush, which keeps the one before. */
	if (file->path && (file->at_once || !(session->s.mode & ETW_MODE_BUFFERING)))
		err = older_log_move(fd, file, name);
	if (!err && file->path)
		err = open_file(file, session);
	else if (err)
		return err;
	if (!err) {
		err = session_do(fd, etw_kdev_session_start, name, session);
		startfile_close(file, !err);
		if (err && !startfile_fail(file, name, err))
			start_fail(fd, name, &guid, err);
	}
	if (err)
		older_log_restore(file, false);
	return err;
}
