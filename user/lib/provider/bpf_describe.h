/* SPDX-License-Identifier: MIT */
/*
 * bpf_describe.h - TraceLogging metadata, and the parts of a record, of BPF programs' events
 *
 * They are made of the lists that the macros of <etw/bpf.h> make.
 */
#ifndef ETW_LIB_PROVIDER_BPF_DESCRIBE_H
#define ETW_LIB_PROVIDER_BPF_DESCRIBE_H

#include <stdint.h>

#include <etw/abi.h>
#include <etw/bpf.h>

struct etw_bpf_description {
	struct etw_bpf_event events[ETW_BPF_EVENTS_MAX];
	unsigned char schemas[ETW_BPF_SCHEMAS_MAX];
	uint32_t schemas_len;
	struct etw_trace_piece pieces[ETW_BPF_PIECES_MAX];
	uint32_t piece_count;
};

/*
 * Fill in a description that is all 0. more: fields that follow those of each event and are no
 * part of its record. 0, or -EINVAL: it does not fit, or a field is not as its type says.
 */
int etw_bpf_describe(struct etw_bpf_description *d, const struct etw_bpf_event_info *events,
		     unsigned int count, const struct etw_bpf_field *more, unsigned int more_count);

#endif /* ETW_LIB_PROVIDER_BPF_DESCRIBE_H */
