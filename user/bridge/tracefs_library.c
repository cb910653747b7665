/* SPDX-License-Identifier: MIT */
/*
 * tracefs_library.c - libtracefs and libtraceevent, loaded when they are first needed
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include "tracefs_library.h"

#define TRACEFS_LIBRARY	"libtracefs.so.1"	/* needs libtraceevent, and so loads it */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct tracefs_library library;
static bool loaded;

static void load(void)
{
	static const char *const names[] = {
		"tracefs_tracing_dir", "tracefs_event_systems", "tracefs_system_events",
		"tracefs_list_free", "tracefs_event_file_read", "tep_alloc", "tep_free",
		"tep_set_loglevel", "tep_parse_event", "tep_get_first_event",
	};
	void *found[sizeof(names) / sizeof(*names)];
	void *handle = dlopen(TRACEFS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	size_t i = 0;

	_Static_assert(sizeof(found) == sizeof(library), "a name for each member");
	if (!handle)
		return;
	while (i < sizeof(names) / sizeof(*names) && (found[i] = dlsym(handle, names[i])))
		i++;
	loaded = i == sizeof(names) / sizeof(*names);
	/* Once one of its functions was called, it stays. */
	if (loaded)
		memcpy(&library, found, sizeof(library));
	else
		dlclose(handle);
}

const struct tracefs_library *tracefs_library(void)
{
	pthread_once(&once, load);
	return loaded ? &library : NULL;
}
