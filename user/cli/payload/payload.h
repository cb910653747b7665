/* SPDX-License-Identifier: MIT */
/*
 * payload.h - payload filters, as --fields and --payload give them
 */
#ifndef ETW_CLI_PAYLOAD_H
#define ETW_CLI_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include "layout.h"
#include "tdh/model/model.h"

#define PAYLOAD_FILTERS	64	/* groups of predicates, of all events */

struct payload {
	struct layout layout;		/* of the last --fields */
	bool given;			/* ... and there was one */
	bool used;			/* ... and --payload told what for */
	void *filters[PAYLOAD_FILTERS];
	BOOLEAN all[PAYLOAD_FILTERS];
	uint32_t count;
	void *program;			/* what the kernel gets */
	ULONG size;
};

/* All: false, s says what is wrong. */
bool payload_fields(struct payload *payload, struct scan *s);
bool payload_expression(struct payload *payload, struct scan *s);
/* An expression for this layout; *lacks: what is wrong is that it has not the fields. */
bool payload_add(struct payload *payload, struct scan *s, const struct layout *layout,
		 bool *lacks);
/* Does the name of a value come next, for a field that has a map with such? */
bool payload_is_mapped(struct scan *s, const struct layout *layout, int field);
/* Take that, and write the value's number. */
bool payload_mapped(struct scan *s, const struct layout *layout, int field, char *value,
		    size_t size);
/*
 * [EVENT:] EXPRESSION, for the events of a manifest: of that name, symbol, TASK,
 * TASK/OPCODE or ID, or ID.VERSION, else all of them, that have all of the fields.
 */
bool payload_manifest(struct payload *payload, struct scan *s,
		      const struct etw_mf_provider *provider);

/* Was --fields given, for the --payload to come? */
bool payload_is_next(const struct payload *payload);

/* Make program, if there is a filter; NULL or what is wrong. */
const char *payload_finish(struct payload *payload);
void payload_free(struct payload *payload);

#endif /* ETW_CLI_PAYLOAD_H */
