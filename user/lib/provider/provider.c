/* SPDX-License-Identifier: MIT */
/*
 * provider.c - write events
 *
 * The first lines of each function decide without a system call or a lock whether a
 * session may want the event; the kernel, and the private sessions of this process, make
 * the final decision.
 */
#include <errno.h>
#include <string.h>
#include <unwind.h>

#include <etw/filter.h>
#include <etw/winerror.h>
#include "guard.h"
#include "registration.h"
#include "write_at.h"
#include "base/utf.h"

_Static_assert(sizeof(EVENT_DESCRIPTOR) == sizeof(struct etw_event_descriptor) &&
	       offsetof(EVENT_DESCRIPTOR, Level) ==
	       offsetof(struct etw_event_descriptor, level) &&
	       offsetof(EVENT_DESCRIPTOR, Keyword) ==
	       offsetof(struct etw_event_descriptor, keyword),
	       "the descriptor goes to the kernel as it is");
_Static_assert(sizeof(EVENT_DATA_DESCRIPTOR) == sizeof(struct etw_data_descriptor) &&
	       offsetof(EVENT_DATA_DESCRIPTOR, Size) ==
	       offsetof(struct etw_data_descriptor, size),
	       "the data descriptors go to the kernel as they are");
_Static_assert(sizeof(GUID) == sizeof(struct etw_guid), "so do GUIDs");

#define WRITE_FLAGS_KNOWN	(EVENT_WRITE_FLAG_NO_FAULTING | EVENT_WRITE_FLAG_INPRIVATE)

/* Submit an event that may be wanted. 0 or -errno. */
static int submit(struct etw_reg *reg, uint64_t handle, struct etw_event_write *event)
{
	int ret = -EBADF;

	if (!reg->classic)	/* made by RegisterTraceGuids() */
		ret = etw_reg_write(reg, handle, ETW_IOC_WRITE, event, sizeof(*event));
	return ret == -ENOENT ? 0 : ret;
}

/* The walk of this thread's stack; uses the unwind tables, not frame pointers. */
struct walk {
	uint64_t caller;
	uint64_t frames[ETW_STACK_MAX];
	unsigned int count;
	bool found;		/* frames of the library itself have been passed */
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uint64_t ip = _Unwind_GetIP(context);

	w->found |= ip == w->caller;
	if (!w->found)
		return _URC_NO_REASON;
	if (!ip || w->count == ETW_STACK_MAX)
		return _URC_END_OF_STACK;
	w->frames[w->count++] = ip;
	return _URC_NO_REASON;
}

/*
 * Add the return addresses from caller outwards. If there are none, the kernel finds what
 * it can. Before glibc 2.35, a signal handler that has interrupted dlopen() must not do
 * this.
 */
static int submit_stack(const void *caller, struct etw_reg *reg, uint64_t handle,
			struct etw_event_write *event)
{
	struct walk walk = { .caller = (uintptr_t)caller, .count = 0 };

	_Unwind_Backtrace(step, &walk);
	event->flags &= ~ETW_WRITE_CAN_WALK;
	event->stack_count = walk.count;
	event->stack = (uintptr_t)walk.frames;
	return submit(reg, handle, event);
}

/* Fill in everything but the payload, which is already checked. */
static __attribute__((__noinline__))
int write_kernel(const void *caller, struct etw_reg *reg, uint64_t handle,
		 PCEVENT_DESCRIPTOR desc, ULONG64 filter, uint32_t flags,
		 LPCGUID activity, LPCGUID related, ULONG count,
		 const EVENT_DATA_DESCRIPTOR *data)
{
	struct etw_event_write event = {
		.flags = flags | ETW_WRITE_ACTIVITY,
		.data_count = count,
		.data = (uintptr_t)data,
		.filter = filter,
	};
	int ret;

	memcpy(&event.desc, desc, sizeof(event.desc));
	memcpy(&event.activity, activity ? activity : etw_activity_current(),
	       sizeof(event.activity));
	if (related) {
		event.flags |= ETW_WRITE_RELATED;
		memcpy(&event.related, related, sizeof(event.related));
	}
	if (ETW_LOAD(etw_reg_entry(reg)->properties) & ETW_ENABLE_STACK_TRACE)
		event.flags |= ETW_WRITE_CAN_WALK;
	ret = submit(reg, handle, &event);
	if (ret == -ENODATA)
		ret = submit_stack(caller, reg, handle, &event);
	return ret;
}

/* The writer has what it needs of the registration: is it still the one of the handle? */
static inline bool is_still(struct etw_reg *reg, uint64_t handle)
{
	atomic_thread_fence(memory_order_acquire);
	return atomic_load_explicit(&reg->handle, memory_order_relaxed) == handle;
}

/* Write again what needs the traits or the filters to stay. */
static __attribute__((__noinline__))
int write_guarded(struct etw_reg *reg, uint64_t handle, struct etw_private_provider *p,
		  struct etw_private_event *event)
{
	const unsigned int side = etw_guard_enter(&p->guard);
	int ret = -EBADF;

	/* Pairs with release(): either its drain sees this writer or we see that it has begun. */
	if (atomic_load(&reg->handle) == handle) {
		event->guarded = true;
		event->traits = atomic_load(&reg->traits);
		ret = etw_private_write(p, event);
	}
	etw_guard_leave(&p->guard, side);
	return ret;
}

/* Write to the private sessions that have enabled the provider. 0 or -errno. */
static inline __attribute__((__always_inline__))
int write_private(struct etw_reg *reg, uint64_t handle, struct etw_private_provider *p,
		  PCEVENT_DESCRIPTOR desc, uint32_t flags, LPCGUID activity, LPCGUID related,
		  ULONG count, const EVENT_DATA_DESCRIPTOR *data, const uint64_t *times)
{
	const uint8_t types = atomic_load_explicit(&reg->types, memory_order_relaxed);
	const bool traits = atomic_load_explicit(&reg->traits, memory_order_relaxed);
	struct etw_guid guid;
	struct etw_private_event event = {
		.source = {
			.provider = &guid,
			.desc = (const void *)desc,
			.activity = (const void *)(activity ? activity : etw_activity_current()),
			.related = (const void *)related,
			.data = (const void *)data,
			.count = count,
			.flags = ETW_EVENT_USER_MODE |
				 (flags & ETW_WRITE_STRING_ONLY ? ETW_EVENT_STRING_ONLY : 0),
		},
		.inprivate = flags & ETW_WRITE_INPRIVATE,
		.typed = types == ETW_TYPES_ON || (types == ETW_TYPES_UNSAID && traits),
		.has_traits = traits,
		.decodes = atomic_load_explicit(&reg->decodes, memory_order_relaxed),
		.times = times,
	};
	int ret;

	if (reg->classic)
		return -EBADF;
	memcpy(&guid, &reg->guid, sizeof(guid));
	if (!is_still(reg, handle))
		return -EBADF;
	ret = etw_private_write(p, &event);
	return ret == -EAGAIN ? write_guarded(reg, handle, p, &event) : ret;
}

/* Write an event that may be wanted. */
static __attribute__((__noinline__))
ULONG write_event(const void *caller, struct etw_reg *reg, uint64_t handle,
		  PCEVENT_DESCRIPTOR desc, ULONG64 filter, uint32_t flags, LPCGUID activity,
		  LPCGUID related, ULONG count, const EVENT_DATA_DESCRIPTOR *data)
{
	struct etw_private_provider *p = atomic_load_explicit(&reg->private, memory_order_acquire);
	int ret = 0, err;

	if (p) {
		ret = write_private(reg, handle, p, desc, flags, activity, related, count, data,
				    NULL);
		if (!etw_entry_wants(etw_reg_entry(reg), desc->Level, desc->Keyword))
			return ret ? etw_win32_from_errno(ret) : ERROR_SUCCESS;
	}
	err = write_kernel(caller, reg, handle, desc, filter, flags, activity, related, count, data);
	err = err ? err : ret;
	return err ? etw_win32_from_errno(err) : ERROR_SUCCESS;
}

int etw_write_private_at(uint64_t handle, const EVENT_DESCRIPTOR *desc,
			 const uint64_t times[PRIVATE_CLOCKS], uint32_t count,
			 const EVENT_DATA_DESCRIPTOR *data)
{
	struct etw_reg *reg = etw_reg_find(handle);
	struct etw_private_provider *p;

	if (!reg)
		return -EBADF;
	p = atomic_load_explicit(&reg->private, memory_order_acquire);
	return p ? write_private(reg, handle, p, desc, 0, NULL, NULL, count, data, times) : 0;
}

/* Inline, so that a disabled event does not pay for passing arguments. */
static inline __attribute__((__always_inline__))
ULONG write_ex(REGHANDLE handle, PCEVENT_DESCRIPTOR desc, ULONG64 filter,
	       ULONG flags, LPCGUID activity, LPCGUID related, ULONG count,
	       const EVENT_DATA_DESCRIPTOR *data)
{
	struct etw_reg *reg;

	if (!handle)
		return ERROR_SUCCESS;
	reg = etw_reg_find(handle);
	if (!reg)
		return ERROR_INVALID_HANDLE;
	if (!desc)
		return ERROR_INVALID_PARAMETER;
	if (!etw_entry_wants(etw_reg_shown(reg), desc->Level, desc->Keyword))
		return ERROR_SUCCESS;
	if (count > MAX_EVENT_DATA_DESCRIPTORS || (count && !data) ||
	    flags & ~WRITE_FLAGS_KNOWN)
		return ERROR_INVALID_PARAMETER;
	return write_event(__builtin_return_address(0), reg, handle, desc, filter,
			   flags & EVENT_WRITE_FLAG_INPRIVATE ? ETW_WRITE_INPRIVATE : 0,
			   activity, related, count, data);
}

ULONG EventWriteEx(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
		   ULONG64 Filter, ULONG Flags, LPCGUID ActivityId,
		   LPCGUID RelatedActivityId, ULONG UserDataCount,
		   PEVENT_DATA_DESCRIPTOR UserData)
{
	return write_ex(RegHandle, EventDescriptor, Filter, Flags, ActivityId,
			RelatedActivityId, UserDataCount, UserData);
}

ULONG EventWrite(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
		 ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData)
{
	return write_ex(RegHandle, EventDescriptor, 0, 0, NULL, NULL,
			UserDataCount, UserData);
}

ULONG EventWriteTransfer(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor,
			 LPCGUID ActivityId, LPCGUID RelatedActivityId,
			 ULONG UserDataCount, PEVENT_DATA_DESCRIPTOR UserData)
{
	return write_ex(RegHandle, EventDescriptor, 0, 0, ActivityId,
			RelatedActivityId, UserDataCount, UserData);
}

ULONG EventWriteString(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword,
		       PCWSTR String)
{
	EVENT_DESCRIPTOR desc = { .Level = Level, .Keyword = Keyword };
	EVENT_DATA_DESCRIPTOR data;
	struct etw_reg *reg;
	size_t len;

	/* Unlike EventWrite(), it does not take handle 0. */
	reg = RegHandle ? etw_reg_find(RegHandle) : NULL;
	if (!reg)
		return ERROR_INVALID_HANDLE;
	if (!String)
		return ERROR_INVALID_PARAMETER;
	if (!etw_entry_wants(etw_reg_shown(reg), Level, Keyword))
		return ERROR_SUCCESS;
	/* Stop counting at the length that no event can hold. */
	len = etw_utf16_len(String, ETW_RECORD_MAX);
	EventDataDescCreate(&data, String, (len + 1) * sizeof(*String));
	return write_event(__builtin_return_address(0), reg, RegHandle, &desc, 0,
			   ETW_WRITE_STRING_ONLY, NULL, NULL, 1, &data);
}

BOOLEAN EventProviderEnabled(REGHANDLE RegHandle, UCHAR Level, ULONGLONG Keyword)
{
	struct etw_reg *reg = etw_reg_find(RegHandle);

	if (!reg)
		return FALSE;
	/* Level and keyword 0 ask whether the provider is enabled at all. */
	if (!Level && !Keyword)
		return ETW_LOAD(etw_reg_shown(reg)->enabled) != 0;
	return etw_reg_wants(reg, Level, Keyword) != 0;
}

BOOLEAN EventEnabled(REGHANDLE RegHandle, PCEVENT_DESCRIPTOR EventDescriptor)
{
	struct etw_reg *reg = etw_reg_find(RegHandle);

	if (!reg || !EventDescriptor)
		return FALSE;
	return etw_reg_wants(reg, EventDescriptor->Level, EventDescriptor->Keyword) != 0;
}
