/* SPDX-License-Identifier: MIT */
/*
 * name_guid.h - the GUID that tools make of a TraceLogging provider's name
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_BASE_NAME_GUID_H
#define ETW_BASE_NAME_GUID_H

#include <stddef.h>
#include <etw/format.h>

/*
 * A name-based GUID (RFC 4122, version 5 by its mark): SHA-1 of a name space and the
 * name in upper case, in UTF-16BE, as .NET's EventSource and Windows' tools make it; the
 * case of a name makes no difference.  name: len bytes of UTF-8.  0, -EINVAL: it is
 * none, or longer than ETW_NAME_MAX.
 */
int etw_guid_from_name(const char *name, size_t len, struct etw_guid *guid);

#endif /* ETW_BASE_NAME_GUID_H */
