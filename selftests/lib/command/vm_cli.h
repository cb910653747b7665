/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_cli.h - run the etw command and check its output
 */
#ifndef ETW_SELFTEST_VM_CLI_H
#define ETW_SELFTEST_VM_CLI_H

#include "lib/vm_dev.h"

#include <grp.h>
#include <libgen.h>
#include <stdarg.h>

#define VC_TEXT		65536
#define VC_ARGS		24

/* A command: what it was, what it printed and how it ended */
struct vc_run {
	pid_t pid;
	int out_fd, err_fd;
	int status;		/* exit status; 128 + signal; -1: it hung */
	int to;			/* in: its stdout; 0: a file, see out */
	bool nobody;		/* in: run as uid 65534, without capabilities */
	unsigned int capability;	/* in: but this one, for nobody; 0: none */
	char out[VC_TEXT], err[VC_TEXT];
};

const char *vc_path(void);

/* Start etw with at most VC_ARGS arguments, up to a NULL.  False: it cannot, and err says why. */
bool vc_start(struct vc_run *r, ...);

void vc_look(struct vc_run *r);

/* Wait for its end; its exit status. */
int vc_end(struct vc_run *r);

int vc_lines(const char *text);
/* Those that contain both; of a line 4095 bytes are looked at. */
unsigned int vc_lines_with(const char *text, const char *a, const char *b);

/* Run etw to its end; its exit status, or -1 if it did not start. */
int vc_run(struct vc_run *r, ...);

bool vc_report(const struct vc_run *r, bool good);

/* Did it succeed, with text on stdout and nothing on stderr? */
static inline bool vc_printed(const struct vc_run *r, const char *text)
{
	return vc_report(r, !r->status && !r->err[0] && strstr(r->out, text));
}

/* Did it succeed, with no output except one line on stderr that contains text? */
static inline bool vc_noted(const struct vc_run *r, const char *text)
{
	return vc_report(r, !r->status && !r->out[0] && !strncmp(r->err, "etw: ", 5) &&
			 vc_lines(r->err) == 1 && strstr(r->err, text));
}

/* Did it fail with that status and one line that contains text? */
bool vc_refused(const struct vc_run *r, int status, const char *text);

/* The number of lines if each is a JSON object; else -1. */
int vc_objects(const char *text);

#endif /* ETW_SELFTEST_VM_CLI_H */
