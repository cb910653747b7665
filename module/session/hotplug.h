/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hotplug.h - handle the buffers of CPUs that go offline or come online
 */
#ifndef ETW_SESSION_HOTPLUG_H
#define ETW_SESSION_HOTPLUG_H

int etw_hotplug_init(void);
void etw_hotplug_exit(void);

#endif /* ETW_SESSION_HOTPLUG_H */
