// SPDX-License-Identifier: GPL-2.0-only
/* vm_traits.c - traits, groups, and events whose data descriptors have types */
#include "lib/vm_traits.h"

static void vm_blob_add(struct vm_blob *b, const void *data, uint32_t len)
{
	memcpy(b->bytes + b->len, data, len);
	b->len += len;
	b->bytes[0] = b->len;
	b->bytes[1] = b->len >> 8;
}

struct vm_blob vm_traits(const char *name)
{
	struct vm_blob b = { .len = 2 };

	vm_blob_add(&b, name, strlen(name) + 1);
	return b;
}

void vm_trait(struct vm_blob *b, uint8_t type, const void *data, uint32_t len)
{
	uint8_t head[3] = { len + 3, (len + 3) >> 8, type };

	vm_blob_add(b, head, sizeof(head));
	vm_blob_add(b, data, len);
}

struct vm_blob vm_group_traits(const char *name, struct etw_guid group)
{
	struct vm_blob b = vm_traits(name);

	vm_trait(&b, 1, &group, sizeof(group));
	return b;
}

struct vm_blob vm_schema(const char *name)
{
	struct vm_blob b = { .len = 2 };

	vm_blob_add(&b, "", 1);
	vm_blob_add(&b, name, strlen(name) + 1);
	return b;
}

int vm_two_begin(struct vm_two *two, int fd)
{
	static const struct etw_guid kguid = ETW_TEST_GUID;

	two->fd = fd;
	two->guid[0] = vm_guid(40);
	two->guid[1] = kguid;
	two->slot = vm_register_flags(fd, two->guid[0], ETW_REGISTER_NOTIFY, 1);
	if (two->slot < 0)
		return two->slot;
	two->kfd = vm_kmod_fresh("etw_test");
	if (two->kfd < 0)
		return two->kfd;
	return vm_test_register(two->kfd, 0, kguid, ETW_TEST_CALLBACK);
}

int vm_set_slot(int fd, uint32_t slot, uint32_t flags, const void *traits, uint32_t len,
		uint32_t types)
{
	struct etw_provider_set set = { .size = sizeof(set), .slot = slot, .flags = flags,
					.types = types, .traits = VM_PTR(traits),
					.traits_len = len };

	return vm_ioctl(fd, ETW_IOC_PROVIDER_SET, &set);
}

int vm_two_set(struct vm_two *two, int which, uint32_t flags, const struct vm_blob *blob,
	       uint32_t types)
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

int vm_two_write(struct vm_two *two, int which, struct etw_event_descriptor desc,
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

bool vm_item_is(const struct vm_event *e, uint16_t type, const void *data, uint32_t len)
{
	uint16_t n = 0;
	const void *item = vm_item(e, type, &n);

	return item && n == len && !memcmp(item, data, len);
}

int vm_group_control(int fd, uint64_t session, struct etw_guid group, uint32_t control,
		     uint8_t level, uint64_t any)
{
	struct etw_enable e = vm_enable_arg(session, group);

	e.property = ETW_ENABLE_PROVIDER_GROUP;
	e.control = control;
	e.level = level;
	e.any = any;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

int vm_disallow(int fd, uint64_t session, const struct etw_guid *guids, uint32_t count)
{
	struct etw_disallow d = { .size = sizeof(d), .session = session,
				  .guids = VM_PTR(guids), .count = count };

	return vm_ioctl(fd, ETW_IOC_DISALLOW_SET, &d);
}
