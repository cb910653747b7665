/* SPDX-License-Identifier: MIT */
/*
 * device.c - open /dev/etw, and say why not
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "device/kdev.h"

/* The device's path, for messages. */
const char *device_path(void)
{
	const char *path = secure_getenv(ETW_DEVICE_ENV);

	return path && *path ? path : ETW_DEVICE_PATH;
}

/* Returns a descriptor, or -1 after printing why there is none. */
int device_open(void)
{
	int fd = etw_kdev_open();

	if (fd >= 0)
		return fd;
	switch (-fd) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		cli_fail("%s: no such device: run \"etw doctor\"", device_path());
		break;
	default:
		cli_fail("%s: %s: run \"etw doctor\"", device_path(), strerror(-fd));
		break;
	}
	return -1;
}

bool guid_equal(const struct etw_guid *a, const struct etw_guid *b)
{
	return !memcmp(a, b, sizeof(*a));
}
