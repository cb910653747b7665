/* SPDX-License-Identifier: MIT */
/*
 * session.h - describe the machine by events in a session, whose file is circular
 */
#ifndef ETW_CLI_MACHINE_SESSION_H
#define ETW_CLI_MACHINE_SESSION_H

#include "cli/session.h"
#include "machine.h"

/*
 * In a session that is about to stop; nothing unless its file is circular. Failing is reported
 * unless quiet, but the file is fine without.
 */
void machine_write(const char *name, const struct session *session, bool quiet);

#endif /* ETW_CLI_MACHINE_SESSION_H */
