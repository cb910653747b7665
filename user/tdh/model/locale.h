/* SPDX-License-Identifier: MIT */
/*
 * locale.h - choose a manifest's culture for the user
 */
#ifndef ETW_TDH_MODEL_LOCALE_H
#define ETW_TDH_MODEL_LOCALE_H

#include "model.h"

/* Set the manifest's culture_order from the environment. 0 or -ENOMEM. */
int etw_manifest_order_cultures(struct etw_manifest *manifest);

#endif /* ETW_TDH_MODEL_LOCALE_H */
