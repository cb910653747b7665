// SPDX-License-Identifier: GPL-2.0-only
/*
 * errors.c - error codes: their values, their texts, and which errno or status becomes which
 *
 * Numbers are those of Microsoft's pages "System Error Codes", "NTSTATUS Values" and "Mapping NT
 * Status Error Codes to Win32 Error Codes".  C and C++, with and without -fshort-wchar; compiled
 * and run by unit/tree/win32.sh.
 */
#include <windows.h>
#include <winternl.h>
#include "check.h"

#define CODE(name, number)	{ #name, (DWORD)(name), number }

struct code {
	const char *name;
	DWORD value;
	DWORD number;
};

/* What Microsoft's pages of ETW's and TDH's functions list, then what surrounds them */
static const struct code win32_codes[] = {
	CODE(ERROR_SUCCESS, 0), CODE(ERROR_INVALID_FUNCTION, 1), CODE(ERROR_FILE_NOT_FOUND, 2),
	CODE(ERROR_ACCESS_DENIED, 5), CODE(ERROR_INVALID_HANDLE, 6),
	CODE(ERROR_NOT_ENOUGH_MEMORY, 8), CODE(ERROR_INVALID_DATA, 13),
	CODE(ERROR_OUTOFMEMORY, 14), CODE(ERROR_BAD_LENGTH, 24),
	CODE(ERROR_SHARING_VIOLATION, 32), CODE(ERROR_NOT_SUPPORTED, 50),
	CODE(ERROR_INVALID_PARAMETER, 87), CODE(ERROR_DISK_FULL, 112),
	CODE(ERROR_INSUFFICIENT_BUFFER, 122), CODE(ERROR_MOD_NOT_FOUND, 126),
	CODE(ERROR_BAD_PATHNAME, 161), CODE(ERROR_BUSY, 170), CODE(ERROR_ALREADY_EXISTS, 183),
	CODE(ERROR_INVALID_FLAG_NUMBER, 186), CODE(ERROR_MORE_DATA, 234),
	CODE(ERROR_MR_MID_NOT_FOUND, 317), CODE(ERROR_ARITHMETIC_OVERFLOW, 534),
	CODE(ERROR_NOACCESS, 998), CODE(ERROR_NOT_FOUND, 1168), CODE(ERROR_CANCELLED, 1223),
	CODE(ERROR_FILE_CORRUPT, 1392), CODE(ERROR_NO_SYSTEM_RESOURCES, 1450),
	CODE(ERROR_TIMEOUT, 1460), CODE(ERROR_XML_PARSE_ERROR, 1465),
	CODE(ERROR_LOG_FILE_FULL, 1502), CODE(ERROR_RESOURCE_DATA_NOT_FOUND, 1812),
	CODE(ERROR_RESOURCE_TYPE_NOT_FOUND, 1813), CODE(ERROR_RESOURCE_NAME_NOT_FOUND, 1814),
	CODE(ERROR_INVALID_TIME, 1901), CODE(ERROR_ACTIVE_CONNECTIONS, 2402),
	CODE(ERROR_WMI_GUID_NOT_FOUND, 4200), CODE(ERROR_WMI_INSTANCE_NOT_FOUND, 4201),
	CODE(ERROR_WMI_ALREADY_ENABLED, 4206), CODE(ERROR_WMI_SERVER_UNAVAILABLE, 4208),
	CODE(ERROR_EMPTY, 4306), CODE(ERROR_INVALID_OPERATION, 4317),
	CODE(ERROR_RESOURCE_NOT_FOUND, 5007), CODE(ERROR_INVALID_STATE, 5023),
	CODE(ERROR_CTX_CLOSE_PENDING, 7007), CODE(ERROR_EVT_PUBLISHER_METADATA_NOT_FOUND, 15002),
	CODE(ERROR_EVT_INVALID_EVENT_DATA, 15005), CODE(ERROR_EVT_MESSAGE_NOT_FOUND, 15027),
	CODE(ERROR_EVT_EVENT_DEFINITION_NOT_FOUND, 15032), CODE(ERROR_MUI_FILE_NOT_FOUND, 15100),

	CODE(ERROR_PATH_NOT_FOUND, 3), CODE(ERROR_TOO_MANY_OPEN_FILES, 4),
	CODE(ERROR_NOT_SAME_DEVICE, 17), CODE(ERROR_NO_MORE_FILES, 18),
	CODE(ERROR_WRITE_PROTECT, 19), CODE(ERROR_NOT_READY, 21), CODE(ERROR_BAD_COMMAND, 22),
	CODE(ERROR_CRC, 23), CODE(ERROR_WRITE_FAULT, 29), CODE(ERROR_READ_FAULT, 30),
	CODE(ERROR_GEN_FAILURE, 31), CODE(ERROR_LOCK_VIOLATION, 33), CODE(ERROR_HANDLE_EOF, 38),
	CODE(ERROR_DEV_NOT_EXIST, 55), CODE(ERROR_FILE_EXISTS, 80), CODE(ERROR_BROKEN_PIPE, 109),
	CODE(ERROR_OPEN_FAILED, 110), CODE(ERROR_BUFFER_OVERFLOW, 111),
	CODE(ERROR_CALL_NOT_IMPLEMENTED, 120), CODE(ERROR_SEM_TIMEOUT, 121),
	CODE(ERROR_INVALID_NAME, 123), CODE(ERROR_PROC_NOT_FOUND, 127),
	CODE(ERROR_DIR_NOT_EMPTY, 145), CODE(ERROR_LOCK_FAILED, 167),
	CODE(ERROR_BAD_EXE_FORMAT, 193), CODE(ERROR_FILENAME_EXCED_RANGE, 206),
	CODE(ERROR_FILE_TOO_LARGE, 223), CODE(ERROR_NO_DATA, 232), CODE(WAIT_TIMEOUT, 258),
	CODE(ERROR_NO_MORE_ITEMS, 259), CODE(ERROR_DIRECTORY, 267), CODE(ERROR_PARTIAL_COPY, 299),
	CODE(ERROR_INVALID_ADDRESS, 487), CODE(ERROR_OPERATION_ABORTED, 995),
	CODE(ERROR_IO_PENDING, 997), CODE(ERROR_STACK_OVERFLOW, 1001),
	CODE(ERROR_NO_UNICODE_TRANSLATION, 1113), CODE(ERROR_IO_DEVICE, 1117),
	CODE(ERROR_POSSIBLE_DEADLOCK, 1131), CODE(ERROR_DEVICE_NOT_CONNECTED, 1167),
	CODE(ERROR_UNKNOWN_REVISION, 1305), CODE(ERROR_PRIVILEGE_NOT_HELD, 1314),
	CODE(ERROR_NONE_MAPPED, 1332), CODE(ERROR_INVALID_ACL, 1336),
	CODE(ERROR_INVALID_SID, 1337), CODE(ERROR_INVALID_SECURITY_DESCR, 1338),
	CODE(ERROR_INTERNAL_ERROR, 1359), CODE(ERROR_INVALID_USER_BUFFER, 1784),
	CODE(ERROR_NOT_ENOUGH_QUOTA, 1816), CODE(ERROR_CANT_RESOLVE_FILENAME, 1921),
};

/* Of EtwWrite() and the like, and the success and pending of drivers */
static const struct code status_codes[] = {
	CODE(STATUS_SUCCESS, 0), CODE(STATUS_PENDING, 0x103),
	CODE(STATUS_BUFFER_OVERFLOW, 0x80000005), CODE(STATUS_UNSUCCESSFUL, 0xC0000001),
	CODE(STATUS_INVALID_HANDLE, 0xC0000008), CODE(STATUS_INVALID_PARAMETER, 0xC000000D),
	CODE(STATUS_NO_MEMORY, 0xC0000017), CODE(STATUS_ACCESS_DENIED, 0xC0000022),
	CODE(STATUS_BUFFER_TOO_SMALL, 0xC0000023), CODE(STATUS_INTEGER_OVERFLOW, 0xC0000095),
	CODE(STATUS_INSUFFICIENT_RESOURCES, 0xC000009A), CODE(STATUS_NOT_SUPPORTED, 0xC00000BB),
	CODE(STATUS_LOG_FILE_FULL, 0xC0000188), CODE(STATUS_NOT_FOUND, 0xC0000225),
};

static void check_values(const struct code *code, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (code[i].value == code[i].number)
			continue;
		etw_printf("%s is %u instead of %u\n", code[i].name, code[i].value, code[i].number);
		check_failed = 1;
	}
}

static void check_texts(void)
{
	char text[100];
	size_t i;

	for (i = 0; i < _countof(win32_codes); i++) {
		if (FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM, NULL, win32_codes[i].number, 0, text,
				   sizeof(text), NULL) > 3)
			continue;
		etw_printf("%s has no text\n", win32_codes[i].name);
		check_failed = 1;
	}
}

static void check_statuses(void)
{
	static const struct {
		NTSTATUS status;
		ULONG error;
	} rows[] = {
		{ 0, 0 }, { 0x102, 1460 }, { 0x103, 997 },
		{ (NTSTATUS)0x80000002, 998 }, { (NTSTATUS)0x80000005, 234 },
		{ (NTSTATUS)0x80000006, 18 }, { (NTSTATUS)0x80000011, 170 },
		{ (NTSTATUS)0x8000001A, 259 }, { (NTSTATUS)0xC0000001, 31 },
		{ (NTSTATUS)0xC0000002, 1 }, { (NTSTATUS)0xC0000003, 87 },
		{ (NTSTATUS)0xC0000004, 24 }, { (NTSTATUS)0xC0000005, 998 },
		{ (NTSTATUS)0xC0000008, 6 }, { (NTSTATUS)0xC000000D, 87 },
		{ (NTSTATUS)0xC000000E, 2 }, { (NTSTATUS)0xC000000F, 2 },
		{ (NTSTATUS)0xC0000010, 1 }, { (NTSTATUS)0xC0000011, 38 },
		{ (NTSTATUS)0xC0000017, 8 }, { (NTSTATUS)0xC0000018, 487 },
		{ (NTSTATUS)0xC0000022, 5 }, { (NTSTATUS)0xC0000023, 122 },
		{ (NTSTATUS)0xC0000024, 6 }, { (NTSTATUS)0xC0000030, 87 },
		{ (NTSTATUS)0xC0000033, 123 }, { (NTSTATUS)0xC0000034, 2 },
		{ (NTSTATUS)0xC0000035, 183 }, { (NTSTATUS)0xC0000039, 161 },
		{ (NTSTATUS)0xC000003A, 3 }, { (NTSTATUS)0xC000003E, 23 },
		{ (NTSTATUS)0xC0000043, 32 }, { (NTSTATUS)0xC0000044, 1816 },
		{ (NTSTATUS)0xC0000054, 33 }, { (NTSTATUS)0xC0000056, 5 },
		{ (NTSTATUS)0xC0000061, 1314 }, { (NTSTATUS)0xC0000078, 1337 },
		{ (NTSTATUS)0xC0000079, 1338 }, { (NTSTATUS)0xC000007F, 112 },
		{ (NTSTATUS)0xC0000095, 534 }, { (NTSTATUS)0xC000009A, 1450 },
		{ (NTSTATUS)0xC000009C, 23 }, { (NTSTATUS)0xC000009D, 1167 },
		{ (NTSTATUS)0xC00000A2, 19 }, { (NTSTATUS)0xC00000A3, 21 },
		{ (NTSTATUS)0xC00000B5, 121 }, { (NTSTATUS)0xC00000BA, 5 },
		{ (NTSTATUS)0xC00000BB, 50 }, { (NTSTATUS)0xC00000C0, 55 },
		{ (NTSTATUS)0xC00000D4, 17 }, { (NTSTATUS)0xC00000E5, 1359 },
		{ (NTSTATUS)0xC00000E8, 1784 }, { (NTSTATUS)0xC00000EF, 87 },
		{ (NTSTATUS)0xC00000F2, 87 }, { (NTSTATUS)0xC00000FD, 1001 },
		{ (NTSTATUS)0xC0000101, 145 }, { (NTSTATUS)0xC0000102, 1392 },
		{ (NTSTATUS)0xC0000106, 206 }, { (NTSTATUS)0xC000011F, 4 },
		{ (NTSTATUS)0xC0000120, 995 }, { (NTSTATUS)0xC000014B, 109 },
		{ (NTSTATUS)0xC0000184, 22 }, { (NTSTATUS)0xC0000185, 1117 },
		{ (NTSTATUS)0xC0000188, 1502 }, { (NTSTATUS)0xC0000194, 1131 },
		{ (NTSTATUS)0xC0000206, 1784 }, { (NTSTATUS)0xC0000225, 1168 },
		{ (NTSTATUS)0xC0000904, 223 },
		/* An HRESULT_FROM_NT(), Win32 codes in a status, a driver's own, none */
		{ (NTSTATUS)0xD000009A, 1450 }, { (NTSTATUS)0xC0070005, 5 },
		{ (NTSTATUS)0x80070057, 87 }, { (NTSTATUS)0xE0000001, 0xE0000001 },
		{ (NTSTATUS)0xC0009999, 317 },
	};
	size_t i;

	for (i = 0; i < _countof(rows); i++) {
		ULONG error = RtlNtStatusToDosError(rows[i].status);

		if (error == rows[i].error)
			continue;
		etw_printf("status %#x is %u instead of %u\n", rows[i].status, error, rows[i].error);
		check_failed = 1;
	}
	CHECK(HRESULT_FROM_NT(STATUS_NO_MEMORY) == (HRESULT)0xD0000017);
	CHECK(NT_ERROR(STATUS_NO_MEMORY) && !NT_ERROR(STATUS_BUFFER_OVERFLOW));
	CHECK(NT_WARNING(STATUS_BUFFER_OVERFLOW) && !NT_WARNING(STATUS_PENDING));
}

static DWORD open_error(const char *name, DWORD access, DWORD disposition)
{
	HANDLE file;

	SetLastError(0);
	file = CreateFileA(name, access, 0, NULL, disposition, 0, NULL);
	if (file != INVALID_HANDLE_VALUE)
		CloseHandle(file);
	return GetLastError();
}

/* What the calls make of the errnos of files and of devices */
static void check_files(const char *directory)
{
	char path[300], buffer[8] = "";
	HANDLE file;
	DWORD n;

	etw_snprintf(path, sizeof(path), "%s/errors", directory);
	CHECK(open_error(path, GENERIC_READ, OPEN_EXISTING) == 2);
	CHECK(open_error(path, GENERIC_WRITE, CREATE_NEW) == 0);
	CHECK(open_error(path, GENERIC_WRITE, CREATE_NEW) == 80);
	CHECK(open_error(directory, GENERIC_WRITE, OPEN_EXISTING) == 5);
	etw_snprintf(path, sizeof(path), "%s/errors/in a file", directory);
	CHECK(open_error(path, GENERIC_READ, OPEN_EXISTING) == 3);
	etw_snprintf(path, sizeof(path), "%s/%0256d", directory, 0);
	CHECK(open_error(path, GENERIC_READ, OPEN_EXISTING) == 206);
	CHECK(!DeleteFileA(directory) && GetLastError() == 5);

	/* ENOSPC of a device, ENOTTY, and EBADF of a handle that is for something else */
	file = CreateFileA("\\\\.\\full", GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL);
	CHECK(!WriteFile(file, buffer, 8, &n, NULL) && GetLastError() == 1450);
	CHECK(!ReadFile(file, buffer, 8, &n, NULL) && GetLastError() == 5);
	CHECK(!DeviceIoControl(file, 1, NULL, 0, NULL, 0, &n, NULL) && GetLastError() == 1);
	CHECK(CloseHandle(file));
	CHECK(!ReadFile(file, buffer, 8, &n, NULL) && GetLastError() == 6);

	CHECK(etw_errno_error(EOPNOTSUPP) == 50 && etw_errno_error(ENOTTY) == 1);
	CHECK(etw_errno_error(ENOBUFS) == 122 && etw_errno_error(ENOSPC) == 112);
	CHECK(etw_errno_error(EPERM) == 5 && etw_errno_error(EINTR) == 995);
	CHECK(etw_errno_error(EIO) == 1117 && etw_device_error(EIO) == 31);
	CHECK(etw_errno_error(EFAULT) == 998 && etw_errno_error(EROFS) == 19);
	CHECK(etw_errno_error(ELOOP) == 1921 && etw_errno_error(ECHILD) == 31);
}

int main(int argc, char **argv)
{
	check_values(win32_codes, _countof(win32_codes));
	check_values(status_codes, _countof(status_codes));
	check_texts();
	check_statuses();
	check_files(argc > 1 ? argv[1] : ".");
	return check_failed;
}
