/* SPDX-License-Identifier: MIT */
/*
 * read.h - internals of the WEVT_TEMPLATE reader
 *
 * The file is not trusted. Each read is checked; the first failed one sets error, and
 * from then on all reads return nothing, so only loops need to check it. Lists and
 * texts are counted against a budget based on the file's size, so that overlapping
 * lists cannot expand a small file.
 */
#ifndef ETW_TDH_WEVT_READ_H
#define ETW_TDH_WEVT_READ_H

#include "tdh/model/model.h"
#include "tdh/model/names.h"
#include "base/text.h"
#include "format.h"

/* A message table and its language */
struct etw_wevt_table {
	const void *data;
	size_t size;
	const char *culture;
	/* set by the reader: entries by number */
	struct etw_wevt_text *texts;
	size_t count;
};

struct etw_wevt_text {
	uint32_t id;
	uint32_t offset;	/* of the entry in the table */
	const struct etw_mf_message *message;	/* the resulting message, or NULL */
};

struct etw_wevt_reader {
	const uint8_t *data;
	size_t size;
	struct etw_manifest *manifest;
	struct etw_problems *problems;	/* or NULL */
	struct etw_wevt_table *tables;
	unsigned int table_count;
	int64_t entries_left, text_left;	/* remaining budget in bytes */
	int error;
	struct etw_text text;		/* being converted */

	struct etw_mf_message *messages;	/* the manifest's */

	/* the current provider */
	struct etw_mf_provider *provider;
	uint32_t lists[ETW_WEVT_LISTS];	/* offsets; 0: none */
	struct etw_names names;	/* objects by list and offset of the entry, and others */
};

/* Read a WEVT_TEMPLATE resource ("CRIM") and message tables with its texts. */
int etw_wevt_read(const void *data, size_t size, struct etw_wevt_table *tables,
		  unsigned int table_count, const char *name, struct etw_manifest **out,
		  struct etw_problems *problems);

/* Report -EINVAL with a reason; only the first counts. */
__attribute__((format(printf, 2, 3)))
void etw_wevt_bad(struct etw_wevt_reader *r, const char *fmt, ...);
/* Report something that is left out. */
__attribute__((format(printf, 2, 3)))
void etw_wevt_warn(struct etw_wevt_reader *r, const char *fmt, ...);

/* len bytes at an offset, or NULL with error set. */
const uint8_t *etw_wevt_bytes(struct etw_wevt_reader *r, uint32_t offset, size_t len);
/* The same for entries of a list. */
const uint8_t *etw_wevt_entries(struct etw_wevt_reader *r, uint32_t offset, uint32_t count,
				size_t size);
uint16_t etw_wevt_u16(const uint8_t *p);
uint32_t etw_wevt_u32(const uint8_t *p);
uint64_t etw_wevt_u64(const uint8_t *p);

/*
 * A list's header: *count, and its entries after header bytes. NULL: there is no such
 * list, or it is invalid.
 */
const uint8_t *etw_wevt_list(struct etw_wevt_reader *r, enum etw_wevt_list kind,
			     size_t header, size_t size, uint32_t *count);

/* Memory of the manifest, or NULL with error set. */
void *etw_wevt_alloc(struct etw_wevt_reader *r, size_t count, size_t size);
/* A copy in the manifest's memory, of a string or of r->text; or NULL with error set. */
char *etw_wevt_keep(struct etw_wevt_reader *r, const char *s);
char *etw_wevt_keep_text(struct etw_wevt_reader *r);
/* A text preceded by its length, or one that ends with a NUL. */
const char *etw_wevt_name_at(struct etw_wevt_reader *r, uint32_t offset);
const char *etw_wevt_bare_name_at(struct etw_wevt_reader *r, uint32_t offset);

/* Set, or get, the object of a list's entry at an offset; NULL: no such entry. */
void etw_wevt_define(struct etw_wevt_reader *r, enum etw_wevt_list list, uint32_t offset,
		     const void *object);
const void *etw_wevt_at(const struct etw_wevt_reader *r, enum etw_wevt_list list, uint32_t offset);

/* Message tables, in messages.c */
int etw_wevt_tables_open(struct etw_wevt_reader *r);
void etw_wevt_tables_close(struct etw_wevt_reader *r);
/* NULL: no table has the number. */
const struct etw_mf_message *etw_wevt_message_of(struct etw_wevt_reader *r, uint32_t id);

/* The lists of a provider */
void etw_wevt_read_channels(struct etw_wevt_reader *r);
void etw_wevt_read_levels(struct etw_wevt_reader *r);
void etw_wevt_read_tasks(struct etw_wevt_reader *r);
void etw_wevt_read_opcodes(struct etw_wevt_reader *r);
void etw_wevt_read_keywords(struct etw_wevt_reader *r);
void etw_wevt_read_filters(struct etw_wevt_reader *r);
void etw_wevt_read_provider_attributes(struct etw_wevt_reader *r);
void etw_wevt_read_maps(struct etw_wevt_reader *r);
void etw_wevt_read_templates(struct etw_wevt_reader *r);
void etw_wevt_read_events(struct etw_wevt_reader *r);
void etw_wevt_read_event_attributes(struct etw_wevt_reader *r);
/* Channels that are used by events but not imported are the standard ones. */
void etw_wevt_settle_channels(struct etw_wevt_reader *r);

/*
 * Read a template's binary XML: *name is the name of its EventData; *user_data is the
 * XML of another element; NULL otherwise.
 */
void etw_wevt_read_binxml(struct etw_wevt_reader *r, const uint8_t *data, size_t size,
			  const char **name, const char **user_data);

#endif /* ETW_TDH_WEVT_READ_H */
