/* SPDX-License-Identifier: MIT */
/*
 * embed.c - put what describes the recording into the file: the machine, and the manifests
 *
 * They are appended when the file is complete, so that no event can be lost here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <etw/format.h>
#include "cli/cli.h"
#include "recording.h"
#include "cli/machine/append.h"
#include "cli/schema.h"
#include "etl/write.h"
#include "device/kdev.h"
#include "tdh/decode/embed.h"

static void report_lacking(const struct record *r)
{
	const struct provider_counts *counts = &r->contents.counts;
	char text[GUID_TEXT_SIZE];
	unsigned int k;
	size_t i;

	for (i = 0; i < counts->count; i++) {
		const struct provider_count *p = &counts->list[i];

		if (!p->lacks)
			continue;
		for (k = 0; k < r->providers.count &&
		     !guid_equal(&r->providers.list[k]->enable.provider, &p->guid); k++)
			;
		guid_text(&p->guid, text);
		cli_note("no manifest of %s is known: elsewhere its events cannot be decoded, see etw-manifest(1)",
			 k < r->providers.count ? cli_quote(r->providers.list[k]->provider) : text);
	}
}

static int put(void *writer, const void *record, size_t size)
{
	return etw_etl_write(writer, 0, record, size);
}

static int embed_all(struct etw_etl_writer *writer, const struct etw_etl_info *info,
		     const struct provider_counts *p, unsigned int *found)
{
	size_t room = info->header.BufferSize - sizeof(struct etw_buffer_header), i;
	int64_t time = etw_etl_end_clock(info);
	int err = 0;

	for (i = 0; i < p->count && !err; i++) {
		GUID guid;

		memcpy(&guid, &p->list[i].guid, sizeof(guid));
		err = etw_embed_records(&guid, time, room < UINT16_MAX ? room : 0, put, writer);
		if (!err)
			(*found)++;
		else if (err == -ENOENT || err == -EINVAL)
			err = 0;	/* none is known: TraceLogging needs none */
	}
	return err;
}

/* What is appended to each file */
struct appendix {
	const struct provider_counts *providers;	/* whose manifests; NULL: none */
	unsigned int *found;				/* manifests in each file */
	struct machine machine;
	char path[ETW_FILE_NAME_MAX + 1];		/* the file; if it failed, the first that did */
};

static int append_manifests(void *context, struct etw_etl_writer *writer,
			    const struct etw_etl_info *info)
{
	const struct appendix *appendix = context;

	*appendix->found = 0;
	if (!appendix->providers)
		return 0;
	return embed_all(writer, info, appendix->providers, appendix->found);
}

/*
 * One file after the other; the last is the one that the session names. One that somebody has
 * moved away does not keep the others from it.
 */
static int embed_files(struct record *r, struct appendix *appendix)
{
	const struct session *s = &r->last.session;
	const bool several = r->session.s.mode & ETW_MODE_NEWFILE;
	uint32_t number = several ? r->file.first : s->log.log.number;
	char path[ETW_FILE_NAME_MAX + 1];
	int err, first = 0;

	for (; number <= s->log.log.number && (!first || first == -ENOENT); number++) {
		snprintf(path, sizeof(path), "%s", s->log.name);
		err = several && !log_file_number(r->file.path, number, path) ? -ENAMETOOLONG :
		      machine_append_file(path, machine_log_start(s), &appendix->machine,
					  append_manifests, appendix);
		if (err && !first) {
			first = err;
			memcpy(appendix->path, path, sizeof(path));
		}
	}
	return first;
}

/* A circular file cannot hold anything behind its events. */
static bool has_room(const struct record *r)
{
	const struct session *s = &r->last.session;

	return s->log.log.name_len && !(r->session.s.mode & ETW_MODE_CIRCULAR) &&
	       !session_file_failed(s);
}

static int report_failure(struct record *r, const struct appendix *appendix, int err)
{
	const char *name = cli_quote(appendix->path);

	if (appendix->providers) {
		r->manifests = 0;
		return cli_fail("%s: the manifests are not in it: %s", name,
				err == -E2BIG ? "one is too large for its buffers" :
				machine_append_reason(err));
	}
	/* That a file is gone is reported anyway. */
	if (err != -ENOENT && err != -ESTALE && !r->quiet)
		cli_note("%s: the machine is not described in it: %s", name,
			 machine_append_reason(err));
	return 0;
}

int record_embed(struct record *r)
{
	const bool manifests = r->with_manifests && r->counted;
	struct session *s = &r->last.session;
	struct appendix appendix = {
		.providers = manifests ? &r->contents.counts : NULL, .found = &r->manifests,
	};
	int status = 0, err = 0;
	struct stat st;

	if (r->with_manifests && !r->counted)
		status = cli_fail("%s: the manifests are not in it: its providers are not known",
				  cli_quote(s->log.name));
	if (manifests || has_room(r)) {
		machine_collect(&appendix.machine, "");
		if (s->log.log.name_len)
			err = embed_files(r, &appendix);
		machine_free(&appendix.machine);
	}
	if (manifests && !err && !r->quiet)
		report_lacking(r);
	if (err)
		return report_failure(r, &appendix, err) | status;
	if (s->log.log.name_len && !stat(s->log.name, &st))
		s->log.log.bytes = (uint64_t)st.st_size;
	return status;
}
