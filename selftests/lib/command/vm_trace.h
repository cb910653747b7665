/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_trace.h - traces of etw: sessions and a log file that it starts, and a provider to write to
 * them by the bare device, so that a test knows the truth
 */
#ifndef ETW_SELFTEST_VM_TRACE_H
#define ETW_SELFTEST_VM_TRACE_H

#include "vm_cli.h"

#define PROVIDER	"7e570001-5e1f-4e57-8001-020304050607"	/* vm_guid(1) */
#define LOG		"/run/etw-trace.etl"

struct vm_trace {
	int fd;			/* the device, with vm_guid(1) registered in slot */
	uint32_t slot;
	struct vc_run r;
};

static inline int vm_trace_begin(struct vm_trace *t)
{
	int slot = 0;

	unlink(LOG);
	memset(t, 0, sizeof(*t));
	t->fd = vm_begin(&slot);
	t->slot = slot;
	return t->fd < 0 ? t->fd : 0;
}

static inline void vm_trace_end(struct vm_trace *t)
{
	vm_stop_all(t->fd);
	close(t->fd);
	unlink(LOG);
}

/* In a test whose fixture has a struct vm_trace t */
#define RUN(...)	vc_run(&self->t.r, __VA_ARGS__, NULL)

#endif /* ETW_SELFTEST_VM_TRACE_H */
