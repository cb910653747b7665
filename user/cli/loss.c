/* SPDX-License-Identifier: MIT */
/*
 * loss.c - why a session's events were not written
 */
#include "loss.h"

const struct loss_cause loss_causes[ETW_DROP_CAUSES] = {
	[ETW_DROP_NO_BUFFER] = { "no_buffer", "no free buffer" },
	[ETW_DROP_BUFFER_SIZE] = { "buffer_size", "larger than a buffer" },
	[ETW_DROP_EVENT_SIZE] = { "event_size", "over 64 KB" },
	[ETW_DROP_NESTING] = { "nesting", "writers nested too deep" },
	[ETW_DROP_COPY_FAULT] = { "copy_fault", "payload not readable" },
	[ETW_DROP_DRAIN] = { "drain", "process buffer not drained" },
};
