/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * winbase.h - FormatMessage(), and the string functions of the kernel32 module
 *
 * FORMAT_MESSAGE_FROM_SYSTEM knows the codes of <etw/winerror.h>, also as HRESULTs, in English;
 * the sentences are this project's.  FORMAT_MESSAGE_FROM_HMODULE reads the message table of
 * a module that LoadLibraryEx() opened as a data file.
 *
 * Semantics: Microsoft's pages "FormatMessage function" and "wsprintf function".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_WINBASE_H
#define ETW_WIN32_WINBASE_H

ETW_BEGIN_DECLS

#define FORMAT_MESSAGE_ALLOCATE_BUFFER	0x00000100
#define FORMAT_MESSAGE_IGNORE_INSERTS	0x00000200
#define FORMAT_MESSAGE_FROM_STRING	0x00000400
#define FORMAT_MESSAGE_FROM_HMODULE	0x00000800
#define FORMAT_MESSAGE_FROM_SYSTEM	0x00001000
#define FORMAT_MESSAGE_ARGUMENT_ARRAY	0x00002000
#define FORMAT_MESSAGE_MAX_WIDTH_MASK	0x000000FF

/* NULL: a code that this implementation does not return */
static inline const char *etw_error_text(DWORD code)
{
	static const struct {
		DWORD code;
		const char *text;
	} table[] = {
		{ ERROR_SUCCESS, "Success." },
		{ ERROR_INVALID_FUNCTION, "The function cannot be used here." },
		{ ERROR_FILE_NOT_FOUND, "There is no file of this name." },
		{ ERROR_PATH_NOT_FOUND, "The path does not exist." },
		{ ERROR_TOO_MANY_OPEN_FILES, "Too many files are open." },
		{ ERROR_ACCESS_DENIED, "Access is denied." },
		{ ERROR_INVALID_HANDLE, "The handle is not valid." },
		{ ERROR_NOT_ENOUGH_MEMORY, "There is not enough memory." },
		{ ERROR_INVALID_DATA, "The data are not valid." },
		{ ERROR_OUTOFMEMORY, "The memory is used up." },
		{ ERROR_NOT_SAME_DEVICE, "The files are on different disks." },
		{ ERROR_NO_MORE_FILES, "There are no more files." },
		{ ERROR_WRITE_PROTECT, "The medium is write-protected." },
		{ ERROR_NOT_READY, "The device is not ready." },
		{ ERROR_BAD_COMMAND, "The device's state does not allow the request." },
		{ ERROR_CRC, "A checksum is wrong." },
		{ ERROR_BAD_LENGTH, "A size is wrong." },
		{ ERROR_WRITE_FAULT, "The device cannot be written." },
		{ ERROR_READ_FAULT, "The device cannot be read." },
		{ ERROR_GEN_FAILURE, "A device does not work." },
		{ ERROR_SHARING_VIOLATION, "The file is in use by another session or program." },
		{ ERROR_LOCK_VIOLATION, "Another program has locked a part of the file." },
		{ ERROR_HANDLE_EOF, "The end of the file was reached." },
		{ ERROR_NOT_SUPPORTED, "The request is not supported." },
		{ ERROR_DEV_NOT_EXIST, "The device no longer exists." },
		{ ERROR_FILE_EXISTS, "The file exists already." },
		{ ERROR_INVALID_PARAMETER, "A parameter is not valid." },
		{ ERROR_BROKEN_PIPE, "The other end of the pipe is closed." },
		{ ERROR_OPEN_FAILED, "The file or device cannot be opened." },
		{ ERROR_BUFFER_OVERFLOW, "A name is too long." },
		{ ERROR_DISK_FULL, "The disk is full." },
		{ ERROR_CALL_NOT_IMPLEMENTED, "The function does not exist on this system." },
		{ ERROR_SEM_TIMEOUT, "The device did not answer in time." },
		{ ERROR_INSUFFICIENT_BUFFER, "The buffer is too small." },
		{ ERROR_INVALID_NAME, "A name has characters that it must not have." },
		{ ERROR_MOD_NOT_FOUND, "The module was not found." },
		{ ERROR_PROC_NOT_FOUND, "The module has no function of this name." },
		{ ERROR_DIR_NOT_EMPTY, "The directory is not empty." },
		{ ERROR_BAD_PATHNAME, "The path is not valid." },
		{ ERROR_LOCK_FAILED, "A lock could not be taken." },
		{ ERROR_BUSY, "The object is in use." },
		{ ERROR_ALREADY_EXISTS, "An object of this name exists already." },
		{ ERROR_INVALID_FLAG_NUMBER, "A flag is not valid." },
		{ ERROR_BAD_EXE_FORMAT, "The file is not a Windows module." },
		{ ERROR_FILENAME_EXCED_RANGE, "The file's name is too long." },
		{ ERROR_FILE_TOO_LARGE, "The file is too large." },
		{ ERROR_NO_DATA, "The pipe is being closed." },
		{ ERROR_MORE_DATA, "There are more data than the buffer holds." },
		{ WAIT_TIMEOUT, "The wait ended without the event." },
		{ ERROR_NO_MORE_ITEMS, "There are no more items." },
		{ ERROR_DIRECTORY, "The name of the directory is not valid." },
		{ ERROR_PARTIAL_COPY, "Only a part of the data was copied." },
		{ ERROR_MR_MID_NOT_FOUND, "There is no message of this number." },
		{ ERROR_INVALID_ADDRESS, "There is no memory at this address." },
		{ ERROR_ARITHMETIC_OVERFLOW, "A number is too large for its type." },
		{ ERROR_OPERATION_ABORTED, "The request was cancelled." },
		{ ERROR_IO_PENDING, "The request is still in progress." },
		{ ERROR_NOACCESS, "An address is not valid." },
		{ ERROR_STACK_OVERFLOW, "The stack is used up." },
		{ ERROR_IO_DEVICE, "A device reported an error." },
		{ ERROR_NO_UNICODE_TRANSLATION, "The text is not valid UTF-8 or UTF-16." },
		{ ERROR_POSSIBLE_DEADLOCK, "The call would wait for itself." },
		{ ERROR_DEVICE_NOT_CONNECTED, "The device is not connected." },
		{ ERROR_NOT_FOUND, "The object was not found." },
		{ ERROR_CANCELLED, "The callback or the user cancelled the request." },
		{ ERROR_UNKNOWN_REVISION, "The revision is not known." },
		{ ERROR_PRIVILEGE_NOT_HELD, "The caller lacks a privilege." },
		{ ERROR_NONE_MAPPED, "A name or SID has no counterpart." },
		{ ERROR_INVALID_ACL, "The access list is not valid." },
		{ ERROR_INVALID_SID, "The SID is not valid." },
		{ ERROR_INVALID_SECURITY_DESCR, "The security descriptor is not valid." },
		{ ERROR_INTERNAL_ERROR, "An error inside the library." },
		{ ERROR_FILE_CORRUPT, "The file is damaged." },
		{ ERROR_NO_SYSTEM_RESOURCES, "A limit of the system is reached." },
		{ ERROR_TIMEOUT, "The time is over." },
		{ ERROR_XML_PARSE_ERROR, "The XML is not valid." },
		{ ERROR_LOG_FILE_FULL, "The log file is full." },
		{ ERROR_INVALID_USER_BUFFER, "The buffer does not fit the request." },
		{ ERROR_RESOURCE_DATA_NOT_FOUND, "The module has no such resource." },
		{ ERROR_RESOURCE_TYPE_NOT_FOUND, "The module has no resource of this type." },
		{ ERROR_RESOURCE_NAME_NOT_FOUND, "The module has no resource of this name." },
		{ ERROR_NOT_ENOUGH_QUOTA, "The quota is used up." },
		{ ERROR_INVALID_TIME, "A time is not valid." },
		{ ERROR_CANT_RESOLVE_FILENAME, "The name has too many symbolic links." },
		{ ERROR_ACTIVE_CONNECTIONS, "There are connections in use." },
		{ ERROR_WMI_GUID_NOT_FOUND, "The GUID is not known." },
		{ ERROR_WMI_INSTANCE_NOT_FOUND, "The session was not found." },
		{ ERROR_WMI_ITEMID_NOT_FOUND, "The item was not found." },
		{ ERROR_WMI_TRY_AGAIN, "Try again." },
		{ ERROR_WMI_DP_NOT_FOUND, "The provider was not found." },
		{ ERROR_WMI_UNRESOLVED_INSTANCE_REF, "A reference has no target." },
		{ ERROR_WMI_ALREADY_ENABLED, "It is enabled already." },
		{ ERROR_WMI_GUID_DISCONNECTED, "The GUID is no longer registered." },
		{ ERROR_WMI_SERVER_UNAVAILABLE, "The service is not available." },
		{ ERROR_WMI_DP_FAILED, "The provider failed." },
		{ ERROR_WMI_INVALID_MOF, "The MOF class is not valid." },
		{ ERROR_WMI_INVALID_REGINFO, "The registration is not valid." },
		{ ERROR_WMI_ALREADY_DISABLED, "It is disabled already." },
		{ ERROR_WMI_READ_ONLY, "The object cannot be changed." },
		{ ERROR_WMI_SET_FAILURE, "The change failed." },
		{ ERROR_EMPTY, "There is nothing in it." },
		{ ERROR_INVALID_OPERATION, "The operation is not valid." },
		{ ERROR_RESOURCE_NOT_FOUND, "The resource was not found." },
		{ ERROR_INVALID_STATE, "The object's state does not allow the request." },
		{ ERROR_CTX_CLOSE_PENDING, "The trace closes when its callback returns." },
		{ ERROR_EVT_INVALID_CHANNEL_PATH, "The path of the channel is not valid." },
		{ ERROR_EVT_INVALID_QUERY, "The query is not valid." },
		{ ERROR_EVT_PUBLISHER_METADATA_NOT_FOUND, "The provider has no manifest here." },
		{ ERROR_EVT_EVENT_TEMPLATE_NOT_FOUND, "The event has no template." },
		{ ERROR_EVT_INVALID_PUBLISHER_NAME, "The name of the provider is not valid." },
		{ ERROR_EVT_INVALID_EVENT_DATA, "The event's data do not fit its definition." },
		{ ERROR_EVT_CHANNEL_NOT_FOUND, "The channel was not found." },
		{ ERROR_EVT_MALFORMED_XML_TEXT, "The XML is malformed." },
		{ ERROR_EVT_MESSAGE_NOT_FOUND, "The message was not found." },
		{ ERROR_EVT_MESSAGE_ID_NOT_FOUND, "There is no message of this number." },
		{ ERROR_EVT_EVENT_DEFINITION_NOT_FOUND, "The event is not defined." },
		{ ERROR_MUI_FILE_NOT_FOUND, "There is no file with the messages." },
		{ (DWORD)E_NOTIMPL, "The method is not implemented." },
		{ (DWORD)E_POINTER, "A pointer is not valid." },
		{ (DWORD)E_ABORT, "The request was aborted." },
		{ (DWORD)E_FAIL, "The request failed." },
		{ (DWORD)E_UNEXPECTED, "An unexpected failure." },
	};
	size_t i;

	if (code >> 16 == 0x8007)
		code &= 0xFFFF;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].code == code)
			return table[i].text;
	return NULL;
}

/* The message of a module's table, to be freed; NULL: there is none */
static inline WCHAR *etw_module_message(HMODULE module, DWORD id)
{
	HRSRC found = etw_winmod_is(module) ?
		FindResourceW(module, MAKEINTRESOURCEW(1), MAKEINTRESOURCEW(11)) : NULL;
	const BYTE *table = found ? (const BYTE *)LockResource(LoadResource(module, found)) : NULL;
	size_t size = table ? SizeofResource(module, found) : 0, at, i;
	DWORD block, length;
	WCHAR *text;

	for (block = 0; size >= 4 && block < etw_winmod_dword(table); block++) {
		const BYTE *range = table + 4 + (size_t)block * 12;

		if ((size_t)block * 12 + 16 > size)
			return NULL;
		if (id < etw_winmod_dword(range) || id > etw_winmod_dword(range + 4))
			continue;
		at = etw_winmod_dword(range + 8);
		for (i = id - etw_winmod_dword(range); ; i--) {
			if (at > size || size - at < 4)
				return NULL;
			length = etw_winmod_word(table + at);
			if (length < 4 || length > size - at)
				return NULL;
			if (!i)
				break;
			at += length;
		}
		text = (WCHAR *)calloc(length, sizeof(*text));
		for (i = 0; text && etw_winmod_word(table + at + 2) & 1 && i < (length - 4) / 2; i++)
			text[i] = (WCHAR)etw_winmod_word(table + at + 4 + 2 * i);
		for (i = 0; text && !(etw_winmod_word(table + at + 2) & 1) && i < length - 4; i++)
			text[i] = table[at + 4 + i];
		return text;
	}
	return NULL;
}

/* The values that a message inserts, from an array or fetched one by one */
struct etw_inserts {
	DWORD flags;
	va_list *arguments;
	DWORD_PTR values[99];
	unsigned int count;
};

static inline DWORD_PTR etw_insert_value(struct etw_inserts *inserts, unsigned int number)
{
	if (inserts->flags & FORMAT_MESSAGE_ARGUMENT_ARRAY)
		return ((const DWORD_PTR *)(const void *)inserts->arguments)[number - 1];
	while (inserts->count < number)
		inserts->values[inserts->count++] = va_arg(*inserts->arguments, DWORD_PTR);
	return inserts->values[number - 1];
}

static inline void etw_out_print(struct etw_out *out, const void *format, ...)
{
	struct etw_args args;

	va_start(args.list, format);
	etw_out_format(out, format, &args);
	va_end(args.list);
}

/* %1 or %1!format! at *text, behind the %; one value, without a star or a fraction */
static inline void etw_out_insert(struct etw_out *out, const WCHAR **text,
				  struct etw_inserts *inserts)
{
	const WCHAR *start = *text, *at = start;
	unsigned int number = (unsigned int)(*at++ - '0');
	WCHAR wide[34] = { '%', 's' };
	char narrow[34] = "%s";
	size_t n = 1;

	if (*at >= '0' && *at <= '9')
		number = number * 10 + (unsigned int)(*at++ - '0');
	if (*at == '!' && etw_wcschr(at + 1, '!')) {
		for (at++; *at != '!'; at++, n += n < 33) {
			if (n < 33)
				wide[n] = *at;
			narrow[n < 33 ? n : 33] = (char)*at;
			if (*at >= 0x80 || !strchr("-+ 0#.123456789hlwIscSCduioxXp", (char)*at) ||
			    n == 33)
				out->error = EINVAL;
		}
		at++;
		n = n < 33 ? n : 33;
		wide[n] = 0;
		narrow[n] = 0;
	}
	*text = at;
	if (inserts->flags & FORMAT_MESSAGE_IGNORE_INSERTS) {
		etw_out_bytes(out, "%", 1);
		etw_out_wide(out, start, (size_t)(at - start));
	} else if (!inserts->arguments) {
		out->error = EINVAL;
	} else if (!out->error) {
		etw_out_print(out, out->wide ? (const void *)wide : narrow,
			      etw_insert_value(inserts, number));
	}
}

static inline void etw_out_message(struct etw_out *out, const WCHAR *text,
				   struct etw_inserts *inserts)
{
	int lines = (inserts->flags & FORMAT_MESSAGE_MAX_WIDTH_MASK) != 0;

	while (*text && !out->error) {
		WCHAR c = *text++;

		if (lines && (c == '\r' || c == '\n')) {
			text += c == '\r' && *text == '\n';
			etw_out_bytes(out, " ", 1);
			continue;
		}
		if (c != '%' || !*text) {
			etw_out_wide(out, text - 1,
				     1 + (size_t)(c >= 0xD800 && c < 0xDC00 && *text != 0));
			text += c >= 0xD800 && c < 0xDC00 && *text != 0;
			continue;
		}
		if (*text >= '1' && *text <= '9') {
			etw_out_insert(out, &text, inserts);
			continue;
		}
		c = *text++;
		if (c == '0')
			return;
		if (c == 'n' || c == 'r' || c == 't' || c == 'b')
			etw_out_bytes(out, c == 'n' ? "\r\n" : c == 'r' ? "\r" : c == 't' ? "\t" :
				      " ", c == 'n' ? 2 : 1);
		else
			etw_out_wide(out, &c, 1);
	}
}

/* The text of the message, to be freed; NULL: the last error says why */
static inline WCHAR *etw_message_text(DWORD flags, LPCVOID source, DWORD id, int wide)
{
	WCHAR *text = NULL;
	const char *system;
	char line[100];

	if (flags & FORMAT_MESSAGE_FROM_STRING) {
		if (source)
			text = wide ? etw_wcsdup((const WCHAR *)source) :
				      etw_widen((const char *)source);
		if (!text)
			SetLastError(source ? ERROR_NOT_ENOUGH_MEMORY : ERROR_INVALID_PARAMETER);
		return text;
	}
	if (flags & FORMAT_MESSAGE_FROM_HMODULE)
		text = etw_module_message((HMODULE)(ULONG_PTR)source, id);
	system = text || !(flags & FORMAT_MESSAGE_FROM_SYSTEM) ? NULL : etw_error_text(id);
	if (system) {
		snprintf(line, sizeof(line), "%s\r\n", system);
		text = etw_widen(line);
	}
	if (!text)
		SetLastError(ERROR_MR_MID_NOT_FOUND);
	return text;
}

/* In lpBuffer with ALLOCATE_BUFFER: a pointer to the text, to be freed with LocalFree() */
static inline DWORD etw_message_store(struct etw_out *out, DWORD flags, void *buffer, DWORD size)
{
	size_t unit = out->wide ? sizeof(WCHAR) : 1, i;
	char *to = (char *)buffer;

	if (out->error) {
		SetLastError(out->error == ENOMEM ? ERROR_NOT_ENOUGH_MEMORY :
						    ERROR_INVALID_PARAMETER);
		return 0;
	}
	if (flags & FORMAT_MESSAGE_ALLOCATE_BUFFER) {
		size_t room = out->count + 1 > size ? out->count + 1 : size;

		to = (char *)calloc(room, unit);
		memcpy(buffer, &to, sizeof(to));
	}
	if (!to || (!(flags & FORMAT_MESSAGE_ALLOCATE_BUFFER) && out->count >= size)) {
		SetLastError(to ? ERROR_INSUFFICIENT_BUFFER : ERROR_NOT_ENOUGH_MEMORY);
		return 0;
	}
	for (i = 0; i <= out->count; i++) {
		WCHAR c = i < out->count ? out->units[i] : 0;

		memcpy(to + i * unit, &c, unit);	/* of a little-endian machine */
	}
	return (DWORD)out->count;
}

static inline DWORD etw_message_format(DWORD flags, LPCVOID source, DWORD id, void *buffer,
				       DWORD size, va_list *arguments, int wide)
{
	struct etw_out out = { NULL, 0, 0, wide, 0 };
	struct etw_inserts inserts;
	WCHAR *text;
	DWORD count;

	if (!buffer) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return 0;
	}
	text = etw_message_text(flags, source, id, wide);
	if (!text)
		return 0;
	inserts.flags = flags;
	inserts.arguments = arguments;
	inserts.count = 0;
	etw_out_message(&out, text, &inserts);
	count = etw_message_store(&out, flags, buffer, size);
	free(text);
	free(out.units);
	return count;
}

/**
 * FormatMessageW() - the text of an error code, of a module's message or of a format
 * @dwFlags: FORMAT_MESSAGE_; of the sources, FROM_STRING comes first, then FROM_HMODULE
 * @lpSource: the format, or the module
 * @dwMessageId: the code
 * @dwLanguageId: not used
 * @lpBuffer: out: the text with its NUL; with ALLOCATE_BUFFER, a pointer that the caller
 *	frees with LocalFree()
 * @nSize: room at @lpBuffer in characters; with ALLOCATE_BUFFER, the least to allocate
 * @Arguments: a va_list, or with ARGUMENT_ARRAY an array of DWORD_PTR; %1!format! takes
 *	Microsoft's formats of integers, characters and strings
 *
 * Return: characters without the NUL; 0: GetLastError() is ERROR_MR_MID_NOT_FOUND,
 * ERROR_INSUFFICIENT_BUFFER, ERROR_INVALID_PARAMETER or ERROR_NOT_ENOUGH_MEMORY.
 */
static inline DWORD FormatMessageW(DWORD dwFlags, LPCVOID lpSource, DWORD dwMessageId,
				   DWORD dwLanguageId, LPWSTR lpBuffer, DWORD nSize,
				   va_list *Arguments)
{
	UNREFERENCED_PARAMETER(dwLanguageId);
	return etw_message_format(dwFlags, lpSource, dwMessageId, lpBuffer, nSize, Arguments, 1);
}

static inline DWORD FormatMessageA(DWORD dwFlags, LPCVOID lpSource, DWORD dwMessageId,
				   DWORD dwLanguageId, LPSTR lpBuffer, DWORD nSize,
				   va_list *Arguments)
{
	UNREFERENCED_PARAMETER(dwLanguageId);
	return etw_message_format(dwFlags, lpSource, dwMessageId, lpBuffer, nSize, Arguments, 0);
}

/* At most 1,024 characters with the NUL */
ETW_PRINT_PAIR(wsprintfW, wvsprintfW, WCHAR, (LPWSTR buffer,), (buffer,),
	       etw_print_buffer(buffer, 1024, 1, format, list))
ETW_PRINT_PAIR(wsprintfA, wvsprintfA, char, (LPSTR buffer,), (buffer,),
	       etw_print_buffer(buffer, 1024, 0, format, list))

ETW_END_DECLS

#define lstrlenW(s)		((int)etw_wcslen(s))
#define lstrcpyW		etw_wcscpy
#define lstrcatW		etw_wcscat
#define lstrcmpW		etw_wcscmp
#define lstrcmpiW		etw_wcsicmp
#define lstrlenA(s)		((int)strlen(s))
#define lstrcpyA		strcpy
#define lstrcatA		strcat
#define lstrcmpA		strcmp
#define lstrcmpiA		strcasecmp

#ifdef UNICODE
#define FormatMessage		FormatMessageW
#define wsprintf		wsprintfW
#define wvsprintf		wvsprintfW
#define lstrlen			lstrlenW
#define lstrcpy			lstrcpyW
#define lstrcat			lstrcatW
#define lstrcmp			lstrcmpW
#define lstrcmpi		lstrcmpiW
#else
#define FormatMessage		FormatMessageA
#define wsprintf		wsprintfA
#define wvsprintf		wvsprintfA
#define lstrlen			lstrlenA
#define lstrcpy			lstrcpyA
#define lstrcat			lstrcatA
#define lstrcmp			lstrcmpA
#define lstrcmpi		lstrcmpiA
#endif

#endif /* ETW_WIN32_WINBASE_H */
