/* SPDX-License-Identifier: MIT */
/*
 * bpf_forward.c - write what BPF programs have put into a ring
 *
 * An event's header has the process, thread and CPU of the writer, whatever it says: so those of
 * the place where it happened are three fields behind its own. Its time is that of the place,
 * given to each session in ticks of the session's clock; see bpf_clock.h.  The kernel's sessions
 * get many events by one command, those with the same clock.
 *
 * A session that ends, or is flushed, waits for what was put into the ring before: the module asks
 * for the provider's state, and takes the return of the enable callback for the answer.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <etw/winerror.h>

#include "base/name_guid.h"
#include "bpf_batch.h"
#include "bpf_clock.h"
#include "bpf_describe.h"
#include "device/kdev.h"
#include "device/provider_list.h"
#include "registration.h"
#include "write_at.h"

/* Of the fields behind those of the event. Their offsets are not used. */
static const struct etw_bpf_field origin_fields[] = {
	{ "OriginProcessId", ETW_BPF_pid, 0, 4 },
	{ "OriginThreadId", ETW_BPF_tid, 0, 4 },
	{ "OriginCpu", ETW_BPF_u32, 0, 4 },
};

#define SESSIONS_WAIT_S	2	/* as include/etw/abi.h says */

/* An event, and its share of the description */
struct forwarded {
	const struct etw_bpf_event *event;
	struct etw_event_descriptor desc;
	const unsigned char *schema;
	const struct etw_trace_piece *pieces;
	uint32_t texts;
	struct etw_bpf_batch_schema of_batches[ETW_BPF_SOURCES];
};

struct etw_bpf_forwarder {
	struct etw_bpf_description described;
	struct forwarded *events;
	unsigned int event_count;
	struct etw_guid guid;
	char thread_name[16];
	uint64_t handle;
	etw_reg_place place;
	pid_t pid;			/* whose it is, not a child's */
	pthread_mutex_t lock;		/* for the next seven; the enable callback takes it */
	volatile __u64 *wanted;		/* NULL: not started, or a child's */
	bool asks;			/* the loader looks at ask_fd */
	bool runs;			/* from the first start to the close */
	uint32_t asked, told;		/* how often for what is in the ring, and answered */
	pthread_cond_t answered;	/* told, or runs, has changed */
	int ask_fd;			/* -1: none */
	/* The forwarding thread's */
	bool clocks_read;		/* .. when the enable entry had this generation */
	uint32_t generation;
	struct etw_bpf_clocks clocks;
	struct etw_bpf_anchor anchor;
	struct etw_bpf_batch batches[ETW_BPF_SOURCES];
	unsigned char traits[sizeof(uint16_t) + ETW_NAME_MAX + 1];
	unsigned char payload[ETW_RECORD_MAX];
};

/* --------------------------------------------------------------- description */

/* Do all parts lie in the record, and together have no more bytes than it? */
static bool parts_fit(const struct forwarded *e)
{
	const struct etw_trace_piece *piece;
	uint32_t sum = 0;

	for (piece = e->pieces; piece < e->pieces + e->event->piece_count; piece++) {
		if ((uint32_t)piece->offset + piece->size > e->event->record_size)
			return false;
		sum += piece->size;
	}
	return sum <= e->event->record_size;
}

static int index_events(struct etw_bpf_forwarder *f)
{
	const unsigned char *schema = f->described.schemas;
	const struct etw_trace_piece *pieces = f->described.pieces;
	unsigned int i, k;

	f->events = calloc(f->event_count, sizeof(*f->events));
	if (!f->events)
		return -ENOMEM;
	for (i = 0; i < f->event_count; i++) {
		struct forwarded *e = &f->events[i];

		e->event = &f->described.events[i];
		e->desc = (struct etw_event_descriptor){
			.channel = ETW_CHANNEL_TRACELOGGING, .level = e->event->level,
			.opcode = e->event->opcode, .task = e->event->task,
			.keyword = e->event->keyword };
		e->schema = schema;
		e->pieces = pieces;
		for (k = 0; k < e->event->piece_count; k++)
			e->texts += pieces[k].kind == ETW_TRACE_USER_TEXT;
		/* As with the module's functions */
		if (e->texts > ETW_TRACE_USER_TEXTS ||
		    e->event->record_size > ETW_BPF_RECORD_MAX || !parts_fit(e))
			return -EINVAL;
		schema += e->event->schema_len;
		pieces += e->event->piece_count;
	}
	return 0;
}

/* ------------------------------------------------------------------ enabling */

/* wanted[] is shared with the parent of a child, and says what the parent's sessions want. */
static bool is_own(const struct etw_bpf_forwarder *f)
{
	return getpid() == f->pid;
}

/* The lock is held. */
static void update_wanted(struct etw_bpf_forwarder *f)
{
	struct etw_reg *reg = etw_reg_find(f->handle);
	unsigned int i;

	for (i = 0; f->wanted && is_own(f) && i < f->event_count; i++)
		f->wanted[i] = reg && etw_reg_wants(reg, f->events[i].event->level,
						    f->events[i].event->keyword);
}

/* Return once all is written that programs have put into the ring, or nobody waits any more. */
static void let_drain(struct etw_bpf_forwarder *f)
{
	struct timespec limit;
	uint32_t asked;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += 2 * SESSIONS_WAIT_S;
	pthread_mutex_lock(&f->lock);
	asked = ++f->asked;
	if (f->runs && f->asks)
		eventfd_write(f->ask_fd, 1);
	while (!err && f->runs && f->asks && (int32_t)(f->told - asked) < 0)
		err = pthread_cond_clockwait(&f->answered, &f->lock, CLOCK_MONOTONIC, &limit);
	pthread_mutex_unlock(&f->lock);
}

static VOID NTAPI on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any,
			    ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	struct etw_bpf_forwarder *f = context;

	(void)source;
	(void)level;
	(void)any;
	(void)all;
	(void)filter;
	/* Another thread of the parent may have held a child's lock. */
	if (!is_own(f))
		return;
	if (control == EVENT_CONTROL_CODE_CAPTURE_STATE) {
		let_drain(f);
		return;
	}
	pthread_mutex_lock(&f->lock);
	update_wanted(f);
	pthread_mutex_unlock(&f->lock);
}

void etw_bpf_forward_start(struct etw_bpf_forwarder *f, volatile __u64 *wanted)
{
	unsigned int i;

	pthread_mutex_lock(&f->lock);
	for (i = 0; f->wanted && !wanted && is_own(f) && i < f->event_count; i++)
		f->wanted[i] = 0;
	f->wanted = wanted;
	f->runs |= wanted != NULL;
	update_wanted(f);
	pthread_mutex_unlock(&f->lock);
}

int etw_bpf_forward_fd(struct etw_bpf_forwarder *f)
{
	pthread_mutex_lock(&f->lock);
	f->asks = true;
	pthread_mutex_unlock(&f->lock);
	return f->ask_fd;
}

unsigned int etw_bpf_forward_asked(struct etw_bpf_forwarder *f)
{
	unsigned int asked;
	eventfd_t count;

	pthread_mutex_lock(&f->lock);
	eventfd_read(f->ask_fd, &count);
	asked = f->asked;
	pthread_mutex_unlock(&f->lock);
	return asked;
}

void etw_bpf_forward_told(struct etw_bpf_forwarder *f, unsigned int asked)
{
	pthread_mutex_lock(&f->lock);
	f->told = asked;
	pthread_cond_broadcast(&f->answered);
	pthread_mutex_unlock(&f->lock);
}

/* Let no callback wait any more; what the ring had is written. */
static void end_answers(struct etw_bpf_forwarder *f)
{
	pthread_mutex_lock(&f->lock);
	f->runs = false;
	pthread_cond_broadcast(&f->answered);
	pthread_mutex_unlock(&f->lock);
}

/* ------------------------------------------------------------------- opening */

/*
 * 0, or a negative errno. Without the module a registration would succeed, and never be enabled;
 * beside one of the kernel it would, and nothing could be written: programs that call etw.ko
 * leave theirs as long as sessions have it enabled.
 */
static int device_check(const struct etw_guid *guid)
{
	struct etw_provider provider;
	int fd = etw_kdev_open(), err = 0;

	if (fd < 0)
		return fd;
	if (!etw_provider_query(fd, guid, &provider)) {
		err = etw_provider_is_of_kernel(&provider) ? -EEXIST : 0;
		etw_provider_free(&provider);
	}
	etw_kdev_close(fd);
	return err;
}

static int register_provider(struct etw_bpf_forwarder *f, const char *name)
{
	const uint16_t size = sizeof(size) + strlen(name) + 1;

	memcpy(f->traits, &size, sizeof(size));
	memcpy(f->traits + sizeof(size), name, size - sizeof(size));
	switch (etw_reg_add(&(struct etw_reg_new){
			.guid = (const GUID *)&f->guid, .callback = on_enable, .context = f,
			.forwards = true, .traits = f->traits, .handle = &f->handle,
			.where = &f->place })) {
	case ERROR_SUCCESS:
		return 0;
	case ERROR_ACCESS_DENIED:
		return -EPERM;
	case ERROR_NOT_ENOUGH_MEMORY:
		return -ENOMEM;
	default:
		return -ENOSPC;
	}
}

int etw_bpf_forward_open(const char *name, const struct etw_bpf_event_info *events,
			 unsigned int event_count, struct etw_bpf_forwarder **forwarder)
{
	struct etw_bpf_forwarder *f = calloc(1, sizeof(*f));
	int err;

	*forwarder = NULL;
	if (!f)
		return -ENOMEM;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->answered, NULL);
	f->ask_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->pid = getpid();
	f->event_count = event_count;
	err = f->ask_fd < 0 ? -errno : 0;
	if (!err)
		err = etw_bpf_describe(&f->described, events, event_count, origin_fields,
			       sizeof(origin_fields) / sizeof(*origin_fields));
	if (!err)
		err = index_events(f);
	if (!err)
		err = etw_guid_from_name(name, strlen(name), &f->guid);
	if (!err)
		err = device_check(&f->guid);
	if (!err) {
		snprintf(f->thread_name, sizeof(f->thread_name), ETW_BPF_THREAD "%08x",
			 f->guid.data1);
		err = register_provider(f, name);
	}
	if (err)
		etw_bpf_forward_close(f);
	else
		*forwarder = f;
	return err;
}

const char *etw_bpf_forward_name(const struct etw_bpf_forwarder *f)
{
	return f->thread_name;
}

void etw_bpf_forward_close(struct etw_bpf_forwarder *f)
{
	unsigned int i;

	if (!f)
		return;
	if (is_own(f)) {
		/* Another thread of the parent may have held a child's lock. */
		etw_bpf_forward_start(f, NULL);
		etw_bpf_forward_flush(f);
		end_answers(f);
	}
	if (f->handle)
		etw_reg_remove(f->handle, false);
	/* A thread of the parent may have waited, which the child's copy would wait for. */
	if (is_own(f)) {
		pthread_cond_destroy(&f->answered);
		pthread_mutex_destroy(&f->lock);
	}
	if (f->ask_fd >= 0)
		close(f->ask_fd);
	for (i = 0; i < ETW_BPF_SOURCES; i++)
		etw_bpf_batch_free(&f->batches[i]);
	free(f->events);
	free(f);
}

/* ------------------------------------------------------------------- writing */

void etw_bpf_forward_lost(struct etw_bpf_forwarder *f, unsigned int event, __u64 count)
{
	if (event < f->event_count)
		etw_bpf_count_lost(f->handle, 0, &f->events[event].desc, count);
}

static unsigned char *put(unsigned char *to, const void *data, size_t size)
{
	memcpy(to, data, size);
	return to + size;
}

static unsigned char *put_counted(unsigned char *to, const void *data, uint16_t size)
{
	return put(put(to, &size, sizeof(size)), data, size);
}

/* What the program has read of the process's text */
static unsigned char *put_text(unsigned char *to, const struct etw_bpf_ring_text *text)
{
	uint16_t size = 0;

	if (text->size > 0)
		size = strnlen(text->text, ETW_BPF_RING_TEXT_MAX);
	return put_counted(to, text->text, size);
}

/*
 * Make the payload of a record, whose size is right. All parts lie in it, and together are no
 * larger than it, but for their lengths: so the payload has room.
 */
static size_t make_payload(struct etw_bpf_forwarder *f, const struct forwarded *e,
			   const struct etw_bpf_ring_record *head)
{
	const char *record = (const char *)(head + 1), *at;
	const struct etw_bpf_ring_text *text =
		(const void *)(record + (e->event->record_size + 7) / 8 * 8);
	const struct etw_trace_piece *piece;
	unsigned char *to = f->payload;

	for (piece = e->pieces; piece < e->pieces + e->event->piece_count; piece++) {
		at = record + piece->offset;
		switch (piece->kind) {
		case ETW_TRACE_COPY:
			to = put(to, at, piece->size);
			break;
		case ETW_TRACE_TEXT:
			to = put_counted(to, at, strnlen(at, piece->size));
			break;
		case ETW_TRACE_USER_TEXT:
			to = put_text(to, text++);
			break;
		default:
			to = put_counted(to, at, piece->size);
			break;
		}
	}
	to = put(to, &head->process, sizeof(head->process));
	to = put(to, &head->thread, sizeof(head->thread));
	to = put(to, &head->cpu, sizeof(head->cpu));
	return to - f->payload;
}

static EVENT_DATA_DESCRIPTOR data_of(const void *data, size_t size, uint8_t type)
{
	EVENT_DATA_DESCRIPTOR d;

	EventDataDescCreate(&d, data, size);
	d.Type = type;
	return d;
}

/*
 * Which session has which clock: again if sessions have enabled the provider since, or no longer
 * do. A program may have put the event into the ring for these, before the callback has run.
 */
static void renew_clocks(struct etw_bpf_forwarder *f, uint64_t time)
{
	struct etw_reg *reg = etw_reg_find(f->handle);
	uint32_t generation = reg ? ETW_LOAD(etw_reg_entry(reg)->generation) : f->generation;

	atomic_thread_fence(memory_order_acquire);
	if (!f->clocks_read || generation != f->generation)
		etw_bpf_clocks_read(&f->clocks, &f->guid);
	f->clocks_read = true;
	f->generation = generation;
	etw_bpf_anchor_renew(&f->anchor, &f->clocks, time);
}

static int write_private(struct etw_bpf_forwarder *f, const struct forwarded *e, uint64_t time,
			 size_t payload)
{
	const EVENT_DATA_DESCRIPTOR data[] = {
		data_of(e->schema, e->event->schema_len,
			EVENT_DATA_DESCRIPTOR_TYPE_EVENT_METADATA),
		data_of(f->payload, payload, EVENT_DATA_DESCRIPTOR_TYPE_NONE),
	};
	uint64_t times[PRIVATE_CLOCKS];

	etw_bpf_private_ticks(&f->anchor, time, times);
	return etw_write_private_at(f->handle, (const void *)&e->desc, times, 2, data);
}

static int write_event(struct etw_bpf_forwarder *f, struct forwarded *e, uint64_t time,
		       size_t payload)
{
	struct etw_bpf_event_in in = {
		.head = { .payload_len = payload, .desc = e->desc },
		.payload = f->payload, .schema = e->schema, .schema_len = e->event->schema_len,
	};
	enum etw_bpf_source source;
	int err, first = 0;
	uint64_t excluded;

	renew_clocks(f, time);
	if (etw_private_here())
		first = write_private(f, e, time, payload);
	for (source = 0; source < ETW_BPF_SOURCES; source++) {
		if (!etw_bpf_clocks_excluded(&f->clocks, source, &excluded))
			continue;
		in.head.flags = source == ETW_BPF_NOW ? 0 : ETW_MANY_TIME;
		in.of_batch = &e->of_batches[source];
		in.head.time = etw_bpf_ticks(&f->clocks, &f->anchor, source, time);
		err = etw_bpf_batch_add(&f->batches[source], f->handle, excluded, &in);
		first = first ? first : err;
	}
	return first ? -ENOBUFS : 0;
}

int etw_bpf_forward_flush(struct etw_bpf_forwarder *f)
{
	unsigned int source;
	int err, first = 0;

	for (source = 0; source < ETW_BPF_SOURCES; source++) {
		err = etw_bpf_batch_write(&f->batches[source], f->handle);
		first = first ? first : err;
	}
	return first;
}

int etw_bpf_forward_write(struct etw_bpf_forwarder *f, const void *record, size_t size)
{
	const struct etw_bpf_ring_record *head = record;
	struct forwarded *e;

	/* Nobody can say which event a record without its head was. */
	if (size < sizeof(*head) || head->event >= f->event_count)
		return -EINVAL;
	e = &f->events[head->event];
	if (size < sizeof(*head) + (e->event->record_size + 7) / 8 * 8 +
	    e->texts * sizeof(struct etw_bpf_ring_text)) {
		etw_bpf_count_lost(f->handle, 0, &e->desc, 1);
		return -EINVAL;
	}
	return write_event(f, e, head->time, make_payload(f, e, head));
}
