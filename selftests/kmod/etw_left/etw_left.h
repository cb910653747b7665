/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * etw_left.h - a module that ends without unregistering its providers
 *
 * Its parameters: "what" chooses its registrations; "fails": its init function fails
 * after it made them; "sleep": milliseconds that its callback takes; "dies": its callback
 * ends its thread; "oops": it does so by an oops, for trying by hand; "runs": out, the
 * callback is running.
 */
#ifndef ETW_LEFT_H
#define ETW_LEFT_H

#include <etw/format.h>

#define ETW_LEFT_GUID	ETW_GUID(0x7e57ab1e, 0x0002, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_LEFT_NAME	"Etw-Left-Provider"
#define ETW_LEFT_HANDLE_GUID	ETW_GUID(0x7e57ab1e, 0x0003, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)
#define ETW_LEFT_GROUP_GUID	ETW_GUID(0x7e57ab1e, 0x0004, 0x4e57, 0x80, 1, 2, 3, 4, 5, 6, 7)

#define ETW_LEFT_STATIC		0x1	/* a static provider */
#define ETW_LEFT_HANDLE		0x2	/* a run-time handle */
#define ETW_LEFT_TRAITS		0x4	/* ... whose traits make it a member of the group */
#define ETW_LEFT_CALLBACK	0x8	/* both have the callback */
#define ETW_LEFT_ANONYMOUS	0x10	/* both name no owner */

#endif /* ETW_LEFT_H */
