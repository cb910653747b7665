/* SPDX-License-Identifier: MIT */
/*
 * append.c - describe the machine at the end of a log file that is complete
 *
 * So no event can be lost for it. Circular files have no such end, and files that nobody has
 * closed are still written.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "etl/file.h"
#include "append.h"

/* A buffer of few hundred bytes has no room for some records: the others are worth having. */
static int put(void *writer, const void *record, size_t size)
{
	int err = etw_etl_write(writer, 0, record, size);

	return err == -EMSGSIZE ? 0 : err;
}

int machine_append(struct etw_etl_writer *writer, const struct machine *machine, int64_t time)
{
	return machine_records(machine, time, put, writer);
}

/* Is the file complete, and may something follow its events? -ENOENT: no, as for none */
static int check(int fd, int64_t started, struct etw_etl_info *info)
{
	struct etw_etl_file *file;
	int own = dup(fd), err = own < 0 ? -errno : etw_etl_open_fd(own, NULL, NULL, &file);

	if (err) {
		if (own >= 0)
			close(own);
		return err;
	}
	*info = *etw_etl_info(file);
	if (etw_etl_cut_off(file) || info->header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR ||
	    (started && info->header.StartTime.QuadPart != started))
		err = -ENOENT;
	etw_etl_close(file);
	return err;
}

static int append(int fd, const struct etw_etl_info *info)
{
	struct machine machine = { .host = "" };
	struct etw_etl_writer *writer;
	int err = etw_etl_append_fd(fd, &writer);

	if (err)
		return err;
	machine_collect(&machine, "");
	err = machine_append(writer, &machine, etw_etl_end_clock(info));
	machine_free(&machine);
	if (err) {
		etw_etl_discard(writer);
		return err;
	}
	return etw_etl_finish(writer, info->header.EndTime.QuadPart, NULL);
}

/* The file that is checked is the one that is appended to, whatever has its name then. */
static int describe(const char *path, int64_t started)
{
	static struct etw_etl_info info;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	err = check(fd, started, &info);
	if (!err)
		return append(fd, &info);
	close(fd);
	return err;
}

void machine_describe(const char *path, int64_t started)
{
	int err = describe(path, started);

	if (err && err != -ENOENT)
		cli_note("%s: the machine is not described in it: %s", cli_quote(path),
			 err == -EINVAL ? "it is not a log file that is complete" : strerror(-err));
}

void machine_describe_log(const struct session *session)
{
	const bool appends = session->s.mode & ETW_MODE_APPEND;

	if (session->log.log.name_len && !session_file_error(session))
		machine_describe(session->log.name, appends ? 0 : (int64_t)session->s.start_wall);
}
