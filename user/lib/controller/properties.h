/* SPDX-License-Identifier: MIT */
/*
 * properties.h - read and fill EVENT_TRACE_PROPERTIES
 *
 * The struct is the start of a block of Wnode.BufferSize bytes, which the caller
 * guarantees to be accessible; the offsets in it come from the caller and are checked
 * here. wide: names are UTF-16 (the W functions), otherwise UTF-8.
 */
#ifndef ETW_LIB_CONTROLLER_PROPERTIES_H
#define ETW_LIB_CONTROLLER_PROPERTIES_H

#include <stdbool.h>

#include <etw/abi.h>
#include <evntrace.h>

/*
 * Check size, version and name offsets, for any command. ERROR_BAD_LENGTH: the block is
 * smaller than the struct; ERROR_INVALID_PARAMETER: an offset points outside the block
 * or into the struct, or the versioned part is invalid.
 */
ULONG etw_properties_check(const EVENT_TRACE_PROPERTIES *props);

/* Does LogFileNameOffset point to a name that is not empty? */
bool etw_properties_has_file(const EVENT_TRACE_PROPERTIES *props, bool wide);

/* Get that name as UTF-8. ERROR_BAD_PATHNAME: too long, not terminated, or not valid text. */
ULONG etw_properties_get_file(const EVENT_TRACE_PROPERTIES *props, bool wide,
			 char out[ETW_FILE_NAME_MAX + 1]);

/*
 * All checks of StartTrace() beyond etw_properties_check(); name is the session's,
 * name_units its length in units of the caller's width.
 */
ULONG etw_properties_check_start(const EVENT_TRACE_PROPERTIES *props, bool wide,
			    const char *name, size_t name_units);

/* Is this to be a system session, one for the operating system's events? */
bool etw_properties_is_system(const EVENT_TRACE_PROPERTIES *props, const char *name);

/* Check the EnableFlags of a system session, which are the only ones that have any. */
ULONG etw_properties_check_flags(const EVENT_TRACE_PROPERTIES *props, bool is_system);

/* Get the settings to start or update a session with; file: it has a file */
void etw_properties_to_session(const EVENT_TRACE_PROPERTIES *props, bool file,
			  struct etw_session *session);
/* Of a session that is to be a system session, so named: as StartTrace() sees to it. */
void etw_properties_to_system(const char *name, struct etw_session *session);

/* Set everything but names and, unless mode is set, LogFileMode. */
void etw_properties_from_session(EVENT_TRACE_PROPERTIES *props,
			    const struct etw_session *session,
			    const struct etw_session_log *log, bool mode);

/*
 * Write the session's name at LoggerNameOffset and the file's, which may be empty, at
 * LogFileNameOffset, where these are set. ERROR_MORE_DATA: no room.
 */
ULONG etw_properties_put_names(EVENT_TRACE_PROPERTIES *props, bool wide,
			  const char *name, size_t len, const char *path);

#endif /* ETW_LIB_CONTROLLER_PROPERTIES_H */
