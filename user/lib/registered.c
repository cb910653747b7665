/* SPDX-License-Identifier: MIT */
/*
 * registered.c - the provider GUIDs that this process has registered
 */
#include "registered.h"

_Atomic(etw_registered_fn *) etw_registered;
