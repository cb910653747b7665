/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_km.h - the expected events of the module etw_km, byte by byte
 *
 * Put together from etw_km.man and etw_km.h, without the generated code, so that it
 * does not share a mistake with that.
 */
#ifndef ETW_SELFTEST_VM_KM_H
#define ETW_SELFTEST_VM_KM_H

#include "lib/vm_buf.h"

#include "kmod/etw_km/etw_km.h"

struct km_want {
	uint16_t id;
	uint32_t len;
	uint8_t data[4096];
};

void km_add(struct km_want *w, const void *data, size_t len);

/* The low bytes of a number */
static inline void km_number(struct km_want *w, uint64_t value, size_t size)
{
	km_add(w, &value, size);
}

/* The payload of the event with this id. */
void km_payload(struct km_want *w, uint16_t id);

#endif /* ETW_SELFTEST_VM_KM_H */
