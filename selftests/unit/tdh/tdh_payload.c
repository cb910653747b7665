// SPDX-License-Identifier: GPL-2.0-only
/* Payload filters built with the names of a manifest, and applied by the kernel's core */
#include "core/payload.h"
#include "tdh_test.h"
#include "lib/tap.h"

static const EVENT_DESCRIPTOR big = { .Id = 1, .Version = 2 };

/* Does an event with this payload pass the program of the descriptor? */
static int passes(const EVENT_FILTER_DESCRIPTOR *filter, USHORT id, const void *data, ULONG size)
{
	const struct etw_event_descriptor desc = { .id = id, .version = id == 1 ? 2 : 0 };
	struct etw_data_descriptor piece = { .ptr = (uintptr_t)data, .size = size };
	struct etw_record_source source = { .desc = &desc, .data = &piece, .count = 1,
					    .type = ETW_TYPE_EVENT64 };
	uint64_t copy[ETW_PAYLOAD_SIZE_MAX / 8];

	memcpy(copy, (const void *)(uintptr_t)filter->Ptr, filter->Size);
	if (etw_payload_load(copy, filter->Size)) {
		ok(0, "the kernel refuses the program");
		return 0;
	}
	etw_record_measure(&source);
	return etw_payload_pass(copy, &source, false);
}

/* The result of one predicate on BigEvent: 1 or 0; minus the error. */
static int one(PWSTR field, USHORT op, PWSTR value)
{
	PAYLOAD_FILTER_PREDICATE predicate = { field, op, value };
	EVENT_FILTER_DESCRIPTOR filter;
	PVOID list[1] = { NULL };
	ULONG ret;
	int pass;

	ret = TdhCreatePayloadFilter(&test_guid, &big, FALSE, 1, &predicate, &list[0]);
	if (ret) {
		ok(!list[0], "no filter where there is an error");
		return -(int)ret;
	}
	ret = TdhAggregatePayloadFilters(1, list, NULL, &filter);
	if (!ok(!ret && filter.Type == EVENT_FILTER_TYPE_PAYLOAD, "one filter as a descriptor"))
		return -(int)ret;
	pass = passes(&filter, 1, big_payload, sizeof(big_payload) - 1);
	is(TdhCleanupPayloadEventFilterDescriptor(&filter), 0, "free the descriptor");
	ok(!filter.Ptr && !filter.Size && !filter.Type, "the descriptor is empty");
	is(TdhDeletePayloadFilter(&list[0]), 0, "free the filter");
	ok(!list[0], "the pointer is NULL");
	return pass;
}

#define ONE(field, op, value, want)					\
	is(one(W(field), PAYLOADFIELD_##op, W(value)), want, field " " #op " " value)

/* B70, B71: fields by their names and types, also after arrays and structures. */
static void test_fields(void)
{
	ONE("Size", EQ, "3", 1);
	ONE("Size", NE, "3", 0);
	ONE("Size", BETWEEN, "2,4", 1);
	ONE("Count", MODULO, "2", 1);
	ONE("Name", IS, "log", 1);
	ONE("Name", CONTAINS, "og", 1);
	ONE("Name", DOESNTCONTAIN, "og", 0);
	ONE("Color", EQ, "2", 1);
	ONE("Set", EQ, "0x5", 1);
}

/* B72, B74: fields that cannot be tested, and missing ones. */
static void test_errors(void)
{
	ONE("Numbers", EQ, "3", -ERROR_INVALID_PARAMETER);
	ONE("Data", IS, "xyz", -ERROR_INVALID_PARAMETER);
	ONE("Size", CONTAINS, "3", -ERROR_INVALID_PARAMETER);
	ONE("Size", EQ, "three", -ERROR_INVALID_PARAMETER);
	ONE("Name", EQ, "Log", -ERROR_INVALID_PARAMETER);
	ONE("Nothing", EQ, "3", -ERROR_NOT_FOUND);
	ONE("size", EQ, "3", -ERROR_NOT_FOUND);
	/* Another field counts the points: the kernel cannot walk over them. */
	ONE("Tail", EQ, "3", -ERROR_NOT_SUPPORTED);
	ONE("One.A", EQ, "3", -ERROR_NOT_SUPPORTED);
}

/* Structures are expanded member by member; members of arrays have no names. */
static void test_structs(void)
{
	static const char payload[] = "\1\2" "\3abc" "\x34\x12";
	PAYLOAD_FILTER_PREDICATEA list[3] = { { "One.Text", PAYLOADFIELD_IS, "abc" },
					      { "One.Len", PAYLOADFIELD_EQ, "3" },
					      { "After", PAYLOADFIELD_EQ, "0x1234" } };
	const EVENT_DESCRIPTOR flat = { .Id = 4 };
	EVENT_FILTER_DESCRIPTOR filter;
	PVOID out;

	is(TdhCreatePayloadFilterA(&test_guid, &flat, FALSE, 3, list, &out), 0,
	   "members and fields after them");
	is(TdhAggregatePayloadFilters(1, &out, NULL, &filter), 0, "as a descriptor");
	is(passes(&filter, 4, payload, sizeof(payload) - 1), 1, "all three hold");
	is(passes(&filter, 4, "\1\2" "\2ab" "\x34\x12", 7), 0, "a shorter string does not");
	TdhCleanupPayloadEventFilterDescriptor(&filter);
	TdhDeletePayloadFilter(&out);
	list[0].FieldName = "Pair.P";
	is(TdhCreatePayloadFilterA(&test_guid, &flat, FALSE, 1, list, &out), ERROR_NOT_FOUND,
	   "elements of an array");
	list[0].FieldName = "Text";
	is(TdhCreatePayloadFilterA(&test_guid, &flat, FALSE, 1, list, &out), ERROR_NOT_FOUND,
	   "a member by its name alone");
}

static void test_arguments(void)
{
	PAYLOAD_FILTER_PREDICATE list[9];
	EVENT_DESCRIPTOR desc = { .Id = 55 };
	EVENT_FILTER_DESCRIPTOR filter = { 0 };
	PVOID out = &out, none = NULL;
	ULONG i;

	for (i = 0; i < 9; i++)
		list[i] = (PAYLOAD_FILTER_PREDICATE){ W("Size"), PAYLOADFIELD_EQ, W("3") };
	is(TdhCreatePayloadFilter(&other_guid, &big, FALSE, 1, list, &out), ERROR_FILE_NOT_FOUND,
	   "an unknown provider");
	ok(!out, "no filter");
	is(TdhCreatePayloadFilter(&test_guid, &desc, FALSE, 1, list, &out), ERROR_NOT_FOUND,
	   "it has no such event");
	is(TdhCreatePayloadFilter(&test_guid, &big, FALSE, 9, list, &out), ERROR_INVALID_PARAMETER,
	   "more than 8 predicates");
	is(TdhCreatePayloadFilter(&test_guid, &big, FALSE, 0, list, &out), ERROR_INVALID_PARAMETER,
	   "no predicates");
	is(TdhCreatePayloadFilter(NULL, &big, FALSE, 1, list, &out), ERROR_INVALID_PARAMETER,
	   "no GUID");
	is(TdhCreatePayloadFilter(&test_guid, NULL, FALSE, 1, list, &out), ERROR_INVALID_PARAMETER,
	   "no event");
	is(TdhCreatePayloadFilter(&test_guid, &big, FALSE, 1, NULL, &out), ERROR_INVALID_PARAMETER,
	   "no list");
	is(TdhCreatePayloadFilter(&test_guid, &big, FALSE, 1, list, NULL), ERROR_INVALID_PARAMETER,
	   "nowhere to put it");
	list[0].Value = NULL;
	is(TdhCreatePayloadFilter(&test_guid, &big, FALSE, 1, list, &out), ERROR_INVALID_PARAMETER,
	   "no value");
	is(TdhDeletePayloadFilter(NULL), ERROR_INVALID_PARAMETER, "delete: no pointer");
	is(TdhDeletePayloadFilter(&none), 0, "delete: nothing");
	is(TdhAggregatePayloadFilters(0, &none, NULL, &filter), ERROR_INVALID_PARAMETER,
	   "aggregate: no filters");
	is(TdhAggregatePayloadFilters(1, &none, NULL, &filter), ERROR_INVALID_PARAMETER,
	   "aggregate: an invalid filter");
	is(TdhAggregatePayloadFilters(1, NULL, NULL, &filter), ERROR_INVALID_PARAMETER,
	   "aggregate: no list");
	is(TdhAggregatePayloadFilters(1, &none, NULL, NULL), ERROR_INVALID_PARAMETER,
	   "aggregate: no descriptor");
	is(TdhCleanupPayloadEventFilterDescriptor(NULL), ERROR_INVALID_PARAMETER,
	   "clean up: nothing");
	is(TdhCleanupPayloadEventFilterDescriptor(&filter), 0, "clean up: an empty one");
	filter.Ptr = 1;
	filter.Type = EVENT_FILTER_TYPE_EVENT_ID;
	is(TdhCleanupPayloadEventFilterDescriptor(&filter), ERROR_INVALID_PARAMETER,
	   "clean up: another's");
}

static PVOID made(BOOLEAN any, PCSTR size, PCSTR name)
{
	PAYLOAD_FILTER_PREDICATEA list[2] = { { "Size", PAYLOADFIELD_EQ, size },
					      { "Name", PAYLOADFIELD_IS, name } };
	PVOID filter;

	is(TdhCreatePayloadFilterA(&test_guid, &big, any, 2, list, &filter), 0, "two predicates");
	return filter;
}

static int joined(PVOID a, PVOID b, BOOLEAN all)
{
	BOOLEAN flags[2] = { all, all };
	EVENT_FILTER_DESCRIPTOR filter;
	PVOID list[2] = { a, b };
	int pass;

	is(TdhAggregatePayloadFilters(2, list, flags, &filter), 0, "two filters of one event");
	pass = passes(&filter, 1, big_payload, sizeof(big_payload) - 1);
	TdhCleanupPayloadEventFilterDescriptor(&filter);
	return pass;
}

/* B66, B67, B68: predicates by "any", filters by their flags, all in one descriptor. */
static void test_join(void)
{
	PVOID good = made(FALSE, "3", "Log"), half = made(FALSE, "4", "Log");
	PVOID any = made(TRUE, "4", "Log");

	is(joined(good, good, TRUE), 1, "both hold");
	is(joined(good, half, TRUE), 0, "one does not, all must");
	is(joined(good, half, FALSE), 1, "one is enough");
	is(joined(half, half, FALSE), 0, "neither holds");
	is(joined(half, any, FALSE), 1, "one predicate is enough");
	TdhDeletePayloadFilter(&good);
	TdhDeletePayloadFilter(&half);
	TdhDeletePayloadFilter(&any);
}

int main(void)
{
	setenv("ETW_MANIFEST_PATH", "/nonexistent", 1);
	is(load_test_manifest(), 0, "the manifest is good");
	test_fields();
	test_errors();
	test_structs();
	test_arguments();
	test_join();
	return done_testing();
}
