/* SPDX-License-Identifier: MIT */
/*
 * start_options.h - the options of etw start for the session itself
 */
#ifndef ETW_CLI_REQUEST_START_OPTIONS_H
#define ETW_CLI_REQUEST_START_OPTIONS_H

#include "cli/session.h"

/* Values that cli_next() returns for them */
enum {
	START_OPT_BASE = 0x300,
	START_OPT_BUFFER_SIZE = START_OPT_BASE,
	START_OPT_MIN_BUFFERS,
	START_OPT_MAX_BUFFERS,
	START_OPT_FLUSH,
	START_OPT_CLOCK,
	START_OPT_BUFFERING,
	START_OPT_INDEPENDENT,
	START_OPT_SECURE,
	START_OPT_GUID,
	START_OPT_ONE_BUFFER,
	START_OPT_SEQUENCE,
};

/* --buffering is not among them: it goes with etw start alone. */
#define START_OPTIONS								\
	{ "buffer-size", START_OPT_BUFFER_SIZE, "KB", "size of one buffer, 4 to 16384; default 64" }, \
	{ "min-buffers", START_OPT_MIN_BUFFERS, "N", "buffers at the start; default and least: 2 per CPU" }, \
	{ "max-buffers", START_OPT_MAX_BUFFERS, "N", "buffers to grow to; default: 20 more" }, \
	{ "flush", START_OPT_FLUSH, "SECONDS", "deliver a buffer after that time, full or not" }, \
	{ "clock", START_OPT_CLOCK, "CLOCK", "qpc (default), system or cycles" }, \
	{ "independent", START_OPT_INDEPENDENT, NULL, "do not report losses to the writers" }, \
	{ "secure", START_OPT_SECURE, NULL, "only programs with the right \"log\" may write" }, \
	{ "guid", START_OPT_GUID, "GUID", "the session's GUID, for access lists; default: new" }, \
	{ "no-per-cpu", START_OPT_ONE_BUFFER, NULL, "one buffer for all CPUs" }, \
	{ "sequence", START_OPT_SEQUENCE, "SCOPE", "number classic messages: local or global" }

/* Take an option with its value; false: it is none of these. */
bool start_option(int option, const char *value, struct etw_session *s);

/*
 * Say why START failed, if it was not the file; guid: the one asked for.  Returns the
 * exit status.
 */
int start_fail(int fd, const char *name, const struct etw_guid *guid, int err);

#endif /* ETW_CLI_REQUEST_START_OPTIONS_H */
