/* SPDX-License-Identifier: MIT */
/*
 * report.h - a line for each result of a check, as text or as JSON
 */
#ifndef ETW_CLI_DOCTOR_REPORT_H
#define ETW_CLI_DOCTOR_REPORT_H

#include <stdbool.h>

/* fix is a command of doctor_fix(), or NULL: none helps */
void doctor_ok(const char *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_unknown(const char *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doctor_warn(const char *check, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doctor_wrong(const char *check, const char *fix, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A command for the shell, valid for a few further calls; "sudo " is left out for root. */
const char *doctor_fix(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A word from outside, quoted for the shell if it needs that; valid for a few further calls */
const char *doctor_word(const char *s);
void doctor_use_json(void);
/* How many lines were reported as wrong */
unsigned int doctor_wrong_count(void);

#endif /* ETW_CLI_DOCTOR_REPORT_H */
