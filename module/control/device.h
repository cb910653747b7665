/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * device.h - /dev/etw
 */
#ifndef ETW_CONTROL_DEVICE_H
#define ETW_CONTROL_DEVICE_H

int etw_device_init(void);
void etw_device_exit(void);

#endif /* ETW_CONTROL_DEVICE_H */
