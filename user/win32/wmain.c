/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wmain.c - the start of programs that have wmain() instead of main()
 *
 * The linker takes this member of libetw-win32.a only for a program without a
 * main().  The arguments are converted from UTF-8.
 *
 * In C++ wmain() is mangled by its parameters: one of these exists.  They are weak
 * references, so that the linker leaves the others NULL.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../include/win32/wchar16.h"

#define WEAK(name)							\
	extern int name(int argc, WCHAR **argv, WCHAR **envp) __attribute__((weak))

WEAK(wmain);			/* C, and extern "C" */
WEAK(_Z5wmainv);		/* () */
WEAK(_Z5wmaini);		/* (int) */
WEAK(_Z5wmainiPPw);		/* (int, wchar_t *[]) */
WEAK(_Z5wmainiPPKw);		/* (int, const wchar_t *[]) */
WEAK(_Z5wmainiPKPw);		/* (int, wchar_t *const []) */
WEAK(_Z5wmainiPKPKw);		/* (int, const wchar_t *const []) */
WEAK(_Z5wmainiPPwS0_);		/* (int, wchar_t *[], wchar_t *[]) */
WEAK(_Z5wmainiPPKwS1_);		/* (int, const wchar_t *[], const wchar_t *[]) */
WEAK(_Z5wmainiPPDs);		/* the same with char16_t, without -fshort-wchar */
WEAK(_Z5wmainiPPKDs);
WEAK(_Z5wmainiPPDsS0_);

static WCHAR **widen_all(char **list)
{
	size_t n = 0, i;
	WCHAR **wide;

	while (list[n])
		n++;
	wide = calloc(n + 1, sizeof(*wide));
	for (i = 0; wide && i < n; i++) {
		wide[i] = etw_widen(list[i]);
		if (!wide[i])
			return NULL;
	}
	return wide;
}

int main(int argc, char **argv, char **envp)
{
	int (*const starts[])(int, WCHAR **, WCHAR **) = {
		wmain, _Z5wmainv, _Z5wmaini, _Z5wmainiPPw, _Z5wmainiPPKw, _Z5wmainiPKPw,
		_Z5wmainiPKPKw, _Z5wmainiPPwS0_, _Z5wmainiPPKwS1_, _Z5wmainiPPDs,
		_Z5wmainiPPKDs, _Z5wmainiPPDsS0_,
	};
	WCHAR **wide = widen_all(argv), **environment = widen_all(envp);
	size_t i;

	if (!wide || !environment) {
		fputs("out of memory\n", stderr);
		return 1;
	}
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (starts[i])
			return starts[i](argc, wide, environment);
	fputs("the program has neither main() nor a wmain() of known parameters\n", stderr);
	return 1;
}
