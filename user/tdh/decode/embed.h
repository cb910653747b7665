/* SPDX-License-Identifier: MIT */
/*
 * embed.h - schemas embedded in a trace
 *
 * A manifest is embedded in the form that EventSource writes and that PerfView and
 * others read: as events of the provider itself, id 0xFFFE, opcode 0xFE, task 0xFFFE.
 * Each holds a piece of the manifest's XML after this header:
 *
 *	u8 format (1: XML, UTF-8), u8 major version, u8 minor version, u8 0x5B,
 *	u16 number of pieces, u16 index of this piece, from 0
 *
 * A program that writes a trace gets these events from etw_embed_records(). A decoder
 * takes them from the event stream by itself, and from then on decodes events of that
 * provider with the schema, in preference to loaded and installed ones. A program that
 * reads files makes the decoder look for them first.
 *
 *	etw_embed_records(&guid, time, 0, put, context);	writing
 *	etw_embed_scan(decoder, "x.etl");			reading
 *
 * A decoder belongs to one thread at a time; the rest is thread-safe.
 */
#ifndef ETW_TDH_DECODE_EMBED_H
#define ETW_TDH_DECODE_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <etw/decode.h>
#include <etw/format.h>

#define ETW_EMBED_CHUNKS_MAX	255

/* Is the event a piece of a schema? Tools do not show such events. */
bool etw_embed_is(const EVENT_RECORD *record);
bool etw_embed_is_piece(const struct etw_event_header *header);	/* of a record that was read */

/*
 * The schema of a provider (by decode GUID or control GUID) that is loaded or
 * installed, as records of a buffer: a manifest with only that provider and its strings
 * in all languages, and one for each other manifest that describes further events, in records of at most max_size bytes (0: a record's maximum, 65,535)
 * and with this raw time. put() writes each with etw_etl_write(); a return value other
 * than 0 stops the loop and is returned. -ENOENT: unknown; -ENOMEM; -EINVAL: a manifest
 * cannot express them (some schemas of compiled programs); -E2BIG: max_size is too small
 * for the schema.
 */
typedef int etw_embed_put_fn(void *context, const void *record, size_t size);
int etw_embed_records(const GUID *guid, int64_t time, size_t max_size, etw_embed_put_fn *put,
		      void *context);

/*
 * Find schemas in a log file and give them to the decoder; NULL: load them for all
 * decoders and TDH functions of the process. Searches only the first and the last 32
 * MB, where writers put them. Returns the number found, or -errno of opening or
 * reading; 0 is not an error.
 */
int etw_embed_scan(struct etw_decoder *decoder, const char *path);

#endif /* ETW_TDH_DECODE_EMBED_H */
