/* SPDX-License-Identifier: MIT */
/*
 * format.c - print events by the user's format: %t %P %e %{Number}
 */
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "event.h"
#include "operation.h"
#include "convert/items.h"
#include "convert/names.h"
#include "base/event_mode.h"
#include "base/guid.h"

#define WIDTH_MAX	999

/* Letters for %{NAME} and for literal text */
#define PIECE_FIELD	'{'
#define PIECE_TEXT	'\0'

struct piece {
	char what;
	bool left, zeroes;
	unsigned int width;
	size_t at, len;		/* PIECE_TEXT, PIECE_FIELD: in text */
};

struct event_format {
	char *text;		/* all literals and names, escapes undone */
	size_t count;
	struct piece pieces[];
};

/* ------------------------------------------------------------------- parsing */

static const char letters[] = "tTcpnsSMPGeivlLkKoOahfmxARDd%";

static char unescaped(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '\\':
		return '\\';
	default:
		return '\0';
	}
}

struct parser {
	struct event_format *format;
	const char *start, *at;
	size_t used;		/* of format->text */
	const char *error;
};

static struct piece *new_piece(struct parser *p, char what)
{
	struct piece *piece = &p->format->pieces[p->format->count++];

	memset(piece, 0, sizeof(*piece));
	piece->what = what;
	piece->at = p->used;
	return piece;
}

static void parse_literal(struct parser *p)
{
	struct piece *piece = new_piece(p, PIECE_TEXT);

	for (; *p->at && *p->at != '%'; p->at++) {
		char c = *p->at;

		if (c == '\\') {
			c = unescaped(p->at[1]);
			if (!c) {
				p->error = "a backslash goes with n, t or another one";
				return;
			}
			p->at++;
		}
		p->format->text[p->used++] = c;
	}
	piece->len = p->used - piece->at;
}

static void parse_field(struct parser *p, struct piece *piece)
{
	const char *end = strchr(p->at, '}');

	if (!end || end == p->at) {
		p->error = end ? "the name of a field is missing" : "} is missing";
		return;
	}
	piece->what = PIECE_FIELD;
	piece->len = (size_t)(end - p->at);
	memcpy(p->format->text + p->used, p->at, piece->len);
	p->used += piece->len;
	p->at = end + 1;
}

static void parse_directive(struct parser *p)
{
	struct piece *piece = new_piece(p, '%');
	const char *begin = p->at++;

	for (; *p->at == '-' || *p->at == '0'; p->at++) {
		piece->left |= *p->at == '-';
		piece->zeroes |= *p->at == '0';
	}
	for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
		piece->width = piece->width * 10 + (unsigned int)(*p->at - '0');
		if (piece->width > WIDTH_MAX) {
			p->error = "a width is 999 at most";
			return;
		}
	}
	if (*p->at == '{') {
		p->at++;
		parse_field(p, piece);
	} else if (*p->at && strchr(letters, *p->at)) {
		piece->what = *p->at++;
	} else {
		p->at = begin;
		p->error = "no such directive";
	}
}

struct event_format *event_format_parse(const char *text, const char **error, size_t *column)
{
	size_t len = strlen(text);
	/* No more pieces than characters. */
	struct event_format *format = calloc(1, sizeof(*format) + len * sizeof(struct piece));
	struct parser p = { .format = format, .start = text, .at = text };

	if (format)
		format->text = malloc(len + 1);
	if (!format || !format->text)
		cli_die("out of memory");
	while (*p.at && !p.error) {
		if (*p.at == '%')
			parse_directive(&p);
		else
			parse_literal(&p);
	}
	if (!p.error)
		return format;
	*error = p.error;
	*column = (size_t)(p.at - text) + 1;
	event_format_free(format);
	return NULL;
}

bool event_format_decodes(const struct event_format *format)
{
	size_t i;

	for (i = 0; i < format->count; i++)
		if (format->pieces[i].what && strchr("efm{", format->pieces[i].what))
			return true;
	return false;
}

void event_format_free(struct event_format *format)
{
	if (!format)
		return;
	free(format->text);
	free(format);
}

/* ------------------------------------------------------------------ printing */

static uint32_t number_of(const struct event_printer *printer, char what)
{
	const struct etw_event_header *header = event_header(printer);

	switch (what) {
	case 'c':
		return printer->event->cpu;
	case 'p':
		return header->process_id;
	case 's':
		return header->thread_id;
	case 'i':
		return header->desc.id;
	case 'v':
		return header->desc.version;
	case 'L':
		return header->desc.level;
	default:
		return header->desc.opcode;
	}
}

static void add_keywords(struct event_printer *printer, struct etw_text *to)
{
	const char *name;
	unsigned int i;

	for (i = 0; (name = etw_decode_keyword(printer->decoder, i)); i++) {
		if (i)
			etw_text_char(to, '|');
		etw_text_escape(to, name, strlen(name));
	}
}

static void add_guid(struct event_printer *printer, char what, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	const void *guid = &header->provider;

	if (what == 'A')
		guid = etw_guid_is_zero(&header->activity) ? NULL : &header->activity;
	else if (what == 'R')
		guid = items_find(&printer->event->record, ETW_EXT_RELATED_ACTIVITY,
				  sizeof(struct etw_guid));
	if (guid)
		etw_text_guid(to, guid);
}

static void add_name(const char *name, struct etw_text *to)
{
	if (name)
		etw_text_escape(to, name, strlen(name));
}

/* The name of a number, or the number; the name of 0 says nothing. */
static void add_part(const char *name, unsigned int number, struct etw_text *to)
{
	if (number && name && *name)
		add_name(name, to);
	else
		etw_text_unsigned(to, number, 1);
}

static void add_named(struct event_printer *printer, char what, struct etw_text *to)
{
	const struct etw_event_header *header = event_header(printer);
	const struct etw_decoded *decoded = printer->decoded;

	switch (what) {
	case 'n':
		add_name(event_process(printer), to);
		break;
	case 'S':
		add_name(event_thread(printer), to);
		break;
	case 'M':
		add_name(etw_event_mode(header->flags), to);
		break;
	case 'o':
		add_part(decoded->opcode, header->desc.opcode, to);
		break;
	case 'a':
		add_part(decoded->task, header->desc.task, to);
		break;
	case 'h':
		add_part(decoded->channel, header->desc.channel, to);
		break;
	case 'K':
		add_keywords(printer, to);
		break;
	}
}

/* Remove the blank that these begin with. */
static void add_list(struct event_printer *printer, char what, struct etw_text *to)
{
	size_t before = to->len;

	if (what == 'x')
		event_add_items(printer, to);
	else if (what == 'f' || !event_add_message(printer, to))
		event_add_payload(printer, to);
	if (what == 'f' && printer->operation)
		operation_add_fields(printer, to);
	if (to->len > before && to->data[before] == ' ') {
		memmove(to->data + before, to->data + before + 1, to->len - before);
		to->len--;
	}
}

static void add_field(struct event_printer *printer, const char *name, size_t len,
		      struct etw_text *to)
{
	if (printer->known &&
	    convert_add_field(printer->decoder, name, len, CONVERT_ESCAPED, to))
		return;
	if (printer->operation)
		operation_add_field(printer, name, len, to);
}

static void add_piece(struct event_printer *printer, const struct piece *piece,
		      struct etw_text *to)
{
	const struct etw_record_view *record = &printer->event->record;
	const char *text = printer->format->text + piece->at;

	if (piece->what == PIECE_TEXT)
		etw_text_add(to, text, piece->len);
	else if (piece->what == PIECE_FIELD)
		add_field(printer, text, piece->len, to);
	else if (piece->what == 't')
		event_add_time(printer, to);
	else if (piece->what == 'P')
		event_add_provider(printer, to);
	else if (piece->what == 'e')
		event_add_name(printer, to);
	else if (piece->what == 'l')
		event_add_level(printer, to);
	else if (piece->what == 'd' && printer->operation)
		operation_add_duration(printer, to);
	else if (piece->what == 'd')
		return;
	else if (piece->what == 'D')
		etw_text_hex(to, record->data, record->data_len);
	else if (piece->what == '%')
		etw_text_char(to, '%');
	else if (piece->what == 'T')
		etw_text_signed(to, record->header->timestamp);
	else if (piece->what == 'k')
		etw_text_0x(to, record->header->desc.keyword);
	else if (strchr("GAR", piece->what))
		add_guid(printer, piece->what, to);
	else if (strchr("fmx", piece->what))
		add_list(printer, piece->what, to);
	else if (strchr("nSMoahK", piece->what))
		add_named(printer, piece->what, to);
	else
		etw_text_unsigned(to, number_of(printer, piece->what), 1);
}

/* Pad the text behind before to the piece's width in characters. */
static void pad(struct etw_text *to, size_t before, const struct piece *piece)
{
	size_t have = to->error ? piece->width : 0, len = to->len - before, missing;
	char *room;

	if (!to->error && to->len > before)
		have = text_columns(to->data + before);
	if (have >= piece->width)
		return;
	missing = piece->width - have;
	room = etw_text_room(to, missing);
	if (!room)
		return;
	if (piece->left) {
		memset(room, ' ', missing);
	} else {
		memmove(to->data + before + missing, to->data + before, len);
		memset(to->data + before, piece->zeroes ? '0' : ' ', missing);
	}
	etw_text_end(to, to->data + before + len + missing);
}

void event_print_format(struct event_printer *printer, const struct etw_event *event)
{
	const struct event_format *format = printer->format;
	struct etw_text *to = &printer->out;
	size_t i, before;

	event_begin(printer, event);
	event_add_place(printer, to);
	for (i = 0; i < format->count; i++) {
		before = to->len;
		add_piece(printer, &format->pieces[i], to);
		if (format->pieces[i].width)
			pad(to, before, &format->pieces[i]);
	}
	event_end(printer);
}
