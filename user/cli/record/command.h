/* SPDX-License-Identifier: MIT */
/*
 * command.h - the command that runs while its events are recorded or watched
 *
 * Ctrl-C reaches both the command and this process.  The first one is for the command: etw ends
 * when the command ends.  A signal that was sent only to this process is passed on.
 */
#ifndef ETW_CLI_RECORD_COMMAND_H
#define ETW_CLI_RECORD_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* All zero is none. */
struct command {
	char **argv;		/* NULL: none */
	bool to_stderr;		/* stdout has etw's own output: the command's goes to stderr */
	volatile pid_t pid;	/* 0: it does not run */
	int status;		/* as wait(2) has it */
	unsigned int interrupts;
	bool ending;		/* it was sent a signal that ends it */
};

/*
 * Signals that would end this process, but not the session.  One that is ignored stays so and is
 * not among them: nohup(1) means it.
 */
void command_signals(sigset_t *signals);

/* mask: the signals that it starts with blocked.  0, or the exit status if it cannot be run. */
int command_spawn(struct command *command, const sigset_t *mask);
/* Has it just ended? */
bool command_has_ended(struct command *command);
/*
 * Take one of command_signals(), and pass it on.  Does it end what etw does?  With a command, only
 * the second Ctrl-C does.  Safe in a signal handler.
 */
bool command_signal(struct command *command, const siginfo_t *info);
/* Wait for the command and return its exit status; end: send it SIGTERM first. */
int command_status(struct command *command, bool end);

#endif /* ETW_CLI_RECORD_COMMAND_H */
