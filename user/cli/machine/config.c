/* SPDX-License-Identifier: MIT */
/*
 * config.c - the description of a machine in the form of Windows' class SystemConfig
 *
 * The layouts are those of user/tdh/kernel_logger/config.c: CPU of version 2, whose fields all
 * have a meaning here; version 3 adds what Linux does not say. The kernel logger's own tools
 * take the computer's name and its CPUs from these records.
 */
#include <stdlib.h>
#include <string.h>
#include "base/utf.h"
#include "machine_config.h"

#define HOST_CHARS	256
#define DOMAIN_CHARS	134
#define MODEL_CHARS	64
#define VENDOR_CHARS	16
#define IDENTIFIER_CHARS 128
#define NODES_MAX	64
#define MASK_CPUS	64	/* processors that a mask has bits for */
#define VERSION		2

/* SystemConfig_CPU, MOF version 2; no padding on 64 bits */
struct config_cpu {
	uint32_t mhz;
	uint32_t processors;
	uint32_t memory;	/* MB */
	uint32_t page_size;
	uint32_t granularity;	/* bytes, of mappings */
	uint16_t host[HOST_CHARS];
	uint16_t domain[DOMAIN_CHARS];
	uint64_t smt;		/* HyperThreadingFlag: a bit for each processor */
} __attribute__((packed));

struct config_processor {
	uint32_t number;
	uint32_t features;	/* 0 */
	uint32_t mhz;		/* 0: not known */
	uint16_t model[MODEL_CHARS];
	uint16_t vendor[VENDOR_CHARS];
	uint16_t identifier[IDENTIFIER_CHARS];
} __attribute__((packed));

struct config_nodes {
	uint32_t count;
	uint64_t masks[NODES_MAX];	/* the processors of each */
} __attribute__((packed));

union config {
	struct config_cpu cpu;
	struct config_processor processor;
	struct config_nodes nodes;
};

struct out {
	int64_t time;
	machine_put_fn *put;
	void *context;
};

static int put_config(const struct out *out, uint8_t type, const void *payload, size_t size)
{
	struct {
		struct etw_system_header header;
		uint8_t payload[sizeof(union config)];
	} record = {
		.header = {
			.version = VERSION,
			.type = ETW_TYPE_SYSTEM64,
			.size = (uint16_t)(sizeof(record.header) + size),
			.hook = (uint16_t)(ETW_CONFIG_GROUP << 8 | type),
			.thread_id = ETW_CONFIG_THREAD,
			.process_id = ETW_MACHINE_NOBODY,
			.timestamp = out->time,
		},
	};

	memcpy(record.payload, payload, size);
	return out->put(out->context, &record, record.header.size);
}

/* Cut to what there is room for, with its NUL, between two characters. */
static void put_chars(void *to, size_t room, const char *text)
{
	WCHAR wide[MACHINE_TEXT + 1] = { 0 };
	ssize_t len = etw_utf8_to_utf16(text, strlen(text), wide, MACHINE_TEXT);
	size_t count = len < 0 ? 0 : (size_t)len < room ? (size_t)len : room - 1;

	if (count && wide[count - 1] >= 0xD800 && wide[count - 1] < 0xDC00)
		count--;
	memcpy(to, wide, count * sizeof(*wide));
}

static uint32_t greatest_mhz(const struct machine *m)
{
	uint32_t mhz = 0;
	size_t i;

	for (i = 0; i < m->cpu_count; i++)
		if (m->cpus[i].mhz != MACHINE_UNKNOWN && m->cpus[i].mhz > mhz)
			mhz = m->cpus[i].mhz;
	return mhz;
}

static uint64_t smt_mask(const struct machine *m)
{
	uint64_t mask = 0;
	size_t i;

	for (i = 0; i < m->cpu_count && m->smt; i++)
		if (m->cpus[i].number < MASK_CPUS)
			mask |= UINT64_C(1) << m->cpus[i].number;
	return mask;
}

static int put_cpu(const struct out *out, const struct machine *m)
{
	const uint64_t megabytes = m->memory >> 20;
	struct config_cpu cpu = {
		.mhz = greatest_mhz(m),
		.processors = m->processors,
		.memory = megabytes < UINT32_MAX ? (uint32_t)megabytes : UINT32_MAX,
		.page_size = m->page_size,
		.granularity = m->page_size,
		.smt = smt_mask(m),
	};

	put_chars(cpu.host, HOST_CHARS, m->host);
	put_chars(cpu.domain, DOMAIN_CHARS, m->domain);
	return put_config(out, ETW_CONFIG_CPU, &cpu, sizeof(cpu));
}

/* Only if it can be whole: all nodes known, and a bit for each of their processors */
static int put_nodes(const struct out *out, const struct machine *m)
{
	struct config_nodes nodes = { 0 };
	size_t i;

	for (i = 0; i < m->cpu_count; i++) {
		const struct machine_cpu *cpu = &m->cpus[i];

		if (cpu->node >= NODES_MAX || cpu->number >= MASK_CPUS)
			return 0;
		nodes.masks[cpu->node] |= UINT64_C(1) << cpu->number;
		if (cpu->node >= nodes.count)
			nodes.count = cpu->node + 1;
	}
	if (!nodes.count)
		return 0;
	return put_config(out, ETW_CONFIG_NUMA_NODE, &nodes,
			  sizeof(nodes.count) + nodes.count * sizeof(nodes.masks[0]));
}

static int put_processor(const struct out *out, const struct machine_cpu *cpu)
{
	struct config_processor processor = {
		.number = cpu->number,
		.mhz = cpu->mhz == MACHINE_UNKNOWN ? 0 : cpu->mhz,
	};

	put_chars(processor.model, MODEL_CHARS, cpu->model);
	return put_config(out, ETW_CONFIG_PROCESSORS, &processor, sizeof(processor));
}

int machine_config_records(const struct machine *machine, int64_t time, machine_put_fn *put,
			   void *context)
{
	const struct out out = { time, put, context };
	int err;
	size_t i;

	/* One without processors would state what is not known. */
	if (!machine->processors)
		return 0;
	err = put_cpu(&out, machine);
	if (!err)
		err = put_nodes(&out, machine);
	for (i = 0; i < machine->cpu_count && !err; i++)
		err = put_processor(&out, &machine->cpus[i]);
	return err;
}
