/* SPDX-License-Identifier: MIT */
/*
 * elf_file.c - what a probe needs to know of a program or a library
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "elf_file.h"

#ifdef __x86_64__
#define MACHINE	EM_X86_64
#else
#define MACHINE	EM_AARCH64
#endif

/* -------------------------------------------------------------------- finding */

static bool is_file(const char *path, int mode)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, mode);
}

static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *at = getenv("PATH");
	size_t len;

	for (; at && *at; at += len + !!at[len]) {
		len = strcspn(at, ":");
		snprintf(path, PATH_MAX, "%.*s/%s", (int)len, at, name);
		if (len && is_file(path, X_OK))
			return true;
	}
	return false;
}

/* The file of that name, or else the first of NAME.so and NAME.so.N */
static bool find_library(const char *name, char path[PATH_MAX])
{
	static const char *const dirs[] = {
		"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
		"/usr/local/lib",
	};
	static const char *const ends[] = { "", ".so.[0-9]*", ".so" };
	size_t i, k;
	glob_t found;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		for (k = 0; k < sizeof(dirs) / sizeof(*dirs); k++) {
			snprintf(path, PATH_MAX, "%s/%s%s", dirs[k], name, ends[i]);
			if (glob(path, 0, NULL, &found))
				continue;
			snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
			globfree(&found);
			if (is_file(path, R_OK))
				return true;
		}
	}
	return false;
}

static int find_path(const char *name, char path[PATH_MAX])
{
	char found[PATH_MAX];
	const char *from = name;

	if (!strchr(name, '/')) {
		if (!find_program(name, found) && !find_library(name, found))
			return -ENOENT;
		from = found;
	}
	return realpath(from, path) ? 0 : -errno;
}

/* ------------------------------------------------------------------------ file */

static int check(Elf *elf)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 ||
	    !gelf_getehdr(elf, &header) || header.e_machine != MACHINE ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return -ENOEXEC;
	return 0;
}

int elf_file_open(const char *name, struct elf_file *file)
{
	struct stat st;
	int err = find_path(name, file->path);

	file->elf = NULL;
	file->fd = -1;
	if (err)
		return err;
	/* The kernel takes the words of a definition apart at blanks, and the path at a colon. */
	if (strpbrk(file->path, " \t\n:()"))
		return -EINVAL;
	file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0)
		return -errno;
	if (fstat(file->fd, &st) || !S_ISREG(st.st_mode)) {
		elf_file_close(file);
		return -ENOEXEC;
	}
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	elf_version(EV_CURRENT);
	/* Not mapped: somebody else may truncate the file. */
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	err = file->elf ? check(file->elf) : -ENOEXEC;
	if (err)
		elf_file_close(file);
	return err;
}

void elf_file_close(struct elf_file *file)
{
	if (file->elf)
		elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	file->elf = NULL;
	file->fd = -1;
}

static bool take_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		       elf_symbol_take *take, void *context)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
	const char *name;
	GElf_Sym symbol;

	for (i = 0; i < count && i < INT_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
		if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && *name && !take(context, name, symbol.st_value))
			return false;
	}
	return true;
}

void elf_file_symbols(const struct elf_file *file, elf_symbol_take *take, void *context)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section))) {
		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    !take_table(file->elf, section, &header, take, context))
			return;
	}
}

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *offset)
{
	size_t i, count;
	GElf_Phdr p;

	if (elf_getphdrnum(file->elf, &count))
		return false;
	for (i = 0; i < count && i < INT_MAX && gelf_getphdr(file->elf, (int)i, &p); i++) {
		if (p.p_type != PT_LOAD || address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		*offset = address - p.p_vaddr + p.p_offset;
		return *offset >= p.p_offset;
	}
	return false;
}
