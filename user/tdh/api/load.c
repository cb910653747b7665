/* SPDX-License-Identifier: MIT */
/*
 * load.c - load manifests into this process: TdhLoadManifest() and related functions
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tdh/store/store.h"
#include "tdh/wevt/wevt.h"
#include "use.h"
#include "base/cancel.h"
#include "base/utf.h"

#define MAX_PATH_UNITS	260	/* MAX_PATH, including the NUL */

/* A loaded manifest and its source: a path, or bytes. */
struct loaded {
	struct loaded *next;
	struct etw_manifest *manifest;	/* a reference */
	bool is_path;
	size_t size;
	char from[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards loaded */
static struct loaded *loaded;

static struct loaded **find(bool is_path, const void *from, size_t size)
{
	struct loaded **at;

	for (at = &loaded; *at; at = &(*at)->next)
		if ((*at)->is_path == is_path && (*at)->size == size &&
		    !memcmp((*at)->from, from, size))
			return at;
	return NULL;
}

static bool drop(bool is_path, const void *from, size_t size)
{
	struct loaded **at = find(is_path, from, size), *gone;

	if (!at)
		return false;
	gone = *at;
	*at = gone->next;
	etw_store_remove(gone->manifest);
	etw_manifest_put(gone->manifest);
	free(gone);
	return true;
}

/* Put new, if it is not NULL, in the place of what was loaded from there; false: nothing. */
static bool replace(bool is_path, const void *from, size_t size, struct loaded *new)
{
	int state = etw_cancel_hold();
	bool found;

	pthread_mutex_lock(&lock);
	found = drop(is_path, from, size);
	if (new) {
		new->next = loaded;
		loaded = new;
	}
	pthread_mutex_unlock(&lock);
	etw_cancel_allow(state);
	return found;
}

/*
 * Add a manifest to the process; takes over the reference. from: the path (with its
 * NUL) or the bytes that it was read from.
 */
static ULONG keep(struct etw_manifest *manifest, bool is_path, const void *from, size_t size)
{
	struct loaded *new = malloc(sizeof(*new) + size);

	if (!new || etw_store_add(manifest)) {
		etw_manifest_put(manifest);
		free(new);
		return ERROR_NOT_ENOUGH_MEMORY;
	}
	new->manifest = manifest;
	new->is_path = is_path;
	new->size = size;
	memcpy(new->from, from, size);
	replace(is_path, from, size, new);
	return ERROR_SUCCESS;
}

static ULONG forget(bool is_path, const void *from, size_t size)
{
	return replace(is_path, from, size, NULL) ? ERROR_SUCCESS : ERROR_NOT_FOUND;
}

/* The ERROR_ code of a failed read: malformed for -EINVAL, missing for -ENOENT */
static ULONG read_error(int err, ULONG malformed, ULONG missing)
{
	switch (err) {
	case -EINVAL:
	case -EFBIG:
		return malformed;
	case -ENOENT:
		return missing;
	case -EACCES:
	case -EPERM:
		return ERROR_ACCESS_DENIED;
	case -ENOMEM:
		return ERROR_NOT_ENOUGH_MEMORY;
	default:
		return ERROR_BAD_PATHNAME;
	}
}

/* ------------------------------------------------------------------ with UTF-8 */

/* Is this a valid path of at most MAX_PATH characters, counted as on Windows? */
static bool path_ok(PCSTR path)
{
	ssize_t units = path && *path ? etw_utf8_to_utf16(path, strlen(path), NULL, 0) : -1;

	return units > 0 && units < MAX_PATH_UNITS;
}

static ULONG load_path(PCSTR path, int (*read)(const char *path, struct etw_manifest **out,
					       struct etw_problems *problems), ULONG malformed)
{
	struct etw_manifest *manifest;
	struct etw_problems problems = { .count = 0 };
	ULONG missing = ERROR_FILE_NOT_FOUND;
	int state, err;

	if (!path_ok(path))
		return ERROR_INVALID_PARAMETER;
	state = etw_cancel_hold();
	if (!access(path, F_OK))
		missing = ERROR_RESOURCE_NOT_FOUND;	/* the file has no schema in it */
	err = read(path, &manifest, &problems);
	etw_cancel_allow(state);
	etw_problems_free(&problems);
	if (err)
		return read_error(err, malformed, missing);
	return keep(manifest, true, path, strlen(path) + 1);
}

TDHSTATUS TdhLoadManifestA(PCSTR Manifest)
{
	return load_path(Manifest, etw_manifest_read_regular, ERROR_XML_PARSE_ERROR);
}

TDHSTATUS TdhLoadManifestFromBinaryA(PCSTR BinaryPath)
{
	return load_path(BinaryPath, etw_manifest_read_binary, ERROR_INVALID_DATA);
}

TDHSTATUS TdhLoadManifestFromMemory(LPCVOID pData, ULONG cbData)
{
	struct etw_manifest *manifest;
	struct etw_problems problems = { .count = 0 };
	int err;

	if (!pData || !cbData)
		return ERROR_INVALID_PARAMETER;
	err = etw_manifest_read_memory(pData, cbData, "memory", &manifest, &problems);
	etw_problems_free(&problems);
	if (err)
		return read_error(err, ERROR_XML_PARSE_ERROR, ERROR_XML_PARSE_ERROR);
	return keep(manifest, false, pData, cbData);
}

TDHSTATUS TdhUnloadManifestA(PCSTR Manifest)
{
	if (!path_ok(Manifest))
		return ERROR_INVALID_PARAMETER;
	return forget(true, Manifest, strlen(Manifest) + 1);
}

TDHSTATUS TdhUnloadManifestFromMemory(LPCVOID pData, ULONG cbData)
{
	if (!pData || !cbData)
		return ERROR_INVALID_PARAMETER;
	return forget(false, pData, cbData);
}

/* ----------------------------------------------------------------- with UTF-16 */

/* Call a function that takes UTF-8 with a path in UTF-16. */
static ULONG call_with(TDHSTATUS (*call)(PCSTR path), PCWSTR path)
{
	char *text;
	ULONG ret;
	int err;

	if (!path)
		return ERROR_INVALID_PARAMETER;
	text = etw_tdh_utf8(path, &err);
	if (!text)
		return etw_tdh_error(err);
	ret = call(text);
	free(text);
	return ret;
}

TDHSTATUS TdhLoadManifest(PWSTR Manifest)
{
	return call_with(TdhLoadManifestA, Manifest);
}

TDHSTATUS TdhLoadManifestFromBinary(PWSTR BinaryPath)
{
	return call_with(TdhLoadManifestFromBinaryA, BinaryPath);
}

TDHSTATUS TdhUnloadManifest(PWSTR Manifest)
{
	return call_with(TdhUnloadManifestA, Manifest);
}
