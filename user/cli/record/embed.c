/* SPDX-License-Identifier: MIT */
/*
 * embed.c - put the manifests of what was recorded into the file
 *
 * They are appended when the file is complete, so that no event can be lost here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <etw/format.h>
#include "cli/cli.h"
#include "recording.h"
#include "cli/schema.h"
#include "etl/file.h"
#include "etl/write.h"
#include "device/kdev.h"
#include "tdh/decode/embed.h"

#define FILETIME_SECOND	10000000

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

/* The file's clock at its end */
static int64_t end_clock(const struct etw_etl_info *info)
{
	int64_t end = info->header.EndTime.QuadPart, d = end - info->header.StartTime.QuadPart;
	int64_t frequency = (int64_t)etw_etl_frequency(info);

	if (info->header.ReservedFlags == ETW_CLOCK_SYSTEM)
		return end;
	return info->start_clock + d / FILETIME_SECOND * frequency +
	       d % FILETIME_SECOND * frequency / FILETIME_SECOND;
}

static int put(void *writer, const void *record, size_t size)
{
	return etw_etl_write(writer, 0, record, size);
}

static int embed_all(struct etw_etl_writer *writer, const struct etw_etl_info *info,
		     const struct provider_counts *p, unsigned int *found)
{
	size_t room = info->header.BufferSize - sizeof(struct etw_buffer_header), i;
	int64_t time = end_clock(info);
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

/* Append the manifests to one file.  0, or -errno; then the file is unchanged. */
static int embed(const char *path, const struct provider_counts *p, unsigned int *found)
{
	struct etw_etl_writer *writer;
	struct etw_etl_info info;
	struct etw_etl_file *file;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	info = *etw_etl_info(file);
	etw_etl_close(file);
	err = etw_etl_append(path, &writer);
	if (err)
		return err;
	*found = 0;
	err = embed_all(writer, &info, p, found);
	if (err || !*found) {
		etw_etl_discard(writer);
		return err;
	}
	return etw_etl_finish(writer, info.header.EndTime.QuadPart, NULL);
}

/* One file after the other; the last is the one that the session names. */
static int embed_files(struct record *r, const struct provider_counts *p)
{
	const struct session *s = &r->last.session;
	char path[ETW_FILE_NAME_MAX + 1];
	uint32_t number;
	int err = 0;

	if (!(r->session.s.mode & ETW_MODE_NEWFILE))
		return embed(s->log.name, p, &r->manifests);
	for (number = r->file.first; number <= s->log.log.number && !err; number++)
		err = log_file_number(r->file.path, number, path) ?
		      embed(path, p, &r->manifests) : -ENAMETOOLONG;
	return err;
}

int record_embed(struct record *r)
{
	struct session *s = &r->last.session;
	struct stat st;
	int err = 0;

	if (!r->counted)
		return cli_fail("%s: the manifests are not in it: its providers are not known",
				cli_quote(s->log.name));
	if (s->log.log.name_len)
		err = embed_files(r, &r->contents.counts);
	if (!err && !r->quiet)
		report_lacking(r);
	if (err) {
		r->manifests = 0;
		return cli_fail("%s: the manifests are not in it: %s", cli_quote(s->log.name),
				err == -E2BIG ? "one is too large for its buffers" : strerror(-err));
	}
	if (s->log.log.name_len && !stat(s->log.name, &st))
		s->log.log.bytes = (uint64_t)st.st_size;
	return 0;
}
