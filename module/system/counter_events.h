/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counter_events.h - the provider Etw-Counters: memory and CPU time, once a second
 */
#ifndef ETW_SYSTEM_COUNTER_EVENTS_H
#define ETW_SYSTEM_COUNTER_EVENTS_H

int etw_counter_events_init(void);
void etw_counter_events_exit(void);

#endif /* ETW_SYSTEM_COUNTER_EVENTS_H */
