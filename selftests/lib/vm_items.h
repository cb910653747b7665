/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_items.h - enable with properties and filters; keep events and look at
 * their extended items
 */
#ifndef ETW_SELFTEST_VM_ITEMS_H
#define ETW_SELFTEST_VM_ITEMS_H

#include "vm_buf.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define VM_KEPT		256	/* events that are kept */
#define VM_EXT		4096	/* bytes of items of one */

struct vm_event {
	struct etw_event_header head;
	uint32_t len;		/* of the payload */
	uint8_t data[64];	/* its beginning */
	uint32_t ext_len;
	uint8_t ext[VM_EXT];
};

struct vm_events {
	uint64_t count;		/* that came */
	struct vm_event list[VM_KEPT];
};

/* A vm_record_fn for a struct vm_events. */
void vm_keep(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r);

/*
 * Flush a session and keep what its reader gets, in the place of what was kept; the number of
 * events or a negative errno.
 */
int vm_collect(int fd, uint64_t session, struct vm_reader *r, struct vm_events *events);

/* The number of the event's items of this type, and the first of them. */
int vm_items(const struct vm_event *e, uint16_t type, const struct etw_ext_item **first);

/* The data of the only item of this type; NULL: it has none, or several. */
const void *vm_item(const struct vm_event *e, uint16_t type, uint16_t *len);

uint64_t vm_item_number(const struct vm_event *e, uint16_t type);

/* Number of items. */
int vm_item_count(const struct vm_event *e);

int vm_enable_with(int fd, uint64_t session, struct etw_guid provider, uint32_t property,
		   const struct etw_filter *filters, uint32_t count);

/* An EVENT_ID or STACKWALK filter; ids end with -1. */
struct etw_filter vm_id_filter(struct etw_filter_event_id *data, uint32_t type, bool in,
			       const int *ids);

#define VM_GROUPS	"/sys/fs/cgroup"

/* Are there control groups of version 2? */
static inline bool vm_groups(void)
{
	return !access(VM_GROUPS "/cgroup.procs", F_OK) ||
	       !mount("none", VM_GROUPS, "cgroup2", 0, NULL);
}

/* Make a group and move there; false: there are no groups. */
bool vm_enter_group(const char *path);

#define VM_IDS(...)	((const int[]){ __VA_ARGS__, -1 })

#endif /* ETW_SELFTEST_VM_ITEMS_H */
