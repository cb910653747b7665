/* SPDX-License-Identifier: MIT */
/*
 * module_file.c - what a file with a kernel module says of itself
 */
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "files.h"
#include "module_file.h"

/* The last bytes of a file with a signature (MODULE_SIG_STRING) */
static const char sig_end[] = "~Module signature appended~\n";

static void take_word(char *to, size_t size, const char *from, size_t len, const char *key)
{
	size_t skip = strlen(key);

	if (len > skip && !strncmp(from, key, skip))
		snprintf(to, size, "%.*s", (int)(len - skip), from + skip);
}

/* KEY=VALUE and a NUL, any number of times */
static void read_modinfo(const Elf_Data *data, struct module_file *file)
{
	const char *at = data->d_buf, *end = at + data->d_size;
	size_t len;

	for (; at < end; at += len + 1) {
		len = strnlen(at, end - at);
		take_word(file->vermagic, sizeof(file->vermagic), at, len, "vermagic=");
		take_word(file->srcversion, sizeof(file->srcversion), at, len, "srcversion=");
	}
}

static void read_build_id(const Elf_Data *data, struct module_file *file)
{
	const Elf64_Nhdr *note = data->d_buf;
	size_t at;

	if (data->d_size < sizeof(*note))
		return;
	at = sizeof(*note) + ((note->n_namesz + 3ul) & ~3ul);
	if (at > data->d_size || note->n_descsz > data->d_size - at ||
	    note->n_descsz > sizeof(file->build_id))
		return;
	memcpy(file->build_id, (const char *)data->d_buf + at, note->n_descsz);
	file->build_id_len = note->n_descsz;
}

static int read_sections(char *image, size_t size, struct module_file *file)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory(image, size);
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names)) {
		elf_end(elf);
		return -ENOEXEC;
	}
	while ((section = elf_nextscn(elf, section))) {
		const Elf64_Shdr *header = elf64_getshdr(section);
		const char *name = header ? elf_strptr(elf, names, header->sh_name) : NULL;
		const Elf_Data *data = name ? elf_rawdata(section, NULL) : NULL;

		if (!data || !data->d_buf)
			continue;
		if (!strcmp(name, ".modinfo"))
			read_modinfo(data, file);
		else if (!strcmp(name, ".note.gnu.build-id"))
			read_build_id(data, file);
	}
	elf_end(elf);
	return *file->vermagic ? 0 : -ENOEXEC;
}

int module_file_read(const char *path, struct module_file *file)
{
	const size_t len = sizeof(sig_end) - 1, path_len = strlen(path);
	size_t size;
	char *image;
	int err;

	memset(file, 0, sizeof(*file));
	snprintf(file->path, sizeof(file->path), "%s", path);
	file->compressed = path_len < 3 || strcmp(path + path_len - 3, ".ko");
	image = doctor_read(&size, "%s", path);
	if (!image)
		return -errno;
	if (file->compressed) {
		free(image);
		return 0;
	}
	file->is_signed = size > len && !memcmp(image + size - len, sig_end, len);
	err = read_sections(image, size, file);
	free(image);
	return err;
}
