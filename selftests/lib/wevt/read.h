/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * read.h - read a WEVT_TEMPLATE with at most one message table
 */
#ifndef LIB_WEVT_READ_H
#define LIB_WEVT_READ_H

#include "tdh/wevt/read.h"

/* messages: or NULL; culture: of its texts, NULL: "en-US" */
static inline int read_resource(const void *data, size_t size, const void *messages,
				size_t messages_size, const char *culture, const char *name,
				struct etw_manifest **out, struct etw_problems *problems)
{
	struct etw_wevt_table table = {
		.data = messages, .size = messages_size, .culture = culture ? culture : "en-US",
	};

	return etw_wevt_read(data, size, &table, !!messages, name, out, problems);
}

#endif /* LIB_WEVT_READ_H */
