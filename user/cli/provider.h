/* SPDX-License-Identifier: MIT */
/*
 * provider.h - find providers by name or GUID, control them
 */
#ifndef ETW_CLI_PROVIDER_H
#define ETW_CLI_PROVIDER_H

#include <stdbool.h>
#include <etw/abi.h>
#include "cli.h"
#include "text.h"
#include "device/provider_list.h"

int provider_list(int fd, struct etw_provider **list, unsigned int *count);
void provider_list_free(struct etw_provider *list, unsigned int count);
const char *provider_name(const struct etw_provider *provider);
/* Digits, dashes and braces only: a GUID was meant. */
bool provider_looks_like_guid(const char *text);
bool provider_known(const char *text, struct etw_guid *guid);
bool provider_resolve(int fd, const char *text, struct etw_guid *guid);
/* The number of providers with this name; prints nothing.  fd: -1: only those of manifests */
unsigned int provider_named(int fd, const char *name, struct etw_guid *guid);
/* The name in text if the GUID is made of it and no manifest has it; else NULL */
const char *provider_hashed(const char *text, const struct etw_guid *guid);
/* Is somebody registered under this name, with another GUID? */
bool provider_announced(int fd, const char *name, const struct etw_guid *but,
			struct etw_guid *guid);
void provider_check(const char *text);
/* What -p gave, or else the operand; either may be NULL, and one has to be there. */
const char *provider_operand(const char *option, const char *operand);
void provider_check_group(const char *text, const struct etw_enable *enable);
unsigned int provider_operands(char **operands, unsigned int max);
/* The values of -p, and a NULL; all zero is none. */
struct provider_names {
	char **list;
	unsigned int count;
};

void provider_names_add(struct provider_names *names, char *text);
/* Both the values of -p and the operands; one has to be there if some are needed. */
char **provider_names_all(struct provider_names *names, char **operands, bool needed);
bool provider_resolve_all(int fd, char **operands, struct etw_guid *guids);
void provider_print_guids(const struct etw_guid *guids, unsigned int count);
void provider_json_guids(struct etw_text *to, const char *key, const struct etw_guid *guids,
			 unsigned int count);

/* What enable, disable and capture have in common */
enum {
	PROVIDER_OPT_GROUP = 512,
	PROVIDER_OPT_SOURCE,
	PROVIDER_OPT_TIMEOUT,
};

#define PROVIDER_OPTION_P	\
	{ "provider", 'p', "PROVIDER", "in place of PROVIDER; may be repeated", NULL }

#define PROVIDER_OPTIONS						\
	{ "group", PROVIDER_OPT_GROUP, NULL, "PROVIDER is the GUID of a group", NULL },	\
	{ "source", PROVIDER_OPT_SOURCE, "GUID", "the SourceId that callbacks get", NULL },	\
	{ "timeout", PROVIDER_OPT_TIMEOUT, "MS", "wait this long for the provider's callbacks", NULL }

/* false: it is none of them */
bool provider_option(int option, const char *value, struct etw_enable *enable);
/* Options of provider_control_in() */
#define PROVIDER_CAPTURE	0x1	/* ask for the provider's state after that */
#define PROVIDER_LATE		0x2	/* callbacks that take too long are no error */

/* Enable or disable; callbacks that take longer than enable->timeout_ms are only told of. */
int provider_control_late(int fd, const char *provider, struct etw_enable *enable);
/* Enable, disable or capture.  Returns the exit status. */
int provider_control_in(int fd, const char *session, const char *provider,
			struct etw_enable *enable, unsigned int how);
/* Both, for each of them; resolves all names before it changes anything */
int provider_control(const char *session, char **providers, struct etw_enable *enable);

#endif /* ETW_CLI_PROVIDER_H */
