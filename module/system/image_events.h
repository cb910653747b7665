/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image_events.h - the provider Etw-Image: which file is mapped where in a process
 */
#ifndef ETW_SYSTEM_IMAGE_EVENTS_H
#define ETW_SYSTEM_IMAGE_EVENTS_H

int etw_image_events_init(void);
void etw_image_events_exit(void);

#endif /* ETW_SYSTEM_IMAGE_EVENTS_H */
