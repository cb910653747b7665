// SPDX-License-Identifier: GPL-2.0-only
/* vm_kmod.c - load and remove modules from a test */
#include "lib/driver/vm_kmod.h"

int vm_insmod_with(const char *name, const char *parameters)
{
	const char *build = getenv("ETW_BUILD");
	char own[256] = "", path[512];
	struct utsname u;
	int fd, ret;

	if (!build && readlink("/proc/self/exe", own, sizeof(own) - 1) > 0)
		build = dirname(dirname(own));
	uname(&u);
	snprintf(path, sizeof(path), "%s/modules/%s/%s.ko", build ? build : "build",
		 u.release, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "# %s: %s\n", path, strerror(errno));
		return -errno;
	}
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return ret;
}

int vm_rmmod(const char *name)
{
	int ret = 0;

	if (!vm_until((ret = syscall(SYS_delete_module, name, O_NONBLOCK) ?
		       -errno : 0) != -EAGAIN && ret != -EBUSY))
		fprintf(stderr, "# %s stays in use\n", name);
	return ret;
}

int vm_kmod_open(const char *name)
{
	char path[64];
	int fd = -1;

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (!vm_until((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0))
		return -errno;
	return fd;
}

int vm_count_lines(const char *path, const char *text)
{
	FILE *f = fopen(path, "re");
	char line[1024];
	int n = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	fclose(f);
	return n;
}
