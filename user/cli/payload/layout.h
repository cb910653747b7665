/* SPDX-License-Identifier: MIT */
/*
 * layout.h - the fields of an event, as --fields gives them
 */
#ifndef ETW_CLI_LAYOUT_H
#define ETW_CLI_LAYOUT_H

#include "lib/controller/payload.h"
#include "cli/scan.h"
#include "tdh/model/model.h"

#define LAYOUT_FIELDS	128
#define LAYOUT_NAMES	4096	/* bytes of all names */

struct layout {
	const char *what;	/* for messages: "--fields", or an event */
	struct etw_payload_layout event;
	struct etw_payload_field fields[LAYOUT_FIELDS];
	const struct etw_mf_map *maps[LAYOUT_FIELDS];	/* or NULL */
	const struct etw_manifest *manifest;	/* of the maps */
	char names[LAYOUT_NAMES];
	size_t names_len;
};

/* The fields of an event that a manifest has, which must stay; what: likewise. */
void layout_manifest(const struct etw_mf_event *event, const char *what, struct layout *layout);

/* The index of a field; -1: there is none. */
int layout_find(const struct layout *layout, const char *name, size_t len);

/* false: s says what is wrong.  layout must not move. */
bool layout_parse(struct scan *s, struct layout *layout);

#endif /* ETW_CLI_LAYOUT_H */
