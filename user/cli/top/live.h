/* SPDX-License-Identifier: MIT */
/*
 * live.h - what the keys of etw top do, and its screen
 */
#ifndef ETW_CLI_TOP_LIVE_H
#define ETW_CLI_TOP_LIVE_H

#include "terminal.h"

struct live {
	struct view view;
	struct counting *counting;
	struct etw_text filter;		/* in effect */
	struct etw_text typed;		/* at the prompt */
	struct etw_text before;		/* the filter that was in effect when the prompt came */
	bool recount;			/* the key or the filter is another one */
	bool is_new;			/* there is something else to be drawn */
	bool quit;
	unsigned int cursor;		/* column of the prompt's */
};

/* filter: in effect; NULL: none.  Besides, set the members of view that say what it is about. */
void live_open(struct live *live, struct counting *counting, const char *filter);
void live_close(struct live *live);
/* Take what was typed and the terminal's size, and draw if there is anything new. */
void live_update(struct live *live);

#endif /* ETW_CLI_TOP_LIVE_H */
