// SPDX-License-Identifier: GPL-2.0-only
/* results.c - keeps the results of calls for later calls, and checks them */
#define _GNU_SOURCE
#include "exec.h"

int fd_add(struct exec *x, int fd, enum fd_kind kind, uint32_t buffer_size)
{
	unsigned int i;

	/* A number of this program's own range is a changed number that came back. */
	if (fd < 3 || fd >= OWN_FDS)
		return fd;
	for (i = 0; i < FDS; i++)
		if (i >= atomic_load(&x->fd_count) || x->fds[i].fd < 0)
			break;
	if (i == FDS) {
		close(fd);
		return -EMFILE;
	}
	x->fds[i] = (struct fuzz_fd){ fd, kind, buffer_size };
	if (i >= atomic_load(&x->fd_count))
		atomic_store(&x->fd_count, i + 1);
	return fd;
}

struct fuzz_fd *fd_find(struct exec *x, int fd)
{
	unsigned int i;

	for (i = 0; i < FDS && i < atomic_load(&x->fd_count); i++)
		if (x->fds[i].fd == fd && fd >= 0)
			return &x->fds[i];
	return NULL;
}

void done_start(struct exec *x, const void *arg)
{
	const struct etw_session *s = arg;

	x->handles[atomic_fetch_add(&x->handle_count, 1) % HANDLES] = s->handle;
}

void done_register(struct exec *x, const void *arg)
{
	const struct etw_register *r = arg;

	x->slots[atomic_fetch_add(&x->slot_count, 1) % HANDLES] = r->slot;
}

void done_consume(struct exec *x, const void *arg)
{
	const struct etw_consumer_open *o = arg;

	fd_add(x, o->fd, FD_CONSUMER, o->buffer_size);
}

void done_take(struct exec *x, const void *arg)
{
	const struct etw_buffer_take *t = arg;

	if (t->index)
		x->indices[atomic_fetch_add(&x->index_count, 1) % HANDLES] = t->index;
}

void done_enable(struct exec *x, const void *arg)
{
	(void)x;
	if (((const struct etw_enable *)arg)->property & ETW_ENABLE_STACK_TRACE)
		shared->stacks = true;
}

/* A huge count means that it went below zero. */
static void check_count(const char *of, const char *what, uint64_t count)
{
	if (count >> 48)
		finding("%s: %s is %#lx", of, what, count);
}

void done_cstat(struct exec *x, const void *arg)
{
	const struct etw_consumer_info *i = &((const struct etw_consumer_stat *)arg)->info;

	if (x->prog->flags & PROG_FLIP)
		return;
	check_count("CONSUMER_STAT", "buffers", i->buffers);
	check_count("CONSUMER_STAT", "events", i->events);
	check_count("CONSUMER_STAT", "buffers_lost", i->buffers_lost);
	check_count("CONSUMER_STAT", "events_lost", i->events_lost);
	check_count("CONSUMER_STAT", "backlog", i->backlog);
}

void done_stat(struct exec *x, const void *arg)
{
	const struct etw_session_stat *s = arg;
	int i;

	if (x->prog->flags & PROG_FLIP)
		return;
	check_count("SESSION_STAT", "written", s->written);
	for (i = 0; i < ETW_DROP_CAUSES; i++)
		check_count("SESSION_STAT", "dropped", etw_stat_dropped(s, i));
	check_count("SESSION_STAT", "events_delivered", s->events_delivered);
	check_count("SESSION_STAT", "overwritten_events", s->overwritten_events);
}
