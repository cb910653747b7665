/* SPDX-License-Identifier: MIT */
/*
 * event_access.c - EventAccessControl, EventAccessQuery, EventAccessRemove
 *
 * Semantics: Microsoft's pages of these names and "EVENTSECURITYOPERATION
 * enumeration".
 */
#include <errno.h>
#include <string.h>

#include <evntcons.h>
#include "access.h"
#include "base/cancel.h"
#include "device/kdev.h"
#include "sid.h"

/* The Win32 code; a description in error means that the file is wrong. */
static ULONG result(int err, const struct etw_access_error *error)
{
	if (!error->what[0])
		return etw_win32_from_errno(err);
	switch (-err) {
	case EUCLEAN:
		return ERROR_FILE_CORRUPT;
	case ENOTUNIQ:
		return ERROR_INVALID_STATE;
	case EPERM:
	case EACCES:
	case EROFS:
		return ERROR_ACCESS_DENIED;
	case ENOSPC:
	case EDQUOT:
		return ERROR_DISK_FULL;
	case EFBIG:
		return ERROR_FILE_TOO_LARGE;
	case ENOLCK:
		return ERROR_LOCK_FAILED;
	case ENOMEM:
		return ERROR_NOT_ENOUGH_MEMORY;
	case EMFILE:
	case ENFILE:
		return ERROR_NO_SYSTEM_RESOURCES;
	case ENOENT:
	case ENOTDIR:
	case ENAMETOOLONG:
	case ELOOP:
	case EISDIR:
	case EINVAL:		/* not a regular file */
	case ENXIO:
	case ENODEV:
		return ERROR_BAD_PATHNAME;
	default:
		return ERROR_IO_DEVICE;
	}
}

static ULONG make_entry(PSID sid, ULONG rights, BOOLEAN allow, struct etw_access_entry *entry)
{
	ULONG ret;

	memset(entry, 0, sizeof(*entry));
	if (!sid || !(rights & ETW_RIGHT_ALL) || rights & ~(ETW_RIGHT_ALL | STANDARD_RIGHTS_ALL))
		return ERROR_INVALID_PARAMETER;
	ret = etw_sid_to_entry(sid, entry);
	if (ret)
		return ret;
	entry->type = allow ? ETW_ACCESS_ALLOW : ETW_ACCESS_DENY;
	entry->rights = rights & ETW_RIGHT_ALL;
	return ERROR_SUCCESS;
}

static int change(int fd, const struct etw_guid *guid, bool append,
		  const struct etw_access_entry *entry, struct etw_access_error *error)
{
	struct etw_access_list list = { .guid = *guid, .count = 1 };

	if (append)
		return etw_access_append(fd, guid, entry, 1, error);
	list.entries[0] = *entry;
	return etw_access_store(fd, guid, &list, error);
}

static ULONG control_access(LPGUID Guid, ULONG Operation, PSID Sid, ULONG Rights,
			    BOOLEAN AllowOrDeny)
{
	struct etw_access_error error;
	struct etw_access_entry entry;
	struct etw_guid guid;
	int saved = errno, fd, err;
	ULONG ret;

	if (!Guid || Operation >= EventSecurityMax)
		return ERROR_INVALID_PARAMETER;
	if (Operation == EventSecuritySetSACL || Operation == EventSecurityAddSACL)
		return ERROR_NOT_SUPPORTED;
	ret = make_entry(Sid, Rights, AllowOrDeny, &entry);
	if (ret)
		return ret;
	memcpy(&guid, Guid, sizeof(guid));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = change(fd, &guid, Operation == EventSecurityAddDACL, &entry, &error);
	etw_kdev_close(fd);
	errno = saved;
	return result(err, &error);
}

static ULONG remove_access(LPGUID Guid)
{
	struct etw_access_error error;
	int saved = errno, fd, err;
	struct etw_guid guid;

	if (!Guid)
		return ERROR_INVALID_PARAMETER;
	memcpy(&guid, Guid, sizeof(guid));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_access_store(fd, &guid, NULL, &error);
	etw_kdev_close(fd);
	errno = saved;
	return result(err, &error);
}

/* ------------------------------------------------------------------- asking */

#define ADMINS_SIZE	16	/* bytes of the SID of owner and group */

/* Write the entry as an ACE to at, unless that is NULL; returns its size in bytes. */
static ULONG put_ace(unsigned char *at, const struct etw_access_entry *entry)
{
	unsigned char sid[SECURITY_MAX_SID_SIZE];
	ULONG len = etw_sid_of_entry(entry, sid);
	ACE_HEADER head = {
		.AceType = entry->type == ETW_ACCESS_DENY ? ACCESS_DENIED_ACE_TYPE :
							    ACCESS_ALLOWED_ACE_TYPE,
		.AceSize = sizeof(head) + sizeof(ACCESS_MASK) + len,
	};

	if (at) {
		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), &entry->rights, sizeof(ACCESS_MASK));
		memcpy(at + sizeof(head) + sizeof(ACCESS_MASK), sid, len);
	}
	return head.AceSize;
}

/* Owner and group are always Administrators. */
static ULONG put_descriptor(unsigned char *at, const struct etw_access_list *list)
{
	const ULONG dacl = sizeof(SECURITY_DESCRIPTOR_RELATIVE), entries = dacl + sizeof(ACL);
	static const struct etw_access_entry admins = { .who = ETW_ACCESS_CAPABILITY, .id = 21 };
	SECURITY_DESCRIPTOR_RELATIVE head = {
		.Revision = SECURITY_DESCRIPTOR_REVISION,
		.Control = SE_DACL_PRESENT | SE_SELF_RELATIVE,
		.Dacl = dacl,
	};
	ACL acl = { .AclRevision = ACL_REVISION, .AceCount = list->count };
	unsigned char sid[SECURITY_MAX_SID_SIZE];
	ULONG size = entries, i;

	for (i = 0; i < list->count; i++)
		size += put_ace(at ? at + size : NULL, &list->entries[i]);
	acl.AclSize = size - dacl;
	head.Owner = size;
	head.Group = size + ADMINS_SIZE;
	if (at) {
		etw_sid_of_entry(&admins, sid);
		memcpy(at, &head, sizeof(head));
		memcpy(at + dacl, &acl, sizeof(acl));
		memcpy(at + head.Owner, sid, ADMINS_SIZE);
		memcpy(at + head.Group, sid, ADMINS_SIZE);
	}
	return size + 2 * ADMINS_SIZE;
}

static ULONG query_access(LPGUID Guid, PSECURITY_DESCRIPTOR Buffer, PULONG BufferSize)
{
	int saved = errno, fd, err;
	struct etw_access_list list;
	struct etw_guid guid;
	ULONG room;
	bool own;

	if (!Guid || !BufferSize || (!Buffer && *BufferSize))
		return ERROR_INVALID_PARAMETER;
	memcpy(&guid, Guid, sizeof(guid));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	err = etw_access_get(fd, &guid, &list, &own);
	etw_kdev_close(fd);
	errno = saved;
	if (err)
		return etw_win32_from_errno(err);
	room = *BufferSize;
	*BufferSize = put_descriptor(NULL, &list);
	if (room < *BufferSize)
		return ERROR_MORE_DATA;
	put_descriptor(Buffer, &list);
	return ERROR_SUCCESS;
}

/* ------------------------------------------------------------- the functions */

/* Cancellation is off: a cancelled thread would keep the file's lock for ever. */

ULONG EventAccessControl(LPGUID Guid, ULONG Operation, PSID Sid, ULONG Rights,
			 BOOLEAN AllowOrDeny)
{
	ULONG ret;
	int cancel;

	cancel = etw_cancel_hold();
	ret = control_access(Guid, Operation, Sid, Rights, AllowOrDeny);
	etw_cancel_allow(cancel);
	return ret;
}

ULONG EventAccessQuery(LPGUID Guid, PSECURITY_DESCRIPTOR Buffer, PULONG BufferSize)
{
	ULONG ret;
	int cancel;

	cancel = etw_cancel_hold();
	ret = query_access(Guid, Buffer, BufferSize);
	etw_cancel_allow(cancel);
	return ret;
}

ULONG EventAccessRemove(LPGUID Guid)
{
	ULONG ret;
	int cancel;

	cancel = etw_cancel_hold();
	ret = remove_access(Guid);
	etw_cancel_allow(cancel);
	return ret;
}
