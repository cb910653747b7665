/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * consoleapi.h - what a program does when Ctrl+C is pressed
 *
 * A handler runs in a thread of its own, the last one set first, until one returns TRUE;
 * if none does, the program ends with the signal's status.  SIGINT is CTRL_C_EVENT, SIGQUIT
 * CTRL_BREAK_EVENT, SIGHUP CTRL_CLOSE_EVENT, SIGTERM CTRL_SHUTDOWN_EVENT.  Each source file
 * has its own list: set all handlers from one.
 *
 * Semantics: Microsoft's page "SetConsoleCtrlHandler function".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_CONSOLEAPI_H
#define ETW_WIN32_CONSOLEAPI_H

#include <pthread.h>
#include <signal.h>

ETW_BEGIN_DECLS

/* The signal() of ISO C, which strict modes have, forgets the handler at the first signal. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern void (*bsd_signal(int number, void (*handler)(int)))(int);
#define etw_signal	bsd_signal
#else
#define etw_signal	signal
#endif

#define CTRL_C_EVENT		0
#define CTRL_BREAK_EVENT	1
#define CTRL_CLOSE_EVENT	2
#define CTRL_SHUTDOWN_EVENT	6

typedef BOOL (WINAPI *PHANDLER_ROUTINE)(DWORD CtrlType);

struct etw_console {
	pthread_mutex_t lock;
	PHANDLER_ROUTINE handlers[16];
	int count;
	int pipe[2];
	int ready;
};

/* One per source file, made on demand */
static inline struct etw_console *etw_console(void)
{
	static struct etw_console console = { PTHREAD_MUTEX_INITIALIZER, { NULL }, 0, { -1, -1 },
					      0 };

	return &console;
}

static inline void etw_console_signal(int number)
{
	unsigned char byte = (unsigned char)number;
	int error = errno;

	if (write(etw_console()->pipe[1], &byte, 1) != 1)
		_exit(128 + number);
	errno = error;
}

static inline void etw_console_handle(unsigned char number)
{
	struct etw_console *console = etw_console();
	DWORD type = number == SIGINT ? CTRL_C_EVENT : number == SIGQUIT ? CTRL_BREAK_EVENT :
		     number == SIGHUP ? CTRL_CLOSE_EVENT : CTRL_SHUTDOWN_EVENT;
	PHANDLER_ROUTINE handlers[16];
	int i;

	pthread_mutex_lock(&console->lock);
	i = console->count;
	memcpy(handlers, console->handlers, sizeof(handlers));
	pthread_mutex_unlock(&console->lock);
	while (i > 0)
		if (handlers[--i](type))
			return;
	_exit(128 + number);
}

static inline void *etw_console_thread(void *unused)
{
	unsigned char number;

	while (read(etw_console()->pipe[0], &number, 1) == 1)
		etw_console_handle(number);
	return unused;
}

static inline BOOL etw_console_start(struct etw_console *console)
{
	pthread_t thread;

	if (console->ready)
		return TRUE;
	if (pipe(console->pipe))
		return FALSE;
	if (pthread_create(&thread, NULL, etw_console_thread, NULL)) {
		close(console->pipe[0]);
		close(console->pipe[1]);
		return FALSE;
	}
	pthread_detach(thread);
	etw_signal(SIGINT, etw_console_signal);
	etw_signal(SIGQUIT, etw_console_signal);
	etw_signal(SIGHUP, etw_console_signal);
	etw_signal(SIGTERM, etw_console_signal);
	console->ready = 1;
	return TRUE;
}

/* @HandlerRoutine NULL: ignore Ctrl+C (Add TRUE), or no longer; at most 16 handlers */
static inline BOOL SetConsoleCtrlHandler(PHANDLER_ROUTINE HandlerRoutine, BOOL Add)
{
	struct etw_console *console = etw_console();
	BOOL good = FALSE;
	int i;

	if (!HandlerRoutine)
		return etw_signal(SIGINT, Add ? SIG_IGN : console->ready ? etw_console_signal :
				  SIG_DFL) != SIG_ERR;
	pthread_mutex_lock(&console->lock);
	if (Add && console->count < 16 && etw_console_start(console)) {
		console->handlers[console->count++] = HandlerRoutine;
		good = TRUE;
	}
	for (i = Add ? 0 : console->count; !good && --i >= 0; ) {
		if (console->handlers[i] != HandlerRoutine)
			continue;
		memmove(&console->handlers[i], &console->handlers[i + 1],
			(size_t)(--console->count - i) * sizeof(console->handlers[0]));
		good = TRUE;
	}
	pthread_mutex_unlock(&console->lock);
	if (!good)
		SetLastError(ERROR_INVALID_PARAMETER);
	return good;
}

ETW_END_DECLS

#endif /* ETW_WIN32_CONSOLEAPI_H */
