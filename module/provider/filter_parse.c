// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_parse.c - read each filter of an enable request once, and check it
 *
 * One malformed filter of any type makes the whole request fail.
 */
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/names.h"
#include "core/payload.h"
#include "core/scope.h"
#include "alloc.h"
#include "filter_data.h"
#include "filter_parse.h"
#include "scope_filter.h"

/* The PIDs are of the caller's namespace; one that does not exist selects no process. */
static int read_pids(struct etw_scope *scope, const struct etw_filter *f)
{
	u32 pids[ETW_PID_FILTER_MAX], i, n = f->len / sizeof(u32);
	struct pid *pid;

	if (!n || f->len % sizeof(u32) || n > ETW_PID_FILTER_MAX)
		return -EINVAL;
	if (copy_from_user(pids, u64_to_user_ptr(f->ptr), f->len))
		return -EFAULT;
	scope->by_pid = true;
	for (i = 0; i < n; i++) {
		pid = find_get_pid(pids[i]);
		if (pid)
			scope->pids[scope->pid_count++] = pid;
	}
	return 0;
}

static int read_names(const struct etw_filter *f, char **names)
{
	char *copy;

	if (!f->len || f->len > ETW_FILTER_NAMES_MAX)
		return -EINVAL;
	copy = memdup_user_nul(u64_to_user_ptr(f->ptr), f->len);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (!etw_scope_names_ok(copy, f->len)) {
		kfree(copy);
		return -EINVAL;
	}
	*names = copy;
	return 0;
}

static int read_scope(struct etw_enable_request *req, const struct etw_filter *f)
{
	if (!req->scope)
		req->scope = kzalloc(sizeof(*req->scope), ETW_GFP);
	if (!req->scope)
		return -ENOMEM;
	switch (f->type) {
	case ETW_FILTER_PID:
		return read_pids(req->scope, f);
	case ETW_FILTER_EXECUTABLE_NAME:
		return read_names(f, &req->scope->executable);
	case ETW_FILTER_CONTAINER:
		return read_names(f, &req->scope->container);
	case ETW_FILTER_PACKAGE_ID:
		return read_names(f, &req->scope->package);
	default:
		return read_names(f, &req->scope->application);
	}
}

static int read_ids(const struct etw_filter *f, struct etw_event_ids *ids)
{
	const u32 head = offsetof(struct etw_filter_event_id, ids);
	struct etw_filter_event_id given;
	u32 len;

	if (f->len < head)
		return -EINVAL;
	len = min_t(u32, f->len, sizeof(given));
	if (copy_from_user(&given, u64_to_user_ptr(f->ptr), len))
		return -EFAULT;
	if (given.in > 1 || given.count > ETW_FILTER_EVENT_IDS ||
	    len < head + given.count * sizeof(given.ids[0]))
		return -EINVAL;
	etw_ids_set(ids, &given);
	return 0;
}

static int read_stack_level(const struct etw_filter *f, struct etw_event_filter *events)
{
	struct etw_filter_level_kw given;

	if (f->len != sizeof(given))
		return -EINVAL;
	if (copy_from_user(&given, u64_to_user_ptr(f->ptr), sizeof(given)))
		return -EFAULT;
	if (given.in > 1)
		return -EINVAL;
	etw_filter_set(&events->stack_level, given.level, given.any, given.all, 0);
	events->stack_level_given = true;
	events->stack_level_in = given.in;
	return 0;
}

static int read_event_names(const struct etw_filter *f, struct etw_name_filter **names)
{
	void *given;
	size_t size;
	int err = 0;

	if (f->len > ETW_FILTER_EVENT_NAME_MAX)
		return -EINVAL;
	given = memdup_user(u64_to_user_ptr(f->ptr), f->len);
	if (IS_ERR(given))
		return PTR_ERR(given);
	size = etw_names_size(given, f->len);
	if (size) {
		*names = kzalloc(offsetof(struct etw_name_filter, names) + size, ETW_GFP);
		if (*names)
			etw_names_compile(&(*names)->names, given, f->len);
		else
			err = -ENOMEM;
	} else {
		err = -EINVAL;
	}
	kfree(given);
	return err;
}

static int read_events(struct etw_enable_request *req, const struct etw_filter *f)
{
	if (!req->events)
		req->events = kzalloc(sizeof(*req->events), ETW_GFP);
	if (!req->events)
		return -ENOMEM;
	switch (f->type) {
	case ETW_FILTER_EVENT_ID:
		return read_ids(f, &req->events->ids);
	case ETW_FILTER_STACKWALK:
		return read_ids(f, &req->events->stack_ids);
	case ETW_FILTER_EVENT_NAME:
		return read_event_names(f, &req->events->names);
	case ETW_FILTER_STACKWALK_NAME:
		return read_event_names(f, &req->events->stack_names);
	default:
		return read_stack_level(f, req->events);
	}
}

static int read_payload(struct etw_enable_request *req, const struct etw_filter *f)
{
	struct etw_payload_filter *payload;
	int err;

	if (!f->len || f->len > ETW_PAYLOAD_SIZE_MAX)
		return -EINVAL;
	if (!req->events)
		req->events = kzalloc(sizeof(*req->events), ETW_GFP);
	if (!req->events)
		return -ENOMEM;
	payload = kmalloc(struct_size(payload, program, DIV_ROUND_UP(f->len, 8)), ETW_GFP);
	if (!payload)
		return -ENOMEM;
	req->events->payload = payload;
	if (copy_from_user(payload->program, u64_to_user_ptr(f->ptr), f->len))
		return -EFAULT;
	err = etw_payload_load(payload->program, f->len);
	if (err)
		return err;
	payload->weight = etw_payload_weight(payload->program);
	payload->short_enough = etw_payload_shorten(payload->program, &payload->quick);
	return 0;
}

static int filter_read(struct etw_enable_request *req, const struct etw_filter *f)
{
	switch (f->type) {
	case ETW_FILTER_NONE:
		return 0;
	case ETW_FILTER_PID:
	case ETW_FILTER_EXECUTABLE_NAME:
	case ETW_FILTER_CONTAINER:
	case ETW_FILTER_PACKAGE_ID:
	case ETW_FILTER_PACKAGE_APP_ID:
		return read_scope(req, f);
	case ETW_FILTER_EVENT_ID:
	case ETW_FILTER_EVENT_NAME:
	case ETW_FILTER_STACKWALK:
	case ETW_FILTER_STACKWALK_NAME:
	case ETW_FILTER_STACKWALK_LEVEL_KW:
		return read_events(req, f);
	case ETW_FILTER_PAYLOAD:
		return read_payload(req, f);
	case ETW_FILTER_SCHEMATIZED:
	case ETW_FILTER_TRACEHANDLE:
		return etw_filter_data_read(req, f);
	default:
		return -EINVAL;
	}
}

/* Read the filters into req.  The caller frees them with etw_filters_free(), also on failure. */
int etw_filters_read(struct etw_enable_request *req, u64 from, u32 count)
{
	struct etw_filter filters[ETW_FILTERS_MAX];
	u32 i, j;
	int err;

	if (count > ETW_FILTERS_MAX)
		return -EINVAL;
	if (copy_from_user(filters, u64_to_user_ptr(from), count * sizeof(*filters)))
		return -EFAULT;
	for (i = 0; i < count; i++) {
		for (j = 0; j < i; j++)
			if (filters[j].type == filters[i].type)
				return -EINVAL;
		err = filter_read(req, &filters[i]);
		if (err)
			return err;
		req->filters |= filters[i].type & 0xffff ?: filters[i].type;
	}
	return 0;
}

/* Writers may still use the filter.  Takes NULL. */
void etw_event_filter_free(struct etw_event_filter *filter)
{
	if (!filter)
		return;
	if (filter->names)
		kfree_rcu(filter->names, rcu);
	if (filter->stack_names)
		kfree_rcu(filter->stack_names, rcu);
	if (filter->payload)
		kfree_rcu(filter->payload, rcu);
	kfree_rcu(filter, rcu);
}

/* Free the filters that no enablement has taken. */
void etw_filters_free(struct etw_enable_request *req)
{
	etw_scope_free(req->scope);
	etw_filter_data_put(req->data);
	etw_event_filter_free(req->events);
}
