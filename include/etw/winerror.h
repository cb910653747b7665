/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winerror.h - Win32 error codes, NTSTATUS and HRESULT values that ETW uses
 *
 * Functions of libetw return an ERROR_ code as a ULONG.  OpenTrace returns a handle and
 * sets the code for GetLastError().
 *
 * The values are those of Microsoft's page "System Error Codes".
 */
#ifndef ETW_WINERROR_H
#define ETW_WINERROR_H

#include <etw/wintypes.h>

#define ERROR_SUCCESS			0
#define NO_ERROR			0
#define ERROR_INVALID_FUNCTION		1
#define ERROR_FILE_NOT_FOUND		2
#define ERROR_ACCESS_DENIED		5
#define ERROR_INVALID_HANDLE		6
#define ERROR_NOT_ENOUGH_MEMORY		8
#define ERROR_INVALID_DATA		13
#define ERROR_OUTOFMEMORY		14
#define ERROR_BAD_LENGTH		24
#define ERROR_SHARING_VIOLATION		32	/* another session writes the file */
#define ERROR_NOT_SUPPORTED		50
#define ERROR_INVALID_PARAMETER		87
#define ERROR_DISK_FULL			112
#define ERROR_INSUFFICIENT_BUFFER	122
#define ERROR_BAD_PATHNAME		161
#define ERROR_LOCK_FAILED		167
#define ERROR_BUSY			170
#define ERROR_ALREADY_EXISTS		183
#define ERROR_INVALID_FLAG_NUMBER	186
#define ERROR_FILE_TOO_LARGE		223
#define ERROR_MORE_DATA			234
#define ERROR_ARITHMETIC_OVERFLOW	534
#define ERROR_NOACCESS			998
#define ERROR_IO_DEVICE			1117
#define ERROR_NOT_FOUND			1168
#define ERROR_CANCELLED			1223
#define ERROR_NONE_MAPPED		1332
#define ERROR_FILE_CORRUPT		1392
#define ERROR_NO_SYSTEM_RESOURCES	1450
#define ERROR_TIMEOUT			1460
#define ERROR_XML_PARSE_ERROR		1465
#define ERROR_LOG_FILE_FULL		1502
#define ERROR_INVALID_TIME		1901
#define ERROR_ACTIVE_CONNECTIONS	2402
#define ERROR_WMI_GUID_NOT_FOUND	4200
#define ERROR_WMI_INSTANCE_NOT_FOUND	4201
#define ERROR_WMI_ALREADY_ENABLED	4206
#define ERROR_WMI_SERVER_UNAVAILABLE	4208
#define ERROR_EMPTY			4306
#define ERROR_RESOURCE_NOT_FOUND	5007
#define ERROR_INVALID_STATE		5023
#define ERROR_CTX_CLOSE_PENDING		7007
#define ERROR_EVT_INVALID_EVENT_DATA	15005

#define STATUS_SUCCESS			((NTSTATUS)0)
#define STATUS_BUFFER_OVERFLOW		((NTSTATUS)0x80000005)
#define STATUS_INVALID_HANDLE		((NTSTATUS)0xC0000008)
#define STATUS_INVALID_PARAMETER	((NTSTATUS)0xC000000D)
#define STATUS_INVALID_DEVICE_REQUEST	((NTSTATUS)0xC0000010)
#define STATUS_NO_MEMORY		((NTSTATUS)0xC0000017)
#define STATUS_ACCESS_DENIED		((NTSTATUS)0xC0000022)
#define STATUS_INTEGER_OVERFLOW		((NTSTATUS)0xC0000095)
#define STATUS_NOT_SUPPORTED		((NTSTATUS)0xC00000BB)
#define STATUS_LOG_FILE_FULL		((NTSTATUS)0xC0000188)

#ifndef NT_SUCCESS
#define NT_SUCCESS(status)		((NTSTATUS)(status) >= 0)
#endif

#define S_OK				((HRESULT)0)
#define S_FALSE				((HRESULT)1)
#define E_NOTIMPL			((HRESULT)0x80004001)
#define E_POINTER			((HRESULT)0x80004003)
#define E_ABORT				((HRESULT)0x80004004)
#define E_FAIL				((HRESULT)0x80004005)
#define E_UNEXPECTED			((HRESULT)0x8000FFFF)
#define E_ACCESSDENIED			((HRESULT)0x80070005)
#define E_OUTOFMEMORY			((HRESULT)0x8007000E)
#define E_INVALIDARG			((HRESULT)0x80070057)

#define SUCCEEDED(hr)			((HRESULT)(hr) >= 0)
#define FAILED(hr)			((HRESULT)(hr) < 0)
/* Win32 code to HRESULT; an HRESULT is returned unchanged.  Evaluates x repeatedly. */
#define HRESULT_FROM_WIN32(x)						\
	((HRESULT)(x) <= 0 ? (HRESULT)(x) :				\
	 (HRESULT)(((ULONG)(x) & 0xFFFF) | 0x80070000))
#define HRESULT_CODE(hr)		((hr) & 0xFFFF)

#ifndef __KERNEL__

ETW_BEGIN_DECLS

/**
 * GetLastError() - the calling thread's last error code
 *
 * Meaningful directly after the failure of a function that documents it.
 *
 * Return: an ERROR_ code; ERROR_SUCCESS if the thread has set none.
 * Threads: each has its own.  Callbacks may call it.
 * Semantics: Microsoft's page "GetLastError function".
 */
ETW_API DWORD WINAPI GetLastError(void);

/**
 * SetLastError() - set the calling thread's last error code
 * @dwErrCode: any value
 *
 * Threads: each has its own.  Callbacks may call it.
 * Semantics: Microsoft's page "SetLastError function".
 */
ETW_API VOID WINAPI SetLastError(DWORD dwErrCode);

ETW_END_DECLS

#endif /* __KERNEL__ */

#endif /* ETW_WINERROR_H */
