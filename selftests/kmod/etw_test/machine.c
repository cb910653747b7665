// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine.c - what can happen to the clocks of a machine
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/stop_machine.h>
#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

#include "ops.h"

/*
 * Nothing runs on any CPU for so long, no tick either.  A clock source that wraps in that
 * time is behind afterwards, as a hypervisor's may be after a migration.
 */
static int machine_stall(void *arg)
{
	const u32 *ms = arg;

	mdelay(*ms);
	return 0;
}

/*
 * Let the devices on the PCI bus out of suspend and resume: the file system of the virtual
 * machine does not survive them.
 */
static int machine_keep_devices(void)
{
#ifdef CONFIG_PM_SLEEP
	struct pci_dev *dev = NULL;

	while ((dev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, dev)))
		dev_pm_syscore_device(&dev->dev, true);
	return 0;
#else
	return -EOPNOTSUPP;
#endif
}

int etw_test_machine_op(void *arg)
{
	struct etw_test_machine *m = arg;

	switch (m->what) {
	case ETW_TEST_MACHINE_TSC:
#ifdef CONFIG_X86
		mark_tsc_unstable("a test wants it");
		return 0;
#else
		return -EOPNOTSUPP;
#endif
	case ETW_TEST_MACHINE_STALL:
		return stop_machine(machine_stall, &m->ms, cpu_online_mask);
	case ETW_TEST_MACHINE_DEVICES:
		return machine_keep_devices();
	default:
		return -EINVAL;
	}
}
