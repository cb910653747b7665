/* SPDX-License-Identifier: MIT */
/*
 * km.h - the parts of kernel mode (-km), see mode_km.c
 */
#ifndef ETW_MC_KM_H
#define ETW_MC_KM_H

#include "emit.h"

/* Bytes of kernel stack that the fields of a write may use; see <etw/mc/kernel.h>. */
#define ETW_MC_KM_STACK	1792

/* km_template.c: the function that writes the events of a template */
void etw_mc_km_function(struct etw_mc *mc, const struct etw_mf_template *t,
			const char *name);

#endif /* ETW_MC_KM_H */
