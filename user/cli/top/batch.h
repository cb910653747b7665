/* SPDX-License-Identifier: MIT */
/*
 * batch.h - etw top for a pipe or a file: blocks of text, or JSON objects
 */
#ifndef ETW_CLI_TOP_BATCH_H
#define ETW_CLI_TOP_BATCH_H

#include "view.h"

/* Print one block: what view_draw() shows, without a screen, and an empty line */
void batch_text(struct view *view);
/* The same as one line of JSON */
void batch_json(struct view *view);

#endif /* ETW_CLI_TOP_BATCH_H */
