/* SPDX-License-Identifier: MIT */
/*
 * complete.h - etw __complete, for the shells
 */
#ifndef ETW_CLI_COMPLETE_H
#define ETW_CLI_COMPLETE_H

#include "cli.h"

/* commands: all subcommands; argv: the words behind "etw".  Returns 0. */
int cli_complete(const struct cli_command *commands, int argc, char **argv);

#endif /* ETW_CLI_COMPLETE_H */
