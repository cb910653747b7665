// SPDX-License-Identifier: GPL-2.0-only
/* TraceLoggingProvider.h with functions of the program's own, in C; also in tracelogging.sh */
#include "tl_own.h"
