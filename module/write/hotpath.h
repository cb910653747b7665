/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotpath.h - the hot path, for those who feed it
 */
#ifndef ETW_TRACE_H
#define ETW_TRACE_H

#include "core/record.h"
#include <etw/kernel.h>

struct etw_typed;

/*
 * Kernels that zero all automatic variables would clear these with every event;
 * each member is written before it is read.
 */
#if __has_attribute(__uninitialized__)
#define UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define UNINITIALIZED
#endif

extern unsigned int etw_nesting_max;

struct etw_snapshot;
struct etw_trace_session;

/* What few events have. */
struct etw_trace_how {
	u64 exclude;		/* bit i: not to the session with logger id i + 1 */
	const struct etw_typed *typed;	/* user: taken from its descriptors, or not yet: NULL */
	const u64 *stack;	/* of the writer, the innermost frame first */
	u32 stack_count;	/* 0: it is to be walked */
	bool user;		/* written by a process */
	bool inprivate;		/* EVENT_WRITE_FLAG_INPRIVATE */
};

int etw_trace_write(const struct etw_provider *provider,
		    const struct etw_record_source *source,
		    const struct etw_trace_how *how);
int etw_trace_drop(const struct etw_provider *provider,
		   const struct etw_event_descriptor *desc,
		   const struct etw_trace_how *how, u32 cause);
bool etw_trace_wants_stack(const struct etw_provider *provider,
			   const struct etw_event_descriptor *desc,
			   const struct etw_trace_how *how);

int etw_trace_dropped(struct etw_trace_session *s, u32 cause);

/* What of an event says who takes it; all but desc may be NULL. */
struct etw_trace_event {
	const struct etw_event_descriptor *desc;
	const struct etw_trace_how *how;
	const struct etw_typed *typed;
	const struct etw_record_source *source;	/* of its payload; NULL: not there yet */
	bool pieces_typed;	/* data descriptors of source that have a type are none */
	bool unknown;		/* it may have a schema, which is not there yet */
};

/* match.c */
u32 etw_trace_choose(const struct etw_snapshot *snapshot, const struct etw_trace_event *event,
		     u32 *properties);
bool etw_trace_wanted(const struct etw_snapshot *snapshot,
		      const struct etw_event_descriptor *desc);

/* activity.c */
DECLARE_STATIC_KEY_FALSE(etw_activity_used);
const struct etw_guid *etw_activity_current(void);
void etw_activity_init(void);
void etw_activity_task_exits(struct task_struct *task);
void etw_activity_exit(void);

#endif /* ETW_TRACE_H */
