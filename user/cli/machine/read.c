/* SPDX-License-Identifier: MIT */
/*
 * read.c - the machines that a log file describes
 *
 * Merged files may describe several, and each several times; events of one boot belong
 * together. Anybody may have written the events: their number is bounded, and fields of
 * another type than they should have are left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "etl/file.h"
#include "etl/record.h"
#include "lib/consumer/event_record.h"
#include "machine.h"
#include "members.h"

#define MACHINES_MAX	64
#define PARTS_MAX	8192	/* modules or CPUs of a machine */
#define EVENTS_MAX	32768	/* of a file */

/* Returned for all of a file that are taken */
#define TAKEN		1

struct reading {
	struct machines *machines;
	bool any;		/* this file describes one */
	unsigned int events;	/* taken from it */
	struct etw_decoder *decoder;
	struct etw_event_items items;
};

/* ---------------------------------------------------------------------- fields */

static void set_text(char *to, size_t room, const struct etw_field *field)
{
	size_t len = field->size < room ? field->size : room - 1;

	memcpy(to, field->data, len);
	to[len] = '\0';
}

static void set_build_id(struct machine_build_id *id, const struct etw_field *field)
{
	if (field->size > sizeof(id->bytes))
		return;
	memcpy(id->bytes, field->data, field->size);
	id->len = (uint8_t)field->size;
}

static bool is_number(const struct etw_field *field, size_t size)
{
	return (field->value_kind == ETW_VALUE_UNSIGNED || field->value_kind == ETW_VALUE_HEX) &&
	       field->size == size;
}

static void set(void *to, const struct machine_member *member, const struct etw_field *field)
{
	void *at = (char *)to + member->at;

	switch (member->kind) {
	case MACHINE_MEMBER_TEXT:
		if (field->value_kind == ETW_VALUE_STRING8)
			set_text(at, member->size, field);
		break;
	case MACHINE_MEMBER_COUNT:
	case MACHINE_MEMBER_NUMBER:
	case MACHINE_MEMBER_SIZE:
	case MACHINE_MEMBER_ADDRESS:
		if (is_number(field, member->size))
			memcpy(at, field->data, member->size);
		break;
	case MACHINE_MEMBER_BUILD_ID:
		if (field->value_kind == ETW_VALUE_BINARY)
			set_build_id(at, field);
		break;
	}
}

/* Fill in what the decoder's event has of these. */
static void fill(struct etw_decoder *decoder, void *to, const struct machine_member *members)
{
	const struct machine_member *member;
	struct etw_field field;

	etw_decode_rewind(decoder);
	while (etw_decode_next(decoder, &field) == 1) {
		if (field.kind != ETW_FIELD_VALUE || field.depth)
			continue;
		for (member = members; member->name; member++)
			if (!strcmp(member->name, field.name))
				set(to, member, &field);
	}
}

/* ---------------------------------------------------------------------- events */

static void find_boot(struct etw_decoder *decoder, struct etw_guid *boot)
{
	struct etw_field field;

	memset(boot, 0, sizeof(*boot));
	while (etw_decode_next(decoder, &field) == 1)
		if (field.value_kind == ETW_VALUE_GUID && !strcmp(field.name, "BootId") &&
		    field.size == sizeof(*boot))
			memcpy(boot, field.data, sizeof(*boot));
}

/* The machine of that boot, perhaps a new one; NULL: there are too many. */
static struct machine *machine_of(struct machines *machines, const struct etw_guid *boot)
{
	struct machine *m;
	size_t i;

	for (i = 0; i < machines->count; i++)
		if (!memcmp(&machines->list[i].boot, boot, sizeof(*boot)))
			return &machines->list[i];
	if (machines->count == MACHINES_MAX)
		return NULL;
	machines->list = cli_grow(machines->list, machines->count, sizeof(*machines->list));
	m = &machines->list[machines->count++];
	*m = (struct machine){ .boot = *boot };
	return m;
}

static void take_cpu(struct machine *m, struct etw_decoder *decoder)
{
	struct machine_cpu cpu = { MACHINE_UNKNOWN, MACHINE_UNKNOWN, MACHINE_UNKNOWN,
				   MACHINE_UNKNOWN, MACHINE_UNKNOWN, "" };
	size_t i;

	fill(decoder, &cpu, machine_cpu_members);
	for (i = 0; i < m->cpu_count && m->cpus[i].number != cpu.number; i++)
		;
	if (i == PARTS_MAX)
		return;
	if (i == m->cpu_count) {
		m->cpus = cli_grow(m->cpus, m->cpu_count, sizeof(*m->cpus));
		m->cpu_count++;
	}
	m->cpus[i] = cpu;
}

/* The same name twice is a module that was removed and loaded again: keep both. */
static void take_module(struct machine *m, struct etw_decoder *decoder)
{
	struct machine_module module;
	size_t i;

	memset(&module, 0, sizeof(module));	/* it is compared with others */
	fill(decoder, &module, machine_module_members);
	if (!*module.name || m->module_count == PARTS_MAX)
		return;
	for (i = 0; i < m->module_count; i++)
		if (!memcmp(&m->modules[i], &module, sizeof(module)))
			return;
	m->modules = cli_grow(m->modules, m->module_count, sizeof(*m->modules));
	m->modules[m->module_count++] = module;
}

static int take(void *context, const struct etw_record_view *record)
{
	struct reading *reading = context;
	static const struct etw_buffer_header buffer;
	const struct etw_event event = { .record = *record, .buffer = &buffer };
	const struct etw_decoded *decoded;
	struct etw_guid boot;
	struct machine *m;
	EVENT_RECORD own;
	int err;

	if (etw_etl_is_system(record->header) || !etw_kind_is_machine(record->header))
		return 0;
	if (reading->events++ == EVENTS_MAX)
		return TAKEN;
	etw_event_record(&own, &event, &reading->items, false);
	err = etw_decode(reading->decoder, &own, &decoded);
	if (err)
		return err == -ENOMEM ? err : 0;
	/* Names of functions, for symbols/recorded.c */
	if (decoded->event && !strcmp(decoded->event, ETW_MACHINE_FUNCTIONS))
		return 0;
	find_boot(reading->decoder, &boot);
	m = decoded->event ? machine_of(reading->machines, &boot) : NULL;
	if (!m)
		return 0;
	reading->any = true;
	if (!strcmp(decoded->event, "Machine"))
		fill(reading->decoder, m, machine_members);
	else if (!strcmp(decoded->event, "Kernel"))
		fill(reading->decoder, m, machine_kernel_members);
	else if (!strcmp(decoded->event, "Cpu"))
		take_cpu(m, reading->decoder);
	else if (!strcmp(decoded->event, "Module"))
		take_module(m, reading->decoder);
	return 0;
}

int machines_read(struct machines *machines, const char *path, unsigned int *undescribed)
{
	struct reading reading = { .machines = machines, .decoder = etw_decoder_new() };
	struct etw_etl_file *file;
	int err = reading.decoder ? etw_etl_open(path, NULL, NULL, &file) : -ENOMEM;

	if (!err) {
		err = etw_etl_ends(file, take, &reading);
		etw_etl_close(file);
	}
	*undescribed += !reading.any;
	etw_event_items_free(&reading.items);
	etw_decoder_free(reading.decoder);
	return err == TAKEN ? 0 : err;
}

void machines_free(struct machines *machines)
{
	size_t i;

	for (i = 0; i < machines->count; i++)
		machine_free(&machines->list[i]);
	free(machines->list);
	memset(machines, 0, sizeof(*machines));
}
