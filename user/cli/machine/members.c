/* SPDX-License-Identifier: MIT */
/*
 * members.c - the fields of the events that describe a machine, for records.c and read.c
 */
#include "machine.h"
#include "members.h"

#define MEMBER(name, kind, type, member)	\
	{ name, MACHINE_MEMBER_##kind, offsetof(struct type, member), sizeof(((struct type *)0)->member) }

const struct machine_member machine_members[] = {
	MEMBER("HostName", TEXT, machine, host),
	MEMBER("KernelRelease", TEXT, machine, release),
	MEMBER("KernelVersion", TEXT, machine, version),
	MEMBER("Architecture", TEXT, machine, architecture),
	MEMBER("Distribution", TEXT, machine, distribution),
	MEMBER("Processors", COUNT, machine, processors),
	MEMBER("MemoryBytes", SIZE, machine, memory),
	MEMBER("PageSize", COUNT, machine, page_size),
	{ .name = NULL }
};

const struct machine_member machine_kernel_members[] = {
	MEMBER("BuildId", BUILD_ID, machine, kernel),
	MEMBER("Text", ADDRESS, machine, text),
	MEMBER("TextBegin", ADDRESS, machine, text_begin),
	MEMBER("TextEnd", ADDRESS, machine, text_end),
	{ .name = NULL }
};

const struct machine_member machine_cpu_members[] = {
	MEMBER("Processor", NUMBER, machine_cpu, number),
	MEMBER("Package", NUMBER, machine_cpu, package),
	MEMBER("Core", NUMBER, machine_cpu, core),
	MEMBER("Node", NUMBER, machine_cpu, node),
	MEMBER("MHz", NUMBER, machine_cpu, mhz),
	MEMBER("Model", TEXT, machine_cpu, model),
	{ .name = NULL }
};

const struct machine_member machine_module_members[] = {
	MEMBER("Name", TEXT, machine_module, name),
	MEMBER("Address", ADDRESS, machine_module, address),
	MEMBER("Size", SIZE, machine_module, size),
	MEMBER("BuildId", BUILD_ID, machine_module, id),
	{ .name = NULL }
};
