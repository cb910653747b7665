// SPDX-License-Identifier: GPL-2.0-only
/*
 * ioctl_file.c - copying the structs of a session's log file in and out
 */
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "alloc.h"
#include "ioctl.h"
#include "ioctl_file.h"

/* Copy in a struct that another one points to, by the rules for structs of commands. */
static int copy_in(void *to, size_t known, u64 ptr)
{
	return etw_ioctl_struct_in(to, known, known, u64_to_user_ptr(ptr));
}

int etw_ioctl_file_in(u64 ptr, struct etw_session_file *file)
{
	return copy_in(file, sizeof(*file), ptr);
}

/* Can the log's state be written to ptr?  Asked before anything is done.  ptr may be 0. */
int etw_ioctl_log_room(u64 ptr)
{
	struct etw_session_log log;
	int err;

	if (!ptr)
		return 0;
	err = copy_in(&log, sizeof(log), ptr);
	if (err)
		return err;
	if (fault_in_safe_writeable(u64_to_user_ptr(ptr), sizeof(log)))
		return -EFAULT;
	return etw_ioctl_name_room(log.name, min_t(u32, log.name_cap, ETW_FILE_NAME_MAX));
}

/* Copy the state of the session's log out, if it has one and the caller asked for it. */
int etw_ioctl_log_out(struct etw_trace_session *s, u64 ptr)
{
	struct etw_session_log log, now;
	char *name;
	int err;

	if (!ptr || !s->log)
		return 0;
	err = copy_in(&log, sizeof(log), ptr);
	if (err)
		return err;
	name = kmalloc(ETW_FILE_NAME_MAX, ETW_GFP);
	if (!name)
		return -ENOMEM;
	etw_logfile_describe(s->log, &now, name);
	etw_logfile_losses(s, &now.buffers_lost, &now.events_lost);
	now.size = log.size;
	now.name = log.name;
	now.name_cap = log.name_cap;
	err = etw_ioctl_name_out(log.name, log.name_cap, name, now.name_len);
	kfree(name);
	if (!err && copy_to_user(u64_to_user_ptr(ptr), &now, sizeof(now)))
		err = -EFAULT;
	return err;
}
