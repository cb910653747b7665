/* SPDX-License-Identifier: MIT */
/*
 * demangle.c - names of C++ and Rust as their authors wrote them
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

#define MANGLED_MAX	8192	/* bytes; the time that it takes may grow with their square */

void demangle(const char *name, struct etw_text *to)
{
	char *plain = NULL;
	size_t len = strnlen(name, MANGLED_MAX);

	if (len < MANGLED_MAX && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		plain = cplus_demangle(name, DMGL_AUTO);
	if (plain) {
		name = plain;
		len = strlen(plain);
	}
	etw_text_add(to, name, len < DEMANGLED_MAX ? len : DEMANGLED_MAX);
	free(plain);
}
