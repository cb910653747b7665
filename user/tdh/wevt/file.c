// SPDX-License-Identifier: MIT
/*
 * file.c - read manifests from Windows binaries
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tdh/model/langid.h"
#include "wevt.h"
#include "pe.h"
#include "read.h"

#define TABLES_MAX	64u	/* languages of a manifest */
#define RC_MAX		65536u	/* bytes of a resource script */
#define RT_MESSAGETABLE	ETW_PE_MESSAGE_TABLE

struct tables {
	struct etw_wevt_table list[TABLES_MAX];
	unsigned int count;
};

/* Takes ownership of data, and frees it if the language is a duplicate or one too many. */
static void add_table(struct tables *tables, const char *culture, uint8_t *data, size_t size)
{
	unsigned int i;

	for (i = 0; i < tables->count; i++) {
		if (!strcmp(tables->list[i].culture, culture))
			break;
	}
	if (i < tables->count || i == TABLES_MAX) {
		free(data);
		return;
	}
	tables->list[i] = (struct etw_wevt_table){ .data = data, .size = size, .culture = culture };
	tables->count++;
}

static void free_tables(struct tables *tables)
{
	while (tables->count)
		free((void *)tables->list[--tables->count].data);
}

/* A language without a number of its own is treated as English, like most neutral ones. */
static const char *culture_of(uint16_t langid)
{
	const char *culture = etw_langid_culture(langid);

	return culture ? culture : "en-US";
}

static int add_tables_of(int fd, struct tables *tables)
{
	struct etw_pe_resource found[TABLES_MAX];
	int n = etw_pe_find(fd, NULL, RT_MESSAGETABLE, found, TABLES_MAX), i;

	for (i = 0; i < n; i++)
		add_table(tables, culture_of(found[i].langid), found[i].data, found[i].size);
	return n < 0 ? n : 0;
}

/* Add the tables of a file beside it, if there is one; they only add texts. */
static void add_satellite(int dir, const char *path, struct tables *tables)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return;
	add_tables_of(fd, tables);
	close(fd);
}

static int is_culture(const struct dirent *entry)
{
	return etw_langid(entry->d_name) != 0;
}

static void add_satellites(const char *dir_path, const char *base, struct tables *tables)
{
	struct dirent **entries = NULL;
	char path[2 * NAME_MAX + 8];
	int dir, n, i;

	dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	n = scandir(dir_path, &entries, is_culture, alphasort);
	for (i = 0; i < n; i++) {
		if (snprintf(path, sizeof(path), "%s/%s.mui", entries[i]->d_name, base) <
		    (int)sizeof(path))
			add_satellite(dir, path, tables);
		free(entries[i]);
	}
	free(entries);
	if (snprintf(path, sizeof(path), "%s.mui", base) < (int)sizeof(path))
		add_satellite(dir, path, tables);
	close(dir);
}

/* Read the whole file. 0, -EFBIG, -ENOMEM, or an error of reading. */
static int load_file(int fd, size_t max, uint8_t **data, size_t *size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if ((uint64_t)st.st_size > max)
		return -EFBIG;
	*size = st.st_size;
	return etw_pe_load(fd, 0, st.st_size, data);
}

/* Add a message table named by a script; only from the same folder. */
static void add_named(int dir, const char *name, uint16_t langid, struct tables *tables)
{
	uint8_t *data;
	size_t size = 0;
	int fd;

	if (!*name || strpbrk(name, "/\\"))
		return;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return;
	if (!load_file(fd, ETW_PE_RESOURCE_MAX, &data, &size))
		add_table(tables, culture_of(langid), data, size);
	close(fd);
}

/* LANGUAGE l,s and 1 11 "NAME", as the message compiler writes them. */
static void read_script(int dir, char *script, struct tables *tables)
{
	unsigned int language = 0x09, sub = 0x01, number, type;
	char name[NAME_MAX + 1], *line, *rest = NULL;

	for (line = strtok_r(script, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
		if (sscanf(line, " LANGUAGE %i , %i", (int *)&language, (int *)&sub) == 2)
			continue;
		if (sscanf(line, " %u %u \"%255[^\"]\"", &number, &type, name) == 3 &&
		    type == RT_MESSAGETABLE)
			add_named(dir, name, (language & 0x3ff) | sub << 10, tables);
	}
}

static void add_script(const char *dir_path, const char *base, struct tables *tables)
{
	char path[NAME_MAX + 8], *script;
	size_t len = strlen(base), size = 0;
	uint8_t *data;
	int dir, fd;

	if (len < 8 || len > NAME_MAX || strcasecmp(base + len - 8, "TEMP.BIN"))
		return;
	snprintf(path, sizeof(path), "%.*s.rc", (int)len - 8, base);
	dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = dir < 0 ? -1 : openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && !load_file(fd, RC_MAX, &data, &size)) {
		script = strndup((char *)data, size);
		if (script)
			read_script(dir, script, tables);
		free(script);
		free(data);
	}
	if (fd >= 0)
		close(fd);
	if (dir >= 0)
		close(dir);
}

/* Load the resource of an image, or the file itself. 0, -ENOENT: no resource. */
static int load_resource(int fd, struct etw_pe_resource *wevt, bool *bare)
{
	uint8_t magic[4] = { 0 };
	ssize_t n = pread(fd, magic, sizeof(magic), 0);
	int ret;

	if (n < 0)
		return -errno;
	*bare = n == sizeof(magic) && !memcmp(magic, "CRIM", 4);
	if (*bare)
		return load_file(fd, ETW_PE_RESOURCE_MAX, &wevt->data, &wevt->size);
	ret = etw_pe_find(fd, "WEVT_TEMPLATE", 0, wevt, 1);
	return ret < 0 ? ret : ret ? 0 : -ENOENT;
}

static void explain(int err, struct etw_problems *problems)
{
	if (!problems)
		return;
	if (err == -EINVAL)
		etw_problem_add(problems, 0, false,
				"this is neither a PE image nor a WEVT_TEMPLATE resource");
	else if (err == -ENOENT)
		etw_problem_add(problems, 0, false, "the image has no WEVT_TEMPLATE resource");
	else if (err == -EFBIG)
		etw_problem_add(problems, 0, false, "the resource is longer than 64 MB");
}

static int read_open(int fd, const char *path, struct etw_manifest **out,
		     struct etw_problems *problems)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *dir = slash ? strndup(path, slash - path + 1) : strdup(".");
	struct etw_pe_resource wevt = { .data = NULL };
	struct tables tables = { .count = 0 };
	bool bare = false;
	int ret = dir ? load_resource(fd, &wevt, &bare) : -ENOMEM;

	if (ret) {
		explain(ret, problems);
		free(dir);
		return ret;
	}
	if (bare) {
		add_script(dir, base, &tables);
	} else {
		add_tables_of(fd, &tables);
		add_satellites(dir, base, &tables);
	}
	ret = etw_wevt_read(wevt.data, wevt.size, tables.list, tables.count, path, out, problems);
	free_tables(&tables);
	free(wevt.data);
	free(dir);
	return ret;
}

int etw_manifest_read_binary(const char *path, struct etw_manifest **out,
			     struct etw_problems *problems)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	ret = read_open(fd, path, out, problems);
	close(fd);
	return ret;
}
