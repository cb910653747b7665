/* SPDX-License-Identifier: MIT */
/*
 * event_mode.c - whether the kernel or a process wrote an event
 */
#include <stddef.h>
#include <etw/format.h>

#include "event_mode.h"

const char *etw_event_mode(unsigned int flags)
{
	switch (flags & (ETW_EVENT_KERNEL_MODE | ETW_EVENT_USER_MODE)) {
	case ETW_EVENT_KERNEL_MODE:
		return "kernel";
	case ETW_EVENT_USER_MODE:
		return "user";
	default:
		return NULL;
	}
}
