/* SPDX-License-Identifier: MIT */
/*
 * names.h - provider names, looked up once for each provider
 */
#ifndef ETW_CLI_NAMES_H
#define ETW_CLI_NAMES_H

#include <etw/abi.h>

struct names;

struct names *names_new(int fd);
void names_free(struct names *names);
/* NULL if it has none.  Valid until another one is asked for; not escaped. */
const char *names_get(struct names *names, const struct etw_guid *guid);

#endif /* ETW_CLI_NAMES_H */
