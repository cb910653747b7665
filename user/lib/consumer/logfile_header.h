/* SPDX-License-Identifier: MIT */
/*
 * logfile_header.h - what a trace says about itself
 */
#ifndef ETW_LIB_LOGFILE_H
#define ETW_LIB_LOGFILE_H

#include <evntrace.h>
#include "session_reader.h"

/* The header of a running session */
void etw_logfile_header(TRACE_LOGFILE_HEADER *header, const struct etw_session_info *info);

/* The zone in force now; when it changes the library does not know.  *zone is zero. */
void etw_logfile_zone(TIME_ZONE_INFORMATION *zone);

#endif /* ETW_LIB_LOGFILE_H */
