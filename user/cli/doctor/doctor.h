/* SPDX-License-Identifier: MIT */
/*
 * doctor.h - the checks of etw doctor
 *
 * A check looks at one thing, changes nothing, and reports lines: all is well, or what is wrong
 * and the command that mends it.  None may rely on rights, on the module, or on a file being
 * what it should be.
 */
#ifndef ETW_CLI_DOCTOR_H
#define ETW_CLI_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/session.h"

/* The folder that stands for / in tests; ignored in set-uid programs */
#define DOCTOR_ROOT_ENV	"ETW_DOCTOR_ROOT"

/* What several checks need to know */
struct doctor {
	char release[256];	/* of the running kernel */
	bool loaded;		/* the module */
	bool container;
	int fd;			/* of the device, or a negative errno */
	uint64_t caps;		/* effective, in the initial user namespace */
	bool initial_user_ns;
};

bool doctor_can(const struct doctor *doctor, unsigned int capability);

/* report.c: mend is a command of doctor_mend(), or NULL: none helps */
void doctor_ok(const char *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_unknown(const char *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_warn(const char *check, const char *mend, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_wrong(const char *check, const char *mend, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A command for the shell, valid for a few further calls; "sudo " is left out for root. */
const char *doctor_mend(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A word from outside, quoted for the shell if it needs that; valid for a few further calls */
const char *doctor_word(const char *s);
void doctor_use_json(void);
/* How many lines were reported as wrong */
unsigned int doctor_wrong_count(void);

/* files.c: paths begin at / or at the folder that stands for it */
const char *doctor_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool doctor_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The file, malloc()ed and with a NUL behind it, or NULL; at most 64 MB of it */
char *doctor_read(size_t *size, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first line of a file, without its end; false: it cannot be read. */
bool doctor_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same as a number; a unit behind it is ignored. */
bool doctor_number(uint64_t *number, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is it one of the words of a text, separated by blanks? */
bool doctor_has_word(const char *text, const char *word);

/* module_file.c: what a file with a kernel module says of itself */
struct module_file {
	char path[PATH_MAX];	/* as the running system has it */
	bool compressed;	/* then nothing below is known */
	bool is_signed;
	char vermagic[256];
	char srcversion[64];
	uint8_t build_id[32];
	size_t build_id_len;
};

/* 0 or a negative errno; -ENOEXEC: it is no kernel module. */
int module_file_read(const char *path, struct module_file *file);

/* dkms.c */
/* The command that has DKMS build and install the module, or NULL: it does not know the module. */
const char *dkms_mend(const struct doctor *doctor);

/* The checks, in the order in which they run */
void doctor_module(const struct doctor *doctor);
void doctor_dkms(const struct doctor *doctor);
void doctor_device(const struct doctor *doctor);
void doctor_interface(const struct doctor *doctor);
void doctor_rights(const struct doctor *doctor);
void doctor_limits(const struct doctor *doctor);
void doctor_clock(const struct doctor *doctor);
void doctor_btf(const struct doctor *doctor);
void doctor_kernel_events(const struct doctor *doctor);
void doctor_manifests(const struct doctor *doctor);
void doctor_autologger(const struct doctor *doctor);
void doctor_sessions(const struct doctor *doctor);

#endif /* ETW_CLI_DOCTOR_H */
