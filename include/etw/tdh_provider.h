/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * tdh_provider.h - what providers there are, and what their manifests say
 *
 * Part of <tdh.h>; include that.  User space only.
 *
 * Semantics: Microsoft's pages of the functions.
 */
#ifndef ETW_TDH_PROVIDER_H
#define ETW_TDH_PROVIDER_H

#include <etw/tdh_info.h>

ETW_BEGIN_DECLS

/* ---------------------------------------------------------------- manifests */

/**
 * TdhLoadManifest() - let this process know a manifest
 * @Manifest: path of the file, at most MAX_PATH (260) characters
 *
 * A loaded manifest comes before those that are installed, and one that was loaded
 * later before an earlier one of the same provider.  Loading a file again takes the
 * place of what was loaded from it.
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER: NULL, too long, or no UTF;
 * ERROR_FILE_NOT_FOUND; ERROR_ACCESS_DENIED; ERROR_XML_PARSE_ERROR: "etw manifest check"
 * tells what is wrong with it; ERROR_NOT_ENOUGH_MEMORY.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifest function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifest(PWSTR Manifest);
/* The same in UTF-8 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestA(PCSTR Manifest);

/**
 * TdhLoadManifestFromMemory() - the same of a manifest in memory
 * @pData: a copy of what is needed is made
 * @cbData: bytes
 *
 * Return: as TdhLoadManifest(), without its errors of files.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifestFromMemory function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromMemory(LPCVOID pData, ULONG cbData);

/**
 * TdhLoadManifestFromBinary() - the same of a program's resources
 * @BinaryPath: a Windows program (PE) that has a WEVT_TEMPLATE, and mostly a
 *	MESSAGETABLE, or a file of WEVT_TEMPLATE as "etw mc" writes it
 *
 * Return: as TdhLoadManifest(); ERROR_RESOURCE_NOT_FOUND: nothing of the kind is in
 * it; ERROR_INVALID_DATA: it is malformed.
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhLoadManifestFromBinary function".
 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromBinary(PWSTR BinaryPath);
/* The same in UTF-8 */
ETW_API TDHSTATUS WINAPI TdhLoadManifestFromBinaryA(PCSTR BinaryPath);

/**
 * TdhUnloadManifest() - forget a manifest
 * @Manifest: the path that it was loaded from, by TdhLoadManifest() or
 *	TdhLoadManifestFromBinary()
 *
 * Return: ERROR_SUCCESS; ERROR_INVALID_PARAMETER; ERROR_NOT_FOUND: none is loaded from
 * there.
 *
 * Threads: any, at once; an event that is being decoded goes on with what it has.
 * Semantics: Microsoft's page "TdhUnloadManifest function".
 */
ETW_API TDHSTATUS WINAPI TdhUnloadManifest(PWSTR Manifest);
/* The same in UTF-8 */
ETW_API TDHSTATUS WINAPI TdhUnloadManifestA(PCSTR Manifest);

/**
 * TdhUnloadManifestFromMemory() - the same of one that was loaded from memory
 * @pData: the same bytes
 * @cbData: as many
 *
 * Return: as TdhUnloadManifest().
 *
 * Threads: any, at once.
 * Semantics: Microsoft's page "TdhUnloadManifestFromMemory function".
 */
ETW_API TDHSTATUS WINAPI TdhUnloadManifestFromMemory(LPCVOID pData, ULONG cbData);

/* -------------------------------------------------------------- enumerating */

/*
 * The functions below share these: @pBufferSize: in: bytes at pBuffer, which may be
 * NULL if these are 0; out: bytes used, or needed.  ERROR_INSUFFICIENT_BUFFER: too
 * few, nothing was written; ERROR_INVALID_PARAMETER: a NULL pointer;
 * ERROR_NOT_ENOUGH_MEMORY.  Threads: any, at once.
 */

/**
 * TdhEnumerateProviders() - the providers whose events this process can decode
 * @pBuffer: filled
 * @pBufferSize: see above
 *
 * Those of the manifests that are installed or loaded, and the classic ones that are
 * built in; by name.  Reads all installed manifests.
 *
 * Return: ERROR_SUCCESS, and see above.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviders function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviders(PPROVIDER_ENUMERATION_INFO pBuffer,
					   ULONG *pBufferSize);

/**
 * TdhEnumerateProvidersForDecodingSource() - the same of one kind
 * @filter: DecodingSourceXMLFile or DecodingSourceWbem; of the others there are none
 * @buffer: filled
 * @bufferSize: bytes at @buffer
 * @bufferRequired: bytes used, or needed
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_INVALID_PARAMETER: @filter as well.
 *
 * Semantics: Microsoft's page "TdhEnumerateProvidersForDecodingSource function".
 */
ETW_API TDHSTATUS WINAPI
TdhEnumerateProvidersForDecodingSource(DECODING_SOURCE filter,
				       PROVIDER_ENUMERATION_INFO *buffer,
				       ULONG bufferSize, ULONG *bufferRequired);

/**
 * TdhEnumerateProviderFieldInformation() - what keywords, levels, ... it defines
 * @pGuid: the provider
 * @EventFieldType: what is asked for
 * @pBuffer: filled, in the manifest's order
 * @pBufferSize: see above
 *
 * Those of the manifest; of levels, opcodes, tasks and keywords that are standard those
 * as well that its events use.
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_NOT_SUPPORTED: no such type;
 * ERROR_NOT_FOUND: nobody knows the provider, or it has nothing of the kind.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviderFieldInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviderFieldInformation(LPGUID pGuid,
							  EVENT_FIELD_TYPE EventFieldType,
							  PPROVIDER_FIELD_INFOARRAY pBuffer,
							  ULONG *pBufferSize);

/**
 * TdhQueryProviderFieldInformation() - what one value is called
 * @pGuid: the provider
 * @EventFieldValue: the value; of keywords: each bit that is set; of opcodes: bits 0 to
 *	15 the task, 16 to 23 the opcode
 * @EventFieldType: of what
 * @pBuffer: filled
 * @pBufferSize: see above
 *
 * Return: as TdhEnumerateProviderFieldInformation(); ERROR_NOT_FOUND also: no such
 * value, or none of the bits has a name.
 *
 * Semantics: Microsoft's page "TdhQueryProviderFieldInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhQueryProviderFieldInformation(LPGUID pGuid, ULONGLONG EventFieldValue,
						      EVENT_FIELD_TYPE EventFieldType,
						      PPROVIDER_FIELD_INFOARRAY pBuffer,
						      ULONG *pBufferSize);

/**
 * TdhEnumerateManifestProviderEvents() - the events of a manifest
 * @ProviderGuid: the provider
 * @Buffer: filled, in the manifest's order
 * @BufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_FILE_NOT_FOUND: nobody knows the
 * provider; ERROR_EMPTY: it has no events.
 *
 * Semantics: Microsoft's page "TdhEnumerateManifestProviderEvents function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateManifestProviderEvents(LPGUID ProviderGuid,
							PPROVIDER_EVENT_INFO Buffer,
							ULONG *BufferSize);

/**
 * TdhGetManifestEventInformation() - the schema of an event, without an event
 * @ProviderGuid: the provider
 * @EventDescriptor: Id and Version count
 * @Buffer: filled
 * @BufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_FILE_NOT_FOUND: nobody knows the
 * provider; ERROR_NOT_FOUND: it has no such event.
 *
 * Semantics: Microsoft's page "TdhGetManifestEventInformation function".
 */
ETW_API TDHSTATUS WINAPI TdhGetManifestEventInformation(LPGUID ProviderGuid,
						    PEVENT_DESCRIPTOR EventDescriptor,
						    PTRACE_EVENT_INFO Buffer,
						    ULONG *BufferSize);

/**
 * TdhEnumerateProviderFilters() - the filters that a provider takes
 * @pGuid: the provider
 * @TdhContextCount: not used
 * @pTdhContext: not used
 * @pFilterCount: how many blocks there are; 0 where the buffer is too small
 * @pBuffer: an array of so many addresses of blocks, which lie behind it
 * @pBufferSize: see above
 *
 * Return: ERROR_SUCCESS, and see above; ERROR_NOT_FOUND: nobody knows the provider, or
 * it has no filters.
 *
 * Semantics: Microsoft's page "TdhEnumerateProviderFilters function".
 */
ETW_API TDHSTATUS WINAPI TdhEnumerateProviderFilters(LPGUID pGuid, ULONG TdhContextCount,
						 PTDH_CONTEXT pTdhContext,
						 ULONG *pFilterCount,
						 PPROVIDER_FILTER_INFO *pBuffer,
						 ULONG *pBufferSize);

ETW_END_DECLS

#endif /* ETW_TDH_PROVIDER_H */
