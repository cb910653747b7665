/* SPDX-License-Identifier: GPL-2.0-only */
/* tl_events.h - TraceLogging's output for whole events, and for providers */
#ifndef TL_EVENTS_H
#define TL_EVENTS_H

#include "tl_fields.h"

#define WRITE(...)								\
	do {									\
		tl_forget();							\
		TraceLoggingWrite(tl_provider, __VA_ARGS__);			\
	} while (0)

static void tl_options(void)
{
	EVENT_DESCRIPTOR *d = &tl_caught.desc;

	WRITE("Event");
	ok(tl_is("00 4576656e7400", ""), "an event without fields");
	ok(!d->Id && !d->Version && d->Channel == 11 && d->Level == 5 && !d->Opcode &&
	   !d->Task && !d->Keyword, "its descriptor");
	is(tl_caught.pieces, 2, "data descriptors");
	ok(tl_caught.types[0] == 2 && tl_caught.types[1] == 1, "traits, then metadata");
	is(tl_caught.has_activity + tl_caught.has_related, 0, "activities");
	WRITE("e", TraceLoggingInt8(1, "a"), , TraceLoggingInt8(2, "b"), );
	ok(tl_is("00 6500 6100 03 6200 03", "01 02"), "empty arguments");
	is(tl_caught.handle, 0x10001, "handle");

	WRITE("", TraceLoggingLevel(0), TraceLoggingKeyword(0x8000000000000001ULL),
	      TraceLoggingKeyword(0x10), TraceLoggingOpcode(240), TraceLoggingChannel(200),
	      TraceLoggingDescription("what it is"), TraceLoggingCustomAttribute("key", "value"));
	ok(tl_is("00 00", ""), "an event without a name");
	ok(d->Level == 0 && d->Keyword == 0x8000000000000011ULL && d->Opcode == 240 &&
	   d->Channel == 200, "descriptor with options");
	WRITE("e", TraceLoggingLevel(255), TraceLoggingLevel(3), TraceLoggingOpcode(1),
	      TraceLoggingOpcode(2));
	ok(d->Level == 3 && d->Opcode == 2, "the last level and opcode count");
}

static void tl_tags(void)
{
	WRITE("e", TraceLoggingEventTag(0));
	ok(tl_is("00 6500", ""), "tag 0");
	WRITE("e", TraceLoggingEventTag(0x2400000));
	ok(tl_is("12 6500", ""), "a tag of one byte");
	WRITE("e", TraceLoggingEventTag(0xFE00000));
	ok(tl_is("7f 6500", ""), "the highest seven bits");
	WRITE("e", TraceLoggingEventTag(0x0004000));
	ok(tl_is("80 01 6500", ""), "two bytes");
	WRITE("e", TraceLoggingEventTag(0x0000080));
	ok(tl_is("80 80 01 6500", ""), "three bytes");
	WRITE("e", TraceLoggingEventTag(0xFEDCBAF));
	ok(tl_is("ff b7 97 2f 6500", ""), "four bytes");
	WRITE("e", TraceLoggingEventTag(0x2400000), TraceLoggingLevel(4),
	      TraceLoggingEventTag(0x2004000));
	ok(tl_is("92 01 6500", ""), "tags of two macros are or-ed");
	WRITE("e", TraceLoggingInt8(1, "a", "text", 0), TraceLoggingInt8(2, "b", "text", 0xFE00000),
	      TraceLoggingHexInt8(3, "c", "", 0x0000001), TraceLoggingString("", "d", "", 0x4000));
	ok(tl_is("00 6500 6100 03 6200 83 80 7f 6300 84 84 80 80 80 01 6400 82 80 80 01",
		 "01 02 03 00"), "tags of fields");
}

static void tl_names(void)
{
	int number = 3;
	INT8 list[2] = { 1, 2 };

	WRITE("e", TraceLoggingInt8(number), TraceLoggingInt8(number + 1),
	      TraceLoggingInt8Array(list, 1), TraceLoggingInt8FixedArray(list, 2),
	      TraceLoggingBinary(list, 2), TraceLoggingString("x"));
	ok(tl_is("00 6500 6e756d62657200 03 6e756d626572202b203100 03 6c69737400 43"
		 "6c69737400 23 0200 6c69737400 0e 22782200 02",
		 "03 04 0100 01 0102 0200 0102 7800"), "names from the text of the value");
}

static void tl_structs(void)
{
	UINT16 n = 2;

	WRITE("e", TraceLoggingStruct(2, "s"),
	      TraceLoggingStruct(1, "t", "inner", 0xFE00000), TraceLoggingInt8(1, "a"),
	      TraceLoggingInt8(2, "b"), TraceLoggingInt8(3, "c"));
	ok(tl_is("00 6500 7300 98 02 7400 98 81 7f 6100 03 6200 03 6300 03", "01 02 03"),
	   "a structure in a structure");
	WRITE("e", TraceLoggingPackedStruct(1, "s"), TraceLoggingPackedMetadata(TlgInINT8, "a"),
	      TraceLoggingPackedData("\1", 1), TraceLoggingPackedData(&n, sizeof(n)),
	      TraceLoggingPackedStructArray(1, "t"), TraceLoggingPackedMetadata(TlgInINT8, "b"),
	      TraceLoggingPackedData("\2\3", 2));
	ok(tl_is("00 6500 7300 98 01 6100 03 7400 d8 01 6200 03", "01 0200 0203"),
	   "an array of structures");
	WRITE("e", TraceLoggingPackedDataEx("\5\0e\0", 5, EVENT_DATA_DESCRIPTOR_TYPE_NONE));
	ok(tl_is("00 6500", "0500650000"), "data with a type");
}

static int tl_evaluated;

static int tl_count(int value)
{
	tl_evaluated++;
	return value;
}

static const char *tl_count_text(const char *text)
{
	tl_evaluated++;
	return text;
}

/* Expressions with side effects in all arguments, and the handle */
#define TL_EFFECTS								\
	"e", TraceLoggingInt8(tl_count(1), "a"), TraceLoggingString(tl_count_text("b"), "b"),	\
	TraceLoggingBinary(tl_count_text("cd"), tl_count(2), "c"),		\
	TraceLoggingInt8Array((const INT8 *)tl_count_text("e"), tl_count(1), "d"),	\
	TraceLoggingValue(tl_count(7), "f"), TraceLoggingValue(tl_count_text("g"), "g"),	\
	TraceLoggingSid(tl_count_text("\1\0......"), "h"),			\
	TraceLoggingPackedData(tl_count_text("i"), tl_count(1))

static void tl_evaluates(void)
{
	tl_evaluated = 0;
	WRITE(TL_EFFECTS);
	is(tl_evaluated, 11, "each expression is evaluated once");
	ok(tl_is("00 6500 6100 03 6200 02 6300 0e 6400 43 6600 07 6700 02 6800 13",
		 "01 6200 0200 6364 0100 65 07000000 6700 01002e2e2e2e2e2e 69"), "and used");
	tl_current = &etw_tl_nobody;
	tl_evaluated = 0;
	WRITE(TL_EFFECTS);
	is(tl_evaluated, 0, "while disabled no expression is evaluated");
	is(tl_caught.count, 0, "and nothing is written");
	tl_current = &tl_entry;
}

/* Events written, by level and keyword */
static unsigned int tl_pass_4_1, tl_pass_5_1, tl_pass_0_2, tl_pass_4_0, tl_pass_3_3;

static void tl_try(void)
{
	tl_forget();
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(4), TraceLoggingKeyword(1));
	tl_pass_4_1 = tl_caught.count;
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(5), TraceLoggingKeyword(1));
	tl_pass_5_1 = tl_caught.count - tl_pass_4_1;
	tl_forget();
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(0), TraceLoggingKeyword(2));
	tl_pass_0_2 = tl_caught.count;
	tl_forget();
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(4));
	tl_pass_4_0 = tl_caught.count;
	tl_forget();
	TraceLoggingWrite(tl_provider, "e", TraceLoggingLevel(3), TraceLoggingKeyword(3));
	tl_pass_3_3 = tl_caught.count;
}

static void tl_tests(void)
{
	struct etw_enable_entry entry = { 1, 4, 1, 1, 0, 1, 0, 0, 0 };

	tl_current = &entry;
	tl_try();
	ok(tl_pass_4_1 && !tl_pass_5_1, "a session of level 4 gets 4, not 5");
	ok(!tl_pass_0_2 && tl_pass_4_0 && tl_pass_3_3,
	   "and events with its keyword, or without one");
	entry.level = 255;		/* libetw's form of session level 0 */
	entry.all = 2;
	entry.any = ~0ULL;
	tl_try();
	ok(!tl_pass_4_1 && !tl_pass_5_1 && tl_pass_0_2 && tl_pass_3_3,
	   "level 0 takes all levels; all keywords are required");
	ok(TraceLoggingProviderEnabled(tl_provider, 0, 0) &&
	   TraceLoggingProviderEnabled(tl_provider, 255, 2) &&
	   !TraceLoggingProviderEnabled(tl_provider, 1, 4), "TraceLoggingProviderEnabled()");
	tl_current = &etw_tl_nobody;
	tl_try();
	is(tl_pass_4_1 + tl_pass_5_1 + tl_pass_0_2 + tl_pass_4_0 + tl_pass_3_3, 0,
	   "no session listens, not even to level 0");
	ok(!TraceLoggingProviderEnabled(tl_provider, 0, 0), "TraceLoggingProviderEnabled()");
	tl_current = &tl_entry;
}

static void tl_forms(void)
{
	GUID a = { 1, 0, 0, { 0 } }, r = { 2, 0, 0, { 0 } };

	tl_forget();
	TraceLoggingWriteActivity(tl_provider, "e", &a, &r, TraceLoggingInt8(1, "f"));
	ok(tl_is("00 6500 6600 03", "01"), "TraceLoggingWriteActivity()");
	ok(tl_caught.has_activity && tl_caught.activity.Data1 == 1 && tl_caught.has_related &&
	   tl_caught.related.Data1 == 2, "both ids");
	tl_forget();
	TraceLoggingWriteActivity(tl_provider, "e", NULL, NULL);
	ok(tl_is("00 6500", "") && !tl_caught.has_activity && !tl_caught.has_related, "no ids");
	tl_forget();
	TraceLoggingWriteEx(tl_provider, "e", 5, EVENT_WRITE_FLAG_INPRIVATE, &a, NULL,
			    TraceLoggingInt8(1, "f"));
	ok(tl_is("00 6500 6600 03", "01") && tl_caught.filter == 5 &&
	   tl_caught.flags == EVENT_WRITE_FLAG_INPRIVATE && tl_caught.has_activity &&
	   !tl_caught.has_related, "TraceLoggingWriteEx()");
}

#define A1	TraceLoggingInt8(1, "a")
#define A10	A1, A1, A1, A1, A1, A1, A1, A1, A1, A1

static void tl_many(void)
{
	static char meta[1000] = "00 6500", payload[300], large[65535];
	int i;

	for (i = 0; i < 99; i++) {
		strcat(meta, "610003");
		strcat(payload, "01");
	}
	WRITE("e", A10, A10, A10, A10, A10, A10, A10, A10, A10,
	      A1, A1, A1, A1, A1, A1, A1, A1, A1);
	ok(tl_is(meta, payload), "99 fields");
	is(tl_caught.pieces, 101, "data descriptors");
	WRITE("e", TraceLoggingCountedString(large, (size_t)-1 / 2, "f"),
	      TraceLoggingLevel(255));
	is(tl_caught.count, 1, "a length over 65,535 bytes");
	is(tl_caught.payload_size, 2 + 65535, "is cut");
}

/* The contents of the section, byte by byte */
extern const unsigned char __start_etw_tl[], __stop_etw_tl[];

static void tl_section(void)
{
	const unsigned char *at = __start_etw_tl;
	unsigned int heads = 0, providers = 0, events = 0, of_one_name = 0;
	GUID id = { 0x01234567, 0x89ab, 0xcdef, { 1, 2, 3, 4, 5, 6, 7, 8 } };

	while (at < __stop_etw_tl) {
		if (*at == 0) {
			at++;
		} else if (*at == 'E') {
			heads += !memcmp(at, "ETW0\x10\0\0\0"
					     "\x86\x0e\x04\x88\x2b\x05\x8a\xbb", 16);
			at += 16;
		} else if (*at == ETW_TL_PROVIDER) {
			providers += !memcmp(at + 1, &id, 16) &&
				     !memcmp(at + 19, "My.Provider", 12);
			at += 17 + (at[17] | at[18] << 8);
		} else if (*at == ETW_TL_EVENT) {
			events++;
			of_one_name += at[1] == 11 && at[2] == 3 && at[3] == 9 && at[4] == 0x77 &&
				       !memcmp(at + 12, "\x0b\0\0Section\0", 11);
			at += 12 + (at[12] | at[13] << 8);
		} else {
			break;
		}
	}
	ok(at == __stop_etw_tl, "all of the section is understood");
	ok(heads && heads >= providers, "heads of the section");
	is(providers, 1, "the provider is in it");
	ok(events > 100, "and events");
	is(of_one_name, 1, "as they are written");
}

static void tl_provider_of_traits(void)
{
	static const char hex[] = "2e00 4d792e50726f766964657200"
				  "1300 01 612faffa269b91459bb1b9b8bae2d34c"
				  "0600 c8 616263 0700 c9 44332211";
	GUID id = TraceLoggingProviderId(tl_provider);

	ok(tl_same("traits", tl_caught.traits, tl_caught.traits_size, hex),
	   "name, group and own traits of a provider");
	is(id.Data1, 0x01234567, "TraceLoggingProviderId()");
}

static VOID NTAPI tl_on_enable(LPCGUID source, ULONG enabled, UCHAR level, ULONGLONG any,
			       ULONGLONG all, PEVENT_FILTER_DESCRIPTOR filter, PVOID context)
{
	(void)source, (void)enabled, (void)level, (void)any, (void)all, (void)filter, (void)context;
}

/* B41 is implemented in libetw, which changes the tested entry before it calls */
static void tl_registering(void)
{
	WRITE("e");
	is(tl_caught.count, 0, "an event of a provider that is not registered");
	ok(!TraceLoggingProviderEnabled(tl_provider, 0, 0), "which is not enabled");
	TraceLoggingUnregister(tl_provider);
	tl_register_error = ERROR_ACCESS_DENIED;
	is(TraceLoggingRegister(tl_provider), E_ACCESSDENIED, "a refusal is an HRESULT");
	WRITE("e");
	is(tl_caught.count, 0, "and leaves it unregistered");
	tl_register_error = 0;
	is(TraceLoggingRegisterEx(tl_provider, tl_on_enable, &two), S_OK, "register");
	ok(tl_registered.Data1 == 0x01234567 && tl_callback == tl_on_enable &&
	   tl_callback_context == &two, "with GUID, callback and context");
	is(TraceLoggingRegister(tl_provider), E_UNEXPECTED, "once");
	WRITE("e");
	is(tl_caught.count, 1, "an event");
	tl_unregistered = 0;
	TraceLoggingUnregister(tl_provider);
	is(tl_unregistered, 1, "unregister");
	WRITE("e");
	is(tl_caught.count, 0, "no event after that");
	is(TraceLoggingRegister(tl_provider), S_OK, "register again");
}

static void tl_events(void)
{
	tl_registering();
	WRITE("Section", TraceLoggingLevel(3), TraceLoggingOpcode(9), TraceLoggingKeyword(0x77));
	tl_provider_of_traits();
	tl_options();
	tl_tags();
	tl_names();
	tl_structs();
	tl_evaluates();
	tl_tests();
	tl_forms();
	tl_many();
	tl_section();
}

#endif /* TL_EVENTS_H */
