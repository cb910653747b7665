/* SPDX-License-Identifier: MIT */
/*
 * activity.h - the calling thread's activity id
 */
#ifndef ETW_LIB_PROVIDER_ACTIVITY_H
#define ETW_LIB_PROVIDER_ACTIVITY_H

#include <etw/wintypes.h>

const GUID *etw_activity_current(void);

#endif /* ETW_LIB_PROVIDER_ACTIVITY_H */
