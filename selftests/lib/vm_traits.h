/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_traits.h - traits, groups, and events whose data descriptors have types
 *
 * Two providers that a test treats alike: index 0 is the process's own, in a
 * slot of its device file, 1 the test module's.
 */
#ifndef ETW_SELFTEST_VM_TRAITS_H
#define ETW_SELFTEST_VM_TRAITS_H

#include "vm_items.h"
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

/* Bytes that begin with their own size, appended piece by piece. */
struct vm_blob {
	uint32_t len;
	uint8_t bytes[512];
};

/* Traits with nothing but a name. */
struct vm_blob vm_traits(const char *name);

void vm_trait(struct vm_blob *b, uint8_t type, const void *data, uint32_t len);

/* Traits of a member of this group. */
struct vm_blob vm_group_traits(const char *name, struct etw_guid group);

/* TraceLogging metadata of an event without fields. */
struct vm_blob vm_schema(const char *name);

/* ------------------------------------------------------- the two providers */

struct vm_two {
	int fd;
	int slot;			/* of the process's provider */
	int kfd;
	struct etw_guid guid[2];
};

/* Register both; 0 or a negative errno. */
int vm_two_begin(struct vm_two *two, int fd);

static inline int vm_two_end(struct vm_two *two)
{
	close(two->kfd);
	return vm_rmmod("etw_test");
}

int vm_set_slot(int fd, uint32_t slot, uint32_t flags, const void *traits, uint32_t len,
		uint32_t types);

/* ETW_SET_TRAITS with a blob, or ETW_SET_TYPES. */
int vm_two_set(struct vm_two *two, int which, uint32_t flags, const struct vm_blob *blob,
	       uint32_t types);

static inline int vm_two_traits(struct vm_two *two, int which, const struct vm_blob *blob)
{
	return vm_two_set(two, which, ETW_SET_TRAITS, blob, 0);
}

/* A piece of an event. */
struct vm_piece {
	uint32_t type;
	const void *data;
	uint32_t size;
};

#define VM_BLOB_PIECE(_type, _blob) { (_type), (_blob)->bytes, (_blob)->len }

/* Write an event of these pieces; from an interrupt, if that is possible. */
int vm_two_write(struct vm_two *two, int which, struct etw_event_descriptor desc,
		 const struct vm_piece *pieces, uint32_t count, bool irq);

/* Has the event exactly one item of this type, with this data? */
bool vm_item_is(const struct vm_event *e, uint16_t type, const void *data, uint32_t len);

static inline bool vm_blob_is(const struct vm_event *e, uint16_t type, const struct vm_blob *b)
{
	return vm_item_is(e, type, b->bytes, b->len);
}

/* ---------------------------------------------------------------- groups */

int vm_group_control(int fd, uint64_t session, struct etw_guid group, uint32_t control,
		     uint8_t level, uint64_t any);

static inline int vm_group_enable(int fd, uint64_t session, struct etw_guid group,
				  uint8_t level, uint64_t any)
{
	return vm_group_control(fd, session, group, ETW_CONTROL_ENABLE, level, any);
}

static inline int vm_group_disable(int fd, uint64_t session, struct etw_guid group)
{
	return vm_group_control(fd, session, group, ETW_CONTROL_DISABLE, 0, 0);
}

int vm_disallow(int fd, uint64_t session, const struct etw_guid *guids, uint32_t count);

#endif /* ETW_SELFTEST_VM_TRAITS_H */
