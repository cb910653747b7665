/* SPDX-License-Identifier: MIT */
/*
 * info.h - a log file's header, TRACE_LOGFILE_HEADER
 */
#ifndef ETW_ETL_INFO_H
#define ETW_ETL_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <evntrace.h>

#define ETW_ETL_NAME_MAX	3072	/* bytes of a name as UTF-8 */

struct etw_etl_info {
	TRACE_LOGFILE_HEADER header;	/* in the 64-bit layout; the two names are NULL */
	int64_t start_clock;		/* the session's clock at header.StartTime */
	bool continued;			/* its session has newer events, which are not in this file */
	char logger[ETW_ETL_NAME_MAX + 1];	/* UTF-8; empty: none, or not valid text */
	char file[ETW_ETL_NAME_MAX + 1];
};

/*
 * Fill *info from a header buffer, of which end bytes are used.  *wide: its first record has
 * the 64-bit form.  -EINVAL: that record is not a header.
 */
int etw_etl_info_read(const void *buffer, uint32_t end, struct etw_etl_info *info, bool *wide);

/* Do both headers say that the same session wrote the file? */
bool etw_etl_same_session(const struct etw_etl_info *a, const struct etw_etl_info *b);

/* Ticks of the file's clock per second, 1 to 5e15; 1e7 if the header has no valid frequency. */
uint64_t etw_etl_frequency(const struct etw_etl_info *info);

/* The clock at header.EndTime, by the frequency: a time for records that follow all others. */
int64_t etw_etl_end_clock(const struct etw_etl_info *info);

#endif /* ETW_ETL_INFO_H */
