/* SPDX-License-Identifier: MIT */
/*
 * print.c - a machine in a line, and as JSON
 */
#include <string.h>
#include "base/guid.h"
#include "base/json_writer.h"
#include "cli/text.h"
#include "machine.h"

static void put_text(struct etw_text *to, const char *before, const char *text)
{
	if (!*text)
		return;
	etw_text_puts(to, before);
	etw_text_escape(to, text, strlen(text));
}

void machine_summary(struct etw_text *to, const struct machine *machine)
{
	size_t i;

	put_text(to, "", *machine->host ? machine->host : "a machine without a name");
	put_text(to, ", Linux ", machine->release);
	put_text(to, *machine->release ? " " : ", ", machine->architecture);
	if (machine->kernel.len)
		etw_text_puts(to, ", build id ");
	for (i = 0; i < machine->kernel.len; i++)
		etw_text_printf(to, "%02x", machine->kernel.bytes[i]);
}

/* ------------------------------------------------------------------------ JSON */

static void json_text(struct etw_text *to, const char *key, const char *text)
{
	if (*text)
		json_writer_string(to, key, text, strlen(text));
}

static void json_number(struct etw_text *to, const char *key, uint64_t number)
{
	if (number)
		json_writer_unsigned(to, key, number);
}

static void json_machine(struct etw_text *to, const struct machine *m)
{
	json_writer_open(to, NULL, '{');
	json_text(to, "host", m->host);
	json_text(to, "kernel_release", m->release);
	json_text(to, "kernel_version", m->version);
	json_text(to, "architecture", m->architecture);
	json_text(to, "distribution", m->distribution);
	if (m->kernel.len)
		json_writer_hex(to, "kernel_build_id", m->kernel.bytes, m->kernel.len);
	if (!etw_guid_is_zero(&m->boot))
		json_writer_guid(to, "boot_id", &m->boot);
	json_number(to, "processors", m->processors);
	json_number(to, "memory_bytes", m->memory);
	json_number(to, "page_size", m->page_size);
	json_writer_unsigned(to, "modules", m->module_count);
	json_writer_close(to, '}');
}

void machines_json(struct etw_text *to, const char *key, const struct machines *machines)
{
	size_t i;

	json_writer_open(to, key, '[');
	for (i = 0; i < machines->count; i++)
		json_machine(to, &machines->list[i]);
	json_writer_close(to, ']');
}
