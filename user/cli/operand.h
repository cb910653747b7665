/* SPDX-License-Identifier: MIT */
/*
 * operand.h - is the operand of a command a session or a log file?
 */
#ifndef ETW_CLI_OPERAND_H
#define ETW_CLI_OPERAND_H

#include <stdbool.h>

/* It has a slash, ends in .etl, or a file of this name exists. */
bool operand_may_be_file(const char *operand);

/*
 * Is an operand a file?  If it has a slash or ends in .etl, yes, unless there is no such file, but
 * a session of this name.  Otherwise it is a session, unless a file of this name exists and no
 * session has the name: autologger and record create files like disk.etl.0001 and disk.etl.old.
 */
bool operand_is_file(const char *operand);

#endif /* ETW_CLI_OPERAND_H */
