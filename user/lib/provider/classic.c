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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <etw/filter.h>
#include "callback.h"
#include "classic.h"
#include "registration.h"

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
		node.HistoricalContext = ETW_LOGGER_HANDLE(etw_callback_logger_id(), level, any);
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

bool etw_classic_guid(HANDLE reg_handle, struct etw_guid *guid)
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

/* -ENOENT: the session does not enable this provider (any more). */
static int submit(uint64_t handle, struct etw_classic_write *record)
{
	struct etw_fork_state *proc = etw_fork_state_get();
	struct etw_reg *reg = etw_reg_find(handle);
	struct etw_reg_pass pass;
	int tries, ret = -ENOENT;
	bool stale;

	for (tries = 0; reg && proc && tries < 3; tries++) {
		switch (etw_reg_begin(proc, reg, handle, &pass)) {
		case ETW_REG_CLOSED:
			return -ENOENT;
		case ETW_REG_ELSEWHERE:
			break;
		case ETW_REG_IN:
			record->slot = pass.slot;
			ret = etw_kdev_classic(pass.fd, record);
			stale = etw_reg_stale(proc, &pass, ret);
			etw_reg_end(reg);
			if (!stale)
				return ret;
			/* A vfork child shares our memory and must not change it. */
			if (ret == -ESTALE && proc->pid != getpid())
				return 0;
			break;
		}
		etw_reg_attach(proc, pass.epoch);
		if (!ETW_LOAD(etw_reg_entry(reg)->enabled))
			return -ENOENT;
	}
	return ret == -ESTALE ? 0 : -ENOENT;
}

/* The codes that Microsoft's pages name for these causes. */
static ULONG code_of(int err)
{
	switch (err) {
	case -EMSGSIZE:
	case -EOVERFLOW:
		return ERROR_MORE_DATA;
	default:
		return etw_win32_from_errno(err);
	}
}

ULONG etw_classic_submit(TRACEHANDLE session, struct etw_classic_write *record)
{
	uint32_t i, count = atomic_load(&highest);
	int ret;

	if (!ETW_LOGGER_VALID(session))
		return ERROR_INVALID_HANDLE;
	record->logger_id = ETW_LOGGER_ID(session);
	for (i = 0; i < count; i++) {
		uint64_t handle = __atomic_load_n(&classics[i].handle, __ATOMIC_ACQUIRE);

		if (!handle || ETW_LOGGER_ID(atomic_load(&classics[i].session)) !=
			       record->logger_id)
			continue;
		ret = submit(handle, record);
		if (ret != -ENOENT)
			return code_of(ret);
	}
	return ERROR_INVALID_HANDLE;
}
