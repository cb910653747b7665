/* SPDX-License-Identifier: MIT */
/*
 * bpf.c - providers whose events BPF programs write by the module's functions
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_guid.h"
#include "bpf_describe.h"
#include "device/kdev.h"

int etw_bpf_register(const char *name, const struct etw_bpf_event_info *events,
		     unsigned int event_count, int *handle, __u32 *number)
{
	struct etw_bpf_provider arg = {
		.name = (uintptr_t)name, .name_len = strlen(name), .event_count = event_count,
	};
	struct etw_bpf_description *d = calloc(1, sizeof(*d));
	int fd, err = d ? etw_bpf_describe(d, events, event_count, NULL, 0) : -ENOMEM;

	*handle = -1;
	*number = 0;
	if (!err)
		err = etw_guid_from_name(name, strlen(name), &arg.provider);
	fd = err ? err : etw_kdev_open();
	if (fd >= 0) {
		arg.events = (uintptr_t)d->events;
		arg.schemas = (uintptr_t)d->schemas;
		arg.schemas_len = d->schemas_len;
		arg.pieces = (uintptr_t)d->pieces;
		arg.piece_count = d->piece_count;
		err = etw_kdev_bpf_provider(fd, &arg);
		if (err) {
			etw_kdev_close(fd);
		} else {
			*handle = fd;
			*number = arg.number;
		}
	}
	free(d);
	return fd < 0 ? fd : err;
}

void etw_bpf_unregister(int handle)
{
	if (handle >= 0)
		etw_kdev_close(handle);
}
