/* SPDX-License-Identifier: MIT */
/*
 * enumerate.h - one class of EnumerateTraceGuidsEx()
 */
#ifndef ETW_LIB_CONTROLLER_ENUMERATE_H
#define ETW_LIB_CONTROLLER_ENUMERATE_H

#include <stddef.h>

#include <evntrace.h>

/* The answer of a class; the caller frees data, which is malloc()ed. */
struct etw_answer {
	void *data;
	size_t len;
};

/*
 * Answer a query: returns a Win32 code, and sets *answer on ERROR_SUCCESS. in is NULL
 * exactly if in_size is 0.
 */
typedef ULONG (*etw_enumerate_fn)(const void *in, ULONG in_size,
				  struct etw_answer *answer);

#endif /* ETW_LIB_CONTROLLER_ENUMERATE_H */
