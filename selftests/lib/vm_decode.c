// SPDX-License-Identifier: GPL-2.0-only
/* vm_decode.c - names and values of events, decoded by their manifest */
#include "lib/vm_decode.h"

int vm_load_manifest(const char *dir, const char *name)
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

EVENT_RECORD vm_event_record(const struct etw_event_header *head, const void *data, uint32_t len)
{
	EVENT_RECORD record = { .UserDataLength = len, .UserData = (PVOID)data };

	_Static_assert(sizeof(record.EventHeader) == sizeof(*head), "one layout");
	memcpy(&record.EventHeader, head, sizeof(*head));
	record.EventHeader.Flags |= EVENT_HEADER_FLAG_64_BIT_HEADER;
	return record;
}

int vm_decode(struct etw_decoder *decoder, const EVENT_RECORD *record,
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
