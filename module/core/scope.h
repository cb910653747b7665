/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scope.h - which processes a scope filter selects, by strings
 *
 * A filter is one string of names with ';' between them; etw/abi_filter.h says what they
 * mean.
 *
 * Source: Microsoft's EVENT_FILTER_DESCRIPTOR and EnableTraceEx2 pages; systemd's
 * "Desktop Environment Integration" for the names of units.
 */
#ifndef ETW_CORE_SCOPE_H
#define ETW_CORE_SCOPE_H

#include "core/port.h"

/* A piece of a string. */
struct etw_piece {
	const char *at;
	u32 len;
};

struct etw_piece etw_scope_application(const char *path);
struct etw_piece etw_scope_package(const char *path);

bool etw_scope_has_name(const char *names, const char *name, u32 len);
bool etw_scope_has_container(const char *names, const char *path);
bool etw_scope_names_ok(const char *names, u32 len);

#endif /* ETW_CORE_SCOPE_H */
