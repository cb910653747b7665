/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - the terminal of etw top, by ncurses
 */
#ifndef ETW_CLI_TOP_TERMINAL_H
#define ETW_CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include "view.h"

/* What was typed: a character, or one of the keys */
enum terminal_key {
	TERMINAL_NONE, TERMINAL_CHARACTER, TERMINAL_ENTER, TERMINAL_ESCAPE, TERMINAL_ERASE,
	TERMINAL_ERASE_ALL, TERMINAL_UP, TERMINAL_DOWN, TERMINAL_PAGE_UP, TERMINAL_PAGE_DOWN,
	TERMINAL_HOME, TERMINAL_END, TERMINAL_OTHER
};

struct terminal_input {
	enum terminal_key key;
	char text[5];		/* the character in UTF-8, and a NUL */
};

/*
 * Take over the terminal that stdin and stdout are; the locale is set. NULL, or why it cannot be:
 * valid until the next call.
 */
const char *terminal_open(bool colour);
/* Give it back as it was; once is enough, and none is fine. */
void terminal_close(void);

/* Has it vanished?  Then there is nobody to type, and nothing to draw on. */
bool terminal_is_gone(void);
/* Its present size; true: it is another one than at the last call. */
bool terminal_size(unsigned int *width, unsigned int *height);

/* The next key, without waiting */
void terminal_read(struct terminal_input *input);
/* Wait for a key, at most that long. */
void terminal_wait(int timeout_ms);

/* Draw a line; returns the column behind its text. */
unsigned int terminal_line(unsigned int number, enum view_style style, const char *text);
/* Show what was drawn, with a cursor at this place or without. */
void terminal_show(bool cursor, unsigned int line, unsigned int column);

#endif /* ETW_CLI_TOP_TERMINAL_H */
