/* SPDX-License-Identifier: MIT */
/*
 * html.h - a report as one HTML file
 *
 * The page is the files of this folder, which the build puts into the program: page.html
 * with style.css, the scripts and the report's JSON in it. It loads nothing: its content
 * security policy allows its own style and script alone, by their hashes.
 */
#ifndef ETW_REPORT_HTML_H
#define ETW_REPORT_HTML_H

#include <stdio.h>

/*
 * Write the page around a report's JSON. Whatever a text of the JSON holds, it stays a text:
 * what could end the element or is no UTF-8 is escaped or replaced. Returns 0 or -errno.
 */
int etw_report_html_write(FILE *out, const char *json, size_t length);

#endif /* ETW_REPORT_HTML_H */
