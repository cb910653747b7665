// SPDX-License-Identifier: GPL-2.0-only
/*
 * TraceLoggingProvider.h with functions that the program supplies, in C; also compiled by
 * tracelogging.sh
 */
#include "tl_own.h"
