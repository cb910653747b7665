/* SPDX-License-Identifier: MIT */
/*
 * value_names.c - names of the values in the kernel's trace events
 *
 * TraceLogging's metadata have no place for maps. What the kernel calls its flags and symbols is
 * in a manifest that the trace embeds: an event with the id and the name of the trace event has
 * a template with the named fields. The format files do not name the errors that system calls
 * return, nor signals; these have the same names in all kernels, and are here.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "decoder.h"

#define TRACE_EVENT	"tracepoint:"

/* A map whose entries are made once, in ascending order */
struct own_map {
	struct etw_mf_map map;
	struct etw_mf_map_entry entries[256];
	struct etw_mf_message messages[256];
	const char *texts[256];
	uint32_t by_value[256];
};

/* Results of system calls are counts and addresses as well. */
static struct own_map errors = { .map = { .name = "Errors", .sparse = true } };
static struct own_map signals = { .map = { .name = "Signals" } };
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Errors that system calls return to the kernel only */
static const struct {
	int error;
	const char *name;
} internal[] = {
	{ 516, "ERESTART_RESTARTBLOCK" }, { 515, "ENOIOCTLCMD" }, { 514, "ERESTARTNOHAND" },
	{ 513, "ERESTARTNOINTR" }, { 512, "ERESTARTSYS" },
};

static void add(struct own_map *own, int value, const char *name)
{
	struct etw_mf_map *map = &own->map;
	unsigned int i = map->count++;

	own->texts[i] = name;
	own->messages[i].text = &own->texts[i];
	own->entries[i].value = (uint32_t)value;
	own->entries[i].message = &own->messages[i];
	own->by_value[i] = i;
	map->entries = own->entries;
	map->by_value = own->by_value;
	map->by_value_count = map->count;
}

static void make(void)
{
	static char names[32][16];
	const char *name;
	size_t i;
	int n;

	for (i = 0; i < sizeof(internal) / sizeof(*internal); i++)
		add(&errors, -internal[i].error, internal[i].name);
	for (n = 133; n; n--)
		if ((name = strerrorname_np(n)))
			add(&errors, -n, name);
	for (n = 1; n < 32; n++) {
		name = sigabbrev_np(n);
		if (!name)
			continue;
		snprintf(names[n], sizeof(names[n]), "SIG%s", name);
		add(&signals, n, names[n]);
	}
}

/* Fields by the beginning of the provider's name */
static const struct {
	const char *provider, *field;
	const struct own_map *own;
} fields[] = {
	{ TRACE_EVENT "syscalls:sys_exit_", "ret", &errors },
	{ TRACE_EVENT "raw_syscalls:sys_exit", "ret", &errors },
	{ TRACE_EVENT "syscalls:sys_enter_", "sig", &signals },
	{ TRACE_EVENT "signal:signal_", "sig", &signals },
};

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const struct etw_mf_map *own_map(const char *provider, const char *field)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!begins(provider, fields[i].provider) ||
		    (field && strcmp(field, fields[i].field)))
			continue;
		pthread_once(&once, make);
		return &fields[i].own->map;
	}
	return NULL;
}

bool etw_value_names_of(const struct etw_decoder *d, const char *provider, const void *guid,
			const char *event, struct etw_value_names *names)
{
	if (!provider || !begins(provider, TRACE_EVENT))
		return false;
	*names = (struct etw_value_names){ .provider = provider };
	memcpy(&names->guid, guid, sizeof(names->guid));
	if (!etw_embedded_find(d, &names->guid, &names->event, &names->manifest) ||
	    !names->event || !names->event->name || strcmp(names->event->name, event) ||
	    !names->event->template)
		etw_value_names_put(names);
	return names->event || own_map(provider, NULL);
}

void etw_value_names_take(struct etw_value_names *names, const char *provider,
			  struct etw_manifest *manifest)
{
	*names = (struct etw_value_names){ .provider = provider };
	if (!manifest || manifest->provider_count != 1 || !manifest->providers[0].event_count)
		return;
	names->guid = manifest->providers[0].guid;
	names->event = &manifest->providers[0].events[0];
	names->manifest = etw_manifest_get(manifest);
}

void etw_value_names_put(struct etw_value_names *names)
{
	etw_manifest_put(names->manifest);
	names->manifest = NULL;
	names->event = NULL;
}

bool etw_value_names_find(const struct etw_value_names *names, const char *field,
			  struct etw_field_map *map)
{
	const struct etw_mf_template *template = names->event ? names->event->template : NULL;
	unsigned int i;

	for (i = 0; template && i < template->top; i++) {
		if (!template->fields[i].map || strcmp(template->fields[i].name, field))
			continue;
		*map = (struct etw_field_map){ template->fields[i].map, names->manifest };
		return true;
	}
	*map = (struct etw_field_map){ own_map(names->provider, field), NULL };
	return map->map;
}
