/* SPDX-License-Identifier: MIT */
/*
 * logfile_header.h - build the TRACE_LOGFILE_HEADER of a session
 */
#ifndef ETW_ETL_LOGFILE_HEADER_H
#define ETW_ETL_LOGFILE_HEADER_H

#include <evntrace.h>
#include "event.h"

/* Build the header of a running session on this machine. */
void etw_logfile_header(TRACE_LOGFILE_HEADER *header, const struct etw_session_info *info);

/*
 * Get the time zone in effect now. The dates of its changes are unknown and stay zero.
 * The caller has zeroed *zone.
 */
void etw_logfile_zone(TIME_ZONE_INFORMATION *zone);

#endif /* ETW_ETL_LOGFILE_HEADER_H */
