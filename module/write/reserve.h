/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reserve.h - reserving a slot in a session, off the fast path
 */
#ifndef ETW_WRITE_RESERVE_H
#define ETW_WRITE_RESERVE_H

#include <linux/types.h>

struct etw_buf;
struct etw_guid;
struct etw_record_items;
struct etw_record_source;
struct etw_session_hot;

/* A reserved slot, which must be committed. */
struct etw_slot {
	u8 *at;
	u32 len;
	u64 now;		/* the record's time on the session's clock */
	struct etw_buf *buf;
};

bool etw_reserve_slot(struct etw_session_hot *s, u32 len, const struct etw_guid *provider,
		      u64 payer, struct etw_slot *slot, int *err);
void etw_reserve_commit(struct etw_session_hot *s, const struct etw_slot *slot);
int etw_reserve_unreadable(struct etw_session_hot *s, const struct etw_slot *slot,
			   const struct etw_record_source *source);
int etw_reserve_write(struct etw_session_hot *s, const struct etw_record_source *source,
		      const struct etw_record_items *items, u64 payer);
void etw_reserve_close_shared(struct etw_session_hot *s);
u32 etw_reserve_sequence(struct etw_session_hot *s);
int etw_reserve_count_drops(struct etw_session_hot *s, u32 cause,
			    const struct etw_guid *provider, u32 events);
int etw_reserve_count_drop(struct etw_session_hot *s, u32 cause,
			   const struct etw_guid *provider);
u64 etw_reserve_count_missed(struct etw_session_hot *s, const struct etw_guid *provider,
			     u64 since, u64 events);

#endif /* ETW_WRITE_RESERVE_H */
