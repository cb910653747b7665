// SPDX-License-Identifier: MIT
/*
 * pe.c - resources of PE images
 *
 * The file is read in pieces at the offsets that the headers give. It may change
 * meanwhile, so each piece is read only once, and nothing is mapped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pe.h"
#include "read.h"

#define SECTIONS_MAX	96u		/* Windows' limit */
#define SECTION_SIZE	40
#define ENTRIES_MAX	4096u		/* per directory */
#define DIRECTORY	0x80000000u	/* set: an entry's offset points to a directory */
#define NAMED		0x80000000u	/* set: an entry has a name */
#define RESOURCES	2		/* data directory */

struct section {
	uint32_t rva, size;	/* size: bytes present in the file */
	uint32_t offset;
};

struct pe {
	int fd;
	struct section sections[SECTIONS_MAX];
	unsigned int section_count;
	uint32_t resources;	/* RVA of the root directory; 0: none */
};

/* A short read is an error: the headers promise more than the file has. */
static int read_at(int fd, uint64_t offset, void *buffer, size_t len)
{
	uint8_t *p = buffer;
	ssize_t n;

	if (offset > INT64_MAX - len)
		return -EINVAL;
	while (len) {
		n = pread(fd, p, len, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EINVAL;
		p += n;
		offset += n;
		len -= n;
	}
	return 0;
}

int etw_pe_load(int fd, uint64_t offset, size_t len, uint8_t **out)
{
	uint8_t *data = malloc(len ? len : 1);
	int ret = data ? read_at(fd, offset, data, len) : -ENOMEM;

	if (ret)
		free(data);
	else
		*out = data;
	return ret;
}

static int read_sections(struct pe *pe, uint64_t offset, unsigned int count)
{
	uint8_t raw[SECTION_SIZE];
	unsigned int i;
	int ret;

	if (count > SECTIONS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		ret = read_at(pe->fd, offset + i * SECTION_SIZE, raw, sizeof(raw));
		if (ret)
			return ret;
		pe->sections[i].rva = etw_wevt_u32(raw + 12);
		pe->sections[i].size = etw_wevt_u32(raw + 16);
		pe->sections[i].offset = etw_wevt_u32(raw + 20);
	}
	pe->section_count = count;
	return 0;
}

static int open_image(struct pe *pe, int fd)
{
	uint8_t dos[64], head[24 + 112 + 8 * (RESOURCES + 1)] = { 0 };
	uint32_t at, optional, directories;
	int ret;

	memset(pe, 0, sizeof(*pe));
	pe->fd = fd;
	ret = read_at(fd, 0, dos, sizeof(dos));
	if (ret)
		return ret;
	at = etw_wevt_u32(dos + 60);
	ret = read_at(fd, at, head, 24 + 2);
	if (ret)
		return ret;
	optional = etw_wevt_u16(head + 20);
	if (memcmp(dos, "MZ", 2) || memcmp(head, "PE\0", 4))
		return -EINVAL;
	switch (etw_wevt_u16(head + 24)) {
	case 0x10b:
		directories = 96;
		break;
	case 0x20b:
		directories = 112;
		break;
	default:
		return -EINVAL;
	}
	if (optional >= directories + 8 * (RESOURCES + 1)) {
		ret = read_at(fd, at, head, 24 + directories + 8 * (RESOURCES + 1));
		if (!ret && etw_wevt_u32(head + 24 + directories - 4) > RESOURCES)
			pe->resources = etw_wevt_u32(head + 24 + directories + 8 * RESOURCES);
	}
	return ret ? ret : read_sections(pe, (uint64_t)at + 24 + optional,
					 etw_wevt_u16(head + 6));
}

/* Read bytes at an address in the loaded image. */
static int read_rva(const struct pe *pe, uint64_t rva, void *buffer, size_t len, uint64_t *where)
{
	unsigned int i;

	for (i = 0; i < pe->section_count; i++) {
		const struct section *s = &pe->sections[i];

		if (rva < s->rva || rva - s->rva >= s->size)
			continue;
		if (len > s->size - (rva - s->rva))
			return -EINVAL;
		if (where)
			*where = s->offset + (rva - s->rva);
		return buffer ? read_at(pe->fd, s->offset + (rva - s->rva), buffer, len) : 0;
	}
	return -EINVAL;
}

/* Does an entry have this ASCII name? */
static bool has_name(const struct pe *pe, uint32_t offset, const char *name)
{
	size_t len = strlen(name), i;
	uint8_t raw[2 + 2 * 32];
	uint64_t at = (uint64_t)pe->resources + offset;

	if (len > 32 || read_rva(pe, at, raw, 2, NULL) || etw_wevt_u16(raw) != len ||
	    read_rva(pe, at + 2, raw + 2, 2 * len, NULL))
		return false;
	for (i = 0; i < len; i++) {
		uint16_t c = etw_wevt_u16(raw + 2 + 2 * i);

		if (c >= 'a' && c <= 'z')
			c -= 'a' - 'A';
		if (c != (uint8_t)name[i])
			return false;
	}
	return true;
}

/* A directory's entries, malloc()ed; none is not an error. */
static int read_directory(const struct pe *pe, uint32_t offset, uint8_t **entries)
{
	uint64_t at = (uint64_t)pe->resources + offset;
	uint32_t count;
	uint8_t head[16];
	int ret = read_rva(pe, at, head, sizeof(head), NULL);

	if (ret)
		return ret;
	count = (uint32_t)etw_wevt_u16(head + 12) + etw_wevt_u16(head + 14);
	if (count > ENTRIES_MAX)
		return -EINVAL;
	*entries = malloc(8 * count + 1);
	if (!*entries)
		return -ENOMEM;
	ret = count ? read_rva(pe, at + 16, *entries, 8 * count, NULL) : 0;
	if (ret)
		free(*entries);
	return ret ? ret : (int)count;
}

/*
 * The directory below the entry of a type (name or number), or the entry with number 1,
 * or else the first entry. 1: *below; 0: none.
 */
static int descend(const struct pe *pe, uint32_t offset, const char *name, uint32_t number,
		   bool or_first, uint32_t *below)
{
	uint8_t *entries;
	int count = read_directory(pe, offset, &entries), i, found = -1;

	if (count < 0)
		return count;
	for (i = 0; i < count && found < 0; i++) {
		uint32_t id = etw_wevt_u32(entries + 8 * i);

		if (name ? id & NAMED && has_name(pe, id & ~NAMED, name) : id == number)
			found = i;
	}
	if (found < 0 && or_first && count)
		found = 0;
	if (found >= 0)
		*below = etw_wevt_u32(entries + 8 * found + 4);
	free(entries);
	if (found < 0)
		return 0;
	if (!(*below & DIRECTORY))
		return -EINVAL;
	*below &= ~DIRECTORY;
	return 1;
}

/* left: remaining bytes for all resources together. */
static int load_data(const struct pe *pe, uint32_t offset, struct etw_pe_resource *out,
		     size_t *left)
{
	uint8_t entry[16];
	uint64_t where = 0;
	int ret = read_rva(pe, (uint64_t)pe->resources + offset, entry, sizeof(entry), NULL);

	if (ret)
		return ret;
	out->size = etw_wevt_u32(entry + 4);
	if (out->size > *left)
		return -EFBIG;
	*left -= out->size;
	ret = read_rva(pe, etw_wevt_u32(entry), NULL, out->size, &where);
	return ret ? ret : etw_pe_load(pe->fd, where, out->size, &out->data);
}

static int load_languages(const struct pe *pe, uint32_t offset, struct etw_pe_resource *out,
			  unsigned int max)
{
	uint8_t *entries;
	int count = read_directory(pe, offset, &entries), i, n = 0, ret = 0;
	size_t left = ETW_PE_RESOURCE_MAX;

	if (count < 0)
		return count;
	for (i = 0; i < count && n < (int)max; i++) {
		uint32_t at = etw_wevt_u32(entries + 8 * i + 4);

		ret = at & DIRECTORY ? -EINVAL : load_data(pe, at, &out[n], &left);
		if (ret)
			break;
		out[n++].langid = etw_wevt_u32(entries + 8 * i);
	}
	free(entries);
	while (ret && n)
		free(out[--n].data);
	return ret ? ret : n;
}

int etw_pe_find(int fd, const char *name, uint32_t type, struct etw_pe_resource *out,
		unsigned int max)
{
	struct pe pe;
	uint32_t at = 0;
	int ret = open_image(&pe, fd);

	if (ret)
		return ret;
	if (!pe.resources)
		return 0;
	ret = descend(&pe, 0, name, type, false, &at);
	if (ret == 1)
		ret = descend(&pe, at, NULL, 1, true, &at);
	return ret == 1 ? load_languages(&pe, at, out, max) : ret;
}
