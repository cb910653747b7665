/* SPDX-License-Identifier: MIT */
/*
 * probe_request.h - turn probes of functions and programs into providers
 *
 * The command adds the probe as a trace event and registers that as a provider.  It holds the
 * trace event until it ends; then etw.ko holds it while a session has the provider enabled.  The
 * next command that ends removes a probe that nothing holds.
 */
#ifndef ETW_CLI_REQUEST_PROBE_REQUEST_H
#define ETW_CLI_REQUEST_PROBE_REQUEST_H

#include <stdint.h>
#include "bridge/trace_set.h"

/* As trace_event_list(), trace_event_make() and trace_event_registered(), of names of probes */
bool probe_request_list(const char *provider, struct trace_set *set);
bool probe_request_make(int fd, const char *provider, struct trace_set *set);
bool probe_request_registered(int fd, const char *provider, struct trace_set *set);
/*
 * Make those of a class's providers that are probes.  Those that the kernel refuses leave the set,
 * which a note says.  False after printing what is wrong.
 */
bool probe_request_make_among(int fd, const char *provider, struct trace_set *set);
/*
 * After the session has disabled them: report on stderr how many events the kernel missed so far,
 * and count them as losses of this session.  Returns, and reports, how many the session could not
 * count.
 */
uint64_t probe_request_missed(int fd, uint64_t session);
/*
 * Count so many events of a provider as losses of the session.  Returns how many it could not, and
 * reports these.
 */
uint64_t probe_request_count(int fd, uint64_t session, const struct etw_guid *provider,
			     const char *name, unsigned long long missed);
/*
 * After the session has enabled what this command has made, and goes on without it: the session
 * keeps the kernel's counts, from which probe_missed.h goes on.
 */
void probe_request_begin(int fd, uint64_t session);
/* At the end of the command, after closing the device: release probes and remove unused ones. */
void probe_request_end(void);

#endif /* ETW_CLI_REQUEST_PROBE_REQUEST_H */
