/* SPDX-License-Identifier: MIT */
/*
 * list.h - between the parts of etw list
 */
#ifndef ETW_CLI_LIST_H
#define ETW_CLI_LIST_H

#include <stdbool.h>
#include <etw/abi.h>
#include "json.h"
#include "session.h"

struct text;

/* Those that run, to name the sessions of a provider */
struct sessions {
	struct session *list;
	unsigned int count;
};

void list_add_reg(struct text *line, const struct etw_provider_reg *reg,
		  const struct sessions *sessions, bool tell_group);
void list_add_enable(struct text *line, const struct etw_provider_enable *enable,
		     const struct sessions *sessions);
struct json_object *list_reg_json(const struct etw_provider_reg *reg,
				  const struct sessions *sessions);
struct json_object *list_enable_json(const struct etw_provider_enable *enable,
				     const struct sessions *sessions);

int list_groups(const struct sessions *sessions, struct json_object *json, bool alone);

#endif /* ETW_CLI_LIST_H */
