/* SPDX-License-Identifier: MIT */
/*
 * machine_config.h - the description of a machine in the form of Windows' class SystemConfig
 */
#ifndef ETW_CLI_MACHINE_CONFIG_H
#define ETW_CLI_MACHINE_CONFIG_H

#include "machine.h"

/* As machine_records() */
int machine_config_records(const struct machine *machine, int64_t time, machine_put_fn *put,
			   void *context);

#endif /* ETW_CLI_MACHINE_CONFIG_H */
