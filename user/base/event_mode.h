/* SPDX-License-Identifier: MIT */
/*
 * event_mode.h - whether the kernel or a process wrote an event
 */
#ifndef ETW_BASE_EVENT_MODE_H
#define ETW_BASE_EVENT_MODE_H

/* "kernel" or "user", from the flags of the event's header; NULL: they do not say it. */
const char *etw_event_mode(unsigned int flags);

#endif /* ETW_BASE_EVENT_MODE_H */
