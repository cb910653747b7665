/* SPDX-License-Identifier: MIT */
/*
 * operation.h - what an operation adds to its start event, as text and as JSON
 */
#ifndef ETW_CLI_PRINT_OPERATION_H
#define ETW_CLI_PRINT_OPERATION_H

#include "cli/input/operations.h"
#include "event.h"

/* "850ns", "12.345us", "1.234ms", "2.000s" */
void operation_add_duration(const struct event_printer *printer, struct etw_text *to);
/* A blank and the fields of the stop event that its start has not, or with other values */
void operation_add_fields(struct event_printer *printer, struct etw_text *to);
/* One field of the stop event. false: it has none of that name. */
bool operation_add_field(struct event_printer *printer, const char *name, size_t len,
			 struct etw_text *to);
/* The members "duration_ns" and "stop" */
void operation_put(struct event_printer *printer, struct etw_text *to);

#endif /* ETW_CLI_PRINT_OPERATION_H */
