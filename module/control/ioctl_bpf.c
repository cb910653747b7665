// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_bpf.c - the command that makes a provider for BPF programs
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "handlers.h"
#include "ioctl.h"
#include "ioctl_provider.h"
#include "ioctl_trace.h"
#include "provider/process.h"
#include "system/bpf_provider.h"

/*
 * Check an event and its part of the arrays, which begins at *schema_at and *piece_at; advance them
 * past it.
 */
static bool event_is_valid(const struct etw_bpf_provider *arg, const struct etw_bpf_input *in,
			   const struct etw_bpf_event *event, u32 *schema_at, u32 *piece_at)
{
	u16 size;

	if (event->record_size > ETW_BPF_RECORD_MAX ||
	    event->schema_len < sizeof(size) || event->schema_len > ETW_TRACE_SCHEMA_MAX ||
	    event->schema_len > arg->schemas_len - *schema_at ||
	    event->piece_count > ETW_TRACE_PIECES_MAX ||
	    event->piece_count > arg->piece_count - *piece_at)
		return false;
	memcpy(&size, in->schemas + *schema_at, sizeof(size));
	if (size != event->schema_len ||
	    !etw_ioctl_pieces_valid(in->pieces + *piece_at, event->piece_count))
		return false;
	*schema_at += event->schema_len;
	*piece_at += event->piece_count;
	return true;
}

static int bpf_input_check(const struct etw_bpf_provider *arg, const struct etw_bpf_input *in)
{
	u32 i, schema_at = 0, piece_at = 0;

	for (i = 0; i < arg->event_count; i++)
		if (!event_is_valid(arg, in, &in->events[i], &schema_at, &piece_at))
			return -EINVAL;
	return schema_at == arg->schemas_len && piece_at == arg->piece_count ? 0 : -EINVAL;
}

/* Nothing is done after an error. */
static void *bpf_array_copy(u64 from, size_t bytes, int *err)
{
	void *to = NULL;

	if (!*err && bytes)
		to = kvmalloc(bytes, ETW_GFP);
	if (!*err && bytes && !to)
		*err = -ENOMEM;
	if (to && copy_from_user(to, u64_to_user_ptr(from), bytes))
		*err = -EFAULT;
	return to;
}

static int bpf_input_copy(const struct etw_bpf_provider *arg, struct etw_bpf_input *in)
{
	int err = 0;

	in->events = bpf_array_copy(arg->events, array_size(arg->event_count, sizeof(*in->events)),
				    &err);
	in->schemas = bpf_array_copy(arg->schemas, arg->schemas_len, &err);
	in->pieces = bpf_array_copy(arg->pieces, array_size(arg->piece_count, sizeof(*in->pieces)),
				    &err);
	return err ?: bpf_input_check(arg, in);
}

long etw_ioctl_bpf_provider(struct file *file, void *arg)
{
	struct etw_bpf_provider *provider = arg;
	struct etw_bpf_input in = { };
	char *name;
	int err;

	if (provider->flags || provider->reserved ||
	    !provider->event_count || provider->event_count > ETW_BPF_EVENTS_MAX ||
	    provider->schemas_len > ETW_BPF_SCHEMAS_MAX ||
	    provider->piece_count > ETW_BPF_PIECES_MAX)
		return -EINVAL;
	if (!etw_may_see_addresses() ||
	    !etw_access_may(&provider->provider, ETW_RIGHT_REGISTER_GUIDS))
		return -EPERM;
	if (etw_ioctl_is_own(&provider->provider))
		return -EEXIST;
	err = etw_ioctl_name_in(provider->name, provider->name_len, &name);
	if (err)
		return err;
	err = bpf_input_copy(provider, &in);
	if (!err && !etw_bpf_kfuncs_registered())
		err = -EOPNOTSUPP;
	if (!err)
		err = etw_bpf_provider_make(etw_process_of(file), provider, name, &in,
					    &provider->number);
	etw_bpf_input_free(&in);
	kfree(name);
	return err;
}
