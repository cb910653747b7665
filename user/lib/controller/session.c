/* SPDX-License-Identifier: MIT */
/*
 * session.c - start, query, stop, update and flush sessions
 *
 * Semantics: Microsoft's pages named after the functions. Each call opens the device
 * anew, so no state is kept that a fork or a daemon's closing of descriptors could
 * break.
 */
#include <errno.h>
#include <string.h>

#include "device/kdev.h"
#include "log_target.h"
#include "private_control.h"
#include "properties.h"
#include "system_events.h"
#include "base/utf.h"

/* A session's name in both forms */
struct name {
	char utf8[ETW_NAME_MAX + 1];
	size_t len;
	size_t units;	/* in the caller's width */
};

/* ERROR_INVALID_PARAMETER: too long or not valid text. */
static ULONG read_name(const void *in, bool wide, struct name *name)
{
	ssize_t len;

	if (wide) {
		name->units = etw_utf16_len(in, ETW_NAME_MAX + 1);
		len = etw_utf16_to_utf8(in, name->units, name->utf8, ETW_NAME_MAX);
	} else {
		name->units = strnlen(in, ETW_NAME_MAX + 1);
		len = name->units;
		if (etw_utf8_to_utf16(in, len, NULL, 0) < 0)
			return ERROR_INVALID_PARAMETER;
		if (len <= ETW_NAME_MAX)
			memcpy(name->utf8, in, len);
	}
	if (len < 0 || len > ETW_NAME_MAX)
		return ERROR_INVALID_PARAMETER;
	name->utf8[len] = '\0';
	name->len = len;
	return ERROR_SUCCESS;
}

/* The Win32 code of START and UPDATE for a session with or without a file. */
static ULONG result(int err, bool file)
{
	if (!err)
		return ERROR_SUCCESS;
	return file && err != -ENOSPC && err != -ENOENT ? etw_win32_from_file(err) :
							  etw_win32_from_errno(err);
}

/*
 * Start a system session and enable what its EnableFlags select.  Whether the caller may have
 * that is found out before anything is started.
 */
static ULONG start_system(int fd, struct etw_session *session, ULONG flags, bool file)
{
	const ULONG interval = etw_sample_interval();
	struct etw_session stopped = { 0 };
	struct trace_set set;
	ULONG ret;

	ret = etw_system_make(fd, flags, interval, &set);
	if (ret)
		return ret;
	ret = result(etw_kdev_session_start(fd, session), file);
	if (!ret) {
		ret = etw_system_begin(fd, session->handle, flags, interval, &set);
		stopped.handle = session->handle;
		if (ret)
			etw_kdev_session_stop(fd, &stopped);
	}
	trace_set_free(&set);
	return ret;
}

/* Start the session on the device, with its file if it has one. */
static ULONG start_session(struct etw_session *session, const char *path,
			   const EVENT_TRACE_PROPERTIES *props, struct etw_log_status *log)
{
	struct etw_log_target target;
	ULONG ret;
	int fd, err;

	if (path) {
		err = etw_log_target_open(&target, path, session->mode,
					  props->MaximumFileSize);
		if (err)
			return etw_win32_from_file(err);
		session->file = (uintptr_t)&target.file;
	}
	etw_log_status_init(log);
	session->log = (uintptr_t)&log->log;
	fd = etw_kdev_open();
	if (fd < 0) {
		ret = etw_win32_from_open(fd);
	} else {
		ret = session->mode & ETW_MODE_SYSTEM ?
		      start_system(fd, session, props->EnableFlags, path) :
		      result(etw_kdev_session_start(fd, session), path);
		etw_kdev_close(fd);
	}
	if (path)
		etw_log_target_close(&target, !ret);
	etw_log_status_done(log);
	return ret;
}

static ULONG start(PTRACEHANDLE handle, const void *instance,
		   EVENT_TRACE_PROPERTIES *props, bool wide)
{
	char path[ETW_FILE_NAME_MAX + 1];
	struct etw_session session = { 0 };
	struct etw_log_status log;
	struct name name;
	bool file = false;
	ULONG ret, flags;

	if (!handle)
		return ERROR_INVALID_PARAMETER;
	*handle = 0;
	if (!instance || !props)
		return ERROR_INVALID_PARAMETER;
	ret = etw_properties_check(props);
	if (!ret)
		ret = read_name(instance, wide, &name);
	if (!ret && !name.len)
		ret = ERROR_INVALID_PARAMETER;
	if (!ret)
		ret = etw_properties_check_start(props, wide, name.utf8, name.units);
	if (!ret) {
		file = etw_properties_has_file(props, wide);
		ret = file ? etw_properties_get_file(props, wide, path) : ERROR_SUCCESS;
	}
	if (ret)
		return ret;

	etw_properties_to_session(props, file, &session);
	if (etw_properties_is_system(props, name.utf8))
		etw_properties_to_system(name.utf8, &session);
	etw_kdev_name_session(&session, name.utf8);
	flags = props->EnableFlags;
	if (session.mode & ETW_MODE_PRIVATE)
		ret = etw_private_control_start(&session, file ? path : NULL, props, &log);
	else
		ret = start_session(&session, file ? path : NULL, props, &log);
	if (ret)
		return ret;
	etw_properties_from_session(props, &session, &log.log, false);
	props->EnableFlags = flags;
	*handle = session.handle;
	/* The session runs: a name for which there is no room is no reason to report a failure. */
	etw_properties_put_names(props, wide, name.utf8, name.len, log.name);
	return ERROR_SUCCESS;
}

/* Issue the ioctl of a control code */
static int command(int fd, ULONG code, struct etw_session *session)
{
	switch (code) {
	case EVENT_TRACE_CONTROL_STOP:
		return etw_kdev_session_stop(fd, session);
	case EVENT_TRACE_CONTROL_UPDATE:
		return etw_kdev_session_update(fd, session);
	case EVENT_TRACE_CONTROL_FLUSH:
		return etw_kdev_session_flush(fd, session);
	default:
		return etw_kdev_session_query(fd, session);
	}
}

/* Use the given file's name until the kernel reports the session's file. */
static void expect_file(struct etw_log_status *status, uint64_t given)
{
	const struct etw_session_file *file = (const void *)(uintptr_t)given;

	if (!file || !file->name || file->name_len > ETW_FILE_NAME_MAX)
		return;
	memcpy(status->name, (const void *)(uintptr_t)file->name, file->name_len);
	status->log.name_len = file->name_len;
}

/* What of the system the session records; it may have ended meanwhile. */
static ULONG enable_flags(int fd, const struct etw_session *session)
{
	ULONG enable[ETW_SYSTEM_WORDS], interval;

	return session->mode & ETW_MODE_SYSTEM &&
	       !etw_system_query(fd, session->handle, enable, &interval) ? enable[0] : 0;
}

/* Issue a command on a session and report the session's state to the caller. */
static ULONG issue(int fd, ULONG code, struct etw_session *session,
		   EVENT_TRACE_PROPERTIES *props, bool wide)
{
	struct etw_log_status log;
	char name[ETW_NAME_MAX];
	int err;

	session->name_out = (uintptr_t)name;
	session->name_cap = sizeof(name);
	etw_log_status_init(&log);
	expect_file(&log, session->file);
	session->log = (uintptr_t)&log.log;
	err = command(fd, code, session);
	if (err)
		return result(err, session->file);
	etw_log_status_done(&log);
	etw_properties_from_session(props, session, &log.log, true);
	props->EnableFlags = enable_flags(fd, session);
	if (session->name_out_len > sizeof(name))
		session->name_out_len = sizeof(name);
	return etw_properties_put_names(props, wide, name, session->name_out_len, log.name);
}

/*
 * Read a session's state, and its file's unless log is NULL, with the right to control it,
 * without the right to query: by an update that changes nothing.
 */
static ULONG look(int fd, const struct etw_session *session, struct etw_session *now,
		  struct etw_log_status *log)
{
	*now = *session;
	now->max_buffers = 0;
	now->flush_ms = 0;
	if (log) {
		etw_log_status_init(log);
		now->log = (uintptr_t)&log->log;
	}
	return etw_win32_from_errno(etw_kdev_session_update(fd, now));
}

/* An update that only does something with the session's file: flags are ETW_FILE_*. */
static ULONG change_file(int fd, uint32_t flags, struct etw_session *session,
			 EVENT_TRACE_PROPERTIES *props, bool wide)
{
	struct etw_session_file file = { .size = sizeof(file), .flags = flags };

	session->file = (uintptr_t)&file;
	return issue(fd, EVENT_TRACE_CONTROL_UPDATE, session, props, wide);
}

/*
 * Set what UPDATE may change; ignore everything else. Real time can only be chosen at
 * the session's start, and BUFFERING_MODE excludes it.
 */
static ULONG prepare_update(int fd, const EVENT_TRACE_PROPERTIES *props,
			    struct etw_session *session, struct etw_session *now)
{
	struct etw_session wanted;
	ULONG ret;

	ret = look(fd, session, now, NULL);
	if (ret)
		return ret;
	if (props->LogFileMode & EVENT_TRACE_REAL_TIME_MODE && !(now->mode & ETW_MODE_REAL_TIME))
		return ERROR_INVALID_PARAMETER;
	ret = etw_properties_check_flags(props, now->mode & ETW_MODE_SYSTEM);
	if (ret)
		return ret;
	etw_properties_to_session(props, false, &wanted);
	session->max_buffers = wanted.max_buffers;
	session->flush_ms = wanted.flush_ms;
	return ERROR_SUCCESS;
}

/* A name for which there is no room is no reason to undo anything. */
static bool is_done(ULONG ret)
{
	return !ret || ret == ERROR_MORE_DATA;
}

/*
 * UPDATE with a file name: continue in that file, with the given maximum size or the
 * old one. FLUSH with a file name: for a BUFFERING session, the file takes the snapshot;
 * for any other, the name is the output of an earlier call.
 */
static ULONG issue_with_file(int fd, ULONG code, struct etw_session *session,
			     EVENT_TRACE_PROPERTIES *props, bool wide)
{
	bool flush = code == EVENT_TRACE_CONTROL_FLUSH;
	char path[ETW_FILE_NAME_MAX + 1];
	struct etw_log_target target;
	struct etw_log_status log;
	struct etw_session now;
	ULONG ret, size;
	int err;

	ret = look(fd, session, &now, &log);
	if (!ret && flush && !(now.mode & ETW_MODE_BUFFERING))
		return issue(fd, code, session, props, wide);
	if (!ret)
		ret = etw_properties_get_file(props, wide, path);
	if (ret)
		return ret;
	if (!flush && !(now.mode & ETW_MODE_FILE) && !log.log.buffers)
		return ERROR_INVALID_PARAMETER;
	size = props->MaximumFileSize ? props->MaximumFileSize : log.log.max_size;
	err = etw_log_target_open(&target, path, flush ? 0 : now.mode, flush ? 0 : size);
	if (err)
		return etw_win32_from_file(err);
	session->file = (uintptr_t)&target.file;
	ret = issue(fd, code, session, props, wide);
	etw_log_target_close(&target, is_done(ret));
	return ret == ERROR_SHARING_VIOLATION && !flush ? ERROR_ALREADY_EXISTS : ret;
}

/* EnableFlags are what a system session has from now on, even if they are none. */
static ULONG update(int fd, struct etw_session *session, EVENT_TRACE_PROPERTIES *props, bool wide)
{
	ULONG had[ETW_SYSTEM_WORDS], interval, ret;
	struct etw_session now;

	ret = prepare_update(fd, props, session, &now);
	if (!ret && now.mode & ETW_MODE_SYSTEM)
		ret = etw_system_query(fd, now.handle, had, &interval);
	if (!ret && now.mode & ETW_MODE_SYSTEM)
		ret = etw_system_change(fd, now.handle, &props->EnableFlags, 1, 0);
	if (ret)
		return ret;
	ret = etw_properties_has_file(props, wide) ?
	      issue_with_file(fd, EVENT_TRACE_CONTROL_UPDATE, session, props, wide) :
	      issue(fd, EVENT_TRACE_CONTROL_UPDATE, session, props, wide);
	if (!is_done(ret) && now.mode & ETW_MODE_SYSTEM)
		etw_system_change(fd, now.handle, had, 1, 0);
	return ret;
}

static ULONG control_fd(int fd, ULONG code, struct etw_session *session,
			EVENT_TRACE_PROPERTIES *props, bool wide)
{
	switch (code) {
	case EVENT_TRACE_CONTROL_INCREMENT_FILE:
		return change_file(fd, ETW_FILE_NEXT, session, props, wide);
	case EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME:
		return change_file(fd, ETW_FILE_END, session, props, wide);
	case EVENT_TRACE_CONTROL_UPDATE:
		return update(fd, session, props, wide);
	case EVENT_TRACE_CONTROL_FLUSH:
		if (etw_properties_has_file(props, wide))
			return issue_with_file(fd, code, session, props, wide);
	}
	return issue(fd, code, session, props, wide);
}

static ULONG control(TRACEHANDLE handle, const void *instance,
		     EVENT_TRACE_PROPERTIES *props, ULONG code, bool wide)
{
	struct etw_session session = { .handle = handle };
	struct name name = { .utf8 = "" };
	ULONG ret;
	int fd;

	if (!props || code > EVENT_TRACE_CONTROL_CONVERT_TO_REALTIME)
		return ERROR_INVALID_PARAMETER;
	ret = etw_properties_check(props);
	if (!ret && instance)
		ret = read_name(instance, wide, &name);
	if (ret)
		return ret;
	if (!name.len && !handle)
		return ERROR_INVALID_PARAMETER;
	if (name.len)
		etw_kdev_name_session(&session, name.utf8);
	if ((!name.len && etw_private_is_handle(handle)) ||
	    etw_private_has(handle, name.utf8, name.len))
		return etw_private_control(code, &session, props, wide);
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	ret = control_fd(fd, code, &session, props, wide);
	etw_kdev_close(fd);
	return ret;
}

/* Query up to count sessions; *running is the number of all sessions. */
static ULONG query_all(int fd, EVENT_TRACE_PROPERTIES **props, ULONG count,
		       bool wide, ULONG *running)
{
	uint64_t handles[ETW_SESSIONS_MAX];
	struct etw_session_enum list = {
		.handles = (uintptr_t)handles,
		.capacity = ETW_SESSIONS_MAX,
	};
	ULONG done = 0, seen = 0, result = ERROR_SUCCESS;
	uint32_t i;
	int err;

	err = etw_kdev_session_enum(fd, &list);
	if (err)
		return etw_win32_from_errno(err);
	if (list.count > list.capacity)
		list.count = list.capacity;
	for (i = 0; i < list.count; i++) {
		struct etw_session session = { .handle = handles[i] };
		ULONG ret;

		if (done == count) {
			seen++;
			result = ERROR_MORE_DATA;
			continue;
		}
		ret = issue(fd, EVENT_TRACE_CONTROL_QUERY, &session, props[done], wide);
		/* The session has ended meanwhile, or the caller may not query it. */
		if (ret == ERROR_WMI_INSTANCE_NOT_FOUND ||
		    ret == ERROR_ACTIVE_CONNECTIONS || ret == ERROR_ACCESS_DENIED)
			continue;
		if (ret && ret != ERROR_MORE_DATA)
			return ret;
		if (ret)
			result = ret;
		done++;
		seen++;
	}
	*running = seen;
	return result;
}

static ULONG query_all_sessions(EVENT_TRACE_PROPERTIES **props, ULONG count,
				ULONG *running, bool wide)
{
	ULONG ret, i;
	int fd;

	if (!props || !running || !count || count > ETW_SESSIONS_MAX)
		return ERROR_INVALID_PARAMETER;
	for (i = 0; i < count; i++) {
		ret = props[i] ? etw_properties_check(props[i]) : ERROR_INVALID_PARAMETER;
		if (ret)
			return ret;
	}
	fd = etw_kdev_open();
	if (fd < 0)
		return etw_win32_from_open(fd);
	ret = query_all(fd, props, count, wide, running);
	etw_kdev_close(fd);
	return ret;
}

ULONG StartTraceW(PTRACEHANDLE TraceHandle, LPCWSTR InstanceName,
		  PEVENT_TRACE_PROPERTIES Properties)
{
	return start(TraceHandle, InstanceName, Properties, true);
}

ULONG StartTraceA(PTRACEHANDLE TraceHandle, LPCSTR InstanceName,
		  PEVENT_TRACE_PROPERTIES Properties)
{
	return start(TraceHandle, InstanceName, Properties, false);
}

ULONG ControlTraceW(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,
		    PEVENT_TRACE_PROPERTIES Properties, ULONG ControlCode)
{
	return control(TraceHandle, InstanceName, Properties, ControlCode, true);
}

ULONG ControlTraceA(TRACEHANDLE TraceHandle, LPCSTR InstanceName,
		    PEVENT_TRACE_PROPERTIES Properties, ULONG ControlCode)
{
	return control(TraceHandle, InstanceName, Properties, ControlCode, false);
}

ULONG QueryAllTracesW(PEVENT_TRACE_PROPERTIES *PropertyArray,
		      ULONG PropertyArrayCount, PULONG LoggerCount)
{
	return query_all_sessions(PropertyArray, PropertyArrayCount, LoggerCount, true);
}

ULONG QueryAllTracesA(PEVENT_TRACE_PROPERTIES *PropertyArray,
		      ULONG PropertyArrayCount, PULONG LoggerCount)
{
	return query_all_sessions(PropertyArray, PropertyArrayCount, LoggerCount, false);
}

/*
 * QueryTraceW, QueryTraceA, StopTraceW, StopTraceA, UpdateTraceW, UpdateTraceA, FlushTraceW and
 * FlushTraceA
 */
#define SHORTHAND(name, code)						\
ULONG name##W(TRACEHANDLE TraceHandle, LPCWSTR InstanceName,		\
	      PEVENT_TRACE_PROPERTIES Properties)			\
{									\
	return control(TraceHandle, InstanceName, Properties, code, true); \
}									\
ULONG name##A(TRACEHANDLE TraceHandle, LPCSTR InstanceName,		\
	      PEVENT_TRACE_PROPERTIES Properties)			\
{									\
	return control(TraceHandle, InstanceName, Properties, code, false); \
}

SHORTHAND(QueryTrace, EVENT_TRACE_CONTROL_QUERY)
SHORTHAND(StopTrace, EVENT_TRACE_CONTROL_STOP)
SHORTHAND(UpdateTrace, EVENT_TRACE_CONTROL_UPDATE)
SHORTHAND(FlushTrace, EVENT_TRACE_CONTROL_FLUSH)
