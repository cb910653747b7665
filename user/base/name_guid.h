/* SPDX-License-Identifier: MIT */
/*
 * name_guid.h - the GUID that tools derive from a TraceLogging provider's name
 *
 * Internal to the library and the tools beside it; not installed.
 */
#ifndef ETW_BASE_NAME_GUID_H
#define ETW_BASE_NAME_GUID_H

#include <stddef.h>
#include <etw/format.h>

/*
 * A name-based GUID (RFC 4122, marked as version 5): SHA-1 of a name space and the name in
 * upper case as UTF-16BE, like .NET's EventSource and Windows' tools; the case of a name
 * does not matter. name: len bytes of UTF-8. 0, or -EINVAL: invalid, empty or longer than
 * ETW_NAME_MAX.
 */
int etw_guid_from_name(const char *name, size_t len, struct etw_guid *guid);

#endif /* ETW_BASE_NAME_GUID_H */
