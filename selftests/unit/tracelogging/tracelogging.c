// SPDX-License-Identifier: GPL-2.0-only
/* TraceLoggingProvider.h, in C; tracelogging.sh compiles it in other dialects */
#include "tl_program.h"
