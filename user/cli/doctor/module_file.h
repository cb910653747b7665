/* SPDX-License-Identifier: MIT */
/*
 * module_file.h - what a file with a kernel module says of itself
 */
#ifndef ETW_CLI_DOCTOR_MODULE_FILE_H
#define ETW_CLI_DOCTOR_MODULE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module_file {
	char path[PATH_MAX];	/* as the running system has it */
	bool compressed;
	bool unknown;		/* it cannot be decompressed here: nothing below is known */
	bool is_signed;
	char vermagic[256];
	char srcversion[64];
	uint8_t build_id[32];
	size_t build_id_len;
};

/* 0 or a negative errno; -ENOEXEC: it is not a kernel module. */
int module_file_read(const char *path, struct module_file *file);

#endif /* ETW_CLI_DOCTOR_MODULE_FILE_H */
