/* SPDX-License-Identifier: MIT */
/*
 * html.c - writes the page with the report's JSON in it
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"
#include "base/utf.h"
#include "report/html/html.h"
#include "report/html/page.h"

#define HASH_SIZE	32
#define HASH_TEXT	45	/* in base64, and a NUL */

/* page.html has each of these once, as <!--name-->. */
enum part { PART_POLICY, PART_STYLE, PART_DATA, PART_SCRIPT, PARTS };

static const char *const part_mark[PARTS] = {
	[PART_POLICY] = "<!--policy-->",
	[PART_STYLE] = "<!--style-->",
	[PART_DATA] = "<!--data-->",
	[PART_SCRIPT] = "<!--script-->",
};

struct json {
	const char *text;
	size_t length;
};

static void write_bytes(FILE *out, const char *from, const char *end)
{
	fwrite(from, 1, (size_t)(end - from), out);
}

static void base64_of_hash(const uint8_t hash[HASH_SIZE], char text[HASH_TEXT])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int at;
	uint32_t bits;

	/* 32 bytes are ten groups of three, and two bytes. */
	for (at = 0; at < HASH_SIZE; at += 3) {
		bits = (uint32_t)hash[at] << 16 | (uint32_t)hash[at + 1] << 8;
		if (at + 2 < HASH_SIZE)
			bits |= hash[at + 2];
		*text++ = digits[bits >> 18];
		*text++ = digits[bits >> 12 & 63];
		*text++ = digits[bits >> 6 & 63];
		*text++ = at + 2 < HASH_SIZE ? digits[bits & 63] : '=';
	}
	*text = '\0';
}

static void write_hash(FILE *out, const char *from, const char *end)
{
	uint8_t hash[HASH_SIZE];
	char text[HASH_TEXT];

	etw_sha256(from, (size_t)(end - from), hash);
	base64_of_hash(hash, text);
	fprintf(out, "'sha256-%s'", text);
}

/* Trusted types: a browser that knows them refuses innerHTML and its like as well. */
static void write_policy(FILE *out)
{
	fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ", out);
	write_hash(out, etw_report_script, etw_report_script_end);
	fputs("; style-src ", out);
	write_hash(out, etw_report_style, etw_report_style_end);
	fputs("; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; "
	      "trusted-types 'none'\">", out);
}

/*
 * The engine escapes all of this already; the page does not depend on it. Only the bytes of
 * strings change: outside of them a control character is no JSON, and becomes a space.
 */
static void write_json(FILE *out, const struct json *json)
{
	bool in_string = false, escaped = false;
	size_t at = 0, plain = 0, start;
	int32_t code;

	while (at < json->length) {
		start = at;
		code = etw_utf8_take(json->text, json->length, &at);
		if (code < 0)
			at = start + 1;
		if (!in_string || escaped || (code != '"' && code != '\\')) {
			escaped = false;
			if (code == '"')
				in_string = true;
		} else if (code == '\\') {
			escaped = true;
		} else {
			in_string = false;
		}
		/* Whoever reads the file sees what it has. Beyond \uXXXX characters stay. */
		if (code >= ' ' && code != '<' && (code > 0xFFFF || !etw_text_is_unsafe((uint32_t)code)))
			continue;
		fwrite(json->text + plain, 1, start - plain, out);
		plain = at;
		if (code < 0)
			fputs("\xEF\xBF\xBD", out);
		else if (in_string || code == '<')
			fprintf(out, "\\u%04x", (unsigned int)code);
		else
			fputc(code == '\n' ? '\n' : ' ', out);
	}
	fwrite(json->text + plain, 1, json->length - plain, out);
}

static void write_part(FILE *out, enum part part, const struct json *json)
{
	switch (part) {
	case PART_POLICY:
		write_policy(out);
		break;
	case PART_STYLE:
		write_bytes(out, etw_report_style, etw_report_style_end);
		break;
	case PART_DATA:
		write_json(out, json);
		break;
	case PART_SCRIPT:
		write_bytes(out, etw_report_script, etw_report_script_end);
		break;
	case PARTS:
		break;
	}
}

int etw_report_html_write(FILE *out, const char *json, size_t length)
{
	const struct json data = { json, length };
	const char *at = etw_report_page, *mark;
	unsigned int part;

	errno = 0;
	for (part = 0; part < PARTS; part++) {
		mark = memmem(at, (size_t)(etw_report_page_end - at), part_mark[part], strlen(part_mark[part]));
		if (!mark)
			return -EINVAL;
		write_bytes(out, at, mark);
		write_part(out, part, &data);
		at = mark + strlen(part_mark[part]);
	}
	write_bytes(out, at, etw_report_page_end);
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}
