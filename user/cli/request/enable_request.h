/* SPDX-License-Identifier: MIT */
/*
 * enable_request.h - the options of etw enable, and the request that they make
 */
#ifndef ETW_CLI_REQUEST_ENABLE_REQUEST_H
#define ETW_CLI_REQUEST_ENABLE_REQUEST_H

#include "cli/cli.h"
#include "trace_event.h"
#include "filter.h"

#define ENABLE_LATE_MAX	64

/* Values that cli_next() returns for the options */
enum {
	ENABLE_OPT_BASE = 0x500,
	ENABLE_OPT_LEVEL = ENABLE_OPT_BASE,
	ENABLE_OPT_KEYWORD,
	ENABLE_OPT_ANY,
	ENABLE_OPT_ALL,
	ENABLE_OPT_PID,
	ENABLE_OPT_EXE,
	ENABLE_OPT_CONTAINER,
	ENABLE_OPT_PACKAGE,
	ENABLE_OPT_APP,
	ENABLE_OPT_READERS,
	ENABLE_OPT_ID,
	ENABLE_OPT_NOT_ID,
	ENABLE_OPT_NAME,
	ENABLE_OPT_NOT_NAME,
	ENABLE_OPT_NAME_LEVEL,
	ENABLE_OPT_NAME_ANY,
	ENABLE_OPT_NAME_ALL,
	ENABLE_OPT_FIELDS,
	ENABLE_OPT_FILTER,
	ENABLE_OPT_PAYLOAD,
	ENABLE_OPT_DATA,
	ENABLE_OPT_IGNORE_KEYWORD_0,
	ENABLE_OPT_EXCLUDE_PRIVATE,
	ENABLE_OPT_WITH,
	ENABLE_OPT_STACK,
	ENABLE_OPT_STACK_ID,
	ENABLE_OPT_STACK_NOT_ID,
	ENABLE_OPT_STACK_NAME,
	ENABLE_OPT_STACK_NOT_NAME,
	ENABLE_OPT_STACK_NAME_LEVEL,
	ENABLE_OPT_STACK_NAME_ANY,
	ENABLE_OPT_STACK_NAME_ALL,
	ENABLE_OPT_STACK_LEVEL,
	ENABLE_OPT_STACK_NOT_LEVEL,
	ENABLE_OPT_STACK_ANY,
	ENABLE_OPT_STACK_ALL,
	ENABLE_OPT_CAPTURE,
	ENABLE_OPT_MANIFEST,
	ENABLE_OPT_END,
};

/* What --with can attach; NULL ends the names */
extern const struct enable_item {
	const char *name;
	uint32_t property;
} enable_items[];

/* Includes PROVIDER_OPTIONS; CLI_OPTION_END ends the table. */
extern const struct cli_option enable_options[];

struct enable_request {
	struct etw_enable enable;
	struct filters filters;
	const char *provider;	/* as it was given */
	struct trace_set traced;	/* providers that it stands for; none: enable.provider */
	/* what was given, where each of them gets filters of its own; else NULL */
	struct {
		struct etw_enable enable;
		struct filters filters;
	} *given;
	unsigned int traced_enabled;	/* the first so many of them are */
	const char *within;	/* the argument that holds the current option; NULL: none */
	bool capture;		/* ask the provider for its state afterwards */
	bool items_given;	/* --with, even with none */
	/* options that wait until the provider is known */
	struct {
		int option;
		char *value;
		const char *within;
	} late[ENABLE_LATE_MAX];
	unsigned int late_count;
	bool prepared;		/* they were taken */
};

/* Is it a value that cli_next() returns for one of enable_options? */
bool enable_request_has(int option);

void enable_request_init(struct enable_request *request);

/* Take an option with its value, which must stay; false: the table does not have it. */
bool enable_request_take(struct enable_request *request, int option, char *value);

/*
 * Take PROVIDER[:LEVEL[:KEYWORDS]], the value of -p: sets request->provider, which the caller
 * frees, behind which the text is kept.
 */
void enable_request_provider(struct enable_request *request, const char *text);

/*
 * Check all options together once they were read; wrong usage ends the command.  False:
 * a process does not exist; a message was printed.
 */
bool enable_request_ready(struct enable_request *request, const char *provider);

/* Does it enable this provider? */
bool enable_request_is_for(const struct enable_request *request, const struct etw_guid *guid);

/* Take the options that waited for the provider.  Wrong usage ends the command. */
void enable_request_prepare(struct enable_request *request, const struct etw_guid *guid);

void enable_request_free(struct enable_request *request);

#endif /* ETW_CLI_REQUEST_ENABLE_REQUEST_H */
