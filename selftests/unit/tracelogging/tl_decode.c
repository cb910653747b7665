// SPDX-License-Identifier: GPL-2.0-only
/* TraceLogging round trip: every field macro is written and decoded by name */
#include "tl_capture.h"
#include <stdbool.h>
#include <TraceLoggingProvider.h>
#include <etw/decode.h>
#include <evntcons.h>

#define TL_WRITES
#include "kmod/etw_tl/etw_tl.h"
#include "lib/tap.h"

TRACELOGGING_DEFINE_PROVIDER(tl_provider, TL_NAME, TL_PROGRAM_GUID, TL_TRAITS);

static struct etw_decoder *decoder;

static void (*const write_one[])(void) = {
#define WRITE_ONE(n, field, type, payload)	tl_write_##n,
	TL_LIST(WRITE_ONE)
};
static const char *const name_of[] = {
#define NAME_OF(n, field, type, payload)	type " " payload,
	TL_LIST(NAME_OF)
};
#define ONES	(sizeof(write_one) / sizeof(write_one[0]))

/* The last captured event, as a consumer receives it */
static EVENT_RECORD *record(void)
{
	static EVENT_HEADER_EXTENDED_DATA_ITEM items[2];
	static EVENT_RECORD event;

	memset(&event, 0, sizeof(event));
	event.EventHeader.ProviderId = TraceLoggingProviderId(tl_provider);
	event.EventHeader.EventDescriptor = tl_caught.desc;
	event.EventHeader.Flags = EVENT_HEADER_FLAG_64_BIT_HEADER;
	items[0].ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL;
	items[0].DataSize = tl_caught.meta_size;
	items[0].DataPtr = (ULONG_PTR)tl_caught.meta;
	items[1].ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS;
	items[1].DataSize = tl_caught.traits_size;
	items[1].DataPtr = (ULONG_PTR)tl_caught.traits;
	event.ExtendedData = items;
	event.ExtendedDataCount = 2;
	event.UserData = tl_caught.payload;
	event.UserDataLength = tl_caught.payload_size;
	return &event;
}

/* All of the payload belongs to the field "f" of the event "e". */
static bool decodes(void)
{
	const struct etw_decoded *event;
	struct etw_field field;
	unsigned int fields = 0;
	size_t rest = 1;
	int ret;

	if (etw_decode(decoder, record(), &event) || !event->event || strcmp(event->event, "e") ||
	    !event->provider || strcmp(event->provider, TL_NAME))
		return false;
	while ((ret = etw_decode_next(decoder, &field)) == 1) {
		if (!field.name || strcmp(field.name, "f"))
			return false;
		fields++;
	}
	etw_decode_rest(decoder, &rest);
	return !ret && fields && !rest;
}

static void test_all(void)
{
	unsigned int i;

	for (i = 0; i < ONES; i++) {
		tl_forget();
		write_one[i]();
		ok(tl_caught.count == 1 && decodes(), "%s", name_of[i]);
	}
}

static void is_text(const char *want)
{
	const struct etw_decoded *event;
	struct etw_text text = { 0 };
	bool good = !etw_decode(decoder, record(), &event) && !etw_format_fields(&text, decoder, 0);

	if (!ok(good && text.data && !strcmp(text.data, want), "%s", want))
		printf("# got %s\n", text.data ? text.data : "nothing");
	etw_text_free(&text);
}

#define WRITE(...)								\
	do {									\
		tl_forget();							\
		TraceLoggingWrite(tl_provider, "e", __VA_ARGS__);		\
	} while (0)

static void test_text(void)
{
	static const INT16 list[] = { 1, -2 };

	WRITE(TraceLoggingInt8(-1, "a"), TraceLoggingUInt64(~0ULL, "b"), TraceLoggingBool(1, "c"),
	      TraceLoggingBoolean(0, "d"), TraceLoggingHexUInt16(0xab, "e"));
	is_text("a=-1 b=18446744073709551615 c=true d=false e=0xab");
	WRITE(TraceLoggingString("x\ty", "s"), TraceLoggingWideString(u"\u20ac", "w"),
	      TraceLoggingCountedString("abc", 2, "n"));
	is_text("s=\"x\\ty\" w=\"\xe2\x82\xac\" n=\"ab\"");
	WRITE(TraceLoggingInt16Array(list, 2, "l"), TraceLoggingInt16FixedArray(list, 2, "k"));
	is_text("l=[1, -2] k=[1, -2]");
	WRITE(TraceLoggingStruct(2, "s"), TraceLoggingInt8(1, "a"), TraceLoggingInt8(2, "b"),
	      TraceLoggingInt8(3, "c"));
	is_text("s={a=1 b=2} c=3");
	WRITE(TraceLoggingIPv4Address(0x0100007f, "ip"), TraceLoggingPort(0x5000, "port"),
	      TraceLoggingPid(7, "pid"));
	is_text("ip=127.0.0.1 port=80 pid=7");
}

int main(void)
{
	decoder = etw_decoder_new();
	ok(decoder && TraceLoggingRegister(tl_provider) == S_OK, "begin");
	test_all();
	test_text();
	etw_decoder_free(decoder);
	return done_testing();
}
