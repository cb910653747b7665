/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cli_print.h - events to print, and the command's files that print them
 */
#ifndef ETW_UNIT_CLI_PRINT_H
#define ETW_UNIT_CLI_PRINT_H

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "lib/tap.h"
#include "tdh/store/store.h"

#include "cli/args.c"
#include "cli/print/clock.c"
#include "cli/print/event.c"
#include "cli/print/format.c"
#include "cli/print/json.c"
#include "cli/print/loss.c"
#include "cli/print/operation.c"
#include "cli/print/prepared.c"
#include "cli/print/printer.c"
#include "cli/print/stack.c"
#include "cli/print/text.c"
#include "cli/text.c"
#include "convert/items.c"
#include "convert/items_stack.c"
#include "base/json_writer.c"
#include "convert/names.c"

/* Replacements for the rest of the command, for the files above */

void cli_die(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

void *cli_grow(void *list, size_t count, size_t size)
{
	return reallocarray(list, count + 1, size);
}

char *cli_strdup(const char *s)
{
	return strdup(s);
}

void cli_usage(const char *fmt, ...)
{
	printf("Bail out! %s\n", fmt);
	exit(1);
}

const char *cli_quote(const char *s)
{
	return s;
}

void *cli_calloc(size_t count, size_t size)
{
	return calloc(count, size);
}

/* These printers have no workers. */
void event_workers_wait(struct event_workers *workers)
{
	(void)workers;
}

void event_workers_schema(struct event_workers *workers, const struct etw_event *event)
{
	(void)workers;
	(void)event;
}

void event_workers_free(struct event_workers *workers)
{
	(void)workers;
}

/* These printers have no files, so none that describes its machine. */
void names_learn(struct names *names, const struct etw_guid *guid, const char *name)
{
	(void)names;
	(void)guid;
	(void)name;
}

unsigned int inputs_machines(const struct inputs *inputs, struct machines *machines)
{
	(void)inputs;
	(void)machines;
	return 0;
}

void inputs_symbols(const struct inputs *inputs, struct symbols *symbols,
		    const struct machines *machines, unsigned int undescribed)
{
	(void)inputs;
	symbols_choose(symbols, machines, undescribed, true);
}

void cli_note(const char *fmt, ...)
{
	(void)fmt;
}

/* Names that the test sets; NULL: none */
static const char *provider_is, *process_is, *thread_is, *path_is;
static uint64_t key_was;

/* Names come from above. */
static struct processes named = { .procs = (struct procs *)&named };

const char *names_get(struct names *names, const struct etw_guid *guid)
{
	(void)names;
	(void)guid;
	return provider_is;
}

const char *schema_provider_name(const struct etw_guid *guid)
{
	(void)guid;
	return NULL;
}

const char *procs_get(struct procs *procs, uint32_t pid, uint32_t tid, int64_t time,
		      const uint64_t *key)
{
	(void)procs;
	(void)time;
	key_was = key ? *key : 0;
	return pid == tid ? process_is : thread_is;
}

bool processes_find(const struct processes *processes, uint32_t pid, int64_t time,
		    const uint64_t *key, struct etw_process *process)
{
	*process = (struct etw_process){
		.name = procs_get(processes->procs, pid, pid, time, key), .path = path_is };
	return process->name;
}

/* ------------------------------------------------------------------- an event */

struct sample {
	struct etw_event_header header;
	uint8_t payload[1024], ext[1024];
	uint32_t len, ext_len;
	struct etw_buffer_header buffer;
	struct etw_event event;
	struct event_printer printer;
};

static const struct etw_guid nobody = ETW_GUID(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
#define NOBODY	"00000001-0002-0003-0405-060708090a0b"

static inline void begin(struct sample *s, const struct etw_guid *provider, uint16_t id)
{
	memset(&s->header, 0, sizeof(s->header));
	s->len = s->ext_len = 0;
	s->header.type = ETW_TYPE_EVENT64;
	s->header.provider = *provider;
	s->header.desc.id = id;
	s->header.desc.level = 4;
	s->header.process_id = 12;
	s->header.thread_id = 13;
	s->header.timestamp = 99;
	s->event.time = ETW_UNIX_EPOCH_100NS;
}

static inline void add(struct sample *s, const void *data, size_t len)
{
	memcpy(s->payload + s->len, data, len);
	s->len += (uint32_t)len;
}

static inline void add_u32(struct sample *s, uint32_t value)
{
	add(s, &value, sizeof(value));
}

static inline void add_item(struct sample *s, uint16_t type, const void *data, uint16_t len)
{
	struct etw_ext_item item = { (uint16_t)((8 + len + 7) & ~7), type, 0, len };
	struct etw_ext_item *last;
	uint32_t at;

	for (at = 0; at < s->ext_len; at += last->size) {
		last = (struct etw_ext_item *)(s->ext + at);
		last->linkage = 1;
	}
	memset(s->ext + s->ext_len, 0, item.size);
	memcpy(s->ext + s->ext_len, &item, sizeof(item));
	memcpy(s->ext + s->ext_len + sizeof(item), data, len);
	s->ext_len += item.size;
	s->header.flags |= ETW_EVENT_EXTENDED_INFO;
}

/* TraceLogging's metadata, with its size in front */
static inline void add_schema(struct sample *s, const char *rest, uint16_t len)
{
	uint8_t bytes[512];
	uint16_t size = len + 2;

	memcpy(bytes, &size, 2);
	memcpy(bytes + 2, rest, len);
	add_item(s, ETW_EXT_EVENT_SCHEMA, bytes, size);
	s->header.desc.channel = ETW_CHANNEL_TRACELOGGING;
}

static inline void add_traits(struct sample *s, const char *name)
{
	uint8_t bytes[256];
	uint16_t size = (uint16_t)strlen(name) + 3;

	memcpy(bytes, &size, 2);
	memcpy(bytes + 2, name, size - 2);
	add_item(s, ETW_EXT_PROV_TRAITS, bytes, size);
}

/*
 * Print the event, with payload and items in allocations of their exact sizes, so that
 * the sanitizer sees reads beyond them.  Valid until the next call.
 */
static inline const char *print(struct sample *s,
				void (*how)(struct event_printer *, const struct etw_event *))
{
	static uint8_t *payload, *ext;

	free(payload);
	free(ext);
	payload = malloc(s->len ? s->len : 1);
	ext = malloc(s->ext_len ? s->ext_len : 1);
	memcpy(payload, s->payload, s->len);
	memcpy(ext, s->ext, s->ext_len);
	s->event.buffer = &s->buffer;
	s->event.record = (struct etw_record_view){ .header = &s->header, .data = payload,
						    .data_len = s->len, .ext = ext,
						    .ext_len = s->ext_len };
	s->printer.out.len = 0;
	how(&s->printer, &s->event);
	return s->printer.out.data;
}

/* One of 1024 kinds of events, which differ in all that their shared parts follow from */
#define KINDS	1024

static inline void begin_kind(struct sample *s, unsigned int kind)
{
	static const struct etw_guid other = ETW_GUID(9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
	static const uint64_t start_key = 0x1234567;

	begin(s, kind & 1 ? &nobody : &other, 0);
	s->header.flags |= kind & 2 ? ETW_EVENT_KERNEL_MODE : ETW_EVENT_USER_MODE;
	s->header.desc.level = (uint8_t)(1 + (kind >> 2 & 3));
	s->header.desc.keyword = kind & 16;
	if (kind & 128)
		add_item(s, ETW_EXT_PROCESS_START_KEY, &start_key, sizeof(start_key));
	add_u32(s, 1000 + kind);
	s->header.thread_id = 12 + kind % 3;
	if (kind & 512)
		return;
	add_traits(s, kind & 32 ? "One" : "Two");
	/* Of equal length: only the first differs in the field's name. */
	add_schema(s, kind & 64 ? "\0Step\0" "Number\0\x08" : "\0Step\0" "Nimber\0\x08", 14);
	if (kind & 256)
		add_item(s, ETW_EXT_CONTROL_GUID, kind & 1 ? &other : &nobody, sizeof(other));
}

/* Is each line the same as if no event had been printed before? */
static inline void test_kinds(struct sample *s, const char *name,
			      void (*how)(struct event_printer *, const struct etw_event *))
{
	struct event_printer *shared = calloc(1, sizeof(*shared));
	unsigned int i, random = 1, wrong = 0;
	char *line;

	for (i = 0; i < 4 * KINDS; i++) {
		random = random * 1103515245u + 12345;
		/* Kinds come again at once, soon, and after many others. */
		begin_kind(s, i % 8 < 4 ? i / 8 % KINDS : random >> 16 & (KINDS - 1));
		line = strdup(print(s, how));
		event_printer_free(&s->printer);
		memset(&s->printer, 0, sizeof(s->printer));
		shared->out.len = 0;
		how(shared, &s->event);
		if (strcmp(line, shared->out.data) && !wrong++)
			printf("# got  %s# want %s", shared->out.data, line);
		free(line);
	}
	is(wrong, 0, name);
	event_printer_free(shared);
	free(shared);
}

#endif /* ETW_UNIT_CLI_PRINT_H */
