/* SPDX-License-Identifier: MIT */
/*
 * records.c - the description of a machine as records of a buffer
 */
#include <stdlib.h>
#include <string.h>
#include "base/guid.h"
#include "event.h"
#include "machine_config.h"

/* -------------------------------------------------------------------- fields */

/* One of which MACHINE_UNKNOWN says that it is not known */
static void put_number(struct machine_event *e, const char *name, uint32_t value)
{
	if (value != MACHINE_UNKNOWN)
		machine_event_u32(e, name, value);
}

static void put_u64(struct machine_event *e, const char *name, uint8_t in, uint64_t value)
{
	if (value)
		machine_event_u64(e, name, in, value);
}

static void put_address(struct machine_event *e, const char *name, const struct machine *m,
			uint64_t address)
{
	if (!m->hides)
		put_u64(e, name, TlgInHEXINT64, address);
}

static void put_build_id(struct machine_event *e, const struct machine_build_id *id)
{
	machine_event_binary(e, "BuildId", id->bytes, id->len);
}

static void begin(struct machine_event *e, const char *name, const struct machine *m)
{
	machine_event_begin(e, name);
	if (!etw_guid_is_zero(&m->boot))
		machine_event_guid(e, "BootId", &m->boot);
}

/* --------------------------------------------------------------------- records */

static int put_machine(struct machine_out *out, const struct machine *m)
{
	struct machine_event e = { .meta_len = 0 };

	begin(&e, "Machine", m);
	machine_event_text(&e, "HostName", m->host);
	machine_event_text(&e, "KernelRelease", m->release);
	machine_event_text(&e, "KernelVersion", m->version);
	machine_event_text(&e, "Architecture", m->architecture);
	machine_event_text(&e, "Distribution", m->distribution);
	if (m->processors)
		machine_event_u32(&e, "Processors", m->processors);
	put_u64(&e, "MemoryBytes", TlgInUINT64, m->memory);
	if (m->page_size)
		machine_event_u32(&e, "PageSize", m->page_size);
	return machine_event_put(out, &e);
}

static int put_kernel(struct machine_out *out, const struct machine *m)
{
	struct machine_event e = { .meta_len = 0 };

	if (!m->kernel.len && (m->hides || (!m->text && !m->text_begin)))
		return 0;
	begin(&e, "Kernel", m);
	put_build_id(&e, &m->kernel);
	put_address(&e, "Text", m, m->text);
	put_address(&e, "TextBegin", m, m->text_begin);
	put_address(&e, "TextEnd", m, m->text_end);
	return machine_event_put(out, &e);
}

static int put_cpu(struct machine_out *out, const struct machine *m, const struct machine_cpu *cpu)
{
	struct machine_event e = { .meta_len = 0 };

	begin(&e, "Cpu", m);
	machine_event_u32(&e, "Processor", cpu->number);
	put_number(&e, "Package", cpu->package);
	put_number(&e, "Core", cpu->core);
	put_number(&e, "Node", cpu->node);
	put_number(&e, "MHz", cpu->mhz);
	machine_event_text(&e, "Model", cpu->model);
	return machine_event_put(out, &e);
}

static int put_module(struct machine_out *out, const struct machine *m,
		      const struct machine_module *module)
{
	struct machine_event e = { .meta_len = 0 };

	begin(&e, "Module", m);
	machine_event_text(&e, "Name", module->name);
	put_address(&e, "Address", m, module->address);
	put_u64(&e, "Size", TlgInUINT64, module->size);
	put_build_id(&e, &module->id);
	return machine_event_put(out, &e);
}

int machine_records(const struct machine *machine, int64_t time, machine_put_fn *put,
		    void *context)
{
	struct machine_out out = { .time = time, .put = put, .context = context };
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
