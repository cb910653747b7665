/* SPDX-License-Identifier: MIT */
/*
 * flame_view.h - the stacks of etw top as lines
 */
#ifndef ETW_CLI_TOP_FLAME_VIEW_H
#define ETW_CLI_TOP_FLAME_VIEW_H

#include "drawing.h"

/* In place of the rows */
void flame_view_put(struct drawing *drawing);

#endif /* ETW_CLI_TOP_FLAME_VIEW_H */
