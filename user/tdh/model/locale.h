/* SPDX-License-Identifier: MIT */
/*
 * locale.h - which culture of a manifest the user wants to read
 */
#ifndef ETW_TDH_MODEL_LOCALE_H
#define ETW_TDH_MODEL_LOCALE_H

#include "model.h"

/* Gives the manifest its culture_order, by the environment.  0 or -ENOMEM. */
int etw_manifest_order_cultures(struct etw_manifest *manifest);

#endif /* ETW_TDH_MODEL_LOCALE_H */
