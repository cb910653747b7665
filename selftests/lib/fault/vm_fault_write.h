/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_fault_write.h - what a write leaves behind that succeeded, and one that failed
 */
#ifndef ETW_SELFTEST_VM_FAULT_WRITE_H
#define ETW_SELFTEST_VM_FAULT_WRITE_H

#include "lib/fault/vm_fault.h"

bool fault_written(struct fault_env *e);

/*
 * A failure is counted by its cause, once.  Only a call whose own struct could not be read is
 * an error and no loss, because it named no event.
 */
bool fault_counted(struct fault_env *e, const struct fault_state *was, int ret);

#endif /* ETW_SELFTEST_VM_FAULT_WRITE_H */
