/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_access.h - access lists, and children that become other users
 */
#ifndef ETW_SELFTEST_VM_ACCESS_H
#define ETW_SELFTEST_VM_ACCESS_H

#include "vm_dev.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define VM_ALICE	1000	/* users and groups without any right */
#define VM_BOB		1001
#define VM_CLUB		2000	/* a group */

#define VM_ALLOW(who, id, rights)	{ ETW_ACCESS_ALLOW, ETW_ACCESS_##who, 0, (id), (rights) }
#define VM_DENY(who, id, rights)	{ ETW_ACCESS_DENY, ETW_ACCESS_##who, 0, (id), (rights) }

static const struct etw_guid vm_default = ETW_ACCESS_DEFAULT_GUID;

int vm_access_set(int fd, struct etw_guid guid, const struct etw_access_entry *entries,
		  unsigned int count);

#define vm_access(fd, guid, ...) ({					\
	const struct etw_access_entry _list[] = { __VA_ARGS__ };	\
	vm_access_set(fd, guid, _list, ARRAY_SIZE(_list)); })

int vm_access_remove(int fd, struct etw_guid guid);

/* The number of entries, or a negative errno. */
int vm_access_query(int fd, struct etw_guid *guid, uint32_t flags,
		    struct etw_access_entry *entries, unsigned int room, uint32_t *own);

/* No GUID has a list of its own when this returns. */
void vm_access_clear(int fd);

/* What a child becomes. */
struct vm_who {
	unsigned int uid;
	unsigned int gid;
	int groups;		/* one supplementary group, 0: none */
	int capability;		/* kept in addition, 0: none */
	bool inside;		/* root of a user namespace of its own */
};

int vm_write_file(const char *path, const char *text);

int vm_become(const struct vm_who *who);

/* Run fn in a child as that user; 0, its negative errno, or -255: the child failed before. */
int vm_as(const struct vm_who *who, int (*fn)(void *arg), void *arg);

/* ----------------------------------------- a process with a registration */

struct vm_peer {
	pid_t pid;
	int to, from;
};

struct vm_peer_report {
	int result;		/* of registering, then of each write */
	int enabled;		/* in the enable area */
};

/* How peers register, and what they do then, unless NULL: 0 or an error. */
extern uint32_t vm_peer_flags;
extern int (*vm_peer_then)(int fd, int slot);

/*
 * Start a peer and register; the result.  Its user changes to "then" after that, unless NULL.
 */
struct vm_peer_report vm_peer_start(struct vm_peer *p, const struct vm_who *who,
				    const struct vm_who *then, struct etw_guid guid);

/* Let it write one event. */
struct vm_peer_report vm_peer_write(const struct vm_peer *p);

/* End it with a command: later peers inherited its pipes, so closing them is not enough. */
int vm_peer_end(struct vm_peer *p);

#endif /* ETW_SELFTEST_VM_ACCESS_H */
