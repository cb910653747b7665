/* SPDX-License-Identifier: MIT */
/*
 * text_private.h - between the files that write a report as text
 */
#ifndef ETW_REPORT_TEXT_PRIVATE_H
#define ETW_REPORT_TEXT_PRIVATE_H

#include "report_private.h"
#include "text_page.h"

#define REPORT_NARROW	40	/* columns that a screen has at least */

/* text_lists.c */
void report_page_lists(struct report_page *page);
/* text_stacks.c; 0 or -ENOMEM */
int report_page_stacks(struct report_page *page);
int report_page_stacks_diff(struct report_page *page, const struct report *a,
			    const struct report *b);
/* text_operations.c */
void report_page_operations(struct report_page *page);

#endif /* ETW_REPORT_TEXT_PRIVATE_H */
