// SPDX-License-Identifier: GPL-2.0-only
/*
 * image - resources of PE images
 *
 *	input := the image
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tdh/wevt/pe.h"

#define LANGUAGES	8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find(int fd, const char *name, uint32_t type)
{
	struct etw_pe_resource found[LANGUAGES];
	int n = etw_pe_find(fd, name, type, found, LANGUAGES), i;

	for (i = 0; i < n; i++)
		free(found[i].data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	find(fd, "WEVT_TEMPLATE", 0);
	find(fd, NULL, ETW_PE_MESSAGE_TABLE);
	return 0;
}
