/* SPDX-License-Identifier: MIT */
/*
 * mapped.c - what processes that run have mapped, if the trace does not say it
 *
 * A process's mappings are read for its first stack, and again for an address that they do not
 * have, at most once for each stack. A file is the mapped one if it has the same inode.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "cli/cli.h"
#include "symbols_private.h"

void symbols_forget_mappings(struct symbols *s)
{
	while (s->mapping_count)
		free(s->mappings[--s->mapping_count].path);
}

static void read_mappings(struct symbols *s, uint32_t pid)
{
	unsigned long long begin, end, offset, inode;
	char path[32], line[4352], flags[8];
	unsigned int major, minor;
	FILE *file;
	int at;

	symbols_forget_mappings(s);
	s->pid = pid;
	s->missing = 0;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		at = 0;
		if (sscanf(line, "%llx-%llx %7s %llx %x:%x %llu %n", &begin, &end, flags, &offset,
			   &major, &minor, &inode, &at) < 7 || !at || flags[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!line[at])
			continue;
		s->mappings = cli_grow(s->mappings, s->mapping_count, sizeof(*s->mappings));
		s->mappings[s->mapping_count++] = (struct mapping){
			.begin = begin, .end = end, .offset = offset, .inode = inode,
			.major = major, .minor = minor, .path = cli_strdup(line + at),
		};
	}
	if (file)
		fclose(file);
}

static struct mapping *find_mapping(const struct symbols *s, uint64_t address)
{
	size_t i;

	for (i = 0; i < s->mapping_count; i++)
		if (address >= s->mappings[i].begin && address < s->mappings[i].end)
			return &s->mappings[i];
	return NULL;
}

static const struct image_file *file_of(struct symbols *s, const struct mapping *m)
{
	struct image_file like = { .path = m->path };
	int fd = m->inode ? open(m->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_ino == m->inode &&
	    major(st.st_dev) == m->major && minor(st.st_dev) == m->minor)
		like.build_id_len = (uint8_t)elf_build_id(fd, like.build_id, sizeof(like.build_id));
	if (fd >= 0)
		close(fd);
	return images_file(symbolizer_images(s->symbolizer), &like);
}

bool symbols_mapped(void *context, const struct symbol_place *place, struct image *image)
{
	struct symbols *s = context;
	struct mapping *m;

	if (!s->runs || !place->pid)
		return false;
	if (place->pid != s->pid)
		read_mappings(s, place->pid);
	m = find_mapping(s, place->address);
	if (!m && place->address != s->missing) {
		read_mappings(s, place->pid);
		m = find_mapping(s, place->address);
		s->missing = m ? 0 : place->address;
	}
	if (!m)
		return false;
	if (!m->file)
		m->file = file_of(s, m);
	*image = (struct image){ m->file, m->begin, m->end, m->offset };
	return m->file;
}
