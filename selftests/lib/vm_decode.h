/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_decode.h - names and values of events, by the manifest that they were made from
 */
#ifndef ETW_SELFTEST_VM_DECODE_H
#define ETW_SELFTEST_VM_DECODE_H

#include "vm_buf.h"

#include <etw/decode.h>
#include "tdh/store/store.h"

/* Let the decoder know a manifest; 0 or a negative errno.  base: $ETW_BUILD or above */
static inline int vm_load_manifest(const char *dir, const char *name)
{
	struct etw_problems problems = { 0 };
	struct etw_manifest *manifest;
	char path[512];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ret = etw_manifest_read_file(path, &manifest, &problems);
	if (ret && problems.count)
		fprintf(stderr, "# %s:%u: %s\n", path, problems.list[0].line,
			problems.list[0].text);
	etw_problems_free(&problems);
	if (ret)
		return ret;
	ret = etw_store_add(manifest);
	etw_manifest_put(manifest);
	return ret;
}

/* An event as consumers get it, without its extended items. */
static inline EVENT_RECORD vm_event_record(const struct etw_event_header *head,
					   const void *data, uint32_t len)
{
	EVENT_RECORD record = { .UserDataLength = len, .UserData = (PVOID)data };

	_Static_assert(sizeof(record.EventHeader) == sizeof(*head), "one layout");
	memcpy(&record.EventHeader, head, sizeof(*head));
	record.EventHeader.Flags |= EVENT_HEADER_FLAG_64_BIT_HEADER;
	return record;
}

/*
 * All fields as etw_format_fields() has them, in text; *event is what it is called.
 * 0; -ENOENT: no schema; -EBADMSG: the fields and the payload do not end together.
 */
static inline int vm_decode(struct etw_decoder *decoder, const EVENT_RECORD *record,
			    const struct etw_decoded **event, struct etw_text *text)
{
	struct etw_field field;
	size_t rest;
	int ret = etw_decode(decoder, record, event);

	if (ret)
		return ret;
	text->len = 0;
	if (text->data)
		text->data[0] = '\0';
	etw_format_fields(text, decoder, 0);
	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) == 1)
		;
	etw_decode_rest(decoder, &rest);
	if (text->error)
		return text->error;
	return ret ? ret : rest ? -EBADMSG : 0;
}

#endif /* ETW_SELFTEST_VM_DECODE_H */
