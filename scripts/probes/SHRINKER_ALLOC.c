// SPDX-License-Identifier: GPL-2.0-only
/* Shrinkers are allocated by the kernel (6.7). */
#include <linux/module.h>
#include <linux/shrinker.h>

void etw_probe(void);
void etw_probe(void)
{
	struct shrinker *shrinker = shrinker_alloc(0, "etw");

	shrinker_register(shrinker);
	shrinker_free(shrinker);
}

MODULE_LICENSE("GPL");
