/* SPDX-License-Identifier: MIT */
/*
 * wevt_write.h - inside of the writer of WEVT_TEMPLATE
 *
 * Offsets count from the CRIM header.  Things refer to each other by the offsets of
 * their entries; the writer keeps those of the current provider by address.
 */
#ifndef ETW_MC_WEVT_WRITE_H
#define ETW_MC_WEVT_WRITE_H

#include "base/bytes.h"
#include "wevt.h"
#include "tdh/model/message_ids.h"
#include "tdh/model/references.h"

/* Address to offset: open addressing, grows at half. */
struct etw_place {
	const void *thing;
	uint32_t offset;
};

struct etw_wevt_writer {
	const struct etw_manifest *manifest;
	const struct etw_mf_provider *provider;
	struct etw_message_ids ids;
	struct etw_references used;
	struct etw_problems *problems;	/* or NULL */
	unsigned int version;
	struct etw_bytes *out;
	size_t begin;			/* of the CRIM header in out */
	int error;			/* -EINVAL, -ENOMEM: not of out */

	/* a list under way: its entries go to out, their names behind all of them */
	size_t list;
	size_t names_at;
	struct etw_bytes names;

	struct etw_place *places;
	unsigned int place_count, place_cap;
};

/* The offset of what is written next. */
uint32_t etw_wevt_here(const struct etw_wevt_writer *w);

void etw_wevt_place(struct etw_wevt_writer *w, const void *thing, uint32_t offset);
/* 0: it is NULL, or has none. */
uint32_t etw_wevt_place_of(const struct etw_wevt_writer *w, const void *thing);

uint32_t etw_wevt_message(const struct etw_wevt_writer *w, const struct etw_mf_message *message);
__attribute__((format(printf, 3, 4)))
void etw_wevt_error(struct etw_wevt_writer *w, unsigned int line, const char *fmt, ...);

/*
 * A list: header of signature, length and count (header: bytes of it, 12 or 16), count
 * entries of size bytes, names.  end: empty_length is written when count is 0.
 */
void etw_wevt_list_begin(struct etw_wevt_writer *w, const char *signature, unsigned int count,
			 size_t header, size_t size);
void etw_wevt_list_end(struct etw_wevt_writer *w);
/* Like it, of a list that says length 0 when it is empty. */
void etw_wevt_list_end_or_none(struct etw_wevt_writer *w, unsigned int count);
/* A name with its length before it, filled to 4 bytes: its offset. */
uint32_t etw_wevt_name(struct etw_wevt_writer *w, const char *name);
/* Only the text and its NUL. */
uint32_t etw_wevt_bare_name(struct etw_wevt_writer *w, const char *name);

/* Things by an ascending key, equal ones as they came */
struct etw_sorted {
	uint64_t key;
	unsigned int index;
};

/* NULL: no memory, which is in w->error then. */
struct etw_sorted *etw_wevt_sorted(struct etw_wevt_writer *w, unsigned int count);
void etw_wevt_sort(struct etw_sorted *sorted, unsigned int count);

/* The lists, in wevt_write_*.c */
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
bool etw_wevt_has_event_attributes(const struct etw_mf_provider *provider);
void etw_wevt_event_attributes(struct etw_wevt_writer *w);
void etw_wevt_provider_attributes(struct etw_wevt_writer *w);
void etw_wevt_filters(struct etw_wevt_writer *w);

#endif /* ETW_MC_WEVT_WRITE_H */
