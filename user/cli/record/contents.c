/* SPDX-License-Identifier: MIT */
/*
 * contents.c - read what was recorded, to count the events of each provider
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "cli/cli.h"
#include <etw/format.h>
#include "recording.h"

static int add(struct record *r, const char *path)
{
	/* An appended file has events of earlier recordings. */
	int64_t since = r->session.s.mode & ETW_MODE_APPEND ?
			(int64_t)r->last.session.s.start_wall : INT64_MIN;

	/* Signals are held; one of them ends the counting of a large file. */
	return log_contents_add(&r->contents, path, since, cli_held_ending);
}

void record_read(struct record *r)
{
	static const struct etw_guid process_guid = ETW_PROCESS_GUID, image_guid = ETW_IMAGE_GUID;
	const struct session *s = &r->last.session;
	char path[ETW_FILE_NAME_MAX + 1];
	unsigned int i;
	uint32_t number;
	int err = 0;

	r->contents.counts_names = enable_list_has(&r->providers, &process_guid);
	r->contents.counts_images = enable_list_has(&r->providers, &image_guid);
	/* Those without an event are listed, too, except of a whole set of trace events. */
	for (i = 0; i < r->providers.count; i++) {
		const struct enable_request *request = r->providers.list[i];

		if (!(request->enable.property & ETW_ENABLE_PROVIDER_GROUP) &&
		    request->traced.count < 2)
			provider_counts_add(&r->contents.counts, &request->enable.provider, 0);
	}
	if (!s->log.log.name_len || !s->log.log.buffers || !r->last.stat.written) {
		r->counted = true;	/* nothing was written */
		return;
	}
	if (!(r->session.s.mode & ETW_MODE_NEWFILE))
		err = add(r, s->log.name);
	else
		for (number = r->file.first; number <= s->log.log.number && !err; number++)
			err = log_file_number(r->file.path, number, path) ? add(r, path) :
			      -ENAMETOOLONG;
	r->counted = !err;
	/* That a file is gone is reported anyway. */
	if (err && err != -ENOENT && !r->quiet)
		cli_note("the events of each provider are not counted: %s",
			 err == -EINTR ? "interrupted" : strerror(-err));
}
