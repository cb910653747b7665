// SPDX-License-Identifier: GPL-2.0-only
/*
 * image_events.c - the provider Etw-Image: which file, and which build of it, a process can
 * execute at an address
 *
 * Its events are described in format.h.  The kernel tells perf about each mapping by
 * perf_event_mmap(), in the context of the process and under its mmap_lock.  A kprobe there sees
 * the same; it exists only while a session has enabled the provider.
 *
 * The rundown takes the mmap_lock of a process for a few mappings at a time, and does not wait
 * for one whose holder waits itself, perhaps for ever: such a process is reported as unknown.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>
#include <TraceLoggingProvider.h>
#include <etw/format.h>

#include "access/user_limits.h"
#include "core/build_id.h"
#include "image_events.h"
#include "processes.h"
#include "provider/enable.h"
#include "provider/registration.h"
#include "write/extended_items.h"
#include "write/fair.h"
#include "write/hotpath.h"
#include "write/loss.h"
#include "write/scope.h"
#include "write/write_kernel.h"

#define LEVEL_INFO	4
#define LOCK_WAITS	500U	/* of a whole rundown, for a millisecond or two each */
#define LOCK_WAITS_EACH	100U	/* of these at most for a process */
#define STEP_MAPPINGS	64	/* while the lock is held */

TRACELOGGING_DEFINE_PROVIDER(image_provider, "Etw-Image",
	(0x8856b9a4, 0xb242, 0x5735, 0x0c, 0xfa, 0x86, 0xd7, 0xc5, 0x6d, 0x32, 0x66));

#define IMAGE_WANTED()	TraceLoggingProviderEnabled(image_provider, LEVEL_INFO, ETW_IMAGE_KEYWORD)

/* A process maps files as fast as it writes events of its own, so its user pays. */
#undef ETW_TL_SEND
#define ETW_TL_SEND(activity, related)							\
	image_send(image, &etw_tl_desc, ETW_TL_PIECES, etw_tl_pieces)

/* A mapping of a process, and for whom it is written */
struct image {
	struct task_struct *leader;	/* the first thread of the process; the caller keeps it */
	struct mm_struct *mm;		/* likewise */
	u64 sessions;			/* that may get it, as bits ... */
	u64 excluded;			/* ... and all but those of them that want it */
	u64 payer;
	struct etw_image_payload id;
	u8 build_id[ETW_BUILD_ID_MAX];
	u32 build_id_len;
	const char *path;
	char buffer[ETW_PATH_SIZE];
};

static void image_send(const struct image *image, const struct etw_event_descriptor *desc,
		       u32 count, const struct etw_data_descriptor *pieces)
{
	etw_write_traced(image->payer, &image_provider->provider, desc, image->excluded, NULL,
			 count, pieces);
}

/* The members of etw_image_payload, in its order */
#define IMAGE_WRITE(_name, _opcode, _image)						\
	TraceLoggingWrite(image_provider, _name, TraceLoggingLevel(LEVEL_INFO),		\
		TraceLoggingKeyword(ETW_IMAGE_KEYWORD), TraceLoggingOpcode(_opcode),	\
		TraceLoggingHexUInt64((_image)->id.base, "ImageBase"),			\
		TraceLoggingHexUInt64((_image)->id.size, "ImageSize"),			\
		TraceLoggingHexUInt64((_image)->id.offset, "FileOffset"),		\
		TraceLoggingHexUInt64((_image)->id.start_key, "StartKey"),		\
		TraceLoggingPid((_image)->id.pid, "ProcessId"),				\
		TraceLoggingBinary((_image)->build_id, (_image)->build_id_len, "BuildId"), \
		TraceLoggingUtf8String((_image)->path, "FileName"))

/* ---------------------------------------------------------------- describing */

static bool image_is(const struct vm_area_struct *vma)
{
	return vma->vm_file && vma->vm_flags & VM_EXEC;
}

/* Of the file's first page, which its loader reads too; 0 if it is not in memory any more. */
static u32 image_build_id(struct file *file, u8 id[ETW_BUILD_ID_MAX])
{
	struct folio *folio = filemap_get_folio(file->f_mapping, 0);
	u32 len = 0;
	void *begin;

	if (IS_ERR_OR_NULL(folio))
		return 0;
	if (folio_test_uptodate(folio) && !PageHWPoison(folio_page(folio, 0))) {
		begin = kmap_local_folio(folio, 0);
		len = etw_build_id(begin, PAGE_SIZE, id);
		kunmap_local(begin);
	}
	folio_put(folio);
	return len;
}

/* As etw_trace_payer(), for a process that need not run this */
static u64 image_payer(const struct task_struct *task)
{
	return uid_eq(task_uid(task), GLOBAL_ROOT_UID) ? 0 : ETW_PAYER(etw_user_number_of(task), 0);
}

static void image_of_process(struct image *image, struct task_struct *leader,
			     struct mm_struct *mm)
{
	image->leader = leader;
	image->mm = mm;
	image->payer = image_payer(leader);
	image->id.start_key = etw_process_start_key(leader);
	image->id.pid = leader->tgid;
}

/* Under the mmap_lock of the process */
static void image_describe(struct image *image, const struct vm_area_struct *vma)
{
	image->id.base = vma->vm_start;
	image->id.size = vma->vm_end - vma->vm_start;
	image->id.offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	image->build_id_len = image_build_id(vma->vm_file, image->build_id);
	image->path = etw_file_path(vma->vm_file, image->buffer);
}

/*
 * Does any session want it?  A session that enables the provider from now on gets the mapping in
 * its own rundown.
 */
static bool image_asked(struct image *image)
{
	u64 wanted;

	preempt_disable();
	wanted = etw_scope_wants(&image_provider->provider, image->leader, image->mm);
	preempt_enable();
	image->excluded = ~(wanted & image->sessions);
	return wanted & image->sessions;
}

/* --------------------------------------------------------------------- probe */

/* No events of mappings: sessions record that they lack an unknown number from now on. */
static void image_missing(void)
{
	static const struct etw_event_descriptor desc = {
		.channel = ETW_CHANNEL_TRACELOGGING, .level = LEVEL_INFO,
		.keyword = ETW_IMAGE_KEYWORD,
	};

	etw_hotpath_drop_events(&image_provider->provider, &desc, NULL, ETW_DROP_PROBE,
				ETW_LOSS_UNCOUNTED);
}

/* Preemptible kernels for real time may sleep for the locks of the dcache, which a probe must not. */
#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_PERF_EVENTS) && !IS_ENABLED(CONFIG_PREEMPT_RT)

/* Before perf_event_mmap(vma) */
static int image_mapped(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (void *)regs_get_kernel_argument(regs, 0);
	struct image load = { .sessions = U64_MAX }, *image = &load;

	if (!IMAGE_WANTED() || !image_is(vma) || vma->vm_mm != current->mm)
		return 0;
	image_of_process(image, current->group_leader, current->mm);
	if (!image_asked(image))
		return 0;
	image_describe(image, vma);
	IMAGE_WRITE("ImageLoad", ETW_IMAGE_LOAD, image);
	return 0;
}

static struct kprobe image_kprobe;
static bool probing;	/* changed by the callback, of which there is one call at a time */

static void image_probe(void)
{
	int err;

	if (probing)
		return;
	image_kprobe = (struct kprobe){
		.symbol_name = "perf_event_mmap",
		.pre_handler = image_mapped,
	};
	err = register_kprobe(&image_kprobe);
	if (err) {
		image_missing();
		pr_warn_once("etw: Etw-Image: no events of mappings: error %d\n", err);
	}
	probing = !err;
}

static void image_unprobe(void)
{
	if (probing)
		unregister_kprobe(&image_kprobe);
	probing = false;
}

#else

static void image_probe(void)
{
	image_missing();
	pr_warn_once("etw: Etw-Image: no events of mappings: this kernel has no kprobe that could see them\n");
}

static void image_unprobe(void)
{
}

#endif

/* ------------------------------------------------------------------- rundown */

/* waits: how often it may still wait */
static bool image_lock(struct mm_struct *mm, unsigned int *waits)
{
	while (!mmap_read_trylock(mm)) {
		if (!*waits)
			return false;
		--*waits;
		usleep_range(1000, 2000);
	}
	return true;
}

/* The process could not be asked what it has mapped from this address on. */
static void image_unknown(struct image *image, unsigned long from)
{
	if (image_asked(image) && etw_process_has_mm(image->leader, image->mm))
		TraceLoggingWrite(image_provider, "ImagesUnknown", TraceLoggingLevel(LEVEL_INFO),
				  TraceLoggingKeyword(ETW_IMAGE_KEYWORD),
				  TraceLoggingOpcode(ETW_IMAGE_UNKNOWN),
				  TraceLoggingHexUInt64(from, "From"),
				  TraceLoggingHexUInt64(image->id.start_key, "StartKey"),
				  TraceLoggingPid(image->id.pid, "ProcessId"));
}

static void image_mapped_already(struct image *image, const struct vm_area_struct *vma)
{
	image_describe(image, vma);
	if (image_asked(image) && etw_process_has_mm(image->leader, image->mm))
		IMAGE_WRITE("ImageRundown", ETW_IMAGE_RUNDOWN, image);
}

/* Write the next mappings from *at on.  false: there are no more, or nobody wants them. */
static bool image_rundown_some(struct image *image, unsigned int *waits, unsigned long *at)
{
	const struct vm_area_struct *vma;
	unsigned int i;

	if (!image_asked(image))
		return false;
	if (!image_lock(image->mm, waits)) {
		image_unknown(image, *at);
		return false;
	}
	for (i = 0; i < STEP_MAPPINGS; i++) {
		vma = find_vma(image->mm, *at);
		if (!vma)
			break;
		*at = vma->vm_end;
		if (image_is(vma))
			image_mapped_already(image, vma);
	}
	mmap_read_unlock(image->mm);
	return i == STEP_MAPPINGS;
}

/* waits: what is left of the rundown's patience, of which no process gets all */
static void image_rundown_process(struct image *image, unsigned int *waits)
{
	const unsigned int most = min(*waits, LOCK_WAITS_EACH);
	unsigned int left = most;
	unsigned long at = 0;

	while (image_rundown_some(image, &left, &at))
		cond_resched();
	*waits -= most - left;
}

/* For these sessions, as bits */
static void image_rundown(u64 sessions)
{
	struct image rundown = { .sessions = sessions };
	unsigned int waits = LOCK_WAITS;
	struct task_struct *task;
	struct mm_struct *mm;
	pid_t nr = 1;

	while (sessions && IMAGE_WANTED() && (task = etw_process_next(&nr))) {
		mm = etw_process_mm(task);
		if (mm) {
			image_of_process(&rundown, task, mm);
			image_rundown_process(&rundown, &waits);
			mmput_async(mm);
		}
		put_task_struct(task);
		cond_resched();
	}
}

static void image_enable(const struct etw_guid *source, u32 control, u8 level, u64 any, u64 all,
			 const struct etw_filter *filter, void *context)
{
	static u64 order;	/* of the last enablement that has had its rundown */

	switch (control) {
	case ETW_CONTROL_ENABLE:
		image_probe();
		image_rundown(etw_enabled_since(&image_provider->provider.guid, &order));
		break;
	case ETW_CONTROL_DISABLE:
		image_unprobe();
		break;
	case ETW_CONTROL_CAPTURE:
		image_rundown(U64_MAX);
		break;
	}
}

int __init etw_image_events_init(void)
{
	static const struct etw_guid guid = ETW_IMAGE_GUID;

	BUILD_BUG_ON(sizeof(struct etw_image_payload) != 36);
	if (WARN_ON_ONCE(memcmp(&image_provider->provider.guid, &guid, sizeof(guid))))
		return -EINVAL;
	return etw_registration_of_kernel_traits(&image_provider->provider, image_provider->traits,
						 image_provider->traits_size, image_enable, NULL);
}

void etw_image_events_exit(void)
{
	TraceLoggingUnregister(image_provider);
	image_unprobe();
}
