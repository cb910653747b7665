/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * securitybaseapi.h - SIDs: measure, compare, copy, make, name; <etw/winsec.h> lists their
 * meanings
 *
 * Semantics: Microsoft's pages of the functions.
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_SECURITYBASEAPI_H
#define ETW_WIN32_SECURITYBASEAPI_H

#include <grp.h>
#include <pwd.h>

ETW_BEGIN_DECLS

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
/* pwd.h and grp.h hide these in this mode. */
extern int getpwuid_r(__uid_t uid, struct passwd *entry, char *text, size_t size,
		      struct passwd **found);
extern int getgrgid_r(__gid_t gid, struct group *entry, char *text, size_t size,
		      struct group **found);
#endif

static inline DWORD GetSidLengthRequired(UCHAR nSubAuthorityCount)
{
	return (DWORD)(offsetof(SID, SubAuthority) + nSubAuthorityCount * sizeof(DWORD));
}

static inline BOOL IsValidSid(PSID pSid)
{
	const SID *sid = (const SID *)pSid;

	return sid && sid->Revision == SID_REVISION &&
	       sid->SubAuthorityCount <= SID_MAX_SUB_AUTHORITIES;
}

static inline DWORD GetLengthSid(PSID pSid)
{
	return GetSidLengthRequired(((const SID *)pSid)->SubAuthorityCount);
}

static inline BOOL EqualSid(PSID pSid1, PSID pSid2)
{
	DWORD length = GetLengthSid(pSid1);

	return length == GetLengthSid(pSid2) && !memcmp(pSid1, pSid2, length);
}

static inline BOOL CopySid(DWORD nDestinationSidLength, PSID pDestinationSid, PSID pSourceSid)
{
	DWORD length = GetLengthSid(pSourceSid);

	if (nDestinationSidLength < length) {
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	memcpy(pDestinationSid, pSourceSid, length);
	return TRUE;
}

static inline PUCHAR GetSidSubAuthorityCount(PSID pSid)
{
	return &((SID *)pSid)->SubAuthorityCount;
}

static inline PDWORD GetSidSubAuthority(PSID pSid, DWORD nSubAuthority)
{
	return (PDWORD)(void *)((char *)pSid + offsetof(SID, SubAuthority)) + nSubAuthority;
}

static inline PSID_IDENTIFIER_AUTHORITY GetSidIdentifierAuthority(PSID pSid)
{
	return &((SID *)pSid)->IdentifierAuthority;
}

static inline BOOL InitializeSid(PSID Sid, PSID_IDENTIFIER_AUTHORITY pIdentifierAuthority,
				 BYTE nSubAuthorityCount)
{
	SID *sid = (SID *)Sid;

	if (nSubAuthorityCount > SID_MAX_SUB_AUTHORITIES) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	memset(sid, 0, GetSidLengthRequired(nSubAuthorityCount));
	sid->Revision = SID_REVISION;
	sid->SubAuthorityCount = nSubAuthorityCount;
	sid->IdentifierAuthority = *pIdentifierAuthority;
	return TRUE;
}

/* The caller frees the SID with FreeSid(). */
static inline BOOL AllocateAndInitializeSid(PSID_IDENTIFIER_AUTHORITY pIdentifierAuthority,
					    BYTE nSubAuthorityCount, DWORD nSubAuthority0,
					    DWORD nSubAuthority1, DWORD nSubAuthority2,
					    DWORD nSubAuthority3, DWORD nSubAuthority4,
					    DWORD nSubAuthority5, DWORD nSubAuthority6,
					    DWORD nSubAuthority7, PSID *pSid)
{
	const DWORD all[8] = { nSubAuthority0, nSubAuthority1, nSubAuthority2, nSubAuthority3,
			       nSubAuthority4, nSubAuthority5, nSubAuthority6, nSubAuthority7 };

	if (nSubAuthorityCount > 8) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	*pSid = malloc(GetSidLengthRequired(nSubAuthorityCount));
	if (!*pSid) {
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
		return FALSE;
	}
	InitializeSid(*pSid, pIdentifierAuthority, nSubAuthorityCount);
	if (nSubAuthorityCount)
		memcpy(GetSidSubAuthority(*pSid, 0), all, nSubAuthorityCount * sizeof(all[0]));
	return TRUE;
}

static inline PVOID FreeSid(PSID pSid)
{
	free(pSid);
	return NULL;
}

/* ------------------------------------------------------------ well-known SIDs */

typedef enum {
	WinNullSid = 0,
	WinWorldSid = 1,
	WinLocalSid = 2,
	WinCreatorOwnerSid = 3,
	WinCreatorGroupSid = 4,
	WinNtAuthoritySid = 7,
	WinNetworkSid = 9,
	WinInteractiveSid = 11,
	WinServiceSid = 12,
	WinAnonymousSid = 13,
	WinAuthenticatedUserSid = 17,
	WinLocalSystemSid = 22,
	WinLocalServiceSid = 23,
	WinNetworkServiceSid = 24,
	WinBuiltinAdministratorsSid = 26,
	WinBuiltinUsersSid = 27,
	WinBuiltinGuestsSid = 28,
	WinBuiltinPerfMonitoringUsersSid = 57,
	WinBuiltinPerfLoggingUsersSid = 58
} WELL_KNOWN_SID_TYPE;

typedef enum _SID_NAME_USE {
	SidTypeUser = 1,
	SidTypeGroup,
	SidTypeDomain,
	SidTypeAlias,
	SidTypeWellKnownGroup,
	SidTypeDeletedAccount,
	SidTypeInvalid,
	SidTypeUnknown,
	SidTypeComputer,
	SidTypeLabel,
	SidTypeLogonSession
} SID_NAME_USE, *PSID_NAME_USE;

struct etw_known_sid {
	WELL_KNOWN_SID_TYPE type;
	BYTE authority;
	BYTE count;
	DWORD parts[2];
	SID_NAME_USE use;
	const char *domain;
	const char *name;
};

static inline const struct etw_known_sid *etw_known_sids(size_t *count)
{
	static const struct etw_known_sid table[] = {
		{ WinNullSid, 0, 1, { 0, 0 }, SidTypeWellKnownGroup, "", "NULL SID" },
		{ WinWorldSid, 1, 1, { 0, 0 }, SidTypeWellKnownGroup, "", "Everyone" },
		{ WinLocalSid, 2, 1, { 0, 0 }, SidTypeWellKnownGroup, "", "LOCAL" },
		{ WinCreatorOwnerSid, 3, 1, { 0, 0 }, SidTypeWellKnownGroup, "", "CREATOR OWNER" },
		{ WinCreatorGroupSid, 3, 1, { 1, 0 }, SidTypeWellKnownGroup, "", "CREATOR GROUP" },
		{ WinNtAuthoritySid, 5, 0, { 0, 0 }, SidTypeDomain, "NT AUTHORITY", "" },
#define ETW_NT_SID(type, rid, name)						\
		{ type, 5, 1, { rid, 0 }, SidTypeWellKnownGroup, "NT AUTHORITY", name }
		ETW_NT_SID(WinNetworkSid, 2, "NETWORK"),
		ETW_NT_SID(WinInteractiveSid, 4, "INTERACTIVE"),
		ETW_NT_SID(WinServiceSid, 6, "SERVICE"),
		ETW_NT_SID(WinAnonymousSid, 7, "ANONYMOUS LOGON"),
		ETW_NT_SID(WinAuthenticatedUserSid, 11, "Authenticated Users"),
		ETW_NT_SID(WinLocalSystemSid, 18, "SYSTEM"),
		ETW_NT_SID(WinLocalServiceSid, 19, "LOCAL SERVICE"),
		ETW_NT_SID(WinNetworkServiceSid, 20, "NETWORK SERVICE"),
#undef ETW_NT_SID
#define ETW_BUILTIN_SID(type, rid, name)					\
		{ type, 5, 2, { SECURITY_BUILTIN_DOMAIN_RID, rid }, SidTypeAlias, "BUILTIN", name }
		ETW_BUILTIN_SID(WinBuiltinAdministratorsSid, 544, "Administrators"),
		ETW_BUILTIN_SID(WinBuiltinUsersSid, 545, "Users"),
		ETW_BUILTIN_SID(WinBuiltinGuestsSid, 546, "Guests"),
		ETW_BUILTIN_SID(WinBuiltinPerfMonitoringUsersSid, 558, "Performance Monitor Users"),
		ETW_BUILTIN_SID(WinBuiltinPerfLoggingUsersSid, 559, "Performance Log Users"),
#undef ETW_BUILTIN_SID
	};

	*count = sizeof(table) / sizeof(table[0]);
	return table;
}

/* @cbSid: in: room at @pSid; out: the length.  @DomainSid is not used: only the types above */
static inline BOOL CreateWellKnownSid(WELL_KNOWN_SID_TYPE WellKnownSidType, PSID DomainSid,
				      PSID pSid, DWORD *cbSid)
{
	SID_IDENTIFIER_AUTHORITY authority = { { 0, 0, 0, 0, 0, 0 } };
	const struct etw_known_sid *known;
	size_t i, count;
	DWORD room;

	UNREFERENCED_PARAMETER(DomainSid);
	known = etw_known_sids(&count);
	for (i = 0; i < count && known[i].type != WellKnownSidType; i++)
		;
	if (i == count || !cbSid) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	room = *cbSid;
	*cbSid = GetSidLengthRequired(known[i].count);
	if (!pSid || room < *cbSid) {
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
		return FALSE;
	}
	authority.Value[5] = known[i].authority;
	InitializeSid(pSid, &authority, known[i].count);
	if (known[i].count)
		memcpy(GetSidSubAuthority(pSid, 0), known[i].parts,
		       known[i].count * sizeof(DWORD));
	return TRUE;
}

static inline BOOL IsWellKnownSid(PSID pSid, WELL_KNOWN_SID_TYPE WellKnownSidType)
{
	DWORD known[SECURITY_MAX_SID_SIZE / sizeof(DWORD)], size = sizeof(known);

	return IsValidSid(pSid) && CreateWellKnownSid(WellKnownSidType, NULL, known, &size) &&
	       EqualSid(pSid, known);
}

/* The name of user or group @id in @name; FALSE: there is none */
static inline BOOL etw_account_name(BOOL group, DWORD id, char name[256])
{
	struct passwd user, *found_user = NULL;
	struct group members, *found_group = NULL;
	size_t size = 65536;
	char *text = (char *)malloc(size);
	const char *found = NULL;

	if (text && group && !getgrgid_r(id, &members, text, size, &found_group) && found_group)
		found = members.gr_name;
	if (text && !group && !getpwuid_r(id, &user, text, size, &found_user) && found_user)
		found = user.pw_name;
	if (found)
		snprintf(name, 256, "%s", found);
	free(text);
	return found != NULL;
}

/* What LookupAccountSid() returns, in @name; @domain: a constant */
static inline BOOL etw_account(PSID sid, char name[256], const char **domain, SID_NAME_USE *use)
{
	const struct etw_known_sid *known;
	const BYTE *authority;
	size_t i, count;

	if (!IsValidSid(sid)) {
		SetLastError(ERROR_INVALID_SID);
		return FALSE;
	}
	known = etw_known_sids(&count);
	for (i = 0; i < count; i++) {
		if (!IsWellKnownSid(sid, known[i].type))
			continue;
		snprintf(name, 256, "%s", known[i].name);
		*domain = known[i].domain;
		*use = known[i].use;
		return TRUE;
	}
	authority = GetSidIdentifierAuthority(sid)->Value;
	if (!memcmp(authority, "\0\0\0\0\0\x16", 6) && *GetSidSubAuthorityCount(sid) == 2) {
		DWORD kind = *GetSidSubAuthority(sid, 0), id = *GetSidSubAuthority(sid, 1);

		*domain = kind == 1 ? "Unix User" : "Unix Group";
		*use = kind == 1 ? SidTypeUser : SidTypeGroup;
		if ((kind == 1 || kind == 2) && etw_account_name(kind == 2, id, name))
			return TRUE;
	}
	SetLastError(ERROR_NONE_MAPPED);
	return FALSE;
}

/* The text with its NUL if both fit; else the sizes that they need, with the NUL */
static inline BOOL etw_account_fits(const void *name, DWORD *name_room, size_t name_length,
				    const void *domain, DWORD *domain_room, size_t domain_length)
{
	BOOL fits = name && domain && *name_room > name_length && *domain_room > domain_length;

	*name_room = (DWORD)(fits ? name_length : name_length + 1);
	*domain_room = (DWORD)(fits ? domain_length : domain_length + 1);
	if (!fits)
		SetLastError(ERROR_INSUFFICIENT_BUFFER);
	return fits;
}

/*
 * Of S-1-22-1-UID and S-1-22-2-GID the name of Linux's user or group, in the domains
 * "Unix User" and "Unix Group"; of well-known SIDs Windows' English names.  The sizes are
 * in characters.
 */
static inline BOOL LookupAccountSidA(LPCSTR lpSystemName, PSID Sid, LPSTR Name, LPDWORD cchName,
				     LPSTR ReferencedDomainName, LPDWORD cchReferencedDomainName,
				     PSID_NAME_USE peUse)
{
	const char *domain;
	char name[256];

	UNREFERENCED_PARAMETER(lpSystemName);
	if (!cchName || !cchReferencedDomainName || !peUse) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	if (!etw_account(Sid, name, &domain, peUse) ||
	    !etw_account_fits(Name, cchName, strlen(name), ReferencedDomainName,
			      cchReferencedDomainName, strlen(domain)))
		return FALSE;
	strcpy(Name, name);
	strcpy(ReferencedDomainName, domain);
	return TRUE;
}

static inline BOOL LookupAccountSidW(LPCWSTR lpSystemName, PSID Sid, LPWSTR Name,
				     LPDWORD cchName, LPWSTR ReferencedDomainName,
				     LPDWORD cchReferencedDomainName, PSID_NAME_USE peUse)
{
	const char *domain;
	char name[256];
	WCHAR wide[256], wide_domain[16];

	UNREFERENCED_PARAMETER(lpSystemName);
	if (!cchName || !cchReferencedDomainName || !peUse) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	if (!etw_account(Sid, name, &domain, peUse))
		return FALSE;
	MultiByteToWideChar(CP_UTF8, 0, name, -1, wide, 256);
	MultiByteToWideChar(CP_UTF8, 0, domain, -1, wide_domain, 16);
	if (!etw_account_fits(Name, cchName, etw_wcslen(wide), ReferencedDomainName,
			      cchReferencedDomainName, etw_wcslen(wide_domain)))
		return FALSE;
	etw_wcscpy(Name, wide);
	etw_wcscpy(ReferencedDomainName, wide_domain);
	return TRUE;
}

ETW_END_DECLS

#ifdef UNICODE
#define LookupAccountSid	LookupAccountSidW
#else
#define LookupAccountSid	LookupAccountSidA
#endif

#endif /* ETW_WIN32_SECURITYBASEAPI_H */
