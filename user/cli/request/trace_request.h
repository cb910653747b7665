/* SPDX-License-Identifier: MIT */
/*
 * trace_request.h - requests to enable the kernel's trace events
 */
#ifndef ETW_CLI_REQUEST_TRACE_REQUEST_H
#define ETW_CLI_REQUEST_TRACE_REQUEST_H

#include "enable_request.h"

/* How long callbacks that attach to the kernel's events are waited for, on a busy machine */
#define TRACE_REQUEST_MS	10000

/*
 * Make what the request's provider stands for providers, and check its filters for them.  Wrong
 * usage ends the command.  False: a message was printed.
 */
bool trace_request_make(struct enable_request *request, int fd);

/* Let request->enable enable the provider at i, with filters for its event. */
void trace_request_use(struct enable_request *request, unsigned int i);

#endif /* ETW_CLI_REQUEST_TRACE_REQUEST_H */
