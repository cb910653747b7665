/* SPDX-License-Identifier: MIT */
/*
 * files.c - the files of builds that a trace names, as far as they are here
 *
 * A path says where a file was, its build id which file it was: one with another build id is never
 * used. Debug information lies under its build id as packages install it. Files are mapped, so one
 * that another user might cut off meanwhile is copied first.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/table.h"
#include "debuginfod.h"
#include "files.h"

#define OPEN_MAX_FILES	256	/* with what is read of them */
#define COPY_MAX	(512u << 20)	/* bytes of a file that is copied; larger ones are not read */
#define COPIES_MAX	(2 * (size_t)COPY_MAX)	/* of those that are open: the last two stay */
#define HEX_MAX		(2 * 64 + 1)

struct file {
	const struct image_file *of;
	enum symbol_files_state state;
	struct elf_functions *functions;	/* NULL: it is not open */
	size_t copied;				/* bytes, if what is open is a copy */
	struct file *older, *newer;		/* of those that are open */
};

struct symbol_files {
	const char *root;
	struct debuginfod *server;		/* NULL: none */
	struct elf_debug debug;
	struct etw_table table;			/* of files, by their image_file */
	struct file *newest, *oldest;
	unsigned int open;
	size_t copied;				/* bytes of those that are open */
};

/* ---------------------------------------------------------------------- finding */

/* May somebody else change the file while it is mapped, so that reading it would be a fault? */
static bool is_others(const struct stat *st)
{
	return (st->st_uid && st->st_uid != geteuid()) || st->st_mode & (S_IWGRP | S_IWOTH);
}

/* A copy that nobody else has, or -1 */
static int copy_file(int fd, const struct stat *st)
{
	int copy = st->st_size <= COPY_MAX ? memfd_create("etw-symbols", MFD_CLOEXEC) : -1;
	off_t left = st->st_size;
	ssize_t n = 1;

	while (copy >= 0 && left && n > 0) {
		n = sendfile(copy, fd, NULL, (size_t)left);
		left -= n > 0 ? n : 0;
	}
	if (copy >= 0 && left) {
		close(copy);
		copy = -1;
	}
	return copy;
}

/* How large a copy is; 0: it is none. Only files that lie in memory have seals. */
static size_t copied_size(int fd)
{
	struct stat st;

	return fd >= 0 && fcntl(fd, F_GET_SEALS) >= 0 && !fstat(fd, &st) ? (size_t)st.st_size : 0;
}

/* Reading a file that the kernel makes may take something away, as from its log. */
static bool is_made(int fd, const struct stat *st)
{
	struct statfs system;

	return st->st_size < (off_t)sizeof(Elf64_Ehdr) || fstatfs(fd, &system) ||
	       system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC;
}

/* Paths are anybody's: what they name may be a device, or a pipe without a writer. */
static int open_regular(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), own = fd;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || is_made(fd, &st))
		own = -1;
	else if (is_others(&st))
		own = copy_file(fd, &st);
	if (own != fd)
		close(fd);
	return own;
}

static bool is_build(int fd, const uint8_t *build_id, size_t len)
{
	uint8_t own[64];

	return len && elf_build_id(fd, own, sizeof(own)) == len && !memcmp(own, build_id, len);
}

/* below: a folder, or "". -1: there is none. *differs: there is one of another build. */
static int open_build(const char *below, const char *path, const uint8_t *build_id, size_t len,
		      bool *differs)
{
	char full[PATH_MAX];
	int fd;

	if ((size_t)snprintf(full, sizeof(full), "%s%s", below, path) >= sizeof(full))
		return -1;
	fd = open_regular(full);
	if (fd >= 0 && !is_build(fd, build_id, len)) {
		*differs = true;
		close(fd);
		fd = -1;
	}
	return fd;
}

static void add_hex(char to[HEX_MAX], const uint8_t *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		sprintf(to + 2 * i, "%02x", bytes[i]);
}

/* elf_debug.find */
static int find_debug(void *context, const uint8_t *build_id, size_t len)
{
	const struct symbol_files *files = context;
	char hex[HEX_MAX], path[HEX_MAX + 64];
	bool differs;
	int fd = -1;

	if (len < 2 || len > HEX_MAX / 2)
		return -1;
	add_hex(hex, build_id, len);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
	if (files->root)
		fd = open_build(files->root, path, build_id, len, &differs);
	if (fd < 0)
		fd = open_build("", path, build_id, len, &differs);
	return fd < 0 && files->server ? debuginfod_find(files->server, build_id, len) : fd;
}

static int find_file(const struct symbol_files *files, const struct image_file *of, bool *differs)
{
	int fd = -1;

	*differs = false;
	if (files->root && of->path[0] == '/')
		fd = open_build(files->root, of->path, of->build_id, of->build_id_len, differs);
	if (fd < 0 && of->path[0] == '/')
		fd = open_build("", of->path, of->build_id, of->build_id_len, differs);
	/* Its symbols are there, too. */
	return fd < 0 ? find_debug((void *)files, of->build_id, of->build_id_len) : fd;
}

/* ------------------------------------------------------------------------ files */

static uint64_t hash_of(const struct image_file *of)
{
	return etw_hash_number(etw_hash_seed(), (uintptr_t)of);
}

static bool is_of(const void *entry, const void *key)
{
	return ((const struct file *)entry)->of == key;
}

struct symbol_files *symbol_files_new(const char *root, const char *debuginfod)
{
	struct symbol_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->root = root;
	files->debug = (struct elf_debug){ find_debug, files };
	files->server = debuginfod ? debuginfod_new(debuginfod) : NULL;
	if (!debuginfod || files->server)
		return files;
	free(files);
	return NULL;
}

static void free_file(void *entry)
{
	struct file *file = entry;

	elf_functions_close(file->functions);
	free(file);
}

void symbol_files_free(struct symbol_files *files)
{
	if (!files)
		return;
	etw_table_clear(&files->table, free_file);
	debuginfod_free(files->server);
	free(files);
}

static void unlink_file(struct symbol_files *files, struct file *file)
{
	*(file->older ? &file->older->newer : &files->oldest) = file->newer;
	*(file->newer ? &file->newer->older : &files->newest) = file->older;
	files->open--;
	files->copied -= file->copied;
}

static void link_newest(struct symbol_files *files, struct file *file)
{
	file->older = files->newest;
	file->newer = NULL;
	*(files->newest ? &files->newest->newer : &files->oldest) = file;
	files->newest = file;
	files->open++;
	files->copied += file->copied;
}

static void close_oldest(struct symbol_files *files)
{
	struct file *file = files->oldest;

	unlink_file(files, file);
	elf_functions_close(file->functions);
	file->functions = NULL;
}

static void open_file(struct symbol_files *files, struct file *file)
{
	bool differs;
	int fd;

	if (!file->of->build_id_len) {
		file->state = FILES_NO_BUILD_ID;
		return;
	}
	fd = find_file(files, file->of, &differs);
	file->copied = copied_size(fd);
	file->functions = fd < 0 ? NULL : elf_functions_open(fd, &files->debug);
	if (!file->functions) {
		file->state = differs ? FILES_DIFFERS : FILES_MISSING;
		return;
	}
	link_newest(files, file);
	while (files->open > OPEN_MAX_FILES || files->copied > COPIES_MAX)
		close_oldest(files);
}

struct elf_functions *symbol_files_get(struct symbol_files *files, const struct image_file *of)
{
	struct file *file = etw_table_find(&files->table, hash_of(of), is_of, of);

	if (!file) {
		file = calloc(1, sizeof(*file));
		if (!file)
			return NULL;
		file->of = of;
		if (etw_table_add(&files->table, hash_of(of), file)) {
			free(file);
			return NULL;
		}
	}
	if (file->functions) {
		unlink_file(files, file);
		link_newest(files, file);
	} else if (file->state == FILES_FOUND) {
		open_file(files, file);
	}
	return file->functions;
}

const struct image_file *symbol_files_next(const struct symbol_files *files, size_t *at,
					   enum symbol_files_state *why)
{
	const struct file *file;

	while (*at < files->table.size) {
		file = files->table.slots[(*at)++].entry;
		if (file && file->state != FILES_FOUND) {
			*why = file->state;
			return file->of;
		}
	}
	return NULL;
}
