/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ops.h - interface between the parts of the module
 *
 * An op receives its command's struct in kernel memory and fills it in.
 */
#ifndef ETW_TEST_OPS_H
#define ETW_TEST_OPS_H

#include <etw/kernel.h>

#include "etw_test.h"

/* main.c: the provider at that index, NULL if none is registered */
struct etw_provider *etw_test_provider(u32 index);

/* trap.c */
int etw_test_trap_op(void *arg);
void etw_test_trap_remove(void);
void etw_test_trap_rearm(void);
bool etw_test_trap_uses(const struct etw_provider *provider);

/* memory.c */
int etw_test_place_op(void *arg);
int etw_test_peek_op(void *arg);
int etw_test_hold_op(void *arg);

/* typed.c */
int etw_test_set_op(void *arg);
int etw_test_typed_op(void *arg);

/* bad.c */
int etw_test_bad_op(void *arg);
int etw_test_die_op(void *arg);

/* sizes.c */
int etw_test_sizes_op(void *arg);

/* machine.c */
int etw_test_machine_op(void *arg);

#endif /* ETW_TEST_OPS_H */
