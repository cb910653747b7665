/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_kmod.h - load and remove modules from a test
 */
#ifndef ETW_SELFTEST_VM_KMOD_H
#define ETW_SELFTEST_VM_KMOD_H

#include "lib/vm_dev.h"

#include <sys/syscall.h>
#include <sys/utsname.h>

#define VM_MODULE_PATH	600

/* The file of a module, modules/KERNEL/NAME.ko in vm_build(). */
const char *vm_module_path(const char *name, char path[VM_MODULE_PATH]);

int vm_insmod_with(const char *name, const char *parameters);

static inline int vm_insmod(const char *name)
{
	return vm_insmod_with(name, "");
}

/* Remove a module; it may still be in use by a file that is being closed. */
int vm_rmmod(const char *name);

/* Try once to remove a module, and return the result. */
static inline int vm_rmmod_try(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK) ? -errno : 0;
}

/* Open the device of a test module that vm_insmod() just loaded. */
int vm_kmod_open(const char *name);

/* Load a test module, after removing it if an earlier test left it, and open its device. */
int vm_kmod_fresh(const char *name);

/* Load etw_test and register its provider 0, ETW_TEST_GUID; the device or a negative errno. */
int vm_test_provider(void);

/* Let etw_test register or end its provider of this index; 0 has the GUID ETW_TEST_GUID. */
int vm_test_register(int fd, unsigned int index, struct etw_guid guid, uint32_t flags);
int vm_test_unregister(int fd, unsigned int index);

/* Stop etw_stress, close its device and remove it; fd < 0: it was not loaded. */
int vm_stress_end(int fd);

/* Lines of a /proc file that contain text. */
int vm_count_lines(const char *path, const char *text);

#endif /* ETW_SELFTEST_VM_KMOD_H */
