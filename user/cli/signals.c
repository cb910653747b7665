/* SPDX-License-Identifier: MIT */
/*
 * signals.c - signals that end a command which has something to clean up
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "cli.h"

static volatile sig_atomic_t ending;

static void on_signal(int number)
{
	ending = number;
}

/* One that is ignored stays so: nohup(1) means it. */
void cli_catch(int number, void (*handler)(int number), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

/* No restart: what waits in write(2) is to end, too. */
static void catch_one(int number, int flags)
{
	cli_catch(number, on_signal, flags);
}

void cli_catch_ending(void)
{
	catch_one(SIGINT, (int)SA_RESETHAND);
	catch_one(SIGTERM, (int)SA_RESETHAND);
	catch_one(SIGHUP, (int)SA_RESETHAND);
	/* Each write to where nobody reads sends one. */
	catch_one(SIGPIPE, 0);
	signal(SIGXFSZ, SIG_IGN);
}

bool cli_ending(void)
{
	return ending;
}

bool cli_held_ending(void)
{
	sigset_t pending;

	return !sigpending(&pending) && (sigismember(&pending, SIGINT) ||
					 sigismember(&pending, SIGTERM) ||
					 sigismember(&pending, SIGHUP));
}

void cli_end(void)
{
	signal(SIGPIPE, SIG_DFL);
	if (ending)
		raise(ending);
}
