/* SPDX-License-Identifier: MIT */
/*
 * classic.c - the classic providers of this process, and writing their events
 *
 * Each provider is a registration like those of EventRegister(); its enable callback
 * calls the control callback. The table is read without a lock: a fork may find it in
 * any state, and a signal handler may write an event.
 *
 * Semantics: Microsoft's pages named after the functions.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <evntrace.h>
#include "callback.h"
#include "registration.h"

/*
 * A session's handle as classic providers know it, the same as on Windows: logger id
 * (16 bits), level (8), zero (8), flags (32).
 */
#define LOGGER_HANDLE(id, level, flags) \
	((uint64_t)(flags) << 32 | (uint64_t)(uint8_t)(level) << 16 | (uint16_t)(id))
#define LOGGER_ID(handle)	((uint16_t)(handle))
#define LOGGER_LEVEL(handle)	((uint8_t)((handle) >> 16))
#define LOGGER_FLAGS(handle)	((uint32_t)((handle) >> 32))
/* The handle has the form that a session with this id gives out. */
#define LOGGER_VALID(handle)	(LOGGER_ID(handle) && !((handle) >> 24 & 0xFF))

_Static_assert(TRACE_MESSAGE_SEQUENCE == ETW_MESSAGE_SEQUENCE &&
	       TRACE_MESSAGE_GUID == ETW_MESSAGE_GUID &&
	       TRACE_MESSAGE_COMPONENTID == ETW_MESSAGE_COMPONENT &&
	       TRACE_MESSAGE_TIMESTAMP == ETW_MESSAGE_TIMESTAMP &&
	       TRACE_MESSAGE_PERFORMANCE_TIMESTAMP == ETW_MESSAGE_PERFORMANCE &&
	       TRACE_MESSAGE_SYSTEMINFO == ETW_MESSAGE_SYSTEMINFO,
	       "the kernel uses the same flags");

#define FLAGS_KNOWN	(WNODE_FLAG_TRACED_GUID | WNODE_FLAG_LOG_WNODE |	\
			 WNODE_FLAG_USE_GUID_PTR | WNODE_FLAG_USE_MOF_PTR)

/* An event class; its address is its RegHandle. */
struct class {
	struct etw_guid guid;
	_Atomic uint32_t last;		/* last instance id */
	HANDLE before;			/* the caller's RegHandle before registration */
};

struct classic {
	uint64_t handle;		/* registration; 0: none (yet) */
	_Atomic uint64_t session;	/* session of the last notification; 0: disabled */
	bool used;			/* the members below are guarded by the lock */
	GUID guid;
	WMIDPREQUEST request;
	void *context;
	struct class *classes;
	ULONG class_count;
};

static struct classic classics[ETW_REGISTRATIONS_MAX];
static _Atomic uint32_t highest;	/* entries ever used */

/* ----------------------------------------------------------------- callback */

/* The enable callback, which calls the control callback. */
static VOID on_change(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
		      ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct classic *c = context;
	WNODE_HEADER node = {
		.BufferSize = sizeof(node),
		.Guid = c->guid,
		.Flags = WNODE_FLAG_TRACED_GUID,
	};
	ULONG size = sizeof(node);

	(void)source;
	(void)all;
	(void)filter;
	if (control == EVENT_CONTROL_CODE_ENABLE_PROVIDER) {
		node.HistoricalContext = LOGGER_HANDLE(etw_callback_logger_id(), level, any);
		atomic_store(&c->session, node.HistoricalContext);
		c->request(WMI_ENABLE_EVENTS, c->context, &size, &node);
	} else if (control == EVENT_CONTROL_CODE_DISABLE_PROVIDER) {
		node.HistoricalContext = atomic_exchange(&c->session, 0);
		c->request(WMI_DISABLE_EVENTS, c->context, &size, &node);
	}
}

/* -------------------------------------------------------------- registration */

/* Reserve an unused entry with room for the classes; NULL: none. */
static struct classic *take(ULONG class_count)
{
	struct class *classes = calloc(class_count ? class_count : 1, sizeof(*classes));
	struct etw_fork_state *proc = etw_fork_state_get();
	struct classic *c = NULL;
	struct etw_fork_state_saved saved;
	uint32_t i;

	if (!classes || !proc) {
		free(classes);
		return NULL;
	}
	etw_fork_state_lock(proc, &saved);
	for (i = 0; i < ETW_REGISTRATIONS_MAX && classics[i].used; i++)
		;
	if (i < ETW_REGISTRATIONS_MAX) {
		c = &classics[i];
		c->used = true;
		c->classes = classes;
		c->class_count = class_count;
		if (i >= atomic_load(&highest))
			atomic_store(&highest, i + 1);
	}
	etw_fork_state_unlock(proc, &saved);
	if (!c)
		free(classes);
	return c;
}

/* The lock is held; a concurrent writer finds no registration. */
static void give(struct classic *c)
{
	__atomic_store_n(&c->handle, 0, __ATOMIC_RELEASE);
	atomic_store(&c->session, 0);
	free(c->classes);
	c->classes = NULL;
	c->class_count = 0;
	c->used = false;
}

static ULONG check_classes(const TRACE_GUID_REGISTRATION *classes, ULONG count)
{
	ULONG i;

	if (count && !classes)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < count; i++)
		if (!classes[i].Guid)
			return ERROR_INVALID_PARAMETER;
	return ERROR_SUCCESS;
}

/* Fill in the classes before the first callback; leave_classes() undoes it. */
static void fill_classes(struct classic *c, TRACE_GUID_REGISTRATION *classes)
{
	ULONG i;

	for (i = 0; i < c->class_count; i++) {
		memcpy(&c->classes[i].guid, classes[i].Guid, sizeof(c->classes[i].guid));
		c->classes[i].before = classes[i].RegHandle;
		classes[i].RegHandle = &c->classes[i];
	}
}

static void leave_classes(const struct classic *c, TRACE_GUID_REGISTRATION *classes)
{
	ULONG i;

	for (i = 0; i < c->class_count; i++)
		classes[i].RegHandle = c->classes[i].before;
}

static ULONG register_guids(WMIDPREQUEST request, void *context, LPCGUID guid, ULONG count,
			    TRACE_GUID_REGISTRATION *classes, TRACEHANDLE *handle)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct classic *c;
	struct etw_fork_state_saved saved;
	ULONG ret;

	if (!handle)
		return ERROR_INVALID_PARAMETER;
	*handle = 0;
	ret = check_classes(classes, count);
	if (ret || !request || !guid)
		return ERROR_INVALID_PARAMETER;
	c = take(count);
	if (!c)
		return ERROR_NOT_ENOUGH_MEMORY;
	c->guid = *guid;
	c->request = request;
	c->context = context;
	fill_classes(c, classes);
	ret = etw_reg_add(&(struct etw_reg_new){
		.guid = guid, .callback = on_change, .context = c, .classic = true,
		.handle = &c->handle, .also = (uint64_t *)handle });
	if (ret) {
		leave_classes(c, classes);
		etw_fork_state_lock(proc, &saved);
		give(c);
		etw_fork_state_unlock(proc, &saved);
	}
	return ret;
}

ULONG RegisterTraceGuidsW(WMIDPREQUEST RequestAddress, PVOID RequestContext,
			  LPCGUID ControlGuid, ULONG GuidCount,
			  PTRACE_GUID_REGISTRATION TraceGuidReg, LPCWSTR MofImagePath,
			  LPCWSTR MofResourceName, PTRACEHANDLE RegistrationHandle)
{
	(void)MofImagePath;
	(void)MofResourceName;
	return register_guids(RequestAddress, RequestContext, ControlGuid, GuidCount,
			      TraceGuidReg, RegistrationHandle);
}

ULONG RegisterTraceGuidsA(WMIDPREQUEST RequestAddress, PVOID RequestContext,
			  LPCGUID ControlGuid, ULONG GuidCount,
			  PTRACE_GUID_REGISTRATION TraceGuidReg, LPCSTR MofImagePath,
			  LPCSTR MofResourceName, PTRACEHANDLE RegistrationHandle)
{
	(void)MofImagePath;
	(void)MofResourceName;
	return register_guids(RequestAddress, RequestContext, ControlGuid, GuidCount,
			      TraceGuidReg, RegistrationHandle);
}

ULONG UnregisterTraceGuids(TRACEHANDLE RegistrationHandle)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_fork_state_saved saved;
	ULONG ret, i;

	if (!RegistrationHandle)
		return ERROR_INVALID_HANDLE;
	ret = etw_reg_remove(RegistrationHandle, true);
	if (ret)
		return ret;
	etw_fork_state_lock(proc, &saved);
	for (i = 0; i < ETW_REGISTRATIONS_MAX; i++)
		if (classics[i].used && classics[i].handle == RegistrationHandle)
			give(&classics[i]);
	etw_fork_state_unlock(proc, &saved);
	return ERROR_SUCCESS;
}

/* ------------------------------------------------------------------- classes */

/* The lock is held. */
static struct class *find_class(const void *reg_handle)
{
	ULONG i, k;

	for (i = 0; i < atomic_load(&highest); i++)
		for (k = 0; classics[i].used && k < classics[i].class_count; k++)
			if (&classics[i].classes[k] == reg_handle)
				return &classics[i].classes[k];
	return NULL;
}

/* The GUID of an event class; false: no class has this handle. */
static bool class_guid(HANDLE reg_handle, struct etw_guid *guid)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	const struct class *class;
	struct etw_fork_state_saved saved;

	if (!proc)
		return false;
	etw_fork_state_lock(proc, &saved);
	class = find_class(reg_handle);
	if (class)
		*guid = class->guid;
	etw_fork_state_unlock(proc, &saved);
	return class;
}

ULONG CreateTraceInstanceId(HANDLE RegHandle, PEVENT_INSTANCE_INFO InstInfo)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct class *class;
	uint32_t id = 0;
	struct etw_fork_state_saved saved;

	if (!RegHandle || !InstInfo || !proc)
		return ERROR_INVALID_PARAMETER;
	etw_fork_state_lock(proc, &saved);
	class = find_class(RegHandle);
	while (class && !id)
		id = atomic_fetch_add(&class->last, 1) + 1;
	etw_fork_state_unlock(proc, &saved);
	if (!class)
		return ERROR_INVALID_PARAMETER;
	InstInfo->RegHandle = RegHandle;
	InstInfo->InstanceId = id;
	return ERROR_SUCCESS;
}

/* ------------------------------------------------------------------- writing */

/* The codes that Microsoft's pages name for these causes. */
static const struct etw_win32_errors errors[] = {
	{ ERROR_MORE_DATA, { EMSGSIZE, EOVERFLOW } },
	{ 0, { 0 } },
};

/* Write to a private session, or by the device to another one; 0 or -errno. */
static int write_through(struct etw_reg *reg, uint64_t handle, struct etw_classic_write *record)
{
	struct etw_private_provider *p;

	if (!etw_private_is_logger(record->logger_id))
		return etw_reg_write(reg, handle, ETW_IOC_CLASSIC, record, sizeof(*record));
	p = atomic_load(&reg->private);
	return p ? etw_private_write_classic(p, record) : -ENOENT;
}

/*
 * Write a record to the session of the handle, through any provider of this process
 * that the session enables.
 */
static ULONG write_record(TRACEHANDLE session, struct etw_classic_write *record)
{
	uint32_t i, count = atomic_load(&highest);
	struct etw_reg *reg;
	int ret;

	if (!LOGGER_VALID(session))
		return ERROR_INVALID_HANDLE;
	record->logger_id = LOGGER_ID(session);
	for (i = 0; i < count; i++) {
		uint64_t handle = __atomic_load_n(&classics[i].handle, __ATOMIC_ACQUIRE);

		if (!handle || LOGGER_ID(atomic_load(&classics[i].session)) !=
			       record->logger_id)
			continue;
		reg = etw_reg_find(handle);
		ret = reg ? write_through(reg, handle, record) : -ENOENT;
		/* Otherwise the session does not enable this provider (any more). */
		if (ret != -ENOENT && ret != -EBADF)
			return etw_win32_find(errors, ret);
	}
	return ERROR_INVALID_HANDLE;
}

/* ------------------------------------------------------------------- handles */

TRACEHANDLE GetTraceLoggerHandle(PVOID Buffer)
{
	const WNODE_HEADER *node = Buffer;

	if (!node || node->BufferSize < sizeof(*node) ||
	    !(node->Flags & WNODE_FLAG_TRACED_GUID)) {
		SetLastError(ERROR_INVALID_PARAMETER);
		return (TRACEHANDLE)-1;
	}
	return node->HistoricalContext;
}

static bool is_valid(TRACEHANDLE handle)
{
	if (LOGGER_VALID(handle))
		return true;
	SetLastError(ERROR_INVALID_HANDLE);
	return false;
}

UCHAR GetTraceEnableLevel(TRACEHANDLE TraceHandle)
{
	return is_valid(TraceHandle) ? LOGGER_LEVEL(TraceHandle) : 0;
}

ULONG GetTraceEnableFlags(TRACEHANDLE TraceHandle)
{
	return is_valid(TraceHandle) ? LOGGER_FLAGS(TraceHandle) : 0;
}

/* -------------------------------------------------------------------- events */

/* The data after a header: the payload itself, or an array of its pieces. */
static ULONG take_payload(struct etw_classic_write *w, const void *after, ULONG len,
			  ULONG flags, struct etw_data_descriptor pieces[MAX_MOF_FIELDS])
{
	ULONG i;

	if (!(flags & WNODE_FLAG_USE_MOF_PTR)) {
		pieces[0] = (struct etw_data_descriptor){ (uintptr_t)after, len, 0 };
		w->data_count = 1;
	} else {
		w->data_count = len / sizeof(MOF_FIELD);
		if (len % sizeof(MOF_FIELD) || w->data_count > MAX_MOF_FIELDS)
			return ERROR_INVALID_PARAMETER;
		for (i = 0; i < w->data_count; i++) {
			MOF_FIELD field;

			memcpy(&field, (const char *)after + i * sizeof(field), sizeof(field));
			pieces[i] = (struct etw_data_descriptor){ field.DataPtr,
								  field.Length, 0 };
		}
	}
	w->data = (uintptr_t)pieces;
	return ERROR_SUCCESS;
}

static ULONG check_flags(ULONG flags)
{
	return flags & WNODE_FLAG_TRACED_GUID && !(flags & ~FLAGS_KNOWN) ?
	       ERROR_SUCCESS : ERROR_INVALID_FLAG_NUMBER;
}

ULONG TraceEvent(TRACEHANDLE TraceHandle, PEVENT_TRACE_HEADER EventTrace)
{
	struct etw_data_descriptor pieces[MAX_MOF_FIELDS];
	struct etw_classic_write w = { .kind = ETW_CLASSIC_EVENT };
	const void *guid;
	ULONG ret;

	if (!EventTrace || EventTrace->Size < sizeof(*EventTrace))
		return ERROR_INVALID_PARAMETER;
	ret = check_flags(EventTrace->Flags);
	if (ret)
		return ret;
	guid = EventTrace->Flags & WNODE_FLAG_USE_GUID_PTR ?
	       (const void *)(uintptr_t)EventTrace->GuidPtr : &EventTrace->Guid;
	if (!guid)
		return ERROR_INVALID_PARAMETER;
	memcpy(&w.guid, guid, sizeof(w.guid));
	w.type = EventTrace->Class.Type;
	w.level = EventTrace->Class.Level;
	w.version = EventTrace->Class.Version;
	ret = take_payload(&w, EventTrace + 1, EventTrace->Size - sizeof(*EventTrace),
			   EventTrace->Flags, pieces);
	return ret ? ret : write_record(TraceHandle, &w);
}

ULONG TraceEventInstance(TRACEHANDLE TraceHandle, PEVENT_INSTANCE_HEADER EventTrace,
			 PEVENT_INSTANCE_INFO InstInfo, PEVENT_INSTANCE_INFO ParentInstInfo)
{
	struct etw_data_descriptor pieces[MAX_MOF_FIELDS];
	struct etw_classic_write w = { .kind = ETW_CLASSIC_INSTANCE };
	ULONG ret;

	if (!EventTrace || EventTrace->Size < sizeof(*EventTrace) || !InstInfo)
		return ERROR_INVALID_PARAMETER;
	ret = check_flags(EventTrace->Flags);
	if (ret)
		return ret;
	if (!class_guid(InstInfo->RegHandle, &w.guid) ||
	    (ParentInstInfo && !class_guid(ParentInstInfo->RegHandle, &w.parent_guid)))
		return ERROR_INVALID_PARAMETER;
	w.instance = InstInfo->InstanceId;
	w.parent = ParentInstInfo ? ParentInstInfo->InstanceId : 0;
	w.type = EventTrace->Class.Type;
	w.level = EventTrace->Class.Level;
	w.version = EventTrace->Class.Version;
	ret = take_payload(&w, EventTrace + 1, EventTrace->Size - sizeof(*EventTrace),
			   EventTrace->Flags, pieces);
	return ret ? ret : write_record(TraceHandle, &w);
}

/* ------------------------------------------------------------------ messages */

/*
 * Take up to ETW_DATA_MAX arguments; *total is the size of all in bytes. Returns the
 * number of arguments.
 */
static size_t take_args(struct etw_data_descriptor *pieces, uint64_t *total, va_list args)
{
	const void *at;
	size_t n = 0;

	*total = 0;
	while ((at = va_arg(args, const void *))) {
		size_t len = va_arg(args, size_t);

		if (len > UINT32_MAX)
			len = UINT32_MAX;	/* either is too large */
		if (n < ETW_DATA_MAX)
			pieces[n] = (struct etw_data_descriptor){ (uintptr_t)at, len, 0 };
		*total += len;
		n++;
	}
	return n;
}

/* Join the arguments, since there are more than the kernel takes. */
static ULONG submit_joined(TRACEHANDLE session, struct etw_classic_write *w, uint64_t total,
			   va_list args)
{
	struct etw_data_descriptor piece = { 0 };
	const void *at;
	char *copy, *to;
	ULONG ret;

	if (total > TRACE_MESSAGE_MAXIMUM_SIZE)
		return ERROR_MORE_DATA;
	copy = malloc(total + 1);
	if (!copy)
		return ERROR_NOT_ENOUGH_MEMORY;
	for (to = copy; (at = va_arg(args, const void *));) {
		size_t len = va_arg(args, size_t);

		memcpy(to, at, len);
		to += len;
	}
	piece.ptr = (uintptr_t)copy;
	piece.size = total;
	w->data = (uintptr_t)&piece;
	w->data_count = 1;
	ret = write_record(session, w);
	free(copy);
	return ret;
}

ULONG TraceMessageVa(TRACEHANDLE LoggerHandle, ULONG MessageFlags, LPCGUID MessageGuid,
		     USHORT MessageNumber, va_list MessageArgList)
{
	ULONG guids = MessageFlags & (TRACE_MESSAGE_GUID | TRACE_MESSAGE_COMPONENTID);
	struct etw_data_descriptor pieces[ETW_DATA_MAX];
	struct etw_classic_write w = {
		.kind = ETW_CLASSIC_MESSAGE, .number = MessageNumber, .options = MessageFlags,
	};
	uint64_t total;
	va_list again;
	size_t count;
	ULONG ret;

	if (MessageFlags & ~ETW_MESSAGE_ALL || (guids && !MessageGuid) ||
	    guids == (TRACE_MESSAGE_GUID | TRACE_MESSAGE_COMPONENTID))
		return ERROR_INVALID_PARAMETER;
	if (guids)
		memcpy(&w.guid, MessageGuid, sizeof(w.guid));
	va_copy(again, MessageArgList);
	count = take_args(pieces, &total, MessageArgList);
	if (count > ETW_DATA_MAX) {
		ret = submit_joined(LoggerHandle, &w, total, again);
	} else {
		w.data = (uintptr_t)pieces;
		w.data_count = count;
		ret = write_record(LoggerHandle, &w);
	}
	va_end(again);
	return ret;
}

ULONG TraceMessage(TRACEHANDLE LoggerHandle, ULONG MessageFlags, LPCGUID MessageGuid,
		   USHORT MessageNumber, ...)
{
	va_list args;
	ULONG ret;

	va_start(args, MessageNumber);
	ret = TraceMessageVa(LoggerHandle, MessageFlags, MessageGuid, MessageNumber, args);
	va_end(args);
	return ret;
}
