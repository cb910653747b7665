/* SPDX-License-Identifier: MIT */
/*
 * input.c - the bytes of a manifest before they are parsed
 *
 * UTF-16 is recognised by its byte order mark or by its first character, which must be
 * "<", and converted to UTF-8 here. So the parser reads one contiguous buffer, the one
 * that was checked here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "manifest.h"
#include "base/utf.h"

#define LONG_TAG	1024u	/* bytes; a shorter tag cannot have too many attributes */

/* Convert UTF-16 to this machine's byte order, little-endian. */
static void to_units(const char *data, size_t units, bool big_endian, WCHAR *out)
{
	size_t i;

	memcpy(out, data, units * 2);
	if (!big_endian)
		return;
	for (i = 0; i < units; i++)
		out[i] = (WCHAR)__builtin_bswap16(out[i]);
}

/* The first line that is not valid UTF-16 */
static unsigned int wrong_line(const WCHAR *units, size_t count)
{
	unsigned int line = 1;
	size_t begin = 0, i;

	for (i = 0; i < count; i++) {
		if (units[i] != '\n')
			continue;
		if (etw_utf16_to_utf8(units + begin, i - begin, NULL, 0) < 0)
			break;
		begin = i + 1;
		line++;
	}
	return line;
}

static void convert(struct manifest_reader *r, const char *data, size_t size, bool big_endian,
		    struct manifest_input *input)
{
	size_t count = size / 2;
	WCHAR *units = malloc(count * sizeof(*units) + 1);
	ssize_t len;

	if (!units) {
		etw_manifest_no_memory(r);
		return;
	}
	to_units(data, count, big_endian, units);
	len = size % 2 ? -EINVAL : etw_utf16_to_utf8(units, count, NULL, 0);
	if (len < 0) {
		r->at.line = wrong_line(units, count);
		etw_manifest_fatal(r, "is not valid UTF-16");
	} else {
		input->own = malloc((size_t)len + 1);
		if (input->own)
			etw_utf16_to_utf8(units, count, input->own, len);
		else
			etw_manifest_no_memory(r);
		input->data = input->own;
		input->size = len;
		input->converted = true;
	}
	free(units);
}

static bool starts(const char *data, size_t size, const char *with, size_t len)
{
	return size >= len && !memcmp(data, with, len);
}

static unsigned int line_of(const char *data, const char *at)
{
	unsigned int line = 1;

	while ((data = memchr(data, '\n', at - data))) {
		line++;
		data++;
	}
	return line;
}

/* Does the XML declaration name an encoding other than UTF-8, which the parser converts? */
static bool declares_other(const struct manifest_input *input)
{
	size_t size = input->size < 200 ? input->size : 200;
	const char *end = memmem(input->data, size, "?>", 2), *name;

	name = end ? memmem(input->data, end - input->data, "encoding", 8) : NULL;
	if (!name)
		return false;
	for (name += 8; name < end && strchr(" \t\r\n=\"'", *name); name++)
		;
	return end - name >= 3 && strncasecmp(name, "utf", 3);
}

/*
 * Programs copy texts in the machine's code page into manifests: the decoder takes bytes
 * that are no UTF-8 for characters of windows-1252.
 */
static void mend(struct manifest_reader *r, struct manifest_input *input)
{
	struct etw_text text = { .data = NULL };
	size_t at = 0, begin = 0;
	bool found = false;

	while (at < input->size) {
		begin = at;
		if (etw_utf8_take(input->data, input->size, &at) >= 0) {
			etw_text_add(&text, input->data + begin, at - begin);
			continue;
		}
		if (!found) {
			r->at.line = line_of(input->data, input->data + begin);
			etw_manifest_error(r, "is not valid UTF-8");
			found = true;
		}
		etw_text_cp1252(&text, input->data + begin, 1, ETW_TEXT_RAW);
		at = begin + 1;
	}
	if (text.error) {
		etw_manifest_no_memory(r);
		etw_text_free(&text);
		return;
	}
	input->data = input->own = text.data;
	input->size = text.len;
}

/* Can this character begin the name in a tag with attributes? */
static bool begins_name(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == ':' || c & 0x80;
}

/* Count the attributes of the tag that begins at p: each has one quoted value. */
static unsigned int attributes_of(const char *p, const char *end)
{
	unsigned int count = 0;

	for (; p < end && *p != '>'; p++) {
		if (*p != '"' && *p != '\'')
			continue;
		count++;
		p = memchr(p + 1, *p, end - p - 1);
		if (!p)
			break;
	}
	return count;
}

/* Check up to the next "<", which no tag contains. */
static bool check_tag(struct manifest_reader *r, const struct manifest_input *input, const char *p,
		      const char *next)
{
	static const char attlist[] = "!ATTLIST";
	bool declares = starts(p, next - p, attlist, sizeof(attlist) - 1);

	if (!declares && (next - p < LONG_TAG || !begins_name(*p) ||
			  attributes_of(p, next) <= MANIFEST_ATTRIBUTES_MAX))
		return true;
	r->at.line = line_of(input->data, p);
	if (declares)
		etw_manifest_fatal(r, "a declaration of attributes (ATTLIST) is not allowed");
	else
		etw_manifest_fatal(r, "an element has more than %u attributes",
				   MANIFEST_ATTRIBUTES_MAX);
	return false;
}

/*
 * The parser compares each attribute of a tag with every other one, so their number
 * must be limited. Every tag begins with a "<" and contains no other: so check after
 * each "<" as if it began a tag. Comments, CDATA and processing instructions are not
 * skipped, since after an error the parser may see them elsewhere; an element within
 * one counts, too. Declarations could add attributes to tags that have none.
 */
static bool check_tags(struct manifest_reader *r, const struct manifest_input *input)
{
	const char *end = input->data + input->size, *p = input->data, *next;

	for (p = memchr(p, '<', end - p); p; p = next < end ? next : NULL) {
		p++;
		next = memchr(p, '<', end - p);
		if (!next)
			next = end;
		if (!check_tag(r, input, p, next))
			return false;
	}
	return true;
}

/*
 * The parser examines four bytes to detect UTF-16, UCS-4 and EBCDIC; the check of tags
 * would not understand these.
 */
static bool is_of_bytes(const struct manifest_input *input)
{
	size_t n = input->size < 4 ? input->size : 4;

	return !memchr(input->data, 0, n) && !starts(input->data, n, "\x4C\x6F\xA7\x94", 4);
}

bool etw_manifest_prepare(struct manifest_reader *r, const char *data, size_t size,
			  struct manifest_input *input)
{
	bool marked = starts(data, size, "\xFF\xFE", 2) || starts(data, size, "\xFE\xFF", 2);
	bool wide = marked || starts(data, size, "<\0", 2) || starts(data, size, "\0<", 2);

	*input = (struct manifest_input){ .data = data, .size = size };
	r->at.line = 1;
	if (size > MANIFEST_SIZE_MAX)
		etw_manifest_fatal(r, "is larger than %u MB", MANIFEST_SIZE_MAX >> 20);
	else if (wide)
		convert(r, data + 2 * marked, size - 2 * marked,
			data[0] == '\xFE' || data[0] == '\0', input);
	if (!input->size)
		etw_manifest_fatal(r, "is empty");
	if (r->wrong || r->err)
		return false;
	if (is_of_bytes(input)) {
		if (r->lenient && !etw_utf8_valid(input->data, input->size) && !declares_other(input))
			mend(r, input);
		return !r->err && check_tags(r, input);
	}
	etw_manifest_fatal(r, "the encoding is not supported: take UTF-8");
	return false;
}

/* The begins go behind the XML declaration. */
bool etw_manifest_wrap(struct manifest_reader *r, struct manifest_input *input, unsigned int count)
{
	static const char begin[] = "<" MANIFEST_WRAPPER ">", bom[] = "\xEF\xBB\xBF";
	size_t at = starts(input->data, input->size, bom, 3) ? 3 : 0, i;
	char *data = etw_manifest_alloc(r->scratch, input->size + count * strlen(begin)), *to = data;
	const char *end;

	if (!data)
		return false;
	if (starts(input->data + at, input->size - at, "<?xml", 5)) {
		end = memmem(input->data, input->size, "?>", 2);
		if (end)
			at = end + 2 - input->data;
	}
	to = mempcpy(to, input->data, at);
	for (i = 0; i < count; i++)
		to = mempcpy(to, begin, strlen(begin));
	to = mempcpy(to, input->data + at, input->size - at);
	input->data = data;
	input->size = to - data;
	return true;
}
