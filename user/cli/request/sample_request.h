/* SPDX-License-Identifier: MIT */
/*
 * sample_request.h - providers that perf's counters are made
 */
#ifndef ETW_CLI_REQUEST_SAMPLE_REQUEST_H
#define ETW_CLI_REQUEST_SAMPLE_REQUEST_H

#include <stdbool.h>
#include "bridge/trace_set.h"

/* As trace_event_list() and trace_event_make(), for names of sample.h */
bool sample_request_list(const char *provider, struct trace_set *set);
bool sample_request_make(int fd, const char *provider, struct trace_set *set);

#endif /* ETW_CLI_REQUEST_SAMPLE_REQUEST_H */
