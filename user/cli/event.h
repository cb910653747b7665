/* SPDX-License-Identifier: MIT */
/*
 * event.h - one event as a line of text or of JSON
 */
#ifndef ETW_CLI_EVENT_H
#define ETW_CLI_EVENT_H

#include <stdbool.h>
#include "decode.h"
#include "names.h"
#include "text.h"
#include "lib/rtreader.h"

struct event_printer {
	struct names *names;
	bool raw;		/* raw timestamps, payload as hex */
	struct decoded decoded;
	struct text line;
};

void event_print_text(struct event_printer *printer,
		      const struct etw_rt_event *event);
void event_print_json(struct event_printer *printer,
		      const struct etw_rt_event *event);

#endif /* ETW_CLI_EVENT_H */
