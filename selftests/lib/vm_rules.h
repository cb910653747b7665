/* SPDX-License-Identifier: GPL-2.0-only */
/* vm_rules.h - the rule that selects a session's events, restated */
#ifndef ETW_SELFTEST_VM_RULES_H
#define ETW_SELFTEST_VM_RULES_H

#include "vm_dev.h"

struct vm_what {
	uint8_t level;
	uint64_t keyword;
};

struct vm_rule {
	uint8_t level;
	uint64_t any;
	uint64_t all;
	uint32_t property;
};

/* ETW's rule, word for word. */
bool vm_wanted(const struct vm_rule *s, const struct vm_what *e);

int vm_enable_rule(int fd, uint64_t session, struct etw_guid provider, const struct vm_rule *s);

#endif /* ETW_SELFTEST_VM_RULES_H */
