/* SPDX-License-Identifier: MIT */
/*
 * probe_off.h - probes of kernel functions that the kernel has switched off
 */
#ifndef ETW_BRIDGE_PROBE_OFF_H
#define ETW_BRIDGE_PROBE_OFF_H

/*
 * Why the probe that is the provider of this name is passed without an event: the function has gone
 * with its module, or somebody has switched probes off.  NULL: as far as can be seen it is not, or
 * it is no probe of a kernel function.
 */
const char *probe_off(const char *name);

#endif /* ETW_BRIDGE_PROBE_OFF_H */
