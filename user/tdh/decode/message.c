/* SPDX-License-Identifier: MIT */
/*
 * message.c - an event's message with its fields inserted
 *
 *	%1 to %99	fields of the top level, from 1; also %1!s!, since the
 *			printf() format has no effect here
 *	%n %t %b %r	newline, tab, space, carriage return
 *	%0		the message ends here
 *	%%1		a text of the provider's parameter file, which is not read: unchanged
 *	%% and others	the character itself
 *
 * Source: Microsoft's pages "Message Text Files" and "Message Strings" of manifests.
 */
#include "format.h"

#define INSERTS	99

/* The positions of field texts in decoder->scratch */
struct inserts {
	size_t end[INSERTS + 1];	/* of field i, from 1; [0]: 0 */
	unsigned int count;
};

/* Empty the text and reset an earlier event's out-of-memory state. */
static struct etw_text *empty_scratch(struct etw_decoder *decoder)
{
	if (decoder->scratch.error)
		etw_text_free(&decoder->scratch);
	etw_text_cut(&decoder->scratch, 0);
	return &decoder->scratch;
}

static void format_inserts(struct etw_decoder *decoder, struct inserts *inserts)
{
	struct etw_text *scratch = empty_scratch(decoder);

	inserts->end[0] = 0;
	inserts->count = 0;
	etw_decode_rewind(decoder);
	while (inserts->count < INSERTS &&
	       etw_format_next(scratch, decoder, ETW_FORMAT_RAW) == 1)
		inserts->end[++inserts->count] = scratch->len;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Skip a format like "!08x!" at s, if there is one. */
static const char *skip_format(const char *s)
{
	const char *p = s;

	if (*p++ != '!')
		return s;
	while (is_digit(*p) || *p == '#' || *p == '-' || *p == '+' || *p == '.' || *p == '*')
		p++;
	if (!is_letter(*p))
		return s;
	while (is_letter(*p) || is_digit(*p))
		p++;
	return *p == '!' ? p + 1 : s;
}

/* s: the digits after '%'. Returns the rest of the text. */
static const char *put_insert(struct etw_text *text, const char *s,
			      const struct etw_decoder *decoder, const struct inserts *inserts)
{
	const char *p = s;
	unsigned int n = (unsigned int)(*p++ - '0');

	if (is_digit(*p))
		n = 10 * n + (unsigned int)(*p++ - '0');
	if (n > inserts->count) {
		etw_text_char(text, '%');
		etw_text_add(text, s, (size_t)(p - s));
		return p;
	}
	if (decoder->scratch.data)
		etw_text_add(text, decoder->scratch.data + inserts->end[n - 1],
			     inserts->end[n] - inserts->end[n - 1]);
	return skip_format(p);
}

/* s: after a '%' without a number. Returns the rest of the text; NULL: it ends. */
static const char *put_escape(struct etw_text *text, const char *s)
{
	static const char from[] = "ntbr", to[] = "\n\t \r";
	const char *at;

	if (!*s) {
		etw_text_char(text, '%');
		return NULL;
	}
	if (*s == '0')
		return NULL;
	if (*s == '%' && is_digit(s[1])) {
		etw_text_add(text, "%%", 2);
		return s + 1;
	}
	at = strchr(from, *s);
	etw_text_char(text, at ? to[at - from] : *s);
	return s + 1;
}

static void put_message(struct etw_text *text, struct etw_decoder *decoder, const char *s)
{
	size_t start = text->len;
	struct inserts inserts;
	bool have = false;

	while (s && *s && text->len - start <= ETW_FORMAT_MAX) {
		size_t n = strcspn(s, "%");

		etw_text_add(text, s, n);
		s += n;
		if (!*s)
			return;
		s++;
		if (!is_digit(*s) || *s == '0') {
			s = put_escape(text, s);
			continue;
		}
		if (!have)
			format_inserts(decoder, &inserts);
		have = true;
		s = put_insert(text, s, decoder, &inserts);
	}
}

/* Messages of message tables end with a line end. */
static void trim(struct etw_text *text, size_t start)
{
	size_t len = text->len;

	while (len > start && (text->data[len - 1] == '\n' || text->data[len - 1] == '\r'))
		len--;
	etw_text_cut(text, len);
}

BOOLEAN etw_format_message(struct etw_text *text, struct etw_decoder *decoder)
{
	size_t start = text->len;

	if (!decoder->event.message)
		return FALSE;
	empty_scratch(decoder);
	put_message(text, decoder, decoder->event.message);
	trim(text, start);
	if (decoder->scratch.error)
		text->error = decoder->scratch.error;
	return TRUE;
}
