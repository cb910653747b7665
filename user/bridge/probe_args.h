/* SPDX-License-Identifier: MIT */
/*
 * probe_args.h - what a probe fetches
 */
#ifndef ETW_BRIDGE_PROBE_ARGS_H
#define ETW_BRIDGE_PROBE_ARGS_H

#include <stdint.h>

#define PROBE_ARGS_MAX		16
#define PROBE_ARG_NAME		32	/* bytes of a name, as the kernel takes it */

struct probe_arg {
	char name[PROBE_ARG_NAME];
	char fetch[64];		/* as in kprobe_events, with the type: "$arg1:s32" */
	uint8_t out;		/* how it is shown, enum TlgOut_t; 0: as its type says */
};

struct probe_args {
	struct probe_arg list[PROBE_ARGS_MAX];
	unsigned int count;
	unsigned int missing;	/* those that the kernel cannot fetch */
};

#endif /* ETW_BRIDGE_PROBE_ARGS_H */
