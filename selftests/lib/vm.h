/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm.h - a kselftest program that runs in the virtual machine
 */
#ifndef ETW_SELFTEST_VM_H
#define ETW_SELFTEST_VM_H

#include "vm_dev.h"

/* The harness compares literals with unsigned values, and ignores arguments. */
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "kselftest_harness.h"
/* An emulated machine is slow: a limit is there for hangs only. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 300

#endif /* ETW_SELFTEST_VM_H */
