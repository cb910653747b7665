// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * build_id.c - the build id that the linker put into an ELF file
 *
 * The bytes may be those of a file that somebody else writes meanwhile, so each number is read
 * once and checked before it is used.
 */
#include "build_id.h"

#define NT_GNU_BUILD_ID_TYPE	3
#define SEGMENT_NOTE		4	/* PT_NOTE */
#define NOTES_MAX		64	/* looked at; whoever made the file must not cost us more */

struct bytes {
	const u8 *data;
	u32 size;
};

/* Where members of headers are, and how large: in files with addresses of 4 and of 8 bytes. */
struct elf_layout {
	u8 address;			/* bytes of one */
	u8 segments, segment_size, segment_count;	/* in the file's header */
	u8 offset, length;		/* in that of a segment, ... */
	u8 header;			/* ... which has at least so many bytes */
};

static bool get(const struct bytes *from, u64 at, void *to, u32 len)
{
	if (at > from->size || len > from->size - at)
		return false;
	memcpy(to, from->data + at, len);
	barrier();	/* once */
	return true;
}

/* An unsigned number of len bytes; 0 if it lies outside. */
static u64 number(const struct bytes *from, u64 at, u32 len)
{
	u8 raw[8] = { 0 };
	u64 value = 0;

	if (!get(from, at, raw, len))
		return 0;
	while (len--)
		value = value << 8 | raw[len];
	return value;
}

static u32 id_in_notes(const struct bytes *from, u64 at, u64 size, u32 *left,
		       u8 id[ETW_BUILD_ID_MAX])
{
	struct note {
		u32 name_len, len, type;
	} note;
	const u64 end = at + size;
	u8 name[4];

	while (at < end && *left && get(from, at, &note, sizeof(note))) {
		--*left;
		at += sizeof(note);
		if (note.type == NT_GNU_BUILD_ID_TYPE && note.name_len == sizeof(name) &&
		    note.len && note.len <= ETW_BUILD_ID_MAX &&
		    get(from, at, name, sizeof(name)) && !memcmp(name, "GNU", sizeof(name)) &&
		    get(from, at + sizeof(name), id, note.len))
			return note.len;
		at += ALIGN((u64)note.name_len, 4) + ALIGN((u64)note.len, 4);
	}
	return 0;
}

/**
 * etw_build_id() - find the build id of a file for this machine's byte order
 * @begin: the file's first bytes, which others may change meanwhile
 * @size: how many; linkers put the id into the first page
 * @id: receives the id
 *
 * Any context.
 *
 * Return: the id's length in bytes; 0: there is none among these bytes, or it is longer than
 * ETW_BUILD_ID_MAX.
 */
u32 etw_build_id(const void *begin, u32 size, u8 id[ETW_BUILD_ID_MAX])
{
	static const struct elf_layout layouts[] = {
		{ 4, 28, 42, 44, 4, 16, 32 }, { 8, 32, 54, 56, 8, 32, 56 },
	};
	const struct bytes from = { begin, size };
	const struct elf_layout *l;
	u64 at, each, count, i;
	u32 left = NOTES_MAX, len = 0;
	u8 ident[6];

	/* The magic number, the size of addresses, little endian */
	if (!get(&from, 0, ident, sizeof(ident)) || memcmp(ident, "\177ELF", 4) ||
	    ident[4] < 1 || ident[4] > 2 || ident[5] != 1)
		return 0;
	l = &layouts[ident[4] - 1];
	at = number(&from, l->segments, l->address);
	each = number(&from, l->segment_size, 2);
	count = number(&from, l->segment_count, 2);
	if (at > size || each < l->header)
		return 0;
	for (i = 0; i < count && at < size && !len; i++, at += each)
		if (number(&from, at, 4) == SEGMENT_NOTE)
			len = id_in_notes(&from, number(&from, at + l->offset, l->address),
					  number(&from, at + l->length, l->address), &left, id);
	return len;
}
