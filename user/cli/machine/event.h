/* SPDX-License-Identifier: MIT */
/*
 * event.h - make events of Etw-Machine, which describe a log file: see "machine" in etw/format.h
 *
 * The TraceLogging metadata of each event are made beside its payload, because a field that is not
 * known is left out.
 */
#ifndef ETW_CLI_MACHINE_EVENT_H
#define ETW_CLI_MACHINE_EVENT_H

#include <etw/tracelogging/base.h>
#include "base/text.h"
#include "machine.h"

#define MACHINE_META_MAX	512	/* bytes; ten fields with names of some bytes */

/* All zero is new; it may be begun again. Fields come in the order of the calls. */
struct machine_event {
	uint8_t meta[MACHINE_META_MAX];
	uint16_t meta_len;
	struct etw_text payload;
};

void machine_event_begin(struct machine_event *event, const char *name);
/* An empty text, or no bytes, is no field. */
void machine_event_text(struct machine_event *event, const char *name, const char *text);
void machine_event_binary(struct machine_event *event, const char *name, const void *bytes,
			  uint16_t len);
void machine_event_u32(struct machine_event *event, const char *name, uint32_t value);
/* in: TlgInUINT64 or TlgInHEXINT64 */
void machine_event_u64(struct machine_event *event, const char *name, uint8_t in, uint64_t value);
void machine_event_guid(struct machine_event *event, const char *name,
			const struct etw_guid *guid);
/* An array of so many elements of a type, whose bytes are these; out: TlgOutUTF8 of texts, or 0 */
void machine_event_array(struct machine_event *event, const char *name, uint8_t in, uint8_t out,
			 uint16_t count, const void *elements, size_t len);
/* Bytes that it will have as a record, with all but the padding */
size_t machine_event_size(const struct machine_event *event);

/* Where events go, with this raw time; record is its own. */
struct machine_out {
	int64_t time;
	machine_put_fn *put;
	void *context;
};

/* Write the event, and free its payload. What put() returned; -EMSGSIZE; -ENOMEM */
int machine_event_put(const struct machine_out *out, struct machine_event *event);

#endif /* ETW_CLI_MACHINE_EVENT_H */
