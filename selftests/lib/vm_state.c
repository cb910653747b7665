// SPDX-License-Identifier: GPL-2.0-only
/* vm_state.c - take and compare all state that /dev/etw reports */
#include "lib/vm_state.h"

static int vm_state_one_session(int fd, uint64_t handle, struct vm_state_session *s)
{
	int ret;

	s->query = (struct etw_session){
		.size = sizeof(s->query), .handle = handle,
		.name_out = VM_PTR(s->name), .name_cap = sizeof(s->name) };
	ret = vm_ioctl(fd, ETW_IOC_SESSION_QUERY, &s->query);
	if (ret)
		return ret;
	s->query.name_out = 0;
	s->stat = (struct etw_session_stat){
		.size = sizeof(s->stat), .handle = handle,
		.consumers = VM_PTR(s->consumers), .consumer_cap = VM_STATE_LIST };
	ret = vm_ioctl(fd, ETW_IOC_SESSION_STAT, &s->stat);
	s->stat.consumers = 0;
	s->disallow = (struct etw_disallow){
		.size = sizeof(s->disallow), .session = handle,
		.guids = VM_PTR(s->disallowed), .capacity = VM_STATE_LIST };
	ret = ret ? ret : vm_ioctl(fd, ETW_IOC_DISALLOW_QUERY, &s->disallow);
	s->disallow.guids = 0;
	return ret;
}

static int vm_state_one_group(int fd, const struct etw_guid *guid, struct vm_state_group *g)
{
	int ret;

	g->query = (struct etw_group_query){
		.size = sizeof(g->query), .group = *guid,
		.members = VM_PTR(g->members), .member_cap = VM_STATE_LIST,
		.enables = VM_PTR(g->enables), .enable_cap = VM_STATE_LIST };
	ret = vm_ioctl(fd, ETW_IOC_GROUP_QUERY, &g->query);
	g->query.members = 0;
	g->query.enables = 0;
	return ret;
}

static int vm_state_one_provider(int fd, const struct etw_guid *guid, struct vm_state_provider *p)
{
	int ret;

	p->query = (struct etw_provider_query){
		.size = sizeof(p->query), .provider = *guid,
		.name_out = VM_PTR(p->name), .name_cap = sizeof(p->name),
		.regs = VM_PTR(p->regs), .reg_cap = VM_STATE_LIST,
		.enables = VM_PTR(p->enables), .enable_cap = VM_STATE_LIST };
	ret = vm_ioctl(fd, ETW_IOC_PROVIDER_QUERY, &p->query);
	p->query.name_out = 0;
	p->query.regs = 0;
	p->query.enables = 0;
	return ret;
}

static int vm_state_u64_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The access lists of GUIDs that have their own, the first ones. */
static int vm_state_lists(int fd, struct vm_state *st)
{
	struct etw_guid last = { 0 };
	int i, ret = 0;

	for (i = 0; i < VM_STATE_ACCESS && !ret; i++) {
		st->access[i].query = (struct etw_access){
			.size = sizeof(struct etw_access), .flags = ETW_ACCESS_NEXT, .guid = last,
			.entries = VM_PTR(st->access[i].entries), .capacity = VM_STATE_LIST };
		ret = vm_ioctl(fd, ETW_IOC_ACCESS_QUERY, &st->access[i].query);
		last = st->access[i].query.guid;
		st->access[i].query.entries = 0;
		st->lists += !ret;
	}
	return ret == -ESRCH ? 0 : ret;
}

static bool vm_state_groups(int fd, struct vm_state *st)
{
	struct etw_provider_enum pe = { .size = sizeof(pe), .guids = VM_PTR(st->group_guids),
					.capacity = VM_STATE_GROUPS };
	int i, n;

	if (vm_ioctl(fd, ETW_IOC_GROUP_ENUM, &pe))
		return false;
	st->groups = pe.count;
	n = vm_state_min(st->groups, VM_STATE_GROUPS);
	qsort(st->group_guids, n, sizeof(st->group_guids[0]), vm_state_guid_cmp);
	for (i = 0; i < n; i++)
		if (vm_state_one_group(fd, &st->group_guids[i], &st->group[i]))
			return false;
	return true;
}

struct vm_state *vm_state_get(int fd)
{
	struct vm_state *st = calloc(1, sizeof(*st));
	struct etw_provider_enum pe;
	int i, n;

	if (!st)
		return NULL;
	st->sessions = vm_sessions(fd, st->handles, VM_STATE_SESSIONS);
	n = vm_state_min(st->sessions, VM_STATE_SESSIONS);
	qsort(st->handles, n < 0 ? 0 : n, sizeof(uint64_t), vm_state_u64_cmp);
	for (i = 0; i < n; i++)
		if (vm_state_one_session(fd, st->handles[i], &st->session[i]))
			goto fail;
	pe = (struct etw_provider_enum){ .size = sizeof(pe), .guids = VM_PTR(st->guids),
					 .capacity = VM_STATE_PROVIDERS };
	if (n < 0 || vm_ioctl(fd, ETW_IOC_PROVIDER_ENUM, &pe))
		goto fail;
	st->providers = pe.count;
	n = vm_state_min(st->providers, VM_STATE_PROVIDERS);
	qsort(st->guids, n, sizeof(st->guids[0]), vm_state_guid_cmp);
	for (i = 0; i < n; i++)
		if (vm_state_one_provider(fd, &st->guids[i], &st->provider[i]))
			goto fail;
	if (vm_state_lists(fd, st) || !vm_state_groups(fd, st))
		goto fail;
	return st;
fail:
	free(st);
	return NULL;
}

#define DIFFERS(member) \
	(memcmp(&was->member, &now->member, sizeof(was->member)) ? " " #member : "")

/* Print which of a session's answers are different. */
static void vm_state_report_session(const struct vm_state_session *was,
				    const struct vm_state_session *now)
{
	fprintf(stderr, "# state: session \"%.*s\" changed:%s%s%s%s%s%s%s%s\n",
		(int)now->query.name_out_len, now->name, DIFFERS(query.buffers),
		DIFFERS(query.free_buffers), DIFFERS(query.buffers_written),
		DIFFERS(query.sync_clock), DIFFERS(query), DIFFERS(stat), DIFFERS(consumers),
		DIFFERS(disallow));
}

static void vm_state_report_sessions(const struct vm_state *was, const struct vm_state *now)
{
	int i;

	for (i = 0; i < VM_STATE_SESSIONS; i++)
		if (memcmp(&was->session[i], &now->session[i], sizeof(was->session[i])))
			vm_state_report_session(&was->session[i], &now->session[i]);
}

bool vm_state_same(int fd, const struct vm_state *was)
{
	struct vm_state *now = vm_state_get(fd);
	bool same = now && was && !memcmp(was, now, sizeof(*was));

	if (!now || !was)
		fprintf(stderr, "# state: a query failed\n");
	else if (now->sessions != was->sessions)
		fprintf(stderr, "# state: %d sessions became %d\n", was->sessions,
			now->sessions);
	else if (now->providers != was->providers)
		fprintf(stderr, "# state: %d providers became %d\n", was->providers,
			now->providers);
	else if (memcmp(was->session, now->session, sizeof(was->session)))
		vm_state_report_sessions(was, now);
	else if (memcmp(was->provider, now->provider, sizeof(was->provider)))
		fprintf(stderr, "# state: a provider changed\n");
	else if (now->groups != was->groups || memcmp(was->group, now->group, sizeof(was->group)))
		fprintf(stderr, "# state: %d groups became %d, or one changed\n",
			was->groups, now->groups);
	else if (!same)
		fprintf(stderr, "# state: %d access lists became %d, or one changed\n",
			was->lists, now->lists);
	free(now);
	return same;
}

uint64_t vm_state_session(int fd, const char *name)
{
	struct etw_session s = vm_session(name);

	s.flush_ms = VM_STATE_FLUSH_MS;
	return vm_start(fd, &s) ? 0 : s.handle;
}

struct vm_state *vm_state_base(int fd, uint8_t level, uint64_t any, uint64_t *base)
{
	*base = vm_state_session(fd, "t-base");
	if (!*base || vm_enable(fd, *base, vm_guid(1), level, any, 0))
		return NULL;
	return vm_state_get(fd);
}
