/* SPDX-License-Identifier: MIT */
/*
 * winmeta.h - the standard things of manifests, by name
 *
 * model.h has them by value. NULL: none with that name.
 */
#ifndef ETW_TDH_MODEL_WINMETA_H
#define ETW_TDH_MODEL_WINMETA_H

#include "model.h"

const struct etw_mf_named *etw_standard_level_named(const char *name);
const struct etw_mf_named *etw_standard_opcode_named(const char *name);
const struct etw_mf_task *etw_standard_task_named(const char *name);
/* including win:AnyKeyword, whose mask is 0 */
const struct etw_mf_keyword *etw_standard_keyword_named(const char *name);
const struct etw_mf_channel *etw_standard_channel_named(const char *name);

#endif /* ETW_TDH_MODEL_WINMETA_H */
