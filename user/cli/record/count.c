/* SPDX-License-Identifier: MIT */
/*
 * count.c - what a recording has put into its files, and how large they are
 *
 * The session counts what was written into its buffers and what was lost on the way to
 * a file; what a circular file overwrote shows in the file only.
 */
#include <errno.h>
#include <sys/stat.h>
#include "cli/cli.h"
#include "record.h"
#include "etl/file.h"
#include "etl/record.h"

/* Events of a file that was closed, without its header; false: not known. */
static bool count_events(const char *path, uint64_t *count)
{
	struct etw_event event;
	struct etw_etl_file *file;
	uint8_t type;
	int ret = etw_etl_open(path, NULL, NULL, &file);

	*count = 0;
	if (ret)
		return false;
	while ((ret = etw_etl_next(file, &event)) == 1) {
		type = event.record.header->type & 0xFF;
		*count += type != ETW_ETL_SYSTEM32 && type != ETW_ETL_SYSTEM64;
	}
	etw_etl_close(file);
	return !ret;
}

static void count_bytes(struct record *r)
{
	const struct etw_session_log *log = &r->last.session.log.log;
	char path[ETW_FILE_NAME_MAX + 1];
	struct stat st;
	uint32_t number;

	r->bytes = log->bytes;
	if (!(r->session.s.mode & ETW_MODE_NEWFILE))
		return;
	r->bytes = 0;
	for (number = r->file.first; number <= log->number; number++) {
		if (record_file_number(r->file.path, number, path) && !stat(path, &st)) {
			r->bytes += (uint64_t)st.st_size;
			r->files++;
		}
	}
}

static bool is_gone(const char *path)
{
	struct stat st;

	return stat(path, &st) && (errno == ENOENT || errno == ENOTDIR);
}

void record_count_files(struct record *r)
{
	const struct session *s = &r->last.session;
	uint64_t gone = s->log.log.events_lost + r->last.stat.overwritten_events;
	uint64_t counted;

	r->in_files = r->last.stat.written > gone ? r->last.stat.written - gone : 0;
	if (!s->log.log.name_len)
		return;
	/* One that is made for the first event has no buffer until then. */
	r->gone = s->log.log.buffers && is_gone(s->log.name);
	if (r->session.s.mode & ETW_MODE_CIRCULAR &&
	    s->log.log.buffers_written > s->log.log.buffers &&
	    count_events(s->log.name, &counted) && counted < r->in_files) {
		r->replaced = r->in_files - counted;
		r->in_files = counted;
	}
	count_bytes(r);
}
