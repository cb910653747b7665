// SPDX-License-Identifier: GPL-2.0-only
/*
 * print - events as "etw dump" prints them: text, JSON, a format
 *
 *	input := flags  80 bytes of header  u16 n  n bytes of extended items  payload
 *
 * No event may control a terminal or break a line.
 */
#include "unit/print/cli_print.h"
#include "unit/print/cli_print_manifest.h"
#include "libfuzzer/event.h"

enum { KNOWN = 1, NAMES = 2, HEX = 4, MESSAGE = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A single line of valid UTF-8 without control characters */
static void check_line(const struct etw_text *out)
{
	size_t i;

	if (out->error)
		abort();
	/* A line of 64 KB went to stdout directly. */
	if (!out->len)
		return;
	if (out->data[out->len - 1] != '\n' ||
	    !etw_utf8_valid(out->data, out->len))
		abort();
	for (i = 0; i + 1 < out->len; i++)
		if ((unsigned char)out->data[i] < 0x20 || out->data[i] == 0x7f)
			abort();
}

static const struct etw_text *print_one(struct event_printer *printer, const struct etw_event *event,
					void (*how)(struct event_printer *, const struct etw_event *))
{
	printer->out.len = 0;
	how(printer, event);
	check_line(&printer->out);
	return &printer->out;
}

/* A printer prints its events in one way. */
static void print_all(const struct event_printer *options, const struct etw_event *event)
{
	static struct event_printer printers[3];
	const struct etw_text *json;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		printers[i].names = options->names;
		printers[i].processes = options->processes;
		printers[i].format = options->format;
		printers[i].hex = options->hex;
		printers[i].message = options->message;
		printers[i].time = options->time;
	}
	print_one(&printers[0], event, event_print_text);
	print_one(&printers[1], event, event_print_format);
	json = print_one(&printers[2], event, event_print_json);
	if (json->len && (json->data[0] != '{' || json->data[json->len - 2] != '}'))
		abort();
}

static void prepare(struct event_printer *printer)
{
	const char *error;
	size_t column;

	if (printer->format)
		return;
	load_manifest();
	stdout = fopen("/dev/null", "w");
	provider_is = process_is = "a \"b\"\x1b\xff";
	thread_is = "c";
	printer->format = event_format_parse("%t %-9n %S %05p %P %e %l %a %o %h %K %A %R %x %D "
					     "%f %m %{Op} %{Path} %{a} %{a.b}", &error, &column);
	if (!printer->format)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct event_printer printer;
	struct etw_event_header header = { .size = 0 };
	struct etw_buffer_header buffer = { .buffer_size = 0 };
	struct etw_event event = { .buffer = &buffer };
	struct input in = { data, size };
	uint8_t flags = take8(&in);
	size_t got, ext_len, data_len;
	void *head, *ext, *payload;

	prepare(&printer);
	head = take_block(&in, sizeof(header), &got);
	memcpy(&header, head, got);
	if (flags & KNOWN)
		header.provider = known;
	event.time = header.timestamp;
	event.cpu = header.property;
	ext = take_block(&in, take16(&in), &ext_len);
	payload = take_block(&in, in.left > UINT16_MAX ? UINT16_MAX : in.left, &data_len);
	event.record = (struct etw_record_view){ .header = &header, .ext = ext,
						  .ext_len = (uint32_t)ext_len, .data = payload,
						  .data_len = (uint32_t)data_len };
	printer.names = flags & NAMES ? (struct names *)data : NULL;
	printer.processes = flags & NAMES ? &named : NULL;
	printer.hex = flags & HEX;
	printer.message = flags & MESSAGE;
	printer.time = (enum event_time)((flags >> 4) % 5);
	print_all(&printer, &event);
	free(head);
	free(ext);
	free(payload);
	return 0;
}
