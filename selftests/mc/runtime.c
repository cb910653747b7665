// SPDX-License-Identifier: GPL-2.0-only
/* runtime.c - joins the pieces an event's macro writes and compares the decoder's output */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <etw/decode.h>
#include "mc/runtime.h"
#include "tdh/store/store.h"

#define STEPS	4096

static struct step {
	int kind;
	const char *name;
	unsigned int in_type;
	const void *data;
	unsigned int size;
} steps[STEPS];

static unsigned int step_count;
static struct etw_manifest *manifest;
static struct etw_decoder *decoder;
static const char *provider;
static const GUID *provider_guid;
static const char *provider_traits;
static EVENT_DESCRIPTOR written;
static unsigned char payload[65536];
static size_t payload_size;
static unsigned int writes, events, bad;

static void wrong(const char *event, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void wrong(const char *event, const char *fmt, ...)
{
	va_list args;

	bad++;
	printf("%s: %s: ", provider, event);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

int mc_begin(int argc, char **argv)
{
	struct etw_problems problems = { .count = 0 };

	if (argc != 2)
		return 2;
	if (etw_manifest_read_file(argv[1], &manifest, &problems) || etw_store_add(manifest)) {
		printf("%s: not read\n", argv[1]);
		return 2;
	}
	etw_problems_free(&problems);
	decoder = etw_decoder_new();
	return decoder ? 0 : 2;
}

void mc_provider(const char *symbol, const GUID *guid, const char *traits)
{
	provider = symbol;
	provider_guid = guid;
	provider_traits = traits;
}

void mc_expect(int kind, const char *name, unsigned int in_type, const void *data,
	       unsigned int size)
{
	if (step_count == STEPS) {
		printf("%s: more than %d steps\n", provider, STEPS);
		exit(2);
	}
	steps[step_count++] = (struct step){ kind, name, in_type, data, size };
}

void mc_disabled(const char *event, int enabled)
{
	if (enabled)
		wrong(event, "enabled before it was enabled");
}

ULONG mc_capture(REGHANDLE handle, PCEVENT_DESCRIPTOR descriptor, LPCGUID activity,
		 LPCGUID related, ULONG count, PEVENT_DATA_DESCRIPTOR data)
{
	USHORT size = 0;
	ULONG i;

	writes++;
	written = *descriptor;
	payload_size = 0;
	if (handle || activity || related)
		wrong("write", "with a handle or activities");
	if (provider_traits)
		memcpy(&size, provider_traits, sizeof(size));
	if (!count || data[0].Size != size || data[0].Ptr != (ULONG_PTR)provider_traits ||
	    data[0].Reserved != (provider_traits ? 2u : 0u))
		wrong("write", "the first piece is not what traits are");
	for (i = 1; i < count; i++) {
		if (data[i].Size > sizeof(payload) - payload_size) {
			wrong("write", "too much data");
			return ERROR_ARITHMETIC_OVERFLOW;
		}
		memcpy(payload + payload_size, (void *)(ULONG_PTR)data[i].Ptr, data[i].Size);
		payload_size += data[i].Size;
	}
	return 1234;
}

/* The decoded number must match its bytes. */
static int number_is(const struct etw_field *field)
{
	ULONGLONG u = 0;
	LONGLONG i;

	if (field->size > sizeof(u))
		return 0;
	memcpy(&u, field->data, field->size);
	i = (LONGLONG)(u << (64 - 8 * field->size)) >> (64 - 8 * field->size);
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_TIME:
	case ETW_VALUE_ERROR:
		return field->value.u == u;
	case ETW_VALUE_SIGNED:
		return field->value.i == i;
	case ETW_VALUE_PORT:
		return field->value.u == ((u & 0xFF) << 8 | u >> 8);
	case ETW_VALUE_FLOAT: {
		float f;

		memcpy(&f, field->data, sizeof(f));
		return field->value.f == f;
	}
	case ETW_VALUE_DOUBLE: {
		double f;

		memcpy(&f, field->data, sizeof(f));
		return field->value.f == f;
	}
	default:
		return 1;
	}
}

static int is_number(const struct etw_field *field)
{
	switch (field->value_kind) {
	case ETW_VALUE_UNSIGNED:
	case ETW_VALUE_SIGNED:
	case ETW_VALUE_HEX:
	case ETW_VALUE_BOOLEAN:
	case ETW_VALUE_TIME:
	case ETW_VALUE_ERROR:
	case ETW_VALUE_PORT:
	case ETW_VALUE_FLOAT:
	case ETW_VALUE_DOUBLE:
		return 1;
	default:
		return 0;
	}
}

static void compare(const char *event, unsigned int i, const struct etw_field *field)
{
	const struct step *step = &steps[i];

	if (i >= step_count) {
		wrong(event, "field %s, which it has not", field->name);
	} else if ((int)field->kind != step->kind) {
		wrong(event, "step %u (%s): kind %d, not %d", i, step->name, field->kind, step->kind);
	} else if (step->name && (!field->name || strcmp(field->name, step->name))) {
		wrong(event, "step %u: %s, not %s", i, field->name, step->name);
	} else if (step->kind == ETW_FIELD_ARRAY_BEGIN && field->count != step->size) {
		wrong(event, "%s: %u elements, not %u", step->name, field->count, step->size);
	} else if (step->kind == ETW_FIELD_VALUE) {
		if (field->in_type != step->in_type)
			wrong(event, "%s: in-type %u, not %u", step->name, field->in_type,
			      step->in_type);
		else if (field->size != step->size || memcmp(field->data, step->data, step->size))
			wrong(event, "%s: %zu bytes, other than the %u written", step->name,
			      field->size, step->size);
		else if (is_number(field) && !number_is(field))
			wrong(event, "%s: the number is not that of its bytes", step->name);
	}
}

static void decode(const char *event)
{
	const struct etw_decoded *decoded;
	struct etw_field field;
	EVENT_RECORD record;
	unsigned int i = 0, before = bad;
	size_t rest = 0;
	int ret;

	memset(&record, 0, sizeof(record));
	record.EventHeader.Size = sizeof(record.EventHeader);
	record.EventHeader.Flags = EVENT_HEADER_FLAG_64_BIT_HEADER;
	record.EventHeader.ProviderId = *provider_guid;
	record.EventHeader.EventDescriptor = written;
	record.UserData = payload;
	record.UserDataLength = (USHORT)payload_size;
	ret = etw_decode(decoder, &record, &decoded);
	if (ret) {
		wrong(event, "not decoded: %s", strerror(-ret));
		return;
	}
	while ((ret = etw_decode_next(decoder, &field)) == 1 && bad == before)
		compare(event, i++, &field);
	if (bad != before)
		return;
	if (ret)
		wrong(event, "%s: the payload ends within it", field.name);
	else if (i != step_count)
		wrong(event, "%u steps, not %u", i, step_count);
	etw_decode_rest(decoder, &rest);
	if (bad == before && rest)
		wrong(event, "%zu bytes are left over", rest);
}

void mc_written(const char *event, PCEVENT_DESCRIPTOR want, int enabled, ULONG result)
{
	events++;
	if (!enabled)
		wrong(event, "not enabled");
	if (writes != 1)
		wrong(event, "written %u times", writes);
	else if (result != 1234)
		wrong(event, "returned %u", (unsigned int)result);
	else if (memcmp(&written, want, sizeof(written)))
		wrong(event, "another descriptor");
	else
		decode(event);
	writes = 0;
	step_count = 0;
}

int mc_end(void)
{
	etw_decoder_free(decoder);
	etw_store_remove(manifest);
	etw_manifest_put(manifest);
	printf("%u events, %u wrong\n", events, bad);
	return bad != 0;
}
