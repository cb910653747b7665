/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * io.h - _setmode() and related names
 *
 * Text and binary files are the same here, and wide text is always printed as UTF-8, so
 * _setmode() changes nothing.
 *
 * Semantics: Microsoft's pages "_setmode" and "_fileno".
 */
#ifndef ETW_WIN32_IO_H
#define ETW_WIN32_IO_H

#include <stdio.h>
#include <unistd.h>
#include <etw/wintypes.h>

#define _O_TEXT		0x4000
#define _O_BINARY	0x8000
#define _O_WTEXT	0x10000
#define _O_U16TEXT	0x20000
#define _O_U8TEXT	0x40000

ETW_BEGIN_DECLS

#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern int fileno(FILE *stream);	/* stdio.h hides it in this mode */
#endif

static inline int _fileno(FILE *stream)
{
	return fileno(stream);
}

static inline int _isatty(int fd)
{
	return isatty(fd);
}

static inline int _setmode(int fd, int mode)
{
	(void)fd;
	(void)mode;
	return _O_TEXT;
}

ETW_END_DECLS

#endif /* ETW_WIN32_IO_H */
