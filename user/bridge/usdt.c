/* SPDX-License-Identifier: MIT */
/*
 * usdt.c - the static probes of programs, as <sys/sdt.h> notes them
 *
 * A note has three addresses: of the probe, of the section .stapsdt.base, which tells by how
 * much the file was moved afterwards, and of a counter that is not zero while somebody traces.
 * Behind them are three texts.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <etw/tracelogging/base.h>
#include "usdt.h"

#define NOTE_TYPE	3
#define NOTE_OWNER	"stapsdt"

/* ----------------------------------------------------------------------- notes */

struct walk {
	const struct elf_file *file;
	usdt_take *take;
	void *context;
	uint64_t base;		/* the address of .stapsdt.base; 0: there is none */
};

/* The text at *at, which then is behind it; NULL: it has no end. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

/* false: no more are wanted. */
static bool take_note(const struct walk *w, const char *at, size_t size)
{
	const char *end = at + size;
	struct usdt_note note;
	uint64_t words[3], moved;

	if (size < sizeof(words))
		return true;
	memcpy(words, at, sizeof(words));
	at += sizeof(words);
	note.provider = take_text(&at, end);
	note.name = take_text(&at, end);
	note.args = take_text(&at, end);
	if (!note.args || !*note.provider || !*note.name)
		return true;
	moved = w->base ? w->base - words[1] : 0;
	if (!elf_file_offset(w->file, words[0] + moved, &note.offset))
		return true;
	note.semaphore = 0;
	/* Without its counter the program would not come by. */
	if (words[2] && !elf_file_offset(w->file, words[2] + moved, &note.semaphore))
		return true;
	return w->take(w->context, &note);
}

static bool take_section(const struct walk *w, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr header;

	for (; data && (next = gelf_getnote(data, at, &header, &name, &desc)); at = next) {
		if (header.n_type != NOTE_TYPE || header.n_namesz != sizeof(NOTE_OWNER) ||
		    memcmp((char *)data->d_buf + name, NOTE_OWNER, sizeof(NOTE_OWNER)))
			continue;
		if (!take_note(w, (char *)data->d_buf + desc, header.n_descsz))
			return false;
	}
	return true;
}

static const char *section_name(Elf *elf, const GElf_Shdr *header)
{
	const char *name = NULL;
	size_t names;

	if (!elf_getshdrstrndx(elf, &names))
		name = elf_strptr(elf, names, header->sh_name);
	return name ? name : "";
}

void usdt_notes(const struct elf_file *file, usdt_take *take, void *context)
{
	struct walk w = { .file = file, .take = take, .context = context };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !strcmp(section_name(file->elf, &header), ".stapsdt.base"))
			w.base = header.sh_addr;
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    !strcmp(section_name(file->elf, &header), ".note.stapsdt") &&
		    !take_section(&w, section))
			return;
}

/* ------------------------------------------------------------------- arguments */

/* Names of registers in assembler, and the kernel's; a part of one is its lower part. */
static const char *const registers[][5] = {
	{ "ax", "rax", "eax", "ax", "al" }, { "bx", "rbx", "ebx", "bx", "bl" },
	{ "cx", "rcx", "ecx", "cx", "cl" }, { "dx", "rdx", "edx", "dx", "dl" },
	{ "si", "rsi", "esi", "si", "sil" }, { "di", "rdi", "edi", "di", "dil" },
	{ "bp", "rbp", "ebp", "bp", "bpl" }, { "sp", "rsp", "esp", "sp", "spl" },
	{ "r8", "r8", "r8d", "r8w", "r8b" }, { "r9", "r9", "r9d", "r9w", "r9b" },
	{ "r10", "r10", "r10d", "r10w", "r10b" }, { "r11", "r11", "r11d", "r11w", "r11b" },
	{ "r12", "r12", "r12d", "r12w", "r12b" }, { "r13", "r13", "r13d", "r13w", "r13b" },
	{ "r14", "r14", "r14d", "r14w", "r14b" }, { "r15", "r15", "r15d", "r15w", "r15b" },
};

/* NULL: none that the kernel knows, such as the upper half %ah or a vector's %xmm0. */
static const char *kernel_register(const char *name, size_t len)
{
	size_t i, k;

	for (i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		for (k = 1; k < sizeof(*registers) / sizeof(**registers); k++)
			if (strlen(registers[i][k]) == len && !strncmp(registers[i][k], name, len))
				return registers[i][0];
	return NULL;
}

/* OFFSET(%REGISTER); the offset may be missing. */
static bool take_memory(const char *text, size_t len, char *fetch, size_t size)
{
	const char *open = memchr(text, '(', len), *reg;
	long long offset = 0;
	char *end;

	if (!open || text[len - 1] != ')' || open[1] != '%')
		return false;
	reg = kernel_register(open + 2, (size_t)(text + len - 1 - (open + 2)));
	if (open > text) {
		if (!strchr("-+0123456789", *text))
			return false;
		offset = strtoll(text, &end, 0);
		if (end != open)
			return false;
	}
	if (!reg)
		return false;
	snprintf(fetch, size, "%+lld(%%%s)", offset, reg);
	return true;
}

static bool take_constant(const char *text, size_t len, char *fetch, size_t size)
{
	long long value;
	char *end;

	if (len < 2 || !strchr("-0123456789", text[1]))
		return false;
	value = strtoll(text + 1, &end, 0);
	if (end != text + len)
		return false;
	snprintf(fetch, size, "\\%lld", value);
	return true;
}

static bool take_operand(const char *text, size_t len, char *fetch, size_t size)
{
	const char *reg;

	if (*text == '$')
		return take_constant(text, len, fetch, size);
	if (*text != '%')
		return take_memory(text, len, fetch, size);
	reg = kernel_register(text + 1, len - 1);
	if (reg)
		snprintf(fetch, size, "%%%s", reg);
	return reg;
}

/* SIZE@OPERAND; a negative size is that of a signed number. */
static bool take_argument(const char *text, size_t len, struct probe_arg *arg)
{
	const bool is_signed = *text == '-';
	const char *at = text + is_signed;
	unsigned int bytes = (unsigned char)*at - '0';
	char fetch[48];

	if (len < (size_t)(at - text) + 3 || at[1] != '@' ||
	    (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
		return false;
	at += 2;
	if (!take_operand(at, len - (size_t)(at - text), fetch, sizeof(fetch)))
		return false;
	snprintf(arg->fetch, sizeof(arg->fetch), "%s:%c%u", fetch, is_signed ? 's' : 'u', bytes * 8);
	/* Pointers are among these. */
	arg->out = bytes == 8 && !is_signed ? TlgOutHEX : TlgOutNULL;
	return true;
}

void usdt_args(const char *text, struct probe_args *args)
{
	unsigned int number = 0;
	struct probe_arg *arg;
	size_t len;

	memset(args, 0, sizeof(*args));
	for (;; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!len)
			return;
		number++;
		arg = &args->list[args->count];
		if (args->count == PROBE_ARGS_MAX || !take_argument(text, len, arg)) {
			args->missing++;
			continue;
		}
		snprintf(arg->name, sizeof(arg->name), "arg%u", number);
		args->count++;
	}
}
