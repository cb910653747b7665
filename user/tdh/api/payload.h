/* SPDX-License-Identifier: MIT */
/*
 * payload.h - the fields of a manifest's event, as payload filters know them
 */
#ifndef ETW_TDH_PAYLOAD_LAYOUT_H
#define ETW_TDH_PAYLOAD_LAYOUT_H

#include "tdh/model/model.h"
#include "lib/controller/payload.h"

/*
 * Fills *layout for an event; etw_payload_layout_free() frees what it points to, which
 * stays valid without the manifest.  Members of structures are "Structure.Member", in
 * as many elements as an array of them has; the fields behind one whose elements
 * nobody can count cannot be walked over.  0 or -ENOMEM.
 */
int etw_payload_layout_of(const struct etw_mf_event *event, struct etw_payload_layout *layout);
void etw_payload_layout_free(struct etw_payload_layout *layout);

#endif /* ETW_TDH_PAYLOAD_LAYOUT_H */
