/* SPDX-License-Identifier: MIT */
/*
 * bpf_clock.h - the time of an event that is written later, in the clocks of the sessions
 *
 * BPF programs read CLOCK_BOOTTIME, without what a time namespace adds to it. A session has that
 * clock, the TSC or the wall clock, which are all read together every few milliseconds; what is
 * between is computed. Private sessions have clocks of their own, of the same kinds.
 */
#ifndef ETW_LIB_PROVIDER_BPF_CLOCK_H
#define ETW_LIB_PROVIDER_BPF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <etw/abi.h>
#include "lib/private/clock.h"

/* NOW: the time cannot be given, and is that of writing. */
enum etw_bpf_source { ETW_BPF_TSC, ETW_BPF_BOOT, ETW_BPF_WALL, ETW_BPF_NOW, ETW_BPF_SOURCES };

struct etw_bpf_clocks {
	uint64_t sessions[ETW_BPF_SOURCES];	/* bit i: logger id i + 1 has this one */
	uint64_t known;				/* those of all sources */
	uint64_t tsc_rate;			/* ticks per second; 0: not known */
};

/* All clocks at one moment */
struct etw_bpf_anchor {
	uint64_t boot, tsc, wall;		/* boot: ns, as programs read it; 0: never read */
	int64_t boot_offset, awake_offset;	/* ns that CLOCK_BOOTTIME and CLOCK_MONOTONIC have here */
	uint64_t took;				/* ns between the first and the last of them */
	bool tsc_failed;			/* it did not go on as it should, and stays so */
};

/* Which sessions that have enabled the provider have which clock? */
void etw_bpf_clocks_read(struct etw_bpf_clocks *clocks, const struct etw_guid *provider);

/*
 * Is the event to be written with this clock, and without which sessions? It is not for a session
 * that has enabled the provider since, except if none is known: then for all, at the time of
 * writing.
 */
static inline bool etw_bpf_clocks_excluded(const struct etw_bpf_clocks *clocks,
					   enum etw_bpf_source source, uint64_t *excluded)
{
	*excluded = clocks->known ? ~clocks->sessions[source] : 0;
	return clocks->known ? clocks->sessions[source] : source == ETW_BPF_NOW;
}

/*
 * Read the clocks again if that was long before a record's time, boot, and long ago. Sessions with
 * the TSC get the time of writing from then on if it has failed or the machine has slept.
 */
void etw_bpf_anchor_renew(struct etw_bpf_anchor *anchor, struct etw_bpf_clocks *clocks,
			  uint64_t boot);

/* ns of CLOCK_BOOTTIME, not later than now, in ticks of a clock; NOW: 0 */
uint64_t etw_bpf_ticks(const struct etw_bpf_clocks *clocks, const struct etw_bpf_anchor *anchor,
		       enum etw_bpf_source source, uint64_t boot);

/* The same for private sessions. The rate of their TSC is measured, the first time. */
void etw_bpf_private_ticks(const struct etw_bpf_anchor *anchor, uint64_t boot,
			   uint64_t times[PRIVATE_CLOCKS]);

#endif /* ETW_LIB_PROVIDER_BPF_CLOCK_H */
