/* SPDX-License-Identifier: MIT */
/*
 * append.h - describe the machine at the end of a log file that is complete
 */
#ifndef ETW_CLI_MACHINE_APPEND_H
#define ETW_CLI_MACHINE_APPEND_H

#include "cli/session.h"
#include "etl/write.h"
#include "machine.h"

/* To what is being written, with this raw time. 0 or -errno */
int machine_append(struct etw_etl_writer *writer, const struct machine *machine, int64_t time);

/*
 * To a file whose session began at this FILETIME; 0: any. Nothing if there is no such file, or
 * none that can take it; other failures are reported, and leave the file as it was.
 */
void machine_describe(const char *path, int64_t started);

/* To the file of a session that has stopped, unless its file is incomplete; of several, the last */
void machine_describe_log(const struct session *session);

#endif /* ETW_CLI_MACHINE_APPEND_H */
