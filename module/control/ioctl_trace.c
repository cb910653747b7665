// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_trace.c - the command that makes a trace event of the kernel a provider
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "access/access.h"
#include "alloc.h"
#include "guid.h"
#include "handlers.h"
#include "ioctl.h"
#include "ioctl_provider.h"
#include "ioctl_trace.h"
#include "provider/process.h"
#include "system/trace_event.h"

/* What a command's pointers lead to */
struct trace_input {
	char *name;
	void *schema;
	struct etw_trace_piece *pieces;
	void *manifest;		/* NULL: none */
};

static bool piece_is_valid(const struct etw_trace_piece *piece)
{
	const bool located = piece->kind == ETW_TRACE_TEXT_AT || piece->kind == ETW_TRACE_ARRAY_AT;

	if (piece->kind > ETW_TRACE_USER_BYTES)
		return false;
	if (piece->kind == ETW_TRACE_USER_BYTES ? piece->size > ETW_TRACE_USER_TEXT_MAX :
						  piece->length_offset)
		return false;
	if (piece->flags & ~(located ? ETW_TRACE_RELATIVE : 0))
		return false;
	return piece->size || piece->kind == ETW_TRACE_TEXT_AT;
}

static bool piece_reads_user(const struct etw_trace_piece *piece)
{
	return piece->kind == ETW_TRACE_USER_TEXT || piece->kind == ETW_TRACE_USER_BYTES;
}

/* Of one event: a trace event, or a BPF program's */
bool etw_ioctl_pieces_valid(const struct etw_trace_piece *pieces, u32 count)
{
	u32 i, user = 0;

	for (i = 0; i < count; i++) {
		if (!piece_is_valid(&pieces[i]))
			return false;
		user += piece_reads_user(&pieces[i]);
	}
	return user <= ETW_TRACE_USER_TEXTS;
}

static int trace_input_check(const struct etw_trace_event *arg, const struct trace_input *in)
{
	u16 size;

	memcpy(&size, in->schema, sizeof(size));
	if (size != arg->schema_len || !etw_ioctl_pieces_valid(in->pieces, arg->piece_count))
		return -EINVAL;
	return 0;
}

static void trace_input_free(struct trace_input *in)
{
	kfree(in->name);
	kfree(in->schema);
	kfree(in->pieces);
	kfree(in->manifest);
}

static int trace_input_copy(const struct etw_trace_event *arg, struct trace_input *in)
{
	int err = etw_ioctl_name_in(arg->name, arg->name_len, &in->name);
	void *copy;

	if (err)
		return err;
	copy = memdup_user(u64_to_user_ptr(arg->schema), arg->schema_len);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	in->schema = copy;
	copy = memdup_user(u64_to_user_ptr(arg->pieces),
			   array_size(arg->piece_count, sizeof(*in->pieces)));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	in->pieces = copy;
	if (arg->manifest_len) {
		copy = memdup_user(u64_to_user_ptr(arg->manifest), arg->manifest_len);
		if (IS_ERR(copy))
			return PTR_ERR(copy);
		in->manifest = copy;
	}
	return trace_input_check(arg, in);
}

/* What the module itself writes under these says what a trace proves. */
bool etw_ioctl_is_own(const struct etw_guid *guid)
{
	static const struct etw_guid own[] = {
		ETW_CLOCK_PROVIDER_GUID, ETW_LOST_EVENT_GUID, ETW_LEDGER_GUID, ETW_PROCESS_GUID,
	};
	size_t i = 0;

	while (i < ARRAY_SIZE(own) && !etw_guid_equal(&own[i], guid))
		i++;
	return i < ARRAY_SIZE(own);
}

static bool source_is_valid(const struct etw_trace_event *event)
{
	if (!(event->flags & ETW_TRACE_SAMPLE))
		return event->id && !event->flags && !event->counter && !event->config &&
		       !event->period;
	if (event->flags & ~(ETW_TRACE_SAMPLE | ETW_TRACE_FREQUENCY) || event->id || !event->period || event->period > S64_MAX ||
	    event->counter == PERF_TYPE_TRACEPOINT || event->counter == PERF_TYPE_BREAKPOINT)
		return false;
	return !(event->flags & ETW_TRACE_FREQUENCY) || event->period <= ETW_TRACE_FREQUENCY_MAX;
}

long etw_ioctl_trace_event(struct file *file, void *arg)
{
	const struct etw_trace_event *event = arg;
	struct trace_input in = { };
	int err;

	if (!source_is_valid(event) ||
	    event->schema_len < sizeof(u16) || event->schema_len > ETW_TRACE_SCHEMA_MAX ||
	    event->piece_count > ETW_TRACE_PIECES_MAX ||
	    event->manifest_len > ETW_TRACE_MANIFEST_MAX || event->reserved)
		return -EINVAL;
	if (!etw_may_see_addresses() || !etw_access_may(&event->provider, ETW_RIGHT_REGISTER_GUIDS))
		return -EPERM;
	if (!IS_ENABLED(CONFIG_EVENT_TRACING) || !IS_ENABLED(CONFIG_PERF_EVENTS))
		return -EOPNOTSUPP;
	if (etw_ioctl_is_own(&event->provider))
		return -EEXIST;
	err = trace_input_copy(event, &in);
	if (!err)
		err = etw_trace_provider_make(etw_process_of(file), event, in.name, in.schema,
					      in.pieces, in.manifest);
	trace_input_free(&in);
	return err;
}
