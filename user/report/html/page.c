/* SPDX-License-Identifier: MIT */
/*
 * page.c - puts the files of the page into the program
 *
 * The assembler reads them, from the top of the tree, where the build runs. The Makefile has
 * them as prerequisites of this file. The scripts become one, in the order below: each uses
 * only those before it while it is loaded.
 */
#include "report/html/page.h"

#define BYTES_OF(file)	".incbin \"user/report/html/" file "\"\n"
#define PART(name, files)					\
	__asm__(".pushsection .rodata\n"			\
		".globl etw_report_" name "\n"			\
		".hidden etw_report_" name "\n"			\
		"etw_report_" name ":\n"			\
		files						\
		".globl etw_report_" name "_end\n"		\
		".hidden etw_report_" name "_end\n"		\
		"etw_report_" name "_end:\n"			\
		".byte 0\n"					\
		".popsection\n")

PART("page", BYTES_OF("page.html"));
PART("style", BYTES_OF("style.css"));
PART("script",
     BYTES_OF("text.js")
     BYTES_OF("model.js")
     BYTES_OF("lists.js")
     BYTES_OF("chart.js")
     BYTES_OF("range.js")
     BYTES_OF("overview.js")
     BYTES_OF("rows.js")
     BYTES_OF("operations.js")
     BYTES_OF("timeline.js")
     BYTES_OF("fields.js")
     BYTES_OF("flame.js")
     BYTES_OF("diff.js")
     BYTES_OF("main.js"));
