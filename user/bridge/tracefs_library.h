/* SPDX-License-Identifier: MIT */
/*
 * tracefs_library.h - libtracefs and libtraceevent, loaded when they are first needed
 *
 * libetw reads the formats of trace events for programs that ask for the system's events, and
 * no program that does not ask shall need these libraries. So libetw is not linked with them.
 */
#ifndef ETW_BRIDGE_TRACEFS_LIBRARY_H
#define ETW_BRIDGE_TRACEFS_LIBRARY_H

#include <event-parse.h>
#include <tracefs.h>

/* The functions that are used of them, each by its own name */
struct tracefs_library {
	__typeof__(tracefs_tracing_dir) *tracing_dir;
	__typeof__(tracefs_event_systems) *event_systems;
	__typeof__(tracefs_system_events) *system_events;
	__typeof__(tracefs_list_free) *list_free;
	__typeof__(tracefs_event_file_read) *event_file_read;
	__typeof__(tep_alloc) *alloc;
	__typeof__(tep_free) *free;
	__typeof__(tep_set_loglevel) *set_loglevel;
	__typeof__(tep_parse_event) *parse_event;
	__typeof__(tep_get_first_event) *first_event;
};

/* NULL: they are not installed, or too old. */
const struct tracefs_library *tracefs_library(void);

#endif /* ETW_BRIDGE_TRACEFS_LIBRARY_H */
