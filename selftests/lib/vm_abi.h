/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_abi.h - for each command an argument that is good, and what it speaks of
 */
#ifndef ETW_SELFTEST_VM_ABI_H
#define ETW_SELFTEST_VM_ABI_H

#include "vm_buf.h"
#include "vm_traits.h"

struct env {
	int fd;			/* /dev/etw */
	int cfd;		/* a consumer of base */
	uint64_t base;		/* a session with a provider and a consumer */
	uint64_t victim;	/* a session to be stopped */
	int slot;		/* a registration enabled by base */
	int spare;		/* a registration to be removed */
	int classic, logger_id;	/* a classic one, and base as it knows it */
	uint32_t held;		/* index of a buffer that cfd holds */
	uint8_t *pages;		/* two that can be used, one that cannot */
	size_t page;
	uint64_t out[8];	/* room for lists */
};

typedef void (*fill_fn)(struct env *e, void *arg);

static inline void fill_start(struct env *e, void *arg)
{
	struct etw_session s = vm_session("t-new");

	(void)e;
	memcpy(arg, &s, sizeof(s));
}

static inline void fill_victim(struct env *e, void *arg)
{
	((struct etw_session *)arg)->handle = e->victim;
}

static inline void fill_update(struct env *e, void *arg)
{
	struct etw_session *s = arg;

	s->handle = e->victim;
	s->flush_ms = 5000;
}

static inline void fill_enum(struct env *e, void *arg)
{
	struct etw_session_enum *s = arg;

	s->handles = VM_PTR(e->out);
	s->capacity = 8;
}

static inline void fill_stat(struct env *e, void *arg)
{
	((struct etw_session_stat *)arg)->handle = e->victim;
}

static inline void fill_enable(struct env *e, void *arg)
{
	struct etw_enable en = vm_enable_arg(e->victim, vm_guid(1));

	memcpy(arg, &en, sizeof(en));
}

static inline void fill_register(struct env *e, void *arg)
{
	(void)e;
	((struct etw_register *)arg)->provider = vm_guid(2);
}

static inline void fill_unregister(struct env *e, void *arg)
{
	((struct etw_unregister *)arg)->slot = e->spare;
}

static inline void fill_nothing(struct env *e, void *arg)
{
}

static inline void fill_provider_enum(struct env *e, void *arg)
{
	/* capacity 0 */
}

static inline void fill_provider_query(struct env *e, void *arg)
{
	(void)e;
	((struct etw_provider_query *)arg)->provider = vm_guid(1);
}

static inline void fill_write(struct env *e, void *arg)
{
	((struct etw_event_write *)arg)->slot = e->slot;
}

static inline void fill_classic(struct env *e, void *arg)
{
	((struct etw_classic_write *)arg)->slot = e->classic;
	((struct etw_classic_write *)arg)->logger_id = e->logger_id;
}

static inline void fill_consumer_open(struct env *e, void *arg)
{
	((struct etw_consumer_open *)arg)->session = e->victim;
}

static inline void fill_give(struct env *e, void *arg)
{
	((struct etw_buffer_give *)arg)->index = e->held;
}

/* Of a GUID that has a list; SET adds one. */
static inline void fill_access(struct env *e, void *arg)
{
	((struct etw_access *)arg)->guid = vm_guid(0x50);
}

static inline void fill_access_set(struct env *e, void *arg)
{
	((struct etw_access *)arg)->guid = vm_guid(0x51);
}

static inline void fill_set(struct env *e, void *arg)
{
	static const uint8_t traits[4] = { 4, 0, 'x', 0 };

	*(struct etw_provider_set *)arg = (struct etw_provider_set){
		.slot = e->slot, .flags = ETW_SET_TRAITS, .traits = VM_PTR(traits), .traits_len = 4 };
}

static inline void fill_group(struct env *e, void *arg)
{
	((struct etw_group_query *)arg)->group = vm_guid(9);
}

static inline void fill_query(struct env *e, void *arg)
{
	((struct etw_disallow *)arg)->session = e->victim;
}

static inline void fill_disallow(struct env *e, void *arg)
{
	static struct etw_guid guid = { .data1 = 1 };

	*(struct etw_disallow *)arg = (struct etw_disallow){
		.session = e->victim, .guids = VM_PTR(&guid), .count = 1 };
}

/* The spare registration is the only member of a group. */
static inline int join(struct env *e)
{
	struct vm_blob traits = vm_group_traits("", vm_guid(9));

	return vm_set_slot(e->fd, e->spare, ETW_SET_TRAITS, traits.bytes, traits.len, 0);
}

/* Two delivered buffers for the consumer, of which it holds the first. */
static inline int deliver_two(struct env *e)
{
	struct etw_buffer_take take;
	int i, ret;

	for (i = 0; i < 2; i++) {
		ret = vm_write(e->fd, e->slot, 1, 4, 1, "abc", 4);
		ret = ret ? ret : vm_flush(e->fd, e->base);
		if (ret)
			return ret;
	}
	if (!vm_until((ret = vm_take(e->cfd, &take)) != -EAGAIN))
		return ret;
	e->held = take.index;
	return ret;
}

/* A classic provider that the first session has enabled. */
static inline int set_up_classic(struct env *e)
{
	struct etw_session s;
	int ret = vm_query(e->fd, e->base, &s);

	if (ret)
		return ret;
	e->logger_id = s.logger_id;
	e->classic = vm_register_flags(e->fd, vm_guid(4), ETW_REGISTER_CLASSIC, 0);
	if (e->classic < 0)
		return e->classic;
	return vm_enable(e->fd, e->base, vm_guid(4), 0, 0, 0);
}

#endif /* ETW_SELFTEST_VM_ABI_H */
