/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - how the programs of this folder report what is wrong
 *
 * Include it behind <windows.h>; main() returns check_failed.
 */
#ifndef ETW_WIN32_CHECK_H
#define ETW_WIN32_CHECK_H

static int check_failed;

#define CHECK(cond)							\
	do {								\
		if (!(cond)) {						\
			etw_printf("line %d: %s\n", __LINE__, #cond);	\
			check_failed = 1;				\
		}							\
	} while (0)

#endif /* ETW_WIN32_CHECK_H */
