/* SPDX-License-Identifier: MIT */
/*
 * embed.h - schemas that travel within a trace
 *
 * A manifest lies in a trace as EventSource writes it and PerfView and others read it:
 * as events of the provider itself, id 0xFFFE, opcode 0xFE, task 0xFFFE, each with a
 * piece of the manifest's XML behind
 *
 *	u8 format (1: XML, UTF-8), u8 major version, u8 minor version, u8 0x5B,
 *	u16 how many pieces, u16 which one, from 0
 *
 * Whoever writes a trace asks etw_embed_records() for these events.  A decoder
 * takes them in by itself as they come by, and from then on decodes the events of that
 * provider with it, before anything that is loaded or installed; who reads files has it
 * look ahead for them first.
 *
 *	etw_embed_records(&guid, time, 0, put, context);	writing
 *	etw_embed_scan(decoder, "x.etl");			reading
 *
 * One decoder, one thread at a time; the rest is thread-safe.
 */
#ifndef ETW_TDH_DECODE_EMBED_H
#define ETW_TDH_DECODE_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include <etw/format.h>

#define ETW_EMBED_CHUNKS_MAX	255

/* Is the event a piece of a schema?  Tools do not show it among the others. */
bool etw_embed_is(const EVENT_RECORD *record);
bool etw_embed_is_piece(const struct etw_event_header *header);	/* of a record that was read */

/*
 * The schema of a provider (its decode GUID or control GUID) that is loaded or installed
 * as XML: a manifest with nothing but that provider and its strings in all
 * languages.  -ENOENT: none is known; -ENOMEM; -EINVAL: no manifest can say what it is
 * (some that only compiled programs have).
 */
int etw_embed_xml(const GUID *guid, struct etw_text *xml);

/*
 * The same as records of a buffer, each of at most max_size bytes (0: as many as a
 * record may have, 65,535) and of the raw time; put() writes each, with
 * etw_etl_write(), and what it returns other than 0 ends it and is returned.  -E2BIG:
 * records of max_size are too small for it.
 */
typedef int etw_embed_put_fn(void *context, const void *record, size_t size);
int etw_embed_records(const GUID *guid, int64_t time, size_t max_size, etw_embed_put_fn *put,
		      void *context);

/*
 * Look for schemas in a log file and give them to the decoder; NULL: have them loaded,
 * for all decoders and for TDH's functions, as long as the process runs.  Looks through
 * the first and the last 32 MB only, where writers put them.  How many were found,
 * or -errno: that of opening or reading; nothing is wrong with a file that has none.
 */
int etw_embed_scan(struct etw_decoder *decoder, const char *path);

#endif /* ETW_TDH_DECODE_EMBED_H */
