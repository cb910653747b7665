/* SPDX-License-Identifier: MIT */
/*
 * last_error.c - the calling thread's last error code
 */
#include <etw/winerror.h>

static __thread DWORD last_error;

DWORD GetLastError(void)
{
	return last_error;
}

VOID SetLastError(DWORD dwErrCode)
{
	last_error = dwErrCode;
}
