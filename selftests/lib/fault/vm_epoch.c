// SPDX-License-Identifier: GPL-2.0-only
/* vm_epoch.c - sessions that are written to while their clock changes */
#include "lib/fault/vm_epoch.h"

struct writer {
	struct vm_epoch *e;
	uint32_t cpu;
};

static void *write_on(void *arg)
{
	struct writer w = *(struct writer *)arg;
	int ret = 0;

	free(arg);
	vm_pin(w.cpu);
	while (!__atomic_load_n(&w.e->over, __ATOMIC_RELAXED) && !ret) {
		ret = vm_write(w.e->fd, w.e->slot, 1, 1, 1, &w.cpu, sizeof(w.cpu));
		__atomic_fetch_add(&w.e->written[w.cpu], !ret, __ATOMIC_RELAXED);
		usleep(2000);
	}
	if (ret)
		__atomic_store_n(&w.e->error, ret, __ATOMIC_RELAXED);
	return NULL;
}

int vm_epoch_begin(struct vm_epoch *e, const char *name, uint32_t clock, uint32_t mode)
{
	static unsigned int count;	/* each session has a provider of its own */
	struct etw_guid guid = vm_guid(1 + count++ % 16);
	struct writer *w;
	uint32_t cpu;
	int ret;

	memset(e, 0, sizeof(*e));
	e->r.fd = -1;
	e->fd = vm_open();
	e->slot = vm_register(e->fd, guid);
	if (e->slot < 0)
		return e->slot;
	e->s = vm_session(name);
	e->s.clock = clock;
	e->s.mode = mode;
	e->s.flush_ms = mode == ETW_MODE_BUFFERING ? 0 : 3600000;
	e->s.min_buffers = e->s.max_buffers = 64;
	ret = vm_start(e->fd, &e->s);
	ret = ret ? ret : vm_enable(e->fd, e->s.handle, guid, 0, 0, 0);
	ret = ret ? ret : vm_reader_open(&e->r, e->fd, e->s.handle, O_NONBLOCK);
	for (cpu = 0; cpu < VM_EPOCH_CPUS && !ret; cpu++) {
		w = malloc(sizeof(*w));
		if (!w)
			return -ENOMEM;
		*w = (struct writer){ e, cpu };
		ret = -pthread_create(&e->writer[cpu], NULL, write_on, w);
	}
	return ret;
}

bool vm_epoch_go_on(struct vm_epoch *e)
{
	uint32_t cpu, at;

	for (cpu = 0; cpu < VM_EPOCH_CPUS; cpu++) {
		at = __atomic_load_n(&e->written[cpu], __ATOMIC_RELAXED) + 20;
		if (!vm_until(__atomic_load_n(&e->written[cpu], __ATOMIC_RELAXED) >= at ||
			      __atomic_load_n(&e->error, __ATOMIC_RELAXED)))
			return false;
	}
	return !e->error;
}

/* Copy the string at *at and go behind it. */
static bool take_string(const struct vm_record *r, uint32_t *at, char *to, size_t size)
{
	size_t len = strnlen((const char *)r->data + *at, r->len - *at);

	if (len == r->len - *at || len >= size)
		return false;
	memcpy(to, r->data + *at, len + 1);
	*at += len + 1;
	return true;
}

static bool see_change(struct vm_epoch *e, const struct vm_record *r)
{
	struct vm_change *c = &e->change[e->changes];
	uint32_t at = 0;

	if (e->changes == VM_EPOCH_RECORDS || !r->ext ||
	    r->head->desc.channel != ETW_CHANNEL_TRACELOGGING ||
	    !(r->head->flags & ETW_EVENT_KERNEL_MODE) ||
	    !take_string(r, &at, c->cause, sizeof(c->cause)) ||
	    !take_string(r, &at, c->clock, sizeof(c->clock)) || r->len - at != 40)
		return false;
	memcpy(&c->from, r->data + at, 8);
	memcpy(&c->to, r->data + at + 8, 8);
	memcpy(&c->from_time, r->data + at + 16, 8);
	memcpy(&c->to_time, r->data + at + 24, 8);
	memcpy(&c->asleep_ns, r->data + at + 32, 8);
	c->timestamp = r->head->timestamp;
	e->changes++;
	return true;
}

static void see(void *ctx, const struct etw_buffer_header *b, const struct vm_record *r)
{
	static const struct etw_guid clock_provider = ETW_CLOCK_PROVIDER_GUID;
	struct vm_epoch *e = ctx;

	if (!memcmp(&r->head->provider, &clock_provider, sizeof(clock_provider)))
		e->bad += !see_change(e, r);
	else
		e->events++;
	if (b->processor >= VM_EPOCH_CPUS) {
		e->bad++;
		return;
	}
	if (!e->first)
		e->first = r->head->timestamp;
	e->back += r->head->timestamp < e->last[b->processor];
	e->last[b->processor] = r->head->timestamp;
}

int vm_epoch_take(struct vm_epoch *e)
{
	int ret = vm_drain(&e->r, see, e);

	return ret == -EAGAIN ? 0 : ret;
}

int vm_epoch_read(struct vm_epoch *e)
{
	int ret = vm_flush(e->fd, e->s.handle);

	return ret ? ret : vm_epoch_take(e);
}

int vm_epoch_quiet(struct vm_epoch *e)
{
	uint32_t cpu;

	__atomic_store_n(&e->over, true, __ATOMIC_RELAXED);
	for (cpu = 0; cpu < VM_EPOCH_CPUS && !e->quiet; cpu++)
		if (pthread_join(e->writer[cpu], NULL))
			return -EINVAL;
	e->quiet = true;
	return 0;
}

/* Everything was read. */
static int judge(const struct vm_epoch *e, uint64_t lost)
{
	if (!e->error && !e->bad && !e->back && !lost &&
	    e->events == e->written[0] + e->written[1])
		return 0;
	fprintf(stderr, "# %s: error %d, %u bad records, %u times ran back, %llu of %u events, %llu lost\n",
		(const char *)(uintptr_t)e->s.name, e->error, e->bad, e->back,
		(unsigned long long)e->events, e->written[0] + e->written[1],
		(unsigned long long)lost);
	return -EBADMSG;
}

int vm_epoch_end(struct vm_epoch *e)
{
	struct etw_session_stat st;
	int ret = vm_epoch_quiet(e);

	ret = ret ? ret : vm_epoch_read(e);
	ret = ret ? ret : vm_stat(e->fd, e->s.handle, &st);
	ret = ret ? ret : judge(e, vm_dropped(&st));
	vm_reader_close(&e->r);
	vm_stop(e->fd, e->s.handle);
	close(e->fd);
	return ret;
}

int vm_epoch_stop(struct vm_epoch *e)
{
	int ret = vm_epoch_quiet(e);

	ret = ret ? ret : vm_stop(e->fd, e->s.handle);
	ret = ret ? ret : vm_epoch_take(e);
	ret = ret ? ret : judge(e, 0);
	vm_reader_close(&e->r);
	close(e->fd);
	return ret;
}
