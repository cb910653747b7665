/* SPDX-License-Identifier: MIT */
/*
 * operand.c - is the operand of a command a session or a log file?
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "operand.h"
#include "session.h"
#include "device/kdev.h"

static bool is_file_name(const char *operand)
{
	size_t len = strlen(operand);

	return strchr(operand, '/') || (len > 4 && !strcasecmp(operand + len - 4, ".etl"));
}

bool operand_may_be_file(const char *operand)
{
	struct stat st;

	return is_file_name(operand) || (!stat(operand, &st) && S_ISREG(st.st_mode));
}

bool operand_is_file(const char *operand)
{
	static struct session session;
	bool named = is_file_name(operand);
	struct stat st;
	int fd, err;

	/* A session may have a slash in its name, too, if there is no such file. */
	if (named ? !stat(operand, &st) : !operand_may_be_file(operand))
		return named;
	fd = etw_kdev_open();
	if (fd < 0)
		return true;
	err = session_do(fd, etw_kdev_session_query, operand, &session);
	etw_kdev_close(fd);
	return named ? err != 0 : err == -ENOENT;
}
