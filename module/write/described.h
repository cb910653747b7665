/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * described.h - an event's data besides its payload: schema, traits, timestamp
 *
 * Inline, for hotpath.c.  Any context, with preemption off; all pointers are valid until
 * preemption is enabled again.
 */
#ifndef ETW_WRITE_DESCRIBED_H
#define ETW_WRITE_DESCRIBED_H

#include "core/traits.h"
#include "core/record.h"
#include "opts.h"
#include "snapshot.h"

/*
 * Kernels that zero all automatic variables would clear these with every event;
 * each member is written before it is read.
 */
#if __has_attribute(__uninitialized__)
#define UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define UNINITIALIZED
#endif

struct etw_described {
	struct etw_record_source source;	/* of the record to write */
	struct etw_record_extra extra;
	struct etw_typed typed;
};

/*
 * Separate the schema, traits and timestamp of a module's event from its payload, and
 * subtract them from its size, which was measured with all descriptors.
 */
static __always_inline int etw_described_split(struct etw_described *to)
{
	const struct etw_data_descriptor *data = to->source.data;
	struct etw_typed_at at UNINITIALIZED;
	u64 size = ETW_EVENT_HEADER_SIZE;
	int err;

	to->extra.typed = true;
	err = etw_typed_find(&at, data, to->source.count);
	if (err)
		return err;
	if (to->source.related)
		size += ETW_RELATED_ITEM_SIZE;
	size += at.payload;
	if (unlikely(size > ETW_RECORD_MAX))
		return -EOVERFLOW;
	to->source.size = size;
	return etw_typed_read(&to->typed, at.schema < 0 ? NULL : &data[at.schema],
			      at.provider < 0 ? NULL : &data[at.provider],
			      at.timestamp < 0 ? NULL : &data[at.timestamp]);
}

/* Traits may name a GUID for decoding that differs from the registered one. */
static __always_inline void
etw_described_use_decode(struct etw_described *to, const struct etw_traits *traits)
{
	if (!traits->has_decode)
		return;
	etw_record_add_extra(&to->extra, ETW_EXT_CONTROL_GUID, to->source.provider,
			     sizeof(struct etw_guid));
	to->source.provider = &traits->decode;
	to->source.flags |= ETW_EVENT_DECODE_GUID;
}

/*
 * Fill in to, whose source is a copy of the event's; source.size no longer includes
 * typed descriptors.  A process's descriptors were split when they were copied.
 * -EINVAL: the descriptors are malformed; -EFAULT: the metadata or the timestamp cannot be
 * read; -EOVERFLOW: no event has room for the metadata.
 */
static __always_inline int
etw_described_read(struct etw_described *to, const struct etw_snapshot *snapshot,
		const struct etw_write_opts *opts)
{
	const struct etw_traits *traits = snapshot->traits;
	const struct etw_typed *typed = &to->typed;
	bool whole = true;
	int err = 0;

	/* The items are written before they are read. */
	to->extra.count = 0;
	to->extra.size = 0;
	to->extra.typed = false;
	to->typed = (struct etw_typed){ 0 };
	if (opts && opts->typed)
		to->typed = *opts->typed;
	else if (snapshot->types && !(opts && opts->user))
		err = etw_described_split(to);
	if (err)
		return err;
	/* In the order in which Windows writes them. */
	if (traits)
		whole = etw_record_add_extra(&to->extra, ETW_EXT_PROV_TRAITS, traits->blob,
					     traits->len);
	else if (typed->provider)
		whole = etw_record_add_extra(&to->extra, ETW_EXT_PROV_TRAITS, typed->provider,
					     typed->provider_len);
	if (typed->schema)
		whole &= etw_record_add_extra(&to->extra, ETW_EXT_EVENT_SCHEMA, typed->schema,
					      typed->schema_len);
	if (traits)
		etw_described_use_decode(to, traits);
	to->extra.timestamp_given = typed->timestamp_given;
	to->extra.timestamp = typed->timestamp;
	return whole ? 0 : -EOVERFLOW;
}

#endif /* ETW_WRITE_DESCRIBED_H */
