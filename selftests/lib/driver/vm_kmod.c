// SPDX-License-Identifier: GPL-2.0-only
/* vm_kmod.c - load and remove modules from a test */
#include "lib/driver/vm_kmod.h"

const char *vm_module_path(const char *name, char path[VM_MODULE_PATH])
{
	struct utsname u;

	uname(&u);
	snprintf(path, VM_MODULE_PATH, "%s/modules/%s/%s.ko", vm_build(), u.release, name);
	return path;
}

int vm_insmod_with(const char *name, const char *parameters)
{
	char path[VM_MODULE_PATH];
	int fd, ret;

	fd = open(vm_module_path(name, path), O_RDONLY | O_CLOEXEC);
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
