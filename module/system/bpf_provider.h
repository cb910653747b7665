/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf_provider.h - providers whose events BPF programs write
 */
#ifndef ETW_SYSTEM_BPF_PROVIDER_H
#define ETW_SYSTEM_BPF_PROVIDER_H

#include <linux/types.h>
#include <etw/abi.h>
#include <etw/kernel.h>

#include "held_provider.h"
#include "trace_record.h"

/**
 * struct etw_bpf_input - the arrays that a command describes a provider with
 * @events: event_count of the command
 * @schemas: schemas_len bytes
 * @pieces: piece_count of the command
 *
 * Checked: each event's metadata and parts lie in the arrays, which they fill.
 */
struct etw_bpf_input {
	struct etw_bpf_event *events;
	u8 *schemas;
	struct etw_trace_piece *pieces;
};

/**
 * struct etw_bpf_kept_event - an event of a provider
 * @desc: its descriptor
 * @layout: of a record; its pointers lead into the arrays of the provider
 * @record_size: bytes that a record must have
 * @whole: the payload is the first @record_size bytes as they are
 */
struct etw_bpf_kept_event {
	struct etw_event_descriptor desc;
	struct etw_trace_layout layout;
	u32 record_size;
	bool whole;
};

/**
 * struct etw_bpf_target - what a program's number of a provider stands for
 * @held: what makes it a provider
 * @number: for the programs
 * @event_count: length of @events
 * @described: what it was made of, to compare others with
 * @schemas_len: bytes of @described.schemas
 * @piece_count: length of @described.pieces
 * @events: in the order of the command
 *
 * Nothing changes once programs can find it.
 */
struct etw_bpf_target {
	struct etw_held_provider held;
	u32 number;
	u32 event_count;
	struct etw_bpf_input described;
	u32 schemas_len;
	u32 piece_count;
	struct etw_bpf_kept_event events[];
};

/* bpf_provider.c */
int etw_bpf_provider_make(struct etw_process *holder, const struct etw_bpf_provider *arg,
			  const char *name, struct etw_bpf_input *in, u32 *number);
void etw_bpf_input_free(struct etw_bpf_input *in);
const struct etw_bpf_target *etw_bpf_target_find(u32 number);

/* bpf_kfuncs.c */
int bpf_etw_enabled(u32 provider, u32 event);
int bpf_etw_write(u32 provider, u32 event, const void *data, u32 data__sz);
void etw_bpf_kfuncs_init(void);
bool etw_bpf_kfuncs_registered(void);
const char *etw_bpf_kfuncs_state(void);

#endif /* ETW_SYSTEM_BPF_PROVIDER_H */
