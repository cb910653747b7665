/* SPDX-License-Identifier: MIT */
/*
 * trace_schema.h - a trace event's format, as TraceLogging metadata and parts of its record
 */
#ifndef ETW_BRIDGE_TRACE_SCHEMA_H
#define ETW_BRIDGE_TRACE_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/abi.h>

/* Room for the rest of the manifest is left. */
#define TRACE_NAMES_MAX	(ETW_TRACE_MANIFEST_MAX - 2048)

/* What ETW_IOC_TRACE_EVENT wants to know */
struct trace_schema {
	uint32_t flags, counter;	/* of samples; else 0, as the next two */
	uint64_t config, period;
	uint32_t id;
	uint8_t opcode;		/* 1: it begins something that another event ends; 2: it ends that */
	uint16_t task;		/* the id of the event that begins it; 0: neither */
	uint32_t metadata_len;
	uint32_t piece_count;
	bool cut;		/* the last fields are left out: there are too many */
	bool reads_bytes;	/* it has ETW_TRACE_USER_BYTES, which older modules refuse */
	unsigned char metadata[ETW_TRACE_SCHEMA_MAX];
	char fields[ETW_TRACE_SCHEMA_MAX];	/* as the option --fields describes them, of event 0 */
	char names[TRACE_NAMES_MAX];	/* of values, see trace_names.h; empty: there are none */
	struct etw_trace_piece pieces[ETW_TRACE_PIECES_MAX];
};

/*
 * text: the content of its file "format", of len bytes. name: of the event. older: for a module
 * without ETW_TRACE_USER_BYTES. 0; -EINVAL: it is no format; -ENOMEM; -ELIBACC: libtracefs is not
 * installed.
 */
int trace_schema_parse(const char *text, size_t len, const char *name, bool older,
		       struct trace_schema *schema);
/*
 * The same, of "SYSTEM:NAME" in tracefs; also -ENOENT and other errors of reading, and -EINVAL for
 * parts that are no names of files there.
 */
int trace_schema_read(const char *event, struct trace_schema *schema);
int trace_schema_read_older(const char *event, struct trace_schema *schema);

struct probe_args;
/* Both, of an event that was made of a probe.  name: what the schema calls it. */
int trace_schema_parse_probe(const char *text, size_t len, const char *name,
			     const struct probe_args *args, struct trace_schema *schema);
int trace_schema_read_probe(const char *event, const char *name, const struct probe_args *args,
			    struct trace_schema *schema);

#endif /* ETW_BRIDGE_TRACE_SCHEMA_H */
