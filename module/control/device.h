/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ETW_DEV_H
#define ETW_DEV_H

int etw_device_init(void);
void etw_device_exit(void);

/* process_exit.c */
int etw_exits_init(void);
void etw_exits_exit(void);

#endif /* ETW_DEV_H */
