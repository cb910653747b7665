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
	static const struct etw_win32_errors of_file[] = {
		{ ERROR_FILE_CORRUPT, { EUCLEAN } },
		{ ERROR_INVALID_STATE, { ENOTUNIQ } },
		{ ERROR_ACCESS_DENIED, { EPERM, EACCES, EROFS } },
		{ ERROR_DISK_FULL, { ENOSPC, EDQUOT } },
		{ ERROR_FILE_TOO_LARGE, { EFBIG } },
		{ ERROR_LOCK_FAILED, { ENOLCK } },
		{ ERROR_NOT_ENOUGH_MEMORY, { ENOMEM } },
		{ ERROR_NO_SYSTEM_RESOURCES, { EMFILE, ENFILE } },
		/* EINVAL: not a regular file */
		{ ERROR_BAD_PATHNAME, { ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, EISDIR, EINVAL,
					ENXIO, ENODEV } },
		{ ERROR_IO_DEVICE, { 0 } },
	};

	return error->what[0] ? etw_win32_find(of_file, err) : etw_win32_from_errno(err);
}

static ULONG make_entry(PSID sid, ULONG rights, BOOLEAN allow, struct etw_access_entry *entry)
{
	ULONG ret;

	memset(entry, 0, sizeof(*entry));
	if (!sid || !(rights & ETW_RIGHT_VALID) ||
	    rights & ~(ETW_RIGHT_VALID | STANDARD_RIGHTS_ALL))
		return ERROR_INVALID_PARAMETER;
	ret = etw_sid_to_entry(sid, entry);
	if (ret)
		return ret;
	entry->type = allow ? ETW_ACCESS_ALLOW : ETW_ACCESS_DENY;
	entry->rights = rights & ETW_RIGHT_VALID;
	return ERROR_SUCCESS;
}

/* Append the entry to the GUID's list or make it the only one; NULL: remove the list. */
static ULONG change(const GUID *guid, bool append, const struct etw_access_entry *entry)
{
	struct etw_access_list list = { .count = 1 };
	struct etw_access_error error;
	int saved = errno, fd, err;

	memcpy(&list.guid, guid, sizeof(list.guid));
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	if (entry)
		list.entries[0] = *entry;
	err = append ? etw_access_append(fd, &list.guid, entry, 1, &error) :
		       etw_access_store(fd, &list.guid, entry ? &list : NULL, &error);
	etw_kdev_close(fd);
	errno = saved;
	return result(err, &error);
}

/* Cancellation is off below: a cancelled thread would keep the file's lock for ever. */

ULONG EventAccessControl(LPGUID Guid, ULONG Operation, PSID Sid, ULONG Rights,
			 BOOLEAN AllowOrDeny)
{
	struct etw_access_entry entry;
	int saved = errno, cancel;
	ULONG ret;

	if (!Guid || Operation >= EventSecurityMax)
		return ERROR_INVALID_PARAMETER;
	if (Operation == EventSecuritySetSACL || Operation == EventSecurityAddSACL)
		return ERROR_NOT_SUPPORTED;
	cancel = etw_cancel_hold();
	ret = make_entry(Sid, Rights, AllowOrDeny, &entry);
	if (!ret)
		ret = change(Guid, Operation == EventSecurityAddDACL, &entry);
	etw_cancel_allow(cancel);
	errno = saved;
	return ret;
}

ULONG EventAccessRemove(LPGUID Guid)
{
	int cancel = etw_cancel_hold();
	ULONG ret = Guid ? change(Guid, false, NULL) : ERROR_INVALID_PARAMETER;

	etw_cancel_allow(cancel);
	return ret;
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

ULONG EventAccessQuery(LPGUID Guid, PSECURITY_DESCRIPTOR Buffer, PULONG BufferSize)
{
	int saved = errno, fd, err, cancel;
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
	cancel = etw_cancel_hold();
	err = etw_access_get(fd, &guid, &list, &own);
	etw_kdev_close(fd);
	if (!err) {
		room = *BufferSize;
		*BufferSize = put_descriptor(NULL, &list);
		if (room >= *BufferSize)
			put_descriptor(Buffer, &list);
		else
			err = -EMSGSIZE;
	}
	etw_cancel_allow(cancel);
	errno = saved;
	return etw_win32_from_errno(err);
}
