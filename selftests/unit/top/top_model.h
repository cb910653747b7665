/* SPDX-License-Identifier: MIT */
/*
 * top_model.h - etw top over the model of the device: events that a test asks for
 *
 * The events are TraceLogging ones with the fields Text and Number, so all of their names are the
 * test's.
 */
#ifndef ETW_UNIT_TOP_MODEL_H
#define ETW_UNIT_TOP_MODEL_H

#include "unit/cli/cli_fake.h"
#include "unit/lib/lib_feed.h"

#include <time.h>

#include "cli/print/clock.h"

#define MODEL_SESSION	"session"
#define MODEL_GUID	"00000001-0002-0003-0405-060708090a0b"
#define SECOND		1000000000LL

#define MODEL_PID	4000000		/* of nobody */
#define MODEL_CODE	0x660000000000ull	/* where no file is mapped */
#define MODEL_FUNCTION	64			/* bytes of each function there */
#define MODEL_LETTERS	26			/* the first ones have letters */

/*
 * count events, each of them step_ns after the one before, and with a number higher by step. The
 * provider's GUID follows from the first letter of its name.
 */
struct model_order {
	uint32_t count, pid, number, step;	/* pid: 0 is MODEL_PID */
	uint64_t step_ns;
	uint64_t lose;			/* and so many are lost for lack of a buffer */
	uint64_t unread;		/* and so many by the reader, in a buffer */
	bool end;			/* then the session ends */
	uint8_t opcode, level;		/* level: 0 is 4 */
	char provider[40], name[60], text[60];	/* text: "" is "x" ... */
	bool empty;			/* ... unless this is set */
	char stack[40];			/* each letter a function, the outermost first; "": none */
	bool spread;			/* and the number-th function behind z is the innermost */
};

/* Shared with children */
static struct model {
	uint64_t lost, unread;
	int64_t time;			/* ns: of the last event */
	bool maps;			/* Etw-Image was enabled */
} *model;

static struct feed model_feed;
static bool model_open;			/* the buffer model_feed is not delivered */

static int64_t model_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * SECOND + now.tv_nsec;
}

static unsigned char *model_item(unsigned char *to, uint16_t type, bool more, const void *data,
				 size_t len)
{
	uint16_t head[4] = { (uint16_t)(8 + (len + 7) / 8 * 8), type, more, (uint16_t)len };

	memset(to, 0, head[0]);
	memcpy(to, head, sizeof(head));
	memcpy(to + sizeof(head), data, len);
	return to + head[0];
}

/* An address in a function of those from MODEL_CODE on */
static uint64_t model_address(uint64_t function)
{
	return MODEL_CODE + function * MODEL_FUNCTION + 5;
}

static unsigned char *model_stack(unsigned char *to, const struct model_order *o, uint32_t number)
{
	uint64_t stack[2 + sizeof(o->stack)] = { 0 };
	size_t count = strlen(o->stack) + o->spread, i;

	for (i = 0; o->stack[i]; i++)
		stack[count - i] = model_address((uint64_t)(o->stack[i] - 'a'));
	if (o->spread)
		stack[1] = model_address(MODEL_LETTERS + number);
	return model_item(to, ETW_EXT_STACK_TRACE64, false, stack, (1 + count) * sizeof(*stack));
}

/* An event at to, of at most 1,024 bytes; returns its end. */
static unsigned char *model_event(unsigned char *to, const struct model_order *o, uint32_t number)
{
	static const char fields[] = "Text\0\x02Number\0\x08";
	const uint32_t pid = o->pid ? o->pid : MODEL_PID;
	struct etw_event_header *h = (void *)to;
	unsigned char data[256];
	uint16_t len;

	to += sizeof(*h);
	len = (uint16_t)(3 + strlen(o->name) + sizeof(fields) - 1 + 1);
	memcpy(data, &len, 2);
	data[2] = 0;
	strcpy((char *)data + 3, o->name);
	memcpy(data + 4 + strlen(o->name), fields, sizeof(fields) - 1);
	to = model_item(to, ETW_EXT_EVENT_SCHEMA, true, data, len);
	len = (uint16_t)(2 + strlen(o->provider) + 1);
	memcpy(data, &len, 2);
	strcpy((char *)data + 2, o->provider);
	to = model_item(to, ETW_EXT_PROV_TRAITS, *o->stack, data, len);
	if (*o->stack)
		to = model_stack(to, o, number);
	strcpy((char *)to, *o->text || o->empty ? o->text : "x");
	to += strlen((char *)to) + 1;
	memcpy(to, &number, sizeof(number));
	to += sizeof(number);
	*h = (struct etw_event_header){
		.size = (uint16_t)(to - (unsigned char *)h), .type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_EXTENDED_INFO | ETW_EVENT_NO_CPUTIME,
		.thread_id = pid, .process_id = pid, .timestamp = (uint64_t)model->time,
		.provider = { (uint8_t)*o->provider, 2, 3, { 4, 5, 6, 7, 8, 9, 10, 11 } },
		.desc = { .channel = 11, .level = o->level ? o->level : 4, .opcode = o->opcode },
	};
	return to;
}

static void model_deliver(void)
{
	if (model_open && fake->consumer_ino)
		feed_deliver();
	else if (model_open)
		fake->buffer_count++;
	model_open = false;
}

/* Wait for the reader if all buffers are full. */
static void model_begin(void)
{
	while (fake->buffer_count - fake->buffer_next >= FAKE_BUFFERS - 1)
		usleep(1000);
	feed_fake(&model_feed, 0, fake->buffer_count + 1);
	model_open = true;
}

static void model_put(const struct model_order *o)
{
	struct etw_buffer_header *h;
	uint32_t i, size;
	unsigned char *at;

	for (i = 0; i < o->count; i++) {
		if (!model_open)
			model_begin();
		h = feed_header(&model_feed);
		model->time += (int64_t)o->step_ns;
		at = model_feed.data + h->offset;
		size = (uint32_t)(model_event(at, o, o->number + i * o->step) - at);
		h->offset += etw_record_slot(size);
		h->saved_offset = h->current_offset = h->offset;
		if (h->offset + 1024 > FAKE_BUFFER_SIZE)
			model_deliver();
	}
	model_deliver();
	model->lost += o->lose;
	model->unread += o->unread;
	if (!o->end)
		return;
	fake->ended = true;
	if (fake->consumer_ino && write(fake->consumer_wake, "", 1) < 0)
		abort();
}

static int model_ioctl(int fd, unsigned int command, void *arg)
{
	static const struct etw_guid image_guid = ETW_IMAGE_GUID;
	struct etw_consumer_stat *consumer = arg;
	struct etw_enable *enable = arg;
	struct etw_session_stat *stat = arg;
	uint32_t nr = command & 0xFF, i;
	int ret;

	if (nr == 0x07) {
		memset(stat->dropped, 0, sizeof(stat->dropped));
		stat->dropped[ETW_DROP_NO_BUFFER] = model->lost;
		stat->consumer_count = 0;
		return 0;
	}
	if (nr == 0x10 && !memcmp(&enable->provider, &image_guid, sizeof(image_guid)))
		model->maps |= enable->control == ETW_CONTROL_ENABLE;
	ret = cli_ioctl(fd, command, arg);
	if (!ret && nr <= 0x05)
		((struct etw_session *)arg)->events_lost = 0;
	if (!ret && nr == 0x43) {
		consumer->info.buffers_lost = model->unread != 0;
		consumer->info.events_lost = model->unread;
	}
	if (ret || nr != 0x40)
		return ret;
	/* What was put before there was a reader */
	fake->buffer_next = 0;
	for (i = 0; i <= fake->buffer_count; i++)
		if (write(fake->consumer_wake, "", 1) < 0)
			abort();
	return 0;
}

static void model_init(void)
{
	struct etw_session s = { .buffer_kb = 4, .mode = ETW_MODE_REAL_TIME };

	cli_fake_init(model_ioctl);
	model = mmap(NULL, sizeof(*model), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (model == MAP_FAILED)
		abort();
	model->time = model_now();
	etw_kdev_name_session(&s, MODEL_SESSION);
	fake_start(&s);
	fake->sessions[0].s.start_clock = fake->sessions[0].s.sync_clock = (uint64_t)model->time;
	fake->sessions[0].s.start_mono = fake->sessions[0].s.sync_mono = (uint64_t)model->time;
	fake->sessions[0].s.start_wall = (uint64_t)clock_now();
	fake->complete_through = INT64_MAX;
}

#endif /* ETW_UNIT_TOP_MODEL_H */
