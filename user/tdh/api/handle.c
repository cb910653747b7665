/* SPDX-License-Identifier: MIT */
/*
 * handle.c - decoding handles: they keep parameters, for WPP, which is not decoded here
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <tdh.h>
#include "base/utf.h"

struct kept {
	bool set;
	ULONGLONG value;	/* for strings: the address of our copy */
};

struct handle {
	struct kept kept[TDH_CONTEXT_MAXIMUM];
};

static bool is_string(TDH_CONTEXT_TYPE type)
{
	return type == TDH_CONTEXT_WPP_TMFFILE || type == TDH_CONTEXT_WPP_TMFSEARCHPATH ||
	       type == TDH_CONTEXT_PDB_PATH;
}

static bool is_type(const TDH_CONTEXT *context)
{
	return (unsigned int)context->ParameterType < TDH_CONTEXT_MAXIMUM;
}

TDHSTATUS TdhOpenDecodingHandle(PTDH_HANDLE Handle)
{
	if (!Handle)
		return ERROR_INVALID_PARAMETER;
	*Handle = calloc(1, sizeof(struct handle));
	return *Handle ? ERROR_SUCCESS : ERROR_NOT_ENOUGH_MEMORY;
}

static ULONG copy_string(ULONGLONG *value)
{
	const WCHAR *s = (const WCHAR *)(uintptr_t)*value;
	size_t bytes;
	WCHAR *copy;

	if (!s)
		return ERROR_INVALID_PARAMETER;
	bytes = (etw_utf16_len(s, SIZE_MAX) + 1) * sizeof(*s);
	copy = malloc(bytes);
	if (!copy)
		return ERROR_NOT_ENOUGH_MEMORY;
	memcpy(copy, s, bytes);
	*value = (uintptr_t)copy;
	return ERROR_SUCCESS;
}

static void drop(struct handle *handle, TDH_CONTEXT_TYPE type)
{
	if (handle->kept[type].set && is_string(type))
		free((void *)(uintptr_t)handle->kept[type].value);
	handle->kept[type].set = false;
}

TDHSTATUS TdhSetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext)
{
	struct handle *handle = Handle;
	ULONGLONG value;
	ULONG ret = ERROR_SUCCESS;

	if (!handle || !TdhContext)
		return ERROR_INVALID_PARAMETER;
	if (!is_type(TdhContext))
		return ERROR_NOT_SUPPORTED;
	value = TdhContext->ParameterValue;
	if (TdhContext->ParameterType == TDH_CONTEXT_POINTERSIZE && value != 4 && value != 8)
		return ERROR_INVALID_PARAMETER;
	if (is_string(TdhContext->ParameterType))
		ret = copy_string(&value);
	if (ret)
		return ret;
	drop(handle, TdhContext->ParameterType);
	handle->kept[TdhContext->ParameterType] = (struct kept){ true, value };
	return ERROR_SUCCESS;
}

TDHSTATUS TdhGetDecodingParameter(TDH_HANDLE Handle, PTDH_CONTEXT TdhContext)
{
	const struct handle *handle = Handle;

	if (!handle || !TdhContext)
		return ERROR_INVALID_PARAMETER;
	if (!is_type(TdhContext))
		return ERROR_NOT_SUPPORTED;
	if (!handle->kept[TdhContext->ParameterType].set)
		return ERROR_NOT_FOUND;
	TdhContext->ParameterValue = handle->kept[TdhContext->ParameterType].value;
	TdhContext->ParameterSize = 0;
	return ERROR_SUCCESS;
}

TDHSTATUS TdhGetWppProperty(TDH_HANDLE Handle, PEVENT_RECORD EventRecord, PWSTR PropertyName,
			    PULONG BufferSize, PBYTE Buffer)
{
	if (!Handle || !EventRecord || !PropertyName || !BufferSize || (*BufferSize && !Buffer))
		return ERROR_INVALID_PARAMETER;
	return ERROR_NOT_SUPPORTED;
}

TDHSTATUS TdhGetWppMessage(TDH_HANDLE Handle, PEVENT_RECORD EventRecord, PULONG BufferSize,
			   PBYTE Buffer)
{
	if (!Handle || !EventRecord || !BufferSize || (*BufferSize && !Buffer))
		return ERROR_INVALID_PARAMETER;
	return ERROR_NOT_SUPPORTED;
}

TDHSTATUS TdhCloseDecodingHandle(TDH_HANDLE Handle)
{
	struct handle *handle = Handle;
	unsigned int i;

	if (!handle)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < TDH_CONTEXT_MAXIMUM; i++)
		drop(handle, (TDH_CONTEXT_TYPE)i);
	free(handle);
	return ERROR_SUCCESS;
}
