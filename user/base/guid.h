/* SPDX-License-Identifier: MIT */
/*
 * guid.h - GUIDs as text
 */
#ifndef ETW_BASE_GUID_H
#define ETW_BASE_GUID_H

#include <stdbool.h>
#include <etw/format.h>

#define ETW_GUID_TEXT	39	/* braces and NUL included */

/*
 * Parse 01234567-89ab-cdef-0123-456789abcdef in either case, with or without braces. 0,
 * or -EINVAL and *guid is unchanged.
 */
int etw_guid_parse(const char *text, struct etw_guid *guid);
/* {01234567-89ab-cdef-0123-456789abcdef}, lower case */
void etw_guid_format(const struct etw_guid *guid, char out[ETW_GUID_TEXT]);
/* The same without braces and NUL; guid: 16 bytes at any address. Returns the end. */
char *etw_guid_digits(char *to, const void *guid);
bool etw_guid_is_zero(const struct etw_guid *guid);

#endif /* ETW_BASE_GUID_H */
