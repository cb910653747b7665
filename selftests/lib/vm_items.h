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
static inline void vm_keep(void *ctx, const struct etw_buffer_header *b,
			   const struct vm_record *r)
{
	struct vm_events *to = ctx;
	struct vm_event *e = &to->list[to->count++ % VM_KEPT];

	(void)b;
	e->head = *r->head;
	e->len = r->len;
	memcpy(e->data, r->data, r->len < sizeof(e->data) ? r->len : sizeof(e->data));
	e->ext_len = r->ext ? r->data - r->ext : 0;
	if (r->ext && e->ext_len <= VM_EXT)
		memcpy(e->ext, r->ext, e->ext_len);
}

/* Of the event's items: how many there are of this type, and the first one. */
static inline int vm_items(const struct vm_event *e, uint16_t type,
			   const struct etw_ext_item **first)
{
	uint32_t at = 0;
	int n = 0;

	while (at < e->ext_len) {
		const struct etw_ext_item *item = (const void *)(e->ext + at);

		if (item->type == type && !n++ && first)
			*first = item;
		at += item->size;
	}
	return n;
}

/* The data of the only item of this type; NULL: there is none, or several. */
static inline const void *vm_item(const struct vm_event *e, uint16_t type, uint16_t *len)
{
	const struct etw_ext_item *item = NULL;

	if (vm_items(e, type, &item) != 1)
		return NULL;
	if (len)
		*len = item->data_size;
	return item + 1;
}

static inline uint64_t vm_item_number(const struct vm_event *e, uint16_t type)
{
	uint64_t number = 0;
	uint16_t len = 0;
	const void *data = vm_item(e, type, &len);

	if (data && len <= sizeof(number))
		memcpy(&number, data, len);
	return number;
}

/* Number of items. */
static inline int vm_item_count(const struct vm_event *e)
{
	uint32_t at = 0;
	int n = 0;

	for (; at < e->ext_len; n++)
		at += ((const struct etw_ext_item *)(e->ext + at))->size;
	return n;
}

static inline int vm_enable_with(int fd, uint64_t session, struct etw_guid provider,
				 uint32_t property, const struct etw_filter *filters,
				 uint32_t count)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.property = property;
	e.filters = VM_PTR(filters);
	e.filter_count = count;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

/* An EVENT_ID or STACKWALK filter; ids end with -1. */
static inline struct etw_filter vm_id_filter(struct etw_filter_event_id *data,
					     uint32_t type, bool in, const int *ids)
{
	memset(data, 0, sizeof(*data));
	data->in = in;
	while (ids[data->count] >= 0 && data->count < ETW_FILTER_EVENT_IDS) {
		data->ids[data->count] = ids[data->count];
		data->count++;
	}
	return (struct etw_filter){ .ptr = VM_PTR(data), .len = 4 + 2 * data->count,
				    .type = type };
}

#define VM_GROUPS	"/sys/fs/cgroup"

/* Are there control groups of version 2? */
static inline bool vm_groups(void)
{
	return !access(VM_GROUPS "/cgroup.procs", F_OK) ||
	       !mount("none", VM_GROUPS, "cgroup2", 0, NULL);
}

/* Make a group and move there; false: there are no groups. */
static inline bool vm_enter_group(const char *path)
{
	char name[1024];
	int fd;
	bool ok;

	snprintf(name, sizeof(name), VM_GROUPS "%s", path);
	if (strcmp(path, "/") && mkdir(name, 0755) && errno != EEXIST)
		return false;
	snprintf(name, sizeof(name), VM_GROUPS "%s/cgroup.procs", path);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, "0", 1) == 1;
	if (fd >= 0)
		close(fd);
	return ok;
}

#define VM_IDS(...)	((const int[]){ __VA_ARGS__, -1 })

#endif /* ETW_SELFTEST_VM_ITEMS_H */
