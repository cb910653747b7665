/* SPDX-License-Identifier: MIT */
/* decode_message - messages with inserts; events with schemas from elsewhere */
#include "decode_event.h"

static struct etw_text message;

static const char *format(void)
{
	etw_text_cut(&message, 0);
	if (!etw_format_message(&message, decoder))
		return "(none)";
	return message.data ? message.data : "";
}

static const char *format_of(const char *what, const char *hex)
{
	static const struct etw_mf_field fields[] = {
		FIELD("n", UINT32, UNSIGNEDINT), FIELD("s", ANSISTRING, STRING),
		FIELD("h", HEXINT32, HEXINT32),
		{ .name = "g", .flags = ETW_MF_STRUCT, .count = 1, .first = 4, .members = 2 },
		FIELD("x", UINT8, UNSIGNEDBYTE), FIELD("y", UINT8, UNSIGNEDBYTE),
	};

	load(fields, 6, 4, what);
	decode_hex(hex, 0);
	return format();
}

#define PAYLOAD	"2a000000 612200 ff000000 0102"

/* B213: fields by position, the escapes of message files, and invalid ones. */
static void test_inserts(void)
{
	static const struct {
		const char *message, *text;
	} cases[] = {
		{ "no inserts", "no inserts" },
		{ "%1", "42" },
		{ "%2 is %1, %3.", "a\" is 42, 0xff." },
		{ "%4", "{x=1 y=2}" },
		{ "%1%1%01", "4242" },
		{ "%5 %99", "%5 %99" },
		{ "%12", "%12" },
		{ "%1!d! %3!08x! %2!s!", "42 0xff a\"" },
		{ "%1! %1!! %1!d", "42! 42!! 42!d" },
		{ "a%nb%tc%bd%re", "a\nb\tc d\re" },
		{ "100%%, %!, %., % x", "100%, !, .,  x" },
		{ "%%5 %%", "%%5 %" },
		{ "end%0 of it", "end" },
		{ "%", "%" },
		{ "line\r\n", "line" },
		{ "", "" },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++)
		is_text(format_of(cases[i].message, PAYLOAD), cases[i].text, cases[i].message);
	is_text(format_of(NULL, PAYLOAD), "(none)", "no message");
	is_text(format_of("%1 %2 %3", "2a000000 6100 ff00"), "42 a %3",
		"fields that are not there stay inserts");
	is_text(format_of("%1 %2", "2a00"), "%1 %2", "or none at all");
}

static void test_long(void)
{
	static char inserts[40001], digits[131071];
	size_t i;

	for (i = 0; i < 40000; i += 2)
		memcpy(inserts + i, "%2", 2);
	memcpy(digits, "2a000000", 8);
	memset(digits + 8, '4', 120000);
	memcpy(digits + 120008, "00ff0000000102", 15);
	format_of(inserts, digits);
	ok(message.len < 9u << 20, "20000 times a string of 60000 bytes is cut off");
}

/* A string event, printed unchanged */
static void test_string(void)
{
	const struct etw_decoded *event;

	event = decode_hex("4800690021000000", EVENT_HEADER_FLAG_STRING_ONLY);
	is(decode_ret, 0, "EventWriteString()");
	ok(event->source == ETW_DECODE_STRING && !strcmp(event->event, "String"), "has a name");
	is_text(text(), "message=\"Hi!\"", "and a field");
	is_text(json(), "{\"message\":\"Hi!\"}", "in JSON");
	decode_hex("", EVENT_HEADER_FLAG_STRING_ONLY);
	is_text(text(), "message=\"\"", "an empty one");
}

static const struct etw_decoded *classic(const GUID *guid, UCHAR type, const void *data,
					 size_t size, USHORT flags)
{
	static EVENT_RECORD record;

	record = (EVENT_RECORD){
		.EventHeader.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER | flags,
		.EventHeader.ProviderId = *guid,
		.EventHeader.EventDescriptor = { .Opcode = type, .Version = 2 },
	};
	return decode_bytes(&record, data, size);
}

/* The header of a trace with pointers of 4 or 8 bytes, followed by its names */
static size_t make_header(unsigned char *to, unsigned int pointer_size)
{
	unsigned int boot = pointer_size == 8 ? 248 : 240;
	uint64_t freq = 10000000;
	uint32_t lost = 3, bias = (uint32_t)-60;
	unsigned char *zone = to + 56 + 2 * pointer_size;

	memset(to, 0, boot + 32);
	memcpy(to, "\0\0\1\0", 4);
	memcpy(to + 44, &pointer_size, 4);
	memcpy(zone, &bias, 4);
	memcpy(zone + 4, "C\0E\0T\0", 6);
	memcpy(to + boot + 8, &freq, 8);
	memcpy(to + boot + 28, &lost, 4);
	memcpy(to + boot + 32, "s\0\0\0f\0\0\0", 8);
	return boot + 40;
}

static void test_header(void)
{
	static const GUID guid = {
		0x68fdd900, 0x4a3e, 0x11d1, { 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 }
	};
	unsigned char header[512];
	const struct etw_decoded *event;
	unsigned int pointer;
	size_t size;

	for (pointer = 4; pointer <= 8; pointer += 4) {
		size = make_header(header, pointer);
		event = classic(&guid, 0, header, size, pointer == 4 ?
				EVENT_HEADER_FLAG_32_BIT_HEADER : 0);
		ok(!decode_ret && !text_ret, "a trace's header, pointers of %u bytes", pointer);
		ok(event->source == ETW_DECODE_CLASSIC && !strcmp(event->task, "EventTrace") &&
		   !strcmp(event->opcode, "Header") && !strcmp(event->provider, "MSNT_SystemTrace"),
		   "its names");
		ok(strstr(text(), "BufferSize=65536 ") && strstr(text(), " PerfFreq=10000000 ") &&
		   strstr(text(), " BuffersLost=3 SessionNameString=\"s\" LogFileNameString=\"f\"") &&
		   strstr(text(), "TimeZoneInformation={Bias=-60 StandardName=\"CET\" ") &&
		   !strstr(text(), "rest="), "its fields");
	}
	classic(&guid, 0, header, 100, 0);
	is(text_ret, -EBADMSG, "half a header");
	event = classic(&guid, 5, header, 36, 0);
	ok(!text_ret && strstr(text(), "GroupMask8=0x0 KernelEventVersion=0") &&
	   !strcmp(event->opcode, "Extension"), "its extension");
	event = classic(&guid, 8, header, 0, 0);
	ok(!decode_ret && !strcmp(event->opcode, "RDComplete"), "its end");
	ok(!classic(&guid, 77, header, 0, 0)->opcode && decode_ret == -ENOENT,
	   "a type that it does not have");
}

static void test_lost(void)
{
	static const GUID guid = {
		0x6a399ae0, 0x4bc6, 0x4de9, { 0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e }
	};
	static const char *const names[] = { "RTLostEvent", "RTLostBuffer", "RTLostFile" };
	const struct etw_decoded *event;
	UCHAR i;

	for (i = 0; i < 3; i++) {
		event = classic(&guid, 32 + i, "", 0, 0);
		ok(!decode_ret && !strcmp(event->task, "RT_LostEvent") &&
		   !strcmp(event->opcode, names[i]), "%s", names[i]);
	}
}

/* Events of the decode GUID, and of the control GUID with traits that name the decode GUID */
static void test_guids(void)
{
	static const GUID control = {
		0x77777777, 0x9d1e, 0x4c11, { 0x8f, 0x4b, 0x21, 0x7a, 0x63, 0x0c, 0x5d, 0x01 }
	};
	struct etw_mf_field field = FIELD("n", UINT8, UNSIGNEDBYTE);
	unsigned char traits[2 + 2 + 19] = "\x17\0N\0\x13\0\x02";
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_CONTROL_GUID, .DataSize = sizeof(control),
		.DataPtr = (uintptr_t)&control,
	};
	EVENT_RECORD record = {
		.EventHeader = { .Flags = EVENT_HEADER_FLAG_DECODE_GUID, .ProviderId = test_guid },
		.ExtendedData = &item, .ExtendedDataCount = 1,
	};
	const struct etw_decoded *event;

	load(&field, 1, 1, NULL);
	record.EventHeader.EventDescriptor.Id = 1;
	event = decode_bytes(&record, "\x07", 1);
	ok(!decode_ret && !memcmp(&event->decode_guid, &test_guid, sizeof(GUID)) &&
	   !memcmp(&event->control_guid, &control, sizeof(GUID)), "both GUIDs");
	is_text(text(), "n=7", "the decode GUID's schema");
	memcpy(traits + 7, &test_guid, sizeof(GUID));
	record.EventHeader.Flags = 0;
	record.EventHeader.ProviderId = control;
	item.ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS;
	item.DataSize = sizeof(traits);
	item.DataPtr = (uintptr_t)traits;
	event = decode_bytes(&record, "\x07", 1);
	is_text(text(), "n=7", "that of the traits");
	is_text(event->provider, "Test", "the manifest's name");
	ok(!memcmp(&event->decode_guid, &test_guid, sizeof(GUID)) &&
	   !memcmp(&event->control_guid, &control, sizeof(GUID)), "both GUIDs again");
	item.DataSize = 10;
	decode_bytes(&record, "\x07", 1);
	is(decode_ret, -ENOENT, "traits that end too early");
}

int main(void)
{
	test_inserts();
	test_long();
	test_string();
	test_header();
	test_lost();
	test_guids();
	etw_text_free(&message);
	clean_up();
	return done_testing();
}
