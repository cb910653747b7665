// SPDX-License-Identifier: MIT
/*
 * private_control.c - StartTrace() and ControlTrace() for private sessions
 *
 * Semantics: Microsoft's pages "Configuring and Starting a Private Logger Session", "Logging
 * Mode Constants" and "ControlTraceW function".
 */
#include <errno.h>

#include "device/kdev.h"
#include "private_control.h"
#include "properties.h"

/* -ENOENT and -ENOSPC are about the session or the file, depending on which call returns them. */
static ULONG start_result(int err)
{
	static const struct etw_win32_errors table[] = {
		{ ERROR_NO_SYSTEM_RESOURCES, { ENOSPC } },
		{ ERROR_WMI_GUID_NOT_FOUND, { ESRCH } },
		{ ERROR_ALREADY_EXISTS, { EEXIST } },
		{ ERROR_BAD_PATHNAME, { ENOENT, ENAMETOOLONG, ENXIO } },
		{ 0, { 0 } },
	};

	return etw_win32_find(table, err);
}

ULONG etw_private_control_start(struct etw_session *session, const char *path,
				const EVENT_TRACE_PROPERTIES *props, struct etw_log_status *log)
{
	const struct etw_private_config config = {
		.path = path, .max_size = props->MaximumFileSize,
	};
	ULONG ret;

	etw_log_status_init(log);
	session->log = (uintptr_t)&log->log;
	ret = start_result(etw_private_start(session, &config));
	etw_log_status_done(log);
	return ret;
}

/* Flush timer and file name are all that UPDATE changes. */
static int update(struct etw_session *session, const EVENT_TRACE_PROPERTIES *props,
		  const char *path)
{
	const struct etw_private_config config = {
		.path = path, .max_size = props->MaximumFileSize,
	};
	struct etw_session wanted = { 0 };

	etw_properties_to_session(props, false, &wanted);
	session->flush_ms = wanted.flush_ms;
	return etw_private_update(session, &config);
}

static int command(ULONG code, struct etw_session *session, const EVENT_TRACE_PROPERTIES *props,
		   const char *path)
{
	switch (code) {
	case EVENT_TRACE_CONTROL_QUERY:
		return etw_private_query(session);
	case EVENT_TRACE_CONTROL_STOP:
		return etw_private_stop(session);
	case EVENT_TRACE_CONTROL_UPDATE:
		return update(session, props, path);
	case EVENT_TRACE_CONTROL_FLUSH:
		return etw_private_flush(session, path);
	case EVENT_TRACE_CONTROL_INCREMENT_FILE:
		return etw_private_next_file(session);
	default:
		return -EINVAL;
	}
}

ULONG etw_private_control(ULONG code, struct etw_session *session, EVENT_TRACE_PROPERTIES *props,
			  bool wide)
{
	bool takes_file = code == EVENT_TRACE_CONTROL_UPDATE || code == EVENT_TRACE_CONTROL_FLUSH;
	bool file = takes_file && etw_properties_has_file(props, wide);
	char path[ETW_FILE_NAME_MAX + 1], name[ETW_NAME_MAX];
	struct etw_log_status log;
	ULONG ret;
	int err;

	if (file) {
		ret = etw_properties_get_file(props, wide, path);
		if (ret)
			return ret;
	}
	session->name_out = (uintptr_t)name;
	session->name_cap = sizeof(name);
	etw_log_status_init(&log);
	session->log = (uintptr_t)&log.log;
	err = command(code, session, props, file ? path : NULL);
	/* A session that was stopped has a state even if its file could not be completed. */
	if (err && !session->name_out_len) {
		/* -ENOENT may be about the session or about the file. */
		file = file && etw_private_has(session->handle, (const void *)(uintptr_t)session->name,
					       session->name_len);
		return file ? etw_win32_from_file(err) : etw_win32_from_errno(err);
	}
	etw_log_status_done(&log);
	etw_properties_from_session(props, session, &log.log, true);
	ret = etw_properties_put_names(props, wide, name, session->name_out_len, log.name);
	return err ? etw_win32_from_file(err) : ret;
}
