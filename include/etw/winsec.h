/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winsec.h - layouts of SIDs, access lists and security descriptors
 *
 * The parts that EventAccessControl() and EventAccessQuery() need, with Windows'
 * layouts.  SIDs have these meanings:
 *
 *	S-1-22-1-N	the user with uid N		(the same in Samba)
 *	S-1-22-2-N	the group with gid N		(the same in Samba)
 *	S-1-22-3-N	processes with capability N	(only here)
 *	S-1-1-0		everyone
 *	S-1-5-11	authenticated users: everyone
 *	S-1-5-18	LocalSystem: the user root
 *	S-1-5-32-544	Administrators: processes with CAP_SYS_ADMIN
 *	S-1-5-32-558	Performance Monitor Users: processes with CAP_PERFMON
 *	S-1-5-32-559	Performance Log Users: the group named "etw"
 *
 * Ids are those of the initial user namespace.
 *
 * Semantics: Microsoft's pages "SID structure", "ACL structure",
 * "ACCESS_ALLOWED_ACE structure", "Absolute and Self-Relative Security
 * Descriptors" and "Well-known SIDs".
 */
#ifndef ETW_WINSEC_H
#define ETW_WINSEC_H

#include <etw/wintypes.h>

ETW_BEGIN_DECLS

typedef PVOID PSID;
typedef PVOID PSECURITY_DESCRIPTOR;
typedef DWORD ACCESS_MASK;
typedef WORD SECURITY_DESCRIPTOR_CONTROL;

typedef struct _SID_IDENTIFIER_AUTHORITY {
	BYTE Value[6];			/* big-endian */
} SID_IDENTIFIER_AUTHORITY, *PSID_IDENTIFIER_AUTHORITY;

/* 8 bytes plus 4 for each SubAuthority */
typedef struct _SID {
	BYTE Revision;			/* SID_REVISION */
	BYTE SubAuthorityCount;		/* at most SID_MAX_SUB_AUTHORITIES */
	SID_IDENTIFIER_AUTHORITY IdentifierAuthority;
	DWORD SubAuthority[ANYSIZE_ARRAY];
} SID, *PISID;

/* 8 bytes; entries follow */
typedef struct _ACL {
	BYTE AclRevision;		/* ACL_REVISION */
	BYTE Sbz1;
	WORD AclSize;			/* bytes, entries included */
	WORD AceCount;
	WORD Sbz2;
} ACL, *PACL;

typedef struct _ACE_HEADER {
	BYTE AceType;			/* ACCESS_ALLOWED_ACE_TYPE... */
	BYTE AceFlags;
	WORD AceSize;			/* bytes, this header included */
} ACE_HEADER, *PACE_HEADER;

typedef struct _ACCESS_ALLOWED_ACE {
	ACE_HEADER Header;
	ACCESS_MASK Mask;		/* WMIGUID_*, TRACELOG_* */
	DWORD SidStart;			/* first bytes of the SID */
} ACCESS_ALLOWED_ACE, *PACCESS_ALLOWED_ACE;

typedef struct _ACCESS_DENIED_ACE {
	ACE_HEADER Header;
	ACCESS_MASK Mask;
	DWORD SidStart;
} ACCESS_DENIED_ACE, *PACCESS_DENIED_ACE;

/* 20 bytes; the start of EventAccessQuery()'s output */
typedef struct _SECURITY_DESCRIPTOR_RELATIVE {
	BYTE Revision;			/* SECURITY_DESCRIPTOR_REVISION */
	BYTE Sbz1;
	SECURITY_DESCRIPTOR_CONTROL Control;	/* SE_* */
	DWORD Owner;			/* offsets from the start of the struct, bytes; 0: none */
	DWORD Group;
	DWORD Sacl;
	DWORD Dacl;
} SECURITY_DESCRIPTOR_RELATIVE, *PISECURITY_DESCRIPTOR_RELATIVE;

ETW_END_DECLS

#define SID_REVISION			1
#define SID_MAX_SUB_AUTHORITIES		15
#define SECURITY_MAX_SID_SIZE		68
#define ACL_REVISION			2
#define SECURITY_DESCRIPTOR_REVISION	1

#define ACCESS_ALLOWED_ACE_TYPE		0
#define ACCESS_DENIED_ACE_TYPE		1

#define SE_DACL_PRESENT			0x0004
#define SE_SELF_RELATIVE		0x8000

/* Standard rights of Windows objects; they have no effect here. */
#define DELETE				0x00010000
#define READ_CONTROL			0x00020000
#define WRITE_DAC			0x00040000
#define WRITE_OWNER			0x00080000
#define SYNCHRONIZE			0x00100000
#define STANDARD_RIGHTS_READ		READ_CONTROL
#define STANDARD_RIGHTS_ALL		0x001F0000

#define SECURITY_WORLD_SID_AUTHORITY	{ 0, 0, 0, 0, 0, 1 }
#define SECURITY_NT_AUTHORITY		{ 0, 0, 0, 0, 0, 5 }
#define ETW_UNIX_SID_AUTHORITY		{ 0, 0, 0, 0, 0, 22 }
#define SECURITY_WORLD_RID		0
#define SECURITY_AUTHENTICATED_USER_RID	0x0000000B
#define SECURITY_LOCAL_SYSTEM_RID	0x00000012
#define SECURITY_BUILTIN_DOMAIN_RID	0x00000020
#define DOMAIN_ALIAS_RID_ADMINS		0x00000220
#define DOMAIN_ALIAS_RID_MONITORING_USERS	0x0000022E
#define DOMAIN_ALIAS_RID_LOGGING_USERS	0x0000022F
#define ETW_UNIX_USER_RID		1
#define ETW_UNIX_GROUP_RID		2
#define ETW_CAPABILITY_RID		3

#endif /* ETW_WINSEC_H */
