/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winsock2.h - addresses as events hold them, and their text; there are no sockets
 *
 * The structures have Windows' layout and names (S_un, u.Byte, ...), and AF_INET6 is 23, as in
 * the events of Windows programs; what decodes events here takes that and Linux's 10.  A
 * file that includes this header cannot include <netinet/in.h> or <sys/socket.h>.
 *
 * Semantics: Microsoft's pages of the structures, "InetNtop function", "WSAAddressToString
 * function" and "WSAStartup function".
 */
#ifndef ETW_WIN32_WINSOCK2_H
#define ETW_WIN32_WINSOCK2_H

#if defined(_NETINET_IN_H) || defined(_SYS_SOCKET_H)
#error "winsock2.h and Linux's socket headers declare the same names; include only one"
#endif

#include <windows.h>
#include <in6addr.h>
#include <inaddr.h>
#include <ip2string.h>

#define AF_UNSPEC		0
#define AF_UNIX			1
#define AF_INET			2
#define AF_INET6		23
#define INADDR_ANY		((ULONG)0)
#define INADDR_LOOPBACK		0x7F000001u
#define INADDR_NONE		0xFFFFFFFFu
#define INET_ADDRSTRLEN		22
#define INET6_ADDRSTRLEN	65
#define IPPROTO_TCP		6
#define IPPROTO_UDP		17
#define WSAEFAULT		10014
#define WSAEINVAL		10022
#define WSAEAFNOSUPPORT		10047

ETW_BEGIN_DECLS

typedef USHORT ADDRESS_FAMILY;

typedef struct sockaddr {
	ADDRESS_FAMILY sa_family;
	CHAR sa_data[14];
} SOCKADDR, *PSOCKADDR, *LPSOCKADDR;

typedef struct sockaddr_in {
	ADDRESS_FAMILY sin_family;
	USHORT sin_port;	/* big-endian */
	IN_ADDR sin_addr;
	CHAR sin_zero[8];
} SOCKADDR_IN, *PSOCKADDR_IN, *LPSOCKADDR_IN;

typedef struct sockaddr_in6 {
	ADDRESS_FAMILY sin6_family;
	USHORT sin6_port;	/* big-endian */
	ULONG sin6_flowinfo;
	IN6_ADDR sin6_addr;
	ULONG sin6_scope_id;
} SOCKADDR_IN6, *PSOCKADDR_IN6, *LPSOCKADDR_IN6;

typedef struct sockaddr_storage {
	ADDRESS_FAMILY ss_family;
	CHAR __ss_pad1[6];
	LONGLONG __ss_align;
	CHAR __ss_pad2[112];
} SOCKADDR_STORAGE, *PSOCKADDR_STORAGE, *LPSOCKADDR_STORAGE;

typedef union _SOCKADDR_INET {
	SOCKADDR_IN Ipv4;
	SOCKADDR_IN6 Ipv6;
	ADDRESS_FAMILY si_family;
} SOCKADDR_INET, *PSOCKADDR_INET;

/* Text of 16 bytes for "%s", as inet_ntoa() returns it */
static inline char *inet_ntoa(IN_ADDR in)
{
	static __thread char text[16];

	RtlIpv4AddressToStringA(&in, text);
	return text;
}

/* @StringBufSize: in characters.  NULL: GetLastError() says why */
static inline PCSTR InetNtopA(INT Family, const VOID *pAddr, PSTR pStringBuf, size_t StringBufSize)
{
	char text[ETW_IP_TEXT];

	if (Family != AF_INET && Family != AF_INET6) {
		SetLastError(WSAEAFNOSUPPORT);
		return NULL;
	}
	if (Family == AF_INET)
		RtlIpv4AddressToStringA((const IN_ADDR *)pAddr, text);
	else
		RtlIpv6AddressToStringA((const IN6_ADDR *)pAddr, text);
	if (strcpy_s(pStringBuf, StringBufSize, text)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	return pStringBuf;
}

static inline PCWSTR InetNtopW(INT Family, const VOID *pAddr, PWSTR pStringBuf,
			       size_t StringBufSize)
{
	char text[ETW_IP_TEXT];

	if (!InetNtopA(Family, pAddr, text, sizeof(text)))
		return NULL;
	if (_snwprintf_s(pStringBuf, StringBufSize, StringBufSize, ETW_WIDE("%hs"), text) < 0) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	return pStringBuf;
}

/* 0; or -1, and WSAGetLastError() says why.  @lpProtocolInfo has no effect. */
static inline INT WSAAddressToStringW(LPSOCKADDR lpsaAddress, DWORD dwAddressLength,
				      LPVOID lpProtocolInfo, LPWSTR lpszAddressString,
				      LPDWORD lpdwAddressStringLength)
{
	const SOCKADDR_IN *four = (const SOCKADDR_IN *)(const void *)lpsaAddress;
	const SOCKADDR_IN6 *six = (const SOCKADDR_IN6 *)(const void *)lpsaAddress;
	LONG error = STATUS_INVALID_PARAMETER;

	UNREFERENCED_PARAMETER(lpProtocolInfo);
	if (dwAddressLength >= sizeof(*four) && lpsaAddress->sa_family == AF_INET)
		error = RtlIpv4AddressToStringExW(&four->sin_addr, four->sin_port,
						  lpszAddressString, lpdwAddressStringLength);
	else if (dwAddressLength >= sizeof(*six) && lpsaAddress->sa_family == AF_INET6)
		error = RtlIpv6AddressToStringExW(&six->sin6_addr, six->sin6_scope_id,
						  six->sin6_port, lpszAddressString,
						  lpdwAddressStringLength);
	else
		*lpdwAddressStringLength = 1;	/* no room would help */
	if (!error)
		return 0;
	SetLastError(*lpdwAddressStringLength > 1 ? WSAEFAULT : WSAEINVAL);
	return -1;
}

typedef struct WSAData {
	WORD wVersion;
	WORD wHighVersion;
} WSADATA, *LPWSADATA;

/* For code that calls these around WSAAddressToString() */
static inline int WSAStartup(WORD wVersionRequested, LPWSADATA lpWSAData)
{
	lpWSAData->wVersion = wVersionRequested;
	lpWSAData->wHighVersion = 0x0202;
	return 0;
}

static inline int WSACleanup(void)
{
	return 0;
}

static inline int WSAGetLastError(void)
{
	return (int)GetLastError();
}

ETW_END_DECLS

#define inet_ntop	InetNtopA

#ifdef UNICODE
#define InetNtop	InetNtopW
#define WSAAddressToString	WSAAddressToStringW
#else
#define InetNtop	InetNtopA
#endif

#endif /* ETW_WIN32_WINSOCK2_H */
