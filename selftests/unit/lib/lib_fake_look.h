/* SPDX-License-Identifier: MIT */
/*
 * lib_fake_look.h - the model's lists of providers; include lib_fake.h
 */
#ifndef ETW_LIB_FAKE_LOOK_H
#define ETW_LIB_FAKE_LOOK_H

static uint32_t fake_look_regs(const struct etw_guid *guid, uint16_t logger_id,
			       struct etw_provider_reg *out, uint32_t room)
{
	uint32_t i, slot, n = 0;

	for (i = 0; i < fake->file_count; i++)
		for (slot = 0; fake->files[i].ino && slot < ETW_REGISTRATIONS_MAX; slot++) {
			const struct fake_reg *reg = &fake->files[i].regs[slot];

			if (!reg->used || memcmp(&reg->guid, guid, sizeof(*guid)))
				continue;
			if (n++ >= room)
				continue;
			memset(&out[n - 1], 0, sizeof(*out));
			out[n - 1].pid = fake->files[i].pid;
			out[n - 1].flags = reg->flags;
			if (logger_id)
				out[n - 1].sessions = 1ULL << (logger_id - 1);
		}
	return n;
}

static bool fake_look_known(const struct fake_provider *p)
{
	return p->logger_id || fake_look_regs(&p->guid, 0, NULL, 0);
}

/* Registered providers have no entry of their own until then. */
static void fake_look_collect(void)
{
	uint32_t i, slot;

	for (i = 0; i < fake->file_count; i++)
		for (slot = 0; fake->files[i].ino && slot < ETW_REGISTRATIONS_MAX; slot++)
			if (fake->files[i].regs[slot].used)
				fake_provider(&fake->files[i].regs[slot].guid, true);
}

static int fake_look_enum(struct etw_provider_enum *list)
{
	struct etw_guid *out = (void *)(uintptr_t)list->guids;
	uint32_t i;

	fake_look_collect();
	list->count = 0;
	for (i = 0; i < fake->provider_count; i++)
		if (fake_look_known(&fake->providers[i])) {
			if (list->count < list->capacity)
				out[list->count] = fake->providers[i].guid;
			list->count++;
		}
	return 0;
}

static int fake_look_query(struct etw_provider_query *q)
{
	struct etw_provider_enable *out = (void *)(uintptr_t)q->enables;
	struct fake_provider *p;

	fake_look_collect();
	p = fake_provider(&q->provider, false);
	if (!p || !fake_look_known(p))
		return -ESRCH;
	q->name_len = 0;
	q->reg_count = fake_look_regs(&p->guid, p->logger_id, (void *)(uintptr_t)q->regs,
				      q->reg_cap);
	q->enable_count = p->logger_id ? 1 : 0;
	if (q->enable_count && q->enable_cap)
		out[0] = (struct etw_provider_enable){
			.session = p->asked.session, .any = p->asked.any,
			.all = p->asked.all, .property = p->asked.property,
			.logger_id = p->logger_id, .level = p->asked.level };
	return 0;
}

static int fake_capture(struct etw_session_capture *c)
{
	struct etw_session s = { .handle = c->handle };
	void *guids = (void *)(uintptr_t)c->guids;

	if (!fake_session(&s))
		return -ENOENT;
	if (!(c->flags & ETW_CAPTURE_SET)) {
		memcpy(guids, fake->captured, 16 * fake->capture.count);
		c->count = fake->capture.count;
		c->period_s = fake->capture.period_s;
		return 0;
	}
	if (c->count > ETW_CAPTURE_MAX || (c->count && !c->period_s))
		return -EINVAL;
	memcpy(fake->captured, guids, 16 * c->count);
	fake->capture = *c;
	return 0;
}

static int fake_look(uint32_t nr, void *arg)
{
	switch (nr) {
	case 0x08:
		return fake_capture(arg);
	case 0x23:
		return fake_look_enum(arg);
	case 0x24:
		return fake_look_query(arg);
	default:
		return -ENOTTY;
	}
}

#endif /* ETW_LIB_FAKE_LOOK_H */
