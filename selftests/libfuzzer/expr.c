// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr - event filter expressions, over valid and invalid events
 *
 *	input := u16 n  n bytes of expression  80 bytes of header  payload
 *
 * A refused expression reports the reason and the position.  An accepted expression gives
 * the same result each time, and the opposite result after "not". If the kernel accepts
 * it too, the kernel's result is the same, provided that the payload is complete and the
 * expression compares ASCII only.
 */
#include "core/payload.h"
#include "libfuzzer/schema.h"
#include "tdh/expr/kernel_filter.h"

#define F(what, in, out) { .name = what, .in_type = TDH_INTYPE_##in, \
			   .out_type = TDH_OUTTYPE_##out, .count = 1 }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct etw_manifest *manifest;

static void load(void)
{
	static const char *const names[] = { "one", "two", "three" };
	static const struct etw_mf_message messages[] = {
		{ .text = &names[0] }, { .text = &names[1] }, { .text = &names[2] }
	};
	static const struct etw_mf_map_entry entries[] = {
		{ .value = 1, .message = &messages[0] }, { .value = 2, .message = &messages[1] },
		{ .value = 4, .message = &messages[2] },
	};
	static const uint32_t by_value[] = { 0, 1, 2 };
	static const struct etw_mf_map map = {
		.name = "M", .kind = ETW_MAP_BITS, .entries = entries, .count = 3,
		.by_value = by_value, .by_value_count = 3,
	};
	static const struct etw_mf_field fields[] = {
		{ .name = "m", .in_type = TDH_INTYPE_UINT8, .out_type = TDH_OUTTYPE_UNSIGNEDBYTE,
		  .count = 1, .map = &map },
		F("w", UNICODESTRING, STRING), F("i", INT16, SHORT), F("f", FLOAT, FLOAT),
		F("t", FILETIME, DATETIME), F("y", SYSTEMTIME, DATETIME), F("g", GUID, GUID),
		{ .name = "s", .flags = ETW_MF_STRUCT | ETW_MF_COUNT_FIXED, .count = 2, .first = 9,
		  .members = 2 },
		F("u", UINT64, UNSIGNEDLONG),
		{ .name = "l", .in_type = TDH_INTYPE_UINT8, .out_type = TDH_OUTTYPE_UNSIGNEDBYTE,
		  .flags = ETW_MF_COUNT_FIXED, .count = 3 },
		F("a", ANSISTRING, STRING),
	};
	static const struct etw_mf_template template = {
		.id = "T", .fields = fields, .count = 11, .top = 9,
	};
	static bool loaded;

	if (!loaded)
		manifest = schema_load(&template, "message", NULL);
	loaded = true;
}

static void use(struct etw_expr *expr, const char *text, const EVENT_RECORD *record,
		const struct etw_decoded *decoded, struct etw_decoder *decoder)
{
	size_t len = strlen(text), column;
	char *opposite = malloc(len + 7);
	struct etw_expr *not;
	const char *error;
	bool holds = etw_expr_match(expr, record, decoded, decoder);

	if (etw_expr_match(expr, record, decoded, decoder) != holds)
		abort();
	etw_expr_match(expr, record, NULL, NULL);
	memcpy(opposite, "not (", 5);
	memcpy(opposite + 5, text, len);
	memcpy(opposite + 5 + len, ")", 2);
	not = etw_expr_parse(opposite, &error, &column);
	/* Adding "not" may exceed the depth limit. */
	if (not && etw_expr_match(not, record, decoded, decoder) == holds)
		abort();
	etw_expr_free(not);
	free(opposite);
}

/* Does the payload have all fields? */
static bool is_whole(struct etw_decoder *decoder)
{
	struct etw_field field;
	int ret;

	etw_decode_rewind(decoder);
	while ((ret = etw_decode_next(decoder, &field)) == 1)
		;
	etw_decode_rewind(decoder);
	return !ret;
}

/* May the kernel and the library read the text differently? Code pages matter above ASCII. */
static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80 || *text == '\\')
			return false;
	return true;
}

static bool kernel_passes(const struct etw_kernel_filter *filter, const EVENT_RECORD *record)
{
	const struct etw_event_descriptor desc = { .id = 1 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)record->UserData,
					     .size = record->UserDataLength };
	struct etw_record_source from = { .desc = &desc, .data = &piece, .count = 1,
					  .type = ETW_TYPE_EVENT64 };
	uint64_t program[ETW_PAYLOAD_SIZE_MAX / 8];
	unsigned int i = 0;

	while (i < filter->id_count && filter->ids[i] != 1)
		i++;
	if (filter->ids_are != ETW_KERNEL_ALL_IDS &&
	    (i < filter->id_count) != (filter->ids_are == ETW_KERNEL_ONLY_IDS))
		return false;
	if (filter->ignore_keyword0)
		return false;
	if (!filter->program)
		return true;
	memcpy(program, filter->program, filter->size);
	if (etw_payload_load(program, filter->size))
		abort();
	etw_record_measure(&from);
	return etw_payload_pass(program, &from, false);
}

/* Compile for the kernel, and run it on an event with the manifest's descriptor. */
static void use_kernel(struct etw_expr *expr, const char *text, const EVENT_RECORD *record,
		       struct etw_decoder *decoder)
{
	const struct etw_kernel_source source = { text, expr };
	const struct etw_mf_provider *const provider = &manifest->providers[0];
	const struct etw_kernel_schema schema = {
		.guid = &schema_guid, .providers = { &provider, 1 },
	};
	EVENT_RECORD plain = {
		.EventHeader = { .ProviderId = schema_guid, .EventDescriptor = { .Id = 1 } },
		.UserData = record->UserData, .UserDataLength = record->UserDataLength,
	};
	struct etw_kernel_filter filter = { .level = 0 };
	struct etw_kernel_error error;
	const struct etw_decoded *decoded;
	bool holds;

	if (!etw_kernel_filter_make(&source, 1, &schema, &filter, &error)) {
		if (!error.text[0] || error.column > strlen(text) + 1)
			abort();
		return;
	}
	etw_decode(decoder, &plain, &decoded);
	holds = etw_expr_match(expr, &plain, decoded, decoder);
	if (kernel_passes(&filter, &plain) != holds && is_whole(decoder) && is_ascii(text))
		abort();
	free(filter.program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct etw_decoder *decoder;
	struct input in = { data, size };
	const struct etw_decoded *decoded;
	EVENT_RECORD record = { .UserDataLength = 0 };
	size_t len, got, column = 0;
	const char *error = NULL;
	struct etw_expr *expr;
	void *head, *payload;
	char *text, *block;

	load();
	if (!decoder)
		decoder = etw_decoder_new();
	len = take16(&in);
	block = take_block(&in, len, &len);
	text = strndup(block, len);
	free(block);
	expr = etw_expr_parse(text, &error, &column);
	if (!expr && (!error || !column || column > strlen(text) + 1))
		abort();
	head = take_block(&in, sizeof(record.EventHeader), &got);
	memcpy(&record.EventHeader, head, got);
	record.EventHeader.ProviderId = schema_guid;
	record.EventHeader.EventDescriptor.Id = 1;
	record.EventHeader.EventDescriptor.Version = 0;
	payload = take_block(&in, in.left > UINT16_MAX ? UINT16_MAX : in.left, &got);
	record.UserData = payload;
	record.UserDataLength = (USHORT)got;
	etw_decode(decoder, &record, &decoded);
	if (expr) {
		use(expr, text, &record, decoded, decoder);
		use_kernel(expr, text, &record, decoder);
	}
	etw_expr_free(expr);
	free(head);
	free(payload);
	free(text);
	return 0;
}
