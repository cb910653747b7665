/* SPDX-License-Identifier: MIT */
/*
 * access.c - change access lists in the kernel and in the file together
 *
 * First write the new file under a temporary name, then set the list in the kernel,
 * which may refuse, then rename the file. If renaming fails, restore the kernel's old
 * list.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "conf_file.h"
#include "base/grow.h"
#include "device/kdev.h"

const char *etw_access_path(void)
{
	const char *path = secure_getenv(ETW_ACCESS_CONF_ENV);

	return path && *path ? path : ETW_ACCESS_CONF;
}

/* ---------------------------------------------------------------- the kernel */

static int query(int fd, uint32_t flags, struct etw_access_list *list, bool *own)
{
	struct etw_access a = {
		.flags = flags,
		.guid = list->guid,
		.entries = (uintptr_t)list->entries,
		.capacity = ETW_ACCESS_ENTRIES_MAX,
	};
	int ret = etw_kdev_access_query(fd, &a);

	if (ret)
		return ret;
	list->guid = a.guid;
	list->count = a.count < ETW_ACCESS_ENTRIES_MAX ? a.count : ETW_ACCESS_ENTRIES_MAX;
	*own = a.own;
	return 0;
}

int etw_access_get(int fd, const struct etw_guid *guid, struct etw_access_list *list,
		   bool *own)
{
	memset(list, 0, sizeof(*list));
	list->guid = *guid;
	return query(fd, 0, list, own);
}

int etw_access_get_next(int fd, struct etw_access_list *list)
{
	bool own;

	return query(fd, ETW_ACCESS_NEXT, list, &own);
}

static int set(int fd, const struct etw_access_list *list)
{
	struct etw_access a = {
		.guid = list->guid,
		.entries = (uintptr_t)list->entries,
		.count = list->count,
	};

	return etw_kdev_access_set(fd, &a);
}

/* Set list; NULL removes the GUID's list. */
static int put(int fd, const struct etw_guid *guid, const struct etw_access_list *list)
{
	struct etw_access a = { .guid = *guid };

	return list ? set(fd, list) : etw_kdev_access_remove(fd, &a);
}

/* ------------------------------------------------------------------ together */

static int file_error(struct etw_access_error *error, int err)
{
	snprintf(error->what, sizeof(error->what), "%s", strerror(-err));
	return err;
}

static int parse(const struct etw_access_file *file, etw_access_skipped *skipped,
		 struct etw_access_conf *conf, struct etw_access_error *error)
{
	int ret = etw_access_parse(file->text ? file->text : "", file->len, skipped, conf, error);

	return ret == -EINVAL ? -EUCLEAN : ret;
}

/* Write the new text beside the file. */
static int prepare(struct etw_access_file *file, const struct etw_guid *guid,
		   const struct etw_access_list *list, struct etw_access_error *error)
{
	struct etw_access_conf conf;
	char *text = NULL;
	size_t len;
	int ret;

	ret = parse(file, NULL, &conf, error);
	/*
	 * The kernel may hold fewer lists and still have room, but no load could take
	 * this file.
	 */
	if (!ret && list && conf.count == ETW_ACCESS_LISTS_MAX &&
	    !etw_access_conf_find(&conf, guid))
		ret = -ENOSPC;
	if (!ret) {
		text = etw_access_edit(file->text, file->len, &conf, guid, list, &len);
		ret = text ? etw_access_file_prepare(file, text, len) : -ENOMEM;
		if (ret)
			file_error(error, ret);
	}
	etw_access_conf_free(&conf);
	free(text);
	return ret;
}

/* The file is open. */
static int store(int fd, struct etw_access_file *file, const struct etw_guid *guid,
		 const struct etw_access_list *list, struct etw_access_error *error)
{
	struct etw_access_list before;
	bool own;
	int ret;

	ret = etw_access_get(fd, guid, &before, &own);
	if (ret)
		return ret;
	ret = prepare(file, guid, list, error);
	if (ret)
		return ret;
	ret = put(fd, guid, list);
	if (ret)
		return ret;
	ret = etw_access_file_commit(file);
	if (!ret)
		return 0;
	put(fd, guid, own ? &before : NULL);
	return file_error(error, ret);
}

int etw_access_store(int fd, const struct etw_guid *guid, const struct etw_access_list *list,
		     struct etw_access_error *error)
{
	struct etw_access_file file;
	int ret;

	memset(error, 0, sizeof(*error));
	ret = etw_access_file_open(etw_access_path(), &file);
	if (ret)
		return file_error(error, ret);
	ret = store(fd, &file, guid, list, error);
	etw_access_file_close(&file);
	return ret;
}

/*
 * If the file has a list for the GUID, is it the one in force? It may differ: the file
 * was not loaded, or was edited by hand. Appending would then replace the file's list.
 */
static int check_same(const struct etw_access_file *file, const struct etw_access_list *now,
		      struct etw_access_error *error)
{
	static const struct etw_guid standard = ETW_ACCESS_DEFAULT_GUID;
	const struct etw_access_list *kept = NULL;
	struct etw_access_conf conf;
	int ret;

	ret = parse(file, NULL, &conf, error);
	if (!ret) {
		kept = etw_access_conf_find(&conf, &now->guid);
		if (!kept)
			kept = etw_access_conf_find(&conf, &standard);
	}
	if (kept && (kept->count != now->count ||
		     memcmp(kept->entries, now->entries, now->count * sizeof(now->entries[0])))) {
		snprintf(error->what, sizeof(error->what), "the file's list differs from the "
			 "one in force: run \"etw access load\", or set a new list");
		ret = -ENOTUNIQ;
	}
	etw_access_conf_free(&conf);
	return ret;
}

int etw_access_append(int fd, const struct etw_guid *guid,
		      const struct etw_access_entry *entries, uint32_t count,
		      struct etw_access_error *error)
{
	struct etw_access_file file;
	struct etw_access_list list;
	bool own;
	int ret;

	memset(error, 0, sizeof(*error));
	/* Lock before reading, so that concurrent appends both take effect. */
	ret = etw_access_file_open(etw_access_path(), &file);
	if (ret)
		return file_error(error, ret);
	ret = etw_access_get(fd, guid, &list, &own);
	if (!ret)
		ret = check_same(&file, &list, error);
	if (!ret && count > ETW_ACCESS_ENTRIES_MAX - list.count)
		ret = -ENOSPC;
	if (!ret) {
		memcpy(list.entries + list.count, entries, count * sizeof(*entries));
		list.count += count;
		ret = store(fd, &file, guid, &list, error);
	}
	etw_access_file_close(&file);
	return ret;
}

/* ------------------------------------------------------------------- loading */

/* Read all lists of the kernel. */
static int get_all(int fd, struct etw_access_conf *all)
{
	struct etw_access_list *lists, list;
	int ret;

	memset(all, 0, sizeof(*all));
	memset(&list, 0, sizeof(list));
	while (!(ret = etw_access_get_next(fd, &list))) {
		lists = etw_grow(all->lists, all->count, sizeof(*lists));
		if (!lists)
			return -ENOMEM;
		all->lists = lists;
		lists[all->count++] = list;
	}
	return ret == -ESRCH ? 0 : ret;
}

/* Replace the kernel's lists: those of to, and no others of from. */
static int change(int fd, const struct etw_access_conf *from, const struct etw_access_conf *to)
{
	size_t i;
	int ret = 0;

	/* Remove lists first, so that the kernel's limits leave room. */
	for (i = 0; !ret && i < from->count; i++)
		if (!etw_access_conf_find(to, &from->lists[i].guid))
			ret = put(fd, &from->lists[i].guid, NULL);
	for (i = 0; !ret && i < to->count; i++)
		ret = set(fd, &to->lists[i]);
	return ret;
}

/*
 * Open what is to be loaded. Our own file stays locked until its lists are in the
 * kernel; otherwise loading could undo a concurrent change of both. If locking fails,
 * on a read-only or full disk, read the file anyway: without its lists, everyone may do
 * what they deny.
 */
static int open_for_load(const char *path, struct etw_access_file *file)
{
	int ret;

	if (path)
		return etw_access_file_look(path, true, file);
	path = etw_access_path();
	ret = etw_access_file_open(path, file);
	/* Opening fails if the lock is a link; a link in the file's place is not followed. */
	if (ret)
		ret = etw_access_file_look(path, false, file);
	/* No list was ever stored. */
	return ret == -ENOENT ? 0 : ret;
}

int etw_access_load(int fd, const char *path, etw_access_skipped *skipped,
		    struct etw_access_error *error)
{
	struct etw_access_conf before = { 0 }, conf = { 0 };
	struct etw_access_file file;
	int ret;

	memset(error, 0, sizeof(*error));
	ret = open_for_load(path, &file);
	if (ret)
		return file_error(error, ret);
	ret = parse(&file, skipped, &conf, error);
	if (!ret)
		ret = get_all(fd, &before);
	if (!ret) {
		ret = change(fd, &before, &conf);
		if (ret)
			change(fd, &conf, &before);
	}
	etw_access_conf_free(&before);
	etw_access_conf_free(&conf);
	etw_access_file_close(&file);
	return ret;
}
