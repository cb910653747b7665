/* SPDX-License-Identifier: MIT */
/*
 * view.h - the screen of etw top as lines
 */
#ifndef ETW_CLI_TOP_VIEW_H
#define ETW_CLI_TOP_VIEW_H

#include "drawing.h"

void view_draw(struct view *view);

#endif /* ETW_CLI_TOP_VIEW_H */
