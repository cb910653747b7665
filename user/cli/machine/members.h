/* SPDX-License-Identifier: MIT */
/*
 * members.h - which field of which event has which member of a machine's description
 */
#ifndef ETW_CLI_MACHINE_MEMBERS_H
#define ETW_CLI_MACHINE_MEMBERS_H

#include <stddef.h>

/* What a field holds; not known, and left out: see each */
enum machine_member_kind {
	MACHINE_MEMBER_TEXT,		/* "" */
	MACHINE_MEMBER_COUNT,		/* uint32_t: 0 */
	MACHINE_MEMBER_NUMBER,		/* uint32_t: MACHINE_UNKNOWN */
	MACHINE_MEMBER_SIZE,		/* uint64_t: 0 */
	MACHINE_MEMBER_ADDRESS,		/* uint64_t: 0, or if the machine hides them */
	MACHINE_MEMBER_BUILD_ID,	/* len 0 */
};

struct machine_member {
	const char *name;	/* of the field; NULL ends a list */
	enum machine_member_kind kind;
	size_t at, size;	/* in the structure that the list is about */
};

/* The fields of the events Machine, Kernel, Cpu and Module, in their order, after BootId */
extern const struct machine_member machine_members[], machine_kernel_members[];
extern const struct machine_member machine_cpu_members[], machine_module_members[];

#endif /* ETW_CLI_MACHINE_MEMBERS_H */
