/* SPDX-License-Identifier: MIT */
/*
 * manifest.h - the parts of etw manifest
 */
#ifndef ETW_CLI_MANIFEST_H
#define ETW_CLI_MANIFEST_H

#include <stdbool.h>
#include "tdh/store/folder.h"
#include "tdh/model/model.h"

/* What the command line said. */
struct manifest_request {
	char **operands;	/* behind the action */
	bool user;		/* the user's folder */
	bool json;
};

/*
 * Read a manifest, whether it is installed or not; false: the first error was printed.
 * data: NULL, or its bytes are wanted as well, malloc().
 */
bool manifest_read(const char *path, struct etw_manifest **manifest, void **data, size_t *size);

/* The folder that is written to; false: there is none; a message was printed. */
bool manifest_folder(const struct manifest_request *request, struct etw_folder *folder);

/* The actions; each returns the exit status. */
int manifest_install(const struct manifest_request *request);
int manifest_remove(const struct manifest_request *request);
int manifest_list(const struct manifest_request *request);
int manifest_show(const struct manifest_request *request);
int manifest_check(const struct manifest_request *request);

/* A line for each thing that is wrong with installed manifests. */
void manifest_report_problems(void);

/* The names in a manifest come from outside: as text that may be printed; a few at once. */
const char *manifest_text(const char *s);

#endif /* ETW_CLI_MANIFEST_H */
