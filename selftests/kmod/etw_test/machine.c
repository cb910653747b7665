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
 *
 * It ends shortly after a wrap, however slow the machine is.  The kernel counts nothing in
 * the second half of a wrap, but reads its clock there; a tick that falls there gives the
 * next one a time that never comes.
 */
static int machine_stall(void *arg)
{
	const struct etw_test_machine *m = arg;
#ifdef CONFIG_X86
	u64 begun = rdtsc_ordered();
	u32 passed;

	mdelay(m->ms);
	for (;;) {
		passed = div_u64(rdtsc_ordered() - begun, tsc_khz);
		if (!m->wrap_ms || passed % m->wrap_ms < m->wrap_ms / 4)
			break;
		mdelay(1);
	}
#else
	mdelay(m->ms);
#endif
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
		return stop_machine(machine_stall, m, NULL);
	case ETW_TEST_MACHINE_DEVICES:
		return machine_keep_devices();
	default:
		return -EINVAL;
	}
}
