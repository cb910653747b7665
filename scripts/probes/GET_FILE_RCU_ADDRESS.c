// SPDX-License-Identifier: GPL-2.0-only
/* get_file_rcu() takes the address of a pointer and returns the file.  (6.7) */
#include <linux/fs.h>
#include <linux/module.h>

struct file *etw_probe(struct file __rcu **file);
struct file *etw_probe(struct file __rcu **file)
{
	return get_file_rcu(file);
}

MODULE_LICENSE("GPL");
