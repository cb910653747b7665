/* SPDX-License-Identifier: MIT */
/*
 * module_file.c - what a file with a kernel module says of itself
 */
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/read_all.h"
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

/* -------------------------------------------------------------- decompression */

#define UNPACKED_MAX	(64u << 20)

/* What decompresses a file with this name; NULL: it is not compressed, or nobody knows how. */
static char *unpacker(const char *path)
{
	static const struct {
		const char *end;
		char *program;
	} unpackers[] = { { ".xz", "xz" }, { ".zst", "zstd" }, { ".gz", "gzip" } };
	const char *end = strrchr(path, '.');
	size_t i;

	for (i = 0; end && i < sizeof(unpackers) / sizeof(*unpackers); i++)
		if (!strcmp(end, unpackers[i].end))
			return unpackers[i].program;
	return NULL;
}

/* Run it on an open file. Its output can be read from *out; 0 or an error */
static int start_unpacker(char *program, int in, int *out, pid_t *pid)
{
	char *argv[] = { program, "-dcq", NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	err = posix_spawn_file_actions_init(&actions);
	if (!err) {
		err = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
		if (!err)
			err = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (!err)
			err = posix_spawnp(pid, program, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	*out = ends[0];
	if (err)
		close(ends[0]);
	return err;
}

/* As doctor_read(), of what the file contains. *unknown: it is there, but nobody decompresses it. */
static char *read_unpacked(const char *path, size_t *size, bool *unknown)
{
	int in = open(doctor_path("%s", path), O_RDONLY | O_NONBLOCK | O_CLOEXEC), out = -1, status;
	char *program = unpacker(path), *data = NULL;
	bool good;
	pid_t pid;

	if (in < 0)
		return NULL;
	good = program && !start_unpacker(program, in, &out, &pid);
	close(in);
	if (good) {
		good = !etw_read_all(out, UNPACKED_MAX, &data, size);
		close(out);
		good &= waitpid(pid, &status, 0) == pid && !status;
	}
	*unknown = !good;
	if (good)
		return data;
	free(data);
	return NULL;
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
	image = file->compressed ? read_unpacked(path, &size, &file->unknown) :
				   doctor_read(&size, "%s", path);
	if (!image)
		return file->unknown ? 0 : -errno;
	file->is_signed = size > len && !memcmp(image + size - len, sig_end, len);
	err = read_sections(image, size, file);
	free(image);
	return err;
}
