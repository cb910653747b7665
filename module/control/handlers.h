/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handlers.h - the functions of the commands of /dev/etw, for the table in device.c
 */
#ifndef ETW_CONTROL_HANDLERS_H
#define ETW_CONTROL_HANDLERS_H

#include <linux/fs.h>

/* ioctl_session.c */
long etw_ioctl_session_start(struct file *file, void *arg);
void etw_ioctl_session_start_undo(struct file *file, void *arg);
long etw_ioctl_session_stop(struct file *file, void *arg);
long etw_ioctl_session_query(struct file *file, void *arg);
long etw_ioctl_session_update(struct file *file, void *arg);
long etw_ioctl_session_flush(struct file *file, void *arg);
long etw_ioctl_session_enum(struct file *file, void *arg);
long etw_ioctl_session_stat(struct file *file, void *arg);
long etw_ioctl_session_capture(struct file *file, void *arg);
long etw_ioctl_session_system(struct file *file, void *arg);
long etw_ioctl_session_missed(struct file *file, void *arg);
long etw_ioctl_consumer_open(struct file *file, void *arg, void __user *user);

/* ioctl_provider.c */
long etw_ioctl_register(struct file *file, void *arg);
void etw_ioctl_register_undo(struct file *file, void *arg);
long etw_ioctl_unregister(struct file *file, void *arg);
long etw_ioctl_notify(struct file *file, void *arg);
void etw_ioctl_notify_undo(struct file *file, void *arg);
long etw_ioctl_provider_set(struct file *file, void *arg);
long etw_ioctl_enable(struct file *file, void *arg);
long etw_ioctl_provider_enum(struct file *file, void *arg);
long etw_ioctl_provider_query(struct file *file, void *arg);

/* ioctl_group.c */
long etw_ioctl_disallow_set(struct file *file, void *arg);
long etw_ioctl_disallow_query(struct file *file, void *arg);
long etw_ioctl_group_enum(struct file *file, void *arg);
long etw_ioctl_group_query(struct file *file, void *arg);

/* ioctl_trace.c */
long etw_ioctl_trace_event(struct file *file, void *arg);

/* ioctl_bpf.c */
long etw_ioctl_bpf_provider(struct file *file, void *arg);

/* ioctl_access.c */
long etw_ioctl_access_set(struct file *file, void *arg);
long etw_ioctl_access_query(struct file *file, void *arg);
long etw_ioctl_access_remove(struct file *file, void *arg);

#endif /* ETW_CONTROL_HANDLERS_H */
