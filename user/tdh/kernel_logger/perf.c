/* SPDX-License-Identifier: MIT */
/*
 * perf.c - samples, system calls, interrupts and stacks of Windows' kernel logger
 *
 * Sources: Microsoft's pages "SampledProfile class", "SysCallEnter class", "SysCallExit class",
 * "DPC class", "ISR class" and "StackWalk_Event class".
 */
#include "kernel_logger.h"

KERNEL_TEMPLATE(sample, POINTER("InstructionPointer"), U32("ThreadId"), U32("Count"));
KERNEL_TEMPLATE(call_enter, POINTER("SysCallAddress"));
KERNEL_TEMPLATE(call_exit, X32("SysCallNtStatus"));
/* The kernel's own times are in ticks of the session's clock. */
KERNEL_TEMPLATE(dpc, U64("InitialTime"), POINTER("Routine"));
KERNEL_TEMPLATE(isr,
	U64("InitialTime"), POINTER("Routine"), U8("ReturnValue"), U8("Vector"), U16("Reserved"));

static const struct etw_mf_task perf = { .name = "PerfInfo" };

static const struct etw_kernel_type perf_types[] = {
	KERNEL_TYPE(perf, 46, 2, 255, "SampleProfile", sample),
	KERNEL_TYPE(perf, 51, 2, 255, "SysClEnter", call_enter),
	KERNEL_TYPE(perf, 52, 2, 255, "SysClExit", call_exit),
	KERNEL_TYPE(perf, 66, 2, 255, "ThreadDPC", dpc),
	KERNEL_TYPE(perf, 67, 2, 255, "ISR", isr),
	KERNEL_TYPE(perf, 68, 2, 255, "DPC", dpc),
	KERNEL_TYPE(perf, 69, 2, 255, "TimerDPC", dpc),
};

const struct etw_kernel_class etw_kernel_perf = {
	{ 0xce1dbfb4, 0x137e, 0x4da6, { 0x87, 0xb0, 0x3f, 0x59, 0xaa, 0x10, 0x2c, 0xbc } },
	perf_types, KERNEL_COUNT(perf_types)
};

/* ----------------------------------------------------------------------- stacks */

/* Only the payload's size gives the number of addresses: define an event for each number. */
#define STACK_HEAD	3
#define STACK_MOST	192

#define STACK(n)	POINTER("Stack" #n)
#define STACKS10(t)								\
	STACK(t##0), STACK(t##1), STACK(t##2), STACK(t##3), STACK(t##4),	\
	STACK(t##5), STACK(t##6), STACK(t##7), STACK(t##8), STACK(t##9)

static const struct etw_mf_field stack_fields[] = {
	U64("EventTimeStamp"), X32("StackProcess"), U32("StackThread"),
	STACK(1), STACK(2), STACK(3), STACK(4), STACK(5), STACK(6), STACK(7), STACK(8), STACK(9),
	STACKS10(1), STACKS10(2), STACKS10(3), STACKS10(4), STACKS10(5), STACKS10(6),
	STACKS10(7), STACKS10(8), STACKS10(9), STACKS10(10), STACKS10(11), STACKS10(12),
	STACKS10(13), STACKS10(14), STACKS10(15), STACKS10(16), STACKS10(17), STACKS10(18),
	STACK(190), STACK(191), STACK(192),
};

_Static_assert(KERNEL_COUNT(stack_fields) == STACK_HEAD + STACK_MOST, "addresses of a stack");

static const struct etw_mf_task walk = { .name = "StackWalk" };
static const struct etw_mf_named stack_type = { .name = "Stack", .value = 32 };

#define TEMPLATE(n)	{ .id = "", .fields = stack_fields, .count = STACK_HEAD + (n) + 1, \
			  .top = STACK_HEAD + (n) + 1 }
#define EVENT(n)	{ .task = &walk, .opcode = &stack_type, .template = &stacks[n] }
#define FOUR(what, n)	what(n), what((n) + 1), what((n) + 2), what((n) + 3)
#define SIXTEEN(what, n) \
	FOUR(what, n), FOUR(what, (n) + 4), FOUR(what, (n) + 8), FOUR(what, (n) + 12)
#define ALL(what)								\
	SIXTEEN(what, 0), SIXTEEN(what, 16), SIXTEEN(what, 32), SIXTEEN(what, 48),	\
	SIXTEEN(what, 64), SIXTEEN(what, 80), SIXTEEN(what, 96), SIXTEEN(what, 112),	\
	SIXTEEN(what, 128), SIXTEEN(what, 144), SIXTEEN(what, 160), SIXTEEN(what, 176)

static const struct etw_mf_template stacks[] = { ALL(TEMPLATE) };
static const struct etw_mf_event stack_events[] = { ALL(EVENT) };

_Static_assert(KERNEL_COUNT(stack_events) == STACK_MOST, "events of stacks");

const struct etw_mf_event *etw_kernel_stack(size_t n)
{
	return n && n <= STACK_MOST ? &stack_events[n - 1] : NULL;
}
