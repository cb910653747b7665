/* SPDX-License-Identifier: MIT */
/* decode_memory - decoding without memory: each allocation fails once */
#include <stdlib.h>

static unsigned int calls, failing;

/* Does this allocation fail? failing is its number, 0: none. */
static int fails(void)
{
	return ++calls == failing;
}

static void *failing_calloc(size_t count, size_t size)
{
	return fails() ? NULL : calloc(count, size);
}

static void *failing_malloc(size_t size)
{
	return fails() ? NULL : malloc(size);
}

static void *failing_realloc(void *p, size_t size)
{
	return fails() ? NULL : realloc(p, size);
}

/* The files that allocate, instead of those in the library */
#define calloc failing_calloc
#define malloc failing_malloc
#define realloc failing_realloc
#include "tdh/decode/decode.c"
#include "tdh/decode/schema_cache.c"
#include "tdh/decode/labels.c"
#include "tdh/decode/tracelogging.c"
#include "base/text.c"
#undef calloc
#undef malloc
#undef realloc

#include "decode_event.h"

static const struct etw_mf_field fields[] = {
	FIELD("n", UINT8, UNSIGNEDBYTE),
	{ .name = "a", .in_type = TDH_INTYPE_UINT8, .out_type = TDH_OUTTYPE_UNSIGNEDBYTE,
	  .flags = ETW_MF_COUNT_FIELD, .count = 0 },
	{ .name = "sock", .in_type = TDH_INTYPE_MANIFEST_COUNTEDBINARY,
	  .out_type = TDH_OUTTYPE_SOCKETADDRESS, .count = 1 },
};

/* All text of two events of a manifest and one of TraceLogging */
static int run(char *out, size_t size)
{
	static unsigned char payload[] = "\x02\x01\x02\x08\0\x02\0\0\x50\x7f\0\0\x01";
	static unsigned char meta[] = "\x0c\0\0E\0a\0\x98\x01" "b\0\x04";
	EVENT_HEADER_EXTENDED_DATA_ITEM item = {
		.ExtType = EVENT_HEADER_EXT_TYPE_EVENT_SCHEMA_TL, .DataSize = sizeof(meta) - 1,
		.DataPtr = (uintptr_t)meta,
	};
	EVENT_RECORD record = { .EventHeader.ProviderId = test_guid, .UserData = payload };
	struct etw_decoder *d = etw_decoder_new();
	struct etw_text all = { 0 };
	const struct etw_decoded *event;
	int i, ret = d ? 0 : -ENOMEM;

	record.EventHeader.EventDescriptor.Id = 1;
	record.UserDataLength = sizeof(payload) - 1;
	for (i = 0; i < 3 && !ret; i++) {
		if (i == 2) {
			record.ExtendedData = &item;
			record.ExtendedDataCount = 1;
		}
		ret = etw_decode(d, &record, &event);
		etw_format_fields(&all, d, 0);
		etw_format_json(&all, d);
		etw_format_message(&all, d);
	}
	snprintf(out, size, "%s", all.data ? all.data : "");
	ret = ret ? ret : all.error;
	etw_text_free(&all);
	etw_decoder_free(d);
	return ret;
}

int main(void)
{
	char want[1024], got[1024];
	unsigned int total, wrong = 0;

	load(fields, 3, 3, "%1 and %2 to %3");
	is(run(want, sizeof(want)), 0, "with memory all is well");
	is_text(want, "n=2 a=[1, 2] sock=127.0.0.1:80"
		"{\"n\":2,\"a\":[1,2],\"sock\":\"127.0.0.1:80\"}2 and [1, 2] to 127.0.0.1:80"
		"n=2 a=[1, 2] sock=127.0.0.1:80"
		"{\"n\":2,\"a\":[1,2],\"sock\":\"127.0.0.1:80\"}2 and [1, 2] to 127.0.0.1:80"
		"a={b=2} rest=01020800020000507f000001{\"a\":{\"b\":2}}", "three events");
	total = calls;
	for (failing = 1; failing <= total; failing++) {
		calls = 0;
		if (run(got, sizeof(got)) != -ENOMEM) {
			printf("# allocation %u of %u\n", failing, total);
			wrong++;
		}
	}
	ok(total > 8 && !wrong, "each of %u failing allocations is reported", total);
	failing = 0;
	is(run(got, sizeof(got)), 0, "and then all is well again");
	is_text(got, want, "as before");
	clean_up();
	return done_testing();
}
