/* SPDX-License-Identifier: MIT */
/*
 * etl_loss.h - put records of losses into a log file of etl_make.h
 */
#ifndef ETW_SELFTESTS_ETL_LOSS_H
#define ETW_SELFTESTS_ETL_LOSS_H

#include <string.h>

#include "core/ledger.h"
#include "unit/etl/etl_make.h"

#define LOSS_PROVIDER	\
	ETW_GUID(0x11111111, 0x2222, 0x3333, 0x44, 0x44, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55)

/* A loss from first to last, noted later; times are units of 100 ns from the file's start. */
struct lost {
	int first, last, noted;
	uint32_t code;
	int cpu;
	int64_t events, buffers;
	bool of_provider;
	const struct etw_guid *provider;	/* of this one; NULL: of LOSS_PROVIDER, if so */
};

/* Add its record to the buffer that is being made. */
__attribute__((__unused__))
static void put_lost(struct feed *f, const struct lost *lost, const char *session)
{
	static const struct etw_guid provider = LOSS_PROVIDER;
	struct etw_loss_payload loss = {
		.code = lost->code, .cpu = lost->cpu, .events = lost->events,
		.buffers = lost->buffers, .first = MAKE_START + lost->first,
		.last = MAKE_START + lost->last, .noted = MAKE_START + lost->noted,
	};
	const uint64_t time = 1000 + (uint64_t)lost->noted * 100;
	struct etw_buffer_header *h = feed_header(f);

	if (lost->of_provider)
		loss.provider = lost->provider ? *lost->provider : provider;
	if (h->offset + ETW_LOSS_SLOT_MAX > f->size)
		abort();
	feed_grow(f, etw_loss_build(f->data + h->offset, &loss, session, (uint32_t)strlen(session),
				    (int64_t)time, ETW_EVENT_KERNEL_MODE), time);
}

#endif /* ETW_SELFTESTS_ETL_LOSS_H */
