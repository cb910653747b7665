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
#include "etl/record.h"
#include "etl/write.h"
#include "lib/consumer/event_record.h"
#include "device/kdev.h"
#include "tdh/decode/embed.h"

#define PROVIDERS_MAX	4096
#define FILETIME_SECOND	10000000

/* The providers whose events are in the file */
struct providers {
	struct etw_guid *list;
	bool *lacks;		/* for each: an event needs a manifest, and none is known */
	size_t count, last;	/* last: index of the last lookup */
};

static void add(struct providers *p, const struct etw_guid *guid)
{
	size_t i;

	/* Events of one provider often follow each other. */
	if (p->last < p->count && guid_equal(&p->list[p->last], guid))
		return;
	for (i = 0; i < p->count && !guid_equal(&p->list[i], guid); i++)
		;
	if (i == p->count && p->count < PROVIDERS_MAX)
		p->list[p->count++] = *guid;
	p->last = i;
}

/*
 * Must the events be read?  Only they show the members of a group, and whether a provider
 * without a manifest needs one.
 */
static bool must_look(const struct record *r)
{
	unsigned int i;

	for (i = 0; i < r->providers.count; i++)
		if (r->providers.list[i]->enable.property & ETW_ENABLE_PROVIDER_GROUP ||
		    !schema_provider(&r->providers.list[i]->enable.provider))
			return true;
	return false;
}

/* Is it decoded by a manifest?  TraceLogging, strings and classic events are not. */
static bool needs_manifest(const struct etw_event *event, struct etw_event_items *items)
{
	EVENT_RECORD record;
	USHORT i;

	etw_event_record(&record, event, items, false);
	if (record.EventHeader.Flags & (EVENT_HEADER_FLAG_STRING_ONLY |
					EVENT_HEADER_FLAG_CLASSIC_HEADER |
					EVENT_HEADER_FLAG_TRACE_MESSAGE))
		return false;
	for (i = 0; i < record.ExtendedDataCount; i++)
		if (record.ExtendedData[i].ExtType == EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL)
			return false;
	return true;
}

/* Find the providers of the events, and which of them lack a manifest.  0 or -errno */
static int look_into(const char *path, struct providers *p)
{
	struct etw_event_items items = { 0 };
	struct etw_etl_file *file;
	struct etw_event event;
	int err = etw_etl_open(path, NULL, NULL, &file);

	if (err)
		return err;
	while ((err = etw_etl_next(file, &event)) == 1) {
		if (etw_etl_is_system(event.record.header))
			continue;
		add(p, &event.record.header->provider);
		if (p->last < p->count && !p->lacks[p->last] && needs_manifest(&event, &items))
			p->lacks[p->last] = !schema_provider(&p->list[p->last]);
	}
	etw_event_items_free(&items);
	etw_etl_close(file);
	return err;
}

static void report_lacking(const struct record *r, const struct providers *p)
{
	char text[GUID_TEXT_SIZE];
	unsigned int k;
	size_t i;

	for (i = 0; i < p->count; i++) {
		if (!p->lacks[i])
			continue;
		for (k = 0; k < r->providers.count &&
		     !guid_equal(&r->providers.list[k]->enable.provider, &p->list[i]); k++)
			;
		guid_text(&p->list[i], text);
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
		     const struct providers *p, unsigned int *found)
{
	size_t room = info->header.BufferSize - sizeof(struct etw_buffer_header), i;
	int64_t time = end_clock(info);
	int err = 0;

	for (i = 0; i < p->count && !err; i++) {
		GUID guid;

		memcpy(&guid, &p->list[i], sizeof(guid));
		err = etw_embed_records(&guid, time, room < UINT16_MAX ? room : 0, put, writer);
		if (!err)
			(*found)++;
		else if (err == -ENOENT || err == -EINVAL)
			err = 0;	/* none is known: TraceLogging needs none */
	}
	return err;
}

/* Append the manifests to one file.  0, or -errno; then the file is unchanged. */
static int embed(const char *path, const struct providers *p, unsigned int *found)
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
static int embed_files(struct record *r, const struct providers *p)
{
	const struct session *s = &r->last.session;
	char path[ETW_FILE_NAME_MAX + 1];
	uint32_t number;
	int err = 0;

	if (!(r->session.s.mode & ETW_MODE_NEWFILE))
		return embed(s->log.name, p, &r->manifests);
	for (number = r->file.first; number <= s->log.log.number && !err; number++)
		err = record_file_number(r->file.path, number, path) ?
		      embed(path, p, &r->manifests) : -ENAMETOOLONG;
	return err;
}

int record_embed(struct record *r)
{
	struct session *s = &r->last.session;
	struct providers p = {
		.list = calloc(PROVIDERS_MAX, sizeof(*p.list)),
		.lacks = calloc(PROVIDERS_MAX, sizeof(*p.lacks)),
	};
	struct stat st;
	unsigned int i;
	int err = 0;

	if (!p.list || !p.lacks)
		cli_die("out of memory");
	for (i = 0; i < r->providers.count; i++)
		add(&p, &r->providers.list[i]->enable.provider);
	if (s->log.log.name_len && must_look(r))
		err = look_into(s->log.name, &p);
	if (s->log.log.name_len && !err)
		err = embed_files(r, &p);
	if (!err && !r->quiet)
		report_lacking(r, &p);
	free(p.list);
	free(p.lacks);
	if (err) {
		r->manifests = 0;
		return cli_fail("%s: the manifests are not in it: %s", cli_quote(s->log.name),
				err == -E2BIG ? "one is too large for its buffers" : strerror(-err));
	}
	if (s->log.log.name_len && !stat(s->log.name, &st))
		s->log.log.bytes = (uint64_t)st.st_size;
	return 0;
}
