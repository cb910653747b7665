/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tl_program.h - the tests of TraceLogging as one program, for C and C++
 */
#include "tl_capture.h"
#include <TraceLoggingProvider.h>

TRACELOGGING_DECLARE_PROVIDER(tl_provider);
TRACELOGGING_DEFINE_PROVIDER(tl_provider, "My.Provider",
			     (0x01234567, 0x89ab, 0xcdef, 1, 2, 3, 4, 5, 6, 7, 8),
			     TraceLoggingOptionGroup(0xfaaf2f61, 0x9b26, 0x4591, 0x9b, 0xb1,
						     0xb9, 0xb8, 0xba, 0xe2, 0xd3, 0x4c),
			     TraceLoggingOptionTrait(200, "abc"),
			     TraceLoggingOptionTrait(201, ULONG, (0x11223344)));

#include "tl_events.h"
#ifdef __cplusplus
#include "tl_activity.h"
#endif

int main(void)
{
	tl_events();
	tl_fields();
#ifdef __cplusplus
	tl_activities();
#endif
	return done_testing();
}
