/* SPDX-License-Identifier: MIT */
/*
 * lib_fake_cmds.h - the commands of the model; include lib_fake.h
 *
 * All functions need the model's lock.
 */
#ifndef ETW_LIB_FAKE_CMDS_H
#define ETW_LIB_FAKE_CMDS_H

#include "lib_fake_access.h"

static struct fake_provider *fake_provider(const struct etw_guid *guid, bool make)
{
	uint32_t i;

	for (i = 0; i < fake->provider_count; i++)
		if (!memcmp(&fake->providers[i].guid, guid, sizeof(*guid)))
			return &fake->providers[i];
	if (!make || i == FAKE_PROVIDERS)
		return NULL;
	fake->providers[i].guid = *guid;
	fake->provider_count++;
	return &fake->providers[i];
}

static void fake_notify(struct fake_file *f, struct fake_reg *reg,
			const struct fake_provider *p, const struct etw_guid *source,
			uint32_t control)
{
	uint32_t at = (f->first + f->count++) % 64;
	struct etw_notify *n = &f->notices[at];

	memset(n, 0, sizeof(*n));
	n->filter_len = fake->data_len;
	n->filter_type = fake->data_type;
	memcpy(f->data[at], fake->data, sizeof(fake->data));
	n->size = sizeof(*n);
	n->slot = reg - f->regs;
	n->cookie = reg->cookie;
	if (source)
		n->source = *source;
	n->control = control;
	n->level = p->entry.level;
	n->any = p->entry.any;
	n->all = p->entry.all;
	if (reg->flags & ETW_REGISTER_CLASSIC && control == ETW_CONTROL_ENABLE) {
		n->level = p->asked.level;
		n->any = (uint32_t)p->asked.any;
		n->logger_id = p->logger_id;
	}
	if (write(f->write_end, "", 1) < 0)
		abort();
}

/* Set the state of a provider, in all its registrations. */
static void fake_set(const struct etw_guid *guid, const struct etw_guid *source,
		     uint32_t control, uint8_t level, uint64_t any, uint64_t all)
{
	struct fake_provider *p = fake_provider(guid, true);
	uint32_t i, slot, generation = p->entry.generation + 1;

	if (control == ETW_CONTROL_DISABLE)
		memset(&p->entry, 0, sizeof(p->entry));
	if (control == ETW_CONTROL_ENABLE)
		p->entry = (struct etw_enable_entry){
			.enabled = 1, .level = level ? level : 255, .keyword0 = 1,
			.sessions = 1, .any = any ? any : ~0ULL, .all = all };
	p->entry.generation = generation;
	for (i = 0; i < fake->file_count; i++) {
		struct fake_file *f = &fake->files[i];

		for (slot = 0; f->ino && slot < ETW_REGISTRATIONS_MAX; slot++) {
			struct fake_reg *reg = &f->regs[slot];

			if (!reg->used || memcmp(&reg->guid, guid, sizeof(*guid)))
				continue;
			fake_area(i)[slot] = p->entry;
			if (reg->flags & ETW_REGISTER_NOTIFY && f->pid == getpid())
				fake_notify(f, reg, p, source, control);
		}
	}
}

static int fake_register(struct fake_file *f, struct etw_register *arg)
{
	struct fake_provider *p = fake_provider(&arg->provider, false);
	uint32_t slot;

	fake->registers++;
	for (slot = 0; slot < ETW_REGISTRATIONS_MAX; slot++)
		if (!f->regs[slot].used)
			break;
	if (slot == ETW_REGISTRATIONS_MAX)
		return -ENOSPC;
	f->regs[slot] = (struct fake_reg){ .used = true, .flags = arg->flags,
					   .cookie = arg->cookie, .guid = arg->provider };
	arg->slot = slot;
	if (p && p->entry.enabled) {
		fake_area(f - fake->files)[slot] = p->entry;
		if (arg->flags & ETW_REGISTER_NOTIFY && !fake->mute)
			fake_notify(f, &f->regs[slot], p, NULL, ETW_CONTROL_ENABLE);
	}
	return 0;
}

static int fake_set_info(struct fake_file *f, const struct etw_provider_set *arg)
{
	struct fake_reg *reg = &f->regs[arg->slot];

	if (f->pid != getpid())
		return -ESTALE;
	if (arg->slot >= ETW_REGISTRATIONS_MAX || !reg->used)
		return -EBADF;
	if (arg->flags & ETW_SET_TRAITS && (reg->traits_len || arg->traits_len > sizeof(reg->traits)))
		return reg->traits_len ? -EEXIST : -EINVAL;
	reg->set_calls++;
	if (arg->flags & ETW_SET_TRAITS) {
		memcpy(reg->traits, (void *)(uintptr_t)arg->traits, arg->traits_len);
		reg->traits_len = arg->traits_len;
		reg->types = 1;
	}
	if (arg->flags & ETW_SET_TYPES)
		reg->types = arg->types;
	return 0;
}

/* Copy as many of the model's GUIDs as fit. */
static uint32_t fake_guids(uint64_t to, uint32_t room)
{
	uint32_t n = fake->guid_count < room ? fake->guid_count : room;

	memcpy((void *)(uintptr_t)to, fake->guids, n * sizeof(fake->guids[0]));
	return fake->guid_count;
}

static int fake_disallow(uint32_t nr, struct etw_disallow *arg)
{
	fake->guid_session = arg->session;
	if (nr == 0x12) {
		arg->count = fake_guids(arg->guids, arg->capacity);
		return 0;
	}
	if (arg->count > 64)
		return -EINVAL;
	fake->guid_count = arg->count;
	if (arg->count)
		memcpy(fake->guids, (void *)(uintptr_t)arg->guids,
		       arg->count * sizeof(fake->guids[0]));
	return 0;
}

static int fake_group(struct etw_group_query *arg)
{
	uint32_t n = fake->member_count < arg->member_cap ? fake->member_count : arg->member_cap;

	if (memcmp(&arg->group, &fake->guids[0], sizeof(arg->group)))
		return -ESRCH;
	memcpy((void *)(uintptr_t)arg->members, fake->members, n * sizeof(fake->members[0]));
	memcpy((void *)(uintptr_t)arg->enables, fake->enables, sizeof(fake->enables));
	arg->member_count = fake->member_count;
	arg->enable_count = 2;
	return 0;
}

static int fake_event(struct fake_file *f, const struct etw_event_write *event)
{
	const struct etw_data_descriptor *d = (void *)(uintptr_t)event->data;
	struct fake_write *last = &fake->last;
	uint32_t i;

	if (event->flags & ETW_WRITE_LOST) {
		if (event->slot >= ETW_REGISTRATIONS_MAX || !f->regs[event->slot].used)
			return -EBADF;
		if (event->lost > 1 && fake->lost_one_by_one)
			return -EPERM;
		fake->lost += event->lost ? event->lost : 1;
		fake->lost_filter = event->filter;
		return -ENOMEM;
	}
	if (f->pid != getpid()) {
		fake->stale++;
		return -ESTALE;
	}
	if (event->slot >= ETW_REGISTRATIONS_MAX || !f->regs[event->slot].used)
		return -EBADF;
	if (fake->wants_stack && event->flags & ETW_WRITE_CAN_WALK && !event->stack_count) {
		fake->walks++;
		return -ENODATA;
	}
	fake->writes++;
	last->event = *event;
	if (event->stack_count)
		memcpy(last->stack, (void *)(uintptr_t)event->stack,
		       event->stack_count * sizeof(last->stack[0]));
	last->provider = f->regs[event->slot].guid;
	last->len = 0;
	for (i = 0; i < event->data_count; i++) {
		if (last->len + d[i].size > sizeof(last->data))
			return -EOVERFLOW;
		if (d[i].size)
			memcpy(last->data + last->len, (void *)(uintptr_t)d[i].ptr,
			       d[i].size);
		last->len += d[i].size;
	}
	return 0;
}

/* Each of many events, as if it came alone */
static int fake_many(struct fake_file *f, struct etw_write_many *many)
{
	unsigned char *events = (void *)(uintptr_t)many->events;
	const struct etw_many_event *e;
	int err = 0;
	uint32_t at;

	many->lost = 0;
	many->done = many->bytes;
	for (at = 0; !err && at < many->bytes; at += e->size) {
		struct etw_event_write event = { .slot = many->slot, .filter = many->filter };
		struct etw_data_descriptor data[2] = { { 0 } };

		e = (const void *)(events + at);
		data[0].ptr = (uintptr_t)(events + e->schema);
		data[0].size = e->schema ? events[e->schema] | events[e->schema + 1] << 8 : 0;
		data[1].ptr = (uintptr_t)(e + 1);
		data[1].size = e->payload_len;
		event.data = (uintptr_t)data;
		event.data_count = 2;
		event.desc = e->desc;
		err = fake_event(f, &event);
	}
	return err;
}

/* Accept a record of a classic provider, for the session that enabled it. */
static int fake_classic(struct fake_file *f, const struct etw_classic_write *w)
{
	const struct etw_data_descriptor *d = (void *)(uintptr_t)w->data;
	struct fake_reg *reg = &f->regs[w->slot];
	struct fake_provider *p;
	uint32_t i;

	if (f->pid != getpid())
		return -ESTALE;
	if (w->slot >= ETW_REGISTRATIONS_MAX || !reg->used)
		return -EBADF;
	if (!(reg->flags & ETW_REGISTER_CLASSIC))
		return -EINVAL;
	p = fake_provider(&reg->guid, true);
	if (!p->logger_id || p->logger_id != w->logger_id)
		return -ENOENT;
	fake->classic.record = *w;
	fake->classic.len = 0;
	fake->classic.count++;
	for (i = 0; i < w->data_count; i++) {
		if (fake->classic.len + d[i].size > sizeof(fake->classic.data))
			return -EMSGSIZE;
		memcpy(fake->classic.data + fake->classic.len, (void *)(uintptr_t)d[i].ptr,
		       d[i].size);
		fake->classic.len += d[i].size;
	}
	return 0;
}

static int fake_next_notice(struct fake_file *f, int fd, struct etw_notify *n)
{
	uint32_t at = f->first % 64;
	struct etw_notify in = *n;
	char byte;

	if (f->pid != getpid())
		return -ESTALE;
	if (!f->count)
		return -EAGAIN;
	if (in.filter_cap < f->notices[at].filter_len)
		return -EMSGSIZE;
	*n = f->notices[at];
	n->filter = in.filter;
	n->filter_cap = in.filter_cap;
	memcpy((void *)(uintptr_t)in.filter, f->data[at], n->filter_len);
	f->first++;
	f->count--;
	return read(fd, &byte, 1) == 1 ? 0 : -EIO;
}

static struct fake_session *fake_session(const struct etw_session *s)
{
	uint32_t i;

	for (i = 0; i < FAKE_SESSIONS; i++) {
		struct fake_session *f = &fake->sessions[i];

		if (!f->s.handle)
			continue;
		if (s->name_len ? f->name_len == s->name_len &&
		    !strncasecmp(f->name, (char *)(uintptr_t)s->name, s->name_len) :
		    f->s.handle == s->handle)
			return f;
	}
	return NULL;
}

static int fake_session_out(struct fake_session *f, struct etw_session *s)
{
	struct etw_session in = *s;

	*s = f->s;
	s->name_out = in.name_out;
	s->name_cap = in.name_cap;
	s->name_out_len = f->name_len;
	if (in.name_out)
		memcpy((void *)(uintptr_t)in.name_out, f->name,
		       f->name_len < in.name_cap ? f->name_len : in.name_cap);
	return 0;
}

static int fake_start(struct etw_session *s)
{
	struct fake_session *f = NULL;
	uint32_t i;

	if (fake_session(s))
		return -EEXIST;
	for (i = 0; i < FAKE_SESSIONS && !f; i++)
		if (!fake->sessions[i].s.handle)
			f = &fake->sessions[i];
	if (!f)
		return -ENOSPC;
	memset(f, 0, sizeof(*f));
	f->s = *s;
	f->name_len = s->name_len;
	memcpy(f->name, (void *)(uintptr_t)s->name, s->name_len);
	f->s.handle = ++fake->next_handle;
	f->s.logger_id = f - fake->sessions + 1;
	if (f->s.buffer_kb < 4)
		f->s.buffer_kb = 4;
	if (f->s.min_buffers < 4)
		f->s.min_buffers = 4;
	if (f->s.max_buffers < f->s.min_buffers)
		f->s.max_buffers = f->s.min_buffers;
	if (!f->s.flush_ms && f->s.mode & ETW_MODE_REAL_TIME)
		f->s.flush_ms = 1000;
	if (!f->s.clock)
		f->s.clock = ETW_CLOCK_QPC;
	if (!f->s.guid.data1)
		f->s.guid.data1 = 4711;
	f->s.buffers = f->s.min_buffers;
	f->s.free_buffers = f->s.min_buffers - 1;
	f->s.buffers_written = 3;
	f->s.events_lost = 5;
	f->s.rt_buffers_lost = 7;
	f->s.clock_freq = 1000000000;
	f->s.start_clock = f->s.sync_clock = 1000;
	f->s.start_mono = f->s.sync_mono = 1000;
	f->s.start_wall = f->s.sync_wall = 133000000000000000;
	return fake_session_out(f, s);
}

static int fake_session_ioctl(uint32_t nr, struct etw_session *s)
{
	struct fake_session *f;
	int ret;

	/* The model has no log files: selftests/vm/logfile. */
	if (s->file)
		return fake_session(s) || nr == 0x01 ? -EINVAL : -ENOENT;
	if (nr == 0x01)
		return fake_start(s);
	f = fake_session(s);
	if (!f)
		return -ENOENT;
	if (nr == 0x04) {
		if (s->max_buffers)
			f->s.max_buffers = s->max_buffers;
		if (s->flush_ms)
			f->s.flush_ms = s->flush_ms;
	}
	if (nr == 0x05)
		fake->flushes++;
	ret = fake_session_out(f, s);
	if (nr == 0x02)
		f->s.handle = 0;
	return ret;
}

static int fake_system(struct etw_session_system *arg)
{
	const struct etw_session_system given = *arg;
	struct etw_session s = { .handle = arg->handle };
	struct fake_session *f = fake_session(&s);

	if (!f)
		return -ENOENT;
	if (!(f->s.mode & ETW_MODE_SYSTEM))
		return -EINVAL;
	memcpy(arg->enable, f->system.enable, sizeof(arg->enable));
	arg->sample_interval = f->system.sample_interval;
	if (given.flags & ETW_SYSTEM_SET)
		f->system = given;
	return 0;
}

static int fake_enum(struct etw_session_enum *list)
{
	uint64_t *out = (void *)(uintptr_t)list->handles;
	uint32_t i;

	list->count = 0;
	list->limit = FAKE_SESSIONS;
	for (i = 0; i < FAKE_SESSIONS; i++)
		if (fake->sessions[i].s.handle) {
			if (list->count < list->capacity)
				out[list->count] = fake->sessions[i].s.handle;
			list->count++;
		}
	return 0;
}

static int fake_enable(const struct etw_enable *arg)
{
	const struct etw_filter *filter = (void *)(uintptr_t)arg->filters;
	struct etw_session s = { .handle = arg->session };
	struct fake_provider *p;
	struct fake_session *f;
	uint32_t i;

	fake->enable = *arg;
	if (arg->control == ETW_CONTROL_WAIT)
		return arg->session ? -EINVAL : 0;
	memset(fake->filters, 0, sizeof(fake->filters));
	for (i = 0; i < arg->filter_count; i++) {
		fake->filters[i].type = filter[i].type;
		fake->filters[i].len = filter[i].len;
		if (filter[i].type != ETW_FILTER_NONE)
			memcpy(fake->filters[i].data, (void *)(uintptr_t)filter[i].ptr,
			       filter[i].len);
	}
	f = fake_session(&s);
	if (!f)
		return -ENOENT;
	p = fake_provider(&arg->provider, true);
	if (arg->control != ETW_CONTROL_CAPTURE) {
		p->asked = *arg;
		p->logger_id = arg->control == ETW_CONTROL_ENABLE ? f->s.logger_id : 0;
	}
	fake_set(&arg->provider, &arg->source, arg->control, arg->level, arg->any,
		 arg->all);
	return 0;
}

static int fake_consumer(struct etw_consumer_open *open)
{
	struct etw_session s = { .handle = open->session };

	if (!fake_session(&s))
		return -ENOENT;
	open->fd = fake_pipe(&fake->consumer_wake);
	fake->consumer_ino = fake_ino(open->fd);
	open->buffer_size = FAKE_BUFFER_SIZE;
	open->clock = ETW_CLOCK_QPC;
	open->clock_freq = 1000000000;
	return 0;
}

static int fake_consumer_ioctl(uint32_t nr, void *arg)
{
	struct etw_buffer_take *take = arg;
	struct etw_consumer_stat *stat = arg;

	if (nr == 0x43) {
		stat->info.backlog = fake->buffer_count - fake->buffer_next;
		return 0;
	}
	if (nr != 0x41 || take->flags != ETW_TAKE_PEEK)
		return -ENOTTY;
	take->complete_through = fake->complete_through;
	take->complete_sequence = fake->complete_sequence;
	return 0;
}

static int fake_command(struct fake_file *f, int fd, uint32_t nr, void *arg)
{
	struct etw_unregister *unreg = arg;

	switch (nr) {
	case 0x01: case 0x02: case 0x03: case 0x04: case 0x05:
		return fake_session_ioctl(nr, arg);
	case 0x09:
		return fake_system(arg);
	case 0x06:
		return fake_enum(arg);
	case 0x10:
		return fake_enable(arg);
	case 0x11: case 0x12:
		return fake_disallow(nr, arg);
	case 0x20:
		return fake_register(f, arg);
	case 0x25:
		return fake_set_info(f, arg);
	case 0x26: {
		struct etw_provider_enum *all = arg;

		all->count = fake_guids(all->guids, all->capacity);
		return 0;
	}
	case 0x27:
		return fake_group(arg);
	case 0x21:
		if (f->pid != getpid())
			return -ESTALE;
		f->regs[unreg->slot].used = false;
		memset(&fake_area(f - fake->files)[unreg->slot], 0,
		       sizeof(struct etw_enable_entry));
		return 0;
	case 0x22:
		return fake_next_notice(f, fd, arg);
	case 0x30:
		return fake_event(f, arg);
	case 0x32:
		fake->unknown += fake->lacks_many;
		return fake->lacks_many ? -ENOTTY : fake_many(f, arg);
	case 0x31:
		return fake_classic(f, arg);
	case 0x40:
		return fake_consumer(arg);
	case 0x50:
		return fake_access_set(arg);
	case 0x51:
		return fake_access_query(arg);
	case 0x52:
		return fake_access_remove(arg);
	default:
		return -ENOTTY;
	}
}

#endif /* ETW_LIB_FAKE_CMDS_H */
