/* SPDX-License-Identifier: MIT */
/*
 * process_events.h - have sessions record which process an id stands for, and which files it maps
 *
 * The sessions of etw record, etw watch and etw start --processes have the provider
 * Etw-Process enabled, and begin with a rundown of the processes that exist. Circular and
 * buffering sessions overwrite that, so they get another rundown later. Sessions of etw record with
 * stacks have Etw-Image enabled, too, by whose events the functions in stacks get their names.
 */
#ifndef ETW_CLI_REQUEST_PROCESS_EVENTS_H
#define ETW_CLI_REQUEST_PROCESS_EVENTS_H

#include "cli/session.h"

/*
 * In a new session that wants it. Failing is reported unless quiet, but the session is fine
 * without. There is no rundown if it would take more than a quarter of a limited file.
 */
void process_events_begin(int fd, const char *name, const struct session *session, bool quiet);

/*
 * Before what the session holds is delivered or closed: name all processes again if it has
 * overwritten older events. Nothing if its Etw-Process is not enabled, or if the names would
 * take more than a quarter of the room, which is reported unless quiet.
 */
void process_events_refresh(int fd, const char *name, bool quiet);
/* Name all processes, for a file that begins. */
void process_events_again(int fd, const struct session *session);

/* Is another provider enabled in the session, for which Etw-Process only names processes? */
bool process_events_are_beside(int fd, const char *name);

/* Disable it. */
void process_events_end(int fd, const struct session *session);

#endif /* ETW_CLI_REQUEST_PROCESS_EVENTS_H */
