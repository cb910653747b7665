/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * in6addr.h - an IPv6 address, big-endian
 *
 * Semantics: Microsoft's page "IN6_ADDR structure".
 */
#ifndef ETW_WIN32_IN6ADDR_H
#define ETW_WIN32_IN6ADDR_H

#include <etw/wintypes.h>

#ifndef _NETINET_IN_H

typedef struct in6_addr {
	union {
		UCHAR Byte[16];
		USHORT Word[8];
	} u;
} IN6_ADDR, *PIN6_ADDR, *LPIN6_ADDR;

#define s6_addr		u.Byte
#define s6_bytes	u.Byte
#define s6_words	u.Word

#define IN6ADDR_ANY_INIT	{ { { 0 } } }
#define IN6ADDR_LOOPBACK_INIT	{ { { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } } }

#else

typedef struct in6_addr IN6_ADDR, *PIN6_ADDR, *LPIN6_ADDR;

#endif

#endif /* ETW_WIN32_IN6ADDR_H */
