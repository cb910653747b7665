/* SPDX-License-Identifier: MIT */
/*
 * losses.h - what etw top has not seen: lost when it was written, or because this reader was slow
 */
#ifndef ETW_CLI_TOP_LOSSES_H
#define ETW_CLI_TOP_LOSSES_H

#include "cli/text.h"
#include "lib/consumer/session_reader.h"

struct losses {
	int fd;
	uint64_t session;		/* its handle */
	struct etw_reader *reader;
	struct etw_session_stat before;	/* when this reader came */
	struct etw_session_stat lost;	/* since then, by cause and abandoned; the rest is not set */
	uint64_t events, buffers;	/* of this reader, since it was too slow */
	uint64_t unreadable;		/* buffers */
	bool final;			/* lost is */
	bool at_least;			/* the session is gone, and its last counters are not known */
};

void losses_begin(struct losses *losses, int fd, struct etw_reader *reader);
/* Read the counters.  After the session's end what was known before remains. */
void losses_update(struct losses *losses);
/* The same when nothing more will be written. */
void losses_end(struct losses *losses);
bool losses_any(const struct losses *losses);

/* One line, without its end: how many events, and why */
void losses_line(const struct losses *losses, struct etw_text *to);
/* The same as lines on stderr */
void losses_report(const struct losses *losses);
/* As members of a JSON object */
void losses_json(const struct losses *losses, struct etw_text *to);

#endif /* ETW_CLI_TOP_LOSSES_H */
