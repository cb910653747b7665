// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_data.c - filters that the callback of a provider interprets
 *
 * A session's SCHEMATIZED filter stays in its slot of the GUID, under etw_control.
 * Callbacks get a reference-counted copy that never changes: the filters of all sessions
 * in one chain, or the filter of a request for state.  Registrations that get the same
 * filters from a change share the copy.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "alloc.h"
#include "filter_data.h"

static size_t data_size(u32 len)
{
	return offsetof(struct etw_filter_data, words) + ALIGN(len, 8);
}

static void data_init(struct etw_filter_data *data, u32 type, u32 len)
{
	refcount_set(&data->ref, 1);
	data->type = type;
	data->len = len;
}

struct etw_filter_data *etw_filter_data_get(struct etw_filter_data *data)
{
	if (data)
		refcount_inc(&data->ref);
	return data;
}

/* May sleep.  Takes NULL. */
void etw_filter_data_put(struct etw_filter_data *data)
{
	if (data && refcount_dec_and_test(&data->ref))
		kvfree(data);
}

/* ------------------------------------------------------------------ requests */

static bool header_ok(struct etw_filter_header *header, u32 len)
{
	if (header->size != len || header->next)
		return false;
	memset(header->reserved, 0, sizeof(header->reserved));
	return true;
}

/* Read a SCHEMATIZED or TRACEHANDLE filter; a callback gets one of them. */
int etw_filter_data_read(struct etw_enable_request *req, const struct etw_filter *f)
{
	struct etw_filter_data *data;

	if (req->data)
		return -EINVAL;
	if (f->type == ETW_FILTER_TRACEHANDLE) {
		if (req->control != ETW_CONTROL_CAPTURE || f->len != sizeof(u64))
			return -EINVAL;
	} else if (f->len < sizeof(struct etw_filter_header) || f->len > ETW_FILTER_DATA_MAX) {
		return -EINVAL;
	}
	data = kvmalloc(data_size(f->len), ETW_GFP);
	if (!data)
		return -ENOMEM;
	data_init(data, f->type, f->len);
	req->data = data;
	if (copy_from_user(data->words, u64_to_user_ptr(f->ptr), f->len))
		return -EFAULT;
	if (f->type == ETW_FILTER_SCHEMATIZED && !header_ok((void *)data->words, f->len))
		return -EINVAL;
	return 0;
}

/* The request's session is known now: a SCHEMATIZED filter names it to the callback. */
void etw_filter_data_bind(struct etw_enable_request *req)
{
	struct etw_filter_header *header;

	if (!req->data || req->data->type == ETW_FILTER_TRACEHANDLE)
		return;
	header = (void *)req->data->words;
	header->instance = BIT_ULL(req->session->hot->logger_id - 1);
}

/* -------------------------------------------------------------------- notices */

/* Copy a session's filter into the chain and return the bytes it takes there. */
static u32 add_link(u8 *to, const struct etw_filter_data *data, bool last)
{
	struct etw_filter_header *header = (void *)to;
	u32 whole = last ? data->len : ALIGN(data->len, 8);

	memcpy(to, data->words, data->len);
	memset(to + data->len, 0, whole - data->len);
	header->next = last ? 0 : whole;
	return whole;
}

/* Chain the links; *chain stays unchanged if there are none, or no memory for them. */
void etw_filter_data_chain(const struct etw_filter_data *const *links, u32 count,
			   struct etw_memory *memory, struct etw_filter_data **chain)
{
	struct etw_filter_data *data;
	u32 i, len = 0, at = 0;

	if (!count)
		return;
	for (i = 0; i < count; i++)
		len = ALIGN(len, 8) + links[i]->len;
	data = etw_memory_take(memory, data_size(len));
	if (!data)
		return;
	data_init(data, ETW_FILTER_SCHEMATIZED, len);
	for (i = 0; i < count; i++)
		at += add_link((u8 *)data->words + at, links[i], i + 1 == count);
	*chain = data;
}

/* Has the caller of NOTIFY room for the data, or not asked for it? */
bool etw_filter_data_fits(const struct etw_filter_data *data, const struct etw_notify *n)
{
	return !data || !n->filter || n->filter_cap >= data->len;
}

/* Copy data, to which the caller has a reference, or NULL to the caller of NOTIFY. */
int etw_filter_data_copy_out(const struct etw_filter_data *data, struct etw_notify *n)
{
	n->filter_len = data ? data->len : 0;
	n->filter_type = data ? data->type : ETW_FILTER_NONE;
	if (!data || !n->filter)
		return 0;
	return copy_to_user(u64_to_user_ptr(n->filter), data->words, data->len) ? -EFAULT : 0;
}
