/* SPDX-License-Identifier: MIT */
/*
 * pe.h - resources of PE images
 *
 * Source: Microsoft's "PE Format", "The .rsrc Section".
 */
#ifndef ETW_TDH_WEVT_PE_H
#define ETW_TDH_WEVT_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETW_PE_MESSAGE_TABLE	11	/* resource type */
#define ETW_PE_RESOURCE_MAX	(64u << 20)	/* bytes of all resources of a type */

struct etw_pe_resource {
	uint16_t langid;
	uint8_t *data;		/* malloc() */
	size_t size;
};

/*
 * Find a type's resources in all languages, under its first name, which is 1. name: the
 * type as text, or NULL to use its number. At most max resources. Returns their number,
 * 0 if the image has none; -EINVAL: not a PE image, or inconsistent headers; -EFBIG;
 * -ENOMEM; or an error of reading. Does not use fd's position.
 */
int etw_pe_find(int fd, const char *name, uint32_t type, struct etw_pe_resource *out,
		unsigned int max);

/* Read len bytes at an offset of a file into malloc()ed memory. 0, -EINVAL, -ENOMEM, -EIO. */
int etw_pe_load(int fd, uint64_t offset, size_t len, uint8_t **out);

#endif /* ETW_TDH_WEVT_PE_H */
