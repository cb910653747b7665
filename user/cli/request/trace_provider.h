/* SPDX-License-Identifier: MIT */
/*
 * trace_provider.h - make the providers of a set, with the command's messages
 */
#ifndef ETW_CLI_REQUEST_TRACE_PROVIDER_H
#define ETW_CLI_REQUEST_TRACE_PROVIDER_H

#include "bridge/trace_schema.h"
#include "bridge/trace_set.h"

/* Make the one at i a provider that lasts while fd is open.  0 or a negative errno. */
int trace_provider_make(int fd, struct trace_set *set, unsigned int i,
			const struct trace_schema *schema);
/* Print why that failed. */
void trace_provider_fail(const char *name, int err);
/* Where adding to a set can only fail for lack of memory: that ends the command. */
void trace_provider_added(int err);

#endif /* ETW_CLI_REQUEST_TRACE_PROVIDER_H */
