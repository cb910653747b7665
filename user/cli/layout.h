/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the fields of an event, as --fields gives them
 */
#ifndef ETW_CLI_LAYOUT_H
#define ETW_CLI_LAYOUT_H

#include "lib/payload.h"
#include "scan.h"

#define LAYOUT_FIELDS	128
#define LAYOUT_NAMES	4096	/* bytes of all names */

struct layout {
	struct etw_payload_layout event;
	struct etw_payload_field fields[LAYOUT_FIELDS];
	char names[LAYOUT_NAMES];
	size_t names_len;
};

/* false: s says what is wrong.  layout must not move. */
bool layout_parse(struct scan *s, struct layout *layout);

#endif /* ETW_CLI_LAYOUT_H */
