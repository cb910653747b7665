/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl_trace.h - checks that ioctl_trace.c and ioctl_bpf.c share
 */
#ifndef ETW_CONTROL_IOCTL_TRACE_H
#define ETW_CONTROL_IOCTL_TRACE_H

#include <linux/types.h>

struct etw_guid;
struct etw_trace_piece;

bool etw_ioctl_pieces_valid(const struct etw_trace_piece *pieces, u32 count);
bool etw_ioctl_is_own(const struct etw_guid *guid);

#endif /* ETW_CONTROL_IOCTL_TRACE_H */
