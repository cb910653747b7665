/* SPDX-License-Identifier: MIT */
/* decode_tl - TraceLogging's metadata: every shape, valid and malformed */
#include "decode_event.h"
#include "tdh/decode/format.h"

static unsigned char meta[65536], traits[65536], payload[65536];
static size_t meta_size, traits_size;

/* Set the metadata of event "E" without tags, with its size, from fields in hexadecimal digits */
static void set_meta(const char *fields)
{
	meta_size = 5 + from_hex(fields, meta + 5);
	memcpy(meta, "\0\0\0E", 5);
	meta[0] = (unsigned char)meta_size;
	meta[1] = (unsigned char)(meta_size >> 8);
}

static const struct etw_decoded *decode_payload(size_t size)
{
	static EVENT_RECORD record;
	static EVENT_HEADER_EXTENDED_DATA_ITEM items[2];
	static void *block, *block2;

	free(block);
	free(block2);
	block = malloc(meta_size + 1);
	block2 = malloc(traits_size + 1);
	memcpy(block, meta, meta_size);
	memcpy(block2, traits, traits_size);
	items[0] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL,
		.DataSize = (USHORT)meta_size, .DataPtr = (uintptr_t)block,
	};
	items[1] = (EVENT_HEADER_EXTENDED_DATA_ITEM){
		.ExtType = EVENT_HEADER_EXT_TYPE_PROV_TRAITS,
		.DataSize = (USHORT)traits_size, .DataPtr = (uintptr_t)block2,
	};
	record = (EVENT_RECORD){ .ExtendedData = items, .ExtendedDataCount = 2 };
	record.EventHeader.ProviderId = test_guid;
	record.EventHeader.EventDescriptor.Channel = 11;
	record.EventHeader.EventDescriptor.Level = 5;
	return decode_bytes(&record, payload, size);
}

static const struct etw_decoded *tl(const char *fields, const char *hex)
{
	set_meta(fields);
	return decode_payload(from_hex(hex, payload));
}

static void test_shapes(void)
{
	tl("6100 04 6200 88 07", "01 02000000");
	is_text(text(), "a=1 b=2", "out-type and none");
	tl("6100 24 0300", "010203");
	is_text(text(), "a=[1, 2, 3]", "a constant count");
	tl("6100 44", "0200 0102");
	is_text(text(), "a=[1, 2]", "a count before the elements");
	tl("6100 24 0000 6200 04", "07");
	is_text(text(), "a=[] b=7", "a constant count of none");
	tl("6100 0e", "0300 010203");
	is_text(text(), "a=010203", "bytes and how many");
	tl("6100 2e 0200", "0100 01 0200 0203");
	is_text(text(), "a=[01, 0203]", "an array of such");
	tl("6100 67 0300 aabbcc 6200 04", "0200 0102 05");
	is_text(text(), "a=0102 b=5", "a custom type");
	tl("6100 98 02 6200 04 6300 04 6400 04", "010203");
	is_text(text(), "a={b=1 c=2} d=3", "a structure of two");
	tl("6100 98 02 6200 98 01 6300 04 6400 04 6500 04", "010203");
	is_text(text(), "a={b={c=1} d=2} e=3", "structures in structures");
	is_text(paths(0), "a{ a.b{ a.b.c a.b} a.d a} e", "their paths");
	tl("6100 d8 01 6200 04", "0200 0102");
	is_text(text(), "a=[{b=1}, {b=2}]", "an array of structures");
	tl("6100 b8 01 0200 6200 44", "0100 01 0200 0203");
	is_text(text(), "a=[{b=[1]}, {b=[2, 3]}]", "and arrays in it");
	is_text(json(), "{\"a\":[{\"b\":[1]},{\"b\":[2,3]}]}", "in JSON");
	is_text(paths(0), "a( a[0]{ a[0].b( a[0].b[0] a[0].b) a[0]} "
		"a[1]{ a[1].b( a[1].b[0] a[1].b[1] a[1].b) a[1]} a)", "and paths");
	tl("6100 b8 02 0200 6200 d8 01 6300 04 6400 04", "0100 01 02 0100 03");
	is_text(paths(0), "a( a[0]{ a[0].b( a[0].b[0]{ a[0].b[0].c a[0].b[0]} a[0].b) a[0].d a[0]} "
		"a[1]{ a[1].b( a[1].b[0]{ a[1].b[0].c a[1].b[0]} a[1].b) a[1].d!",
		"arrays of structures in such");
	tl("00 98 01 00 04 0aff2200 04", "0102");
	is_text(paths(0), "{ . } \\n\\xff\\\"", "names that are empty or no text");
	is_text(paths(ETW_FORMAT_RAW), "{ . } \n\xef\xbf\xbd\"", "as they are");
	tl("6100 98 00 6200 04", "07");
	is_text(text(), "a={} b=7", "a structure of nothing");
}

/* TraceLogging numbers its out-types differently. */
static void test_out_types(void)
{
	static const struct {
		const char *fields, *payload, *text;
	} cases[] = {
		{ "6100 84 01", "41", "" },
		{ "6100 84 02", "41", "a=\"A\"" },
		{ "6100 84 03", "01", "a=true" },
		{ "6100 84 04", "10", "a=0x10" },
		{ "6100 86 04", "1000", "a=0x10" },
		{ "6100 88 04", "10000000", "a=0x10" },
		{ "6100 8a 04", "1000000000000000", "a=0x10" },
		{ "6100 88 05", "07000000", "a=7" },
		{ "6100 88 06", "07000000", "a=7" },
		{ "6100 86 07", "1f90", "a=8080" },
		{ "6100 88 08", "0a000001", "a=10.0.0.1" },
		{ "6100 8e 09", "1000 00000000000000000000000000000001", "a=::1" },
		{ "6100 8e 0a", "0800 0200 0050 0a000001", "a=10.0.0.1:80" },
		{ "6100 82 0b", "3c00", "a=\"<\"" },
		{ "6100 82 0c", "7b00", "a=\"{\"" },
		{ "6100 88 0d", "05000000", "a=5(ERROR_ACCESS_DENIED)" },
		{ "6100 88 0e", "010000c0", "a=0xc0000001(STATUS_UNSUCCESSFUL)" },
		{ "6100 87 0f", "05400080", "a=0x80004005(E_FAIL)" },
		{ "6100 89 10", "00803ed5deb19d01", "a=1970-01-01T00:00:00.0000000Z" },
		{ "6100 88 11", "ffffffff", "a=-1" },
		{ "6100 94 11", "ffffffff", "a=-1" },
		{ "6100 87 12", "ffffffff", "a=4294967295" },
		{ "6100 95 12", "ffffffffffffffff", "a=18446744073709551615" },
		{ "6100 82 23", "c3a900", "a=\"\xc3\xa9\"" },
		{ "6100 97 24", "0100ff", "a=\"\xc3\xbf\"" },
		{ "6100 95 25", "0010000000000000", "a=0x1000" },
		{ "6100 91 26", "00803ed5deb19d01", "a=1970-01-01T00:00:00.0000000Z" },
		{ "6100 88 1f", "07000000", "a=7" },
		{ "6100 88 7f", "07000000", "a=7" },
	};
	size_t i;

	for (i = 0; i < COUNT(cases); i++) {
		tl(cases[i].fields, cases[i].payload);
		is_text(text(), cases[i].text, cases[i].fields);
	}
}

/* B215: tags of events and of fields have 28 bits, the seven highest bits come first. */
static void test_tags(void)
{
	const struct etw_decoded *event;
	struct etw_field field;

	memcpy(meta, "\x0e\0\xff\xb7\x97\x2f" "E\0" "a\0\x84\x80\x85\x01", 14);
	meta_size = 14;
	event = decode_payload(1);
	is(decode_ret, 0, "an event with tags");
	is(event->tags, 0xfedcbaf, "its tags");
	etw_decode_rewind(decoder);
	is(etw_decode_next(decoder, &field), 1, "a field with tags");
	is(field.tags, 5u << 21 | 1u << 14, "its tags");
	memcpy(meta, "\x0b\0\xff\xff\xff\xff\xff\xff\x01" "E", 11);
	meta_size = 11;
	event = decode_payload(0);
	is(decode_ret, 0, "more tags than there are bits");
	is(event->tags, 0xfffffff, "the first 28 count");
}

static void test_names(void)
{
	static const char name[] = "\x11\0My.Provider\0\x03\0\x80";
	const struct etw_decoded *event;

	memcpy(traits, name, sizeof(name) - 1);
	traits_size = sizeof(name) - 1;
	event = tl("", "");
	ok(event->provider && !strcmp(event->provider, "My.Provider"), "the provider's name");
	is_text(event->event, "E", "the event's");
	is_text(event->level, "Verbose", "the level's");
	is_text(event->channel, "TraceLogging", "the channel's");
	ok(!event->opcode, "opcode 0 has no name");
	ok(event->source == ETW_DECODE_TRACELOGGING && !event->message, "its source");
	traits_size = 5;
	ok(!tl("", "")->provider, "truncated traits give no name");
	memcpy(traits, "\x05\0abc", 5);
	ok(!tl("", "")->provider, "nor does a name without an end");
	traits_size = 0;
}

/* Nested structures, each the only member of the one around it */
static void nest(unsigned int depth)
{
	meta_size = 5;
	memcpy(meta, "\0\0\0E", 5);
	for (; depth; depth--, meta_size += 4)
		memcpy(meta + meta_size, "a\0\x98\x01", 4);
	memcpy(meta + meta_size, "a\0\x04", 3);
	meta_size += 3;
	meta[0] = (unsigned char)meta_size;
	payload[0] = 7;
	decode_payload(1);
}

/* Malformed metadata are refused as a whole; the event's name may still be available. */
static void test_malformed(void)
{
	static const char *const fields[] = {
		"61", "6100", "6100 88", "6100 88 80", "6100 88 87 81", "6100 24", "6100 24 01",
		"6100 67 0100", "6100 67 ffff 00", "6100 18", "6100 98", "6100 98 01",
		"6100 98 02 6200 04", "6100 98 02 6200 98 01 6300 04",
	};
	size_t i;

	for (i = 0; i < COUNT(fields); i++) {
		const struct etw_decoded *event = tl(fields[i], "0102");

		ok(decode_ret == -EBADMSG && !strcmp(event->event, "E") && !strcmp(text(), "data=0102"),
		   "refused: %s", fields[i]);
	}
	nest(16);
	is(decode_ret, 0, "16 structures in each other");
	ok(strstr(text(), "a={a={a=7}}"), "down to the last");
	nest(17);
	is(decode_ret, -EBADMSG, "17 structures are too many");
}

static void test_sizes(void)
{
	set_meta("6100 04");
	meta[0]++;
	decode_payload(0);
	is(decode_ret, -EBADMSG, "metadata that end before they say");
	set_meta("6100 04 ffff");
	meta[0] = 8;
	payload[0] = 7;
	decode_payload(1);
	is_text(text(), "a=7", "bytes after their end are not used");
	meta_size = 1;
	decode_payload(0);
	is(decode_ret, -EBADMSG, "half a size");
	memcpy(meta, "\x03\0\0", 3);
	meta_size = 3;
	decode_payload(0);
	is(decode_ret, -EBADMSG, "no name");
	memcpy(meta, "\x05\0\x80\x80\x80", 5);
	meta_size = 5;
	decode_payload(0);
	is(decode_ret, -EBADMSG, "tags without an end");
	memcpy(meta, "\0\0", 2);
	meta_size = 0;
	decode_payload(0);
	is(decode_ret, -EBADMSG, "nothing at all");
}

/* Steps and text are bounded, whatever counts and names say. */
static void test_bounds(void)
{
	size_t i;

	tl("6100 b8 01 ffff 6200 b8 01 ffff 6300 98 00", "");
	is(text_ret, -EBADMSG, "structures of nothing, 65535 times 65535");
	ok(out_text.len < 1 << 20, "are little text");
	/* A name of 16000 letters for each of 16000 bytes */
	set_meta("6100 d8 01");
	memset(meta + meta_size, 'n', 16000);
	memcpy(meta + meta_size + 16000, "\0\x04", 2);
	meta_size += 16002;
	meta[0] = (unsigned char)meta_size;
	meta[1] = (unsigned char)(meta_size >> 8);
	memcpy(payload, "\x80\x3e", 2);
	decode_payload(16002);
	is(text_ret, -EMSGSIZE, "256 MB of names are not written");
	is(json_ret, -EMSGSIZE, "nor are they as JSON");
	ok(out_text.len < 9u << 20 && out_json.len < 9u << 20, "but 8");
	ok(out_json.len > 3 && !strcmp(out_json.data + out_json.len - 3, "}]}"),
	   "which are still valid JSON");
	/* Many kinds of events, one after the other */
	for (i = 0; i < 70000; i++) {
		set_meta("61616161 00 04");
		memcpy(meta + 5, (uint32_t[]){ 0x41414141u + (uint32_t)(i % 16) * 0x101 +
			(uint32_t)(i / 16 % 16) * 0x10000 + (uint32_t)(i / 256 % 16) * 0x1000000 }, 4);
		meta[3] = (unsigned char)('A' + i / 4096);
		payload[0] = (unsigned char)i;
		decode_payload(1);
		if (decode_ret || text_ret || !strchr(text(), '='))
			break;
	}
	is(i, 70000, "70000 kinds of events");
}

/* One step of a hash without a secret, which anyone can invert */
static uint64_t weak(uint64_t a, uint64_t b)
{
	a = (a ^ b) * 0x9E3779B97F4A7C15u;
	return a ^ a >> 29;
}

static bool has_zero(uint64_t word)
{
	while (word && word & 0xff)
		word >>= 8;
	return word != 0;
}

/* The longest distance of an entry from its own slot */
static size_t longest_way(const struct etw_table *table)
{
	size_t i, n, most = 0;

	for (i = 0; i < table->size; i++) {
		n = (i - table->slots[i].hash) & (table->size - 1);
		if (table->slots[i].entry && n > most)
			most = n;
	}
	return most;
}

/* Event names chosen so that such a hash has one value for all of them */
static void test_collisions(void)
{
	uint64_t first, words[2] = { 0, 0 }, seed = 1;
	unsigned int kinds = 0;

	etw_decoder_free(decoder);
	decoder = NULL;
	while (kinds < 4000) {
		memcpy(meta, "\x19\0\0NNNNN", 8);
		memcpy(&first, meta, 8);
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		words[0] = seed | 0x0101010101010101u;
		words[1] = weak(weak(0x19, first), words[0]) ^ 0x5a5a5a5a5a5a5a5au;
		if (has_zero(words[1]) || !(words[1] >> 56))
			continue;
		memcpy(meta + 8, words, 16);
		meta[24] = '\0';
		meta_size = 25;
		decode_payload(0);
		kinds += !decode_ret;
	}
	ok(decoder->tracelogging.table.count == 4000 &&
	   longest_way(&decoder->tracelogging.table) < 200,
	   "events whose metadata were made to collide are found at once (%zu slots away)",
	   longest_way(&decoder->tracelogging.table));
}

/* The vectors of the corpus: the fields' names state their contents. */
static void test_vectors(void)
{
	const char *dir = getenv("ETW_CORPUS");
	char path[4096], line[200000];
	size_t n = 0, good = 0, payload_size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/vectors/tracelogging_events.json",
		 dir ? dir : "../shared/corpus");
	f = fopen(path, "re");
	if (!f) {
		skip("no TraceLogging vectors at %s", path);
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		char *value = strstr(line, "\": \"");

		if (!value)
			continue;
		value[strcspn(value + 4, "\"") + 4] = '\0';
		if (strstr(line, "\"provider_metadata\"")) {
			traits_size = from_hex(value + 4, traits);
		} else if (strstr(line, "\"event_metadata\"")) {
			meta_size = from_hex(value + 4, meta);
		} else if (strstr(line, "\"payload\"")) {
			payload_size = from_hex(value + 4, payload);
			decode_payload(payload_size);
			n++;
			good += !decode_ret && !text_ret && !json_ret && !strstr(text(), "rest=");
			if (strstr(text(), "hex100="))
				is_text(text(), "default100=100 string65=\"A\" bool1=true hex100=0x64",
					"a vector's out-types");
		}
	}
	fclose(f);
	ok(n > 10 && good == n, "%zu of %zu vectors decode to their last byte", good, n);
	traits_size = 0;
}

static void set_provider(const char *name)
{
	traits_size = 2 + strlen(name) + 1;
	memcpy(traits + 2, name, strlen(name) + 1);
	traits[0] = (unsigned char)traits_size;
}

#define MANIFEST(event)	"<instrumentationManifest " \
	"xmlns='http://schemas.microsoft.com/win/2004/08/events'><instrumentation " \
	"xmlns:win='http://manifests.microsoft.com/win/2004/08/windows/events'><events>" \
	"<provider name='x' symbol='X' guid='{2b7c1f60-9d1e-4c11-8f4b-217a630c5d01}' " \
	"resourceFileName='' messageFileName=''>" \
	"<maps><valueMap name='a'><map value='1' message='ONE'/></valueMap>" \
	"<bitMap name='b'><map value='0x3' message='BOTH'/><map value='0x1' message='S'/>" \
	"<map value='0x4' message='D'/><map value='0x0' message='NONE'/></bitMap></maps>" \
	"<templates><template tid='t'><data name='a' inType='win:UInt8' map='a'/>" \
	"<data name='b' inType='win:UInt64' map='b'/></template></templates>" \
	"<events><event value='0' symbol='E' template='t' name='" event "'/></events>" \
	"</provider></events></instrumentation></instrumentationManifest>"

static void load_names(const char *text)
{
	struct etw_problems problems = { .count = 0 };

	unload();
	if (etw_manifest_read_memory(text, strlen(text), "names", &loaded, &problems) ||
	    etw_store_add(loaded))
		abort();
	etw_problems_free(&problems);
}

/* The kernel's trace events have names of values in a manifest. */
static void test_value_names(void)
{
	static const char fields[] = "6100 04 6200 0a", one[] = "01 0100000000000000";

	set_provider("tracepoint:x:E");
	tl(fields, one);
	is_text(text(), "a=1 b=1", "before the manifest is known");
	load_names(MANIFEST("E"));
	tl(fields, one);
	is_text(text(), "a=ONE b=S", "afterwards");
	is_text(json(), "{\"a\":\"ONE\",\"b\":\"S\"}", "in JSON");
	tl(fields, "02 0700000000000000");
	is_text(text(), "a=2 b=BOTH|D", "a value without a name, and a group of bits");
	tl(fields, "01 0100000002000000");
	is_text(text(), "a=ONE b=S|0x200000000", "bits above those of maps");
	tl(fields, "01 0000000000000000");
	is_text(text(), "a=ONE b=NONE", "no bits");
	tl("6200 09", "0100000002000000");
	is_text(text(), "b=S|0x200000000", "the same of a signed field");
	tl("6200 09", "0000000002000000");
	is_text(text(), "b=0x200000000", "which is not the name of its lower half");
	tl("6100 24 0200", "0101");
	is_text(text(), "a=[ONE, ONE]", "each element of an array");
	set_provider("Other");
	tl(fields, one);
	is_text(text(), "a=1 b=1", "another provider with the same metadata");
	set_provider("tracepoint:x:E");
	load_names(MANIFEST("F"));
	tl(fields, one);
	is_text(text(), "a=1 b=1", "names are for one event");
	unload();
	traits_size = 0;
}

/* Is the first field a number to those who count, and has its value a name? */
static void is_number(bool sparse, bool named, const char *name)
{
	struct etw_field field;

	etw_decode_rewind(decoder);
	ok(etw_decode_next(decoder, &field) == 1 &&
	   etw_field_map_is_sparse(field.map) == sparse && etw_field_is_named(&field) == named,
	   "%s", name);
}

/* Names that all kernels have */
static void test_own_names(void)
{
	static const char ret[] = "72657400 09";

	set_provider("tracepoint:syscalls:sys_exit_read");
	tl(ret, "feffffffffffffff");
	is_text(text(), "ret=ENOENT", "an error of a system call");
	is_number(true, true, "is a number with a name");
	tl(ret, "00feffffffffffff");
	is_text(text(), "ret=ERESTARTSYS", "one that programs do not see");
	tl(ret, "0200000000000000");
	is_text(text(), "ret=2", "a result");
	is_number(true, false, "is a number without one");
	tl(ret, "fefffffff0ffffff");
	is_text(text(), "ret=-64424509442", "an address whose lower half looks like an error");
	is_number(true, false, "is one, too");
	tl(ret, "feffffff00000000");
	is_text(text(), "ret=4294967294", "a large result");
	set_provider("tracepoint:signal:signal_generate");
	tl("73696700 07", "09000000");
	is_text(text(), "sig=SIGKILL", "a signal");
	is_number(false, true, "is nothing to add");
	tl("73697a00 07", "09000000");
	is_text(text(), "siz=9", "another field");
	traits_size = 0;
}

int main(void)
{
	test_shapes();
	test_out_types();
	test_tags();
	test_names();
	test_malformed();
	test_sizes();
	test_bounds();
	test_collisions();
	test_vectors();
	test_value_names();
	test_own_names();
	clean_up();
	return done_testing();
}
