/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * scope.h - which processes a scope filter selects, by strings
 *
 * A filter is one string of names with ';' between them.  What identifies an
 * application on Linux is the path of its control group (v2): systemd and the
 * container engines give each a group of its own.
 *
 *	executable	the last component of the program's path
 *	container	a path that starts with '/': that group and all below it; else a
 *			component of the path, or 12 or more digits of the hexadecimal
 *			id that docker, podman, containerd and CRI-O put into one
 *	application	of the innermost systemd unit: X for app[-LAUNCHER]-X-RANDOM.scope
 *			and app[-LAUNCHER]-X[@RANDOM].service (flatpaks are such), NAME.APP
 *			for a snap, else the unit's name
 *	package		NAME for a snap, else as application
 *
 * systemd's escapes in the names of units, like \x2d, stay as they are.
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
