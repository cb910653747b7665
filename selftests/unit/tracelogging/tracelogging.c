// SPDX-License-Identifier: GPL-2.0-only
/* TraceLoggingProvider.h, in C; tracelogging.sh has it in other dialects */
#include "tl_program.h"
