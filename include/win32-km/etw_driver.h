/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * etw_driver.h - the module that <wdm.h> makes of a Windows driver: devices and requests
 *
 * A program's open(), close(), read(), write() and DeviceIoControl() (<fileapi.h> of
 * include/win32) are requests of the driver:
 *
 *	open()			IRP_MJ_CREATE
 *	last close()		IRP_MJ_CLEANUP, which is not waited for; it comes late if another thread
 *				of the program still waits for a request
 *	later			IRP_MJ_CLOSE, when no request of the file is left
 *	read(), write()		IRP_MJ_READ, IRP_MJ_WRITE, if the device has DO_BUFFERED_IO
 *	DeviceIoControl()	IRP_MJ_DEVICE_CONTROL, METHOD_BUFFERED
 *
 * An IRP has one stack location and at most 16 MB of data in AssociatedIrp.SystemBuffer.  The
 * program waits for a request that the driver holds (STATUS_PENDING) until it is completed.  If the
 * program is killed, the request is cancelled, as by IoCancelIrp(), and stays the driver's until
 * this completes it; so do its FILE_OBJECT, its DEVICE_OBJECT and the module, which cannot be
 * unloaded before.
 *
 * Programs can open a device when DriverEntry() has succeeded, DO_DEVICE_INITIALIZING is cleared
 * (of devices that DriverEntry() makes, it is at its end) and until IoDeleteDevice().
 *
 * Semantics: Microsoft's pages "IoCreateDevice function", "IoCreateSymbolicLink function",
 * "IoCompleteRequest macro", "IoCancelIrp function", "IoSetCancelRoutine macro", "IRP_MJ_CLEANUP",
 * "IRP_MJ_CLOSE" and "Buffer Descriptions for I/O Control Codes".
 */
#ifndef ETW_WIN32_KM_DRIVER_H
#define ETW_WIN32_KM_DRIVER_H

#include <wdm.h>

#ifdef ETW_DRIVER_LICENSE

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

static void etw_driver_work(struct work_struct *work);

/* Each source file of a driver has this and the functions of the module; the linker keeps one. */
struct etw_driver {
	DRIVER_OBJECT object;
	UNICODE_STRING path;
	struct mutex lock;		/* list of devices, links, @started, opens */
	BOOLEAN started;		/* DriverEntry() succeeded: links are registered at once */
	BOOLEAN visible;		/* a program may have opened a device */
	struct class class;
	KSPIN_LOCK cancel;
	struct llist_head left;		/* completed requests of killed programs, for @work */
	struct work_struct work;
};

extern struct etw_driver etw_driver;
struct etw_driver etw_driver __weak = {
	.lock = __MUTEX_INITIALIZER(etw_driver.lock),
	.class.name = "etw_" KBUILD_MODNAME,
	.cancel = __SPIN_LOCK_UNLOCKED(etw_driver.cancel),
	.work = __WORK_INITIALIZER(etw_driver.work, etw_driver_work),
};

/* ------------------------------------------------------- requests, the driver's side */

/* A request goes from SENT to DONE, and over LEFT if its program does not wait for it. */
#define ETW_IRP_SENT	0
#define ETW_IRP_DONE	1
#define ETW_IRP_LEFT	2		/* IoCompleteRequest() frees it */

/* Any IRQL.  The request must not be used any more. */
static inline VOID IoCompleteRequest(PIRP Irp, CCHAR PriorityBoost)
{
	int state = cmpxchg(&Irp->etw_state, ETW_IRP_SENT, ETW_IRP_DONE);

	if (state == ETW_IRP_LEFT)
		state = cmpxchg(&Irp->etw_state, ETW_IRP_LEFT, ETW_IRP_DONE);
	if (WARN_ONCE(state == ETW_IRP_DONE, "a request is completed twice\n"))
		return;
	if (state == ETW_IRP_SENT) {
		complete(&Irp->etw_done);
		return;
	}
	llist_add(&Irp->etw_left, &etw_driver.left);
	schedule_work(&etw_driver.work);
}

#define IofCompleteRequest	IoCompleteRequest

/*
 * The lock of cancel routines, one for each driver.  Up to DISPATCH_LEVEL.  Sparse cannot see that
 * a routine releases what IoCancelIrp() has acquired, so it counts neither.
 */
static inline VOID IoAcquireCancelSpinLock(PKIRQL Irql)
{
	KeAcquireSpinLock(&etw_driver.cancel, Irql);
	__release(&etw_driver.cancel);
}

static inline VOID IoReleaseCancelSpinLock(KIRQL Irql)
{
	__acquire(&etw_driver.cancel);
	KeReleaseSpinLock(&etw_driver.cancel, Irql);
}

/* Any IRQL.  Returns the routine before: NULL if it is being called. */
static inline PDRIVER_CANCEL IoSetCancelRoutine(PIRP Irp, PDRIVER_CANCEL CancelRoutine)
{
	return xchg(&Irp->CancelRoutine, CancelRoutine);
}

/*
 * Call the cancel routine, which completes the request and releases the lock, if there is one.
 * The caller knows that the request is not completed meanwhile, or not freed.  Up to
 * DISPATCH_LEVEL.  Return: TRUE: there was one.
 */
static inline BOOLEAN IoCancelIrp(PIRP Irp)
{
	PDRIVER_CANCEL routine;
	KIRQL irql;

	IoAcquireCancelSpinLock(&irql);
	Irp->Cancel = TRUE;
	routine = IoSetCancelRoutine(Irp, NULL);
	if (!routine) {
		IoReleaseCancelSpinLock(irql);
		return FALSE;
	}
	Irp->CancelIrql = irql;
	routine(Irp->etw_stack.DeviceObject, Irp);
	return TRUE;
}

/* The function of requests that a driver does not handle */
static inline NTSTATUS etw_driver_refuse(PDEVICE_OBJECT DeviceObject, PIRP Irp)
{
	Irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
	Irp->IoStatus.Information = 0;
	IoCompleteRequest(Irp, IO_NO_INCREMENT);
	return STATUS_INVALID_DEVICE_REQUEST;
}

/* --------------------------------------------------- requests, the program's side */

#define ETW_IRP_MAX	SZ_16M

static inline int etw_driver_errno(NTSTATUS status)
{
	switch (status) {
	case STATUS_INVALID_DEVICE_REQUEST:
	case STATUS_NOT_IMPLEMENTED:
		return -ENOTTY;		/* which is ERROR_INVALID_FUNCTION for a program */
	case STATUS_OBJECT_NAME_INVALID:
		return -EINVAL;
	case STATUS_OBJECT_NAME_NOT_FOUND:
	case STATUS_NO_SUCH_DEVICE:
		return -ENOENT;
	case STATUS_BUFFER_TOO_SMALL:
		return -ENOBUFS;
	case STATUS_CANCELLED:
		return -EINTR;
	default:
		return etw_nt_errno(status);
	}
}

static inline void etw_device_release(struct kref *ref)
{
	kfree(container_of(ref, struct _DEVICE_OBJECT, etw_ref));
}

/* A request with a zeroed buffer and a reference to the file; the close has the last one. */
static inline PIRP etw_irp_new(PFILE_OBJECT file, UCHAR function, size_t size, gfp_t flags)
{
	PIRP irp = kvzalloc(sizeof(*irp) + size, GFP_KERNEL_ACCOUNT | flags);

	if (!irp)
		return NULL;
	if (function != IRP_MJ_CLOSE)
		refcount_inc(&file->etw_ref);
	irp->AssociatedIrp.SystemBuffer = size ? irp + 1 : NULL;
	irp->RequestorMode = UserMode;
	irp->etw_stack.MajorFunction = function;
	irp->etw_stack.DeviceObject = file->DeviceObject;
	irp->etw_stack.FileObject = file;
	init_completion(&irp->etw_done);
	return irp;
}

/*
 * Call the driver, and @wait for the end of the request or of the program.  True: the request is
 * over and the caller's.  False: it is the driver's now.
 */
static inline bool etw_irp_send(PIRP irp, bool wait)
{
	PDEVICE_OBJECT device = irp->etw_stack.DeviceObject;
	PDRIVER_DISPATCH function =
		device->DriverObject->MajorFunction[irp->etw_stack.MajorFunction];
	NTSTATUS status = function(device, irp);

	if (WARN_ONCE(status != STATUS_PENDING && READ_ONCE(irp->etw_state) == ETW_IRP_SENT,
		      "%ps returned without completing its request\n", function))
		wait = false;
	if (wait) {
		if (!wait_for_completion_killable(&irp->etw_done))
			return true;
		IoCancelIrp(irp);
	}
	if (cmpxchg(&irp->etw_state, ETW_IRP_SENT, ETW_IRP_LEFT) == ETW_IRP_SENT)
		return false;
	/* IoCompleteRequest() is about to wake, or has. */
	wait_for_completion(&irp->etw_done);
	return true;
}

static void etw_file_send(PFILE_OBJECT file, UCHAR function);

static inline void etw_file_put(PFILE_OBJECT file)
{
	if (!refcount_dec_and_test(&file->etw_ref))
		return;
	if (file->etw_opened) {
		file->etw_opened = FALSE;
		refcount_set(&file->etw_ref, 1);
		etw_file_send(file, IRP_MJ_CLOSE);
		return;
	}
	kref_put(&file->DeviceObject->etw_ref, etw_device_release);
	kfree(file);
	module_put(THIS_MODULE);
}

static inline void etw_irp_end(PIRP irp)
{
	PFILE_OBJECT file = irp->etw_stack.FileObject;

	kvfree(irp);
	etw_file_put(file);
}

/* A request that no program waits for, and that cannot fail for want of memory */
static void __maybe_unused etw_file_send(PFILE_OBJECT file, UCHAR function)
{
	PIRP irp = etw_irp_new(file, function, 0, __GFP_NOFAIL);

	if (etw_irp_send(irp, false))
		etw_irp_end(irp);
}

/* The end of requests whose program is gone.  An open that succeeded late is closed. */
static void __maybe_unused etw_driver_work(struct work_struct *work)
{
	PIRP irp, next;

	llist_for_each_entry_safe(irp, next,
				  llist_reverse_order(llist_del_all(&etw_driver.left)), etw_left) {
		PFILE_OBJECT file = irp->etw_stack.FileObject;

		if (irp->etw_stack.MajorFunction == IRP_MJ_CREATE &&
		    NT_SUCCESS(irp->IoStatus.Status)) {
			file->etw_opened = TRUE;
			etw_file_send(file, IRP_MJ_CLEANUP);
		}
		etw_irp_end(irp);
	}
}

/* ----------------------------------------------------------- file operations */

/* The device of an open(), with a reference, or a negative errno */
static inline PDEVICE_OBJECT etw_device_find(unsigned int major)
{
	PDEVICE_OBJECT device;

	mutex_lock(&etw_driver.lock);
	device = etw_driver.object.DeviceObject;
	while (device && device->etw_major != major)
		device = device->NextDevice;
	if (!device || device->Flags & DO_DEVICE_INITIALIZING)
		device = ERR_PTR(-ENOENT);
	else if (device->Flags & DO_EXCLUSIVE && kref_read(&device->etw_ref) > 1)
		device = ERR_PTR(-EACCES);
	else
		kref_get(&device->etw_ref);
	mutex_unlock(&etw_driver.lock);
	return device;
}

static int __maybe_unused etw_driver_open(struct inode *inode, struct file *filp)
{
	PFILE_OBJECT file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;
	PIRP irp;

	if (!file)
		return err;
	file->DeviceObject = etw_device_find(imajor(inode));
	if (IS_ERR(file->DeviceObject)) {
		err = PTR_ERR(file->DeviceObject);
		kfree(file);
		return err;
	}
	refcount_set(&file->etw_ref, 1);
	__module_get(THIS_MODULE);
	irp = etw_irp_new(file, IRP_MJ_CREATE, 0, 0);
	if (irp && !etw_irp_send(irp, true)) {
		err = -EINTR;
	} else if (irp) {
		err = etw_driver_errno(irp->IoStatus.Status);
		file->etw_opened = !err;
		etw_irp_end(irp);
	}
	if (err)
		etw_file_put(file);
	else
		filp->private_data = file;
	return err;
}

static int __maybe_unused etw_driver_close(struct inode *inode, struct file *filp)
{
	PFILE_OBJECT file = filp->private_data;

	etw_file_send(file, IRP_MJ_CLEANUP);
	etw_file_put(file);
	return 0;
}

/* Bytes that the driver moved, those for @to from the buffer, or a negative errno */
static inline ssize_t etw_driver_result(PIRP irp, void __user *to, size_t size)
{
	size_t n = min_t(size_t, irp->IoStatus.Information, size);

	if ((u32)irp->IoStatus.Status >> 30 == 3)	/* an error, not a warning */
		return etw_driver_errno(irp->IoStatus.Status);
	return to && n && copy_to_user(to, irp->AssociatedIrp.SystemBuffer, n) ? -EFAULT : n;
}

static inline ssize_t etw_driver_transfer(struct file *filp, void __user *data, size_t size,
					  loff_t *offset, UCHAR function)
{
	PFILE_OBJECT file = filp->private_data;
	ssize_t n = -EFAULT;
	PIRP irp;

	if (!(file->DeviceObject->Flags & DO_BUFFERED_IO))
		return -EOPNOTSUPP;
	size = min_t(size_t, size, ETW_IRP_MAX);
	irp = etw_irp_new(file, function, size, 0);
	if (!irp)
		return -ENOMEM;
	irp->etw_stack.Parameters.Read.Length = size;	/* Write has the same layout */
	irp->etw_stack.Parameters.Read.ByteOffset.QuadPart = *offset;
	if (function == IRP_MJ_READ ||
	    !copy_from_user(irp->AssociatedIrp.SystemBuffer, data, size)) {
		if (!etw_irp_send(irp, true))
			return -EINTR;
		n = etw_driver_result(irp, function == IRP_MJ_READ ? data : NULL, size);
	}
	etw_irp_end(irp);
	if (n > 0)
		*offset += n;
	return n;
}

static ssize_t __maybe_unused etw_driver_read(struct file *filp, char __user *data, size_t size,
					      loff_t *offset)
{
	return etw_driver_transfer(filp, data, size, offset, IRP_MJ_READ);
}

static ssize_t __maybe_unused etw_driver_write(struct file *filp, const char __user *data,
					       size_t size, loff_t *offset)
{
	return etw_driver_transfer(filp, (void __user *)data, size, offset, IRP_MJ_WRITE);
}

/* Fills in what was returned and the driver's status. */
static inline long etw_driver_control(struct file *filp, struct etw_device_control *control)
{
	ULONG access = ACCESS_FROM_CTL_CODE(control->code);
	size_t size = max(control->input_size, control->output_size);
	ssize_t n = -EFAULT;
	PIRP irp;

	if (size > ETW_IRP_MAX || control->reserved)
		return -EINVAL;
	if ((access & FILE_READ_ACCESS && !(filp->f_mode & FMODE_READ)) ||
	    (access & FILE_WRITE_ACCESS && !(filp->f_mode & FMODE_WRITE))) {
		control->status = STATUS_ACCESS_DENIED;
		return 0;
	}
	if (METHOD_FROM_CTL_CODE(control->code) != METHOD_BUFFERED) {
		control->status = STATUS_NOT_SUPPORTED;
		return 0;
	}
	irp = etw_irp_new(filp->private_data, IRP_MJ_DEVICE_CONTROL, size, 0);
	if (!irp)
		return -ENOMEM;
	if (!copy_from_user(irp->AssociatedIrp.SystemBuffer, u64_to_user_ptr(control->input),
			    control->input_size)) {
		irp->etw_stack.Parameters.DeviceIoControl.OutputBufferLength = control->output_size;
		irp->etw_stack.Parameters.DeviceIoControl.InputBufferLength = control->input_size;
		irp->etw_stack.Parameters.DeviceIoControl.IoControlCode = control->code;
		if (!etw_irp_send(irp, true))
			return -EINTR;
		control->status = irp->IoStatus.Status;
		n = etw_driver_result(irp, u64_to_user_ptr(control->output), control->output_size);
		control->returned = n > 0 ? n : 0;
	}
	etw_irp_end(irp);
	return n == -EFAULT ? n : 0;
}

static long __maybe_unused etw_driver_ioctl(struct file *filp, unsigned int command,
					    unsigned long argument)
{
	struct etw_device_control control;
	void __user *from = (void __user *)argument;
	long err;

	if (command != ETW_DEVICE_CONTROL)
		return -ENOTTY;
	if (copy_from_user(&control, from, sizeof(control)))
		return -EFAULT;
	err = etw_driver_control(filp, &control);
	return !err && copy_to_user(from, &control, sizeof(control)) ? -EFAULT : err;
}

static const struct file_operations etw_driver_fops __maybe_unused = {
	.owner = THIS_MODULE,
	.open = etw_driver_open,
	.release = etw_driver_close,
	.read = etw_driver_read,
	.write = etw_driver_write,
	.unlocked_ioctl = etw_driver_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ------------------------------------------------------------------- devices */

/* The last part of \Device\NAME; FALSE: no name, too long, or a character that /dev lacks */
static inline BOOLEAN etw_driver_name(PCUNICODE_STRING from, char *to, size_t size)
{
	size_t n = from->Length / sizeof(WCHAR), start = n, i;

	while (start && from->Buffer[start - 1] != '\\')
		start--;
	if (start == n || n - start >= size)
		return FALSE;
	for (i = start; i < n; i++) {
		if (from->Buffer[i] <= ' ' || from->Buffer[i] > '~' || from->Buffer[i] == '/' ||
		    from->Buffer[i] == '!')
			return FALSE;
		to[i - start] = from->Buffer[i];
	}
	to[n - start] = 0;
	return TRUE;
}

/* Names of devices and links are the same in any case.  The caller holds the lock. */
static inline PDEVICE_OBJECT etw_device_named(const char *name)
{
	PDEVICE_OBJECT device = etw_driver.object.DeviceObject;

	while (device && strcasecmp(device->etw_name, name))
		device = device->NextDevice;
	return device;
}

static inline PDEVICE_OBJECT etw_device_linked(const char *link)
{
	PDEVICE_OBJECT device = etw_driver.object.DeviceObject;

	while (device && strcasecmp(device->etw_link, link))
		device = device->NextDevice;
	return device;
}

/**
 * IoCreateDevice() - make a device, which programs do not see before its symbolic link
 * @DriverObject: the driver
 * @DeviceExtensionSize: bytes at DeviceExtension
 * @DeviceName: "\Device\NAME", or NULL
 * @DeviceType: FILE_DEVICE_
 * @DeviceCharacteristics: no effect
 * @Exclusive: refuse to open the device while it is open
 * @DeviceObject: out: the device; IoDeleteDevice() frees it
 *
 * PASSIVE_LEVEL.  Return: STATUS_SUCCESS; STATUS_OBJECT_NAME_INVALID;
 * STATUS_OBJECT_NAME_COLLISION; STATUS_INSUFFICIENT_RESOURCES.
 */
static inline NTSTATUS IoCreateDevice(PDRIVER_OBJECT DriverObject, ULONG DeviceExtensionSize,
				      PUNICODE_STRING DeviceName, DEVICE_TYPE DeviceType,
				      ULONG DeviceCharacteristics, BOOLEAN Exclusive,
				      PDEVICE_OBJECT *DeviceObject)
{
	char name[sizeof((*DeviceObject)->etw_name)] = "";
	PDEVICE_OBJECT device;

	if (DeviceName && !etw_driver_name(DeviceName, name, sizeof(name)))
		return STATUS_OBJECT_NAME_INVALID;
	device = kzalloc(sizeof(*device) + DeviceExtensionSize, GFP_KERNEL);
	if (!device)
		return STATUS_INSUFFICIENT_RESOURCES;
	kref_init(&device->etw_ref);
	strcpy(device->etw_name, name);
	device->DriverObject = DriverObject;
	device->DeviceType = DeviceType;
	device->Characteristics = DeviceCharacteristics;
	device->Flags = DO_DEVICE_INITIALIZING | (Exclusive ? DO_EXCLUSIVE : 0);
	device->DeviceExtension = DeviceExtensionSize ? device + 1 : NULL;
	device->StackSize = 1;
	mutex_lock(&etw_driver.lock);
	if (*name && etw_device_named(name)) {
		mutex_unlock(&etw_driver.lock);
		kfree(device);
		return STATUS_OBJECT_NAME_COLLISION;
	}
	device->NextDevice = DriverObject->DeviceObject;
	DriverObject->DeviceObject = device;
	mutex_unlock(&etw_driver.lock);
	*DeviceObject = device;
	return STATUS_SUCCESS;
}

static inline void etw_link_remove(PDEVICE_OBJECT device)
{
	if (device->etw_major) {
		device_destroy(&etw_driver.class, MKDEV(device->etw_major, 0));
		__unregister_chrdev(device->etw_major, 0, 1, device->etw_link);
	}
	device->etw_major = 0;
	device->etw_link[0] = 0;
}

/* Make /dev/NAME.  -EEXIST: there is one, such as another driver's. */
static inline int etw_link_add(PDEVICE_OBJECT device)
{
	char name[sizeof("/dev/") + sizeof(device->etw_link)];
	struct device *node;
	struct path path;
	int major;

	snprintf(name, sizeof(name), "/dev/%s", device->etw_link);
	if (!kern_path(name, 0, &path)) {
		path_put(&path);
		return -EEXIST;
	}
	major = __register_chrdev(0, 0, 1, device->etw_link, &etw_driver_fops);
	if (major < 0)
		return major;
	etw_driver.visible = TRUE;
	device->etw_major = major;
	node = device_create(&etw_driver.class, NULL, MKDEV(major, 0), NULL, "%s",
			     device->etw_link);
	return PTR_ERR_OR_ZERO(node);
}

/*
 * PASSIVE_LEVEL.  The device cannot be opened any more; files that are open keep its memory and
 * send requests.
 */
static inline VOID IoDeleteDevice(PDEVICE_OBJECT DeviceObject)
{
	PDEVICE_OBJECT *at = &DeviceObject->DriverObject->DeviceObject;

	mutex_lock(&etw_driver.lock);
	while (*at && *at != DeviceObject)
		at = &(*at)->NextDevice;
	if (*at)
		*at = DeviceObject->NextDevice;
	etw_link_remove(DeviceObject);
	mutex_unlock(&etw_driver.lock);
	kref_put(&DeviceObject->etw_ref, etw_device_release);
}

/*
 * The device as /dev/NAME, one name per device.  A name that DriverEntry() gives is in /dev when
 * it has succeeded; if /dev has the name, a message says so.  PASSIVE_LEVEL.  Return:
 * STATUS_SUCCESS; STATUS_OBJECT_NAME_INVALID; STATUS_OBJECT_NAME_NOT_FOUND: no such device of this
 * driver; STATUS_OBJECT_NAME_COLLISION: the device has a name, or the name is taken;
 * STATUS_INSUFFICIENT_RESOURCES.
 */
static inline NTSTATUS IoCreateSymbolicLink(PUNICODE_STRING SymbolicLinkName,
					    PUNICODE_STRING DeviceName)
{
	char link[sizeof(((PDEVICE_OBJECT)0)->etw_link)], name[sizeof(link)];
	PDEVICE_OBJECT device;
	int err = -EEXIST;

	if (!etw_driver_name(SymbolicLinkName, link, sizeof(link)) ||
	    !etw_driver_name(DeviceName, name, sizeof(name)))
		return STATUS_OBJECT_NAME_INVALID;
	mutex_lock(&etw_driver.lock);
	device = etw_device_named(name);
	if (device && !device->etw_link[0] && !etw_device_linked(link)) {
		strcpy(device->etw_link, link);
		err = etw_driver.started ? etw_link_add(device) : 0;
		if (err)
			etw_link_remove(device);
	}
	mutex_unlock(&etw_driver.lock);
	if (!device)
		return STATUS_OBJECT_NAME_NOT_FOUND;
	if (!err)
		return STATUS_SUCCESS;
	return err == -EEXIST ? STATUS_OBJECT_NAME_COLLISION : STATUS_INSUFFICIENT_RESOURCES;
}

static inline NTSTATUS IoDeleteSymbolicLink(PUNICODE_STRING SymbolicLinkName)
{
	char link[sizeof(((PDEVICE_OBJECT)0)->etw_link)];
	PDEVICE_OBJECT device;

	if (!etw_driver_name(SymbolicLinkName, link, sizeof(link)))
		return STATUS_OBJECT_NAME_INVALID;
	mutex_lock(&etw_driver.lock);
	device = etw_device_linked(link);
	if (device)
		etw_link_remove(device);
	mutex_unlock(&etw_driver.lock);
	return device ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

/* -------------------------------------------------------------------- module */

MODULE_LICENSE(ETW_DRIVER_LICENSE);
MODULE_DESCRIPTION(KBUILD_MODNAME ", a driver written for Windows");

DRIVER_INITIALIZE DriverEntry;

/*
 * Only now: the kernel lets programs open the devices of a module that is still loading, and
 * frees it in spite of them if it fails.  So this fails only if no device was visible.
 */
static inline int etw_driver_start(void)
{
	PDEVICE_OBJECT device;
	int err, failed = 0;

	mutex_lock(&etw_driver.lock);
	for (device = etw_driver.object.DeviceObject; device; device = device->NextDevice) {
		device->Flags &= ~DO_DEVICE_INITIALIZING;
		err = device->etw_link[0] ? etw_link_add(device) : 0;
		if (err) {
			pr_err("%s: /dev/%s: error %d\n", KBUILD_MODNAME, device->etw_link, err);
			etw_link_remove(device);
			failed = err;
		}
	}
	if (etw_driver.visible)
		failed = 0;
	etw_driver.started = !failed;
	mutex_unlock(&etw_driver.lock);
	return failed;
}

/* What the driver did not delete goes, too.  No file is open, and no request is left. */
static inline void etw_driver_end(BOOLEAN unload)
{
	if (unload && etw_driver.object.DriverUnload)
		etw_driver.object.DriverUnload(&etw_driver.object);
	while (etw_driver.object.DeviceObject)
		IoDeleteDevice(etw_driver.object.DeviceObject);
	/* It may still be returning from the request that it ended last. */
	cancel_work_sync(&etw_driver.work);
	class_unregister(&etw_driver.class);
}

/* As on Windows, DriverUnload() is not called if DriverEntry() failed. */
int __weak init_module(void)
{
	static WCHAR path[] = L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\Etw";
	NTSTATUS status;
	size_t i;
	int err;

	err = class_register(&etw_driver.class);
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(etw_driver.object.MajorFunction); i++)
		etw_driver.object.MajorFunction[i] = etw_driver_refuse;
	RtlInitUnicodeString(&etw_driver.path, path);
	RtlInitUnicodeString(&etw_driver.object.DriverName, L"\\Driver\\Etw");
	status = DriverEntry(&etw_driver.object, &etw_driver.path);
	err = NT_SUCCESS(status) ? etw_driver_start() : etw_driver_errno(status);
	if (err)
		etw_driver_end(NT_SUCCESS(status));
	return err;
}

void __weak cleanup_module(void)
{
	etw_driver_end(TRUE);
}

___ADDRESSABLE(init_module, __initdata);
___ADDRESSABLE(cleanup_module, __exitdata);

/* Behind Linux's headers, which use these words as names */
#define IN
#define OUT
#define OPTIONAL
/* Pragmas of Microsoft's compiler, and pool tags such as 'tseT' */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmultichar"

#endif /* ETW_DRIVER_LICENSE */

#endif /* ETW_WIN32_KM_DRIVER_H */
