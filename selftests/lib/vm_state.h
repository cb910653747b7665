/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_state.h - take and compare all state that /dev/etw reports
 *
 * A refused call changes nothing: take the state before and after, and compare.  Sessions must be idle meanwhile; one with a buffer in use is not, since
 * its flush timer delivers the buffer and samples the clocks: VM_STATE_FLUSH_MS.
 */
#ifndef ETW_SELFTEST_VM_STATE_H
#define ETW_SELFTEST_VM_STATE_H

#include "vm_dev.h"

/* The flush timer of a session whose state is compared: longer than any test. */
#define VM_STATE_FLUSH_MS	600000

#define VM_STATE_SESSIONS	80
#define VM_STATE_PROVIDERS	32
#define VM_STATE_LIST		16
#define VM_STATE_ACCESS		8
#define VM_STATE_GROUPS		8

struct vm_state_session {
	struct etw_session query;
	struct etw_session_stat stat;
	struct etw_consumer_info consumers[VM_STATE_LIST];
	struct etw_disallow disallow;
	struct etw_guid disallowed[VM_STATE_LIST];
	char name[ETW_NAME_MAX];
};

struct vm_state_group {
	struct etw_group_query query;
	struct etw_group_member members[VM_STATE_LIST];
	struct etw_provider_enable enables[VM_STATE_LIST];
};

struct vm_state_provider {
	struct etw_provider_query query;
	struct etw_provider_reg regs[VM_STATE_LIST];
	struct etw_provider_enable enables[VM_STATE_LIST];
	char name[64];
};

struct vm_state_access {
	struct etw_access query;
	struct etw_access_entry entries[VM_STATE_LIST];
};

struct vm_state {
	int sessions;
	int providers;
	int lists;
	uint64_t handles[VM_STATE_SESSIONS];
	struct etw_guid guids[VM_STATE_PROVIDERS];
	struct vm_state_session session[VM_STATE_SESSIONS];
	struct vm_state_provider provider[VM_STATE_PROVIDERS];
	struct vm_state_access access[VM_STATE_ACCESS];
	int groups;
	struct etw_guid group_guids[VM_STATE_GROUPS];
	struct vm_state_group group[VM_STATE_GROUPS];
};

static inline int vm_state_guid_cmp(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct etw_guid));
}

static inline int vm_state_min(int a, int b)
{
	return a < b ? a : b;
}

/* All state that can be queried now; to be freed.  NULL if a query failed. */
struct vm_state *vm_state_get(int fd);

/* Is the state still the one in was?  Prints differences on stderr. */
bool vm_state_same(int fd, const struct vm_state *was);

/* Start a session with that timer; its handle, or 0. */
uint64_t vm_state_session(int fd, const char *name);

/*
 * Start a session "t-base" that enables vm_guid(1), and take the state, which refused
 * calls must not change.  NULL if a step failed.
 */
struct vm_state *vm_state_base(int fd, uint8_t level, uint64_t any, uint64_t *base);

#endif /* ETW_SELFTEST_VM_STATE_H */
