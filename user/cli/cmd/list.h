/* SPDX-License-Identifier: MIT */
/*
 * list.h - the parts of "etw list"
 */
#ifndef ETW_CLI_LIST_H
#define ETW_CLI_LIST_H

#include <stdbool.h>
#include <etw/abi.h>
#include "cli/json.h"
#include "cli/session.h"

struct etw_text;

/* The running sessions, for their names */
struct sessions {
	struct session *list;
	unsigned int count;
};

/* The state that all parts use */
struct list {
	int fd;
	struct sessions sessions;	/* the sessions that the caller may see */
	struct json *json;	/* NULL: text */
	bool verbose;
	bool alone;			/* the only part: report an empty list */
	bool follows;			/* another part is above: print an empty line first */
};

/* Print a part, or put it into the JSON object; 0 or a negative errno. */
int list_providers(struct list *list);
int list_groups(struct list *list);

/* list_parts.c */

uint64_t list_enable_mask(const struct etw_provider_enable *enables, unsigned int count);
void list_add_sessions(struct etw_text *line, uint64_t mask, const struct sessions *sessions);
void list_add_reg(struct etw_text *line, const struct etw_provider_reg *reg,
		  const struct sessions *sessions, bool tell_group);
void list_add_enable(struct etw_text *line, const struct etw_provider_enable *enable,
		     const struct sessions *sessions);
struct json *list_reg_json(const struct etw_provider_reg *reg, const struct sessions *sessions);
struct json *list_enable_json(const struct etw_provider_enable *enable,
			      const struct sessions *sessions);

#endif /* ETW_CLI_LIST_H */
