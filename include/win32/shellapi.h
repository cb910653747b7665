/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * shellapi.h - the command line as one string, and its arguments
 *
 * A program here has arguments, not a line: GetCommandLine() quotes those that need it, so that
 * CommandLineToArgvW() finds the same ones again.
 *
 * Semantics: Microsoft's pages "GetCommandLineW function", "CommandLineToArgvW function" and
 * "Parsing C command-line arguments".
 */
#include <windows.h>	/* which includes this header where it belongs */

#ifndef ETW_WIN32_SHELLAPI_H
#define ETW_WIN32_SHELLAPI_H

ETW_BEGIN_DECLS

static inline char *etw_repeat(char *to, char c, size_t count)
{
	memset(to, c, count);
	return to + count;
}

/* Backslashes count only before a quote, also before the closing one. */
static inline char *etw_quote_argument(char *to, const char *argument)
{
	size_t slashes = 0;

	if (*argument && !strpbrk(argument, " \t\n\v\"")) {
		memcpy(to, argument, strlen(argument));
		return to + strlen(argument);
	}
	*to++ = '"';
	for (; *argument; argument++) {
		if (*argument == '"')
			to = etw_repeat(to, '\\', slashes + 1);
		slashes = *argument == '\\' ? slashes + 1 : 0;
		*to++ = *argument;
	}
	to = etw_repeat(to, '\\', slashes);
	*to++ = '"';
	return to;
}

/* All arguments of this process, each with its NUL, to be freed; NULL: no memory */
static inline char *etw_arguments(size_t *size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t room = 4096;
	char *text = (char *)malloc(room);
	ssize_t n;

	*size = 0;
	while (fd >= 0 && text && (n = read(fd, text + *size, room - 1 - *size)) > 0) {
		*size += (size_t)n;
		if (*size + 1 == room) {
			char *more = (char *)realloc(text, room *= 2);

			if (!more)
				free(text);
			text = more;
		}
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*size] = 0;
	return text;
}

/* Belongs to the process; empty if there is no memory */
static inline LPSTR GetCommandLineA(void)
{
	static char *line, none[1];
	char *made, *to, *expected = NULL;
	const char *at, *text;
	size_t size;

	if (__atomic_load_n(&line, __ATOMIC_ACQUIRE))
		return line;
	text = etw_arguments(&size);
	made = to = text ? (char *)malloc(2 * size + 3 * size + 1) : NULL;
	for (at = text; made && at < text + size; at += strlen(at) + 1) {
		if (to != made)
			*to++ = ' ';
		to = etw_quote_argument(to, at);
	}
	free((void *)(ULONG_PTR)text);
	if (!made)
		return none;
	*to = 0;
	if (!__atomic_compare_exchange_n(&line, &expected, made, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		free(made);
	return line;
}

static inline LPWSTR GetCommandLineW(void)
{
	static WCHAR *line, none[1];
	WCHAR *made, *expected = NULL;

	if (__atomic_load_n(&line, __ATOMIC_ACQUIRE))
		return line;
	made = etw_widen(GetCommandLineA());
	if (!made)
		return none;
	if (!__atomic_compare_exchange_n(&line, &expected, made, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		free(made);
	return line;
}

/* One argument at *from, which moves behind it, without its quotes; the first has no escapes */
static inline WCHAR *etw_unquote_argument(WCHAR *to, LPCWSTR *from, int first)
{
	LPCWSTR at = *from;
	size_t slashes = 0, i;
	int quoted = 0;

	for (; *at && (quoted || (*at != ' ' && *at != '\t')); at++) {
		if (*at == '\\' && !first) {
			slashes++;
			continue;
		}
		for (i = 0; i < (*at == '"' ? slashes / 2 : slashes); i++)
			*to++ = '\\';
		if (*at != '"' || slashes % 2)
			*to++ = *at;
		else if (quoted && at[1] == '"' && !first)
			*to++ = *++at;
		else
			quoted = !quoted;
		slashes = 0;
	}
	for (i = 0; i < slashes; i++)
		*to++ = '\\';
	*to++ = 0;
	while (*at == ' ' || *at == '\t')
		at++;
	*from = at;
	return to;
}

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
/* unistd.h hides it in this mode. */
extern ssize_t readlink(const char *__restrict path, char *__restrict text, size_t size);
#endif

/* The path of this program in quotes, to be freed; NULL: no memory */
static inline WCHAR *etw_program_line(void)
{
	char line[4096 + 3] = "\"";
	ssize_t n = readlink("/proc/self/exe", line + 1, 4096);

	line[n < 0 ? 1 : 1 + n] = '"';
	return etw_widen(line);
}

/*
 * The caller frees the array, which holds the arguments too, with LocalFree().  Of an empty line,
 * the only argument is the path of this program.
 */
static inline LPWSTR *CommandLineToArgvW(LPCWSTR lpCmdLine, int *pNumArgs)
{
	WCHAR **argv = NULL, *to, *program = NULL;
	size_t units, most, count = 0;

	if (!lpCmdLine || !pNumArgs) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return NULL;
	}
	if (!*lpCmdLine)
		lpCmdLine = program = etw_program_line();
	units = lpCmdLine ? etw_wcslen(lpCmdLine) : 0;
	most = units / 2 + 2;
	if (lpCmdLine)
		argv = (WCHAR **)malloc((most + 1) * sizeof(*argv) +
					(units + most + 1) * sizeof(WCHAR));
	if (!argv) {
		SetLastError(ERROR_NOT_ENOUGH_MEMORY);
		free(program);
		return NULL;
	}
	to = (WCHAR *)(void *)(argv + most + 1);
	do {
		argv[count] = to;
		to = etw_unquote_argument(to, &lpCmdLine, count == 0);
		count++;
	} while (*lpCmdLine);
	argv[count] = NULL;
	*pNumArgs = (int)count;
	free(program);
	return argv;
}

ETW_END_DECLS

#ifdef UNICODE
#define GetCommandLine		GetCommandLineW
#else
#define GetCommandLine		GetCommandLineA
#endif

#endif /* ETW_WIN32_SHELLAPI_H */
