/* SPDX-License-Identifier: MIT */
/*
 * records.c - the description of a machine as records of a buffer
 */
#include "base/guid.h"
#include "event.h"
#include "machine_config.h"
#include "members.h"

static void put_u32(struct machine_event *e, const char *name, uint32_t value, uint32_t unknown)
{
	if (value != unknown)
		machine_event_u32(e, name, value);
}

static void put_u64(struct machine_event *e, const char *name, uint8_t in, uint64_t value)
{
	if (value)
		machine_event_u64(e, name, in, value);
}

static void put_build_id(struct machine_event *e, const char *name,
			 const struct machine_build_id *id)
{
	machine_event_binary(e, name, id->bytes, id->len);
}

static void put_member(struct machine_event *e, const struct machine *m, const char *name,
		       enum machine_member_kind kind, const void *at)
{
	switch (kind) {
	case MACHINE_MEMBER_TEXT:
		machine_event_text(e, name, at);
		break;
	case MACHINE_MEMBER_COUNT:
		put_u32(e, name, *(const uint32_t *)at, 0);
		break;
	case MACHINE_MEMBER_NUMBER:
		put_u32(e, name, *(const uint32_t *)at, MACHINE_UNKNOWN);
		break;
	case MACHINE_MEMBER_SIZE:
		put_u64(e, name, TlgInUINT64, *(const uint64_t *)at);
		break;
	case MACHINE_MEMBER_ADDRESS:
		if (!m->hides)
			put_u64(e, name, TlgInHEXINT64, *(const uint64_t *)at);
		break;
	case MACHINE_MEMBER_BUILD_ID:
		put_build_id(e, name, at);
		break;
	}
}

/* An event about the machine, or about its CPU or module at from */
static int put_record(const struct machine_out *out, const struct machine *m, const char *name,
		      const void *from, const struct machine_member *members)
{
	struct machine_event e = { .meta_len = 0 };
	const struct machine_member *member;

	machine_event_begin(&e, name);
	if (!etw_guid_is_zero(&m->boot))
		machine_event_guid(&e, "BootId", &m->boot);
	for (member = members; member->name; member++)
		put_member(&e, m, member->name, member->kind, (const char *)from + member->at);
	return machine_event_put(out, &e);
}

static int put_kernel(const struct machine_out *out, const struct machine *m)
{
	if (!m->kernel.len && (m->hides || (!m->text && !m->text_begin)))
		return 0;
	return put_record(out, m, "Kernel", m, machine_kernel_members);
}

int machine_records(const struct machine *machine, int64_t time, machine_put_fn *put,
		    void *context)
{
	const struct machine_out out = { .time = time, .put = put, .context = context };
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
