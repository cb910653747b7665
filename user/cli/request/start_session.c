/* SPDX-License-Identifier: MIT */
/*
 * start_session.c - start a session, with its file, for all commands, and say why that fails
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
