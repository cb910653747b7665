/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ntifs.h - for the tracing code of a ported driver; see <etw/ntetw.h>
 */
#include <etw/ntetw.h>
