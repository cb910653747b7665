// SPDX-License-Identifier: MIT
/*
 * report_html - the page of a report: the JSON in it, and its content security policy
 *
 * With a file as its argument it writes the page of that JSON to stdout, for page.sh.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "lib/tap.h"
#include "report/html/html.h"

/* The largest page without data: docs say so. */
#define PAGE_LIMIT	(120 * 1024)

struct span {
	const char *text;
	size_t length;
};

static char *page_of(const char *json, size_t length, size_t *size)
{
	char *page = NULL;
	FILE *out = open_memstream(&page, size);

	if (!out || etw_report_html_write(out, json, length))
		abort();
	fclose(out);
	return page;
}

static char *page_of_text(const char *json)
{
	size_t size;

	return page_of(json, strlen(json), &size);
}

/* between(page, FROM, TO): what stands between these two, whose first occurrences count */
static struct span between(const char *page, const char *from, const char *to)
{
	const char *start = strstr(page, from), *end;

	if (!start)
		return (struct span){ "", 0 };
	start += strlen(from);
	end = strstr(start, to);
	return (struct span){ start, end ? (size_t)(end - start) : 0 };
}

static struct span data_of(const char *page)
{
	return between(page, "<script type=\"application/json\" id=\"data\">", "</script>");
}

static bool is_text(struct span span, const char *text)
{
	return span.length == strlen(text) && !memcmp(span.text, text, span.length);
}

static bool embeds(const char *json, size_t length, const char *want)
{
	size_t size;
	char *page = page_of(json, length, &size);
	bool good = is_text(data_of(page), want);

	if (!good)
		printf("# got %.*s\n", (int)data_of(page).length, data_of(page).text);
	free(page);
	return good;
}

#define EMBEDS(json, want)	embeds(json, sizeof(json) - 1, want)

static void test_escapes(void)
{
	ok(EMBEDS("{\"version\":1, \"a\":[1,2.5e3,null]}\n", "{\"version\":1, \"a\":[1,2.5e3,null]}\n"),
	   "plain JSON is unchanged");
	ok(EMBEDS("[\"</script><script>alert(1)</script>\"]",
		  "[\"\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\"]"), "no element can begin or end");
	ok(EMBEDS("[\"<!--\", \"]]>\"]", "[\"\\u003c!--\", \"]]>\"]"), "nor a comment");
	ok(EMBEDS("[\"a\0b\x01" "c\nd\re\"]", "[\"a\\u0000b\\u0001c\\u000ad\\u000de\"]"),
	   "control characters inside a string become escapes");
	ok(EMBEDS("[\0\x02\r\n1]", "[   \n1]"), "outside of one they become spaces");
	ok(EMBEDS("[\"\x7F\xC2\x9B\"]", "[\"\\u007f\\u009b\"]"), "control characters beyond ASCII, too");
	ok(EMBEDS("[\"\xE2\x80\xAE" "fdp.exe\xE2\x81\xA6\xE2\x80\xA8\xEF\xBB\xBF\"]",
		  "[\"\\u202efdp.exe\\u2066\\u2028\\ufeff\"]"), "so does what turns the direction of a line");
	ok(EMBEDS("[\"gr\xC3\xBC\xC3\x9F \xE6\xBC\xA2 \xF0\x9F\x98\x80\"]",
		  "[\"gr\xC3\xBC\xC3\x9F \xE6\xBC\xA2 \xF0\x9F\x98\x80\"]"), "other characters stay");
	ok(EMBEDS("[\"\xC3\", \"\x80\", \"\xED\xA0\x80\", \"\xC0\xAF\"]",
		  "[\"\xEF\xBF\xBD\", \"\xEF\xBF\xBD\", \"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\", "
		  "\"\xEF\xBF\xBD\xEF\xBF\xBD\"]"), "what is no UTF-8 is replaced");
	ok(EMBEDS("[\"x\xE2\x80", "[\"x\xEF\xBF\xBD\xEF\xBF\xBD"), "also where the text ends in a character");
	ok(EMBEDS("[\"\\\"<\", \"\\\\\", <]", "[\"\\\"\\u003c\", \"\\\\\", \\u003c]"), "escaped quotes end no string");
	ok(EMBEDS("", ""), "an empty text is embedded as that");
}

/* A text with every byte, and the characters that HTML and JavaScript take for their own */
static void test_round_trip(void)
{
	struct json_object *report = json_object_new_object(), *back;
	const char *plain;
	char text[1024], *page, *copy;
	size_t size, at = 0;
	struct span data;
	unsigned int c;

	for (c = 1; c < 128; c++)
		text[at++] = (char)c;
	strcpy(text + at, "</script><!--<script>\xE2\x80\xA8\xE2\x80\xAE\xEF\xBB\xBF\xF0\x9F\x98\x80\\u003c\\\"");
	json_object_object_add(report, text, json_object_new_string(text));
	plain = json_object_to_json_string_ext(report, JSON_C_TO_STRING_NOSLASHESCAPE);
	page = page_of(plain, strlen(plain), &size);
	data = data_of(page);
	copy = strndup(data.text, data.length);
	ok(!strchr(copy, '<'), "no < is left");
	back = json_tokener_parse(copy);
	ok(back && json_object_equal(report, back), "a parser reads what was written");
	json_object_put(back);
	json_object_put(report);
	free(copy);
	free(page);
}

/* Of random bytes nothing ends the element, and everything is UTF-8 without controls. */
static void test_random(void)
{
	unsigned int i, bad = 0;
	uint32_t state = 12345;
	char bytes[4096], *page;
	size_t size, at;
	struct span data;

	for (i = 0; i < 300; i++) {
		for (at = 0; at < sizeof(bytes); at++) {
			state = state * 1664525 + 1013904223;
			bytes[at] = i % 2 ? (char)(state >> 24) : "<>/!-\"\\ script\n\0"[state >> 28];
		}
		page = page_of(bytes, sizeof(bytes), &size);
		bad += strlen(page) != size;
		data = data_of(page);
		/* What follows the data is the page again. */
		bad += strncmp(data.text + data.length, "</script>\n<script>'use strict';", 30) != 0;
		for (at = 0; at < data.length; at++)
			bad += data.text[at] == '<' || (data.text[at] > 0 && data.text[at] < ' ' && data.text[at] != '\n');
		free(page);
	}
	is(bad, 0, "random bytes stay inside their element");
}

static int digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Is the text the base64 of the hash of the span? */
static bool is_hash_of(struct span text, struct span of)
{
	unsigned int i, bit, bits = 0, value = 0, made = 0;
	uint8_t hash[32];

	etw_sha256(of.text, of.length, hash);
	if (text.length != 44 || text.text[43] != '=')
		return false;
	for (i = 0; i < 43; i++) {
		const int digit = digit_of(text.text[i]);

		if (digit < 0)
			return false;
		for (bit = 6; bit--; ) {
			value = value << 1 | (digit >> bit & 1);
			if (++bits % 8 == 0 && made < 32 && hash[made++] != (value & 0xFF))
				return false;
		}
	}
	return made == 32;
}

static void test_policy(void)
{
	char *page = page_of_text("{}");
	const struct span policy = between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
	const struct span script = between(page, "<script>", "</script>");
	const struct span style = between(page, "<style>", "</style>");
	char *text = strndup(policy.text, policy.length);
	const char *data = strstr(page, "id=\"data\">");

	ok(!strncmp(text, "default-src 'none'; ", 20), "the policy forbids everything first");
	ok(!strstr(text, "unsafe"), "it allows neither inline scripts nor eval");
	ok(is_hash_of(between(text, "script-src 'sha256-", "'"), script), "the hash of the script is that of its bytes");
	ok(is_hash_of(between(text, "style-src 'sha256-", "'"), style), "the hash of the style, too");
	ok(strstr(text, "base-uri 'none'") && strstr(text, "form-action 'none'") &&
	   strstr(text, "require-trusted-types-for 'script'"), "forms, bases and untrusted markup are forbidden");
	ok(strstr(page, "<meta http-equiv") < strstr(page, "<style>"), "it stands before what it allows");
	ok(data && data < script.text, "the script comes after its data");
	ok(script.length > 10000 && style.length > 1000 && !memmem(style.text, style.length, "<", 1),
	   "script and style are there, and end where they should");
	free(text);
	free(page);
}

/* The rules that keep the page safe are kept by its sources. */
static void test_sources(void)
{
	static const char *const forbidden[] = {
		"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "http:", "https:",
		"XMLHttpRequest", "fetch(", "WebSocket", "<!--", "import(", "url(", "@import",
	};
	size_t size, i;
	char *page = page_of("", 0, &size), *svg;

	/* The name of SVG's elements is no address. */
	svg = strstr(page, "http://www.w3.org/2000/svg");
	ok(svg, "drawings are SVG");
	if (svg)
		memset(svg, ' ', 26);
	for (i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		ok(!strstr(page, forbidden[i]), "the page has no %s", forbidden[i]);
	ok(size < PAGE_LIMIT, "the page without data is %zu bytes, less than %d", size, PAGE_LIMIT);
	free(page);
}

static void test_errors(void)
{
	FILE *full = fopen("/dev/full", "w"), *closed = fopen("/dev/null", "r");

	is(full ? etw_report_html_write(full, "{}", 2) : 0, -ENOSPC, "a full disk is an error");
	is(closed ? etw_report_html_write(closed, "{}", 2) : 0, -EBADF, "so is a file that cannot be written");
	if (full)
		fclose(full);
	if (closed)
		fclose(closed);
}

static int write_page(const char *path)
{
	FILE *in = fopen(path, "r"), *copy;
	char *json = NULL, bytes[65536];
	size_t size, got;
	int ret;

	copy = open_memstream(&json, &size);
	if (!in || !copy)
		return 1;
	while ((got = fread(bytes, 1, sizeof(bytes), in)) > 0)
		fwrite(bytes, 1, got, copy);
	fclose(in);
	fclose(copy);
	ret = etw_report_html_write(stdout, json, size);
	free(json);
	return ret ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return write_page(argv[1]);
	test_escapes();
	test_round_trip();
	test_random();
	test_policy();
	test_sources();
	test_errors();
	return done_testing();
}
