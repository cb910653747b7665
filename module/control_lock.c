// SPDX-License-Identifier: GPL-2.0-only
/*
 * control_lock.c - the lock of everything that is not an event's way
 */
#include "control_lock.h"

DEFINE_MUTEX(etw_control);

struct workqueue_struct *etw_control_wq;
