// SPDX-License-Identifier: GPL-2.0-only
/* vm_items.c - enable with properties and filters; keep events and look at */
#include "lib/vm_items.h"

void vm_keep(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
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

int vm_collect(int fd, uint64_t session, struct vm_reader *r, struct vm_events *events)
{
	int ret = vm_flush(fd, session);

	memset(events, 0, sizeof(*events));
	ret = ret ?: vm_drain(r, vm_keep, events);
	return ret == -EAGAIN ? (int)events->count : ret;
}

int vm_items(const struct vm_event *e, uint16_t type, const struct etw_ext_item **first)
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

const void *vm_item(const struct vm_event *e, uint16_t type, uint16_t *len)
{
	const struct etw_ext_item *item = NULL;

	if (vm_items(e, type, &item) != 1)
		return NULL;
	if (len)
		*len = item->data_size;
	return item + 1;
}

uint64_t vm_item_number(const struct vm_event *e, uint16_t type)
{
	uint64_t number = 0;
	uint16_t len = 0;
	const void *data = vm_item(e, type, &len);

	if (data && len <= sizeof(number))
		memcpy(&number, data, len);
	return number;
}

int vm_item_count(const struct vm_event *e)
{
	uint32_t at = 0;
	int n = 0;

	for (; at < e->ext_len; n++)
		at += ((const struct etw_ext_item *)(e->ext + at))->size;
	return n;
}

int vm_enable_with(int fd, uint64_t session, struct etw_guid provider, uint32_t property,
		   const struct etw_filter *filters, uint32_t count)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.property = property;
	e.filters = VM_PTR(filters);
	e.filter_count = count;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}

struct etw_filter vm_id_filter(struct etw_filter_event_id *data, uint32_t type, bool in,
			       const int *ids)
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

bool vm_enter_group(const char *path)
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
