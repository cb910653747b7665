/* SPDX-License-Identifier: MIT */
/*
 * stack.c - stacks of Windows' kernel logger
 *
 * Sources: Microsoft's page "StackWalk_Event class"; for keys, wmicore.mof of the WDK.
 */
#include "kernel_logger.h"

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
static const struct etw_mf_named stack_type = { .name = "Stack", .value = ETW_KERNEL_STACK_TYPE };

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

/* ------------------------------------------------------------------------- keys */

/* A stack that several events share is recorded once, with a key. */
#define FRAMES(n)	{ POINTER("Key"), KERNEL_ARRAY("StackFrame", POINTER, HEXINT64, (n) + 1) }
#define KEY(n)		{ .id = "", .fields = key_fields[n], .count = 2, .top = 2 }

static const struct etw_mf_field key_fields[][2] = { ALL(FRAMES) };
static const struct etw_mf_template keys[] = { ALL(KEY) };

#define KEY_EVENTS(of_type, called)							\
	static const struct etw_mf_named type_##of_type = {				\
		.name = (called), .value = (of_type) };					\
	static const struct etw_mf_event events_##of_type[] = { ALL(KEY_EVENT_##of_type) }
#define KEY_EVENT_34(n)	{ .task = &walk, .opcode = &type_34, .template = &keys[n] }
#define KEY_EVENT_35(n)	{ .task = &walk, .opcode = &type_35, .template = &keys[n] }
#define KEY_EVENT_36(n)	{ .task = &walk, .opcode = &type_36, .template = &keys[n] }

KEY_EVENTS(34, "KeyCreate");
KEY_EVENTS(35, "KeyDelete");
KEY_EVENTS(36, "KeyRundown");

const struct etw_mf_event *etw_kernel_stack_key(uint8_t type, size_t n)
{
	if (!n || n > STACK_MOST)
		return NULL;
	return type == 34 ? &events_34[n - 1] : type == 35 ? &events_35[n - 1] :
		type == 36 ? &events_36[n - 1] : NULL;
}

KERNEL_TEMPLATE(stack_key,
	U64("EventTimeStamp"), X32("StackProcess"), U32("StackThread"), POINTER("StackKey"));

static const struct etw_kernel_type walk_types[] = {
	KERNEL_TYPE(walk, 37, 0, 255, "StackKeyKernel", stack_key),
	KERNEL_TYPE(walk, 38, 0, 255, "StackKeyUser", stack_key),
};

#define STACK_GUID \
	{ 0xdef2fe46, 0x7bd6, 0x4b80, { 0xbd, 0x94, 0xf5, 0x7f, 0xe2, 0x0d, 0x0c, 0xe3 } }

const GUID etw_kernel_stack_guid = STACK_GUID;

const struct etw_kernel_class etw_kernel_stack_walk = {
	STACK_GUID, walk_types, KERNEL_COUNT(walk_types), NULL
};
