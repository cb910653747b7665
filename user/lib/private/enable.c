// SPDX-License-Identifier: MIT
/*
 * enable.c - what private sessions want of providers
 *
 * The filters are those that the core offers, compiled as the module does it. Writers read
 * an entry's level and keywords without a lock; while these change, a writer may pass an event
 * that only the old or only the new state wants, and never rejects one that both want. A
 * filter is replaced as a whole; the host waits for writers that use it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/enable_entry.h"
#include "filter.h"
#include "private_session.h"

_Atomic(const struct etw_private_host *) etw_private_host;

/* All providers that were ever enabled; the host's lock */
static struct etw_private_provider *providers;

struct etw_private_provider *etw_private_find(const void *guid)
{
	struct etw_private_provider *p;

	for (p = providers; p; p = p->next)
		if (!memcmp(&p->guid, guid, sizeof(p->guid)))
			return p;
	return NULL;
}

static struct etw_private_provider *provider_get(const struct etw_guid *guid)
{
	struct etw_private_provider *p = etw_private_find(guid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->guid = *guid;
	p->next = providers;
	providers = p;
	return p;
}

bool etw_private_enabled(uint32_t slot, struct etw_guid *guid)
{
	struct etw_private_provider *p;

	for (p = providers; p; p = p->next) {
		if (!(atomic_load(&p->sessions) >> slot & 1))
			continue;
		*guid = p->guid;
		return true;
	}
	return false;
}

/* ------------------------------------------------------------------ apply */

static void compose(const struct etw_private_provider *p, struct etw_enable_entry *composite)
{
	uint32_t left = atomic_load(&p->sessions);

	memset(composite, 0, sizeof(*composite));
	for (; left; left &= left - 1)
		etw_filter_merge(composite, &p->entry[__builtin_ctz(left)].filter);
}

static void enable(struct etw_private_provider *p, struct etw_private_change *change)
{
	struct etw_private_entry *entry = &p->entry[change->slot];
	struct etw_enable_entry next;

	etw_filter_widen(&entry->filter, &change->filter);
	change->events = atomic_exchange(&entry->events, change->events);
	atomic_fetch_or(&p->sessions, 1u << change->slot);
	etw_filter_narrow(&entry->filter, &change->filter);
	compose(p, &next);
	etw_filter_widen(&p->composite, &next);
	etw_filter_narrow(&p->composite, &next);
	p->owner = change->slot + 1;
}

static void disable(struct etw_private_provider *p, struct etw_private_change *change)
{
	static const struct etw_enable_entry off;
	struct etw_private_entry *entry = &p->entry[change->slot];
	struct etw_enable_entry next;

	atomic_fetch_and(&p->sessions, ~(1u << change->slot));
	compose(p, &next);
	etw_filter_narrow(&p->composite, &next);
	etw_filter_narrow(&entry->filter, &off);
	change->events = atomic_exchange(&entry->events, NULL);
	if (p->owner == change->slot + 1)
		p->owner = 0;
}

/* Not any more, or not yet, if the request meets the end of its session. */
static bool has_session(const struct etw_private_change *change)
{
	const struct private_session *s = private_session_at(change->slot);

	return s && s->handle == change->session;
}

int etw_private_apply(struct etw_private_change *change, struct etw_private_provider **out)
{
	struct etw_private_provider *p;
	struct etw_filter_header *old;

	if (change->session && !has_session(change))
		return -ENOENT;
	p = provider_get(&change->guid);
	if (!p)
		return -ENOMEM;
	if (change->control == ETW_CONTROL_ENABLE)
		enable(p, change);
	else
		disable(p, change);
	old = p->data[change->slot];
	p->data[change->slot] = change->data;
	change->data = old;
	*out = p;
	return 0;
}

void etw_private_forget(void)
{
	static const struct etw_enable_entry off;
	struct etw_private_provider *p;

	for (p = providers; p; p = p->next) {
		atomic_store(&p->sessions, 0);
		p->owner = 0;
		/* The writers were threads of the parent. */
		memset(&p->guard, 0, sizeof(p->guard));
		etw_filter_narrow(&p->composite, &off);
	}
}

uint32_t etw_private_chain(const struct etw_private_provider *p, void *to)
{
	uint32_t left = atomic_load(&p->sessions), len = 0;
	struct etw_filter_header *last = NULL;

	for (; left; left &= left - 1) {
		const struct etw_filter_header *data = p->data[__builtin_ctz(left)];
		uint32_t size = data ? ALIGN(data->size, 8u) : 0;

		if (!data || len + size > ETW_FILTER_CHAIN_MAX)
			continue;
		if (last)
			last->next = (char *)to + len - (char *)last;
		last = (void *)((char *)to + len);
		memcpy(last, data, data->size);
		memset((char *)last + data->size, 0, size - data->size);
		len += size;
	}
	return last ? (char *)last + last->size - (char *)to : 0;
}

/* ----------------------------------------------------------------- request */

/* The schematized data of a request, malloc()ed; NULL: it has none. */
static int read_data(const struct etw_enable *request, struct etw_filter_header **out)
{
	const struct etw_filter *filters = (const void *)(uintptr_t)request->filters;
	struct etw_filter_header *data;
	uint32_t i;

	*out = NULL;
	for (i = 0; i < request->filter_count; i++) {
		if (filters[i].type != ETW_FILTER_SCHEMATIZED)
			continue;
		data = malloc(filters[i].len);
		if (!data)
			return -ENOMEM;
		memcpy(data, (const void *)(uintptr_t)filters[i].ptr, filters[i].len);
		if (data->size != filters[i].len || data->next || data->instance) {
			free(data);
			return -EINVAL;
		}
		*out = data;
	}
	return 0;
}

static int read_request(const struct etw_enable *request, struct etw_private_change *change)
{
	int err;

	/* Groups are for sessions of the whole system. */
	if (request->property & ETW_ENABLE_PROVIDER_GROUP)
		return -EINVAL;
	if (request->property & ~ETW_PRIVATE_PROPERTIES)
		return -EOPNOTSUPP;
	err = etw_private_filter_read((const void *)(uintptr_t)request->filters,
				      request->filter_count, &change->events);
	if (!err)
		err = read_data(request, &change->data);
	etw_filter_set(&change->filter, request->level, request->any, request->all,
		       request->property);
	return err;
}

/* How many sessions have the provider enabled does not matter: there are as many entries. */
static int change_provider(const struct etw_enable *request, struct etw_private_change *change)
{
	const struct etw_private_host *host = atomic_load(&etw_private_host);
	int err = 0;

	if (!host)
		return -ESRCH;
	switch (request->control) {
	case ETW_CONTROL_CAPTURE:
		return host->capture(change);
	case ETW_CONTROL_ENABLE:
		err = read_request(request, change);
		break;
	}
	return err ? err : host->change(change);
}

int etw_private_enable(const struct etw_enable *request)
{
	struct etw_private_change change = {
		.guid = request->provider,
		.source = request->source,
		.control = request->control,
		.timeout_ms = request->timeout_ms,
		.any = request->any,
		.level = request->level,
		.session = request->session,
		.slot = (request->session & 0xF) - 1,
	};
	int err;

	if (change.slot >= ETW_PRIVATE_SESSIONS || !has_session(&change))
		return -ENOENT;
	err = change_provider(request, &change);
	etw_private_filter_free(change.events);
	free(change.data);
	return err;
}
