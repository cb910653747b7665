/* SPDX-License-Identifier: MIT */
/*
 * records.c - the description of a machine as records of a buffer
 *
 * The TraceLogging metadata of each event are made beside its payload, because a field that is
 * not known is left out.
 */
#include <stdlib.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "base/guid.h"
#include "machine.h"
#include "machine_config.h"

#define LEVEL_INFO	4
#define META_MAX	512	/* bytes; ten fields with names of some bytes */
#define PAYLOAD_MAX	2048	/* the texts of Machine, cut to MACHINE_TEXT */

struct event {
	uint8_t meta[META_MAX], payload[PAYLOAD_MAX];
	uint16_t meta_len, payload_len;
};

/* ---------------------------------------------------------------------- fields */

static void add_meta(struct event *e, const void *data, size_t len)
{
	memcpy(e->meta + e->meta_len, data, len);
	e->meta_len += len;
}

static void add_payload(struct event *e, const void *data, size_t len)
{
	memcpy(e->payload + e->payload_len, data, len);
	e->payload_len += len;
}

static void add_field(struct event *e, const char *name, uint8_t in, uint8_t out)
{
	const uint8_t types[] = { out ? in | TlgInChain : in, out };

	add_meta(e, name, strlen(name) + 1);
	add_meta(e, types, out ? 2 : 1);
}

static void put_text(struct event *e, const char *name, const char *text)
{
	if (!*text)
		return;
	add_field(e, name, TlgInANSISTRING, TlgOutUTF8);
	add_payload(e, text, strlen(text) + 1);
}

static void put_u32(struct event *e, const char *name, uint32_t value)
{
	add_field(e, name, TlgInUINT32, 0);
	add_payload(e, &value, sizeof(value));
}

/* One of which MACHINE_UNKNOWN says that it is not known */
static void put_number(struct event *e, const char *name, uint32_t value)
{
	if (value != MACHINE_UNKNOWN)
		put_u32(e, name, value);
}

static void put_u64(struct event *e, const char *name, uint8_t in, uint64_t value)
{
	if (!value)
		return;
	add_field(e, name, in, 0);
	add_payload(e, &value, sizeof(value));
}

static void put_address(struct event *e, const char *name, const struct machine *m,
			uint64_t address)
{
	if (!m->hides)
		put_u64(e, name, TlgInHEXINT64, address);
}

static void put_build_id(struct event *e, const struct machine_build_id *id)
{
	const uint16_t len = id->len;

	if (!len)
		return;
	add_field(e, "BuildId", TlgInBINARY, 0);
	add_payload(e, &len, sizeof(len));
	add_payload(e, id->bytes, len);
}

/* A new event: the size of the metadata comes last, then there are no tags. */
static void begin(struct event *e, const char *name, const struct machine *m)
{
	static const uint8_t size_and_tags[3];

	e->meta_len = e->payload_len = 0;
	add_meta(e, size_and_tags, sizeof(size_and_tags));
	add_meta(e, name, strlen(name) + 1);
	if (etw_guid_is_zero(&m->boot))
		return;
	add_field(e, "BootId", TlgInGUID, 0);
	add_payload(e, &m->boot, sizeof(m->boot));
}

/* --------------------------------------------------------------------- records */

struct out {
	int64_t time;
	machine_put_fn *put;
	void *context;
	uint8_t record[sizeof(struct etw_event_header) + META_MAX + PAYLOAD_MAX + 64];
};

static size_t add_item(uint8_t *to, uint16_t type, const void *data, uint16_t len, bool more)
{
	const size_t size = (sizeof(struct etw_ext_item) + len + 7) / 8 * 8;
	const struct etw_ext_item item = {
		.size = (uint16_t)size, .type = type, .linkage = more, .data_size = len,
	};

	memset(to, 0, size);
	memcpy(to, &item, sizeof(item));
	memcpy(to + sizeof(item), data, len);
	return size;
}

static int put_event(struct out *out, struct event *e)
{
	static const char name[] = ETW_MACHINE_PROVIDER_NAME;
	struct etw_event_header header = {
		.type = ETW_TYPE_EVENT64,
		.flags = ETW_EVENT_EXTENDED_INFO | ETW_EVENT_NO_CPUTIME,
		.thread_id = ETW_MACHINE_NOBODY,
		.process_id = ETW_MACHINE_NOBODY,
		.timestamp = out->time,
		.provider = ETW_MACHINE_GUID,
		.desc = { .channel = ETW_CHANNEL_TRACELOGGING, .level = LEVEL_INFO,
			  .keyword = ETW_MACHINE_KEYWORD },
	};
	uint8_t traits[2 + sizeof(name)];
	const uint16_t traits_len = sizeof(traits);
	size_t size = sizeof(header);

	memcpy(traits, &traits_len, sizeof(traits_len));
	memcpy(traits + sizeof(traits_len), name, sizeof(name));
	memcpy(e->meta, &e->meta_len, sizeof(e->meta_len));
	size += add_item(out->record + size, ETW_EXT_PROV_TRAITS, traits, traits_len, true);
	size += add_item(out->record + size, ETW_EXT_EVENT_SCHEMA, e->meta, e->meta_len, false);
	memcpy(out->record + size, e->payload, e->payload_len);
	size += e->payload_len;
	header.size = (uint16_t)size;
	memcpy(out->record, &header, sizeof(header));
	return out->put(out->context, out->record, size);
}

static int put_machine(struct out *out, const struct machine *m)
{
	struct event e;

	begin(&e, "Machine", m);
	put_text(&e, "HostName", m->host);
	put_text(&e, "KernelRelease", m->release);
	put_text(&e, "KernelVersion", m->version);
	put_text(&e, "Architecture", m->architecture);
	put_text(&e, "Distribution", m->distribution);
	if (m->processors)
		put_u32(&e, "Processors", m->processors);
	put_u64(&e, "MemoryBytes", TlgInUINT64, m->memory);
	if (m->page_size)
		put_u32(&e, "PageSize", m->page_size);
	return put_event(out, &e);
}

static int put_kernel(struct out *out, const struct machine *m)
{
	struct event e;

	if (!m->kernel.len && (m->hides || (!m->text && !m->text_begin)))
		return 0;
	begin(&e, "Kernel", m);
	put_build_id(&e, &m->kernel);
	put_address(&e, "Text", m, m->text);
	put_address(&e, "TextBegin", m, m->text_begin);
	put_address(&e, "TextEnd", m, m->text_end);
	return put_event(out, &e);
}

static int put_cpu(struct out *out, const struct machine *m, const struct machine_cpu *cpu)
{
	struct event e;

	begin(&e, "Cpu", m);
	put_u32(&e, "Processor", cpu->number);
	put_number(&e, "Package", cpu->package);
	put_number(&e, "Core", cpu->core);
	put_number(&e, "Node", cpu->node);
	put_number(&e, "MHz", cpu->mhz);
	put_text(&e, "Model", cpu->model);
	return put_event(out, &e);
}

static int put_module(struct out *out, const struct machine *m,
		      const struct machine_module *module)
{
	struct event e;

	begin(&e, "Module", m);
	put_text(&e, "Name", module->name);
	put_address(&e, "Address", m, module->address);
	put_u64(&e, "Size", TlgInUINT64, module->size);
	put_build_id(&e, &module->id);
	return put_event(out, &e);
}

int machine_records(const struct machine *machine, int64_t time, machine_put_fn *put,
		    void *context)
{
	struct out out = { .time = time, .put = put, .context = context };
	int err = put_machine(&out, machine);
	size_t i;

	if (!err)
		err = put_kernel(&out, machine);
	for (i = 0; i < machine->cpu_count && !err; i++)
		err = put_cpu(&out, machine, &machine->cpus[i]);
	for (i = 0; i < machine->module_count && !err; i++)
		err = put_module(&out, machine, &machine->modules[i]);
	return err ? err : machine_config_records(machine, time, put, context);
}
