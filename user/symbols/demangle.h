/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - names of C++ and Rust as their authors wrote them
 */
#ifndef ETW_SYMBOLS_DEMANGLE_H
#define ETW_SYMBOLS_DEMANGLE_H

#include "base/text.h"

#define DEMANGLED_MAX	1024	/* bytes of a name that are kept */

/* Append the name, without parameters; another than those of C++ and Rust as it is. */
void demangle(const char *name, struct etw_text *to);

#endif /* ETW_SYMBOLS_DEMANGLE_H */
