/* SPDX-License-Identifier: MIT */
/*
 * use.h - what TDH's functions share: a decoder for a call, contexts, errors
 */
#ifndef ETW_TDH_API_USE_H
#define ETW_TDH_API_USE_H

#include <tdh.h>
#include "tdh/decode/decoder.h"
#include "block.h"

/* An event being decoded by one call. */
struct etw_use {
	EVENT_RECORD record;		/* a copy, with the requested pointer size */
	const struct etw_decoded *event;
	const struct etw_schema_plan *plan;	/* its schema */
	struct etw_decoder *decoder;
};

/*
 * Decode an event; call etw_use_end() after ERROR_SUCCESS. ERROR_INVALID_PARAMETER: the
 * record is NULL, or a context is invalid; ERROR_NOT_FOUND; ERROR_NOT_SUPPORTED: WPP;
 * ERROR_EVT_INVALID_EVENT_DATA; ERROR_NOT_ENOUGH_MEMORY. Decoders are reused, with the
 * schemas that they know.
 */
ULONG etw_use_begin(struct etw_use *use, const EVENT_RECORD *record, ULONG count,
		    const TDH_CONTEXT *contexts);
void etw_use_end(struct etw_use *use);

/* A negative errno as an ERROR_ code */
ULONG etw_tdh_error(int err);

/*
 * Convert UTF-16 to UTF-8, malloc(); NULL: out of memory, or *error is -EINVAL: invalid
 * text.
 */
char *etw_tdh_utf8(const WCHAR *s, int *error);

/*
 * The fields of a template as an array of EVENT_PROPERTY_INFO. An array with its count
 * before its elements gets a separate UINT16 "Name.Count"; binary data with its length
 * in front becomes MANIFEST_COUNTEDBINARY.
 */
struct etw_epi_plan {
	const struct etw_mf_template *fields;	/* or NULL */
	unsigned int count, top;	/* of the array */
	uint32_t *before;	/* by field: number of counts inserted before it, or NULL */
	unsigned int pointer_size;
};

#define ETW_COUNT_SUFFIX	".Count"

/* 0 or -ENOMEM. */
int etw_epi_plan(struct etw_epi_plan *plan, const struct etw_mf_template *fields,
		 unsigned int pointer_size);
void etw_epi_put(struct etw_block *block, size_t at, const struct etw_epi_plan *plan);
void etw_epi_free(struct etw_epi_plan *plan);

#endif /* ETW_TDH_API_USE_H */
