/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * process_events.h - the provider Etw-Process
 */
#ifndef ETW_SYSTEM_PROCESS_EVENTS_H
#define ETW_SYSTEM_PROCESS_EVENTS_H

int etw_process_events_init(void);
void etw_process_events_exit(void);

#endif /* ETW_SYSTEM_PROCESS_EVENTS_H */
