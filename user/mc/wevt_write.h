/* SPDX-License-Identifier: MIT */
/*
 * wevt_write.h - internals of the writer of WEVT_TEMPLATE
 *
 * Offsets count from the CRIM header.  Entries refer to each other by offset; the writer
 * keeps the offsets of the current provider's entries, by the address of the model object.
 */
#ifndef ETW_MC_WEVT_WRITE_H
#define ETW_MC_WEVT_WRITE_H

#include "base/bytes.h"
#include "base/table.h"
#include "wevt.h"
#include "tdh/model/message_ids.h"
#include "tdh/model/references.h"

struct etw_wevt_writer {
	const struct etw_manifest *manifest;
	const struct etw_mf_provider *provider;
	struct etw_message_ids ids;
	struct etw_references used;
	struct etw_problems *problems;	/* or NULL */
	unsigned int version;
	struct etw_bytes *out;
	size_t begin;			/* offset of the CRIM header in out */
	int error;			/* -EINVAL, -ENOMEM; errors of out are in out */

	/* the current list: entries are written to out, and all names after them */
	size_t list;			/* offset of the list in out */
	size_t names_at;		/* offset of the names in out */
	struct etw_bytes names;

	struct etw_interner places;	/* addresses of the provider's objects */
	struct etw_bytes offsets;	/* u32 for each of them */
};

/* The offset of the next byte written. */
uint32_t etw_wevt_here(const struct etw_wevt_writer *w);

void etw_wevt_place(struct etw_wevt_writer *w, const void *object, uint32_t offset);
/* The recorded offset; 0: object is NULL, or has none. */
uint32_t etw_wevt_place_of(const struct etw_wevt_writer *w, const void *object);

uint32_t etw_wevt_message(const struct etw_wevt_writer *w, const struct etw_mf_message *message);
__attribute__((format(printf, 3, 4)))
void etw_wevt_error(struct etw_wevt_writer *w, unsigned int line, const char *fmt, ...);

/*
 * A list: a header of signature, length and count (header: its bytes, 12 or 16), count
 * entries of size bytes, then the names.
 */
void etw_wevt_list_begin(struct etw_wevt_writer *w, const char *signature, unsigned int count,
			 size_t header, size_t size);
void etw_wevt_list_end(struct etw_wevt_writer *w);
/* The same for lists whose length is 0 if they are empty. */
void etw_wevt_list_end_or_none(struct etw_wevt_writer *w, unsigned int count);
/* Add a name with its length before it, padded to 4 bytes; returns its offset. */
uint32_t etw_wevt_name(struct etw_wevt_writer *w, const char *name);
/* The same with only the text and its NUL. */
uint32_t etw_wevt_bare_name(struct etw_wevt_writer *w, const char *name);

/* Indexes sorted by ascending key; equal keys keep their order */
struct etw_sorted {
	uint64_t key;
	unsigned int index;
};

/* count entries to sort; the caller frees them.  NULL: out of memory, w->error is set. */
struct etw_sorted *etw_wevt_sorted(struct etw_wevt_writer *w, unsigned int count);
void etw_wevt_sort(struct etw_sorted *sorted, unsigned int count);

/* The lists, in wevt_lists.c and wevt_templates.c */
void etw_wevt_channels(struct etw_wevt_writer *w);
void etw_wevt_opcodes(struct etw_wevt_writer *w);
void etw_wevt_levels(struct etw_wevt_writer *w);
void etw_wevt_tasks(struct etw_wevt_writer *w);
void etw_wevt_keywords(struct etw_wevt_writer *w);
unsigned int etw_wevt_count_maps(const struct etw_mf_provider *provider, bool patterns);
void etw_wevt_maps(struct etw_wevt_writer *w);
void etw_wevt_patterns(struct etw_wevt_writer *w);
void etw_wevt_templates(struct etw_wevt_writer *w);
void etw_wevt_events(struct etw_wevt_writer *w);
void etw_wevt_event_attributes(struct etw_wevt_writer *w);
void etw_wevt_provider_attributes(struct etw_wevt_writer *w);
void etw_wevt_filters(struct etw_wevt_writer *w);

#endif /* ETW_MC_WEVT_WRITE_H */
