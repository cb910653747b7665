/* SPDX-License-Identifier: MIT */
/*
 * system_class.h - what stands for several of the kernel's trace events: the classes of
 * "system:CLASS", and the flags with which Windows' controllers enable the system's events
 */
#ifndef ETW_BRIDGE_SYSTEM_CLASS_H
#define ETW_BRIDGE_SYSTEM_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace_set.h"

/* The provider that a set has for EVENT_TRACE_FLAG_PROCESS; it is one of etw.ko's. */
#define SYSTEM_PROCESS	"Etw-Process"

/* Is this name, of a set, that of a provider of etw.ko? Then it need not be made. */
bool system_class_own(const char *name);

/*
 * Add the providers of a class, of len bytes; those that this kernel lacks are left out.
 * 0 or a negative errno: -EINVAL: there is no such class; else of trace_set_add_events().
 */
int system_class_add(struct trace_set *set, const char *name, size_t len);

/* The name of the class at i, or NULL behind the last one */
const char *system_class_name(size_t i);

/*
 * Add what EVENT_TRACE_FLAG_ stand for: trace events, samples, etw.ko's providers. interval: of
 * EVENT_TRACE_FLAG_PROFILE, in 100 ns. Flags without a counterpart add nothing. 0 or a negative
 * errno, of trace_set_add_events().
 */
int system_flags_add(struct trace_set *set, uint32_t flags, uint32_t interval);

#define SYSTEM_MASK_WORDS	8	/* of PERFINFO_GROUPMASK */

/*
 * The flags that a PERFINFO_GROUPMASK stands for: its first word, and those bits of the others
 * that Microsoft's page "System Providers" equates with a flag.
 */
uint32_t system_mask_flags(const uint32_t mask[SYSTEM_MASK_WORDS]);

/* The trace events of one flag, as the table has them: the pattern at i, or NULL */
const char *system_flag_pattern(uint32_t flag, size_t i);

/* Samples a second for such an interval */
unsigned int system_sample_frequency(uint32_t interval);

#endif /* ETW_BRIDGE_SYSTEM_CLASS_H */
