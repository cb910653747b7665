/* SPDX-License-Identifier: MIT */
/* event.h - the event of the benchmark "private" as a tracepoint of LTTng-UST */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER etw_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./event.h"

#if !defined(ETW_BENCH_LTTNG_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ETW_BENCH_LTTNG_EVENT_H

#include <stdint.h>
#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(etw_bench, event,
	LTTNG_UST_TP_ARGS(uint32_t, a, uint64_t, b, const char *, c),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint32_t, a, a)
		lttng_ust_field_integer(uint64_t, b, b)
		lttng_ust_field_array_text(char, c, c, 16)))

#endif /* ETW_BENCH_LTTNG_EVENT_H */

#include <lttng/tracepoint-event.h>
