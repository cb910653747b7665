/* SPDX-License-Identifier: MIT */
/*
 * start_options.c - the options of etw start, for the session and its log file
 */
#include <errno.h>
#include <string.h>
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
