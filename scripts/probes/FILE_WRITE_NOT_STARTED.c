// SPDX-License-Identifier: GPL-2.0-only
/*
 * vfs_iocb_iter_write() protects from freezing by itself.  (6.8)  That cannot be seen at
 * compile time; file_write_not_started() came with it.
 */
#include <linux/fs.h>
#include <linux/module.h>

bool etw_probe(const struct file *file);
bool etw_probe(const struct file *file)
{
	return file_write_not_started(file);
}

MODULE_LICENSE("GPL");
