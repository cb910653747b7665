/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * inaddr.h - an IPv4 address, big-endian
 *
 * Semantics: Microsoft's page "IN_ADDR structure".
 */
#ifndef ETW_WIN32_INADDR_H
#define ETW_WIN32_INADDR_H

#include <etw/wintypes.h>

#ifndef _NETINET_IN_H

typedef struct in_addr {
	union {
		struct {
			UCHAR s_b1, s_b2, s_b3, s_b4;
		} S_un_b;
		struct {
			USHORT s_w1, s_w2;
		} S_un_w;
		ULONG S_addr;
	} S_un;
} IN_ADDR, *PIN_ADDR, *LPIN_ADDR;

#define s_addr		S_un.S_addr
#define s_net		S_un.S_un_b.s_b1
#define s_host		S_un.S_un_b.s_b2
#define s_lh		S_un.S_un_b.s_b3
#define s_impno		S_un.S_un_b.s_b4

#else

typedef struct in_addr IN_ADDR, *PIN_ADDR, *LPIN_ADDR;

#endif

#endif /* ETW_WIN32_INADDR_H */
