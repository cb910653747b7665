// SPDX-License-Identifier: GPL-2.0-only
/* vm_rules.c - the rule that selects a session's events, restated */
#include "lib/vm_rules.h"

bool vm_wanted(const struct vm_rule *s, const struct vm_what *e)
{
	uint64_t any = s->any ? s->any : UINT64_MAX;

	if (s->level != 0 && e->level != 0 && e->level > s->level)
		return false;
	if (e->keyword == 0)
		return !(s->property & ETW_ENABLE_IGNORE_KEYWORD_0);
	return (e->keyword & any) != 0 && (e->keyword & s->all) == s->all;
}

int vm_enable_rule(int fd, uint64_t session, struct etw_guid provider, const struct vm_rule *s)
{
	struct etw_enable e = vm_enable_arg(session, provider);

	e.level = s->level;
	e.any = s->any;
	e.all = s->all;
	e.property = s->property;
	return vm_ioctl(fd, ETW_IOC_ENABLE, &e);
}
