/* SPDX-License-Identifier: MIT */
/*
 * perfetto.h - interned strings, and the fields of events
 */
#ifndef ETW_CONVERT_PERFETTO_PERFETTO_H
#define ETW_CONVERT_PERFETTO_PERFETTO_H

#include "convert/convert.h"
#include "convert/seen.h"
#include "convert/slices/slices.h"
#include "numbers.h"

/* Strings of one index; more are written where they occur. */
#define INTERNED_MAX	65536
#define INTERNED_BYTES	(8u << 20)

/* The indices of interned strings */
struct perfetto_strings {
	struct etw_interner categories, names, annotations, values;
	struct etw_text pending;	/* InternedData that has to be written first */
	/* What comes with each event: numbers of literals, by their addresses, and more */
	struct {
		const char *literal;
		uint32_t number;
	} own[64];
	struct perfetto_shared {
		uint32_t number;		/* 0: none */
		unsigned char value[sizeof(GUID)];
	} provider, keyword;			/* of the last event */
};

void perfetto_strings_free(struct perfetto_strings *strings);

/*
 * Append a string by its number in an index, or itself.  index: its field of
 * InternedData; iid, plain: the fields it goes to.  Returns the number, or 0.
 */
uint32_t perfetto_string(struct perfetto_strings *strings, struct etw_text *to,
			 enum interned_data index, unsigned int iid, unsigned int plain,
			 const char *s, size_t len);

/*
 * Append an event's fields and header as debug annotations.  Those of SLICE_STOP are in one
 * called "stop", since viewers merge them with those of the start.
 */
void perfetto_annotations(struct perfetto_strings *strings, const struct convert_event *e,
			  enum slice_part part, struct etw_text *scratch, struct etw_text *to);

#endif /* ETW_CONVERT_PERFETTO_PERFETTO_H */
