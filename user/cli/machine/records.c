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
#include "members.h"

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

static void put_u32(struct event *e, const char *name, const uint32_t *value, uint32_t unknown)
{
	if (*value == unknown)
		return;
	add_field(e, name, TlgInUINT32, 0);
	add_payload(e, value, sizeof(*value));
}

static void put_u64(struct event *e, const char *name, uint8_t in, const uint64_t *value)
{
	if (!*value)
		return;
	add_field(e, name, in, 0);
	add_payload(e, value, sizeof(*value));
}

static void put_build_id(struct event *e, const char *name, const struct machine_build_id *id)
{
	const uint16_t len = id->len;

	if (!len)
		return;
	add_field(e, name, TlgInBINARY, 0);
	add_payload(e, &len, sizeof(len));
	add_payload(e, id->bytes, len);
}

static void put_member(struct event *e, const struct machine *m, const char *name,
		       enum machine_member_kind kind, const void *at)
{
	switch (kind) {
	case MACHINE_MEMBER_TEXT:
		put_text(e, name, at);
		break;
	case MACHINE_MEMBER_COUNT:
		put_u32(e, name, at, 0);
		break;
	case MACHINE_MEMBER_NUMBER:
		put_u32(e, name, at, MACHINE_UNKNOWN);
		break;
	case MACHINE_MEMBER_SIZE:
		put_u64(e, name, TlgInUINT64, at);
		break;
	case MACHINE_MEMBER_ADDRESS:
		if (!m->hides)
			put_u64(e, name, TlgInHEXINT64, at);
		break;
	case MACHINE_MEMBER_BUILD_ID:
		put_build_id(e, name, at);
		break;
	}
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

/* An event about the machine, or about its CPU or module at from */
static int put_record(struct out *out, const struct machine *m, const char *name, const void *from,
		      const struct machine_member *members)
{
	const struct machine_member *member;
	struct event e;

	begin(&e, name, m);
	for (member = members; member->name; member++)
		put_member(&e, m, member->name, member->kind, (const char *)from + member->at);
	return put_event(out, &e);
}

static int put_kernel(struct out *out, const struct machine *m)
{
	if (!m->kernel.len && (m->hides || (!m->text && !m->text_begin)))
		return 0;
	return put_record(out, m, "Kernel", m, machine_kernel_members);
}

int machine_records(const struct machine *machine, int64_t time, machine_put_fn *put,
		    void *context)
{
	struct out out = { .time = time, .put = put, .context = context };
	int err = put_record(&out, machine, "Machine", machine, machine_members);
	size_t i;

	if (!err)
		err = put_kernel(&out, machine);
	for (i = 0; i < machine->cpu_count && !err; i++)
		err = put_record(&out, machine, "Cpu", &machine->cpus[i], machine_cpu_members);
	for (i = 0; i < machine->module_count && !err; i++)
		err = put_record(&out, machine, "Module", &machine->modules[i],
				 machine_module_members);
	return err ? err : machine_config_records(machine, time, put, context);
}
