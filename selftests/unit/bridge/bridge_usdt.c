// SPDX-License-Identifier: GPL-2.0-only
/*
 * bridge_usdt - static probes and functions of ELF files, good and damaged ones
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <etw/tracelogging/base.h>
#include "bridge/elf_file.h"
#include "bridge/usdt.h"
#include "lib/tap.h"

#define TEXT_AT		0x400	/* in the file; loaded to 0x1400 */
#define DATA_AT		0x500	/* loaded to 0x3500 */
#define MOVED		0x40	/* by so much since the notes were written */
#define DAMAGED		3000

static unsigned char image[0x1000];
static size_t image_size;
static char path[] = "/tmp/etw-usdt-XXXXXX";

enum { NUL, TEXT, BASE, NOTE, SYMTAB, STRTAB, NAMES, SECTIONS };

static const char names[] =
	"\0.text\0.stapsdt.base\0.note.stapsdt\0.symtab\0.strtab\0.shstrtab";
static const char strings[] = "\0work\0elsewhere";

static size_t put(size_t at, const void *data, size_t size)
{
	memcpy(image + at, data, size);
	return at + size;
}

static size_t note(size_t at, uint64_t pc, uint64_t semaphore, const char *texts, size_t size)
{
	const Elf64_Nhdr header = { 8, (Elf64_Word)(24 + size), 3 };
	const uint64_t words[] = { pc, 0x3510 - MOVED, semaphore };

	at = put(at, &header, sizeof(header));
	at = put(at, "stapsdt", 8);
	at = put(at, words, sizeof(words));
	return (put(at, texts, size) + 3) & ~3UL;
}

#define TEXTS(t)	(t), sizeof(t)

static void section(unsigned int i, unsigned int name, unsigned int type, size_t at, size_t size)
{
	Elf64_Shdr header = { .sh_name = name, .sh_type = type, .sh_offset = at, .sh_size = size,
			      .sh_addralign = 4 };

	if (i == BASE)
		header.sh_addr = 0x3510;
	if (i == SYMTAB) {
		header.sh_link = STRTAB;
		header.sh_entsize = sizeof(Elf64_Sym);
	}
	put(0x100 + i * sizeof(header), &header, sizeof(header));
}

static void make(void)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_shoff = 0x100, .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = NAMES,
	};
	const Elf64_Phdr load[] = {
		{ PT_LOAD, PF_R | PF_X, TEXT_AT, 0x1400, 0x1400, 0x100, 0x100, 0x1000 },
		{ PT_LOAD, PF_R | PF_W, DATA_AT, 0x3500, 0x3500, 0x100, 0x200, 0x1000 },
	};
	const Elf64_Sym symbols[] = {
		{ 0 }, { 1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, TEXT, 0x1410, 8 },
		{ 6, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, SHN_UNDEF, 0, 0 },
		{ 1, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 0, TEXT, 0x1420, 8 },
	};
	size_t begin = 0x600, at = begin;

	put(0, &header, sizeof(header));
	put(sizeof(header), load, sizeof(load));
	at = note(at, 0x1420 - MOVED, 0x3520 - MOVED, TEXTS("my\0first\0" "8@%rdi -4@-20(%rbp)"));
	at = note(at, 0x1430 - MOVED, 0, TEXTS("my\0second\0"));
	at = note(at, 0x9000, 0, TEXTS("my\0outside\0"));
	at = note(at, 0x1440 - MOVED, 0x9000, TEXTS("my\0no_counter\0"));
	at = note(at, 0x1440 - MOVED, 0, "my\0endless\0abc", 14);
	at = note(at, 0x1440 - MOVED, 0, TEXTS("\0nobody\0"));
	section(TEXT, 1, SHT_PROGBITS, TEXT_AT, 0x100);
	section(BASE, 7, SHT_PROGBITS, 0x510, 1);
	section(NOTE, 21, SHT_NOTE, begin, at - begin);
	at = (at + 7) & ~7UL;
	section(SYMTAB, 35, SHT_SYMTAB, at, sizeof(symbols));
	at = put(at, symbols, sizeof(symbols));
	section(STRTAB, 43, SHT_STRTAB, at, sizeof(strings));
	at = put(at, strings, sizeof(strings));
	section(NAMES, 51, SHT_STRTAB, at, sizeof(names));
	image_size = put(at, names, sizeof(names));
}

static int write_file(const unsigned char *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	int good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;

	close(fd);
	return good;
}

/* ---------------------------------------------------------------------- what is found */

static char found[1024];
static unsigned int count;

static bool take_note(void *context, const struct usdt_note *n)
{
	(void)context;
	count++;
	if (strlen(found) < sizeof(found) / 2)
		snprintf(found + strlen(found), sizeof(found) / 2, "%s:%s %#llx %#llx %s\n", n->provider,
			 n->name, (unsigned long long)n->offset, (unsigned long long)n->semaphore, n->args);
	return true;
}

static bool take_symbol(void *context, const char *name, uint64_t address)
{
	(void)context;
	count++;
	if (strlen(found) < sizeof(found) / 2)
		snprintf(found + strlen(found), sizeof(found) / 2, "%s %#llx\n", name,
			 (unsigned long long)address);
	return true;
}

static int look(bool notes)
{
	struct elf_file file;
	int err = elf_file_open(path, &file);

	*found = '\0';
	count = 0;
	if (err)
		return err;
	if (notes)
		usdt_notes(&file, take_note, NULL);
	else
		elf_file_symbols(&file, take_symbol, NULL);
	elf_file_close(&file);
	return 0;
}

static void good(void)
{
	struct elf_file file;
	uint64_t offset;

	ok(write_file(image, image_size), "a file");
	is(look(true), 0, "is read");
	if (!ok(!strcmp(found, "my:first 0x420 0x520 8@%rdi -4@-20(%rbp)\nmy:second 0x430 0 \n"),
		"its static probes, where they are now, without those that are damaged"))
		printf("# %s", found);
	is(look(false), 0, "its functions");
	ok(!strcmp(found, "work 0x1410\n"), "which it has itself");
	is(elf_file_open(path, &file), 0, "its addresses");
	ok(elf_file_offset(&file, 0x1400, &offset) && offset == 0x400, "the first");
	ok(elf_file_offset(&file, 0x14ff, &offset) && offset == 0x4ff, "the last");
	ok(!elf_file_offset(&file, 0x1500, &offset) && !elf_file_offset(&file, 0x13ff, &offset),
	   "others");
	ok(!elf_file_offset(&file, 0x3650, &offset), "memory that is not in the file");
	elf_file_close(&file);
}

static void refused(void)
{
	struct elf_file file;
	unsigned char other[sizeof(image)];

	is(elf_file_open("/nowhere/x", &file), -ENOENT, "no file");
	is(elf_file_open("etw-no-such-program", &file), -ENOENT, "no program of that name");
	is(elf_file_open("/etc", &file), -ENOEXEC, "a folder");
	is(elf_file_open("/etc/passwd", &file), -ENOEXEC, "a text");
	is(elf_file_open("sh", &file), 0, "a program in PATH");
	ok(file.path[0] == '/', "its path");
	elf_file_close(&file);
	is(elf_file_open("libc", &file), 0, "a library by its short name");
	elf_file_close(&file);
	memcpy(other, image, image_size);
	other[EI_CLASS] = ELFCLASS32;
	write_file(other, image_size);
	is(look(true), -ENOEXEC, "a program of 32 bits");
	write_file(image, 10);
	is(look(true), -ENOEXEC, "the begin of one");
}

/* Each ends, and reads nothing that is not there: the sanitizers would say so. */
static void damaged(void)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff };
	unsigned char other[sizeof(image)];
	unsigned int seed = 1, i, opened = 0, k;
	size_t at;

	for (i = 0; i < DAMAGED; i++) {
		memcpy(other, image, image_size);
		for (k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1103515245 + 12345;
			at = (seed >> 8) % image_size;
			seed = seed * 1103515245 + 12345;
			other[at] = values[(seed >> 8) % sizeof(values)];
		}
		if (i % 8 == 7)
			write_file(other, (seed >> 4) % image_size);
		else
			write_file(other, image_size);
		opened += !look(true) && !look(false);
	}
	ok(opened > DAMAGED / 2, "%u of %u damaged files are read", opened, DAMAGED);
}

/* ---------------------------------------------------------------------------- arguments */

static struct probe_args args;

static int is_arg(const char *text, const char *fetch, unsigned int out)
{
	usdt_args(text, &args);
	if (args.count == 1 && !strcmp(args.list[0].name, "arg1") &&
	    !strcmp(args.list[0].fetch, fetch) && args.list[0].out == out)
		return 1;
	printf("# %s: %u, %s\n", text, args.count, args.list[0].fetch);
	return 0;
}

static int is_missing(const char *text)
{
	usdt_args(text, &args);
	return !args.count && args.missing == 1;
}

static void arguments(void)
{
	ok(is_arg("8@%rdi", "%di:u64", TlgOutHEX), "a register");
	ok(is_arg("-4@%r12d", "%r12:s32", 0), "a part of one");
	ok(is_arg("1@%sil", "%si:u8", 0), "a byte of one");
	ok(is_arg("-8@-8(%rbp)", "-8(%bp):s64", 0), "memory");
	ok(is_arg("2@(%rax)", "+0(%ax):u16", 0), "without an offset");
	ok(is_arg("4@0x10(%rsp)", "+16(%sp):u32", 0), "with a hexadecimal one");
	ok(is_arg("-4@$-7", "\\-7:s32", 0), "a constant");
	ok(is_missing("1@%ah"), "the upper half of a register");
	ok(is_missing("8f@%xmm0"), "a floating-point number");
	ok(is_missing("4@8(%rax,%rbx,4)"), "an index");
	ok(is_missing("4@counter(%rip)"), "a variable");
	ok(is_missing("3@%rax") && is_missing("@%rax") && is_missing("4@") && is_missing("4@%") &&
	   is_missing("4@$") && is_missing("4@(") && is_missing("4@()") && is_missing("4@)") &&
	   is_missing("-") && is_missing("4@1x(%rax)") && is_missing("4@$1x"), "no arguments");
	usdt_args("8@%rdi  4@%xmm0 -4@$1", &args);
	ok(args.count == 2 && args.missing == 1 && !strcmp(args.list[1].name, "arg3"),
	   "the others keep their numbers");
	usdt_args("1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al 1@%al",
		  &args);
	ok(args.count == PROBE_ARGS_MAX && args.missing == 1, "too many");
	usdt_args("", &args);
	ok(!args.count && !args.missing, "none");
}

int main(void)
{
	int fd = mkstemp(path);

	close(fd);
	make();
	good();
	refused();
	damaged();
	arguments();
	unlink(path);
	return done_testing();
}
