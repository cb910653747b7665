/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl.h - the commands of a file: their structs and functions
 */
#ifndef ETW_IOCTL_H
#define ETW_IOCTL_H

#include <linux/fs.h>
#include <linux/types.h>

/* Room for the largest argument struct, in u64. */
#define ETW_IOCTL_WORDS	40

/**
 * struct etw_ioctl - a command
 * @cmd: its number
 * @size: size of its struct in this kernel
 * @first: size of the first published version of the struct, if it has grown since
 * @run: gets a kernel copy of the struct and writes its results there
 * @run_user: instead of @run; copies its results to the caller's struct itself
 * @undo: called if the results could not be copied to the caller; with @always,
 *	also after a @run that failed
 * @in_only: there are no results
 * @always: copy the results even if @run fails
 */
struct etw_ioctl {
	unsigned int cmd;
	u32 size;
	u32 first;
	long (*run)(struct file *file, void *arg);
	long (*run_user)(struct file *file, void *arg, void __user *user);
	void (*undo)(struct file *file, void *arg);
	bool in_only;
	bool always;
};

/* A struct that has grown names its first size: .first = ETW_..._SIZE_FIRST of abi.h. */
#define ETW_IOCTL(_cmd, _type, _run, ...)				\
	{ .cmd = (_cmd), .run = (_run),					\
	  .size = sizeof(_type) +					\
		  BUILD_BUG_ON_ZERO(sizeof(_type) > ETW_IOCTL_WORDS * sizeof(u64)), \
	  ##__VA_ARGS__ }

long etw_ioctl_run(const struct etw_ioctl *table, size_t count, struct file *file,
		   unsigned int cmd, void __user *arg);

/* For the functions of commands */
int etw_ioctl_struct_in(void *to, size_t first, size_t known, const void __user *from);
int etw_ioctl_name_in(u64 ptr, u32 len, char **name);
int etw_ioctl_name_room(u64 ptr, u32 cap);
int etw_ioctl_name_out(u64 ptr, u32 cap, const char *name, u32 len);

#endif /* ETW_IOCTL_H */
