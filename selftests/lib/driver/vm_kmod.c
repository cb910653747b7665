// SPDX-License-Identifier: GPL-2.0-only
/* vm_kmod.c - load and remove modules from a test */
#include "lib/driver/vm_kmod.h"

#include "kmod/etw_stress/etw_stress.h"
#include "kmod/etw_test/etw_test.h"

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

int vm_kmod_fresh(const char *name)
{
	int err;

	vm_rmmod_try(name);
	err = vm_insmod(name);
	return err ? err : vm_kmod_open(name);
}

int vm_test_register(int fd, unsigned int index, struct etw_guid guid, uint32_t flags)
{
	struct etw_test_register reg = { .index = index, .guid = guid, .flags = flags };

	return vm_ioctl(fd, ETW_TEST_REGISTER, &reg) ?: reg.result;
}

int vm_test_unregister(int fd, unsigned int index)
{
	struct etw_test_register reg = { .index = index };

	return vm_ioctl(fd, ETW_TEST_UNREGISTER, &reg) ?: reg.result;
}

int vm_test_provider(void)
{
	int fd = vm_kmod_fresh("etw_test"), ret;

	if (fd < 0)
		return fd;
	ret = vm_test_register(fd, 0, vm_guid(0), 0);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int vm_stress_end(int fd)
{
	if (fd < 0)
		return 0;
	ioctl(fd, ETW_STRESS_STOP_IOC);
	close(fd);
	return vm_rmmod("etw_stress");
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
