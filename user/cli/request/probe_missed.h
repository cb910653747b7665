/* SPDX-License-Identifier: MIT */
/*
 * probe_missed.h - what the kernel missed of the probes of a session that runs without a command
 *
 * The session keeps the kernel's count of when it enabled a probe (ETW_MISSED_BEGIN); the commands
 * that flush or stop it pass the present one.
 */
#ifndef ETW_CLI_REQUEST_PROBE_MISSED_H
#define ETW_CLI_REQUEST_PROBE_MISSED_H

#include <stdint.h>

/*
 * Have the session count as lost what the kernel missed of its probes since the last call.  A
 * probe that is switched off is reported on stderr, and counts as one event at least.  Without
 * rights on tracefs nothing happens.
 */
void probe_missed_record(int fd, uint64_t session);
/*
 * After the session has stopped, or has disabled probes: what was missed since the last call of
 * the above counts, too, or is reported on stderr.
 */
void probe_missed_end(int fd, uint64_t session);

#endif /* ETW_CLI_REQUEST_PROBE_MISSED_H */
