/* SPDX-License-Identifier: MIT */
/*
 * enumerate.h - one class of EnumerateTraceGuidsEx()
 */
#ifndef ETW_LIB_CONTROLLER_ENUMERATE_H
#define ETW_LIB_CONTROLLER_ENUMERATE_H

#include <stddef.h>

#include <evntrace.h>

/* What a class answers; data is malloc()ed and freed by the caller. */
struct etw_answer {
	void *data;
	size_t len;
};

/*
 * Answer a question: a Win32 code, and *answer is set if that is
 * ERROR_SUCCESS.  in is NULL exactly if in_size is 0.
 */
typedef ULONG (*etw_enumerate_fn)(const void *in, ULONG in_size,
				  struct etw_answer *answer);

#endif /* ETW_LIB_CONTROLLER_ENUMERATE_H */
