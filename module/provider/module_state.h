/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module_state.h - end the registrations that a module leaves behind
 */
#ifndef ETW_PROVIDER_MODULE_STATE_H
#define ETW_PROVIDER_MODULE_STATE_H

int etw_module_state_init(void);
void etw_module_state_exit(void);

#endif /* ETW_PROVIDER_MODULE_STATE_H */
