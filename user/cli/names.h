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
/*
 * A program has named a provider, as the trace says.  Counts only if the GUID is made of the name:
 * anybody may announce any other.
 */
void names_learn(struct names *names, const struct etw_guid *guid, const char *name);
/* NULL if it has none.  Valid until another one is asked for; not escaped. */
const char *names_get(struct names *names, const struct etw_guid *guid);

#endif /* ETW_CLI_NAMES_H */
