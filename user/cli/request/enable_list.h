/* SPDX-License-Identifier: MIT */
/*
 * enable_list.h - the providers of one command: -p, and the options of etw enable for each
 */
#ifndef ETW_CLI_REQUEST_ENABLE_LIST_H
#define ETW_CLI_REQUEST_ENABLE_LIST_H

#include "cli/session.h"
#include "enable_request.h"

#define ENABLE_COMMON_MAX	128

/* All zero is empty. */
struct enable_list {
	struct enable_request **list;
	unsigned int count;
	unsigned int enabled;	/* the first so many are */
	/* options that came before the first -p, and apply to all */
	struct {
		int option;
		char *value;
	} common[ENABLE_COMMON_MAX];
	unsigned int common_count;
};

/* In the command's help, after what it does */
#define ENABLE_LIST_HELP							\
	"KEYWORDS: names as Read,Write, or a mask as 0x3.  The options of 'etw enable',\n" \
	"--level and those below it, apply to the provider before them, or to all\n" \
	"providers if they come first."

/* The end of its table of options, before all of enable_options */
#define ENABLE_LIST_END	\
	CLI_HEADING("of the provider before them, or of all"), CLI_OPTION_END

/* Goes into the command's table of options, beside all of enable_options. */
#define ENABLE_LIST_OPTION	\
	{ "provider", 'p', "PROVIDER[:LEVEL[:KEYWORDS]]", "enable it; may be repeated", NULL }

/* Take -p, or an option of etw enable for the provider before it, or for all.  False: another. */
bool enable_list_take(struct enable_list *list, int option, char *value);
/* Add a provider that an operand names, without a level and keywords. */
void enable_list_add(struct enable_list *list, const char *provider);
/* Attach what this property stands for to the events of classes, system:CLASS, without --with. */
void enable_list_classes_with(struct enable_list *list, uint32_t property);
/* Check all of it; wrong usage ends the command.  False: a message was printed. */
bool enable_list_ready(struct enable_list *list);
/* Is this provider among them?  Valid after enable_list_find(). */
bool enable_list_has(const struct enable_list *list, const struct etw_guid *guid);
/* Does one of them attach stacks? */
bool enable_list_has_stacks(const struct enable_list *list);
/* What the request calls a trace event, or *NAME, of this GUID; NULL: neither is asked for. */
const char *enable_list_name(const struct enable_list *list, const struct etw_guid *guid);
/* Resolve all names before anything has to be undone.  False: a message was printed. */
bool enable_list_find(struct enable_list *list, int fd);
/*
 * Enable all for a session.  The callbacks of programs that run already come before a command
 * that is to be started, if they are not slow.  Returns the exit status.
 */
int enable_list_enable(struct enable_list *list, int fd, const struct session *session,
		       bool before_command);
/* Disable all: the session's counters are final then. */
void enable_list_disable(const struct enable_list *list, int fd, const struct session *session);
void enable_list_free(struct enable_list *list);

#endif /* ETW_CLI_REQUEST_ENABLE_LIST_H */
