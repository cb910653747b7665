/* SPDX-License-Identifier: MIT */
/*
 * private_control.h - StartTrace() and ControlTrace() for private sessions
 */
#ifndef ETW_LIB_CONTROLLER_PRIVATE_CONTROL_H
#define ETW_LIB_CONTROLLER_PRIVATE_CONTROL_H

#include <stdbool.h>

#include <etw/abi.h>
#include <evntrace.h>
#include "lib/private/private.h"
#include "log_target.h"

/* Start the session, with its file unless path is NULL, and fill in *log. */
ULONG etw_private_control_start(struct etw_session *session, const char *path,
				const EVENT_TRACE_PROPERTIES *props, struct etw_log_status *log);

/* Issue a command on a session that etw_private_has(), and report its state. */
ULONG etw_private_control(ULONG code, struct etw_session *session, EVENT_TRACE_PROPERTIES *props,
			  bool wide);

#endif /* ETW_LIB_CONTROLLER_PRIVATE_CONTROL_H */
