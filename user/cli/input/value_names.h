/* SPDX-License-Identifier: MIT */
/*
 * value_names.h - the kernel's names of values, for a session that runs already
 */
#ifndef ETW_CLI_INPUT_VALUE_NAMES_H
#define ETW_CLI_INPUT_VALUE_NAMES_H

/*
 * Load the names of the values of those trace events that the session has enabled. It was written
 * when it enabled them, so a reader that comes later may not see it. What tracefs does not show
 * to the caller is left out, as is all if there is no such session.
 */
void value_names_of_session(int fd, const char *name);

#endif /* ETW_CLI_INPUT_VALUE_NAMES_H */
