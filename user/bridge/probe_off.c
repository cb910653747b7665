// SPDX-License-Identifier: MIT
/*
 * probe_off.c - probes of kernel functions that the kernel has switched off
 *
 * debugfs has the switch of all probes, and a list of them:
 *
 *	ffffffff812ff3a0  k  vfs_read+0x0    [DISABLED][FTRACE]
 *	ffffffffc03ea010  r  etw_blk_read+0x10  etw_blk [GONE]
 *
 * A function that the list has under another name is one of which nothing is known.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "probe_functions.h"
#include "probe_off.h"
#include "probe_spec.h"

#define KPROBES	"/sys/kernel/debug/kprobes/"

static bool all_off(void)
{
	FILE *file = fopen(KPROBES "enabled", "re");
	int c = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return c == '0';
}

/* Is the probe of this function in the list, and in every place there marked as off? */
static bool marked(const struct probe_spec *spec)
{
	FILE *file = fopen(KPROBES "list", "re");
	const char type = probe_spec_returns(spec) ? 'r' : 'k';
	char line[512], symbol[PROBE_TEXT + 32], name[512], kind;
	bool off = false, on = false;

	snprintf(symbol, sizeof(symbol), "%s+0x%llx", spec->symbol, (unsigned long long)spec->offset);
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %c %511s", &kind, name) != 2 || kind != type ||
		    strcmp(name, symbol))
			continue;
		if (strstr(line, "[DISABLED]") || strstr(line, "[GONE]"))
			off = true;
		else
			on = true;
	}
	if (file)
		fclose(file);
	return off && !on;
}

const char *probe_off(const char *name)
{
	struct probe_spec spec;
	char why[PROBE_TEXT];

	if (!probe_spec_parse(name, &spec, why) || *spec.path)
		return NULL;
	/* The list of those that can be traced is read once, all symbols each time. */
	if (!probe_function_find(spec.symbol) && !probe_function_exists(spec.symbol))
		return "its function has gone with the module";
	if (all_off())
		return "the kernel's probes are switched off";
	return marked(&spec) ? "it is switched off" : NULL;
}
