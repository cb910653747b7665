// SPDX-License-Identifier: GPL-2.0-only
/*
 * expr - expressions that choose events, of events that make sense or do not
 *
 *	input := u16 n  n bytes of expression  80 bytes of header  payload
 *
 * An expression that is refused says why and where; one that is taken has the same
 * outcome each time, and the opposite one behind a "not".
 */
#include "libfuzzer/schema.h"
#include "tdh/expr/expr.h"

#define F(what, in, out) { .name = what, .in_type = TDH_INTYPE_##in, \
			   .out_type = TDH_OUTTYPE_##out, .count = 1 }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
		schema_load(&template, "message", NULL);
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
	/* It may be too deep for one more. */
	if (not && etw_expr_match(not, record, decoded, decoder) == holds)
		abort();
	etw_expr_free(not);
	free(opposite);
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
	if (expr)
		use(expr, text, &record, decoded, decoder);
	etw_expr_free(expr);
	free(head);
	free(payload);
	free(text);
	return 0;
}
