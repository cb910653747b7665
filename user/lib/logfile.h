/* SPDX-License-Identifier: MIT */
/*
 * logfile.h - what a trace says about itself
 */
#ifndef ETW_LIB_LOGFILE_H
#define ETW_LIB_LOGFILE_H

#include <evntrace.h>
#include "rtreader.h"

/* The header of a running session */
void etw_logfile_header(TRACE_LOGFILE_HEADER *header, const struct etw_rt_info *info);

#endif /* ETW_LIB_LOGFILE_H */
