/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_disk.h - a small disk in a file, with an ext4 that a test can break
 */
#ifndef ETW_SELFTEST_VM_DISK_H
#define ETW_SELFTEST_VM_DISK_H

#include <stdbool.h>

#include "lib/vm_log.h"

#define DISK		LOG_DIR "/disk"		/* the image */
#define DISK_DIR	LOG_DIR "/mnt"		/* where it is mounted */
#define DISK_MB		8

/* Allocation of space fails in write(2), not later. */
#define DISK_JOURNALED	"-e remount-ro", "nodelalloc"
/* write(2) succeeds, and the error appears when the data go to the disk. */
#define DISK_TRUSTING	"-O ^has_journal -e continue", "errors=continue"
/* No extents, so space is allocated by writing only. */
#define DISK_SIMPLE	"-O ^extent,^64bit,^has_journal -e continue", "nodelalloc"
/* What most machines have: write(2) only fills memory. */
#define DISK_USUAL	"-e remount-ro", "delalloc"

/* In a test whose fixture has a bool disk: what vm_disk_make() returned */
#define NEEDS_DISK(self)	do {						\
		if (!(self)->disk)						\
			SKIP(return, "no ext4 on a loop device");		\
	} while (0)

/*
 * Make the image in LOG_DIR with these features and mount it with these options.
 * false: this machine has no ext4 on loop devices.
 */
bool vm_disk_make(const char *features, const char *options);

bool vm_disk_mount(const char *options);

unsigned long vm_disk_free_blocks(void);

/* Make the mounted file system believe that it found an error. */
bool vm_disk_trigger_error(void);

/* A power cut: from now on nothing reaches the disk, and every access fails. */
bool vm_disk_shut_down(void);

#endif /* ETW_SELFTEST_VM_DISK_H */
