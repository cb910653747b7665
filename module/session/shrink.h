/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shrink.h - free buffers are given back when the machine's memory is short
 */
#ifndef ETW_SESSION_SHRINK_H
#define ETW_SESSION_SHRINK_H

#include <linux/init.h>

int __init etw_shrink_init(void);
void etw_shrink_exit(void);

#endif /* ETW_SESSION_SHRINK_H */
