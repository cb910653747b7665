// SPDX-License-Identifier: GPL-2.0-only
/* Mounts have an ID map instead of a user namespace (6.3). */
#include <linux/fs.h>
#include <linux/module.h>

int etw_probe(struct file *file, struct iattr *attr);
int etw_probe(struct file *file, struct iattr *attr)
{
	return notify_change(file_mnt_idmap(file), file_dentry(file), attr, NULL);
}

MODULE_LICENSE("GPL");
