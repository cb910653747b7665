// SPDX-License-Identifier: MIT
/*
 * reader.c - checked reads of a WEVT_TEMPLATE
 *
 * The first error is kept; all later reads return nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read.h"

static void problem(struct etw_wevt_reader *r, bool warning, const char *fmt, va_list args)
{
	char text[256];

	if (!r->problems)
		return;
	vsnprintf(text, sizeof(text), fmt, args);
	etw_problem_add(r->problems, 0, warning, "%s", text);
}

void etw_wevt_bad(struct etw_wevt_reader *r, const char *fmt, ...)
{
	va_list args;

	if (r->error)
		return;
	r->error = -EINVAL;
	va_start(args, fmt);
	problem(r, false, fmt, args);
	va_end(args);
}

void etw_wevt_warn(struct etw_wevt_reader *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	problem(r, true, fmt, args);
	va_end(args);
}

uint16_t etw_wevt_u16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

uint32_t etw_wevt_u32(const uint8_t *p)
{
	return etw_wevt_u16(p) | (uint32_t)etw_wevt_u16(p + 2) << 16;
}

uint64_t etw_wevt_u64(const uint8_t *p)
{
	return etw_wevt_u32(p) | (uint64_t)etw_wevt_u32(p + 4) << 32;
}

const uint8_t *etw_wevt_bytes(struct etw_wevt_reader *r, uint32_t offset, size_t len)
{
	if (r->error)
		return NULL;
	if (offset > r->size || len > r->size - offset) {
		etw_wevt_bad(r, "offset 0x%x: %zu bytes do not lie within the resource", offset,
			     len);
		return NULL;
	}
	return r->data + offset;
}

const uint8_t *etw_wevt_entries(struct etw_wevt_reader *r, uint32_t offset, uint32_t count,
				size_t size)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, (size_t)count * size);

	if (!p)
		return NULL;
	r->entries_left -= (int64_t)((size_t)count * size);
	if (r->entries_left < 0) {
		etw_wevt_bad(r, "offset 0x%x: lists overlap", offset);
		return NULL;
	}
	return p;
}

const uint8_t *etw_wevt_list(struct etw_wevt_reader *r, enum etw_wevt_list kind,
			     size_t header, size_t size, uint32_t *count)
{
	static const char signatures[ETW_WEVT_LISTS][5] = {
		[ETW_WEVT_LEVELS] = "LEVL", [ETW_WEVT_TASKS] = "TASK",
		[ETW_WEVT_OPCODES] = "OPCO", [ETW_WEVT_KEYWORDS] = "KEYW",
		[ETW_WEVT_EVENTS] = "EVNT", [ETW_WEVT_CHANNELS] = "CHAN",
		[ETW_WEVT_MAPS] = "MAPS", [ETW_WEVT_TEMPLATES] = "TTBL",
		[ETW_WEVT_PATTERNS] = "QTAB", [ETW_WEVT_FILTERS] = "FLTR",
		[ETW_WEVT_EVENT_ATTRIBUTES] = "EVTA", [ETW_WEVT_PROVIDER_ATTRIBUTES] = "PRVA",
	};
	uint32_t at = r->lists[kind];
	const uint8_t *p;

	*count = 0;
	if (!at)
		return NULL;
	p = etw_wevt_bytes(r, at, header);
	if (!p)
		return NULL;
	if (memcmp(p, signatures[kind], 4)) {
		etw_wevt_bad(r, "offset 0x%x: no list of signature %s", at, signatures[kind]);
		return NULL;
	}
	p = etw_wevt_entries(r, at + header, etw_wevt_u32(p + 8), size);
	if (p)
		*count = etw_wevt_u32(r->data + at + 8);
	return p;
}

void *etw_wevt_alloc(struct etw_wevt_reader *r, size_t count, size_t size)
{
	void *p = r->error || count > SIZE_MAX / 2 / size ? NULL :
		  etw_manifest_alloc(r->manifest, count * size);

	if (!p && !r->error)
		r->error = -ENOMEM;
	return p;
}

static char *keep(struct etw_wevt_reader *r, const char *s, size_t len)
{
	char *copy = r->error ? NULL : etw_manifest_strdup(r->manifest, s, len);

	if (!copy && !r->error)
		r->error = -ENOMEM;
	return copy;
}

char *etw_wevt_keep(struct etw_wevt_reader *r, const char *s)
{
	return keep(r, s, strlen(s));
}

char *etw_wevt_keep_text(struct etw_wevt_reader *r)
{
	if (r->text.error)
		r->error = -ENOMEM;
	return keep(r, r->text.data ? r->text.data : "", r->text.len);
}

/* UTF-16 up to a NUL, at most len bytes; "" after an error */
static const char *utf16(struct etw_wevt_reader *r, const uint8_t *s, size_t len)
{
	const char *copy;
	size_t n = 0;

	while (n + 2 <= len && etw_wevt_u16(s + n))
		n += 2;
	r->text_left -= n + 2;
	if (r->text_left < 0)
		etw_wevt_bad(r, "texts overlap");
	if (r->error)
		return "";
	etw_text_cut(&r->text, 0);
	etw_text_utf16(&r->text, s, n);
	copy = etw_wevt_keep_text(r);
	return copy ? copy : "";
}

const char *etw_wevt_name_at(struct etw_wevt_reader *r, uint32_t offset)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, 4);
	uint32_t len = p ? etw_wevt_u32(p) : 0;

	if (!p)
		return "";
	if (len < 4) {
		etw_wevt_bad(r, "offset 0x%x: a name is no longer than its length", offset);
		return "";
	}
	p = etw_wevt_bytes(r, offset, len);
	return p ? utf16(r, p + 4, len - 4) : "";
}

const char *etw_wevt_bare_name_at(struct etw_wevt_reader *r, uint32_t offset)
{
	const uint8_t *p = etw_wevt_bytes(r, offset, 2);

	return p ? utf16(r, p, r->size - offset) : "";
}

void etw_wevt_define(struct etw_wevt_reader *r, enum etw_wevt_list list, uint32_t offset,
		     const void *object)
{
	etw_names_add(&r->names, &r->lists[list], NULL, offset, object);
	if (r->names.no_memory)
		r->error = -ENOMEM;
}

const void *etw_wevt_at(const struct etw_wevt_reader *r, enum etw_wevt_list list, uint32_t offset)
{
	return etw_names_find(&r->names, &r->lists[list], NULL, offset);
}
