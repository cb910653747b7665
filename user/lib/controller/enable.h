/* SPDX-License-Identifier: MIT */
/*
 * enable.h - enabling providers, for the etw command
 */
#ifndef ETW_LIB_CONTROLLER_ENABLE_H
#define ETW_LIB_CONTROLLER_ENABLE_H

#include <etw/abi.h>

/*
 * Send the request to the kernel once, and wait for callbacks as long as the request
 * says, regardless of signals. 0 or a negative errno.
 */
int etw_enable_and_wait(int fd, struct etw_enable *enable);

#endif /* ETW_LIB_CONTROLLER_ENABLE_H */
