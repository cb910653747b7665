/* SPDX-License-Identifier: MIT */
/*
 * schema.h - what manifests say of providers: names for the command line
 *
 * The manifests of --manifest and the installed ones.  Returned pointers stay valid until
 * schema_unload().
 */
#ifndef ETW_CLI_SCHEMA_H
#define ETW_CLI_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>
#include <etw/abi.h>
#include "text.h"
#include "tdh/model/model.h"

/*
 * Load a manifest for this command. A file that cannot be opened ends it; one that is no
 * manifest, too, or if it is not needed is left out with a note on stderr.
 */
void schema_load(const char *option, const char *path, bool needed);
void schema_unload(void);
/* Why a manifest cannot be read: its first error with its line, or err as text */
const char *schema_first_error(const char *path, const struct etw_problems *problems, int err);

/* Note the first thing that the reader tolerated, with its line. */
void schema_note_warnings(const char *path, const struct etw_problems *problems);

/* NULL: no manifest has it. */
const struct etw_mf_provider *schema_provider(const struct etw_guid *guid);
/* Those of all manifests, which complement each other; possibly none */
struct etw_providers schema_providers(const struct etw_guid *guid);
/* Its name there, or NULL */
const char *schema_provider_name(const struct etw_guid *guid);
/* How many GUIDs manifests give this name, without regard to case; *guid: of the first */
unsigned int schema_find_name(const char *name, struct etw_guid *guid);

struct suggest;
/* Offer the names of all providers, see suggest.h. */
void schema_suggest(struct suggest *near);

/* A level or keyword by its name, without regard to case.  false: there is none so named. */
bool schema_value(const struct etw_providers *providers, enum etw_part part, const char *name,
		  uint64_t *value);

/*
 * The next event, after the one before (NULL: the first), whose name or symbol that is,
 * or whose TASK/OPCODE or task it is if no event has it for a name; NULL: there is no more.
 * Only events that the decoder takes from their manifest
 */
const struct etw_mf_event *schema_event(const struct etw_providers *providers, const char *name,
					const struct etw_mf_event *before);

/* The names there are, for a message that says which one might have been meant. */
void schema_print_names(const struct etw_providers *providers, enum etw_part part,
			struct etw_text *to);

#endif /* ETW_CLI_SCHEMA_H */
