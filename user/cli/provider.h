/* SPDX-License-Identifier: MIT */
/*
 * provider.h - find providers by name or GUID, control them
 */
#ifndef ETW_CLI_PROVIDER_H
#define ETW_CLI_PROVIDER_H

#include <stdbool.h>
#include <etw/abi.h>
#include "cli.h"

struct provider {
	struct etw_guid guid;
	char name[ETW_NAME_MAX + 1];	/* empty: no registration gave one */
	struct etw_provider_reg *regs;
	unsigned int reg_count;
	struct etw_provider_enable *enables;
	unsigned int enable_count;
};

int provider_query(int fd, const struct etw_guid *guid,
		   struct provider *provider);
void provider_done(struct provider *provider);
int provider_guids(int fd, int (*fill)(int fd, struct etw_provider_enum *list),
		   struct etw_guid **guids, uint32_t *count);
int provider_list(int fd, struct provider **list, unsigned int *count);
void provider_list_free(struct provider *list, unsigned int count);
const char *provider_name(const struct provider *provider);
bool provider_resolve(int fd, const char *text, struct etw_guid *guid);

/* --group of enable, disable and capture: PROVIDER is the GUID of a group */
#define PROVIDER_OPT_GROUP	512
#define PROVIDER_OPTION_GROUP \
	{ "group", PROVIDER_OPT_GROUP, NULL, "PROVIDER is the GUID of a group" }

int provider_control(const char *session, const char *provider,
		     struct etw_enable *enable);
int provider_main(const struct cli_syntax *syntax, uint32_t control, int argc,
		  char **argv);

#endif /* ETW_CLI_PROVIDER_H */
