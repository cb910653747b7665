// SPDX-License-Identifier: GPL-2.0-only
/* fault.c - let the driver's entry fail, the part of etw_ported that knows Linux */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>

bool parcel_fault(void);
bool parcel_can_open(void);

static bool fault;
module_param(fault, bool, 0);
MODULE_PARM_DESC(fault, "DriverEntry fails late, and leaves its device and link behind");

bool parcel_fault(void)
{
	return fault;
}

/* Can a program open the device now? */
bool parcel_can_open(void)
{
	struct file *file = filp_open("/dev/PARCELDRV", O_RDWR, 0);

	if (IS_ERR(file))
		return false;
	filp_close(file, NULL);
	return true;
}
