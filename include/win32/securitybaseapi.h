/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * securitybaseapi.h - SIDs: measure, compare, copy, make; <etw/winsec.h> lists their meanings
 *
 * Semantics: Microsoft's pages of the functions.
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_SECURITYBASEAPI_H
#define ETW_WIN32_SECURITYBASEAPI_H

ETW_BEGIN_DECLS

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

ETW_END_DECLS

#endif /* ETW_WIN32_SECURITYBASEAPI_H */
