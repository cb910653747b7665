/* SPDX-License-Identifier: GPL-2.0-only */
/* module.h - shared by the files of etw_km */
#ifndef ETW_KM_MODULE_H
#define ETW_KM_MODULE_H

#include <linux/types.h>

void km_fail(const char *file, int line, const char *what);

/* Report a failed check, and go on. */
#define KM_CHECK(cond)							\
	do {								\
		if (!(cond))						\
			km_fail(__FILE__, __LINE__, #cond);		\
	} while (0)

int km_write_types(void);
int km_api(void);
int km_tracelogging(void);
int km_first(void);

#endif /* ETW_KM_MODULE_H */
