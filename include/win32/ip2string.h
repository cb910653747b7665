/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ip2string.h - IP addresses as text
 *
 * The text of an IPv6 address is that of RFC 5952.  Ports are big-endian, as in a SOCKADDR;
 * port 0 and scope 0 are not written.  GetProcAddress() finds these functions in ntdll.
 *
 * Semantics: Microsoft's pages "RtlIpv4AddressToString function", "RtlIpv4AddressToStringEx
 * function", "RtlIpv6AddressToString function" and "RtlIpv6AddressToStringEx function".
 */
#ifndef ETW_WIN32_IP2STRING_H
#define ETW_WIN32_IP2STRING_H

#include <etw/winerror.h>
#include <etw/wintypes.h>
#include <winstdio.h>

ETW_BEGIN_DECLS

struct in_addr;
struct in6_addr;

#define ETW_IP_TEXT	66	/* characters of any of these texts with its NUL */

/* The C library's, whose header declares other types of the same names; families as on Linux */
extern const char *etw_inet_ntop(int family, const void *address, char *text, unsigned int size)
	__asm__("inet_ntop");

/*
 * Each returns the end of the text, which is its NUL.  Room at S: 16 characters for IPv4, 46
 * for IPv6.
 */
static inline PSTR RtlIpv4AddressToStringA(const struct in_addr *Addr, PSTR S)
{
	etw_inet_ntop(2, Addr, S, 16);
	return S + strlen(S);
}

static inline PSTR RtlIpv6AddressToStringA(const struct in6_addr *Addr, PSTR S)
{
	etw_inet_ntop(10, Addr, S, 46);
	return S + strlen(S);
}

/* In and out: characters with the NUL.  STATUS_INVALID_PARAMETER: no room, and how much is needed */
static inline LONG etw_ip_store(const char *text, void *to, PULONG size, BOOL wide)
{
	ULONG need = (ULONG)strlen(text) + 1, i;

	if (!size)
		return STATUS_INVALID_PARAMETER;
	if (!to || *size < need) {
		*size = need;
		return STATUS_INVALID_PARAMETER;
	}
	for (i = 0; i < need; i++) {
		if (wide)
			((PWSTR)to)[i] = (WCHAR)text[i];
		else
			((PSTR)to)[i] = text[i];
	}
	*size = need;
	return STATUS_SUCCESS;
}

static inline LONG etw_ip4_store(const struct in_addr *addr, USHORT port, void *to, PULONG size,
				 BOOL wide)
{
	char text[ETW_IP_TEXT], *end = RtlIpv4AddressToStringA(addr, text);

	if (port)
		sprintf(end, ":%d", __builtin_bswap16(port));
	return etw_ip_store(text, to, size, wide);
}

static inline LONG etw_ip6_store(const struct in6_addr *addr, ULONG scope, USHORT port, void *to,
				 PULONG size, BOOL wide)
{
	char text[ETW_IP_TEXT], *end;

	text[0] = '[';
	end = RtlIpv6AddressToStringA(addr, text + (port != 0));
	if (scope)
		end += sprintf(end, "%%%u", (unsigned int)scope);
	if (port)
		sprintf(end, "]:%d", __builtin_bswap16(port));
	return etw_ip_store(text, to, size, wide);
}

static inline PWSTR RtlIpv4AddressToStringW(const struct in_addr *Addr, PWSTR S)
{
	ULONG size = 16;

	etw_ip4_store(Addr, 0, S, &size, TRUE);
	return S + size - 1;
}

static inline PWSTR RtlIpv6AddressToStringW(const struct in6_addr *Addr, PWSTR S)
{
	ULONG size = 46;

	etw_ip6_store(Addr, 0, 0, S, &size, TRUE);
	return S + size - 1;
}

static inline LONG RtlIpv4AddressToStringExA(const struct in_addr *Address, USHORT Port,
					     PSTR AddressString, PULONG AddressStringLength)
{
	return etw_ip4_store(Address, Port, AddressString, AddressStringLength, FALSE);
}

static inline LONG RtlIpv4AddressToStringExW(const struct in_addr *Address, USHORT Port,
					     PWSTR AddressString, PULONG AddressStringLength)
{
	return etw_ip4_store(Address, Port, AddressString, AddressStringLength, TRUE);
}

static inline LONG RtlIpv6AddressToStringExA(const struct in6_addr *Address, ULONG ScopeId,
					     USHORT Port, PSTR AddressString,
					     PULONG AddressStringLength)
{
	return etw_ip6_store(Address, ScopeId, Port, AddressString, AddressStringLength, FALSE);
}

static inline LONG RtlIpv6AddressToStringExW(const struct in6_addr *Address, ULONG ScopeId,
					     USHORT Port, PWSTR AddressString,
					     PULONG AddressStringLength)
{
	return etw_ip6_store(Address, ScopeId, Port, AddressString, AddressStringLength, TRUE);
}

ETW_END_DECLS

#ifdef UNICODE
#define RtlIpv4AddressToString		RtlIpv4AddressToStringW
#define RtlIpv4AddressToStringEx	RtlIpv4AddressToStringExW
#define RtlIpv6AddressToString		RtlIpv6AddressToStringW
#define RtlIpv6AddressToStringEx	RtlIpv6AddressToStringExW
#else
#define RtlIpv4AddressToString		RtlIpv4AddressToStringA
#define RtlIpv4AddressToStringEx	RtlIpv4AddressToStringExA
#define RtlIpv6AddressToString		RtlIpv6AddressToStringA
#define RtlIpv6AddressToStringEx	RtlIpv6AddressToStringExA
#endif

#endif /* ETW_WIN32_IP2STRING_H */
