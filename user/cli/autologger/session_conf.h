/* SPDX-License-Identifier: MIT */
/*
 * session_conf.h - a session that is started at boot, as text: /etc/etw/autologger.d
 *
 *	# the session's values, by the names that they have in Windows' registry
 *	Start = 1
 *	Guid = {01234567-89ab-cdef-0123-456789abcdef}
 *	FileMax = 4
 *	[provider {89abcdef-0123-4567-89ab-cdef01234567}]
 *	Enabled = 1
 *	EnableLevel = 4
 *	exe = bash
 *
 * Values and defaults: Microsoft's page "Configuring and Starting an AutoLogger
 * Session"; keys in lower case are options of etw enable.  The parser is strict, and
 * what it takes of a text with errors is good only to look for more of them.  It has no
 * state, so that threads may parse at once.
 */
#ifndef ETW_CLI_AUTOLOGGER_SESSION_CONF_H
#define ETW_CLI_AUTOLOGGER_SESSION_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <etw/abi.h>

#define ETW_AUTOLOG_DIR		"/etc/etw/autologger.d"
#define ETW_AUTOLOG_SUFFIX	".conf"
#define ETW_AUTOLOG_PROVIDERS	1024	/* of one session */
#define ETW_AUTOLOG_OPTIONS	64	/* of one provider */
#define ETW_AUTOLOG_LINE	4096	/* bytes */
#define ETW_AUTOLOG_FILES	16	/* FileMax */

/* An option of etw enable, as it was written */
struct etw_autolog_option {
	const char *name;	/* static */
	char *value;
	unsigned int line;
};

struct etw_autolog_provider {
	char *name;		/* or GUID, as it was written */
	unsigned int line;
	uint32_t enabled;	/* 0 or 1 */
	uint32_t level;		/* 0 to 255 */
	uint32_t property;	/* ETW_ENABLE_* */
	uint64_t any, all;	/* any is EnableFlags too */
	struct etw_autolog_option *options;
	size_t option_count;
	uint32_t given;		/* the parser's own */
};

struct etw_autolog_conf {
	struct etw_guid guid;
	uint32_t start;		/* 0 or 1 */
	uint32_t buffer_kb;	/* 0: not given, as in the next two */
	uint32_t min_buffers;
	uint32_t max_buffers;
	uint32_t clock;		/* 1 to 3 */
	uint32_t flush_s;	/* 0: none */
	uint32_t mode;		/* EVENT_TRACE_* */
	uint32_t max_size;	/* MB, or KB if mode says so; 0: no limit */
	uint32_t file_max;	/* 0: one file, overwritten at each start */
	uint32_t no_persistence;	/* 0 or 1 */
	char *file_name;	/* NULL: not given */
	unsigned int guid_line, file_line;	/* where they are given */
	struct etw_autolog_provider *providers;
	size_t provider_count;
	uint32_t given;		/* the parser's own */
};

struct etw_autolog_error {
	unsigned int line;	/* from 1; 0: about the whole */
	char what[160];
};

/* -EINVAL: see error, the first; -ENOMEM.  conf is to be freed in any case. */
int etw_autolog_parse(const char *text, size_t len, struct etw_autolog_conf *conf,
		      struct etw_autolog_error *error);
/* The same, telling all errors: those of lines in their order, then those of the whole. */
int etw_autolog_parse_all(const char *text, size_t len, struct etw_autolog_conf *conf,
			  void (*tell)(void *context, const struct etw_autolog_error *error),
			  void *context);
void etw_autolog_free(struct etw_autolog_conf *conf);

/* Does it write a file?  Real-time and buffering sessions only do if one is named. */
bool etw_autolog_has_file(const struct etw_autolog_conf *conf);

#endif /* ETW_CLI_AUTOLOGGER_SESSION_CONF_H */
