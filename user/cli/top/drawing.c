/* SPDX-License-Identifier: MIT */
/*
 * drawing.c - the screen of etw top, line by line
 */
#include "cli/text.h"
#include "drawing.h"

void drawing_finish(struct drawing *d, enum view_style style)
{
	struct view *v = d->view;

	report_page_line(&d->page);
	text_check(&d->out);
	d->out.data[d->out.len - 1] = '\0';	/* its end */
	if (!v->height || d->number < v->height)
		v->line(v->context, d->number++, style, d->out.data);
	etw_text_cut(&d->out, 0);
}

void drawing_put(struct drawing *d, enum view_style style, const char *text)
{
	report_page_add(&d->page, text);
	drawing_finish(d, style);
}

void drawing_put_nothing(struct drawing *d)
{
	drawing_put(d, VIEW_FAINT, d->view->buffering ?
		    "No events yet: the session is in buffering mode, and delivers them when etw flush is called." :
		    "No events yet.");
}

unsigned int drawing_lines_left(const struct drawing *d)
{
	const unsigned int height = d->view->height, used = d->number + 1;	/* the keys */

	return height > used ? height - used : 0;
}
