// SPDX-License-Identifier: GPL-2.0-only
/*
 * message - messages with inserts
 *
 *	input := flags  u16 n  n bytes of message  payload
 */
#include "libfuzzer/schema.h"

#define FIELD(what, in, out)	{ .name = what, .in_type = TDH_INTYPE_##in, \
				  .out_type = TDH_OUTTYPE_##out, .count = 1 }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct etw_mf_field fields[] = {
		FIELD("number", UINT16, UNSIGNEDSHORT), FIELD("string", ANSISTRING, STRING),
		FIELD("wide", UNICODESTRING, STRING), FIELD("bytes", MANIFEST_COUNTEDBINARY, HEXBINARY),
		{ .name = "struct", .flags = ETW_MF_STRUCT, .count = 1, .first = 6, .members = 2 },
		FIELD("last", SID, STRING), FIELD("x", UINT8, UNSIGNEDBYTE),
		FIELD("y", SYSTEMTIME, DATETIME),
	};
	static const struct etw_mf_template template = {
		.id = "T", .fields = fields, .count = 8, .top = 6,
	};
	struct input in = { data, size };
	uint8_t flags = take8(&in);
	size_t len;
	char *bytes = take_block(&in, take16(&in), &len);
	char *message = malloc(len + 1);
	struct etw_manifest *m;

	if (!message)
		abort();
	memcpy(message, bytes, len);
	message[len] = '\0';
	m = schema_load(&template, message, NULL);
	schema_use(m, &in, flags);
	free(message);
	free(bytes);
	return 0;
}
