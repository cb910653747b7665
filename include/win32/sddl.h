/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * sddl.h - SIDs as text, such as S-1-22-1-1000; free what these functions return with LocalFree()
 *
 * Abbreviations such as BA are not understood.
 *
 * Semantics: Microsoft's pages "ConvertSidToStringSid function" and "ConvertStringSidToSid
 * function".
 */
#ifndef ETW_WIN32_SDDL_H
#define ETW_WIN32_SDDL_H

#include <windows.h>

ETW_BEGIN_DECLS

static inline BOOL ConvertSidToStringSidA(PSID Sid, LPSTR *StringSid)
{
	const BYTE *id;
	char text[192];
	int n;
	DWORD i;

	if (!StringSid || !IsValidSid(Sid)) {
		SetLastError(StringSid ? ERROR_INVALID_SID : ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	id = GetSidIdentifierAuthority(Sid)->Value;
	if (id[0] || id[1])
		n = sprintf(text, "S-1-0x%02x%02x%02x%02x%02x%02x", id[0], id[1], id[2], id[3],
			    id[4], id[5]);
	else
		n = sprintf(text, "S-1-%u", (unsigned int)id[2] << 24 | (unsigned int)id[3] << 16 |
			    (unsigned int)id[4] << 8 | id[5]);
	for (i = 0; i < *GetSidSubAuthorityCount(Sid); i++)
		n += sprintf(text + n, "-%u", *GetSidSubAuthority(Sid, i));
	*StringSid = etw_strdup(text);
	if (!*StringSid)
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
	return *StringSid != NULL;
}

static inline BOOL ConvertSidToStringSidW(PSID Sid, LPWSTR *StringSid)
{
	LPSTR text;

	if (!StringSid || !ConvertSidToStringSidA(Sid, &text))
		return FALSE;
	*StringSid = etw_widen(text);
	free(text);
	return *StringSid != NULL;
}

/* The number at *text, which moves behind it; FALSE: none, or it is over @max */
static inline BOOL etw_sid_number(const char **text, ULONGLONG max, ULONGLONG *value)
{
	int base = (*text)[0] == '0' && ((*text)[1] | 0x20) == 'x' ? 16 : 10;
	char *end;

	if (**text < '0' || **text > '9')
		return FALSE;
	errno = 0;
	*value = strtoull(*text, &end, base);
	*text = end;
	return !errno && *value <= max;
}

static inline BOOL ConvertStringSidToSidA(LPCSTR StringSid, PSID *Sid)
{
	const char *at = StringSid;
	SID_IDENTIFIER_AUTHORITY authority;
	DWORD parts[SID_MAX_SUB_AUTHORITIES];
	ULONGLONG value = 0;
	BYTE count = 0;
	int i;

	if (!StringSid || !Sid) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return FALSE;
	}
	if ((*at | 0x20) != 's' || strncmp(at + 1, "-1-", 3))
		goto invalid;
	at += 4;
	if (!etw_sid_number(&at, 0xFFFFFFFFFFFFull, &value))
		goto invalid;
	for (i = 0; i < 6; i++)
		authority.Value[i] = (BYTE)(value >> 8 * (5 - i));
	while (*at == '-' && count < SID_MAX_SUB_AUTHORITIES) {
		at++;
		if (!etw_sid_number(&at, 0xFFFFFFFF, &value))
			goto invalid;
		parts[count++] = (DWORD)value;
	}
	if (*at || !count)
		goto invalid;
	*Sid = malloc(GetSidLengthRequired(count));
	if (!*Sid) {
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
		return FALSE;
	}
	InitializeSid(*Sid, &authority, count);
	memcpy(GetSidSubAuthority(*Sid, 0), parts, count * sizeof(parts[0]));
	return TRUE;
invalid:
	SetLastError(ERROR_INVALID_SID);
	return FALSE;
}

static inline BOOL ConvertStringSidToSidW(LPCWSTR StringSid, PSID *Sid)
{
	char *text = StringSid ? etw_narrow(StringSid) : NULL;
	BOOL good = ConvertStringSidToSidA(text, Sid);

	free(text);
	return good;
}

ETW_END_DECLS

#ifdef UNICODE
#define ConvertSidToStringSid	ConvertSidToStringSidW
#define ConvertStringSidToSid	ConvertStringSidToSidW
#else
#define ConvertSidToStringSid	ConvertSidToStringSidA
#define ConvertStringSidToSid	ConvertStringSidToSidA
#endif

#endif /* ETW_WIN32_SDDL_H */
