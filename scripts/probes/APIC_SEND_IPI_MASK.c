// SPDX-License-Identifier: GPL-2.0-only
/* IPIs are sent through a static call, not through the members of apic (6.6). */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <asm/apic.h>

void etw_probe(const struct cpumask *mask);
void etw_probe(const struct cpumask *mask)
{
	__apic_send_IPI_mask(mask, NMI_VECTOR);
}

MODULE_LICENSE("GPL");
