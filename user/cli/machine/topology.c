/* SPDX-License-Identifier: MIT */
/*
 * topology.c - the CPUs that are online: packages, cores, NUMA nodes, models
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "machine.h"

#define CPU		"/sys/devices/system/cpu"
#define NODE		"/sys/devices/system/node"
#define NUMBER_MAX	8191u	/* of a CPU or node: the kernel's NR_CPUS is at most 8192 */
#define LIST		4096	/* bytes of a list of numbers */

struct topology {
	struct machine *machine;
	const char *root;
	uint32_t node;		/* for set_node() */
};

/* Call take for each number of a list like "0-3,8,10-11"; nothing behind what is not a number. */
static void each_of(const char *list, void (*take)(struct topology *t, uint32_t number),
		    struct topology *t)
{
	unsigned int first, last;
	int used;

	while (sscanf(list, "%u%n", &first, &used) == 1) {
		list += used;
		last = first;
		if (*list == '-') {
			if (sscanf(list, "-%u%n", &last, &used) != 1)
				return;
			list += used;
		}
		for (; first <= last && first <= NUMBER_MAX; first++)
			take(t, first);
		if (*list != ',')
			return;
		list++;
	}
}

static struct machine_cpu *find(struct machine *m, uint32_t number)
{
	size_t i;

	/* Usually none is missing. */
	if (number < m->cpu_count && m->cpus[number].number == number)
		return &m->cpus[number];
	for (i = 0; i < m->cpu_count; i++)
		if (m->cpus[i].number == number)
			return &m->cpus[i];
	return NULL;
}

static void add_cpu(struct topology *t, uint32_t number)
{
	struct machine *m = t->machine;
	struct machine_cpu *cpu;

	m->cpus = cli_grow(m->cpus, m->cpu_count, sizeof(*m->cpus));
	cpu = &m->cpus[m->cpu_count++];
	*cpu = (struct machine_cpu){ number, MACHINE_UNKNOWN, MACHINE_UNKNOWN, MACHINE_UNKNOWN,
				     MACHINE_UNKNOWN, "" };
}

static void set_node(struct topology *t, uint32_t number)
{
	struct machine_cpu *cpu = find(t->machine, number);

	if (cpu)
		cpu->node = t->node;
}

static void take_node(struct topology *t, uint32_t node)
{
	char list[LIST];

	t->node = node;
	if (machine_read_line(list, sizeof(list), t->root, NODE "/node%u/cpulist", node))
		each_of(list, set_node, t);
}

static void collect_places(struct machine *m, const char *root)
{
	struct machine_cpu *cpu;
	uint32_t khz;

	for (cpu = m->cpus; cpu < m->cpus + m->cpu_count; cpu++) {
		cpu->package = machine_read_number(root, CPU "/cpu%u/topology/physical_package_id",
						   cpu->number);
		cpu->core = machine_read_number(root, CPU "/cpu%u/topology/core_id", cpu->number);
		khz = machine_read_number(root, CPU "/cpu%u/cpufreq/cpuinfo_max_freq", cpu->number);
		if (khz != MACHINE_UNKNOWN && khz >= 1000)
			cpu->mhz = khz / 1000;
	}
}

/* The value behind "KEY  : " of a line of /proc/cpuinfo, or NULL */
static char *value_of(char *line, const char *key)
{
	size_t len = strlen(key);
	char *at;

	if (strncmp(line, key, len))
		return NULL;
	at = line + len + strspn(line + len, "\t ");
	if (*at != ':')
		return NULL;
	at += 1 + strspn(at + 1, " ");
	at[strcspn(at, "\n")] = '\0';
	return at;
}

/*
 * Models and clocks. The clock of the moment is the only one of a machine without cpufreq, as
 * virtual ones are, and does not change there.
 */
static void collect_models(struct machine *m, const char *root)
{
	char path[256], line[1024], *value;
	struct machine_cpu *cpu = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if ((value = value_of(line, "processor")))
			cpu = find(m, (uint32_t)strtoul(value, NULL, 10));
		else if (cpu && ((value = value_of(line, "model name")) ||
				 (value = value_of(line, "cpu model"))))
			snprintf(cpu->model, sizeof(cpu->model), "%.*s", MACHINE_TEXT - 1, value);
		else if (cpu && cpu->mhz == MACHINE_UNKNOWN &&
			 (value = value_of(line, "cpu MHz")) && strtod(value, NULL) >= 1)
			cpu->mhz = (uint32_t)(strtod(value, NULL) + 0.5);
	}
	if (file)
		fclose(file);
}

void machine_collect_topology(struct machine *machine, const char *root)
{
	struct topology topology = { machine, root, 0 };
	char list[LIST];

	if (!machine_read_line(list, sizeof(list), root, CPU "/online"))
		return;
	each_of(list, add_cpu, &topology);
	machine->processors = (uint32_t)machine->cpu_count;
	machine->smt = machine_read_number(root, CPU "/smt/active") == 1;
	if (machine_read_line(list, sizeof(list), root, NODE "/online"))
		each_of(list, take_node, &topology);
	collect_places(machine, root);
	collect_models(machine, root);
}
