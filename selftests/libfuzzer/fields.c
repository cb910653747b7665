// SPDX-License-Identifier: GPL-2.0-only
/*
 * fields - walks the fields of valid and invalid templates
 *
 *	input := flags  u8 n  u8 top  n fields of 8 bytes  payload
 */
#include "libfuzzer/schema.h"

#define FIELDS	24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A map of three names; the input gives the values and the kind. */
static const struct etw_mf_map *take_map(struct input *in)
{
	static const char *const names[] = { "one", "two \"\xff", "three" };
	static struct etw_mf_message messages[3];
	static struct etw_mf_map_entry entries[3];
	static uint32_t by_value[] = { 0, 1, 2 };
	static struct etw_mf_map map;
	uint8_t kind = take8(in);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		messages[i].text = &names[i];
		entries[i] = (struct etw_mf_map_entry){
			.value = kind & 4 ? 1u << i : i * 0x10, .message = &messages[i],
		};
	}
	map = (struct etw_mf_map){
		.name = "M", .kind = (enum etw_mf_map_kind)(kind % 3), .entries = entries,
		.count = 3, .by_value = by_value, .by_value_count = kind % 3 == 2 ? 0 : 3,
	};
	return &map;
}

static void take_field(struct input *in, struct etw_mf_field *field, const struct etw_mf_map *map)
{
	static const char *const names[] = { "a", "b", "a_2", "c c", "\xff\n", "", "long name" };
	uint8_t type = take8(in), out = take8(in), flags = take8(in), more = take8(in);

	*field = (struct etw_mf_field){
		.name = names[more % 7],
		.in_type = type < 32 ? type : (uint16_t)(300 + type % 13),
		.out_type = out < 64 ? out : (uint16_t)(300 + out % 3),
		.flags = (uint16_t)((flags & 0x37) | (flags & 0x40 ? ETW_MF_COUNT_INLINE : 0) |
				    (flags & 0x80 ? ETW_MF_LENGTH_INLINE : 0)),
		.map = more & 0x80 ? map : NULL,
	};
	/* Small values reach more code; large ones must be harmless. */
	field->count = more & 0x40 ? (uint16_t)(take8(in) << 8 | 0xff) : take8(in);
	field->length = more & 0x20 ? (uint16_t)(take8(in) << 8) : take8(in);
	field->first = take8(in) % 32;
	field->members = take8(in) % 32;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct etw_mf_field fields[FIELDS];
	struct etw_mf_template template = { .id = "T", .fields = fields };
	uint8_t flags = take8(&in);
	const struct etw_mf_map *map;
	struct etw_manifest *m;
	unsigned int i;

	template.count = take8(&in) % (FIELDS + 1);
	template.top = take8(&in) % (template.count + 1);
	map = take_map(&in);
	for (i = 0; i < template.count; i++)
		take_field(&in, &fields[i], map);
	m = schema_load(&template, "%1 of %2 %3!x! %4", NULL);
	schema_use(m, &in, flags);
	return 0;
}
