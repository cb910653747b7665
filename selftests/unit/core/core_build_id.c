/* SPDX-License-Identifier: MIT */
/* core_build_id - build ids of this program and of made files, and files that are none */
#define _GNU_SOURCE
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "core/build_id.h"

#define PAGE	4096

static const u8 want[20] = "0123456789abcdefghij";

/* A file of one page with notes at 1024: those before the id, then the id. */
struct made {
	u8 data[PAGE];
	u32 end;	/* of the notes */
};

static void note(struct made *m, u32 type, const char *name, const void *text, u32 len)
{
	const Elf64_Nhdr head = { .n_namesz = (u32)strlen(name) + 1, .n_descsz = len,
				  .n_type = type };

	memcpy(m->data + m->end, &head, sizeof(head));
	m->end += sizeof(head);
	memcpy(m->data + m->end, name, strlen(name) + 1);
	m->end += (head.n_namesz + 3) & ~3u;
	memcpy(m->data + m->end, text, len);
	m->end += (len + 3) & ~3u;
}

static void ident(struct made *m, u8 class)
{
	memcpy(m->data, ELFMAG, SELFMAG);
	m->data[EI_CLASS] = class;
	m->data[EI_DATA] = ELFDATA2LSB;
}

static void make64(struct made *m)
{
	Elf64_Ehdr head = { .e_phoff = 64, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Phdr segments[2] = { { .p_type = PT_LOAD, .p_offset = 0, .p_filesz = PAGE },
				   { .p_type = PT_NOTE, .p_offset = 1024 } };

	segments[1].p_filesz = m->end - 1024;
	memcpy(m->data, &head, sizeof(head));
	memcpy(m->data + 64, segments, sizeof(segments));
	ident(m, ELFCLASS64);
}

static void make32(struct made *m)
{
	Elf32_Ehdr head = { .e_phoff = 52, .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1 };
	Elf32_Phdr segment = { .p_type = PT_NOTE, .p_offset = 1024, .p_filesz = m->end - 1024 };

	memcpy(m->data, &head, sizeof(head));
	memcpy(m->data + 52, &segment, sizeof(segment));
	ident(m, ELFCLASS32);
}

static void with_id(struct made *m, u32 len)
{
	memset(m, 0, sizeof(*m));
	m->end = 1024;
	note(m, NT_GNU_ABI_TAG, "GNU", "\0\0\0\0\3\0\0\0\2\0\0\0\0\0\0", 16);
	note(m, 3, "Go", "another three", 13);
	note(m, NT_GNU_BUILD_ID, "GNU", want, len);
}

/* The bytes end where they are said to, so a sanitizer sees a read beyond. */
static u32 found(const struct made *m, u32 size, u8 id[ETW_BUILD_ID_MAX])
{
	u8 *copy = malloc(size + !size);
	u32 len;

	memcpy(copy, m->data, size);
	memset(id, 0, ETW_BUILD_ID_MAX);
	len = etw_build_id(copy, size, id);
	free(copy);
	return len;
}

static void test_found(void)
{
	u8 id[ETW_BUILD_ID_MAX];
	struct made m;

	with_id(&m, 20);
	make64(&m);
	is(found(&m, PAGE, id), 20, "SHA-1, 64 bits, behind other notes");
	ok(!memcmp(id, want, 20), "its bytes");
	is(found(&m, m.end, id), 20, "the bytes end behind it");
	is(found(&m, m.end - 1, id), 0, "its last byte is not there");
	with_id(&m, 16);
	make32(&m);
	is(found(&m, PAGE, id), 16, "MD5, 32 bits");
	ok(!memcmp(id, want, 16), "its bytes");
	with_id(&m, 8);
	make64(&m);
	is(found(&m, PAGE, id), 8, "a short one");
}

static void test_none(void)
{
	u8 id[ETW_BUILD_ID_MAX];
	struct made m, plain;
	u32 i, bad = 0;

	with_id(&plain, 20);
	make64(&plain);
	for (i = 0; i < 6; i++) {
		m = plain;
		m.data[i] ^= 0x40;
		bad += found(&m, PAGE, id) != 0;
	}
	is(bad, 0, "another magic number, class or byte order");
	m = plain;
	m.data[54] = 55;
	is(found(&m, PAGE, id), 0, "segments of a size that none has");
	m = plain;
	memset(m.data + 32, 0xff, 8);
	is(found(&m, PAGE, id), 0, "segments at the end of the address space");
	m = plain;
	memset(m.data + 64 + 56 + 8, 0xff, 8);
	is(found(&m, PAGE, id), 0, "notes there");
	m = plain;
	memset(m.data + 64 + 56 + 32, 0, 8);
	is(found(&m, PAGE, id), 0, "no notes");
	m = plain;
	memset(m.data + 1024, 0xff, 8);
	is(found(&m, PAGE, id), 0, "a note that is longer than all files");
	memset(&m, 0, sizeof(m));
	m.end = 1024;
	note(&m, NT_GNU_BUILD_ID, "GNU", "0123456789abcdefghijk", 21);
	make64(&m);
	is(found(&m, PAGE, id), 0, "an id of 21 bytes");
	memset(&m, 0, sizeof(m));
	m.end = 1024 + 12 * 64;
	note(&m, NT_GNU_BUILD_ID, "GNU", want, 20);
	make64(&m);
	is(found(&m, PAGE, id), 0, "behind 64 empty notes, which are all that is looked at");
}

/* Any bytes: nothing outside them is read, and no id is longer than its room. */
static void test_hostile(void)
{
	u8 id[ETW_BUILD_ID_MAX];
	struct made plain, m;
	u32 i, k, len, longest = 0;

	with_id(&plain, 20);
	make64(&plain);
	srand(1);
	for (i = 0; i < 100000; i++) {
		m = plain;
		for (k = 0; k < 4; k++)
			m.data[rand() % (rand() % 2 ? 176 : m.end)] = (u8)(rand() % 3 ? rand() : 0xff);
		ident(&m, (u8)(1 + rand() % 2));
		len = found(&m, (u32)(rand() % (PAGE + 1)), id);
		longest = len > longest ? len : longest;
	}
	is(longest, 20, "100,000 damaged files");
}

static int add_notes(struct dl_phdr_info *info, size_t size, void *to)
{
	struct made *m = to;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_NOTE ||
		    info->dlpi_phdr[i].p_memsz > PAGE - m->end)
			continue;
		memcpy(m->data + m->end, (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
		       info->dlpi_phdr[i].p_memsz);
		m->end += (u32)info->dlpi_phdr[i].p_memsz;
	}
	return 1;	/* the first one is the program */
}

/* The linker's own notes, in memory and in the file. */
static void test_real(void)
{
	struct made memory = { .end = 1024 }, file = { .end = 0 };
	u8 one[ETW_BUILD_ID_MAX], other[ETW_BUILD_ID_MAX];
	FILE *f = fopen("/proc/self/exe", "re");
	u32 len;

	dl_iterate_phdr(add_notes, &memory);
	make64(&memory);
	len = found(&memory, PAGE, one);
	ok(len >= 8, "the linker gave this program an id");
	ok(f && fread(file.data, 1, PAGE, f) == PAGE, "the program's first page");
	is(found(&file, PAGE, other), len, "an id as long as in memory");
	ok(!memcmp(one, other, sizeof(one)), "the same as in memory");
	if (f)
		fclose(f);
}

int main(void)
{
	test_found();
	test_none();
	test_hostile();
	test_real();
	return done_testing();
}
