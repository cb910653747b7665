/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * log_rights.h - check which registrations may write to SECURE sessions
 */
#ifndef ETW_PROVIDER_LOG_RIGHTS_H
#define ETW_PROVIDER_LOG_RIGHTS_H

#include "provider.h"

bool etw_may_log(const struct etw_enabler *session, const struct etw_registration *reg);
int etw_log_rights_apply(void);

#endif /* ETW_PROVIDER_LOG_RIGHTS_H */
