/* SPDX-License-Identifier: MIT */
/*
 * convert_test.h - log files with everything that converters read, and running converters
 * on them
 */
#ifndef ETW_UNIT_CONVERT_TEST_H
#define ETW_UNIT_CONVERT_TEST_H

#define _GNU_SOURCE
#include "unit/etl/etl_make.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "lib/tap.h"
#include "convert/convert.h"
#include "etl/source.h"
#include "lib/consumer/event_record.h"

/* ------------------------------------------------------------------ making */

/* A TraceLogging event; zero members are absent. */
struct spec {
	uint64_t time;			/* ns after the start */
	const char *provider, *name;
	uint32_t pid, tid;
	const struct etw_guid *activity, *related;
	uint16_t task;
	uint8_t opcode;
	const char *field;		/* name of a string field ... */
	const void *value;		/* ... and its bytes */
	size_t value_len;
	const char *schema;		/* or else TraceLogging fields ... */
	size_t schema_len;
	const void *data;		/* ... and the payload */
	size_t data_len;
	const uint64_t *stack;		/* its first word is not an address */
	size_t stack_len;		/* bytes */
};

/* Add an item with its padding at *at in store, and advance *at */
__attribute__((__unused__))
static void add_item(struct etw_record_items *items, uint8_t *store, size_t *at, uint16_t type,
		     const void *data, size_t len)
{
	struct etw_ext_item *item = (struct etw_ext_item *)(store + *at);

	memset(item, 0, etw_item_size((uint32_t)len));
	item->size = (uint16_t)etw_item_size((uint32_t)len);
	item->type = type;
	item->data_size = (uint16_t)len;
	memcpy(item + 1, data, len);
	items->item[items->count++] = item;
	items->size += item->size;
	*at += item->size;
}

/* Bytes after a 16-bit size that includes itself */
__attribute__((__unused__))
static size_t add_sized(uint8_t *to, const void *a, size_t a_len, const void *b, size_t b_len)
{
	uint16_t size = (uint16_t)(2 + a_len + b_len);

	memcpy(to, &size, 2);
	memcpy(to + 2, a, a_len);
	memcpy(to + 2 + a_len, b, b_len);
	return size;
}

__attribute__((__unused__))
static bool put_spec(struct feed *f, const struct spec *spec)
{
	static _Alignas(8) uint8_t store[2048];
	uint8_t blob[1024], payload[1024], schema[512];
	struct etw_event_descriptor desc = { .channel = ETW_CHANNEL_TRACELOGGING, .level = 4,
					     .opcode = spec->opcode, .task = spec->task,
					     .keyword = 1 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)payload };
	struct etw_record_items items = { .count = 0 };
	struct etw_buffer_header *h = feed_header(f);
	struct etw_record_source source = {
		.provider = &feed_guid, .desc = &desc, .activity = spec->activity,
		.related = spec->related, .data = &piece, .count = 1,
		.thread_id = spec->tid, .process_id = spec->pid, .type = ETW_TYPE_EVENT64,
	};
	size_t at = 0, len = 0, n;
	uint16_t count = (uint16_t)spec->value_len;

	add_item(&items, store, &at, ETW_EXT_PROV_TRAITS, blob,
		 add_sized(blob, spec->provider, strlen(spec->provider) + 1, "", 0));
	schema[len++] = 0;
	n = strlen(spec->name) + 1;
	memcpy(schema + len, spec->name, n);
	len += n;
	if (spec->schema) {
		memcpy(schema + len, spec->schema, spec->schema_len);
		len += spec->schema_len;
		memcpy(payload, spec->data, spec->data_len);
		piece.size = (uint32_t)spec->data_len;
	} else if (spec->field) {
		n = strlen(spec->field) + 1;
		memcpy(schema + len, spec->field, n);
		len += n;
		schema[len++] = 23;	/* a counted string of bytes */
		memcpy(payload, &count, 2);
		memcpy(payload + 2, spec->value, spec->value_len);
		piece.size = (uint32_t)spec->value_len + 2;
	}
	add_item(&items, store, &at, ETW_EXT_EVENT_SCHEMA, blob,
		 add_sized(blob, schema, len, "", 0));
	if (spec->stack)
		add_item(&items, store, &at, ETW_EXT_STACK_TRACE64, spec->stack, spec->stack_len);
	if (etw_record_measure_items(&source, &items) ||
	    h->offset + etw_record_slot(source.size) > f->size)
		return false;
	etw_record_write_items(f->data + h->offset, &source, &items, 1000 + spec->time);
	h->offset += etw_record_slot(source.size);
	h->saved_offset = h->current_offset = h->offset;
	return true;
}

/* A record of the kernel logger, as PERFINFO64 */
__attribute__((__unused__))
static void put_kernel_version(struct feed *f, uint8_t version, uint16_t hook, uint64_t time,
			       const void *data, size_t len)
{
	struct etw_buffer_header *h = feed_header(f);
	uint8_t *at = f->data + h->offset;
	const uint16_t size = (uint16_t)(16 + len);

	memcpy(at, (uint8_t []){ version, 0, 17, 0xC0 }, 4);
	memcpy(at + 4, &size, 2);
	memcpy(at + 6, &hook, 2);
	time += 1000;
	memcpy(at + 8, &time, 8);
	memcpy(at + 16, data, len);
	h->offset += (size + 7u) & ~7u;
	h->saved_offset = h->current_offset = h->offset;
}

__attribute__((__unused__))
static void put_kernel(struct feed *f, uint16_t hook, uint64_t time, const void *data, size_t len)
{
	put_kernel_version(f, 2, hook, time, data, len);
}

/* New and old thread's id, and the rest */
__attribute__((__unused__))
static const uint32_t to_5[6] = { 5, 0 }, to_0[6] = { 0, 5 }, to_6[6] = { 6, 0 };

/* Process_TypeGroup1 of version 2, without a SID; Thread_TypeGroup1 */
static const char process[] = "\0\0\0\0\0\0\0\0" "\x64\0\0\0" "\0\0\0\0" "\0\0\0\0" "\0\0\0\0"
			      "\0\0\0\0" "run\"er.exe\0" "\0\0";
static const uint32_t thread[16] = { 100, 6 };
/* Process, thread, its name */
static const char thread_name[] = "\x64\0\0\0" "\5\0\0\0" "w\0o\0r\0k\0\xfc\0\0\0x";

/*
 * One processor: thread 5 runs from 100 to 1100 ns, then nothing, then thread 6 from 1200
 * ns on; process 100 and thread 5 have names.
 */
__attribute__((__unused__))
static void put_switches(struct feed *f)
{
	put_kernel(f, 0x0303, 90, process, sizeof(process) - 1);
	put_kernel(f, 0x0503, 95, thread, sizeof(thread));
	put_kernel(f, 0x0548, 96, thread_name, sizeof(thread_name) - 1);
	put_kernel(f, 0x0548, 97, thread_name, 9);
	put_kernel(f, 0x0524, 100, to_5, sizeof(to_5));
	put_kernel(f, 0x0524, 1100, to_0, sizeof(to_0));
	put_kernel(f, 0x0524, 1200, to_6, sizeof(to_6));
	put_kernel(f, 0x0524, 1300, to_6, 3);
}

/* Put events into a file's buffers, one after the other */
__attribute__((__unused__))
static void put_specs(struct make *m, const struct spec *specs, size_t count)
{
	static uint64_t sequence;
	size_t i;

	make_buffer(m, 0, ++sequence);
	for (i = 0; i < count; i++) {
		if (put_spec(&m->feed, &specs[i]))
			continue;
		make_put(m);
		make_buffer(m, 0, ++sequence);
		if (!put_spec(&m->feed, &specs[i]))
			abort();
	}
	make_put(m);
}

/* ------------------------------------------------------------------ running */

struct converted {
	char *data;		/* with a NUL after it */
	size_t len;
	uint64_t events;
	int64_t *times;		/* of the events, FILETIME */
	struct convert c;
};

__attribute__((__unused__))
static const struct convert_format *find_format(const char *name)
{
	unsigned int i;

	for (i = 0; convert_formats[i]; i++)
		if (!strcmp(convert_formats[i]->name, name))
			return convert_formats[i];
	abort();
}

__attribute__((__unused__))
static int convert_event(struct converted *to, struct etw_decoder *decoder,
			 const struct etw_event *event, struct etw_event_items *items,
			 unsigned int source)
{
	EVENT_RECORD record;
	struct convert_event e = { .event = event, .record = &record, .decoder = decoder,
				   .source = source };
	struct etw_loss loss;

	e.loss = etw_loss_of(event, &loss) ? &loss : NULL;
	etw_event_record(&record, event, items, false);
	e.known = !etw_decode(decoder, &record, &e.decoded);
	if (!(to->events & (to->events + 1)))
		to->times = realloc(to->times, (2 * to->events + 2) * sizeof(*to->times));
	to->times[to->events++] = event->time;
	return to->c.format->event(&to->c, &e);
}

static struct etw_source convert_inputs[8];

__attribute__((__unused__))
static int convert_all(struct converted *to, unsigned int count)
{
	struct etw_decoder *decoder = etw_decoder_new();
	struct etw_event_items items = { .room = 0 };
	struct etw_source *list[8], *in;
	unsigned int i, left = count;
	int err, ret;

	for (i = 0; i < count; i++)
		list[i] = &convert_inputs[i];
	err = to->c.format->open(&to->c);
	while (!err && (in = etw_source_earliest(list, &left, &err))) {
		err = convert_event(to, decoder, &in->next, &items,
				    (unsigned int)(in - convert_inputs));
		in->has_next = false;
	}
	ret = to->c.format->close(&to->c, !err);
	etw_decoder_free(decoder);
	etw_event_items_free(&items);
	return err ? err : ret;
}

/* Convert files to a format, into memory. Returns the format's error. */
__attribute__((__unused__))
static int convert_files(struct converted *to, const char *format, const char *fields,
			 const char *const *paths, unsigned int count)
{
	const struct etw_etl_info *infos[8];
	char path[] = "/tmp/etw-convert-XXXXXX";
	unsigned int i;
	int err;

	memset(to, 0, sizeof(*to));
	memset(convert_inputs, 0, sizeof(convert_inputs));
	for (i = 0; i < count; i++) {
		if (etw_source_open_file(&convert_inputs[i], paths[i], NULL, NULL))
			abort();
		infos[i] = etw_etl_info(etw_source_file(&convert_inputs[i]));
	}
	to->c.format = find_format(format);
	to->c.fields = fields;
	to->c.sources = infos;
	to->c.source_count = count;
	to->c.state = calloc(1, to->c.format->size);
	to->c.out = mkstemp(path);
	unlink(path);
	err = convert_all(to, count);
	free(to->c.state);
	for (i = 0; i < count; i++)
		etw_source_close(&convert_inputs[i]);
	to->len = (size_t)lseek(to->c.out, 0, SEEK_END);
	to->data = calloc(1, to->len + 1);
	if (pread(to->c.out, to->data, to->len, 0) != (ssize_t)to->len)
		abort();
	close(to->c.out);
	return err;
}

__attribute__((__unused__))
static int convert_file(struct converted *to, const char *format, const char *path)
{
	return convert_files(to, format, NULL, &path, 1);
}

__attribute__((__unused__))
static void converted_free(struct converted *to)
{
	free(to->data);
	free(to->times);
}

/* Run on each .etl of the corpus; false: there is none, which is reported. */
__attribute__((__unused__))
static bool each_of_corpus(void (*run)(const char *path))
{
	const char *root = getenv("ETW_CORPUS");
	struct dirent *entry;
	char path[600];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/etl", root ? root : "../shared/corpus");
	dir = opendir(path);
	if (!dir) {
		skip("no corpus at %s", path);
		return false;
	}
	while ((entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len < 5 || strcmp(entry->d_name + len - 4, ".etl"))
			continue;
		snprintf(path, sizeof(path), "%s/etl/%s", root ? root : "../shared/corpus",
			 entry->d_name);
		run(path);
	}
	closedir(dir);
	return true;
}

#endif /* ETW_UNIT_CONVERT_TEST_H */
