/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fileapi.h - files, and devices of drivers that are built on include/win32-km/wdm.h
 *
 * "\\.\NAME" is the device /dev/NAME in any case of its letters, which is only opened, never
 * created or truncated; any other path is one of Linux.  Reads and writes are synchronous;
 * sharing modes, attributes and templates have no effect.
 *
 * A handle with access 0 is for DeviceIoControl() with codes of FILE_ANY_ACCESS, if it is one of
 * a device, else only for CloseHandle().
 *
 * Semantics: Microsoft's pages "CreateFile function", "ReadFile function", "WriteFile
 * function", "CloseHandle function", "DeleteFile function" and "DeviceIoControl function".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_FILEAPI_H
#define ETW_WIN32_FILEAPI_H

#include <fcntl.h>
#include <glob.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <winioctl.h>
#include <winternl.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC	02000000	/* fcntl.h hides these with -std=c11 */
#endif
#ifndef O_PATH
#define O_PATH		010000000
#endif

ETW_BEGIN_DECLS

#define GENERIC_READ		0x80000000u
#define GENERIC_WRITE		0x40000000u
#define GENERIC_EXECUTE		0x20000000u
#define GENERIC_ALL		0x10000000u
#define FILE_READ_DATA		0x1
#define FILE_WRITE_DATA		0x2
#define FILE_READ_ATTRIBUTES	0x80
#define FILE_SHARE_READ		0x1
#define FILE_SHARE_WRITE	0x2
#define FILE_SHARE_DELETE	0x4
#define CREATE_NEW		1
#define CREATE_ALWAYS		2
#define OPEN_EXISTING		3
#define OPEN_ALWAYS		4
#define TRUNCATE_EXISTING	5
#define FILE_ATTRIBUTE_NORMAL	0x80

#define ETW_FILE_WRITES		(GENERIC_WRITE | GENERIC_ALL | FILE_WRITE_DATA)
#define ETW_DEVICE_NAME		200	/* bytes of NAME at most */

typedef void *LPOVERLAPPED;

/* A handle of a file: its descriptor plus 1, times 4 */
static inline HANDLE etw_file_handle(int fd)
{
	return (HANDLE)(ULONG_PTR)(((ULONG_PTR)fd + 1) * 4);
}

static inline int etw_file_fd(HANDLE handle)
{
	ULONG_PTR value = (ULONG_PTR)handle;

	return value && value <= 0x7FFFFFFF && !(value & 3) ? (int)(value / 4 - 1) : -1;
}

/*
 * A driver's request fails with an errno, except DeviceIoControl(): ENOSPC is a limit of it, and
 * EIO any status that has no errno.
 */
static inline DWORD etw_device_error(int number)
{
	return number == ENOSPC ? ERROR_NO_SYSTEM_RESOURCES : number == EIO ? ERROR_GEN_FAILURE :
	       etw_errno_error(number);
}

static inline BOOL etw_file_result(int fd, int failed)
{
	int number = errno;
	struct stat st;

	if (!failed)
		return TRUE;
	if (number == EBADF && fcntl(fd, F_GETFD) >= 0)
		SetLastError(ERROR_ACCESS_DENIED);	/* it was opened for something else */
	else if (!fstat(fd, &st) && S_ISCHR(st.st_mode))
		SetLastError(etw_device_error(number));
	else
		SetLastError(etw_errno_error(number));
	return FALSE;
}

/* NAME of "\\.\NAME" in any case: a character or block device in /dev, the exact name first */
static inline int etw_device_open(const char *name, int mode)
{
	char exact[ETW_DEVICE_NAME + 8], pattern[4 * ETW_DEVICE_NAME + 8], *to = pattern;
	const char *path = exact, *from = name;
	struct stat st;
	glob_t found;
	int fd = -1;

	sprintf(exact, "/dev/%s", name);
	to += sprintf(to, "/dev/");
	for (; *from; from++) {
		char small = (char)(*from | 0x20);

		if (small >= 'a' && small <= 'z')
			to += sprintf(to, "[%c%c]", small, small - 0x20);
		else
			to += sprintf(to, "\\%c", *from);
	}
	memset(&found, 0, sizeof(found));
	if (stat(exact, &st) && !glob(pattern, 0, NULL, &found))
		path = found.gl_pathv[0];
	if (strchr(name, '/') || stat(path, &st) || (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode)))
		errno = ENOENT;
	else
		fd = open(path, mode);
	globfree(&found);
	return fd;
}

/*
 * The mode of open(); a handle without access needs no permission of a file that exists, and
 * of a device the permission to read and to write
 */
static inline int etw_file_mode(DWORD access, DWORD disposition, BOOL device)
{
	BOOL reads = (access & (GENERIC_READ | GENERIC_ALL | FILE_READ_DATA)) != 0;
	BOOL writes = (access & ETW_FILE_WRITES) != 0;

	if (reads || writes)
		return O_CLOEXEC | (reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY);
	return O_CLOEXEC | (device || disposition != OPEN_EXISTING ? O_WRONLY | O_RDWR : O_PATH);
}

static inline HANDLE CreateFileA(LPCSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
				 LPSECURITY_ATTRIBUTES lpSecurityAttributes,
				 DWORD dwCreationDisposition, DWORD dwFlagsAndAttributes,
				 HANDLE hTemplateFile)
{
	static const int flags[] = { 0, O_CREAT | O_EXCL, O_CREAT | O_TRUNC, 0, O_CREAT, O_TRUNC };
	BOOL device = lpFileName && !strncmp(lpFileName, "\\\\.\\", 4);
	int fd, mode = etw_file_mode(dwDesiredAccess, dwCreationDisposition, device);

	UNREFERENCED_PARAMETER(dwShareMode);
	UNREFERENCED_PARAMETER(lpSecurityAttributes);
	UNREFERENCED_PARAMETER(dwFlagsAndAttributes);
	UNREFERENCED_PARAMETER(hTemplateFile);
	if (!lpFileName || dwCreationDisposition < CREATE_NEW ||
	    dwCreationDisposition > TRUNCATE_EXISTING ||
	    (dwCreationDisposition == TRUNCATE_EXISTING && !(dwDesiredAccess & ETW_FILE_WRITES))) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return INVALID_HANDLE_VALUE;
	}
	if (device && strlen(lpFileName + 4) > ETW_DEVICE_NAME) {
		SetLastError(ERROR_FILENAME_EXCED_RANGE);
		return INVALID_HANDLE_VALUE;
	}
	fd = device ? etw_device_open(lpFileName + 4, mode) :
		      open(lpFileName, mode | flags[dwCreationDisposition], 0666);
	if (fd >= 0)
		return etw_file_handle(fd);
	SetLastError(device ? etw_device_error(errno) : errno == EEXIST ? ERROR_FILE_EXISTS :
		     etw_errno_error(errno));
	return INVALID_HANDLE_VALUE;
}

static inline HANDLE CreateFileW(LPCWSTR lpFileName, DWORD dwDesiredAccess, DWORD dwShareMode,
				 LPSECURITY_ATTRIBUTES lpSecurityAttributes,
				 DWORD dwCreationDisposition, DWORD dwFlagsAndAttributes,
				 HANDLE hTemplateFile)
{
	char *name = lpFileName ? etw_narrow(lpFileName) : NULL;
	HANDLE file = CreateFileA(name, dwDesiredAccess, dwShareMode, lpSecurityAttributes,
				  dwCreationDisposition, dwFlagsAndAttributes, hTemplateFile);

	free(name);
	return file;
}

static inline BOOL CloseHandle(HANDLE hObject)
{
	int fd = etw_file_fd(hObject);

	return etw_file_result(fd, close(fd));
}

static inline BOOL etw_file_moved(int fd, ssize_t n, LPDWORD moved, LPOVERLAPPED overlapped)
{
	if (overlapped)
		errno = EINVAL;
	if (moved)
		*moved = n < 0 ? 0 : (DWORD)n;
	return etw_file_result(fd, n < 0);
}

/* 0 bytes at the end of the file.  @lpOverlapped must be NULL. */
static inline BOOL ReadFile(HANDLE hFile, LPVOID lpBuffer, DWORD nNumberOfBytesToRead,
			    LPDWORD lpNumberOfBytesRead, LPOVERLAPPED lpOverlapped)
{
	int fd = etw_file_fd(hFile);

	return etw_file_moved(fd, lpOverlapped ? -1 : read(fd, lpBuffer, nNumberOfBytesToRead),
			      lpNumberOfBytesRead, lpOverlapped);
}

static inline BOOL WriteFile(HANDLE hFile, LPCVOID lpBuffer, DWORD nNumberOfBytesToWrite,
			     LPDWORD lpNumberOfBytesWritten, LPOVERLAPPED lpOverlapped)
{
	int fd = etw_file_fd(hFile);

	return etw_file_moved(fd, lpOverlapped ? -1 : write(fd, lpBuffer, nNumberOfBytesToWrite),
			      lpNumberOfBytesWritten, lpOverlapped);
}

static inline BOOL DeleteFileA(LPCSTR lpFileName)
{
	return etw_file_result(-1, unlink(lpFileName));
}

static inline BOOL DeleteFileW(LPCWSTR lpFileName)
{
	char *name = etw_narrow(lpFileName);
	BOOL good = etw_file_result(-1, !name || unlink(name));

	free(name);
	return good;
}

static inline BOOL DeviceIoControl(HANDLE hDevice, DWORD dwIoControlCode, LPVOID lpInBuffer,
				   DWORD nInBufferSize, LPVOID lpOutBuffer, DWORD nOutBufferSize,
				   LPDWORD lpBytesReturned, LPOVERLAPPED lpOverlapped)
{
	struct etw_device_control control;
	int fd = etw_file_fd(hDevice);

	memset(&control, 0, sizeof(control));
	control.input = (ULONG_PTR)lpInBuffer;
	control.output = (ULONG_PTR)lpOutBuffer;
	control.input_size = nInBufferSize;
	control.output_size = nOutBufferSize;
	control.code = dwIoControlCode;
	if (lpOverlapped) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	if (!etw_file_result(fd, ioctl(fd, ETW_DEVICE_CONTROL, &control)))
		return FALSE;
	if (lpBytesReturned)
		*lpBytesReturned = control.returned;
	if (NT_SUCCESS(control.status))
		return TRUE;
	SetLastError(RtlNtStatusToDosError(control.status));
	return FALSE;
}

ETW_END_DECLS

#ifdef UNICODE
#define CreateFile		CreateFileW
#define DeleteFile		DeleteFileW
#else
#define CreateFile		CreateFileA
#define DeleteFile		DeleteFileA
#endif

#endif /* ETW_WIN32_FILEAPI_H */
