/* SPDX-License-Identifier: MIT */
/*
 * drawing.h - what the screen of etw top shows, and its drawing line by line
 */
#ifndef ETW_CLI_TOP_DRAWING_H
#define ETW_CLI_TOP_DRAWING_H

#include "columns.h"
#include "counting.h"
#include "losses.h"

enum view_style { VIEW_PLAIN, VIEW_LOSS, VIEW_TITLE, VIEW_HEADING, VIEW_FAINT, VIEW_ERROR };

enum view_prompt { VIEW_NO_PROMPT, VIEW_FILTER, VIEW_FIELD };

struct view {
	/* What is shown, and how */
	const char *session;
	const struct counting *counting;
	const struct losses *losses;
	enum column sort;
	bool reverse;
	bool flame;			/* the stacks, in place of the rows */
	enum flame_sort flame_sort;
	bool flame_reverse;
	unsigned int first;		/* row at the top; kept within what there is */
	bool help;			/* in place of the rows */
	bool ended, buffering;		/* the session */
	const char *filter;		/* in effect, or being typed; "": none */
	enum view_prompt prompt;
	const char *typed;		/* the text of a prompt ... */
	const char *error;		/* ... and what is wrong with it; NULL: nothing */
	size_t error_column;		/* 0: not at a column */
	/* The screen; height 0: as many lines as there are, as wide as they are, for a pipe */
	struct report_screen screen;
	unsigned int height;
	unsigned int limit;		/* rows, without a screen */
	/* Called for each line, from 0; the text has as many columns as the screen at most. */
	void (*line)(void *context, unsigned int number, enum view_style style, const char *text);
	void *context;
	/* Set by view_draw() */
	unsigned int rows, page;	/* there are, and have room */
	bool shown[COLUMNS];		/* the columns that have a place; names always have one */
	unsigned int prompt_line;	/* of a prompt, whose text is at the end */
};

struct drawing {
	struct view *view;
	struct report_page page;
	struct etw_text out;
	unsigned int number;			/* of the next line */
	struct tally_row *rows[TALLY_ROWS];	/* sorted */
	unsigned int count;
	unsigned int name;			/* columns of names, with a blank */
	unsigned int ends[COLUMNS];		/* where columns end; 0: it has no place */
	unsigned int spark;			/* columns for the ticks; 0: none */
};

/* The page's line is complete. */
void drawing_finish(struct drawing *drawing, enum view_style style);
/* A line of this text */
void drawing_put(struct drawing *drawing, enum view_style style, const char *text);
/* In place of rows that do not exist yet */
void drawing_put_nothing(struct drawing *drawing);
/* How many lines are left above the keys */
unsigned int drawing_lines_left(const struct drawing *drawing);

#endif /* ETW_CLI_TOP_DRAWING_H */
