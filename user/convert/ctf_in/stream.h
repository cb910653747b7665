/* SPDX-License-Identifier: MIT */
/*
 * stream.h - a stream file of a CTF trace, event by event
 */
#ifndef ETW_CONVERT_CTFSTREAM_H
#define ETW_CONVERT_CTFSTREAM_H

#include "files.h"
#include "read.h"
#include "packet.h"
#include "core/record.h"

#define CS_PACKET_MAX	(1ull << 30)	/* bytes */

struct cs {
	const struct cm_meta *meta;
	struct ctffile file;		/* its path is also for messages */
	struct ctffiles *files;		/* that it is one of */
	const uint8_t *memory;		/* instead of a file, if not NULL */
	uint64_t size, offset;		/* of the file; of the packet that comes next */
	const struct ctfin_options *options;
	struct ctfin_result *result;

	struct cr r;
	const struct cm_stream *stream;	/* of the packet at hand */
	uint8_t *packet;
	size_t packet_room;
	uint64_t packet_offset;
	bool open;			/* there is a packet */
	bool counted;			/* discarded was set by a packet */
	uint64_t discarded;		/* the tracer's counter */
	uint16_t cpu;

	/* The event at hand */
	int64_t time;			/* ns since 1970 */
	uint32_t record_size;
	uint8_t *record;		/* from malloc() */
	uint32_t record_room;
	struct etw_text traits, schema;	/* what it is made of */
};

/*
 * The next event, with its record, whose time is ns since 1970.  1; 0: that was all;
 * -ENOMEM, or what read(2) says.
 */
int cs_next(struct cs *stream);
void cs_close(struct cs *stream);

/*
 * The record of an event whose scopes have been read.  -EMSGSIZE: too large; -ENODATA: it is
 * not to be written.
 */
int cs_record(struct cs *stream, const struct cm_event *event);

#endif /* ETW_CONVERT_CTFSTREAM_H */
