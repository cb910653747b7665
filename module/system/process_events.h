/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_events.h - the provider Etw-Process
 */
#ifndef ETW_SYSTEM_PROCESS_EVENTS_H
#define ETW_SYSTEM_PROCESS_EVENTS_H

#include <etw/abi.h>

/* A process names the provider that it has registered. */
void etw_process_events_provider(const struct etw_guid *provider, const char *name);

int etw_process_events_init(void);
void etw_process_events_exit(void);

#endif /* ETW_SYSTEM_PROCESS_EVENTS_H */
