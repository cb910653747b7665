// SPDX-License-Identifier: GPL-2.0-only
/*
 * etw_evntdrv - a module that writes the events of a Windows sample driver ("evntdrv")
 *
 * Built if the sample's manifest is available, see scripts/modules.mk. The sample writes
 * the events in the driver's entry, in one kind of request and in the driver's unload;
 * this module writes them when it is loaded, when its parameter "request" is written, and
 * when it is removed. selftests/vm/provider/mc_evntdrv.c expects these values.
 */
#include <ntddk.h>
#include <evntrace.h>

#include <linux/module.h>
#include <linux/moduleparam.h>
#include "etw_evntdrv_events.h"

static DECLARE_CONST_UNICODE_STRING(DeviceName, L"\\Device\\Eventdrv0");

static PDEVICE_OBJECT DeviceObject = (PDEVICE_OBJECT)0x1122334455667788;

static int request(const char *text, const struct kernel_param *kp)
{
	return etw_nt_errno(EventWriteSampleEventA(NULL));
}

static const struct kernel_param_ops request_ops = { .set = request };

module_param_cb(request, &request_ops, NULL, 0200);
MODULE_PARM_DESC(request, "anything: write SampleEventA");

static int __init DriverEntry(void)
{
	NTSTATUS Status = EventRegisterSample_Driver();

	if (!NT_SUCCESS(Status))
		return etw_nt_errno(Status);
	EventWriteStartEvent(NULL, DeviceName.Length, DeviceName.Buffer, Status);
	return 0;
}

static void __exit DriverUnload(void)
{
	EventWriteUnloadEvent(NULL, DeviceObject);
	EventUnregisterSample_Driver();
}

module_init(DriverEntry);
module_exit(DriverUnload);

MODULE_DESCRIPTION("ETW test provider: events of a Windows sample driver");
MODULE_LICENSE("GPL");
