/* SPDX-License-Identifier: MIT */
/*
 * collect.c - see what this machine is
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/guid.h"
#include "cli/cli.h"
#include "machine.h"

_Static_assert(MACHINE_TEXT > sizeof(((struct utsname *)0)->version), "names are not cut");

static void collect_names(struct machine *m)
{
	struct utsname names;

	if (uname(&names))
		return;
	snprintf(m->host, sizeof(m->host), "%s", names.nodename);
	snprintf(m->release, sizeof(m->release), "%s", names.release);
	snprintf(m->version, sizeof(m->version), "%s", names.version);
	snprintf(m->architecture, sizeof(m->architecture), "%s", names.machine);
	if (strcmp(names.domainname, "(none)"))
		snprintf(m->domain, sizeof(m->domain), "%s", names.domainname);
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)", as in os-release(5); quotes are optional. */
static void collect_distribution(struct machine *m, const char *root)
{
	static const char key[] = "PRETTY_NAME=";
	char path[256], line[512], *value;
	FILE *file;

	snprintf(path, sizeof(path), "%s/etc/os-release", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, sizeof(key) - 1))
			continue;
		value = line + sizeof(key) - 1;
		value += strspn(value, "\"'");
		value[strcspn(value, "\"'\n")] = '\0';
		snprintf(m->distribution, sizeof(m->distribution), "%.*s", MACHINE_TEXT - 1, value);
		break;
	}
	if (file)
		fclose(file);
}

static void collect_memory(struct machine *m, const char *root)
{
	unsigned long long kilobytes;
	long page = sysconf(_SC_PAGESIZE);
	char line[128];

	if (page > 0)
		m->page_size = (uint32_t)page;
	/* Its first line is the total. */
	if (machine_read_line(line, sizeof(line), root, "/proc/meminfo") &&
	    sscanf(line, "MemTotal: %llu kB", &kilobytes) == 1)
		m->memory = kilobytes << 10;
}

void machine_collect(struct machine *machine, const char *root)
{
	char boot[64];

	if (machine_read_line(boot, sizeof(boot), root, "/proc/sys/kernel/random/boot_id"))
		etw_guid_parse(boot, &machine->boot);
	collect_names(machine);
	collect_distribution(machine, root);
	collect_memory(machine, root);
	machine_collect_topology(machine, root);
	machine_collect_kernel(machine, root);
}

void machine_free(struct machine *machine)
{
	free(machine->cpus);
	free(machine->modules);
	memset(machine, 0, sizeof(*machine));
}

bool machine_same_build(const struct machine_build_id *one, const struct machine_build_id *other)
{
	return one->len && one->len == other->len && !memcmp(one->bytes, other->bytes, one->len);
}
