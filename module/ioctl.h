/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ioctl.h - one command of a file: its struct and its function
 */
#ifndef ETW_IOCTL_H
#define ETW_IOCTL_H

#include <linux/fs.h>
#include <linux/types.h>

/* Room for the largest argument struct, in u64. */
#define ETW_IOCTL_WORDS	40

/**
 * struct etw_ioctl - how a command is run
 * @cmd: its number
 * @size: of its struct in this kernel
 * @run: gets a kernel copy of the struct and writes its results there
 * @run_user: instead of @run; copies its results to the caller's struct itself
 * @undo: called if the results could not be copied to the caller; with @always
 *	also those of a @run that failed
 * @in_only: there are no results
 * @always: copy the results even if @run fails
 */
struct etw_ioctl {
	unsigned int cmd;
	u32 size;
	long (*run)(struct file *file, void *arg);
	long (*run_user)(struct file *file, void *arg, void __user *user);
	void (*undo)(struct file *file, void *arg);
	bool in_only;
	bool always;
};

/* The first published size is today's size; a later, longer struct adds it. */
#define ETW_IOCTL(_cmd, _type, _run, ...)				\
	{ .cmd = (_cmd), .run = (_run),					\
	  .size = sizeof(_type) +					\
		  BUILD_BUG_ON_ZERO(sizeof(_type) > ETW_IOCTL_WORDS * sizeof(u64)), \
	  ##__VA_ARGS__ }

long etw_ioctl_run(const struct etw_ioctl *table, size_t count, struct file *file,
		   unsigned int cmd, void __user *arg);

/* ioctl.c, for the files that implement commands */
int etw_ioctl_struct_in(void *to, size_t known, const void __user *from);
int etw_ioctl_name_in(u64 ptr, u32 len, char **name);
int etw_ioctl_name_room(u64 ptr, u32 cap);
int etw_ioctl_name_out(u64 ptr, u32 cap, const char *name, u32 len);

/* ioctl_access.c */
long etw_ioctl_access_set(struct file *file, void *arg);
long etw_ioctl_access_query(struct file *file, void *arg);
long etw_ioctl_access_remove(struct file *file, void *arg);

/* ioctl_session.c */
long etw_ioctl_session_start(struct file *file, void *arg);
void etw_ioctl_session_unstart(struct file *file, void *arg);
long etw_ioctl_session_stop(struct file *file, void *arg);
long etw_ioctl_session_query(struct file *file, void *arg);
long etw_ioctl_session_update(struct file *file, void *arg);
long etw_ioctl_session_flush(struct file *file, void *arg);
long etw_ioctl_session_enum(struct file *file, void *arg);
long etw_ioctl_session_stat(struct file *file, void *arg);
long etw_ioctl_session_capture(struct file *file, void *arg);
long etw_ioctl_consumer_open(struct file *file, void *arg, void __user *user);

/* ioctl_provider.c */
long etw_ioctl_enable(struct file *file, void *arg);
long etw_ioctl_provider_enum(struct file *file, void *arg);
long etw_ioctl_provider_query(struct file *file, void *arg);

/* groups.c and traits.c */
long etw_ioctl_disallow_set(struct file *file, void *arg);
long etw_ioctl_disallow_query(struct file *file, void *arg);
long etw_ioctl_group_enum(struct file *file, void *arg);
long etw_ioctl_group_query(struct file *file, void *arg);
long etw_ioctl_provider_set(struct file *file, void *arg);

/* process.c, callback_user.c and write_user.c */
long etw_ioctl_register(struct file *file, void *arg);
void etw_ioctl_unregister_undo(struct file *file, void *arg);
long etw_ioctl_unregister(struct file *file, void *arg);
long etw_ioctl_notify(struct file *file, void *arg);
void etw_ioctl_notify_undo(struct file *file, void *arg);
long etw_ioctl_write(struct file *file, void *arg);
long etw_ioctl_classic(struct file *file, void *arg);

#endif /* ETW_IOCTL_H */
