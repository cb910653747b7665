/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracepoints.h - probes of the kernel's tracepoints, which are not exported
 */
#ifndef ETW_TRACEPOINTS_H
#define ETW_TRACEPOINTS_H

struct tracepoint;

/*
 * A probe has the type that its tracepoint declares, or a kernel with control-flow
 * integrity (CFI) panics.  The lookup by name has no types, so let the compiler check them
 * with check_trace_callback_type_NAME().
 */
struct etw_probe {
	const char *name;		/* of the tracepoint */
	void *probe;
	struct tracepoint *point;	/* found by etw_probes_register() */
};

int etw_probes_register(struct etw_probe *probes, int count);
void etw_probes_unregister(struct etw_probe *probes, int count);

#endif /* ETW_TRACEPOINTS_H */
