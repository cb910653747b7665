/* SPDX-License-Identifier: MIT */
/*
 * page.h - the files of the page, as bytes in the program
 *
 * Each ends where its _end begins; none has a NUL behind it.
 */
#ifndef ETW_REPORT_PAGE_H
#define ETW_REPORT_PAGE_H

extern const char etw_report_page[], etw_report_page_end[];
extern const char etw_report_style[], etw_report_style_end[];
extern const char etw_report_script[], etw_report_script_end[];

#endif /* ETW_REPORT_PAGE_H */
