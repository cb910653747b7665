// SPDX-License-Identifier: GPL-2.0-only
/* vm_disk.c - a small disk in a file, with an ext4 that a test can break */
#include "lib/fault/vm_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/shell.h"

/* EXT4_IOC_SHUTDOWN and its way that does not write the journal either */
#define SHUT_DOWN	_IOR('X', 125, uint32_t)
#define NO_LOG_FLUSH	2

bool vm_disk_mount(const char *options)
{
	return shell("mount -t ext4 -o loop,%s " DISK " " DISK_DIR " >/dev/null 2>&1", options);
}

/*
 * Making a file system takes seconds where the kernel is slow: do it once for all tests.  Nothing
 * is left for the kernel to initialize while the disk is in use.
 */
static bool copy_image(const char *features)
{
	char image[64];
	unsigned int sum = 0;

	for (const char *c = features; *c; c++)
		sum = 31 * sum + (unsigned char)*c;
	snprintf(image, sizeof(image), "/run/etw-disk-%08x", sum);
	return shell("{ [ -s %s ] || mkfs.ext4 -q -F -b 1024 -E lazy_itable_init=0 %s %s %dM; } >/dev/null 2>&1 && "
		     "cp --sparse=always %s " DISK, image, features, image, DISK_MB, image);
}

bool vm_disk_make(const char *features, const char *options)
{
	/* Fails where they are built into the kernel. */
	if (system("modprobe -q -a loop ext4"))
		errno = 0;
	mkdir(DISK_DIR, 0755);
	return copy_image(features) && vm_disk_mount(options);
}

unsigned long vm_disk_free_blocks(void)
{
	struct statfs st;

	return statfs(DISK_DIR, &st) ? 0 : st.f_bfree;
}

bool vm_disk_trigger_error(void)
{
	char link[64], target[256] = "", path[320];
	struct stat st;
	ssize_t n;

	if (stat(DISK_DIR, &st))
		return false;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0 || !strrchr(target, '/'))
		return false;
	snprintf(path, sizeof(path), "/sys/fs/ext4%s/trigger_fs_error", strrchr(target, '/'));
	return vm_write_text(path, "log");
}

bool vm_disk_shut_down(void)
{
	uint32_t how = NO_LOG_FLUSH;
	int fd = open(DISK_DIR, O_RDONLY | O_CLOEXEC), ret;

	ret = ioctl(fd, SHUT_DOWN, &how);
	close(fd);
	return !ret;
}
