/* SPDX-License-Identifier: MIT */
/*
 * list_bpf.h - which registrations are of BPF programs whose events go through a ring
 */
#ifndef ETW_CLI_CMD_LIST_BPF_H
#define ETW_CLI_CMD_LIST_BPF_H

#include <stdbool.h>
#include <etw/abi.h>

/* Does the process of this registration of the provider forward them? */
bool list_forwards_bpf(const struct etw_provider_reg *reg, const struct etw_guid *provider);

#endif /* ETW_CLI_CMD_LIST_BPF_H */
