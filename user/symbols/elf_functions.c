/* SPDX-License-Identifier: MIT */
/*
 * elf_functions.c - the functions of a program, a library or a kernel at an address
 *
 * Which function it is comes from the tables of symbols, so that it is the same with and without
 * debug information; what was inlined into it comes from DWARF.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demangle.h"
#include "elf_functions.h"

#define DEPTH_MAX	64		/* blocks within blocks */
#define ENTRIES_MAX	(1u << 20)	/* that are looked at for one address */
#define PAGE		4096u		/* the smallest; linkers put instructions at the begin of one */
#define PATH_FD		32		/* bytes of /proc/self/fd/N */

struct elf_functions {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Elf *elf;
	GElf_Addr bias;
	const struct elf_debug *debug;
	Dwfl_Callbacks callbacks;
	struct cfi_table *cfi;
	bool looked_for_cfi;
};

/* ------------------------------------------------------------------------ files */

static int no_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		   char **path, Elf **elf)
{
	(void)module, (void)user, (void)name, (void)base, (void)path, (void)elf;
	return -1;
}

/* libdwfl's own searches the network if a variable says so, and believes names. */
static int find_debug(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **path)
{
	const struct elf_functions *own = *user;
	const unsigned char *bits;
	GElf_Addr address;
	int len;

	(void)name, (void)base, (void)file, (void)link, (void)crc;
	*path = NULL;
	len = dwfl_module_build_id(module, &bits, &address);
	return len > 0 && own ? own->debug->find(own->debug->context, bits, (size_t)len) : -1;
}

static Elf *elf_open(int fd, int *type)
{
	Elf *elf;
	GElf_Ehdr header;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 &&
	    gelf_getehdr(elf, &header)) {
		*type = header.e_type;
		return elf;
	}
	elf_end(elf);
	return NULL;
}

size_t elf_build_id(int fd, uint8_t *build_id, size_t size)
{
	const void *bits;
	ssize_t len = 0;
	int type;
	Elf *elf = elf_open(fd, &type);

	if (elf)
		len = dwelf_elf_gnu_build_id(elf, &bits);
	if (len < 0 || (size_t)len > size)
		len = 0;
	if (len)
		memcpy(build_id, bits, (size_t)len);
	elf_end(elf);
	return (size_t)len;
}

/* It has segments, which its offsets are found by. */
static bool is_program(int fd)
{
	int type = ET_NONE;
	Elf *elf = elf_open(fd, &type);

	elf_end(elf);
	return type == ET_EXEC || type == ET_DYN;
}

static bool read_file(struct elf_functions *file, int fd)
{
	char path[PATH_FD];
	void **user;

	file->dwfl = dwfl_begin(&file->callbacks);
	if (!file->dwfl)
		return false;
	/* By a name, because libdwfl does not always say whether it has closed a file of ours. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, "image", path, -1, 0, true);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (!file->module)
		return false;
	dwfl_module_info(file->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = file;
	file->elf = dwfl_module_getelf(file->module, &file->bias);
	return file->elf;
}

struct elf_functions *elf_functions_open(int fd, const struct elf_debug *debug)
{
	struct elf_functions *file = calloc(1, sizeof(*file));

	if (file) {
		file->debug = debug;
		file->callbacks = (Dwfl_Callbacks){
			.find_elf = no_file, .find_debuginfo = find_debug,
			.section_address = dwfl_offline_section_address,
		};
		if (!is_program(fd) || !read_file(file, fd)) {
			elf_functions_close(file);
			file = NULL;
		}
	}
	close(fd);
	return file;
}

void elf_functions_close(struct elf_functions *file)
{
	if (!file)
		return;
	cfi_table_free(file->cfi);
	dwfl_end(file->dwfl);
	free(file);
}

/* -------------------------------------------------------------------- addresses */

static bool segment_at(const struct elf_functions *file, size_t i, GElf_Phdr *segment)
{
	size_t count;

	return !elf_getphdrnum(file->elf, &count) && i < count && i < INT_MAX &&
	       gelf_getphdr(file->elf, (int)i, segment);
}

bool elf_functions_at_offset(struct elf_functions *file, uint64_t offset, uint64_t mapped_from,
			     uint64_t *address)
{
	GElf_Phdr segment;
	size_t i;

	for (i = 0; segment_at(file, i, &segment); i++) {
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
			continue;
		if (!segment.p_filesz) {
			*address = segment.p_vaddr / PAGE * PAGE + (offset - mapped_from);
			return offset >= mapped_from;
		}
		if (offset < segment.p_offset || offset - segment.p_offset >= segment.p_filesz)
			continue;
		*address = segment.p_vaddr + (offset - segment.p_offset);
		return true;
	}
	return false;
}

bool elf_functions_begin(struct elf_functions *file, uint64_t *address)
{
	GElf_Phdr segment;
	size_t i;

	for (i = 0; segment_at(file, i, &segment); i++)
		if (segment.p_type == PT_LOAD) {
			*address = segment.p_vaddr;
			return true;
		}
	return false;
}

bool elf_functions_read(struct elf_functions *file, uint64_t address, void *to, size_t size)
{
	GElf_Phdr segment;
	size_t i, file_size;
	const char *bytes = elf_rawfile(file->elf, &file_size);
	uint64_t offset, left;

	for (i = 0; bytes && segment_at(file, i, &segment); i++) {
		if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) ||
		    address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		offset = address - segment.p_vaddr;
		left = segment.p_filesz - offset;
		if (segment.p_offset > file_size || offset > file_size - segment.p_offset)
			return false;
		offset += segment.p_offset;
		if (size > left || size > file_size - offset)
			return false;
		memcpy(to, bytes + offset, size);
		return true;
	}
	return false;
}

static struct cfi_table *read_cfi(const struct elf_functions *file)
{
	Elf_Scn *section = NULL;
	Elf_Data *data;
	const char *name;
	GElf_Shdr header;
	GElf_Ehdr ehdr;
	size_t names;

	if (!gelf_getehdr(file->elf, &ehdr) || ehdr.e_machine != EM_X86_64 ||
	    elf_getshdrstrndx(file->elf, &names))
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		name = gelf_getshdr(section, &header) ?
		       elf_strptr(file->elf, names, header.sh_name) : NULL;
		if (!name || strcmp(name, ".eh_frame"))
			continue;
		/* Debug information that lies apart has the section without its content. */
		data = header.sh_type == SHT_NOBITS || header.sh_flags & SHF_COMPRESSED ? NULL :
		       elf_rawdata(section, NULL);
		return data && data->d_buf ? cfi_table_new(data->d_buf, data->d_size,
							   header.sh_addr) : NULL;
	}
	return NULL;
}

const struct cfi_table *elf_functions_cfi(struct elf_functions *file)
{
	if (!file->looked_for_cfi)
		file->cfi = read_cfi(file);
	file->looked_for_cfi = true;
	return file->cfi;
}

/* ---------------------------------------------------------------------- inlined */

/* The entries around an address, outermost first */
struct chain {
	Dwarf_Die dies[DEPTH_MAX];
	unsigned int count;
	unsigned int looked;
};

static bool is_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* Add what is around the address among the children; true: it was found. */
static bool descend(struct chain *chain, Dwarf_Die *parent, Dwarf_Addr address, unsigned int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		if (chain->looked++ == ENTRIES_MAX)
			return false;
		tag = dwarf_tag(&die);
		if (is_scope(tag) && descend(chain, &die, address, depth + 1))
			return true;
		if (!is_code(tag) || dwarf_haspc(&die, address) != 1)
			continue;
		if (chain->count < DEPTH_MAX)
			chain->dies[chain->count++] = die;
		descend(chain, &die, address, depth + 1);
		return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		return dwarf_diename(die);
	name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(die);
}

/* --------------------------------------------------------------------- functions */

struct taking {
	elf_function_take *take;
	void *context;
	unsigned int count;
	struct etw_text name;
};

static void take_name(struct taking *taking, const char *name, uint64_t offset, bool inlined)
{
	char *version;

	if (taking->count++ >= ELF_FUNCTIONS_MAX)
		return;
	etw_text_cut(&taking->name, 0);
	demangle(name, &taking->name);
	/* clock_gettime@@GLIBC_2.17 */
	version = taking->name.error ? NULL : strchr(taking->name.data, '@');
	if (version && version > taking->name.data)
		etw_text_cut(&taking->name, (size_t)(version - taking->name.data));
	if (!taking->name.error)
		taking->take(taking->context, taking->name.data, offset, inlined);
}

/* Take the inlined ones; the name that DWARF has for the function itself, or NULL. */
static const char *take_inlined(struct elf_functions *file, uint64_t address,
				struct taking *taking, uint64_t *begin)
{
	struct chain chain;
	Dwarf_Addr bias, low;
	Dwarf_Die *unit = dwfl_module_addrdie(file->module, address, &bias);
	unsigned int i;
	int tag;

	if (!unit)
		return NULL;
	chain.count = chain.looked = 0;
	descend(&chain, unit, address - bias, 0);
	for (i = chain.count; i; i--) {
		Dwarf_Die *die = &chain.dies[i - 1];
		const char *name = linkage_name(die);

		tag = dwarf_tag(die);
		if (tag == DW_TAG_subprogram) {
			*begin = !dwarf_lowpc(die, &low) ? low + bias : address;
			return name;
		}
		/* Keep one for the function itself. */
		if (tag == DW_TAG_inlined_subroutine && taking->count < ELF_FUNCTIONS_MAX - 1)
			take_name(taking, name ? name : "?", 0, true);
	}
	return NULL;
}

void elf_functions_find(struct elf_functions *file, uint64_t address, elf_function_take *take,
			void *context)
{
	struct taking taking = { .take = take, .context = context };
	uint64_t biased = address + file->bias, begin = biased;
	const char *by_dwarf, *name;
	GElf_Off offset;
	GElf_Sym symbol;

	by_dwarf = take_inlined(file, biased, &taking, &begin);
	name = dwfl_module_addrinfo(file->module, biased, &offset, &symbol, NULL, NULL, NULL);
	/* A label in assembler code is no function. */
	if (!name || !*name || (by_dwarf && GELF_ST_TYPE(symbol.st_info) == STT_NOTYPE)) {
		name = by_dwarf;
		offset = biased - begin;
	}
	if (name || taking.count)
		take_name(&taking, name ? name : "?", offset, false);
	etw_text_free(&taking.name);
}
