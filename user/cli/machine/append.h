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

/* What comes before the machine, if anything; info: the file as it was. 0 or -errno */
typedef int machine_more_fn(void *context, struct etw_etl_writer *writer,
			    const struct etw_etl_info *info);

/*
 * To a file whose session began at this FILETIME; 0: any. machine: NULL writes none. Without the kernel's addresses if
 * others may read it. 0, or -errno, and the file is as it was: -ENOENT: there is none; -ESTALE: it
 * is another session's; -EOPNOTSUPP: it is circular or still written; -EBUSY: another program
 * appends, for seconds; also of etw_etl_append_fd() and more().
 */
int machine_append_file(const char *path, int64_t started, const struct machine *machine,
			machine_more_fn *more, void *context);
const char *machine_append_reason(int err);

/* The same for this machine. Nothing if no such file can take it; other failures are reported. */
void machine_describe(const char *path, int64_t started);

/* To the file of a session that has stopped, unless its file is incomplete; of several, the last */
void machine_describe_log(const struct session *session);
/* When the session of its file began, as in the file; 0: the file may be older than it */
int64_t machine_log_start(const struct session *session);

#endif /* ETW_CLI_MACHINE_APPEND_H */
