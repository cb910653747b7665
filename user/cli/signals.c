/* SPDX-License-Identifier: MIT */
/*
 * signals.c - signals that end a command which has something to clean up
 */
#include <signal.h>
#include <stddef.h>
#include "cli.h"

/* One that is ignored stays so: nohup(1) means it. */
static void catch_one(int number, void (*handler)(int number))
{
	/* No restart: what waits in write(2) is to end, too. */
	struct sigaction action = { .sa_handler = handler, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

void cli_catch_ending(void (*handler)(int number))
{
	catch_one(SIGINT, handler);
	catch_one(SIGTERM, handler);
	catch_one(SIGHUP, handler);
	signal(SIGXFSZ, SIG_IGN);
}
