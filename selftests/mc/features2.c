// SPDX-License-Identifier: GPL-2.0-only
/*
 * features2.c - a second file with the same generated headers
 */
#include "names.h"
#include "types.h"
#include "mc/features.h"

unsigned long long features_other_handle(void)
{
	return _4_Test_Mc_NamesHandle;
}

int features_other_enabled(void)
{
	return EventEnabledClash() != 0;
}
