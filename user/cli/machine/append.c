/* SPDX-License-Identifier: MIT */
/*
 * append.c - describe the machine at the end of a log file that is complete
 *
 * So no event can be lost for it. Circular files have no such end, and files that nobody has
 * closed are still written.
 */
#include <errno.h>
#include <string.h>
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
static int check(const char *path, int64_t started, struct etw_etl_info *info)
{
	struct etw_etl_file *file;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	*info = *etw_etl_info(file);
	if (etw_etl_cut_off(file) || info->header.LogFileMode & EVENT_TRACE_FILE_MODE_CIRCULAR ||
	    (started && info->header.StartTime.QuadPart != started))
		err = -ENOENT;
	etw_etl_close(file);
	return err;
}

static int describe(const char *path, int64_t started)
{
	static struct etw_etl_info info;
	struct machine machine = { .host = "" };
	struct etw_etl_writer *writer;
	int err = check(path, started, &info);

	if (!err)
		err = etw_etl_append(path, &writer);
	if (err)
		return err;
	machine_collect(&machine, "");
	err = machine_append(writer, &machine, etw_etl_end_clock(&info));
	machine_free(&machine);
	if (err) {
		etw_etl_discard(writer);
		return err;
	}
	return etw_etl_finish(writer, info.header.EndTime.QuadPart, NULL);
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
