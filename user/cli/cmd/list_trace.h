/* SPDX-License-Identifier: MIT */
/*
 * list_trace.h - etw list providers tracepoint:PATTERN
 */
#ifndef ETW_CLI_CMD_LIST_TRACE_H
#define ETW_CLI_CMD_LIST_TRACE_H

#include <stdbool.h>

/* The names that the pattern stands for, one a line; needs no device.  The exit status. */
int list_trace(const char *pattern, bool json);

#endif /* ETW_CLI_CMD_LIST_TRACE_H */
