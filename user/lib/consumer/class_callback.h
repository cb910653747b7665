/* SPDX-License-Identifier: MIT */
/*
 * class_callback.h - callbacks for the events of one class, see SetTraceCallback()
 */
#ifndef ETW_LIB_CONSUMER_CLASS_CALLBACK_H
#define ETW_LIB_CONSUMER_CLASS_CALLBACK_H

#include <evntrace.h>

/* The callback of a class, or NULL. Safe on any thread; cheap if no callback is set. */
PEVENT_CALLBACK etw_class_callback(const GUID *class);

#endif /* ETW_LIB_CONSUMER_CLASS_CALLBACK_H */
