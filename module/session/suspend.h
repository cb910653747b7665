/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * suspend.h - before and after the machine sleeps
 */
#ifndef ETW_SESSION_SUSPEND_H
#define ETW_SESSION_SUSPEND_H

int etw_suspend_init(void);
void etw_suspend_exit(void);

#endif /* ETW_SESSION_SUSPEND_H */
