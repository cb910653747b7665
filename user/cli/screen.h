/* SPDX-License-Identifier: MIT */
/*
 * screen.h - the terminal that stdout may be, and who reads it
 */
#ifndef ETW_CLI_SCREEN_H
#define ETW_CLI_SCREEN_H

#include <stdbool.h>

/* Its columns; 0: stdout is no terminal. */
unsigned int screen_width(void);

/* May colours be used on it without being asked for?  See https://no-color.org. */
bool screen_has_colour(void);

/*
 * Let a pager show what is written to stdout from now on, and to stderr if that is a terminal:
 * $ETW_PAGER, $PAGER or less, which ends by itself after a single page.  Call it only if
 * stdout is a terminal, and ask for that terminal before.  The exit of the command waits for
 * the pager.
 */
void screen_page(void);

/* Has the reader of stdout gone?  While nothing is written, no failing write shows it. */
bool screen_is_unread(void);

#endif /* ETW_CLI_SCREEN_H */
