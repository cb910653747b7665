/* SPDX-License-Identifier: MIT */
/*
 * terminal.c - the terminal of etw top, by ncurses
 *
 * ncurses gets printable characters only, each with the width that the locale gives it.
 */
#define NCURSES_WIDECHAR	1
#include <ncurses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include "base/utf.h"
#include "terminal.h"

#define ESCAPE		27	/* a key of its own, or the begin of another one's sequence ... */
#define ESCAPE_MS	50	/* ... that follows so soon */
#define CONTROL(letter)	((letter) & 0x1F)
#define CELLS_MAX	1024	/* columns that are drawn */

enum { PAIR_LOSS = 1, PAIR_ERROR };

static SCREEN *screen;
static bool has_colour, failed;

const char *terminal_open(bool colour)
{
	const char *type = getenv("TERM");

	if (!type || !*type)
		return "TERM is not set";
	set_escdelay(ESCAPE_MS);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return "the type of the terminal, TERM, is not known";
	/* Without this nothing can be put at its place. */
	if (!tigetstr("cup") || tigetstr("cup") == (char *)-1) {
		terminal_close();
		return "this type of terminal cannot place its cursor";
	}
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	has_colour = colour && has_colors() && start_color() == OK;
	if (has_colour) {
		use_default_colors();
		init_pair(PAIR_LOSS, COLOR_RED, -1);
		init_pair(PAIR_ERROR, COLOR_YELLOW, -1);
	}
	return NULL;
}

void terminal_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

bool terminal_is_gone(void)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO }, { .fd = STDOUT_FILENO } };

	return failed || (poll(fds, 2, 0) > 0 &&
			  (fds[0].revents | fds[1].revents) & (POLLHUP | POLLERR | POLLNVAL));
}

bool terminal_size(unsigned int *width, unsigned int *height)
{
	struct winsize size;
	bool is_other = false;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col &&
	    is_term_resized(size.ws_row, size.ws_col)) {
		resizeterm(size.ws_row, size.ws_col);
		is_other = true;
	}
	*width = (unsigned int)COLS;
	*height = (unsigned int)LINES;
	return is_other;
}

/* --------------------------------------------------------------------------- keys */

static enum terminal_key special(wint_t code)
{
	switch (code) {
	case KEY_ENTER:
		return TERMINAL_ENTER;
	case KEY_BACKSPACE:
	case KEY_DC:
		return TERMINAL_ERASE;
	case KEY_UP:
		return TERMINAL_UP;
	case KEY_DOWN:
		return TERMINAL_DOWN;
	case KEY_PPAGE:
		return TERMINAL_PAGE_UP;
	case KEY_NPAGE:
		return TERMINAL_PAGE_DOWN;
	case KEY_HOME:
		return TERMINAL_HOME;
	case KEY_END:
		return TERMINAL_END;
	default:
		return TERMINAL_OTHER;
	}
}

static enum terminal_key control(wint_t code)
{
	switch (code) {
	case '\r':
	case '\n':
		return TERMINAL_ENTER;
	case ESCAPE:
		return TERMINAL_ESCAPE;
	case CONTROL('H'):
	case 0x7F:
		return TERMINAL_ERASE;
	case CONTROL('U'):
		return TERMINAL_ERASE_ALL;
	case CONTROL('L'):
		clearok(curscr, TRUE);
		return TERMINAL_OTHER;
	default:
		return TERMINAL_OTHER;
	}
}

/* Is there input that ncurses gets nothing from?  Then the terminal has ended it. */
static bool has_ended(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int waiting = 0;

	return poll(&in, 1, 0) > 0 && !ioctl(STDIN_FILENO, FIONREAD, &waiting) && !waiting;
}

void terminal_read(struct terminal_input *input)
{
	wint_t code;

	memset(input, 0, sizeof(*input));
	switch (get_wch(&code)) {
	case KEY_CODE_YES:
		input->key = special(code);
		return;
	case OK:
		break;
	default:
		failed |= has_ended();
		return;
	}
	input->key = iswcntrl(code) ? control(code) : TERMINAL_CHARACTER;
	if (input->key == TERMINAL_CHARACTER)
		etw_utf8_put(code, input->text);
}

void terminal_wait(int timeout_ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	poll(&in, 1, timeout_ms);
}

/* ------------------------------------------------------------------------- drawing */

static attr_t attributes(enum view_style style)
{
	switch (style) {
	case VIEW_LOSS:
		return A_BOLD | (has_colour ? (attr_t)COLOR_PAIR(PAIR_LOSS) : A_REVERSE);
	case VIEW_TITLE:
		return A_BOLD;
	case VIEW_HEADING:
		return A_REVERSE;
	case VIEW_FAINT:
		return A_DIM;
	case VIEW_ERROR:
		return has_colour ? (attr_t)COLOR_PAIR(PAIR_ERROR) : A_BOLD;
	default:
		return A_NORMAL;
	}
}

/* The text as characters that have a place on the screen; others become question marks. */
static int to_cells(const char *text, wchar_t *cells, int columns, int *used)
{
	mbstate_t state = { 0 };
	int count = 0, width;
	wchar_t c;
	size_t n;

	*used = 0;
	while (*text && count < CELLS_MAX - 1) {
		n = mbrtowc(&c, text, MB_CUR_MAX, &state);
		if (n == (size_t)-1 || n == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			n = 1;
			c = L'?';
		}
		width = wcwidth(c);
		if (width < 0 || !iswprint((wint_t)c)) {
			c = L'?';
			width = 1;
		}
		if (*used + width > columns)
			break;
		*used += width;
		cells[count++] = c;
		text += n;
	}
	cells[count] = L'\0';
	return count;
}

unsigned int terminal_line(unsigned int number, enum view_style style, const char *text)
{
	wchar_t cells[CELLS_MAX];
	int used, count = to_cells(text, cells, COLS, &used);

	attrset(attributes(style));
	move((int)number, 0);
	addnwstr(cells, count);
	/* A heading is a bar across the screen. A full line has left the cursor in the next one. */
	if (style == VIEW_HEADING && used < COLS)
		hline(' ' | A_REVERSE, COLS - used);
	else if (used < COLS)
		clrtoeol();
	attrset(A_NORMAL);
	return (unsigned int)used;
}

void terminal_show(bool cursor, unsigned int line, unsigned int column)
{
	curs_set(cursor);
	if (cursor)
		move((int)line, (int)column < COLS ? (int)column : COLS - 1);
	refresh();
}
