/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wmistr.h - WNODE_HEADER and the access rights of sessions and providers
 *
 * Semantics: Microsoft's page "WNODE_HEADER structure".
 */
#ifndef ETW_WMISTR_H
#define ETW_WMISTR_H

#include <etw/wintypes.h>

ETW_BEGIN_DECLS

/*
 * Header of EVENT_TRACE_PROPERTIES, 48 bytes.  The caller zeroes the whole block and
 * sets BufferSize, Flags and, optionally, Guid and ClientContext.
 */
typedef struct _WNODE_HEADER {
	ULONG BufferSize;	/* in: bytes of the whole block, names included */
	ULONG ProviderId;
	union {
		ULONG64 HistoricalContext;	/* out: the session's handle */
		ETW_ANONYMOUS struct {
			ULONG Version;
			ULONG Linkage;
		};
	};
	union {
		ULONG CountLost;
		HANDLE KernelHandle;
		LARGE_INTEGER TimeStamp;
	};
	GUID Guid;		/* the session's; zero at start: generated */
	ULONG ClientContext;	/* clock: 0 or 1 QPC, 2 system time, 3 cycles */
	ULONG Flags;		/* WNODE_FLAG_TRACED_GUID */
} WNODE_HEADER, *PWNODE_HEADER;

ETW_END_DECLS

/* WNODE_HEADER.Flags */
#define WNODE_FLAG_TRACED_GUID		0x00020000
#define WNODE_FLAG_LOG_WNODE		0x00040000
#define WNODE_FLAG_USE_GUID_PTR		0x00080000
#define WNODE_FLAG_USE_MOF_PTR		0x00100000
#define WNODE_FLAG_VERSIONED_PROPERTIES	0x00800000

/* Rights on a session's GUID or on a provider's GUID */
#define WMIGUID_QUERY			0x0001
#define WMIGUID_SET			0x0002
#define WMIGUID_NOTIFICATION		0x0004
#define WMIGUID_READ_DESCRIPTION	0x0008
#define WMIGUID_EXECUTE			0x0010
#define TRACELOG_CREATE_REALTIME	0x0020
#define TRACELOG_CREATE_ONDISK		0x0040
#define TRACELOG_GUID_ENABLE		0x0080
#define TRACELOG_ACCESS_KERNEL_LOGGER	0x0100
#define TRACELOG_LOG_EVENT		0x0200
#define TRACELOG_ACCESS_REALTIME	0x0400
#define TRACELOG_REGISTER_GUIDS		0x0800
#define TRACELOG_JOIN_GROUP		0x1000

#endif /* ETW_WMISTR_H */
