/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * wdm.h - for the tracing code of a ported driver; see <etw/nt/etw.h>
 */
#include <etw/nt/etw.h>
