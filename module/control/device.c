// SPDX-License-Identifier: GPL-2.0-only
/*
 * device.c - /dev/etw: the file, and the table of its commands
 *
 * The handlers are in the other files of this folder, except the handlers that write
 * events: these are part of the hot path, in write/.  Files of consumers have commands
 * of their own, see session/consumer_file.c.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>

#include "device.h"
#include "handlers.h"
#include "ioctl.h"
#include "provider/process.h"
#include "system/held_provider.h"
#include "write/write_classic.h"
#include "write/write_user.h"
#include <etw/abi.h>

static const struct etw_ioctl device_ioctls[] = {
	/* searched from the top: the most frequent ones first; ETW_IOC_WRITE is before them all */
	ETW_IOCTL(ETW_IOC_CLASSIC, struct etw_classic_write, etw_write_classic,
		  .in_only = true),
	ETW_IOCTL(ETW_IOC_WRITE_MANY, struct etw_write_many, etw_write_many),
	ETW_IOCTL(ETW_IOC_NOTIFY, struct etw_notify, etw_ioctl_notify,
		  .undo = etw_ioctl_notify_undo),
	ETW_IOCTL(ETW_IOC_REGISTER, struct etw_register, etw_ioctl_register,
		  .undo = etw_ioctl_register_undo),
	ETW_IOCTL(ETW_IOC_UNREGISTER, struct etw_unregister, etw_ioctl_unregister,
		  .in_only = true),

	ETW_IOCTL(ETW_IOC_SESSION_START, struct etw_session, etw_ioctl_session_start,
		  .first = ETW_SESSION_SIZE_FIRST, .undo = etw_ioctl_session_start_undo),
	ETW_IOCTL(ETW_IOC_SESSION_STOP, struct etw_session, etw_ioctl_session_stop,
		  .first = ETW_SESSION_SIZE_FIRST),
	ETW_IOCTL(ETW_IOC_SESSION_QUERY, struct etw_session, etw_ioctl_session_query,
		  .first = ETW_SESSION_SIZE_FIRST),
	ETW_IOCTL(ETW_IOC_SESSION_UPDATE, struct etw_session, etw_ioctl_session_update,
		  .first = ETW_SESSION_SIZE_FIRST),
	ETW_IOCTL(ETW_IOC_SESSION_FLUSH, struct etw_session, etw_ioctl_session_flush,
		  .first = ETW_SESSION_SIZE_FIRST),
	ETW_IOCTL(ETW_IOC_SESSION_ENUM, struct etw_session_enum, etw_ioctl_session_enum),
	ETW_IOCTL(ETW_IOC_SESSION_STAT, struct etw_session_stat, etw_ioctl_session_stat,
		  .first = ETW_SESSION_STAT_SIZE_FIRST),
	ETW_IOCTL(ETW_IOC_SESSION_CAPTURE, struct etw_session_capture,
		  etw_ioctl_session_capture),
	ETW_IOCTL(ETW_IOC_SESSION_SYSTEM, struct etw_session_system, etw_ioctl_session_system),
	ETW_IOCTL(ETW_IOC_SESSION_MISSED, struct etw_session_missed, etw_ioctl_session_missed,
		  .in_only = true),

	ETW_IOCTL(ETW_IOC_ENABLE, struct etw_enable, etw_ioctl_enable, .in_only = true),
	ETW_IOCTL(ETW_IOC_PROVIDER_ENUM, struct etw_provider_enum,
		  etw_ioctl_provider_enum),
	ETW_IOCTL(ETW_IOC_PROVIDER_QUERY, struct etw_provider_query,
		  etw_ioctl_provider_query),
	ETW_IOCTL(ETW_IOC_PROVIDER_SET, struct etw_provider_set, etw_ioctl_provider_set,
		  .in_only = true),
	ETW_IOCTL(ETW_IOC_GROUP_ENUM, struct etw_provider_enum, etw_ioctl_group_enum),
	ETW_IOCTL(ETW_IOC_GROUP_QUERY, struct etw_group_query, etw_ioctl_group_query),
	ETW_IOCTL(ETW_IOC_DISALLOW_SET, struct etw_disallow, etw_ioctl_disallow_set,
		  .in_only = true),
	ETW_IOCTL(ETW_IOC_DISALLOW_QUERY, struct etw_disallow, etw_ioctl_disallow_query),

	ETW_IOCTL(ETW_IOC_TRACE_EVENT, struct etw_trace_event, etw_ioctl_trace_event,
		  .first = ETW_TRACE_EVENT_SIZE_FIRST, .in_only = true),
	ETW_IOCTL(ETW_IOC_BPF_PROVIDER, struct etw_bpf_provider, etw_ioctl_bpf_provider),

	ETW_IOCTL(ETW_IOC_CONSUMER_OPEN, struct etw_consumer_open, NULL,
		  .run_user = etw_ioctl_consumer_open),

	ETW_IOCTL(ETW_IOC_ACCESS_SET, struct etw_access, etw_ioctl_access_set,
		  .in_only = true),
	ETW_IOCTL(ETW_IOC_ACCESS_QUERY, struct etw_access, etw_ioctl_access_query),
	ETW_IOCTL(ETW_IOC_ACCESS_REMOVE, struct etw_access, etw_ioctl_access_remove,
		  .in_only = true),
};

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	if (cmd == ETW_IOC_WRITE)
		return etw_write_command(file, (const void __user *)arg);
	return etw_ioctl_run(device_ioctls, ARRAY_SIZE(device_ioctls), file, cmd,
			     (void __user *)arg);
}

static int device_open(struct inode *inode, struct file *file)
{
	return etw_process_open(file);
}

static int device_flush(struct file *file, fl_owner_t owner)
{
	etw_process_flush(etw_process_of(file));
	return 0;
}

static int device_release(struct inode *inode, struct file *file)
{
	etw_held_provider_release(etw_process_of(file));
	etw_process_release(etw_process_of(file));
	return 0;
}

static __poll_t device_poll(struct file *file, poll_table *pt)
{
	return etw_callback_queue_poll(&etw_process_of(file)->queue, file, pt);
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	return etw_process_mmap(etw_process_of(file), vma);
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.flush = device_flush,
	.release = device_release,
	.poll = device_poll,
	.mmap = device_mmap,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "etw",
	.fops = &device_fops,
	.mode = 0666,
};

int __init etw_device_init(void)
{
	return misc_register(&device);
}

void etw_device_exit(void)
{
	misc_deregister(&device);
}
