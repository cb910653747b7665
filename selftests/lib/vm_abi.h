/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_abi.h - a valid argument for each command, and the objects it refers to
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
	uint64_t system;	/* one with ETW_MODE_SYSTEM */
	int slot;		/* a registration enabled by base */
	int spare;		/* a registration to be removed */
	int classic, logger_id;	/* a classic registration, and base's logger id */
	uint32_t held;		/* index of a buffer that cfd holds */
	uint8_t *pages;		/* two accessible pages, and one without access */
	size_t page;
	uint64_t out[8];	/* room for lists */
};

typedef void (*fill_fn)(struct env *e, void *arg);

void fill_start(struct env *e, void *arg);

static inline void fill_victim(struct env *e, void *arg)
{
	((struct etw_session *)arg)->handle = e->victim;
}

void fill_update(struct env *e, void *arg);

void fill_enum(struct env *e, void *arg);

static inline void fill_stat(struct env *e, void *arg)
{
	((struct etw_session_stat *)arg)->handle = e->victim;
}

void fill_enable(struct env *e, void *arg);

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

static inline void fill_many(struct env *e, void *arg)
{
	/* No events */
	((struct etw_write_many *)arg)->slot = e->slot;
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

/* A GUID that has a list; SET adds another one. */
static inline void fill_access(struct env *e, void *arg)
{
	((struct etw_access *)arg)->guid = vm_guid(0x50);
}

static inline void fill_access_set(struct env *e, void *arg)
{
	((struct etw_access *)arg)->guid = vm_guid(0x51);
}

void fill_set(struct env *e, void *arg);

static inline void fill_group(struct env *e, void *arg)
{
	((struct etw_group_query *)arg)->group = vm_guid(9);
}

static inline void fill_query(struct env *e, void *arg)
{
	((struct etw_disallow *)arg)->session = e->victim;
}

static inline void fill_system(struct env *e, void *arg)
{
	((struct etw_session_system *)arg)->handle = e->system;
}

static inline void fill_missed(struct env *e, void *arg)
{
	struct etw_session_missed *missed = arg;

	missed->handle = e->system;
	missed->provider = vm_guid(1);
	missed->events = 1;
}

void fill_disallow(struct env *e, void *arg);
void fill_trace(struct env *e, void *arg);
void fill_bpf(struct env *e, void *arg);

/* To ask which providers are captured, without room for them */
static inline void fill_capture(struct env *e, void *arg)
{
	((struct etw_session_capture *)arg)->handle = e->victim;
}

/* The spare registration is the only member of a group. */
int join(struct env *e);

/* Two delivered buffers for the consumer, of which it holds the first. */
int deliver_two(struct env *e);

/* A classic provider that the first session has enabled. */
int set_up_classic(struct env *e);

#endif /* ETW_SELFTEST_VM_ABI_H */
