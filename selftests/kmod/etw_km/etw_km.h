/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_km.h - the events of the test module etw_km, and how a test requests them
 *
 * The module uses the headers that "etw mc -km" generates from etw_km.man.  Writing one
 * of ETW_KM_... to /sys/module/etw_km/parameters/run runs it; reading the parameter
 * returns the result: "ok", or "line N: TEXT" of the check that failed.
 *
 * The module and the test use the values below: element i of an array is ETW_KM_VALUE(i),
 * converted to the element's type.
 */
#ifndef ETW_KM_H
#define ETW_KM_H

#include <etw/format.h>

#define ETW_KM_EVENTS		1	/* write all events of etw_km.man */
#define ETW_KM_API		2	/* Etw...() of etw/nt/etw.h, see nt.c */
#define ETW_KM_REGISTER		3	/* register and unregister all again */
#define ETW_KM_CONTEXT		4	/* write events 12 and 13 with a context of its own */
#define ETW_KM_CALLS		5	/* check the enable state and that the callback ran */
#define ETW_KM_TL		6	/* TraceLogging with etw/nt/etw.h, see tl.c */
#define ETW_KM_FIRST		7	/* ETW_KM_FIRSTS events, see first.c */

#define ETW_KM_ID(n)							\
	ETW_GUID(0x5d1b6a0f, 0x3f3c, 0x4c39, 0x9a, 0x51, 0x7b, 0xe0, 0xc1, 0xd2, 0xe3, (n))
#define ETW_KM_GUID		ETW_KM_ID(1)
#define ETW_KM_DECODE_GUID	ETW_KM_ID(2)
#define ETW_KM_CONTROL_GUID	ETW_KM_ID(3)
#define ETW_KM_GROUP_GUID	ETW_KM_ID(4)
#define ETW_KM_NT_GUID		ETW_KM_ID(5)
#define ETW_KM_CONTEXT_GUID	ETW_KM_ID(6)
#define ETW_KM_TL_GUID		ETW_KM_ID(7)
#define ETW_KM_FIRST_GUID	ETW_KM_ID(8)
#define ETW_KM_FIRSTS		12	/* up to 5 events each */
#define ETW_KM_TL_ACTIVITY	{ 0xac, 1, 2, { 3, 4, 5, 6, 7, 8, 9, 10 } }

/* Every byte differs, so that a swapped or truncated number shows. */
#define ETW_KM_VALUE(i)		(0x8182838485868788ull + 0x0101010101010101ull * (i))
#define ETW_KM_FLOAT(i)		(1.5f + (i))
#define ETW_KM_DOUBLE(i)	(-2.25 - (i))
#define ETW_KM_ELEMENTS		3	/* of arrays whose count is a field */
#define ETW_KM_MANY		40	/* strings, then numbers, of KmMany */

/* S-1-5-32-544 */
#define ETW_KM_SID		{ 1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 0x20, 2, 0, 0 }

#endif /* ETW_KM_H */
