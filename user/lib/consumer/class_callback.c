// SPDX-License-Identifier: MIT
/*
 * class_callback.c - callbacks for the events of one class
 *
 * Semantics: Microsoft's pages "SetTraceCallback function" and "RemoveTraceCallback
 * function".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "class_callback.h"

struct class {
	struct class *next;
	GUID guid;
	PEVENT_CALLBACK callback;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct class *classes;		/* under lock; only a few */
static atomic_uint count;		/* number of classes */

/* The link to the class, or to the list's end. The lock is held. */
static struct class **find(const GUID *guid)
{
	struct class **p = &classes;

	while (*p && memcmp(&(*p)->guid, guid, sizeof(*guid)))
		p = &(*p)->next;
	return p;
}

PEVENT_CALLBACK etw_class_callback(const GUID *class)
{
	PEVENT_CALLBACK callback = NULL;
	struct class *found;

	if (!atomic_load_explicit(&count, memory_order_relaxed))
		return NULL;
	pthread_mutex_lock(&lock);
	found = *find(class);
	if (found)
		callback = found->callback;
	pthread_mutex_unlock(&lock);
	return callback;
}

ULONG SetTraceCallback(LPCGUID pGuid, PEVENT_CALLBACK EventCallback)
{
	struct class *found, *spare;

	if (!pGuid || !EventCallback)
		return ERROR_INVALID_PARAMETER;
	spare = malloc(sizeof(*spare));
	if (!spare)
		return ERROR_NOT_ENOUGH_MEMORY;
	pthread_mutex_lock(&lock);
	found = *find(pGuid);
	if (found) {
		found->callback = EventCallback;
	} else {
		*spare = (struct class){ classes, *pGuid, EventCallback };
		classes = spare;
		spare = NULL;
		atomic_fetch_add(&count, 1);
	}
	pthread_mutex_unlock(&lock);
	free(spare);
	return ERROR_SUCCESS;
}

ULONG RemoveTraceCallback(LPCGUID pGuid)
{
	struct class **p, *found;

	if (!pGuid)
		return ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&lock);
	p = find(pGuid);
	found = *p;
	if (found) {
		*p = found->next;
		atomic_fetch_sub(&count, 1);
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		return ERROR_WMI_GUID_NOT_FOUND;
	free(found);
	return ERROR_SUCCESS;
}
