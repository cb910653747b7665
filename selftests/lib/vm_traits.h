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
#include "vm_kmod.h"

#include "kmod/etw_test/etw_test.h"

/* Bytes that begin with their own size, put together piece by piece. */
struct vm_blob {
	uint32_t len;
	uint8_t bytes[512];
};

static inline void vm_blob_add(struct vm_blob *b, const void *data, uint32_t len)
{
	memcpy(b->bytes + b->len, data, len);
	b->len += len;
	b->bytes[0] = b->len;
	b->bytes[1] = b->len >> 8;
}

/* Traits with nothing but a name. */
static inline struct vm_blob vm_traits(const char *name)
{
	struct vm_blob b = { .len = 2 };

	vm_blob_add(&b, name, strlen(name) + 1);
	return b;
}

static inline void vm_trait(struct vm_blob *b, uint8_t type, const void *data, uint32_t len)
{
	uint8_t head[3] = { len + 3, (len + 3) >> 8, type };

	vm_blob_add(b, head, sizeof(head));
	vm_blob_add(b, data, len);
}

/* Traits of a member of this group. */
static inline struct vm_blob vm_group_traits(const char *name, struct etw_guid group)
{
	struct vm_blob b = vm_traits(name);

	vm_trait(&b, 1, &group, sizeof(group));
	return b;
}

/* TraceLogging metadata of an event without fields. */
static inline struct vm_blob vm_schema(const char *name)
{
	struct vm_blob b = { .len = 2 };

	vm_blob_add(&b, "", 1);
	vm_blob_add(&b, name, strlen(name) + 1);
	return b;
}

/* ------------------------------------------------------- the two providers */

struct vm_two {
	int fd;
	int slot;			/* of the process's provider */
	int kfd;
	struct etw_guid guid[2];
};

/* Register both; 0 or a negative errno. */
static inline int vm_two_begin(struct vm_two *two, int fd)
{
	struct etw_test_register reg = { .index = 0, .flags = ETW_TEST_CALLBACK };
	static const struct etw_guid kguid = ETW_TEST_GUID;
	int ret;

	two->fd = fd;
	two->guid[0] = vm_guid(40);
	two->guid[1] = kguid;
	two->slot = vm_register_flags(fd, two->guid[0], ETW_REGISTER_NOTIFY, 1);
	if (two->slot < 0)
		return two->slot;
	vm_rmmod_try("etw_test");
	ret = vm_insmod("etw_test");
	if (ret)
		return ret;
	two->kfd = vm_kmod_open("etw_test");
	if (two->kfd < 0)
		return two->kfd;
	ret = vm_ioctl(two->kfd, ETW_TEST_REGISTER, &reg);
	return ret ?: reg.result;
}

static inline int vm_two_end(struct vm_two *two)
{
	close(two->kfd);
	return vm_rmmod("etw_test");
}

static inline int vm_set_slot(int fd, uint32_t slot, uint32_t flags, const void *traits,
			      uint32_t len, uint32_t types)
{
	struct etw_provider_set set = { .size = sizeof(set), .slot = slot, .flags = flags,
					.types = types, .traits = VM_PTR(traits),
					.traits_len = len };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_SET, &set);
}

/* ETW_SET_TRAITS with a blob, or ETW_SET_TYPES. */
static inline int vm_two_set(struct vm_two *two, int which, uint32_t flags,
			     const struct vm_blob *blob, uint32_t types)
{
	struct etw_test_set set = { .flags = flags, .types = types };
	int ret;

	if (!which)
		return vm_set_slot(two->fd, two->slot, flags, blob ? blob->bytes : NULL,
				   blob ? blob->len : 0, types);
	if (blob) {
		set.len = blob->len;
		memcpy(set.bytes, blob->bytes, blob->len);
	}
	ret = vm_ioctl(two->kfd, ETW_TEST_SET, &set);
	return ret ?: set.result;
}

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
static inline int vm_two_write(struct vm_two *two, int which, struct etw_event_descriptor desc,
			       const struct vm_piece *pieces, uint32_t count, bool irq)
{
	struct etw_data_descriptor data[ETW_TEST_PIECES];
	struct etw_event_write w = { .size = sizeof(w), .slot = two->slot, .data_count = count,
				     .data = VM_PTR(data), .desc = desc };
	struct etw_test_typed t = { .desc = desc, .count = count, .hardirq = irq };
	uint32_t i, at = 0;
	int ret;

	for (i = 0; i < count; i++) {
		data[i] = (struct etw_data_descriptor){ VM_PTR(pieces[i].data), pieces[i].size,
							pieces[i].type };
		t.pieces[i] = (struct etw_test_piece){ pieces[i].type, at, pieces[i].size };
		memcpy(t.bytes + at, pieces[i].data, pieces[i].size);
		at += pieces[i].size;
	}
	if (!which)
		return vm_ioctl(two->fd, ETW_IOC_WRITE, &w);
	ret = vm_ioctl(two->kfd, ETW_TEST_TYPED, &t);
	return ret ?: t.result;
}

/* Is that the data of the event's only item of this type? */
static inline bool vm_item_is(const struct vm_event *e, uint16_t type, const void *data,
			      uint32_t len)
{
	uint16_t n = 0;
	const void *item = vm_item(e, type, &n);

	return item && n == len && !memcmp(item, data, len);
}

static inline bool vm_blob_is(const struct vm_event *e, uint16_t type, const struct vm_blob *b)
{
	return vm_item_is(e, type, b->bytes, b->len);
}

/* ---------------------------------------------------------------- groups */

static inline int vm_group_control(int fd, uint64_t session, struct etw_guid group,
				   uint32_t control, uint8_t level, uint64_t any)
{
	struct etw_enable e = vm_enable_arg(session, group);

	e.property = ETW_ENABLE_PROVIDER_GROUP;
	e.control = control;
	e.level = level;
	e.any = any;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

static inline int vm_group_enable(int fd, uint64_t session, struct etw_guid group,
				  uint8_t level, uint64_t any)
{
	return vm_group_control(fd, session, group, ETW_CONTROL_ENABLE, level, any);
}

static inline int vm_group_disable(int fd, uint64_t session, struct etw_guid group)
{
	return vm_group_control(fd, session, group, ETW_CONTROL_DISABLE, 0, 0);
}

static inline int vm_disallow(int fd, uint64_t session, const struct etw_guid *guids,
			      uint32_t count)
{
	struct etw_disallow d = { .size = sizeof(d), .session = session,
				  .guids = VM_PTR(guids), .count = count };

	return vm_ioctl(fd, ETW_IOC_DISALLOW_SET, &d);
}

#endif /* ETW_SELFTEST_VM_TRAITS_H */
