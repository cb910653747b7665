/* SPDX-License-Identifier: MIT */
/*
 * complete.h - etw __complete, for the shells
 */
#ifndef ETW_CLI_COMPLETE_H
#define ETW_CLI_COMPLETE_H

int cli_complete(int (*(*find)(const char *name))(int argc, char **argv),
		 void (*names)(void (*each)(const char *name, const char *help)),
		 int argc, char **argv);

#endif /* ETW_CLI_COMPLETE_H */
