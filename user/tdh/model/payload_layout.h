/* SPDX-License-Identifier: MIT */
/*
 * payload_layout.h - the fields of an event in the form that payload filters use
 */
#ifndef ETW_TDH_MODEL_PAYLOAD_LAYOUT_H
#define ETW_TDH_MODEL_PAYLOAD_LAYOUT_H

#include "tdh/model/model.h"
#include "lib/controller/payload.h"

/*
 * Fill *layout for an event. Members of structures are named "Structure.Member"; an
 * array of structures is laid out element by element, without names. Fields after an
 * array of structures whose count another field holds cannot be reached. The layout
 * does not depend on the manifest. 0 or -ENOMEM.
 */
int etw_payload_layout_of(const struct etw_mf_event *event, struct etw_payload_layout *layout);
void etw_payload_layout_free(struct etw_payload_layout *layout);

#endif /* ETW_TDH_MODEL_PAYLOAD_LAYOUT_H */
