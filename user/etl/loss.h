/* SPDX-License-Identifier: MIT */
/*
 * loss.h - a session's record of a loss, read from an event; see "losses" in etw/format.h
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_ETL_LOSS_H
#define ETW_ETL_LOSS_H

#include <stdbool.h>
#include <stdint.h>
#include "core/ledger.h"
#include "event.h"

struct etw_loss {
	struct etw_loss_payload payload;
	int64_t first, last;	/* FILETIME, as the times of the events around */
	uint16_t at_cpu;	/* the CPU in whose buffer it is recorded */
	const void *key;	/* its content: equal in all copies of the record ... */
	uint32_t key_len;	/* ... and valid as long as the event */
	char session[ETW_LOSS_SESSION_MAX];	/* UTF-8, perhaps cut; "": not known */
};

/* etw_loss_of(), of an event of the provider Etw-Ledger */
bool etw_loss_read(const struct etw_event *event, struct etw_loss *loss);

/* false: the event is something else, which all but a few are. */
static inline bool etw_loss_of(const struct etw_event *event, struct etw_loss *loss)
{
	static const struct etw_guid ledger = ETW_LEDGER_GUID;

	return event->record.header->provider.data1 == ledger.data1 && etw_loss_read(event, loss);
}

/*
 * FILETIME of one of the payload's times: they are relative to the record's own time, noted
 * in the clock of the file.
 */
int64_t etw_loss_time(int64_t noted, const struct etw_loss_payload *loss, int64_t time);

/*
 * Call take for each loss that a file records, in the order of the file, until it does not
 * return 0. Reads all of the file. Damage is skipped. 0, what take returned, or -errno
 */
int etw_losses_of(const char *path, int (*take)(void *context, const struct etw_loss *loss),
		  void *context);

#endif /* ETW_ETL_LOSS_H */
