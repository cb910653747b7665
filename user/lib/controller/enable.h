/* SPDX-License-Identifier: MIT */
/*
 * enable.h - enabling providers, for the etw command
 */
#ifndef ETW_LIB_CONTROLLER_ENABLE_H
#define ETW_LIB_CONTROLLER_ENABLE_H

#include <etw/abi.h>

/*
 * Have the kernel run the request, once, and wait for callbacks as long as it says,
 * however many signals come.  0 or a negative errno.
 */
int etw_enable_and_wait(int fd, struct etw_enable *enable);

#endif /* ETW_LIB_CONTROLLER_ENABLE_H */
