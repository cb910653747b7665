/* SPDX-License-Identifier: MIT */
/*
 * embed.c - write schemas as events, and find them in a file
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* gettid() */
#endif
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder.h"
#include "embed.h"
#include "tdh/manifest/xml_write.h"
#include "tdh/store/store.h"
#include "etl/file_private.h"
#include "etl/record.h"

#define CHUNK_MAX	0xFF00u		/* bytes of a piece, as in EventSource */
#define ENVELOPE	8u
#define WINDOW		(32u << 20)	/* bytes searched at the file's beginning and end */

/* -------------------------------------------------------------------- writing */

/* decode: the provider's decode GUID */
static int make_xml(const GUID *guid, struct etw_text *xml, GUID *decode)
{
	struct etw_manifest *manifest;
	const struct etw_mf_provider *provider = etw_store_find(guid, &manifest);
	int err;

	if (!provider)
		return -ENOENT;
	*decode = provider->guid;
	err = etw_manifest_xml(provider, xml);
	etw_manifest_put(manifest);
	return err;
}

int etw_embed_xml(const GUID *guid, struct etw_text *xml)
{
	GUID decode;

	return make_xml(guid, xml, &decode);
}

static void fill_header(struct etw_event_header *header, const GUID *guid, int64_t time)
{
	memset(header, 0, sizeof(*header));
	header->type = ETW_TYPE_EVENT64;
	header->flags = ETW_EVENT_NO_CPUTIME;
	header->thread_id = gettid();
	header->process_id = getpid();
	header->timestamp = time;
	memcpy(&header->provider, guid, sizeof(*guid));
	header->desc = (struct etw_event_descriptor){
		.id = 0xFFFE, .version = 1, .opcode = 0xFE, .task = 0xFFFE,
		/* All keywords except those of channels */
		.keyword = 0x00FFFFFFFFFFFFFF,
	};
}

static int put_pieces(const GUID *guid, int64_t time, size_t chunk, const struct etw_text *xml,
		      etw_embed_put_fn *put, void *context)
{
	size_t total = (xml->len + chunk - 1) / chunk, at, len;
	struct etw_event_header *header;
	uint8_t *record, *envelope;
	unsigned int i;
	int ret = 0;

	if (total > ETW_EMBED_CHUNKS_MAX)
		return -E2BIG;
	record = malloc(sizeof(*header) + ENVELOPE + chunk);
	if (!record)
		return -ENOMEM;
	header = (struct etw_event_header *)record;
	envelope = record + sizeof(*header);
	fill_header(header, guid, time);
	memcpy(envelope, (const uint8_t[]){ 1, 1, 0, 0x5B, total, 0, 0, 0 }, ENVELOPE);
	for (i = 0, at = 0; i < total && !ret; i++, at += len) {
		len = xml->len - at < chunk ? xml->len - at : chunk;
		envelope[6] = i;
		memcpy(envelope + ENVELOPE, xml->data + at, len);
		header->size = sizeof(*header) + ENVELOPE + len;
		ret = put(context, record, header->size);
	}
	free(record);
	return ret;
}

int etw_embed_records(const GUID *guid, int64_t time, size_t max_size, etw_embed_put_fn *put,
		      void *context)
{
	const size_t head = sizeof(struct etw_event_header) + ENVELOPE;
	struct etw_text xml = { 0 };
	size_t chunk = CHUNK_MAX;
	GUID decode;
	int ret;

	if (max_size && max_size <= head)
		return -E2BIG;
	if (max_size && max_size - head < chunk)
		chunk = max_size - head;
	ret = make_xml(guid, &xml, &decode);
	if (!ret)
		ret = put_pieces(&decode, time, chunk, &xml, put, context);
	etw_text_free(&xml);
	return ret;
}

/* -------------------------------------------------------------------- reading */

bool etw_embed_is_piece(const struct etw_event_header *header)
{
	return (header->type == ETW_TYPE_EVENT64 || header->type == ETW_TYPE_EVENT32) &&
	       header->desc.id == 0xFFFE && header->desc.opcode == 0xFE &&
	       header->desc.task == 0xFFFE;
}

/* Returns the number of schemas that the records of a buffer complete. */
static int scan_block(struct etw_decoder *d, const struct etw_block *block)
{
	uint32_t offset = sizeof(block->header);
	struct etw_classic_view classic;
	struct etw_record_view view;
	int found = 0;
	GUID guid;

	classic.time = 0;
	while (etw_etl_record(block->data, block->header.offset, &offset, &view, &classic) == 1) {
		if (!etw_embed_is_piece(view.header))
			continue;
		memcpy(&guid, &view.header->provider, sizeof(guid));
		found += etw_embedded_feed(d, &guid, view.header->process_id, view.data,
					   view.data_len);
	}
	return found;
}

static int scan(struct etw_decoder *d, struct etw_etl_file *f)
{
	uint64_t at, last = f->space.end > WINDOW ? f->space.end - WINDOW : 0;
	struct etw_buffer_header header;
	struct etw_etl_walk walk;
	struct etw_block *block;
	int ret, err, found = 0;

	etw_etl_walk_begin(&f->space, &walk);
	while ((ret = etw_etl_walk_next(&f->space, &walk, &header, &at))) {
		if (ret < 0 && ret != -EBADMSG)
			return ret;
		if (ret < 0 || (at >= WINDOW && at < last))
			continue;
		block = etw_etl_load(f, at, &header, &err);
		if (err)
			return err;
		if (block)
			found += scan_block(d, block);
		free(block);
	}
	return found;
}

int etw_embed_scan(struct etw_decoder *decoder, const char *path)
{
	struct etw_decoder *own = decoder ? NULL : etw_decoder_new();
	struct etw_etl_file *f;
	int ret = decoder || own ? etw_etl_open(path, NULL, NULL, &f) : -ENOMEM;

	if (!ret) {
		ret = scan(decoder ? decoder : own, f);
		etw_etl_close(f);
	}
	if (ret > 0 && own && etw_embedded_load(own))
		ret = -ENOMEM;
	etw_decoder_free(own);
	return ret;
}
