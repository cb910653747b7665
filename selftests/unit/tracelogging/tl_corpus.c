// SPDX-License-Identifier: GPL-2.0-only
/*
 * TraceLogging compared with events of another implementation, if available:
 * tracelogging_events.json in ../shared/corpus/vectors, or in vectors/ of $ETW_CORPUS
 */
#include "tl_capture.h"
#include <json-c/json.h>
#include <TraceLoggingProvider.h>

TRACELOGGING_DEFINE_PROVIDER(tl_provider, "TraceLoggingDynamicTest",
			     (0x9c1368e4, 0xcd50, 0x5191, 0x50, 0xb6, 0xf2, 0xce, 0x2f, 0x24,
			      0x2e, 0x4b));

#include "tl_bytes.h"

static json_object *vectors;
static unsigned int compared;

static const char *text(json_object *of, const char *name)
{
	json_object *value;

	return json_object_object_get_ex(of, name, &value) ? json_object_get_string(value) : "";
}

static long long number(json_object *of, const char *name)
{
	json_object *value;

	return json_object_object_get_ex(of, name, &value) ? json_object_get_int64(value) : -1;
}

static json_object *vector_named(const char *name)
{
	size_t i;

	for (i = 0; i < json_object_array_length(vectors); i++) {
		json_object *vector = json_object_array_get_idx(vectors, i);

		if (!strcmp(text(vector, "name"), name))
			return vector;
	}
	return NULL;
}

/* The captured event equals the vector of its name. */
static void compare(const char *name)
{
	json_object *vector = vector_named(name), *desc;
	EVENT_DESCRIPTOR *d = &tl_caught.desc;

	compared++;
	if (!ok(vector && json_object_object_get_ex(vector, "descriptor", &desc), "%s", name))
		return;
	ok(tl_caught.count == 1 &&
	   tl_same("traits", tl_caught.traits, tl_caught.traits_size,
		   text(vector, "provider_metadata")) &
	   tl_same("metadata", tl_caught.meta, tl_caught.meta_size,
		   text(vector, "event_metadata")) &
	   tl_same("payload", tl_caught.payload, tl_caught.payload_size, text(vector, "payload")),
	   "%s: bytes", name);
	ok(d->Id == number(desc, "id") && d->Version == number(desc, "version") &&
	   d->Channel == number(desc, "channel") && d->Level == number(desc, "level") &&
	   d->Opcode == number(desc, "opcode") && d->Task == number(desc, "task") &&
	   d->Keyword == (ULONGLONG)number(desc, "keyword"), "%s: descriptor", name);
}

#define EVENT(name, ...)							\
	do {									\
		tl_forget();							\
		TraceLoggingWrite(tl_provider, name, __VA_ARGS__);		\
		compare(name);							\
	} while (0)
#define K1	TraceLoggingKeyword(1)
#define A	TraceLoggingChar('A', "A")

/* Arrays of none, one and two */
#define ARRAYS(name, kind, values, n0, n1, n2)					\
	EVENT(name, K1, A, TraceLogging##kind##Array(values, 0, n0),		\
	      TraceLogging##kind##Array(values, 1, n1),				\
	      TraceLogging##kind##Array(values, 2, n2), A)
/* The same for a type that has no array macro; element is its bytes in the payload */
#define PACKED(name, in, out, element, size, n0, n1, n2)			\
	EVENT(name, K1, A,							\
	      TraceLoggingPackedFieldEx("\0", 2, (in) | TlgInVcount, out, n0),	\
	      TraceLoggingPackedFieldEx("\1", 2, (in) | TlgInVcount, out, n1),	\
	      TraceLoggingPackedData(element, size),				\
	      TraceLoggingPackedFieldEx("\2", 2, (in) | TlgInVcount, out, n2),	\
	      TraceLoggingPackedData(element, size),				\
	      TraceLoggingPackedData(element, size), A)

static void simple(void)
{
	EVENT("default", K1);
	EVENT("tag0xFE00000", K1, TraceLoggingEventTag(0xFE00000));
	EVENT("tag0xFEDCBAF", K1, TraceLoggingEventTag(0xFEDCBAF));
	EVENT("outtypes", K1, TraceLoggingUInt8(100, "default100"),
	      TraceLoggingChar('A', "string65"), TraceLoggingBoolean(1, "bool1"),
	      TraceLoggingHexUInt8(100, "hex100"));
}

static void strings(void)
{
	static const char16_t a0a[] = u"a\0a", za[] = u"\0a";

	EVENT("zstrs-L4-kFF", TraceLoggingLevel(4), TraceLoggingKeyword(0xFF), A,
	      TraceLoggingString16(u"", "zstr16-"), TraceLoggingString16(u"a", "zstr16-a"),
	      TraceLoggingString16(u"\0", "zstr16-0"), TraceLoggingString16(u"a\0", "zstr16-a0"),
	      TraceLoggingString16(za, "zstr16-0a"), TraceLoggingString16(a0a, "zstr16-a0a"),
	      TraceLoggingString16(u"", "zstr16b-"), TraceLoggingString16(u"a", "zstr16b-a"),
	      TraceLoggingString16(u"\0", "zstr16b-0"), TraceLoggingString16(u"a\0", "zstr16b-a0"),
	      TraceLoggingString16(za, "zstr16b-0a"), TraceLoggingString16(a0a, "zstr16b-a0a"),
	      TraceLoggingUtf8String("", "zstr8-"), TraceLoggingUtf8String("a", "zstr8-a"),
	      TraceLoggingUtf8String("\0", "zstr8-0"), TraceLoggingUtf8String("a\0", "zstr8-a0"),
	      TraceLoggingUtf8String("\0a", "zstr8-0a"),
	      TraceLoggingUtf8String("a\0a", "zstr8-a0a"),
	      TraceLoggingString("", "zstr8b-"), TraceLoggingString("a", "zstr8b-a"),
	      TraceLoggingString("\0", "zstr8b-0"), TraceLoggingString("a\0", "zstr8b-a0"),
	      TraceLoggingString("\0a", "zstr8b-0a"), TraceLoggingString("a\0a", "zstr8b-a0a"), A);
	PACKED("zstr16", TlgInUNICODESTRING, 0, u"zutf16", 14, "0", "1", "2");
	PACKED("zstr8", TlgInANSISTRING, TlgOutUTF8, "zutf8", 6, "0", "1", "2");
	PACKED("str16", TlgInCOUNTEDSTRING, 0, "\012\0u\0t\0f\0001\0006", 12, "0", "1", "2");
	PACKED("str8", TlgInCOUNTEDANSISTRING, TlgOutUTF8, "\4\0utf8", 6, "0", "1", "2");
}

static void arrays(void)
{
	static const INT8 i8[] = { -8, -8 };
	static const INT16 i16[] = { -16, -16 };
	static const INT32 i32[] = { -32, -32 };
	static const LONG64 i64[] = { -64, -64 };
	static const INT_PTR ip[] = { -3264, -3264 };
	static const float f32[] = { 3.2f, 3.2f };
	static const BOOL no[] = { 0, 0 };
	static const GUID id[] = {
		{ 0x73e5f193, 0xd48c, 0x5cd7, { 0x6e, 0xed, 0x84, 0xfb, 0xce, 0x74, 0, 0x0f } },
		{ 0x73e5f193, 0xd48c, 0x5cd7, { 0x6e, 0xed, 0x84, 0xfb, 0xce, 0x74, 0, 0x0f } } };
	static const FILETIME ft[] = { { 0x94497cb5, 0x01d7ace7 }, { 0x94497cb5, 0x01d7ace7 } };
	static const UINT64 hex[] = { 0xdeadbeeffeeef000, 0xdeadbeeffeeef000 };

	ARRAYS("int8", Int8, i8, "0", "1", "2");
	ARRAYS("int16", Int16, i16, "0", "1", "2");
	ARRAYS("int32", Int32, i32, "0", "1", "2");
	ARRAYS("int64", Int64, i64, "0", "1", "2");
	ARRAYS("intptr", IntPtr, ip, "0", "1", "2");
	ARRAYS("float32", Float32, f32, "0", "1", "2");
	ARRAYS("bool32-f", Bool, no, "0", "1", "2");
	ARRAYS("guid", Guid, id, "0", "1", "2");
	ARRAYS("filetimeu", FileTime, ft, "0", "1", "2");
	ARRAYS("hexint64", HexUInt64, hex, "0", "1", "2");
	PACKED("sidb", TlgInSID, 0, "\1\1\0\0\0\0\0\0\1\0\0\0", 12, "0", "1", "2");
	PACKED("cbinaryb", TlgInCOUNTEDBINARY, 0, "\4\0" "0123", 6, "0", "1", "2");
}

int main(void)
{
	const char *corpus = getenv("ETW_CORPUS");
	char path[1024];

	snprintf(path, sizeof(path), "%s/vectors/tracelogging_events.json",
		 corpus ? corpus : "../shared/corpus");
	vectors = json_object_from_file(path);
	if (!vectors) {
		skip("there is no %s", path);
		return done_testing();
	}
	TraceLoggingRegister(tl_provider);
	simple();
	strings();
	arrays();
	is(compared, json_object_array_length(vectors), "events that were compared");
	json_object_put(vectors);
	return done_testing();
}
