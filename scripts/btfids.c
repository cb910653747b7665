// SPDX-License-Identifier: GPL-2.0-only
/*
 * btfids BASE MODULE.ko - fill in the ids of the module's kfuncs
 *
 * The kernel finds kfuncs by the ids that their BTF has, in sets that <linux/btf_ids.h> lays
 * out in the section .BTF_ids.  The kernel's own resolve_btfids does this, but not every
 * kernel's headers come with it.  This knows functions and sets of kfuncs only.
 *
 * BASE is the kernel's BTF: raw, or an ELF file with a section .BTF.  The ids of a module's
 * types follow those of its base, and so do its strings.
 */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/btf.h>

#define PREFIX_FUNC	"__BTF_ID__func__"
#define PREFIX_SET8	"__BTF_ID__set8__"

struct file {
	const char *path;
	unsigned char *bytes;
	size_t size;
};

/* Part of a file; bytes NULL: there is none. */
struct part {
	unsigned char *bytes;
	size_t size;
};

struct btf {
	const unsigned char *types;
	size_t types_len;
	const char *strings;
	size_t strings_len;
};

static void die(const char *path, const char *what)
{
	fprintf(stderr, "btfids: %s: %s\n", path, what);
	exit(1);
}

static struct file file_read(const char *path)
{
	struct file f = { .path = path };
	FILE *from = fopen(path, "rb");
	size_t room = 0, got;

	if (!from)
		die(path, strerror(errno));
	do {
		room += 16 << 20;
		f.bytes = realloc(f.bytes, room);
		if (!f.bytes)
			die(path, strerror(ENOMEM));
		got = fread(f.bytes + f.size, 1, room - f.size, from);
		f.size += got;
	} while (f.size == room);
	if (ferror(from))
		die(path, "cannot be read");
	fclose(from);
	return f;
}

static bool file_is_elf(const struct file *f)
{
	return f->size >= sizeof(Elf64_Ehdr) && !memcmp(f->bytes, ELFMAG, SELFMAG) &&
	       f->bytes[EI_CLASS] == ELFCLASS64;
}

static struct part file_part(const struct file *f, uint64_t offset, uint64_t size)
{
	if (offset > f->size || size > f->size - offset)
		die(f->path, "the file is cut off");
	return (struct part){ .bytes = f->bytes + offset, .size = size };
}

static const Elf64_Shdr *elf_sections(const struct file *f)
{
	const Elf64_Ehdr *head = (const void *)f->bytes;

	return (const void *)file_part(f, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)).bytes;
}

/* The number of a section; 0: there is none of this name. */
static unsigned int elf_find(const struct file *f, const char *name)
{
	const Elf64_Ehdr *head = (const void *)f->bytes;
	const Elf64_Shdr *s = elf_sections(f);
	struct part names = file_part(f, s[head->e_shstrndx].sh_offset, s[head->e_shstrndx].sh_size);
	unsigned int i;

	for (i = 1; i < head->e_shnum; i++)
		if (s[i].sh_name < names.size &&
		    !strncmp((char *)names.bytes + s[i].sh_name, name, names.size - s[i].sh_name))
			return i;
	return 0;
}

static struct part elf_section(const struct file *f, const char *name)
{
	unsigned int i = elf_find(f, name);
	const Elf64_Shdr *s = elf_sections(f);

	return i ? file_part(f, s[i].sh_offset, s[i].sh_size) : (struct part){ NULL, 0 };
}

/* ------------------------------------------------------------------------- BTF */

static struct btf btf_of(const char *path, struct part p)
{
	struct btf_header head;

	if (p.size < sizeof(head))
		die(path, "no BTF");
	memcpy(&head, p.bytes, sizeof(head));
	if (head.magic != BTF_MAGIC || head.hdr_len < sizeof(head) || head.hdr_len > p.size ||
	    (uint64_t)head.type_off + head.type_len > p.size - head.hdr_len ||
	    (uint64_t)head.str_off + head.str_len > p.size - head.hdr_len || !head.str_len ||
	    p.bytes[head.hdr_len + head.str_off + head.str_len - 1])
		die(path, "its BTF is damaged");
	return (struct btf){
		.types = p.bytes + head.hdr_len + head.type_off, .types_len = head.type_len,
		.strings = (const char *)p.bytes + head.hdr_len + head.str_off,
		.strings_len = head.str_len,
	};
}

/* The bytes that follow a struct btf_type. */
static size_t btf_extra(const char *path, const struct btf_type *t)
{
	const size_t vlen = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	}
	die(path, "its BTF has a kind of type that this program does not know");
	return 0;
}

/* Take the next type; false after the last one. */
static bool btf_next(const char *path, const struct btf *btf, size_t *at, struct btf_type *t)
{
	if (*at == btf->types_len)
		return false;
	if (btf->types_len - *at < sizeof(*t))
		die(path, "its BTF is damaged");
	memcpy(t, btf->types + *at, sizeof(*t));
	*at += sizeof(*t) + btf_extra(path, t);
	if (*at > btf->types_len)
		die(path, "its BTF is damaged");
	return true;
}

/* The number of types, with void, which has no record. */
static uint32_t btf_count(const char *path, const struct btf *btf)
{
	struct btf_type t;
	uint32_t count = 1;
	size_t at = 0;

	while (btf_next(path, btf, &at, &t))
		count++;
	return count;
}

/* The id of a function of the module; 0: it has none of this name. */
static uint32_t btf_function(const char *path, const struct btf *base, const struct btf *module,
			     const char *name, size_t name_len)
{
	uint32_t id = btf_count(path, base);
	struct btf_type t;
	const char *text;
	size_t at = 0, offset;

	for (; btf_next(path, module, &at, &t); id++) {
		if (BTF_INFO_KIND(t.info) != BTF_KIND_FUNC || t.name_off < base->strings_len)
			continue;
		offset = t.name_off - base->strings_len;
		if (offset >= module->strings_len)
			die(path, "its BTF does not fit the kernel's");
		text = module->strings + offset;
		if (strlen(text) == name_len && !memcmp(text, name, name_len))
			return id;
	}
	return 0;
}

/* ------------------------------------------------------------------------ sets */

static int compare_ids(const void *a, const void *b)
{
	uint32_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* One symbol of .BTF_ids.  Sets come after all functions, because they are sorted. */
static void resolve(const struct file *f, struct part ids, const struct btf *base,
		    const struct btf *module, const char *name, const Elf64_Sym *symbol, bool sets)
{
	const char *function = name + strlen(PREFIX_FUNC), *end;
	uint32_t value;

	if (symbol->st_value > ids.size || ids.size - symbol->st_value < sizeof(value))
		die(f->path, "a symbol lies outside .BTF_ids");
	if (!sets && !strncmp(name, PREFIX_FUNC, strlen(PREFIX_FUNC))) {
		/* The name ends with two underscores and a number. */
		end = function + strlen(function);
		while (end > function && *--end != '_')
			;
		if (end - function < 2 || end[-1] != '_')
			die(f->path, "a symbol in .BTF_ids has an unknown form");
		value = btf_function(f->path, base, module, function, end - 1 - function);
		if (!value)
			die(f->path, "its BTF lacks a kfunc: is pahole too old?");
		memcpy(ids.bytes + symbol->st_value, &value, sizeof(value));
	} else if (sets && !strncmp(name, PREFIX_SET8, strlen(PREFIX_SET8))) {
		if (symbol->st_size < 8 || symbol->st_size > ids.size - symbol->st_value)
			die(f->path, "a set lies outside .BTF_ids");
		value = symbol->st_size / 8 - 1;
		memcpy(ids.bytes + symbol->st_value, &value, sizeof(value));
		qsort(ids.bytes + symbol->st_value + 8, value, 8, compare_ids);
	}
}

static void resolve_all(const struct file *f, const struct btf *base)
{
	const Elf64_Shdr *s = elf_sections(f);
	const unsigned int table = elf_find(f, ".symtab"), section = elf_find(f, ".BTF_ids");
	const struct part ids = elf_section(f, ".BTF_ids");
	const struct btf module = btf_of(f->path, elf_section(f, ".BTF"));
	struct part symbols, names;
	const Elf64_Sym *symbol;
	size_t i, pass;

	if (!ids.bytes || !table)
		die(f->path, "no kfuncs, or no symbols");
	symbols = file_part(f, s[table].sh_offset, s[table].sh_size);
	names = file_part(f, s[s[table].sh_link].sh_offset, s[s[table].sh_link].sh_size);
	if (!names.size || names.bytes[names.size - 1])
		die(f->path, "its symbols are damaged");
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < symbols.size / sizeof(*symbol); i++) {
			symbol = (const Elf64_Sym *)symbols.bytes + i;
			if (symbol->st_shndx == section && symbol->st_name < names.size)
				resolve(f, ids, base, &module,
					(const char *)names.bytes + symbol->st_name, symbol, pass);
		}
	}
}

int main(int argc, char **argv)
{
	struct file base_file, module;
	struct part base_part;
	struct btf base;
	FILE *to;

	if (argc != 3) {
		fprintf(stderr, "usage: btfids BASE MODULE.ko\n");
		return 2;
	}
	module = file_read(argv[2]);
	if (!file_is_elf(&module))
		die(argv[2], "no 64-bit ELF file");
	/* pahole may have been told to put what the module uses of the base into it. */
	base_part = elf_section(&module, ".BTF.base");
	if (!base_part.bytes) {
		base_file = file_read(argv[1]);
		base_part = (struct part){ base_file.bytes, base_file.size };
		if (file_is_elf(&base_file))
			base_part = elf_section(&base_file, ".BTF");
	}
	base = btf_of(argv[1], base_part);
	resolve_all(&module, &base);
	to = fopen(argv[2], "r+b");
	if (!to || fwrite(module.bytes, 1, module.size, to) != module.size || fclose(to))
		die(argv[2], strerror(errno));
	return 0;
}
