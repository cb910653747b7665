/* SPDX-License-Identifier: MIT */
/*
 * kernel.c - the kernel that runs here and its modules: build ids and addresses
 *
 * kptr_restrict and the lack of CAP_SYSLOG make every address 0: then none is known.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "machine.h"

#define NOTES_MAX	65536	/* bytes; real ones have some hundred */

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* The GNU build id among ELF notes */
static void find_build_id(struct machine_build_id *id, const char *notes, size_t size)
{
	size_t at = 0, value;
	Elf32_Nhdr note;	/* Elf64_Nhdr is the same */

	while (size - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz > size - at || aligned(note.n_namesz) > size - at)
			return;
		value = at + aligned(note.n_namesz);
		if (note.n_descsz > size - value)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + at, "GNU", sizeof("GNU")) && note.n_descsz <= MACHINE_ID_MAX) {
			memcpy(id->bytes, notes + value, note.n_descsz);
			id->len = (uint8_t)note.n_descsz;
			return;
		}
		if (aligned(note.n_descsz) > size - value)
			return;
		at = value + aligned(note.n_descsz);
	}
}

static void read_build_id(struct machine_build_id *id, const char *path)
{
	char *notes;
	FILE *file = fopen(path, "re");

	if (!file)
		return;
	notes = cli_calloc(1, NOTES_MAX);
	find_build_id(id, notes, fread(notes, 1, NOTES_MAX, file));
	free(notes);
	fclose(file);
}

/* ---------------------------------------------------------------------- kernel */

/* A line "ffffffff81000000 T _text". false: addresses are hidden. */
static bool take_symbol(struct machine *m, const char *line)
{
	char *name;
	uint64_t address = strtoull(line, &name, 16);

	if (!strncmp(name, " T _text\n", 9))
		m->text = address;
	else if (!strncmp(name, " T _stext\n", 10))
		m->text_begin = address;
	else if (!strncmp(name, " T _etext\n", 10))
		m->text_end = address;
	return address || name[1] == 'A' || name[1] == 'a';
}

/* Without the text's begin the end says nothing, and the same the other way round. */
static void collect_text(struct machine *m, const char *root)
{
	char path[256], line[512];
	unsigned int hidden = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	file = fopen(path, "re");
	/* The first ones may be per-CPU offsets, which begin with a true 0. */
	while (file && hidden < 64 && fgets(line, sizeof(line), file)) {
		hidden += !take_symbol(m, line);
		if (m->text && m->text_begin && m->text_end)
			break;
	}
	if (file)
		fclose(file);
}

/* --------------------------------------------------------------------- modules */

/* "nvme 61440 3 - Live 0xffffffffc0a00000", with an (OE) behind it if it taints */
static void take_module(struct machine *m, const char *line, const char *root)
{
	struct machine_module module = { .name = "" };
	unsigned long long size, address = 0;
	char path[512];

	if (sscanf(line, "%63s %llu %*s %*s %*s %llx", module.name, &size, &address) < 2 ||
	    strchr(module.name, '/'))
		return;
	module.size = size;
	module.address = address;
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", root,
		 module.name);
	read_build_id(&module.id, path);
	m->modules = cli_grow(m->modules, m->module_count, sizeof(*m->modules));
	m->modules[m->module_count++] = module;
}

static void collect_modules(struct machine *m, const char *root)
{
	char path[256], line[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/modules", root);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		take_module(m, line, root);
	if (file)
		fclose(file);
}

/* ------------------------------------------------------------------ who may know */

/* "none integrity [confidentiality]"; without securityfs nothing is known of it. */
static bool locked_down(const char *root)
{
	char line[128];

	return machine_read_line(line, sizeof(line), root, "/sys/kernel/security/lockdown") &&
	       strstr(line, "[confidentiality]");
}

/* The group's bits of a file with an access list include all that the list grants. */
void machine_hide(struct machine *machine, const struct stat *file)
{
	machine->hides = machine->locked || !S_ISREG(file->st_mode) ||
			 file->st_uid != geteuid() || file->st_mode & (S_IRWXG | S_IRWXO);
}

void machine_collect_kernel(struct machine *machine, const char *root)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	read_build_id(&machine->kernel, path);
	machine->locked = locked_down(root);
	collect_text(machine, root);
	collect_modules(machine, root);
}
