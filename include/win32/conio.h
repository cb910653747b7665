/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * conio.h - a key from the terminal: "press any key to stop the session"
 *
 * _getch() and _getche() wait for a character of standard input, which need not be a
 * terminal, without waiting for the end of the line; -1 at its end.
 *
 * Semantics: Microsoft's pages "_getch, _getwch", "_kbhit" and "_putch, _putwch".
 */
#ifndef ETW_WIN32_CONIO_H
#define ETW_WIN32_CONIO_H

#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>
#include <etw/wintypes.h>

ETW_BEGIN_DECLS

static inline int etw_key(int echo)
{
	struct termios old, now;
	int terminal = !tcgetattr(0, &old);
	unsigned char c;
	ssize_t n;

	fflush(stdout);
	if (terminal) {
		now = old;
		now.c_lflag &= ~(tcflag_t)(ICANON | (echo ? 0 : ECHO));
		tcsetattr(0, TCSANOW, &now);
	}
	n = read(0, &c, 1);
	if (terminal)
		tcsetattr(0, TCSANOW, &old);
	return n == 1 ? c : -1;
}

static inline int _getch(void)
{
	return etw_key(0);
}

static inline int _getche(void)
{
	return etw_key(1);
}

/* Only what _getch() would get without a line end; whole lines where the terminal waits */
static inline int _kbhit(void)
{
	struct pollfd input = { 0, POLLIN, 0 };

	return poll(&input, 1, 0) > 0;
}

static inline int _putch(int c)
{
	return putchar(c);
}

ETW_END_DECLS

#define _getwch()	((WCHAR)_getch())
#define _gettch		_getch
#define getch		_getch
#define kbhit		_kbhit

#endif /* ETW_WIN32_CONIO_H */
