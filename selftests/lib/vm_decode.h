/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_decode.h - names and values of events, decoded by their manifest
 */
#ifndef ETW_SELFTEST_VM_DECODE_H
#define ETW_SELFTEST_VM_DECODE_H

#include "vm_buf.h"

#include <etw/decode.h>
#include "tdh/store/store.h"

/* Let the decoder know a manifest; 0 or a negative errno.  base: $ETW_BUILD or above */
int vm_load_manifest(const char *dir, const char *name);

/* An event as consumers get it, without its extended items. */
EVENT_RECORD vm_event_record(const struct etw_event_header *head, const void *data, uint32_t len);

/*
 * Format all fields as etw_format_fields() does, into text; *event is the decoded event. 0;
 * -ENOENT: no schema; -EBADMSG: the fields and the payload do not end together.
 */
int vm_decode(struct etw_decoder *decoder, const EVENT_RECORD *record,
	      const struct etw_decoded **event, struct etw_text *text);

#endif /* ETW_SELFTEST_VM_DECODE_H */
