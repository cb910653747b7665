/* SPDX-License-Identifier: MIT */
/*
 * files.h - the files that the system shows of itself
 */
#ifndef ETW_CLI_DOCTOR_FILES_H
#define ETW_CLI_DOCTOR_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder that stands for / in tests; ignored in set-uid programs */
#define DOCTOR_ROOT_ENV	"ETW_DOCTOR_ROOT"

/* Paths begin at / or at the folder that stands for it */
const char *doctor_path(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool doctor_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Is this Debian package installed? */
bool doctor_has_package(const char *name);
/* The file, malloc()ed and with a NUL behind it, or NULL; at most 64 MB of it */
char *doctor_read(size_t *size, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The first line of a file, without its end; false: it cannot be read. */
bool doctor_line(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same as a number; a unit behind it is ignored. */
bool doctor_number(uint64_t *number, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Is it one of the words of a text, separated by blanks? */
bool doctor_has_word(const char *text, const char *word);

#endif /* ETW_CLI_DOCTOR_FILES_H */
